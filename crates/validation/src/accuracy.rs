//! How fast errors fall with the step: bounces, oblique strikes, rocking, tipping, a tower and a pile, each at six
//! lengths of the step that halve.
//!
//! A [`Study`] has quantities whose exact value is known, a time of its own that steps are measured by, and a coarsest
//! step. [`Study::run`] gives the error of each quantity at one length of the step, [`Fit`] the order and the constant.
//! `cargo xtask accuracy` makes the tables and plots of `docs/accuracy.md` from them.

mod fit;
mod impacts;
mod standing;
mod turning;

use granule_engine::{EngineError, Stepping};

pub use fit::Fit;

/// Lengths of the step: the coarsest, half of it, and so on.
const LENGTHS: i32 = 6;

/// The errors of a study's quantities at one length of the step.
type Errors = Result<Vec<f64>, EngineError>;

/// A motion whose exact course is known, and what is compared of it.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Stable name.
    pub name: &'static str,
    /// What is done, in a sentence.
    pub about: &'static str,
    /// What is compared: errors over the scale that the name tells \[-\].
    pub quantities: &'static [&'static str],
    /// What steps are measured by, in words.
    pub unit: &'static str,
    /// That time \[s\].
    pub time: f64,
    /// Coarsest step \[s\].
    pub coarsest: f64,
    run: fn(Stepping, f64) -> Errors,
}

/// All studies, in the order of the page.
pub const STUDIES: [Study; 6] = [
    Study {
        name: "bounce",
        about: "A ball with e = 0.9 is dropped by 1 m from rest; errors are the largest of eight heights up to 1.1 m.",
        quantities: &["height of the fifth rise", "place of the ball then, over the height"],
        unit: "fall of 1 m",
        time: 0.451_753_951_452_625_8,
        coarsest: 0.04,
        run: impacts::bounce,
    },
    Study {
        name: "oblique",
        about: "A ball of 2.5 mm strikes a floor at (5, 0, -2) m/s, e = 1, mu = 0.1, no gravity; errors are the largest of \
                twelve places within the step.",
        quantities: &["spin after"],
        unit: "R / 5.4 m/s",
        time: 4.642_383_454_426_297e-4,
        coarsest: 4e-4,
        run: impacts::oblique,
    },
    Study {
        name: "rocking",
        about: "Housner's block of b/h = 0.25 and h = 1 m falls back from half of its angle of toppling, e = 0, mu = 2.",
        quantities: &["w+/w- of the first impact"],
        unit: "sqrt(h/g)",
        time: 0.319_438_282_499_970_16,
        coarsest: 0.02,
        run: turning::rocking,
    },
    Study {
        name: "tipping",
        about: "A plate of 0.1 x 1 x 2 m tips over an edge that sticks, from 3 to 45 degrees, e = 0, mu = 5.",
        quantities: &["angular velocity at 45 degrees", "the same as told at the end of the step"],
        unit: "sqrt(h/g), h = 2 m",
        time: 0.451_753_951_452_625_8,
        coarsest: 1.0 / 50.0,
        run: turning::tipping,
    },
    Study {
        name: "tower",
        about: "Ten cubes of 1 m stand on each other for 2 s, e = 0, mu = 0.5, without sleep.",
        quantities: &["largest move of a cube, over its edge", "force on the floor over the weight, largest error"],
        unit: "sqrt(edge/g)",
        time: 0.319_438_282_499_970_16,
        coarsest: 0.02,
        run: standing::tower,
    },
    Study {
        name: "pile",
        about: "A pyramid of 21 cubes of 1 m, six in its lowest row and 0.2 m apart, stands for 2 s, e = 0, mu = 0.5, without \
                sleep.",
        quantities: &[
            "largest move of a cube, over its edge",
            "force on the floor over the weight, largest error",
            "largest overlap, over R",
        ],
        unit: "sqrt(edge/g)",
        time: 0.319_438_282_499_970_16,
        coarsest: 0.02,
        run: standing::pile,
    },
];

impl Study {
    /// Lengths of the step \[s\], the coarsest first.
    pub fn steps(&self) -> Vec<f64> {
        (0..LENGTHS).map(|k| self.coarsest / f64::from(1 << k)).collect()
    }

    /// Errors of the quantities with steps of `time_step` \[s\], in their order; not negative, NaN where what is asked
    /// did not happen.
    ///
    /// # Errors
    /// [`EngineError`] where a step cannot be made.
    pub fn run(&self, stepping: Stepping, time_step: f64) -> Result<Vec<f64>, EngineError> {
        (self.run)(stepping, time_step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_their_units() {
        let root = |length: f64| (length / crate::exact::GRAVITY).sqrt();
        let speed = (25.0_f64 + 4.0).sqrt();
        let times = [root(2.0), 0.0025 / speed, root(1.0), root(2.0), root(1.0), root(1.0)];
        for (study, time) in STUDIES.iter().zip(times) {
            assert!((study.time / time - 1.0).abs() <= 1e-12, "{}: {} for {time}", study.name, study.time);
            assert_eq!(study.steps().len(), 6);
        }
    }
}
