//! What can go wrong while a file is written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be written or read.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The operating system refused.
    #[error("cannot {action} {path}: {source}", path = .path.display())]
    Io {
        /// What was tried: "write", "create".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The file's text could not be made or understood.
    #[error("{path}: {message}", path = .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The data have nothing to draw, or values that no axis can show.
    #[error("cannot plot {path}: {message}", path = .path.display())]
    Plot {
        /// The picture.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl ExportError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ExportError + use<> {
        let path = path.to_path_buf();
        move |source| ExportError::Io { action, path, source }
    }

    pub(crate) fn csv(path: &Path) -> impl Fn(csv::Error) -> ExportError + use<> {
        let path = path.to_path_buf();
        move |error| match error.into_kind() {
            csv::ErrorKind::Io(source) => ExportError::Io { action: "write", path: path.clone(), source },
            other => ExportError::Format { path: path.clone(), message: format!("{other:?}") },
        }
    }

    pub(crate) fn plot(path: &Path, message: impl ToString) -> ExportError {
        ExportError::Plot { path: path.to_path_buf(), message: message.to_string() }
    }
}
