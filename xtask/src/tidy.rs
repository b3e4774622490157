//! `cargo xtask tidy`: the rules of the workspace that a program can check, each in a module of `tidy/`.
//!
//! A check is a function from the files of the repository to findings. It reads no disk, so its tests feed it samples.

mod denied;
mod files;
mod layers;
mod lock;
mod modules;
mod paths;
mod rooms;
mod source;
mod width;

use files::File;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// A breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// File, relative to the root of the repository.
    path: String,
    /// Line, counted from one.
    line: usize,
    /// What is wrong and what to do instead.
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Finding { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A rule of the workspace.
type Check = fn(&[File]) -> Vec<Finding>;

const CHECKS: [Check; 8] = [
    modules::undocumented_modules,
    layers::misplaced_dependencies,
    rooms::upward_edges,
    denied::denied_code,
    lock::doubled_packages,
    paths::dead_paths,
    paths::machine_paths,
    width::wide_comments,
];

/// All breaches in `files`, by path and line.
fn findings(files: &[File]) -> Vec<Finding> {
    let mut all = CHECKS.iter().flat_map(|check| check(files)).collect::<Vec<_>>();
    all.sort();
    all
}

/// Checks the workspace at `root`: prints each breach, or else the layers inside crates, and ends with 1 if there is a
/// breach.
pub(crate) fn run(root: &Path) -> ExitCode {
    let files = match files::read_all(root) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("tidy: {error}");
            return ExitCode::FAILURE;
        }
    };
    let findings = findings(&files);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        rooms::lines().iter().for_each(|line| println!("{line}"));
        println!("tidy: {} files in order", files.len());
        return ExitCode::SUCCESS;
    }
    println!("tidy: {} findings", findings.len());
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_called_and_findings_are_sorted_and_readable() {
        let home = format!("/{}/someone/x", "home");
        let files = [
            File::text("README.md", &format!("see `crates/none/src/lib.rs`\n\n{home}\n")),
            File::text(
                "crates/model/Cargo.toml",
                "[package]\nname = \"granule-model\"\n[dependencies]\ngranule-engine.workspace = true\n",
            ),
            File::text("crates/model/src/lib.rs", "fn f() { todo!() }\n"),
            File::text(
                "Cargo.lock",
                "[[package]]\nname = \"glam\"\nversion = \"1\"\n[[package]]\nname = \"glam\"\nversion = \"2\"\n",
            ),
        ];
        let lines = findings(&files).iter().map(ToString::to_string).collect::<Vec<_>>();
        let places = lines.iter().map(|l| l.split(": ").next().unwrap_or("")).collect::<Vec<_>>();
        assert_eq!(
            places,
            [
                "Cargo.lock:5",
                "README.md:1",
                "README.md:3",
                "crates/model/Cargo.toml:4",
                "crates/model/src/lib.rs:1",
                "crates/model/src/lib.rs:1",
            ],
            "{lines:#?}"
        );
    }
}
