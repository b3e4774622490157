//! The files of the repository as the checks see them: paths relative to the root, with their text where they have one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};
use thiserror::Error;

/// A file of the repository.
pub(crate) struct File {
    /// Path relative to the root, with `/`.
    pub(crate) path: String,
    /// Content; empty for a file that is not UTF-8 text.
    pub(crate) text: String,
}

impl File {
    /// A text file; for the samples of tests.
    #[cfg(test)]
    pub(crate) fn text(path: &str, text: &str) -> Self {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// True for Rust source.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The folder of the workspace member that holds the file: `model` for `crates/model/...`, `xtask`, `benches`.
    pub(crate) fn member(&self) -> Option<&str> {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.next(),
            Some(folder @ ("xtask" | "benches")) => Some(folder),
            _ => None,
        }
    }
}

/// Why the files could not be read.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    /// A file or folder could not be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The files under `root`: those that git tracks or would add; without git every file outside the build folders.
pub(crate) fn read_all(root: &Path) -> Result<Vec<File>, ReadError> {
    let mut paths = match listed_by_git(root) {
        Some(paths) => paths,
        None => walked(root)?,
    };
    paths.sort();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let full = root.join(&path);
        match fs::read(&full) {
            Ok(bytes) => files.push(File { path, text: String::from_utf8(bytes).unwrap_or_default() }),
            // Removed from the working tree but not yet from the index; or a link to a folder, whose files are listed.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) => {}
            Err(source) => return Err(ReadError::Unreadable { path: full, source }),
        }
    }
    Ok(files)
}

/// Paths of tracked files and of new ones that are not ignored; none outside a checkout.
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    let list = String::from_utf8(output.stdout).ok()?;
    let paths = list.split('\0').filter(|p| !p.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

/// Paths of all files, without the folders that builds and runs write.
fn walked(root: &Path) -> Result<Vec<String>, ReadError> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        let unreadable = |source| ReadError::Unreadable { path: full.clone(), source };
        for entry in fs::read_dir(&full).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = folder.join(entry.file_name());
            let written_by_tools = matches!(path.to_str(), Some("target" | "out" | ".git"));
            if entry.file_type().map_err(unreadable)?.is_dir() {
                if !written_by_tools {
                    folders.push(path);
                }
            } else if let Some(text) = path.to_str() {
                found.push(text.replace('\\', "/"));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_named_by_their_folder() {
        assert_eq!(File::text("crates/model/src/lib.rs", "").member(), Some("model"));
        assert_eq!(File::text("xtask/src/main.rs", "").member(), Some("xtask"));
        assert_eq!(File::text("README.md", "").member(), None);
    }

    #[test]
    fn both_ways_of_listing_find_this_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned();
        let this = "xtask/src/tidy/files.rs".to_owned();
        assert!(walked(&root).expect("readable").contains(&this));
        assert!(read_all(&root).expect("readable").iter().any(|f| f.path == this && f.text.contains("both_ways")));
    }
}
