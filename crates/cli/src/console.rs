//! Text to the two standard streams. A reader that has gone away (`granule info SCENE | head -1`) is no error of ours,
//! so nothing here fails for it or panics, as the `print` macros would; standard output that cannot be written else is
//! one.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use crate::error::{CliError, DONE, FAILED};

/// Writes a line to standard output.
///
/// # Errors
/// [`CliError::Output`] when it cannot be written though someone may read it, as on a full disk.
pub(crate) fn say(text: impl Display) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    read_or_refused(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// What a write to standard output came to: that nobody reads it is no error.
///
/// # Errors
/// [`CliError::Output`].
pub(crate) fn read_or_refused(written: std::io::Result<()>) -> Result<(), CliError> {
    match written {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => Err(CliError::Output(source)),
        _ => Ok(()),
    }
}

/// How a command ends that came to `code` and could tell of it or not. That a signal ended it is said either way: the
/// stream may have gone with the terminal.
///
/// # Errors
/// That of `code`, or else that of `told`.
pub(crate) fn ended(code: Result<u8, CliError>, told: Result<(), CliError>) -> Result<u8, CliError> {
    match (code, told) {
        (Ok(DONE | FAILED), Err(error)) => Err(error),
        (code, _) => code,
    }
}

/// Writes a line to standard error.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
