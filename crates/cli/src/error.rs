//! What ends a command, and the exit code it ends with.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use granule_engine::EngineError;
use granule_export::ExportError;
use granule_scene::{DataFileError, MeshFileError, SceneError};
use granule_view::ViewError;
use thiserror::Error;

/// Everything went as asked.
pub const DONE: u8 = 0;
/// The run or a reference case failed, or its results could not be written.
pub const FAILED: u8 = 1;
/// The input was wrong: the scene or an argument.
pub const BAD_INPUT: u8 = 2;
/// A signal ended the command, and what was computed is written; its number is added: 130 for Ctrl-C. Shells have it
/// so.
pub const SIGNALLED: u8 = 128;

/// Why a command could not do what it was asked.
#[derive(Debug, Error)]
pub enum CliError {
    /// The scene is wrong; the message shows where.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// An argument is wrong.
    #[error("{0}")]
    Argument(String),
    /// A file of terrain is wrong; the message shows where.
    #[error("{0}")]
    Data(#[from] DataFileError),
    /// A mesh file is wrong; the message shows where.
    #[error("{path}: {source}", path = .path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: MeshFileError,
    },
    /// A file of terrain could not be written.
    #[error("{0}")]
    Terrain(String),
    /// The engine could not go on.
    #[error("the run failed: {0}")]
    Engine(#[from] EngineError),
    /// The scene's contacts are no problem that a law can work with.
    #[error("the contacts cannot be resolved: {0}")]
    Problem(#[from] granule_solver::ProblemError),
    /// A result could not be written.
    #[error("{0}")]
    Export(#[from] ExportError),
    /// A picture or film could not be written.
    #[error("{0}")]
    View(#[from] ViewError),
    /// The folder for the results could not be made ready.
    #[error("cannot {what} {path}: {source}", path = .path.display())]
    Folder {
        /// What was tried: "create the folder", "remove".
        what: &'static str,
        /// The folder, or the file in it.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A table of the validation could not be written.
    #[error("cannot write {path}: {source}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    /// The operating system refused something else.
    #[error("{what}: {reason}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        reason: String,
    },
    /// Some runs of a sweep failed; the table says which and why.
    #[error("{failed} of {runs} runs failed; the table names the reasons")]
    Sweep {
        /// Runs that failed.
        failed: usize,
        /// Runs made.
        runs: usize,
    },
}

impl CliError {
    /// The exit code that says whose fault it was.
    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Scene(_)
            | CliError::Argument(_)
            | CliError::Problem(_)
            | CliError::Data(_)
            | CliError::Mesh { .. } => BAD_INPUT,
            // No fault of the path that the user gave.
            CliError::Folder { source, .. } if source.kind() == ErrorKind::StorageFull => FAILED,
            CliError::Folder { .. } => BAD_INPUT,
            _ => FAILED,
        }
    }

    /// The message as it is shown to the user, with colours for a terminal or without.
    pub fn render(&self, colours: bool) -> String {
        match self {
            CliError::Scene(error) => error.render(colours),
            other => format!("error: {other}"),
        }
    }
}

/// Makes a folder and those above it.
///
/// # Errors
/// [`CliError::Folder`] naming the folder.
pub(crate) fn create_folder(path: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(path).map_err(|source| CliError::Folder {
        what: "create the folder",
        path: path.to_path_buf(),
        source,
    })
}
