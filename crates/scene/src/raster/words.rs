//! The words of a text one by one, each with its place, from a stream of any length.

use std::io::{BufRead, ErrorKind};

use crate::data_file::{DataFileError, DataFileErrorKind as Kind, DataPlace};

/// Longest word that may stand in a file of numbers \[bytes\]: a stream without spaces must not fill the memory.
const LONGEST: usize = 400;

/// Reads words that white space separates.
pub(super) struct Words<R> {
    reader: R,
    line: usize,
    column: usize,
    /// The word that was read last.
    word: Vec<u8>,
    start: (usize, usize),
    /// Whether the word that was read last is to be read once more.
    again: bool,
}

impl<R: BufRead> Words<R> {
    pub(super) fn new(reader: R) -> Self {
        Words { reader, line: 1, column: 1, word: Vec::new(), start: (1, 1), again: false }
    }

    /// Moves to the next word; false at the end of the text.
    pub(super) fn advance(&mut self) -> Result<bool, DataFileError> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        self.word.clear();
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(DataFileError::io(&e).at(self.end_place())),
            };
            if buffer.is_empty() {
                return Ok(!self.word.is_empty());
            }
            let (mut used, mut ended) = (0, false);
            for &byte in buffer {
                if byte.is_ascii_whitespace() {
                    ended = !self.word.is_empty();
                    if ended {
                        break;
                    }
                    (self.line, self.column) =
                        if byte == b'\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
                } else {
                    if self.word.is_empty() {
                        self.start = (self.line, self.column);
                    }
                    if self.word.len() == LONGEST {
                        let message = format!("a word of more than {LONGEST} characters, but expected a number");
                        return Err(DataFileError::new(Kind::Format, message).at(self.place()));
                    }
                    self.word.push(byte);
                    self.column += 1;
                }
                used += 1;
            }
            self.reader.consume(used);
            if ended {
                return Ok(true);
            }
        }
    }

    /// The next call of [`Words::advance`] gives this word again.
    pub(super) fn put_back(&mut self) {
        self.again = true;
    }

    /// The word, where it is text.
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.word).ok()
    }

    /// The word for a message, its beginning where it is long.
    pub(super) fn shown(&self) -> String {
        let text = String::from_utf8_lossy(&self.word);
        let start: String = text.chars().take(32).flat_map(char::escape_debug).collect();
        if text.chars().count() > 32 { format!("`{start}...`") } else { format!("`{start}`") }
    }

    /// Line of the word.
    pub(super) fn line(&self) -> usize {
        self.start.0
    }

    /// Where the word begins.
    pub(super) fn place(&self) -> DataPlace {
        DataPlace::Character { line: self.start.0, column: self.start.1 }
    }

    /// Where reading has come to.
    pub(super) fn end_place(&self) -> DataPlace {
        DataPlace::Character { line: self.line, column: self.column }
    }
}
