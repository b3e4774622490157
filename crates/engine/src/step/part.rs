//! A part of a step: how long, with or without its impacts, and how hard it is tried.

use granule_solver::{Law, Tracking};

use crate::book::energy::Datum;
use crate::islands::limits::Limits;
use crate::islands::sleep::Surroundings;
use crate::world::accuracy::Accuracy;
use crate::world::catalogue::Catalogue;
use crate::world::contact::Ahead;

/// How often the contact stage is made again because sleepers woke or bodies turned out to reach further. Each turn in
/// which sleepers wake rouses at least as many as all before it: 16 reach 30 000 in a row.
pub(crate) const TURNS: u32 = 16;

/// What a pass through the phases does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pass {
    /// A step or a part of one, with its impacts.
    Whole,
    /// The motion between two impacts.
    Flight {
        /// Time for which contacts have to be known \[s\].
        horizon: f64,
    },
    /// A flight that is undone, to find what contacts carry in it.
    Loads,
}

/// A part of a step that is to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Number of the step that it is a part of.
    pub(crate) step: u64,
    /// When it begins \[s\].
    pub(crate) time: f64,
    /// Its length \[s\].
    pub(crate) dt: f64,
    pub(crate) pass: Pass,
    /// Share of the length of the step that it is a part of \[-\].
    pub(crate) of_step: f64,
    /// Factor on the sweeps of the contact stage, for a part that failed before \[-\].
    pub(crate) patience: u32,
    /// From where energies count.
    pub(crate) datum: Datum,
    pub(crate) accuracy: Accuracy,
}

impl Part {
    pub(crate) fn is_whole(&self) -> bool {
        self.pass == Pass::Whole
    }

    /// Time that the last term of E* counts \[s\]: none where free motion keeps the plain energy.
    pub(crate) fn star_time(&self) -> f64 {
        if self.is_whole() { self.dt } else { 0.0 }
    }

    /// The step that contacts have to be known for: in a flight what comes after it matters as well.
    pub(crate) fn ahead(&self) -> Ahead {
        Ahead::under(self.datum.gravity, self.horizon())
    }

    /// Length of the step that the part is a piece of, or its own \[s\].
    pub(crate) fn horizon(&self) -> f64 {
        match self.pass {
            Pass::Whole | Pass::Loads => self.dt,
            Pass::Flight { horizon } => horizon,
        }
    }

    /// Whether it is one of many in a step.
    fn is_one_of_many(&self) -> bool {
        self.dt < self.horizon() || self.pass == Pass::Loads
    }

    /// The limits of its stages.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            gravity: self.datum.gravity.length(),
            dt: self.dt,
            horizon: self.horizon(),
            patience: self.patience,
            is_one_of_many: self.is_one_of_many(),
            accuracy: self.accuracy,
            at_touch: false,
            resolves_slow: false,
        }
    }

    /// What acts on sleepers beside their contacts.
    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings { gravity: self.datum.gravity, dt: self.dt, accuracy: self.accuracy }
    }

    /// Whose rounds release energy; none for laws that have resolved their impacts before.
    pub(crate) fn tracking(&self, catalogue: &Catalogue) -> Option<Tracking> {
        match catalogue.settings.law {
            _ if !self.is_whole() => None,
            Law::Etm(law) => Some(Tracking::Sequential(law)),
            Law::EtmWeighted(law) => Some(Tracking::Weighted(law)),
            _ => None,
        }
    }
}
