//! Text to the two standard streams. A reader that has gone away (`granule info SCENE | head -1`) is no error of ours, so
//! nothing here fails or panics, as the `print` macros would.

use std::fmt::Display;
use std::io::Write;

/// Writes a line to standard output.
pub(crate) fn say(text: impl Display) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Writes a line to standard error.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
