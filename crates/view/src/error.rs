//! What can go wrong while a picture or a film is written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A picture or film that could not be written.
#[derive(Debug, Error)]
pub enum ViewError {
    /// The operating system refused.
    #[error("cannot {action} {path}: {source}", path = .path.display())]
    Io {
        /// What was tried: "create", "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The image could not be encoded, or does not fit the film.
    #[error("{path}: {message}", path = .path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}
