//! Rule: every module begins with `//!` and says what it is for.

use super::Finding;
use super::files::File;

/// Rust files whose first line of text is not a module comment, or an empty one.
pub(crate) fn undocumented_modules(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|f| f.is_rust()).filter_map(missing_head).collect()
}

fn missing_head(file: &File) -> Option<Finding> {
    let (line, first) = file.text.lines().enumerate().find(|(_, l)| !l.trim().is_empty()).unwrap_or((0, ""));
    let described = first.strip_prefix("//!").is_some_and(|text| !text.trim().is_empty());
    let message = "a module begins with `//!` and says what it is for and what it leaves to others";
    (!described).then(|| Finding::new(&file.path, line + 1, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_a_head_is_found_and_one_with_it_is_not() {
        let good = File::text("a.rs", "\n//! Does a.\nuse b;\n");
        assert_eq!(undocumented_modules(&[good]), []);
        for bad in ["use b;\n//! late\n", "//!\n//! after an empty line\n", "// plain\n", ""] {
            assert_eq!(undocumented_modules(&[File::text("a.rs", bad)]).len(), 1, "{bad:?}");
        }
        assert_eq!(undocumented_modules(&[File::text("a.toml", "x")]), []);
    }
}
