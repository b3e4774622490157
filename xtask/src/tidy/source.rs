//! Rust source without what the checks must not look at: comments, the text of literals, and tests.

/// Source in which comments and the text of literals are blanks; every line keeps its number, every token its column.
pub(crate) fn code_only(text: &str) -> String {
    let mut reader = Reader { rest: text, code: String::with_capacity(text.len()) };
    while !reader.rest.is_empty() {
        reader.take_token();
    }
    reader.code
}

/// For each line of `code` (as [`code_only`] gives it) whether it belongs to an item under `#[cfg(test)]`.
pub(crate) fn test_lines(code: &str) -> Vec<bool> {
    let mut marks = vec![false; code.lines().count()];
    let mut from = 0;
    while let Some(start) = code[from..].find("#[cfg(test)]").map(|at| from + at) {
        let end = item_end(code, start);
        for line in line_of(code, start)..=line_of(code, end) {
            if let Some(mark) = marks.get_mut(line - 1) {
                *mark = true;
            }
        }
        from = end.max(start + 1);
    }
    marks
}

/// Names of the modules of `code` that are files of their own and only built for tests (`#[cfg(test)] mod name;`).
pub(crate) fn test_modules(code: &str) -> Vec<&str> {
    let declared = |part: &'_ str| -> Option<usize> { part.find(';').filter(|end| !part[..*end].contains('{')) };
    code.split("#[cfg(test)]")
        .skip(1)
        .filter_map(|part| part[..declared(part)?].trim().strip_prefix("mod ").map(str::trim))
        .collect()
}

/// Number of the line, counted from one, that holds the byte `at`.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// Byte after the item that the attribute at `start` belongs to: its closing brace, or a semicolon before any brace.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return start + at,
            '}' => depth -= 1,
            ';' if depth == 0 => return start + at,
            _ => {}
        }
    }
    code.len()
}

/// What is left to read and the code found so far.
struct Reader<'a> {
    rest: &'a str,
    code: String,
}

impl Reader<'_> {
    /// Takes a comment, a literal, or one character of anything else.
    fn take_token(&mut self) {
        let rest = self.rest;
        let inside_word = self.code.chars().last().is_some_and(|c| c.is_alphanumeric() || c == '_');
        if rest.starts_with("//") {
            self.blank(rest.find('\n').unwrap_or(rest.len()), 0);
        } else if rest.starts_with("/*") {
            self.blank(block_comment_length(rest), 0);
        } else if let Some((quotes, length)) = raw_string(rest).filter(|_| !inside_word) {
            self.blank(length, quotes);
        } else if rest.starts_with('"') {
            self.blank(quoted_length(rest, '"'), 1);
        } else if rest.starts_with('\'') && is_character(rest) {
            self.blank(quoted_length(rest, '\''), 1);
        } else {
            self.keep(rest.chars().next().map_or(rest.len(), char::len_utf8));
        }
    }

    fn keep(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.code.push_str(taken);
        self.rest = rest;
    }

    /// Takes `length` bytes as blanks; a literal keeps the quotes at its ends, `quotes` bytes on either side.
    fn blank(&mut self, length: usize, quotes: usize) {
        let inner_end = length.saturating_sub(quotes).max(quotes);
        let (taken, rest) = self.rest.split_at(length);
        for (at, c) in taken.char_indices() {
            let kept = c == '\n' || at < quotes || at >= inner_end;
            self.code.push(if kept { c } else { ' ' });
        }
        self.rest = rest;
    }
}

/// Length of the block comment at the start of `text`; they nest.
fn block_comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// For a raw string (`r"..."`, `br#"..."#`) at the start of `text`: bytes of its closing mark, and its length.
fn raw_string(text: &str) -> Option<(usize, usize)> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = after.bytes().take_while(|b| *b == b'#').count();
    let body = after[hashes..].strip_prefix('"')?;
    let mark = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&mark).map_or(text.len(), |end| text.len() - body.len() + end + mark.len());
    Some((mark.len(), length))
}

/// Length of the literal at the start of `text` that ends with `quote`; a backslash escapes the next character.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + quote.len_utf8();
        }
        escaped = !escaped && c == '\\';
    }
    text.len()
}

/// Whether the apostrophe at the start of `text` opens a character literal and not a lifetime.
fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    let (first, second) = (characters.next(), characters.next());
    first == Some('\\') || second == Some('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_blanks_and_lines_stay() {
        let text = "a /* x\n/* y */ z */ b // todo!\n\"dbg!\\\" {\" r#\"todo!\"#; '{' 'a: '\\'' c\n";
        let code = code_only(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert_eq!(code.len(), text.len());
        for hidden in ["x", "y", "z", "todo!", "dbg!", "{"] {
            assert!(!code.contains(hidden), "{hidden} in {code}");
        }
        for kept in ["a ", " b ", "'a:", " c\n"] {
            assert!(code.contains(kept), "{kept} not in {code}");
        }
    }

    #[test]
    fn words_that_end_in_r_before_a_string_are_not_raw() {
        assert_eq!(code_only("for\"x\\\"\" y"), "for\"   \" y");
    }

    #[test]
    fn lines_of_test_modules_and_only_those_are_marked() {
        let code = code_only("fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() { \"}\"; }\n}\nfn h() {}\n");
        assert_eq!(test_lines(&code), [false, true, true, true, true, false]);
        assert_eq!(test_lines("#[cfg(test)]\nuse a::b;\nfn f() {}\n"), [true, true, false]);
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_named() {
        assert_eq!(test_modules("mod a;\n#[cfg(test)]\nmod samples;\n#[cfg(test)]\nmod tests { mod c; }"), ["samples"]);
    }
}
