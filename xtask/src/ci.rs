//! `cargo xtask ci`: format, lints, docs and tidy in one go, with the exit code of the first that fails. The tests are
//! not among them: `.ci/run` calls the test command first.

use crate::tidy;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// One call of cargo.
struct Step {
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const STEPS: [Step; 3] = [
    Step { arguments: &["fmt", "--all", "--check"], environment: &[] },
    Step { arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], environment: &[] },
    Step { arguments: &["doc", "--no-deps", "--workspace"], environment: &[("RUSTDOCFLAGS", "-Dwarnings")] },
];

impl Step {
    /// The line to type to run this step by hand.
    fn command_line(&self) -> String {
        let environment = self.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect::<String>();
        format!("{environment}cargo {}", self.arguments.join(" "))
    }

    /// Runs the step with its output going to this program's; the exit code, or why it could not be started.
    fn run(&self, root: &Path) -> Result<u8, std::io::Error> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let status = Command::new(cargo)
            .args(self.arguments)
            .envs(self.environment.iter().copied())
            .current_dir(root)
            .status()?;
        Ok(exit_code(status.code()))
    }
}

/// The code to end with for a child's; a child that was killed has none and counts as a failure.
pub(crate) fn exit_code(code: Option<i32>) -> u8 {
    code.and_then(|c| u8::try_from(c).ok()).unwrap_or(1)
}

/// Runs every step on the workspace at `root`.
pub(crate) fn run(root: &Path) -> ExitCode {
    for step in &STEPS {
        println!("$ {}", step.command_line());
        match step.run(root) {
            Ok(0) => {}
            Ok(code) => {
                eprintln!("ci: failed: {}", step.command_line());
                return ExitCode::from(code);
            }
            Err(error) => {
                eprintln!("ci: cannot run {}: {error}", step.command_line());
                return ExitCode::FAILURE;
            }
        }
    }
    println!("$ cargo xtask tidy");
    tidy::run(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_reads_as_it_would_be_typed() {
        assert_eq!(STEPS[2].command_line(), "RUSTDOCFLAGS=-Dwarnings cargo doc --no-deps --workspace");
    }

    #[test]
    fn a_killed_child_is_a_failure() {
        assert_eq!(exit_code(Some(0)), 0);
        assert_eq!(exit_code(Some(101)), 101);
        assert_eq!(exit_code(None), 1);
        assert_eq!(exit_code(Some(-1)), 1);
    }

    #[test]
    fn a_failing_step_gives_its_exit_code() {
        let step = Step { arguments: &["no-such-subcommand"], environment: &[] };
        let code = step.run(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("cargo starts");
        assert_ne!(code, 0);
    }
}
