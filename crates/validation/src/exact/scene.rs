//! From a seed to a scene, and from its run to a report.

use granule_engine::{EngineError, Stepping};
use granule_solver::samples::Random;
use serde::{Deserialize, Serialize};

use super::check::{Check, bounds};
use super::cradle::Cradle;
use super::drop::Drop;
use super::flight::Flight;
use super::pair::Pair;
use super::rocking::Rocking;
use super::rod::Rod;
use super::slope::Slope;
use super::stage::{Circumstances, Stage};
use super::strike::Strike;

/// A scene with an answer: what its family knows of it.
pub(super) trait Trial: std::fmt::Debug {
    /// What it has in common with all others.
    fn circumstances(&mut self) -> &mut Circumstances;

    /// Makes its steps and compares.
    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError>;
}

/// What a scene is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExactFamily {
    /// An elastic ball that bounces on a floor.
    Bounce,
    /// A ball with e below 1 that bounces.
    Rebound,
    /// A ball that spins strikes a floor obliquely.
    Strike,
    /// Two balls meet along the line of their centres.
    HeadOn,
    /// Two balls that spin meet aside of it, with friction.
    Glance,
    /// A ball strikes two that touch.
    Cradle,
    /// A ball strikes a long body off its centre.
    Rod,
    /// A long body spins and falls.
    Flight,
    /// The same without gravity.
    Top,
    /// A block on a slope.
    Slide,
    /// A ball on a slope, or thrown along a floor.
    Roll,
    /// Housner's block.
    Rocking,
}

impl ExactFamily {
    /// All of them.
    pub const ALL: [ExactFamily; 12] = [
        ExactFamily::Bounce,
        ExactFamily::Rebound,
        ExactFamily::Strike,
        ExactFamily::HeadOn,
        ExactFamily::Glance,
        ExactFamily::Cradle,
        ExactFamily::Rod,
        ExactFamily::Flight,
        ExactFamily::Top,
        ExactFamily::Slide,
        ExactFamily::Roll,
        ExactFamily::Rocking,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ExactFamily::Bounce => "bounce",
            ExactFamily::Rebound => "rebound",
            ExactFamily::Strike => "strike",
            ExactFamily::HeadOn => "head-on",
            ExactFamily::Glance => "glance",
            ExactFamily::Cradle => "cradle",
            ExactFamily::Rod => "rod",
            ExactFamily::Flight => "flight",
            ExactFamily::Top => "top",
            ExactFamily::Slide => "slide",
            ExactFamily::Roll => "roll",
            ExactFamily::Rocking => "rocking",
        }
    }

    fn draw(self, random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        match self {
            ExactFamily::Bounce => Drop::elastic(random, of),
            ExactFamily::Rebound => Drop::with_loss(random, of),
            ExactFamily::Strike => Strike::draw(random, of),
            ExactFamily::HeadOn => Pair::head_on(random, of),
            ExactFamily::Glance => Pair::glance(random, of),
            ExactFamily::Cradle => Cradle::draw(random, of),
            ExactFamily::Rod => Rod::draw(random, of),
            ExactFamily::Flight => Flight::falling(random, of),
            ExactFamily::Top => Flight::weightless(random, of),
            ExactFamily::Slide => Slope::block(random, of),
            ExactFamily::Roll => Slope::ball(random, of),
            ExactFamily::Rocking => Rocking::draw(random, of),
        }
    }
}

/// A scene with a known answer.
#[derive(Debug)]
pub struct ExactScene {
    /// The seed that it came from.
    pub seed: u64,
    /// What it is about: families take turns.
    pub family: ExactFamily,
    trial: Box<dyn Trial>,
}

impl ExactScene {
    /// The scene of `seed`: one for each seed, on every machine. A change to what is drawn makes other scenes.
    pub fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let family = ExactFamily::ALL[(seed % ExactFamily::ALL.len() as u64) as usize];
        let of = Circumstances::new(random);
        ExactScene { seed, family, trial: family.draw(random, of) }
    }

    /// The same, whose answer is computed with a coefficient that is wrong by this factor. It has to fail.
    #[must_use]
    pub fn misled(mut self, factor: f64) -> Self {
        self.trial.circumstances().belief = factor;
        self
    }

    /// Makes its steps with `stepping` and compares.
    pub fn run(&self, stepping: Stepping) -> ExactReport {
        let mut report = ExactReport::new(self);
        match self.trial.run(stepping) {
            Ok((stage, checks)) => {
                report.checks = checks;
                report.time_step = stage.simulation.time_step();
                report.steps = stage.simulation.steps();
                report.fallbacks = stage.simulation.impacts().fallbacks;
                let gained = stage.simulation.audit().energy_gained;
                report.checks.push(Check::new("energy gained over dissipated", gained, bounds::GAIN));
            }
            Err(error) => report.error = Some(error.to_string()),
        }
        report
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactReport {
    /// Seed of the scene.
    pub seed: u64,
    /// What it is about.
    pub family: ExactFamily,
    /// All that was drawn, in words of the program.
    pub scene: String,
    /// Step at the end \[s\]; zero where there was none.
    pub time_step: f64,
    /// Steps made.
    pub steps: u64,
    /// Answers of the law that the engine refused.
    pub fallbacks: u64,
    /// What was compared.
    pub checks: Vec<Check>,
    /// The error that ended the run.
    pub error: Option<String>,
}

impl ExactReport {
    /// The report of a run that has not begun.
    pub fn new(scene: &ExactScene) -> Self {
        ExactReport {
            seed: scene.seed,
            family: scene.family,
            scene: format!("{:?}", scene.trial),
            time_step: 0.0,
            steps: 0,
            fallbacks: 0,
            checks: Vec::new(),
            error: None,
        }
    }

    /// Whether it ran to its end, compared something and kept all bounds.
    pub fn passed(&self) -> bool {
        self.error.is_none() && !self.checks.is_empty() && self.checks.iter().all(Check::passed)
    }

    /// What was not kept.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.passed())
    }
}
