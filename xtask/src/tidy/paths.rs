//! Rules about paths: those that the documents name exist, and no file names a place on somebody's machine.

use super::Finding;
use super::files::File;

/// Folders that only exist after a build or a run.
const WRITTEN: [&str; 2] = ["target", "out"];
/// Endings by which a path of several parts is taken for a file of the repository.
const ENDINGS: [&str; 8] = [".rs", ".md", ".toml", ".json", ".png", ".svg", ".csv", ".gif"];
/// First folders of absolute paths on machines of developers.
const MACHINE_FOLDERS: [&str; 5] = ["work", "tmp", "root", "home", "Users"];

/// Paths in the Markdown files at the root that name nothing: in backticks, or as the target of a link.
pub(crate) fn dead_paths(files: &[File]) -> Vec<Finding> {
    let documents = files.iter().filter(|f| f.path.ends_with(".md") && !f.path.contains('/'));
    documents.flat_map(|document| dead_paths_in(document, files)).collect()
}

fn dead_paths_in(document: &File, files: &[File]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (line, text) in document.text.lines().enumerate() {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        let quoted = text.split('`').skip(1).step_by(2).filter(|span| looks_like_a_path(span, files));
        for path in quoted.chain(link_targets(text)) {
            if !exists(path, files) {
                found.push(Finding::new(
                    &document.path,
                    line + 1,
                    format!("`{path}` does not exist in the repository"),
                ));
            }
        }
    }
    found
}

/// Whether the text in backticks means a file or folder of the repository, and not a command, a type or an output.
fn looks_like_a_path(span: &str, files: &[File]) -> bool {
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let Some((first, _)) = span.split_once('/') else {
        return plain && span.ends_with(".md");
    };
    let at_root = || files.iter().any(|f| f.path.split_once('/').is_some_and(|(folder, _)| folder == first));
    plain
        && !first.is_empty()
        && !WRITTEN.contains(&first)
        && (at_root() || ENDINGS.iter().any(|end| span.ends_with(end)))
}

/// Targets of the links and pictures of a line that lie in the repository.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"))
}

/// Whether `path` is a file or a folder of the repository.
fn exists(path: &str, files: &[File]) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    files.iter().any(|f| f.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Absolute paths of a developer's machine, in any file.
pub(crate) fn machine_paths(files: &[File]) -> Vec<Finding> {
    let folders = MACHINE_FOLDERS.map(|folder| format!("/{folder}/"));
    let mut found = Vec::new();
    for file in files {
        for (line, text) in file.text.lines().enumerate() {
            for folder in folders.iter().filter(|folder| names_from_the_root(text, folder)) {
                let message =
                    format!("`{folder}` is a place on one machine: name paths from the root of the repository");
                found.push(Finding::new(&file.path, line + 1, message));
            }
        }
    }
    found
}

/// Whether `text` has `folder` at the beginning of a path and not in the middle of a longer one or of an address.
fn names_from_the_root(text: &str, folder: &str) -> bool {
    let in_a_path = |c: char| c.is_alphanumeric() || "/._-~}*>$".contains(c);
    text.match_indices(folder).any(|(at, _)| !text[..at].ends_with(in_a_path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead(text: &str) -> Vec<(usize, String)> {
        let files =
            [File::text("README.md", text), File::text("crates/model/src/lib.rs", ""), File::text(".ci/run", "")];
        dead_paths(&files).into_iter().map(|f| (f.line, f.message)).collect()
    }

    #[test]
    fn paths_that_exist_and_texts_that_are_no_paths_pass() {
        let text = "`crates/model`, `crates/model/`, `crates/model/src/lib.rs`, `.ci/run`, `README.md`\n\
            `cargo test`, `kg m/s`, `m/s`, `summary.json`, `out/summary.json`, `target/bench/`, `crates/<folder>`, `1/dt`\n\
            [a](https://example.org/x/y.md) [b](crates/model/src/lib.rs#L3) [c](#part)\n\
            ```\ncrates/none.rs `crates/none.rs`\n```\n";
        assert_eq!(dead(text), []);
    }

    #[test]
    fn paths_that_name_nothing_are_found() {
        for bad in ["`crates/none`", "`crates/model/src/li`", "`docs/guide.md`", "`NOTES.md`", "![p](data/picture.png)"]
        {
            let found = dead(&format!("first\n{bad} more\n"));
            assert_eq!(found.len(), 1, "{bad}");
            assert_eq!(found[0].0, 2);
        }
    }

    #[test]
    fn places_on_a_machine_are_found_in_any_file_and_other_paths_are_not() {
        for folder in MACHINE_FOLDERS {
            let bad = format!("a\nsee /{folder}/x and\n");
            let found = machine_paths(&[File::text("data/x.json", &bad)]);
            assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [2], "{bad}");
            let good = format!("target/{folder}/x https://example.org/{folder}/x ./{folder}/y\n");
            assert_eq!(machine_paths(&[File::text("data/x.json", &good)]), []);
        }
    }
}
