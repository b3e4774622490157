//! What is wrong with a scene, shown like a compiler shows it: file, line, column, the text in question, and what
//! helps.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Message, Renderer, Snippet};

/// What kind of mistake a scene holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneErrorKind {
    /// The scene file cannot be read.
    Io,
    /// The text is not TOML.
    Syntax,
    /// A key that the format does not have.
    UnknownKey,
    /// A value of another type than the key has.
    WrongType,
    /// A key that must be given is not.
    MissingKey,
    /// A value out of its range; NaN and infinity are in none.
    OutOfRange,
    /// A name that nothing in the scene or the format has.
    UnknownName,
    /// A name given twice.
    Duplicate,
    /// Values that exclude each other.
    Conflict,
    /// A shape that cannot be built.
    Shape,
    /// A mesh file that cannot be read.
    MeshFile,
    /// A start that the engine refuses, such as bodies inside each other.
    Start,
}

/// A mistake in a scene. `Display` gives the whole report: message, place, the text there, and help.
#[derive(Clone)]
pub struct SceneError(Box<Report>);

#[derive(Clone)]
struct Report {
    kind: SceneErrorKind,
    message: String,
    source: Option<Source>,
    span: Option<Range<usize>>,
    label: String,
    help: Vec<String>,
}

/// The text of a scene with the name under which messages call it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

impl Source {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Source { name: name.into(), text: text.into() }
    }

    /// A mistake at the bytes `span` of the text.
    pub(crate) fn error(&self, kind: SceneErrorKind, span: Range<usize>, message: impl Into<String>) -> SceneError {
        let span = Some(on_char_boundaries(&self.text, span));
        SceneError(Box::new(Report {
            kind,
            message: message.into(),
            source: Some(self.clone()),
            span,
            label: String::new(),
            help: Vec::new(),
        }))
    }
}

impl SceneError {
    /// A mistake without a place in a text.
    pub(crate) fn bare(kind: SceneErrorKind, message: impl Into<String>) -> Self {
        let (source, span, label, help) = (None, None, String::new(), Vec::new());
        SceneError(Box::new(Report { kind, message: message.into(), source, span, label, help }))
    }

    /// Adds a few words beside the marked text.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
        self
    }

    /// Adds a line of help.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help.push(help.into());
        self
    }

    /// What kind of mistake it is.
    pub fn kind(&self) -> SceneErrorKind {
        self.0.kind
    }

    /// What is wrong, in one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Lines of help; often none or one.
    pub fn help_lines(&self) -> &[String] {
        &self.0.help
    }

    /// The bytes of the scene's text that are meant.
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }

    /// Line and column, both from 1, the column in characters.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let (source, span) = (self.0.source.as_ref()?, self.0.span.as_ref()?);
        Some(line_column(&source.text, span.start))
    }

    /// The whole report, with colours for a terminal or without.
    pub fn render(&self, colours: bool) -> String {
        let report = &self.0;
        let mut group = Level::ERROR.primary_title(report.message.as_str()).elements(Vec::<Message<'_>>::new());
        if let (Some(source), Some(span)) = (&report.source, &report.span) {
            let mark = AnnotationKind::Primary.span(span.clone());
            let mark = if report.label.is_empty() { mark } else { mark.label(report.label.as_str()) };
            group = group.element(Snippet::source(&*source.text).path(&*source.name).annotation(mark));
        }
        for help in &report.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl fmt::Debug for SceneError {
    /// The report itself: a failed `unwrap` in a test should be as readable as the program's message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{self}", self.0.kind)
    }
}

impl std::error::Error for SceneError {}

/// Line and column, both from 1, the column in characters, of the byte `at`.
pub(crate) fn line_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The span within the text and cut at characters, so that it can be shown; what is missing at the end of the text is
/// missing at the end of its last line.
fn on_char_boundaries(text: &str, span: Range<usize>) -> Range<usize> {
    let last = text.trim_end_matches(['\n', '\r']).len();
    let start = if span.start >= text.len() { last } else { text.floor_char_boundary(span.start) };
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}

/// The name among `known` that was most likely meant by `given`.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&given, &name.to_lowercase());
    // A third of the letters may be wrong: beyond that a guess misleads more often than it helps.
    let close = |(d, name): &(usize, &str)| *d <= name.chars().count().max(given.chars().count()).div_ceil(3);
    known.into_iter().map(|name| (distance(name), name)).min_by_key(|(d, _)| *d).filter(close).map(|(_, name)| name)
}

/// `known` as a list for a message: `a`, `b`, `c`.
pub(crate) fn listed<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    known.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_names_file_line_and_column_and_marks_the_text() {
        let source = Source::new("pile.toml", "[materials.rock]\nfricton = 0.5\n");
        let error = source.error(SceneErrorKind::UnknownKey, 17..24, "unknown key `fricton`").help("did you mean `x`?");
        let text = error.to_string();
        assert!(text.contains("pile.toml:2:1"), "{text}");
        assert!(text.contains("fricton = 0.5") && text.contains("^^^^^^^"), "{text}");
        assert!(text.contains("help: did you mean `x`?"), "{text}");
        assert_eq!(error.line_column(), Some((2, 1)));
    }

    #[test]
    fn spans_beyond_the_text_and_inside_characters_are_mended() {
        let source = Source::new("pile.toml", "Ä = ö");
        for (from, to) in [(0, 1), (1, 2), (5, 6), (6, 90), (90, 95), (7, 7)] {
            let text = source.error(SceneErrorKind::Syntax, from..to, "wrong").to_string();
            assert!(text.contains("wrong"), "{text}");
        }
    }

    #[test]
    fn the_nearest_name_is_found_and_far_ones_are_not_guessed() {
        let known = ["density", "restitution", "static_friction"];
        assert_eq!(nearest("fricton_static", known), None);
        assert_eq!(nearest("static_fricton", known), Some("static_friction"));
        assert_eq!(nearest("Density", known), Some("density"));
        assert_eq!(nearest("zzz", known), None);
    }
}
