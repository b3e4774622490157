//! The avalanche with other numbers of blocks, seeds and steps, and in the valley that runs out on a slope.
//!
//! A variant is the text of the packaged scene with some values replaced; see [`substitute`].

use granule_model::{DQuat, DVec3};

use crate::error::SceneError;
use crate::scene::Scene;
use crate::substitute::{substitute, toml_number};
use crate::texts::{count_in, known_text, parse};

/// What the valley runs out on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runout {
    /// A horizontal plane.
    #[default]
    Flat,
    /// A plane that falls by 3 degrees the way the valley does.
    Slope,
}

impl Runout {
    /// Every runout.
    pub const ALL: [Runout; 2] = [Runout::Flat, Runout::Slope];

    /// The name on the command line; that of the scene is `avalanche-NAME`, that of the terrain `valley-NAME`.
    pub fn name(self) -> &'static str {
        match self {
            Runout::Flat => "flat",
            Runout::Slope => "slope",
        }
    }
}

/// A variant of the avalanche; what is none stays as in the packaged scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AvalancheOptions {
    /// What the valley runs out on.
    pub runout: Runout,
    /// Number of blocks, at least 1; see [`AvalancheOptions::rectangle`].
    pub count: Option<usize>,
    /// Seed of forms, sizes and orientations.
    pub seed: Option<u64>,
    /// Step \[s\], above zero; that of the packaged scene is chosen by the engine.
    pub time_step: Option<f64>,
}

/// The scene of which the others are variants, and its number of blocks.
const BASE: &str = "avalanche-flat";
const COUNT: f64 = 300.0;

/// Middle of the rectangle over which the blocks start, in the lower half of the catchment, and its edges \[m\].
const MIDDLE: [f64; 2] = [66.0, 80.0];
const EDGES: [f64; 2] = [37.8, 33.6];
/// Smallest edge \[m\]: a block of 3 m has room, however it is turned.
const SMALLEST_EDGE: f64 = 4.2;
/// Fall of the plane of [`Runout::Slope`] along x \[degrees\].
const FALL: f64 = 3.0;

impl AvalancheOptions {
    /// The rectangle of the map over which `count` blocks start: its lowest corner and its edges \[m\].
    ///
    /// Its edges go with the cube root of the number, and so does the height of the layers: 300 blocks have five, of 9
    /// by 8. Beyond some 20 000 it is wider than the valley's raster.
    pub fn rectangle(count: usize) -> ([f64; 2], [f64; 2]) {
        let share = libm::cbrt(count as f64 / COUNT);
        let tenths = |x: f64| (x * 10.0).round() / 10.0;
        let edges = EDGES.map(|edge| tenths((share * edge).max(SMALLEST_EDGE)));
        ([0, 1].map(|axis| tenths(MIDDLE[axis] - 0.5 * edges[axis])), edges)
    }

    /// The scene of this variant. Makes its blocks, which takes most of its time.
    ///
    /// # Errors
    /// [`SceneError`] for a value out of its range.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        parse(&format!("avalanche-{}", self.runout.name()), &self.text()?)
    }

    fn text(&self) -> Result<String, SceneError> {
        substitute(known_text(BASE)?, &format!("{BASE}.toml"), &self.changes())
    }

    fn changes(&self) -> Vec<(&'static str, String)> {
        let mut changes = Vec::new();
        if self.runout == Runout::Slope {
            let (place, turn) = plain();
            changes.push(("body.0.shape.terrain.file", "\"valley-slope\"".to_owned()));
            changes.push(("body.1.position", list(&place.to_array())));
            changes.push(("body.1.orientation", list(&turn.to_array())));
        }
        if let Some(count) = self.count {
            changes.push(("title", format!("\"avalanche of {count} rounded blocks of 2 to 3 m\"")));
            changes.push(("fill.0.count", count.to_string()));
            let (corner, size) = Self::rectangle(count);
            changes.push(("fill.0.grid.corner", list(&corner)));
            changes.push(("fill.0.grid.size", list(&size)));
        }
        if let Some(seed) = self.seed {
            changes.push(("fill.0.seed", seed.to_string()));
        }
        if let Some(time_step) = self.time_step {
            changes.push(("run.time_step", toml_number(time_step)));
        }
        changes
    }
}

/// As TOML writes it.
fn list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().copied().map(toml_number).collect();
    format!("[{}]", numbers.join(", "))
}

/// Place and turn of the slab that carries on the plane that falls: its upper side meets the end of the raster, a
/// centimetre lower.
fn plain() -> (DVec3, DQuat) {
    let half = 0.5 * FALL.to_radians();
    let turn = DQuat::from_xyzw(0.0, libm::sin(half), 0.0, libm::cos(half));
    let end = DVec3::new(479.5, 80.0, 0.5 * libm::tan(FALL.to_radians()) - 0.01);
    (end + turn * DVec3::new(150.0, 0.0, -1.0), turn)
}

/// The text of the avalanche called `avalanche-RUNOUT` or `avalanche-RUNOUT-COUNT`; none for other names.
pub(crate) fn variant(name: &str) -> Option<Result<String, SceneError>> {
    let rest = name.strip_prefix("avalanche-")?;
    let of = |runout: Runout| match rest.strip_prefix(runout.name())? {
        "" => Some(AvalancheOptions { runout, ..AvalancheOptions::default() }),
        rest => Some(AvalancheOptions { runout, count: Some(count_in(rest)?), ..AvalancheOptions::default() }),
    };
    Runout::ALL.into_iter().find_map(of).map(|options| options.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::packaged_text;

    #[test]
    fn the_packaged_scene_is_its_own_variant() {
        let options = AvalancheOptions { count: Some(300), seed: Some(1), ..AvalancheOptions::default() };
        assert_eq!(options.text().expect("valid").as_str(), packaged_text(BASE).expect("packaged"));
        assert_eq!(variant(BASE).expect("a variant").expect("valid").as_str(), packaged_text(BASE).expect("packaged"));
    }

    /// Ground as a height field, which takes less time to be made.
    fn quick(options: &AvalancheOptions) -> Result<Scene, SceneError> {
        parse("quick", &options.text()?.replace("level-set", "height-field"))
    }

    #[test]
    fn options_change_what_they_name_and_nothing_else() {
        let plain = AvalancheOptions { count: Some(2), ..AvalancheOptions::default() };
        let other = AvalancheOptions { runout: Runout::Slope, count: Some(2), seed: Some(9), time_step: Some(0.01) };
        let [plain, other] = [plain, other].map(|options| quick(&options).expect("valid"));
        assert_eq!((plain.settings.time_step, other.settings.time_step), (None, Some(0.01)));
        assert_eq!((plain.seed, other.seed), (Some(1), Some(9)));
        assert_eq!((plain.bodies.len(), other.bodies.len()), (4, 4));
        assert_ne!(plain.bodies[2].pose, other.bodies[2].pose);
        assert_eq!((&plain.stages, plain.rest, &plain.materials), (&other.stages, other.rest, &other.materials));
        // The plane that falls by 3 degrees is 5.7 m higher 109 m before its end.
        let height = |scene: &Scene, body: usize, at: [f64; 2]| {
            scene.bodies[body].shape.highest_point(&scene.bodies[body].pose, at, at).expect("ground").z
        };
        let heights = [&plain, &other].map(|scene| height(scene, 0, [371.0, 80.0]));
        // Measured 5.70.
        assert!((heights[1] - heights[0] - 5.7).abs() <= 0.05, "{heights:?}");
        // The plain goes on where the raster ends, a centimetre below but for what the raster is rounded to.
        for (scene, fall) in [(&plain, 0.0), (&other, 3.0_f64.to_radians().tan())] {
            let step = height(scene, 0, [479.4, 80.0]) - height(scene, 1, [479.6, 80.0]) - 0.2 * fall;
            // Measured 0.010 and 0.014.
            assert!(step > 0.004 && step <= 0.016, "{step}");
            let along = height(scene, 1, [480.0, 80.0]) - height(scene, 1, [700.0, 80.0]) - 220.0 * fall;
            assert!(along.abs() <= 1e-12 * 700.0, "{along}");
        }
    }

    #[test]
    fn blocks_start_over_the_ground_and_apart() {
        for count in [1, 7, 40] {
            let scene = quick(&AvalancheOptions { count: Some(count), ..AvalancheOptions::default() }).expect("valid");
            let (valley, blocks) = (&scene.bodies[0], &scene.bodies[2..]);
            for (i, block) in blocks.iter().enumerate() {
                let (p, reach) = (block.pose.position, block.shape.bounding_radius());
                let ground = valley.shape.highest_point(&valley.pose, [p.x, p.y], [p.x, p.y]).expect("ground").z;
                assert!(p.z - ground >= reach, "{count}: block {i} is {} m over the ground", p.z - ground);
                for other in &blocks[i + 1..] {
                    let gap = other.pose.position.distance(p) - reach - other.shape.bounding_radius();
                    assert!(gap >= 0.0, "{count}: {gap} m");
                }
            }
        }
    }

    #[test]
    fn the_rectangle_goes_with_the_number_of_blocks() {
        assert_eq!(AvalancheOptions::rectangle(300), ([47.1, 63.2], EDGES));
        assert_eq!(AvalancheOptions::rectangle(2400).1, EDGES.map(|edge| 2.0 * edge));
        assert_eq!(AvalancheOptions::rectangle(1).1, [5.6, 5.0]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let plain = AvalancheOptions { count: Some(1), ..AvalancheOptions::default() };
        for options in [
            AvalancheOptions { count: Some(0), ..plain },
            AvalancheOptions { time_step: Some(0.0), ..plain },
            AvalancheOptions { time_step: Some(f64::NAN), ..plain },
            AvalancheOptions { seed: Some(u64::MAX), ..plain },
        ] {
            assert!(quick(&options).is_err(), "{options:?}");
        }
    }

    #[test]
    fn names_choose_runout_and_number() {
        for (name, file) in [("avalanche-slope-2", "valley-slope"), ("avalanche-flat-1", "valley-flat")] {
            let text = variant(name).expect("a variant").expect("valid");
            let count = &name[name.len() - 1..];
            assert!(text.contains(&format!("count = {count}\n")) && text.contains(file), "{text}");
        }
        for name in ["avalanche", "avalanche-flat-0", "avalanche-flat2", "avalanche-slope-02", "avalanche-flat-"] {
            assert!(variant(name).is_none(), "{name}");
        }
    }
}
