//! What a run of a random scene is judged by.

use serde::{Deserialize, Deserializer, Serialize};

use super::scene::{Family, RandomScene};

/// What a scene may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Largest overlap, over the smaller body's equal-volume radius and over `h` alike \[-\].
    pub overlap: f64,
    /// Largest rise of E* over what was dissipated \[-\].
    pub energy_gain: f64,
    /// Sum of all rises of E* over what was dissipated \[-\].
    pub energy_gain_sum: f64,
    /// Gap over `h` within which the bodies that a jam names are touched from opposite sides \[-\].
    pub jam_gap: f64,
    /// Change of momentum over the sum of |m v|, where nothing acts from outside \[-\].
    pub momentum: f64,
    /// A step over the median step \[-\].
    pub step: f64,
    /// Steps shorter than this are never too slow \[s\]: a scene that falls asleep has a median of a microsecond, and a
    /// page fault is no fault of the engine.
    pub shortest_slow_step: f64,
    /// Processor time of the steps of a run \[s\].
    pub seconds: f64,
    /// Share of the dynamic bodies that have to touch something for a scene to count \[-\].
    pub touching: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            overlap: 0.01,
            energy_gain: 1e-5,
            energy_gain_sum: 1e-5,
            jam_gap: 0.01,
            momentum: 1e-9,
            step: 50.0,
            shortest_slow_step: 2e-3,
            seconds: 20.0,
            touching: 0.5,
        }
    }
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The engine refused the scene or a step, or panicked. A jam is none.
    Error,
    /// The run took too long and was stopped, perhaps within a step.
    Unended,
    /// A body is not finite, outside the room, or reported as lost.
    Lost,
    /// The engine ended the run by a jam, but a body that it names is not touched from opposite sides.
    FalseJam,
    /// Two bodies overlap too much.
    Overlap,
    /// Bodies that are apart are reported to overlap.
    Phantom,
    /// Energy came from nothing, in one step.
    EnergyGain,
    /// Energy came from nothing, over the run.
    GainSum,
    /// Momentum was not kept.
    Momentum,
    /// A step took too long beside the others.
    SlowStep,
}

impl FaultKind {
    /// All of them, worst first.
    pub const ALL: [FaultKind; 10] = [
        FaultKind::Error,
        FaultKind::Unended,
        FaultKind::Lost,
        FaultKind::FalseJam,
        FaultKind::Overlap,
        FaultKind::Phantom,
        FaultKind::EnergyGain,
        FaultKind::GainSum,
        FaultKind::Momentum,
        FaultKind::SlowStep,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Error => "error",
            FaultKind::Unended => "unended",
            FaultKind::Lost => "lost",
            FaultKind::FalseJam => "false-jam",
            FaultKind::Overlap => "overlap",
            FaultKind::Phantom => "phantom",
            FaultKind::EnergyGain => "energy-gain",
            FaultKind::GainSum => "gain-sum",
            FaultKind::Momentum => "momentum",
            FaultKind::SlowStep => "slow-step",
        }
    }
}

/// A breach of a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// What was measured; NaN where there is nothing to measure.
    pub value: f64,
    /// Where, or the message.
    pub note: String,
}

/// What was measured of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Seed of the scene.
    pub seed: u64,
    /// What it is about.
    pub family: Family,
    /// Dynamic bodies that were ever there.
    pub bodies: usize,
    /// Those of them that ever touched anything.
    pub touching: usize,
    /// Steps made.
    pub steps: u32,
    /// Length of a step \[s\].
    #[serde(deserialize_with = "number")]
    pub time_step: f64,
    /// Sub-steps made, and attempts undone.
    pub substeps: u64,
    /// Attempts undone.
    pub undone: u64,
    /// Bodies asleep at the end.
    pub asleep: usize,
    /// Largest overlap over `h`, measured from poses \[-\].
    #[serde(deserialize_with = "number")]
    pub overlap_thin: f64,
    /// Between whom, and after which step.
    pub overlap_note: String,
    /// Largest overlap over `h` that a kernel of the narrow phase reports of bodies that are apart \[-\].
    #[serde(deserialize_with = "number")]
    pub phantom: f64,
    /// Between whom, and after which step.
    pub phantom_note: String,
    /// Largest overlap over `h`, by the engine, whose book has the parts of steps as well \[-\].
    #[serde(deserialize_with = "number")]
    pub overlap_thin_engine: f64,
    /// Largest overlap by the engine, over the smaller equal-volume radius \[-\].
    #[serde(deserialize_with = "number")]
    pub overlap: f64,
    /// Largest rise of E* over what was dissipated, by the engine's book \[-\].
    #[serde(deserialize_with = "number")]
    pub energy_gained: f64,
    /// Sum of all rises of E* over what was dissipated, by the engine's book \[-\].
    #[serde(deserialize_with = "number")]
    pub energy_gained_sum: f64,
    /// Largest change of momentum over the sum of |m v| \[-\]; zero where something acts from outside.
    #[serde(deserialize_with = "number")]
    pub momentum: f64,
    /// Bodies that were lost, with the step.
    pub lost: Vec<String>,
    /// Processor time of the slowest step \[s\].
    #[serde(deserialize_with = "number")]
    pub slowest_step: f64,
    /// Which one, from 1.
    pub slowest: u32,
    /// Median processor time of a step \[s\].
    #[serde(deserialize_with = "number")]
    pub median_step: f64,
    /// Processor time of all steps \[s\].
    #[serde(deserialize_with = "number")]
    pub seconds: f64,
    /// Whether the run was stopped because it took too long.
    pub stopped: bool,
    /// Hash of the bits of all poses and velocities at the end: equal for equal runs, whatever the number of threads.
    pub fingerprint: u64,
    /// Steps in which driven bodies stood because they jammed others, counted for each such body.
    pub stops: u64,
    /// The jam that ended the run.
    pub jam: Option<String>,
    /// Gap over `h` within which the dynamic ones of the bodies that the jam names are touched from opposite sides
    /// \[-\]; infinite where one is not, zero without a jam.
    #[serde(deserialize_with = "number")]
    pub jam_gap: f64,
    /// The error that ended the run.
    pub error: Option<String>,
}

impl Report {
    /// The report of a run that has not begun.
    pub fn new(scene: &RandomScene) -> Self {
        Report {
            seed: scene.seed,
            family: scene.family,
            bodies: 0,
            touching: 0,
            steps: 0,
            time_step: f64::NAN,
            substeps: 0,
            undone: 0,
            asleep: 0,
            overlap_thin: 0.0,
            overlap_note: String::new(),
            phantom: 0.0,
            phantom_note: String::new(),
            overlap_thin_engine: 0.0,
            overlap: 0.0,
            energy_gained: 0.0,
            energy_gained_sum: 0.0,
            momentum: 0.0,
            lost: Vec::new(),
            slowest_step: 0.0,
            slowest: 0,
            median_step: 0.0,
            seconds: 0.0,
            stopped: false,
            fingerprint: 0,
            stops: 0,
            jam: None,
            jam_gap: 0.0,
            error: None,
        }
    }

    /// Whether the run ended, or has to end, before its last step.
    pub fn is_broken_off(&self) -> bool {
        self.error.is_some() || self.jam.is_some() || self.stopped
    }

    /// The largest overlap by each of the three measures; NaN where one is.
    pub fn deepest_overlap(&self) -> f64 {
        let all = [self.overlap_thin, self.overlap_thin_engine, self.overlap];
        all.into_iter().fold(0.0, |deepest: f64, x| if x.is_nan() || x > deepest { x } else { deepest })
    }

    /// Whether the scene says too little to count: hardly anything touched, and yet the run came to its end.
    pub fn is_thrown_away(&self, bounds: &Bounds) -> bool {
        !self.is_broken_off() && (self.touching as f64) < bounds.touching * self.bodies as f64
    }

    /// The bounds that were not kept, worst first. NaN keeps none.
    pub fn faults(&self, bounds: &Bounds) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut add = |kind, value, note: String| faults.push(Fault { kind, value, note });
        if let Some(error) = &self.error {
            add(FaultKind::Error, f64::NAN, format!("step {}: {error}", self.steps + 1));
        }
        if self.stopped || self.seconds > bounds.seconds {
            add(FaultKind::Unended, self.seconds, format!("after {} steps", self.steps));
        }
        if let Some(first) = self.lost.first() {
            add(FaultKind::Lost, self.lost.len() as f64, first.clone());
        }
        if let Some(jam) = self.jam.as_ref().filter(|_| exceeds(self.jam_gap, bounds.jam_gap)) {
            add(FaultKind::FalseJam, self.jam_gap, jam.clone());
        }
        let deepest = self.deepest_overlap();
        if exceeds(deepest, bounds.overlap) {
            let (own, engine, radius) = (self.overlap_thin, self.overlap_thin_engine, self.overlap);
            let note =
                format!("{} {own:.2e}; by the engine {engine:.2e}, over the radius {radius:.2e}", self.overlap_note);
            add(FaultKind::Overlap, deepest, note);
        }
        if exceeds(self.phantom, bounds.overlap) {
            add(FaultKind::Phantom, self.phantom, self.phantom_note.clone());
        }
        if exceeds(self.energy_gained, bounds.energy_gain) {
            add(FaultKind::EnergyGain, self.energy_gained, String::new());
        }
        if exceeds(self.energy_gained_sum, bounds.energy_gain_sum) {
            add(FaultKind::GainSum, self.energy_gained_sum, String::new());
        }
        if exceeds(self.momentum, bounds.momentum) {
            add(FaultKind::Momentum, self.momentum, String::new());
        }
        let ratio = if self.steps > 0 { self.slowest_step / self.median_step } else { 0.0 };
        if exceeds(ratio, bounds.step) && self.slowest_step > bounds.shortest_slow_step {
            add(FaultKind::SlowStep, ratio, format!("step {}, {:.1e} s", self.slowest, self.slowest_step));
        }
        faults
    }
}

/// Whether a value is past its bound, or no number.
fn exceeds(value: f64, bound: f64) -> bool {
    value.is_nan() || value > bound
}

/// JSON knows no NaN and no infinity: they are written as null, and read as NaN.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(report: &Report) -> Vec<FaultKind> {
        report.faults(&Bounds::default()).iter().map(|f| f.kind).collect()
    }

    /// Negative controls: a report within all bounds, and each value just past its own.
    #[test]
    fn every_bound_is_held_and_nan_keeps_none() {
        let good = Report {
            bodies: 4,
            touching: 2,
            steps: 200,
            overlap_thin: 0.0099,
            overlap_thin_engine: 0.0099,
            overlap: 0.0099,
            phantom: 0.0099,
            energy_gained: 0.99e-5,
            energy_gained_sum: 0.99e-5,
            jam: Some("of any kind".to_owned()),
            jam_gap: 0.0099,
            momentum: 0.99e-9,
            median_step: 1e-4,
            slowest_step: 4.9e-3,
            seconds: 19.0,
            ..Report::new(&RandomScene::new(0))
        };
        assert_eq!(kinds(&good), []);
        assert!(!good.is_thrown_away(&Bounds::default()));
        for (kind, bad) in [
            (FaultKind::Error, Report { error: Some("of any kind".to_owned()), ..good.clone() }),
            (FaultKind::Unended, Report { seconds: 20.1, ..good.clone() }),
            (FaultKind::Unended, Report { stopped: true, ..good.clone() }),
            (FaultKind::Lost, Report { lost: vec!["b0".to_owned()], ..good.clone() }),
            (FaultKind::Overlap, Report { overlap_thin: 0.0101, ..good.clone() }),
            (FaultKind::Overlap, Report { overlap: 0.0101, ..good.clone() }),
            (FaultKind::Overlap, Report { overlap: f64::NAN, ..good.clone() }),
            (FaultKind::Overlap, Report { overlap_thin_engine: 0.0101, ..good.clone() }),
            (FaultKind::Overlap, Report { overlap_thin: f64::NAN, ..good.clone() }),
            (FaultKind::Overlap, Report { overlap_thin_engine: f64::NAN, ..good.clone() }),
            (FaultKind::FalseJam, Report { jam_gap: 0.0101, ..good.clone() }),
            (FaultKind::FalseJam, Report { jam_gap: f64::INFINITY, ..good.clone() }),
            (FaultKind::FalseJam, Report { jam_gap: f64::NAN, ..good.clone() }),
            (FaultKind::GainSum, Report { energy_gained_sum: 1.01e-5, ..good.clone() }),
            (FaultKind::GainSum, Report { energy_gained_sum: f64::NAN, ..good.clone() }),
            (FaultKind::Phantom, Report { phantom: 0.0101, ..good.clone() }),
            (FaultKind::EnergyGain, Report { energy_gained: 1.01e-5, ..good.clone() }),
            (FaultKind::EnergyGain, Report { energy_gained: f64::NAN, ..good.clone() }),
            (FaultKind::Momentum, Report { momentum: 1.01e-9, ..good.clone() }),
            (FaultKind::SlowStep, Report { slowest_step: 5.1e-3, ..good.clone() }),
        ] {
            assert_eq!(kinds(&bad), [kind]);
        }
        // Past fifty medians, but shorter than what counts as slow.
        assert_eq!(kinds(&Report { median_step: 1e-6, slowest_step: 1.9e-3, ..good.clone() }), []);
        // One body of four touched; but a run that did not end is not thrown away.
        let lonely = Report { touching: 1, jam: None, ..good };
        assert!(lonely.is_thrown_away(&Bounds::default()));
        assert!(!Report { stopped: true, ..lonely.clone() }.is_thrown_away(&Bounds::default()));
        assert!(!Report { jam: Some("of any kind".to_owned()), ..lonely }.is_thrown_away(&Bounds::default()));
    }

    #[test]
    fn a_report_comes_back_from_json_with_what_is_no_number() {
        let report = Report { energy_gained: f64::INFINITY, ..Report::new(&RandomScene::new(0)) };
        let text = serde_json::to_string(&report).expect("JSON");
        let back: Report = serde_json::from_str(&text).expect("a report");
        assert!(back.energy_gained.is_nan() && back.time_step.is_nan());
        assert_eq!(kinds(&back), [FaultKind::EnergyGain]);
    }
}
