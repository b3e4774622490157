//! What the contact stage is asked for, and what it did.

use std::iter::Sum;
use std::ops::AddAssign;

use serde::Serialize;

use crate::contact::island::Island;

/// When the stage of an island is good enough. What depends on speeds, energies or friction is that of the island
/// alone.
#[derive(Clone, Copy, Debug)]
pub struct StageSettings {
    /// Length of the step, over which bodies move with the velocities that the stage leaves \[s\].
    pub dt: f64,
    /// The largest change of a relative velocity in the last sweep that counts as converged \[m/s\].
    pub tolerance: f64,
    /// Largest change in the last sweep beyond which more sweeps than `min_sweeps` do not help \[m/s\]; infinite to try
    /// in any case.
    pub violent: f64,
    /// Largest change of a relative velocity in the last sweep, over the contact's radius, beyond which bodies would
    /// end up too deep in each other \[1/s\]; infinite where that does not matter.
    pub deep: f64,
    /// Sweeps that are made in any case.
    pub min_sweeps: u32,
    /// Sweeps after which a stage that raises no energy ends.
    pub max_sweeps: u32,
    /// The same for a stage that is still `deep`.
    pub deep_sweeps: u32,
    /// Sweeps after which the stage ends in any case.
    pub most_sweeps: u32,
    /// Updates of contacts that an island may always spend: while it has made fewer it converges to a millionth of the
    /// tolerance. Exact rest of a few bodies costs little; of a pack it would cost ten times the time.
    pub small_work: u32,
    /// Sweeps that it may always spend all the same: with more than thirty Newton steps are tried.
    pub small_sweeps: u32,
    /// The same for an island in which no body is held, so that nothing rests in it.
    pub loose_work: u32,
    /// Change of a relative velocity in the first sweep beyond which the stage is that of an impact \[m/s\]: it need
    /// not be as sharp then.
    pub hit: f64,
    /// Rise of E* that keeps a stage sweeping up to `most_sweeps` \[J\].
    pub rise: f64,
    /// Sweeps after which a stage ends whose rise is below `rise`.
    pub more_sweeps: u32,
    /// Rise of E* that keeps a stage sweeping up to `more_sweeps` \[J\].
    pub trace: f64,
}

impl StageSettings {
    /// Updates of contacts that an island may always spend.
    pub(super) fn work(&self, island: &Island<'_>) -> u32 {
        let is_held = island.bodies.iter().any(|body| body.inverse_mass == 0.0);
        let of_sweeps = self.small_sweeps * island.rows.len() as u32;
        if is_held { self.small_work.max(of_sweeps) } else { self.loose_work }
    }
}

/// What sweeps of contact stages went through. Of several stages the sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SweepCounts {
    /// Contacts of the islands, each once a stage.
    pub contacts: u64,
    /// Updates of contacts: of each island its sweeps times its contacts.
    pub updates: u64,
    /// Bytes that the sweeps read and wrote, if no cache keeps anything from one sweep to the next \[B\].
    pub bytes: u64,
}

impl SweepCounts {
    /// Those of so many sweeps over an island of so many contacts, each of which reads and writes `bytes`.
    pub(super) fn new(sweeps: u32, contacts: usize, bytes: usize) -> Self {
        let (sweeps, contacts) = (u64::from(sweeps), contacts as u64);
        SweepCounts { contacts, updates: sweeps * contacts, bytes: sweeps * bytes as u64 }
    }
}

impl AddAssign for SweepCounts {
    fn add_assign(&mut self, other: Self) {
        self.contacts += other.contacts;
        self.updates += other.updates;
        self.bytes += other.bytes;
    }
}

impl Sum for SweepCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |mut sum, x| {
            sum += x;
            sum
        })
    }
}

/// What a stage did.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageReport {
    /// Sweeps made.
    pub sweeps: u32,
    /// What these went through.
    pub swept: SweepCounts,
    /// Largest change of a relative velocity in the last sweep \[m/s\].
    pub residual: f64,
    /// Whether the residual was reached within the sweeps allowed.
    pub converged: bool,
    /// Factor on all impulses that keeps the energy from rising; 1 where none was needed.
    pub scale: f64,
    /// Largest normal impulse that had been reached when they were scaled back \[N s\]; 0 where none was.
    pub reached: f64,
    /// Whether the sweeps did not settle and the limits of friction were held in turn.
    pub held: bool,
    /// Work taken by the normal impulses, `-sum P_n (u_n- + u_n+)/2` \[J\].
    pub normal_work: f64,
    /// Work taken by friction, rolling and torsion included \[J\].
    pub friction_work: f64,
    /// What the impulses take from E*, and what of it friction does \[J\]; net of the work of driven bodies.
    pub star_work: f64,
    /// See `star_work`.
    pub star_friction: f64,
    /// Whether a contact overlaps by more than its allowance at the end of the step.
    pub is_deep: bool,
    /// Work that driven bodies did through these impulses \[J\].
    pub driven_work: f64,
}
