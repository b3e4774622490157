//! `granule demo repose`: the packing and repositioning experiment, with everything written.

use std::path::{Path, PathBuf};

use granule_scene::{OutputPlan, Pictures, ReposeOptions, ReposeShape, Scene};

use crate::args::ReposeArguments;
use crate::console::{ended, say};
use crate::error::CliError;
use crate::results::Earlier;
use crate::run::{Facts, Request, describe, run_and_record};

/// Carries out one run of `granule demo repose`.
///
/// # Errors
/// [`CliError`] for a run that fails and results that cannot be written.
pub(crate) fn command(arguments: &ReposeArguments) -> Result<u8, CliError> {
    let shape = arguments.shape.unwrap_or_default();
    let case = Case { shape, friction: arguments.friction.unwrap_or(FRICTION), seed: arguments.seed };
    let mut scene = case.scene(&Resolution::of(arguments))?;
    scene.output = OutputPlan { vtk: Some(true), pictures: Pictures::Stages, film: true, plots: true, ..scene.output };
    let request = Request {
        folder: arguments.out.clone().unwrap_or_else(|| default_folder(shape.name())),
        earlier: Earlier::of(arguments.out.is_some(), arguments.force),
        threads: arguments.threads,
        quiet: arguments.quiet,
        profile: arguments.profile.clone(),
        facts: case.facts(),
    };
    let finished = run_and_record(&scene, &request)?;
    let told = if arguments.quiet { Ok(()) } else { say(describe(&finished.summary, &request.folder)) };
    ended(finished.exit_code(), told)
}

/// The folder of the results when the user names none.
pub(crate) fn default_folder(what: &str) -> PathBuf {
    Path::new("out").join(format!("repose-{what}"))
}

/// Friction of a run for which the user gives none: that of the packaged scenes.
const FRICTION: f64 = 0.3;

/// One run of the experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) shape: ReposeShape,
    pub(crate) friction: f64,
    pub(crate) seed: u64,
}

/// How finely the experiment is resolved; what is none stays as in the packaged scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Resolution {
    count: Option<usize>,
    /// Step \[s\].
    time_step: Option<f64>,
}

impl Resolution {
    pub(crate) fn of(arguments: &ReposeArguments) -> Self {
        Resolution { count: arguments.count, time_step: arguments.steps_per_second.map(f64::recip) }
    }
}

impl Case {
    /// The scene of the case.
    pub(crate) fn scene(&self, resolution: &Resolution) -> Result<Scene, CliError> {
        let Case { shape, friction, seed } = *self;
        let Resolution { count, time_step } = *resolution;
        let options = ReposeOptions { shape, friction: Some(friction), seed: Some(seed), count, time_step };
        Ok(options.scene()?)
    }

    pub(crate) fn facts(&self) -> Facts {
        Facts { friction: Some(self.friction), seed: Some(self.seed), threads: 1 }
    }
}
