//! `granule run`: a scene from its file to its results.
//!
//! [`run`] drives, [`Recorder`] writes, [`measure`] measures; the demos and the sweep use the same parts.

mod avalanche;
mod colours;
mod deposit;
mod files;
mod forces;
mod history;
pub mod measure;
mod mound;
mod outcome;
mod pace;
mod pictures;
mod progress;
mod recorder;
mod reel;
pub mod repose;
mod runner;

use progress::Progress;

pub use avalanche::Grains;
pub use outcome::{Facts, describe, summary};
pub(crate) use outcome::{domain, domain_text};
pub use recorder::Recorder;
pub use runner::{Ending, Event, Observer, Outcome, Plan, StageOutcome, run};

use std::path::{Path, PathBuf};

use granule_export::Summary;
use granule_scene::{Scene, packaged, packaged_names};

use crate::args::RunArguments;
use crate::clock::Processor;
use crate::console::{ended, note, say};
use crate::error::{CliError, DONE};
use crate::interrupt;
use crate::profile::Profile;
use crate::results::{Earlier, Ground, LIST};

/// Carries out `granule run`.
///
/// # Errors
/// [`CliError`] for a scene that is wrong, a run that fails and results that cannot be written.
pub(crate) fn command(arguments: &RunArguments) -> Result<u8, CliError> {
    let scene = find_scene(&arguments.scene)?;
    // A file called `...toml` has the stem `..`, which is no name of a folder.
    let name = if matches!(scene.name.as_str(), "." | "..") { "scene" } else { scene.name.as_str() };
    let folder = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(name));
    let request = Request {
        folder,
        earlier: Earlier::of(arguments.out.is_some(), arguments.force),
        threads: arguments.threads,
        quiet: arguments.quiet,
        profile: arguments.profile.clone(),
        facts: Facts::default(),
    };
    let finished = run_and_record(&scene, &request)?;
    let told = if arguments.json {
        say(finished.summary.to_json().trim_end())
    } else if !arguments.quiet {
        say(describe(&finished.summary, &request.folder))
    } else {
        Ok(())
    };
    ended(finished.exit_code(), told)
}

/// The scene that the user names: a file, or else a packaged scene.
///
/// # Errors
/// [`CliError::Scene`] for a scene that is neither, and for mistakes in it.
pub fn find_scene(name: &str) -> Result<Scene, CliError> {
    let path = Path::new(name);
    let looks_like_a_path = path.components().count() > 1 || path.extension().is_some_and(|e| e == "toml");
    if path.is_file() || looks_like_a_path {
        return Ok(Scene::load(path)?);
    }
    packaged(name).map_err(|error| {
        if packaged_names().any(|known| known == name) {
            return CliError::Scene(error);
        }
        if path.is_dir() {
            let message = format!("`{name}` is a folder, but must be a scene file or the name of a packaged scene");
            return CliError::Argument(message);
        }
        let help: String = error.help_lines().iter().map(|line| format!("\nhelp: {line}")).collect();
        CliError::Argument(format!("there is no scene file and no packaged scene `{name}`{help}"))
    })
}

/// What a run is asked beside its scene.
#[derive(Clone, Debug)]
pub struct Request {
    /// Folder for the results.
    pub folder: PathBuf,
    /// What becomes of results that stand there already.
    pub earlier: Earlier,
    /// Threads; none for all cores.
    pub threads: Option<u16>,
    /// Whether nothing but errors is printed.
    pub quiet: bool,
    /// File for the flame chart of the run; none for no chart.
    pub profile: Option<PathBuf>,
    /// Parameters of the run that its summary repeats.
    pub facts: Facts,
}

/// A run that has ended and is written.
#[derive(Debug)]
pub struct Finished {
    /// What it came to.
    pub summary: Summary,
    /// What ended it.
    pub ending: Ending,
}

impl Finished {
    /// The exit code; the error where there was one.
    ///
    /// # Errors
    /// The one that ended the run.
    pub fn exit_code(self) -> Result<u8, CliError> {
        match self.ending {
            Ending::Duration | Ending::Rest => Ok(DONE),
            Ending::Interrupted => Ok(interrupt::exit_code()),
            Ending::Failed(error) => Err(error),
        }
    }
}

/// Runs a scene on threads of its own with progress, signals and all results.
///
/// # Errors
/// [`CliError`] for what keeps the run from beginning. What ends it later is in [`Finished::ending`]: results are
/// written then as far as there are any.
pub fn run_and_record(scene: &Scene, request: &Request) -> Result<Finished, CliError> {
    interrupt::listen();
    let pool = thread_pool(request.threads)?;
    pool.install(|| {
        let mut built = scene.build()?;
        let plan = Plan::new(scene, &built)?;
        if !request.quiet {
            built.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
        }
        let names = recorder::names(scene, built.simulation.body_count(), &request.folder)?;
        let ground = Ground::check(&request.folder, request.earlier, &names)?;
        let profile = request.profile.as_deref().map(|path| begin_profile(path, request, &names)).transpose()?;
        let results = ground.take(request.profile.as_deref())?;
        built.simulation.record_forces(scene.output.contacts);
        let mut recorder = Recorder::create(results, scene, &built.simulation)?;
        let mut progress = Progress::new(request.quiet, scene, &plan);
        let observers: &mut [&mut dyn Observer] = &mut [&mut recorder, &mut progress];
        let mut outcome = run(&mut built.simulation, &plan, Processor::Process, observers, &interrupt::requested);
        outcome.remarks.extend(outcome::missing(scene, &built.simulation, &outcome));
        outcome.remarks.extend(built.simulation.warnings().iter().map(ToString::to_string));
        let facts = Facts { threads: rayon::current_num_threads(), ..request.facts };
        let summary = summary(scene, &built, &outcome, &facts);
        let written = recorder.finish(scene, &built.simulation, &outcome, &summary);
        if !request.quiet {
            outcome.remarks.iter().chain(recorder.remarks()).for_each(|remark| note(format_args!("warning: {remark}")));
        }
        if let Err(error) = written.and(profile.map_or(Ok(()), Profile::finish)) {
            // The first failure is the one to tell of; this one often follows from it.
            if !matches!(outcome.ending, Ending::Failed(_)) {
                outcome.ending = Ending::Failed(error);
            }
        }
        Ok(Finished { summary, ending: outcome.ending })
    })
}

/// Begins the flame chart, unless one of the results would be written at its place.
fn begin_profile(path: &Path, request: &Request, names: &[String]) -> Result<Profile, CliError> {
    let place = |path: &Path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    let is_result = |name: &str| place(&request.folder.join(name)).is_some_and(|p| Some(p) == place(path));
    if names.iter().any(|name| is_result(name)) || is_result(LIST) {
        let path = path.display();
        return Err(CliError::Argument(format!(
            "the profile {path} would be a result of the run too: name another file"
        )));
    }
    Profile::begin(path, request.earlier == Earlier::Forced)
}

/// A pool of `threads` threads, or of one for each core.
///
/// # Errors
/// [`CliError::System`] when the system refuses so many.
pub fn thread_pool(threads: Option<u16>) -> Result<rayon::ThreadPool, CliError> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from));
    let what = "cannot start the threads";
    builder.build().map_err(|error| CliError::System { what, reason: error.to_string() })
}
