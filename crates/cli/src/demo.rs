//! `granule demo repose`: the packing and repositioning experiment, with everything written.

use std::path::{Path, PathBuf};

use granule_scene::{OutputPlan, Pictures, ReposeOptions, ReposeShape, Scene};

use crate::args::ReposeArguments;
use crate::console::say;
use crate::error::CliError;
use crate::run::{Facts, Request, describe, run_and_record};

/// Carries out one run of `granule demo repose`.
///
/// # Errors
/// [`CliError`] for a run that fails and results that cannot be written.
pub(crate) fn command(arguments: &ReposeArguments) -> Result<u8, CliError> {
    let shape = arguments.shape.unwrap_or_default();
    let case = Case { shape, friction: arguments.friction.unwrap_or(FRICTION), seed: arguments.seed };
    let mut scene = case.scene(arguments.count)?;
    scene.output = OutputPlan { vtk: Some(true), pictures: Pictures::Stages, film: true, plots: true, ..scene.output };
    let request = Request {
        folder: arguments.out.clone().unwrap_or_else(|| default_folder(shape.name())),
        threads: arguments.threads,
        quiet: arguments.quiet,
        profile: arguments.profile.clone(),
        facts: case.facts(),
    };
    let finished = run_and_record(&scene, &request)?;
    if !arguments.quiet {
        say(describe(&finished.summary, &request.folder));
    }
    finished.exit_code()
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

impl Case {
    /// The scene of the case with `count` grains, or with those of the packaged scene.
    pub(crate) fn scene(&self, count: Option<usize>) -> Result<Scene, CliError> {
        let Case { shape, friction, seed } = *self;
        let options = ReposeOptions { shape, friction: Some(friction), seed: Some(seed), count };
        Ok(options.scene()?)
    }

    pub(crate) fn facts(&self) -> Facts {
        Facts { friction: Some(self.friction), seed: Some(self.seed), threads: 1 }
    }
}
