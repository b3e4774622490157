//! The `granule` command as a library: its commands, and the runner that drives a scene through its stages.
//!
//! Floor 5: reads scenes with `granule-scene`, steps with `granule-engine`, writes with `granule-export` and
//! `granule-view`. Owns no physics and no file format; what it adds is the order of things, messages and exit codes.
//!
//! Exit codes: 0 done, 1 the run or a reference case failed or its results could not be written, 2 the input was wrong,
//! 128 + the signal's number (130, 143, 129) ended by Ctrl-C, SIGTERM or SIGHUP with what was computed so far written
//! out. Results go to files, the outcome to standard output, everything else to standard error.

mod args;
pub mod clock;
mod console;
mod demo;
mod error;
mod info;
mod interrupt;
mod log;
mod profile;
mod resolve;
pub mod results;
pub mod run;
mod sweep;
mod terrain;
mod validate;

use std::ffi::OsString;
use std::io::IsTerminal;

use clap::Parser;

pub use error::{BAD_INPUT, CliError, DONE, FAILED, SIGNALLED};

/// Runs the command that `arguments` (the program's name first) ask for and returns the exit code.
pub fn run_command_line(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let parsed = match args::Arguments::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are no mistakes and go to standard output.
            let told = console::read_or_refused(error.print());
            return code_of(console::ended(Ok(u8::try_from(error.exit_code()).unwrap_or(BAD_INPUT)), told));
        }
    };
    log::install();
    let outcome = match parsed.command {
        args::Command::Run(arguments) => run::command(&arguments),
        args::Command::Demo { demo: args::Demo::Repose(arguments) } if arguments.sweep => sweep::command(&arguments),
        args::Command::Demo { demo: args::Demo::Repose(arguments) } => demo::repose(&arguments),
        args::Command::Demo { demo: args::Demo::Avalanche(arguments) } => demo::avalanche(&arguments),
        args::Command::Demo { demo: args::Demo::Mound(arguments) } => demo::mound(&arguments),
        args::Command::Info(arguments) => info::command(&arguments),
        args::Command::Resolve(arguments) => resolve::command(&arguments),
        args::Command::Terrain { terrain: args::Terrain::Info(arguments) } => terrain::info(&arguments),
        args::Command::Terrain { terrain: args::Terrain::Convert(arguments) } => terrain::convert(&arguments),
        args::Command::Validate(arguments) => validate::command(&arguments),
    };
    code_of(outcome)
}

/// The exit code of a command; its error is told.
fn code_of(outcome: Result<u8, CliError>) -> u8 {
    outcome.unwrap_or_else(|error| {
        console::note(error.render(std::io::stderr().is_terminal()));
        error.exit_code()
    })
}
