//! Rule: comments of Rust files are at most 120 columns wide, as code is. Tables are left out: a row cannot be broken.

use super::Finding;
use super::files::File;

/// Columns of a line.
const WIDTH: usize = 120;

/// Lines of comments that are too wide.
pub(crate) fn wide_comments(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|file| file.is_rust()).flat_map(wide_lines).collect()
}

fn wide_lines(file: &File) -> impl Iterator<Item = Finding> + '_ {
    file.text.lines().enumerate().filter_map(|(number, line)| {
        let comment = line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!']).trim_start();
        let columns = line.chars().count();
        let is_wide = columns > WIDTH && !comment.starts_with('|');
        let message = || format!("a comment of {columns} columns: break it at {WIDTH}");
        is_wide.then(|| Finding::new(&file.path, number + 1, message()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_comments_are_found_and_tables_and_code_are_not() {
        let text = |head: &str, columns: usize| format!("{head}{}\n", "x".repeat(columns - head.len()));
        for (head, columns, expected) in
            [("//! ", 121, 1), ("    /// ", 121, 1), ("// ", 120, 0), ("/// | ", 200, 0), ("let a = ", 200, 0)]
        {
            let file = File::text("a.rs", &text(head, columns));
            assert_eq!(wide_comments(&[file]).len(), expected, "{head}{columns}");
        }
        // Columns are characters.
        assert_eq!(wide_comments(&[File::text("a.rs", &format!("// {}", "\u{e9}".repeat(117)))]), []);
        assert_eq!(wide_comments(&[File::text("a.md", &text("// ", 130))]), []);
    }
}
