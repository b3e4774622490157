//! The `granule` program; everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(granule_cli::run_command_line(std::env::args_os()))
}
