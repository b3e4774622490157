//! `cargo xtask validate`: `granule validate` in release, with the same arguments and the same exit code.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::ci::exit_code;

/// Arguments of `cargo xtask validate`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Handed on to `granule validate`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// What cargo is called with, before the arguments that are handed on.
const CALL: [&str; 8] = ["run", "--quiet", "--release", "--package", "granule-cli", "--bin", "granule", "--"];

/// Runs the command from the root of the workspace.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(cargo).args(CALL).arg("validate").args(&arguments.arguments).current_dir(root).status();
    match status {
        Ok(status) => ExitCode::from(exit_code(status.code())),
        Err(error) => {
            eprintln!("validate: cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn arguments_are_handed_on_as_they_are() {
        let line = ["validate", "--only", "boxes", "--json", "--help"];
        let parsed = Line::try_parse_from(line).expect("nothing is refused here");
        assert_eq!(parsed.arguments.arguments, ["--only", "boxes", "--json", "--help"]);
    }
}
