//! The demos: packaged experiments with everything written.
//!
//! `granule demo repose` is the packing and repositioning experiment, `granule demo avalanche` a slide down a valley,
//! `granule demo mound` a pack that flows out when its walls are gone.

use std::path::{Path, PathBuf};

use granule_scene::{
    AvalancheOptions, MoundOptions, OutputPlan, Pictures, ReposeOptions, ReposeShape, Scene, SceneError,
};

use crate::args::{AvalancheArguments, DemoArguments, MoundArguments, ReposeArguments};
use crate::console::{ended, note, say};
use crate::error::CliError;
use crate::results::{Earlier, Ground};
use crate::run::{Facts, Request, describe, run_and_record, thread_pool};

/// Carries out one run of `granule demo repose`.
///
/// # Errors
/// [`CliError`] for a run that fails and results that cannot be written.
pub(crate) fn repose(arguments: &ReposeArguments) -> Result<u8, CliError> {
    let shape = arguments.shape.unwrap_or_default();
    let case = Case { shape, friction: arguments.friction.unwrap_or(FRICTION), seed: arguments.seed };
    let scene = case.scene(&Resolution::of(arguments))?;
    let request = Request {
        folder: arguments.out.clone().unwrap_or_else(|| default_folder(shape.name())),
        earlier: Earlier::of(arguments.out.is_some(), arguments.force),
        threads: arguments.threads,
        quiet: arguments.quiet,
        profile: arguments.profile.clone(),
        facts: case.facts(),
    };
    run_with_all_outputs(scene, &request)
}

/// Carries out `granule demo avalanche`.
///
/// # Errors
/// [`CliError`] for a value that no scene has, a run that fails and results that cannot be written.
pub(crate) fn avalanche(arguments: &AvalancheArguments) -> Result<u8, CliError> {
    let AvalancheArguments { runout, grains, time_step, out, common } = arguments;
    let (count, seed, time_step) = (*grains, Some(common.seed), *time_step);
    let options = AvalancheOptions { runout: *runout, count, seed, time_step };
    of_grains(|| options.scene(), &format!("avalanche-{}", runout.name()), out.as_deref(), common)
}

/// Carries out `granule demo mound`.
///
/// # Errors
/// [`CliError`] for a value that no scene has, a run that fails and results that cannot be written.
pub(crate) fn mound(arguments: &MoundArguments) -> Result<u8, CliError> {
    let MoundArguments { grains, time_step, out, common } = arguments;
    let options = MoundOptions { count: *grains, seed: Some(common.seed), time_step: *time_step };
    of_grains(|| options.scene(), "mound", out.as_deref(), common)
}

/// Runs a demo of natural grains; without a folder given, in `out/NAME`.
fn of_grains(
    scene: impl FnOnce() -> Result<Scene, SceneError> + Send,
    name: &str,
    out: Option<&Path>,
    common: &DemoArguments,
) -> Result<u8, CliError> {
    let request = Request {
        folder: out.map_or_else(|| Path::new("out").join(name), Path::to_path_buf),
        earlier: Earlier::of(out.is_some(), common.force),
        threads: common.threads,
        quiet: common.quiet,
        profile: common.profile.clone(),
        facts: Facts { seed: Some(common.seed), ..Facts::default() },
    };
    // Grains take a tenth of a second each: that a folder is refused, and why nothing happens yet, is told before.
    Ground::check(&request.folder, request.earlier, &[])?;
    if !common.quiet {
        note("making the grains");
    }
    let scene = thread_pool(common.threads)?.install(scene)?;
    run_with_all_outputs(scene, &request)
}

/// Runs a scene with everything written, and tells what it came to.
fn run_with_all_outputs(mut scene: Scene, request: &Request) -> Result<u8, CliError> {
    scene.output = OutputPlan { vtk: Some(true), pictures: Pictures::Stages, film: true, plots: true, ..scene.output };
    let finished = run_and_record(&scene, request)?;
    let told = if request.quiet { Ok(()) } else { say(describe(&finished.summary, &request.folder)) };
    ended(finished.exit_code(), told)
}

/// The folder of the results of the experiment on repose when the user names none.
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
