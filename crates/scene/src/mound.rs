//! The mound with other numbers of grains, seeds and steps.
//!
//! A variant is the text of the packaged scene with some values replaced; see [`substitute`].

use crate::error::SceneError;
use crate::scene::Scene;
use crate::substitute::{substitute, toml_number};
use crate::texts::{count_in, known_text, parse};

/// A variant of the mound; what is none stays as in the packaged scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoundOptions {
    /// Number of grains, at least 1; the box goes with it.
    pub count: Option<usize>,
    /// Seed of forms, sizes and orientations.
    pub seed: Option<u64>,
    /// Step \[s\], above zero.
    pub time_step: Option<f64>,
}

const NAME: &str = "mound";

/// Number of grains of the packaged scene, and the side of its box \[m\].
const COUNT: f64 = 1600.0;
const SIDE: f64 = 1.2;
/// Smallest side of a box \[m\]: the longest of the grains fits in, however it is turned.
const SMALLEST_SIDE: f64 = 0.26;

impl MoundOptions {
    /// Side \[m\] of the square box that `count` grains fill, a multiple of 0.01 m.
    ///
    /// It goes with the cube root of the number, so that the fill is as high over its width for any: 1.1, which is what
    /// 1600 grains of 0.05 to 0.155 m come to in 1.2 m. The smallest side, for less than 17 grains, is 0.26 m.
    pub fn box_side(count: usize) -> f64 {
        let side = SIDE * libm::cbrt(count as f64 / COUNT);
        (side.max(SMALLEST_SIDE) * 100.0).round() / 100.0
    }

    /// The scene of this variant. Makes its grains, which takes most of its time.
    ///
    /// # Errors
    /// [`SceneError`] for a value out of its range.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        parse(NAME, &self.text()?)
    }

    fn text(&self) -> Result<String, SceneError> {
        substitute(known_text(NAME)?, &format!("{NAME}.toml"), &self.changes())
    }

    fn changes(&self) -> Vec<(&'static str, String)> {
        let mut changes = Vec::new();
        if let Some(count) = self.count {
            let side = toml_number(Self::box_side(count));
            changes.push(("title", format!("\"mound of {count} level-set grains\"")));
            changes.push(("fill.0.count", count.to_string()));
            changes.push(("fill.0.grid.size", format!("[{side}, {side}]")));
            changes.push(("body.2.position.0", side.clone()));
            changes.push(("body.4.position.1", side));
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

/// The text of the mound called `mound-COUNT`; none for other names.
pub(crate) fn variant(name: &str) -> Option<Result<String, SceneError>> {
    let count = count_in(name.strip_prefix(NAME)?)?;
    Some(MoundOptions { count: Some(count), ..MoundOptions::default() }.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packaged::packaged;
    use crate::texts::packaged_text;

    #[test]
    fn the_packaged_scene_is_its_own_variant() {
        let options = MoundOptions { count: Some(1600), seed: Some(1), time_step: Some(0.002) };
        assert_eq!(options.text().expect("valid").as_str(), packaged_text(NAME).expect("packaged"));
    }

    #[test]
    fn the_box_keeps_the_proportions_of_the_fill() {
        for (count, side) in [(1600, 1.2), (200, 0.6), (12_800, 2.4), (1, 0.26)] {
            assert_eq!(MoundOptions::box_side(count), side, "{count}");
        }
        // Volume of grains over the cube of the side, against that of the packaged scene: rounding to a centimetre.
        for count in [17, 25, 60, 300, 5000] {
            let share = count as f64 / MoundOptions::box_side(count).powi(3) / (COUNT / SIDE.powi(3));
            // Measured up to 0.043 off, of 17 grains.
            assert!((share - 1.0).abs() <= 0.06, "{count}: {share}");
        }
    }

    #[test]
    fn few_grains_start_within_their_box() {
        for count in [1, 5] {
            let scene = packaged(&format!("mound-{count}")).expect("a variant");
            let [side_x, side_y] = [scene.bodies[2].pose.position.x, scene.bodies[4].pose.position.y];
            assert_eq!([side_x, side_y], [MoundOptions::box_side(count); 2]);
            assert_eq!(scene.bodies.len(), 5 + count);
            for grain in &scene.bodies[5..] {
                let (p, reach) = (grain.pose.position, grain.shape.bounding_radius());
                assert!(p.x >= reach && p.x <= side_x - reach && p.y >= reach && p.y <= side_y - reach, "{p} {reach}");
            }
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let plain = MoundOptions { count: Some(1), ..MoundOptions::default() };
        for options in [
            MoundOptions { count: Some(0), ..plain },
            MoundOptions { time_step: Some(-0.1), ..plain },
            MoundOptions { time_step: Some(f64::INFINITY), ..plain },
            MoundOptions { seed: Some(u64::MAX), ..plain },
        ] {
            assert!(options.scene().is_err(), "{options:?}");
        }
        for name in ["mound-", "mound-0", "mound-+5", "mounds-5", "mound-5-5"] {
            assert!(variant(name).is_none(), "{name}");
        }
    }
}
