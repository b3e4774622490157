//! Reads the list that a run left in its folder, and removes what stands on it and nothing else.
//!
//! A list may have been edited or come from elsewhere, so it is not trusted: a path that leads out of the folder, by
//! its parts or by a link on its way, is passed over.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::LIST;
use crate::error::CliError;

/// The files on the list of `folder` that are there, in the order of the list; none where there is no list.
///
/// # Errors
/// [`CliError::Argument`] where the list is something else than a file, [`CliError::Folder`] where it cannot be read.
pub(super) fn listed(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let path = folder.join(LIST);
    let bytes = match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => fs::read(&path),
        Ok(_) => {
            let path = path.display();
            return Err(CliError::Argument(format!(
                "{path} must be the list that an earlier run left, but is no file"
            )));
        }
        Err(error) => Err(error),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(source) => return Err(CliError::Folder { what: "read", path, source }),
    };
    let mut seen = BTreeSet::new();
    let names = bytes.split_inclusive(|byte| *byte == b'\n').filter_map(name);
    Ok(names.filter(|name| seen.insert(name.clone()) && stays_within(folder, name) && is_file(folder, name)).collect())
}

/// The path that a line holds; none for one that was not written to its end and for one that leads out of the folder.
fn name(line: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let path = Path::new(text);
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (inside && !text.is_empty() && path != Path::new(LIST)).then(|| path.to_path_buf())
}

/// The line of the list for a path relative to the folder; none for one that cannot be written as a line.
pub(super) fn entry(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|text| !text.contains('\n'))
}

/// Whether something that is not a folder stands at `name`; a link counts, wherever it leads.
pub(super) fn is_file(folder: &Path, name: &Path) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok_and(|metadata| !metadata.is_dir())
}

/// What keeps a file from being written at `name`: a folder there, or something else than a folder on its way.
pub(super) fn in_the_way<'a>(folder: &Path, name: &'a Path) -> Option<&'a Path> {
    let metadata = |path: &Path| fs::metadata(folder.join(path)).ok();
    let there = metadata(name).is_some_and(|m| m.is_dir()).then_some(name);
    there.or_else(|| parents(name).find(|parent| metadata(parent).is_some_and(|m| !m.is_dir())))
}

/// Whether every folder on the way to `name` is one, and not a link.
fn stays_within(folder: &Path, name: &Path) -> bool {
    parents(name).all(|parent| fs::symlink_metadata(folder.join(parent)).is_ok_and(|metadata| metadata.is_dir()))
}

/// The folders between a results folder and a file in it, innermost first.
fn parents(name: &Path) -> impl Iterator<Item = &Path> {
    name.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty())
}

/// Removes the files `names` of `folder`, and the folders in it that are empty then.
///
/// # Errors
/// [`CliError::Folder`] naming the file that cannot be removed.
pub(super) fn clear<'a>(folder: &Path, names: impl Iterator<Item = &'a PathBuf>) -> Result<(), CliError> {
    let mut left = BTreeSet::new();
    // What a link leads to is not the folder's: it is written anew there, but not removed.
    for name in names.filter(|name| stays_within(folder, name)) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                return Err(CliError::Folder { what: "remove", path, source });
            }
            _ => left.extend(parents(name).map(Path::to_path_buf)),
        }
    }
    // Backwards, so that an inner folder comes before the one around it; one that still holds something refuses to go.
    for parent in left.iter().rev() {
        let _ = fs::remove_dir(folder.join(parent));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder for the test")
    }

    fn put(folder: &Path, name: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, "text").expect("written");
    }

    #[test]
    fn lines_that_lead_out_or_were_not_ended_are_passed_over() {
        let outer = folder();
        let folder = outer.path().join("results");
        for file in ["results/a.csv", "results/b/c.vtp", "results/d", "victim"] {
            put(outer.path(), file);
        }
        let absolute = outer.path().join("victim");
        let lines = format!("a.csv\n\n../victim\nb/../../victim\n{}\na.csv\ngone\nb\nb/c.vtp\nd", absolute.display());
        fs::write(folder.join(LIST), lines).expect("written");
        let names = listed(&folder).expect("a list");
        assert_eq!(names, [PathBuf::from("a.csv"), PathBuf::from("b/c.vtp")]);
    }

    #[test]
    fn folders_go_when_they_are_empty_and_stay_when_they_are_not() {
        let folder = folder();
        for file in ["a/b/one", "a/b/two", "c/one", "c/mine"] {
            put(folder.path(), file);
        }
        let names = ["a/b/one", "a/b/two", "c/one", "never-written"].map(PathBuf::from);
        clear(folder.path(), names.iter()).expect("cleared");
        assert!(!folder.path().join("a").exists());
        assert!(folder.path().join("c/mine").exists() && !folder.path().join("c/one").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let outer = folder();
        let folder = outer.path().join("results");
        put(outer.path(), "elsewhere/frame");
        put(outer.path(), "results/own");
        std::os::unix::fs::symlink(outer.path().join("elsewhere"), folder.join("bodies")).expect("linked");
        std::os::unix::fs::symlink(outer.path().join("elsewhere/frame"), folder.join("link")).expect("linked");
        fs::write(folder.join(LIST), "bodies/frame\nlink\n").expect("written");
        let names = listed(&folder).expect("a list");
        assert_eq!(names, [PathBuf::from("link")]);
        clear(&folder, names.iter()).expect("cleared");
        clear(&folder, [PathBuf::from("bodies/frame")].iter()).expect("nothing to do");
        assert!(outer.path().join("elsewhere/frame").exists() && folder.join("bodies").exists());
        assert!(fs::symlink_metadata(folder.join("link")).is_err());
        // A list that is a link is none of ours.
        fs::remove_file(folder.join(LIST)).expect("removed");
        std::os::unix::fs::symlink(folder.join("own"), folder.join(LIST)).expect("linked");
        assert!(listed(&folder).is_err());
    }
}
