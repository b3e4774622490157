//! The experiment on the angle of repose with other frictions, seeds and numbers of grains.
//!
//! A variant is the text of the packaged scene with some values replaced; see [`substitute`].

use crate::error::SceneError;
use crate::scene::Scene;
use crate::substitute::{substitute, toml_number};
use crate::texts;

/// The grains of the experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReposeShape {
    /// Spheres of 3 m diameter; 540 unless said otherwise.
    #[default]
    Spheres,
    /// Cubes of 2.4 m; 325 unless said otherwise.
    Cubes,
    /// Crosses of seven cubes of 1.26 m; 325 unless said otherwise.
    Crosses,
}

impl ReposeShape {
    /// Every shape.
    pub const ALL: [ReposeShape; 3] = [ReposeShape::Spheres, ReposeShape::Cubes, ReposeShape::Crosses];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            ReposeShape::Spheres => "spheres",
            ReposeShape::Cubes => "cubes",
            ReposeShape::Crosses => "crosses",
        }
    }

    /// Side \[m\] of the square floor on which `count` grains are packed, a multiple of 0.1 m.
    ///
    /// A bed of spheres becomes about ten diameters deep: side D sqrt(count / 11.5). Cubes and crosses are started on
    /// staggered layers of k x k and (k - 1) x (k - 1) places of 4.3 m, some eight large ones: k = sqrt(count / 16).
    pub fn floor_side(self, count: usize) -> f64 {
        const DIAMETER: f64 = 3.0;
        const PITCH: f64 = 4.3;
        match self {
            // Two columns at least; one of three would be a tower.
            ReposeShape::Spheres => ((DIAMETER * (count as f64 / 11.5).sqrt()).max(6.4) * 10.0).ceil() / 10.0,
            ReposeShape::Cubes | ReposeShape::Crosses => {
                let columns = (count as f64 / 16.0).sqrt().round().max(2.0);
                ((PITCH * columns + 0.1) * 10.0).round() / 10.0
            }
        }
    }
}

/// A variant of the experiment; what is none stays as in the packaged scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReposeOptions {
    /// The grains.
    pub shape: ReposeShape,
    /// Friction, static and dynamic, of grains, box and wall \[-\], not negative.
    pub friction: Option<f64>,
    /// Seed of the start state.
    pub seed: Option<u64>,
    /// Number of grains, at least 1; the box grows with it.
    pub count: Option<usize>,
    /// Step \[s\], above zero; that of the packaged scene is chosen by the engine.
    pub time_step: Option<f64>,
}

impl ReposeOptions {
    /// The scene of this variant.
    ///
    /// # Errors
    /// [`SceneError`] for a value out of its range.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        let name = format!("repose-{}", self.shape.name());
        let text = substitute(texts::known_text(&name)?, &format!("{name}.toml"), &self.changes())?;
        texts::parse(&name, &text)
    }

    fn changes(&self) -> Vec<(&'static str, String)> {
        let mut changes = Vec::new();
        if let Some(friction) = self.friction {
            changes.push(("materials.grain.static_friction", toml_number(friction)));
        }
        if let Some(time_step) = self.time_step {
            changes.push(("run.time_step", toml_number(time_step)));
        }
        if let Some(seed) = self.seed {
            changes.push(("fill.0.seed", seed.to_string()));
        }
        if let Some(count) = self.count {
            let side = self.shape.floor_side(count);
            let (side, both) = (toml_number(side), toml_number((20.0 * side).round() / 10.0));
            changes.push(("fill.0.count", count.to_string()));
            changes.push(("fill.0.grid.size", format!("[{side}, {side}]")));
            changes.push(("body.0.shape.container.size.0", both.clone()));
            changes.push(("body.0.shape.container.size.1", side.clone()));
            changes.push(("body.1.position.0", side.clone()));
            changes.push(("measure.repose.size", format!("[{both}, {side}]")));
            changes.push(("measure.packing.size", format!("[{side}, {side}]")));
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::packaged_text;

    #[test]
    fn the_values_of_the_packaged_scenes_are_those_of_the_rules() {
        for (shape, count) in [(ReposeShape::Spheres, 540), (ReposeShape::Cubes, 325), (ReposeShape::Crosses, 325)] {
            let options =
                ReposeOptions { shape, friction: Some(0.3), seed: Some(1), count: Some(count), time_step: None };
            let scene = options.scene().expect("the packaged values are valid");
            assert_eq!(Some(scene.text()), packaged_text(&scene.name));
        }
        // Figures of the published comparison of engines.
        assert_eq!(ReposeShape::Spheres.floor_side(1080), 29.1);
        assert_eq!(ReposeShape::Spheres.floor_side(10_000), 88.5);
        assert_eq!(ReposeShape::Spheres.floor_side(100_000), 279.8);
        assert_eq!(ReposeShape::Cubes.floor_side(3000), 60.3);
    }

    #[test]
    fn options_change_what_they_name_and_nothing_else() {
        let plain = ReposeOptions { shape: ReposeShape::Cubes, ..ReposeOptions::default() };
        let time_step = Some(1.0 / 240.0);
        let other = ReposeOptions { friction: Some(0.05), seed: Some(9), count: Some(60), time_step, ..plain };
        let (plain, other) = (plain.scene().expect("valid"), other.scene().expect("valid"));
        assert_eq!(other.materials[0].1.static_friction, 0.05);
        assert_eq!(other.materials[0].1.dynamic_friction, 0.05);
        assert_eq!((plain.settings.time_step, other.settings.time_step), (None, time_step));
        assert_eq!((plain.bodies.len(), other.bodies.len()), (327, 62));
        assert_ne!(plain.bodies[5].pose, other.bodies[5].pose);
        assert_eq!(plain.stages, other.stages);
        assert_eq!(other.measure.repose.map(|r| r.floor.max), Some([17.4, 8.7]));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for friction in [-0.1, f64::NAN, f64::INFINITY] {
            let options = ReposeOptions { friction: Some(friction), ..ReposeOptions::default() };
            let error = options.scene().expect_err("friction out of range");
            assert!(error.message().contains("static_friction"), "{error}");
        }
        assert!(ReposeOptions { count: Some(0), ..ReposeOptions::default() }.scene().is_err());
        assert!(ReposeOptions { time_step: Some(0.0), ..ReposeOptions::default() }.scene().is_err());
        assert!(ReposeOptions { seed: Some(u64::MAX), ..ReposeOptions::default() }.scene().is_err());
    }

    #[test]
    fn every_number_of_grains_has_a_box_with_room_for_its_grid() {
        for shape in ReposeShape::ALL {
            for count in [1, 2, 3, 7, 20, 63, 100, 777] {
                let options = ReposeOptions { shape, count: Some(count), ..ReposeOptions::default() };
                let scene = options.scene().unwrap_or_else(|e| panic!("{count} {}: {e}", shape.name()));
                assert_eq!(scene.bodies.len(), count + 2);
            }
        }
    }
}
