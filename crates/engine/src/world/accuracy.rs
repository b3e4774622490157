//! How accurate a step is made: the numbers that trade processor time for overlap, energy and rest.
//!
//! The defaults are what every test and figure of the project holds for. Those that were found by trial say on what.

use serde::Serialize;

use crate::world::error::EngineError;

/// How accurate a step is made. All are shares of what the scene itself gives, so that they hold at every scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// Residual at which the contact stage of an island ends, over the speed that gravity gives in a step \[-\], above
    /// 0 to 1. Larger: forces at rest waver, piles sink and slide. Smaller: more sweeps, up to `sweeps`. By trial on
    /// settling packs of 540 spheres and 325 cubes (`docs/experiments/contact-stage.md`).
    pub tolerance: f64,
    /// Sweeps at which the contact stage of an island ends that raises no energy, 20 to 100 000. Fewer: more steps are
    /// divided, piles sink and the drift correction works more. More: tall piles carry their load exactly, for as much
    /// more time a step. By trial on the same packs: between 24 and 40 hardly anything changes.
    pub sweeps: u32,
    /// Overlap beyond which a step in which it grew is divided, over the thickness of what touches \[-\], 0.004 to 0.1.
    /// Smaller: more steps are divided. Larger: grains lie in each other by as much. Chosen so that 1 % is not reached.
    pub overlap_bound: f64,
    /// Work that the drift correction may do on an island in a run, over what its bodies have dissipated \[-\], 0 to 1;
    /// 8/3 of it where nothing has friction. Smaller: packs that are kept moving sink into each other, and their steps
    /// are divided. Larger: as much energy may be put in. By trial on packs that settle for a minute.
    pub drift_budget: f64,
    /// The same in one step \[-\], 0 to 1: the largest rise of energy that it may be the cause of. By trial.
    pub drift_budget_of_step: f64,
    /// Kinetic energy over m g R below which a body counts as slow \[-\], above 0 to 1. Larger: what begins to slide
    /// slowly falls asleep. Smaller: packs hardly sleep. By trial: the default is 2.4 mm/s for a ball of 3 m; with ten
    /// times as much a box that began to slide at 0.011 m/s2 slept before it was any faster, with a tenth packs of
    /// cubes hardly slept in 6 s.
    pub sleep_energy: f64,
    /// Time for which a body and all that touches it must have been slow to fall asleep, over sqrt(R/g) \[-\], 0.02 to
    /// 1e6. Smaller: bodies fall asleep at the turning point of a swing. By trial on the same packs: 0.5 s for a ball
    /// of 3 m. The least: what is slow from one turn of its motion to the next look is accelerated by at most
    /// 2 sqrt(2 `sleep_energy`) g over this number, which with 0.018 is the default `wake_load` of its weight. What
    /// sleeps with more is not in balance, and its contacts are told with less than its weight; who raises
    /// `sleep_energy` raises this with its root.
    pub sleep_time: f64,
    /// Imbalance of the forces on a sleeper that wakes it, over the sum of the magnitudes of those with friction \[-\],
    /// above 0 to 1. Larger: sleepers bear what should move them. Smaller: forces of a contact stage at rest, which
    /// waver by some per cent, wake them again and again. By trial on 10 000 spheres:
    /// measured by the weight alone, what bears others woke again and again.
    pub wake_load: f64,
}

impl Default for Accuracy {
    fn default() -> Self {
        Accuracy {
            tolerance: 0.03,
            sweeps: 30,
            overlap_bound: OVERLAP_BOUND,
            drift_budget: 1.5e-3,
            drift_budget_of_step: 4e-6,
            sleep_energy: 1e-7,
            sleep_time: 1.3,
            wake_load: 0.05,
        }
    }
}

/// Default of [`Accuracy::overlap_bound`] \[-\].
pub const OVERLAP_BOUND: f64 = 0.009;
/// Least of [`Accuracy::sleep_time`] \[-\].
pub const LEAST_SLEEP_TIME: f64 = 0.02;
/// Share of the bound beyond it that no step should reach: 1 % for the default.
const LIMIT: f64 = 1.0 / 9.0;

impl Accuracy {
    /// Overlap that no step should reach, over the thickness \[-\].
    pub(crate) fn overlap_limit(&self) -> f64 {
        self.overlap_bound * (1.0 + LIMIT)
    }

    /// Checks every value against its range; NaN is in none.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for the first value out of its range.
    pub fn validate(&self) -> Result<(), EngineError> {
        let over_zero = f64::MIN_POSITIVE;
        let ranges = [
            ("accuracy.tolerance", self.tolerance, over_zero..=1.0, "above 0, at most 1"),
            ("accuracy.sweeps", f64::from(self.sweeps), 20.0..=1e5, "from 20 to 100000"),
            ("accuracy.overlap_bound", self.overlap_bound, 0.004..=0.1, "from 0.004 to 0.1"),
            ("accuracy.drift_budget", self.drift_budget, 0.0..=1.0, "from 0 to 1"),
            ("accuracy.drift_budget_of_step", self.drift_budget_of_step, 0.0..=1.0, "from 0 to 1"),
            ("accuracy.sleep_energy", self.sleep_energy, over_zero..=1.0, "above 0, at most 1"),
            ("accuracy.sleep_time", self.sleep_time, LEAST_SLEEP_TIME..=1e6, "from 0.02 to 1e6"),
            ("accuracy.wake_load", self.wake_load, over_zero..=1.0, "above 0, at most 1"),
        ];
        let bad = ranges.into_iter().find(|(_, value, range, _)| !range.contains(value));
        bad.map_or(Ok(()), |(field, value, _, expected)| Err(EngineError::Setting { field, value, expected }))
    }
}
