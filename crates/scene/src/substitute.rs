//! Other values in the text of a scene, everything else staying as it is.
//!
//! Variants of a packaged scene are made so: the text stays the only description, and the changed text, written beside
//! the results, reproduces them.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::error::{SceneError, SceneErrorKind as Kind, Source};

/// The text with the values at the given paths replaced by the given TOML.
///
/// A path names keys and, in arrays, numbers from 0: `materials.grain.static_friction`, `fill.0.seed`. Values that the
/// text does not have are not added.
///
/// # Errors
/// [`SceneError`] for a text that is not TOML and for a path that leads nowhere.
pub fn substitute(text: &str, name: &str, changes: &[(&str, String)]) -> Result<String, SceneError> {
    let source = Source::new(name, text);
    let document = DeTable::parse(text).map_err(|e| {
        source.error(Kind::Syntax, e.span().unwrap_or(0..0), format!("not valid TOML: {}", e.message()))
    })?;
    let mut edits = Vec::with_capacity(changes.len());
    for (path, value) in changes {
        let span = find(document.get_ref(), path).ok_or_else(|| {
            SceneError::bare(Kind::MissingKey, format!("the scene `{name}` has no value `{path}` to replace"))
        })?;
        edits.push((span, value));
    }
    // From the end, so that the places of the others stay right.
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut changed = text.to_owned();
    for (span, value) in edits {
        changed.replace_range(span, value);
    }
    Ok(changed)
}

/// As TOML writes it: `nan` and `inf` as those words, so that the format itself refuses them.
pub(crate) fn toml_number(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { x.to_string().to_lowercase() }
}

fn find(root: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    let mut steps = path.split('.');
    let mut value = root.get(steps.next()?)?;
    for step in steps {
        value = match value.get_ref() {
            DeValue::Table(table) => table.get(step)?,
            DeValue::Array(array) => array.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    // Tables, and arrays of them, are not one piece of text.
    let is_table = |v: &DeValue<'_>| matches!(v, DeValue::Table(_));
    let whole = match value.get_ref() {
        DeValue::Array(array) => !array.iter().any(|v| is_table(v.get_ref())),
        other => !is_table(other),
    };
    whole.then(|| value.span())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_values_change() {
        let text = "[a]\nx = 1 # one\ny.z = [1, 2, 3]\n[[b]]\nx = 2\n[[b]]\nx = 3\n";
        let changes = [("b.1.x", "[4]".to_owned()), ("a.y.z.2", "30".to_owned()), ("a.x", "0.25".to_owned())];
        let changed = substitute(text, "t", &changes).expect("every path exists");
        assert_eq!(changed, "[a]\nx = 0.25 # one\ny.z = [1, 2, 30]\n[[b]]\nx = 2\n[[b]]\nx = [4]\n");
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        for path in ["a", "a.z", "b", "b.0", "b.2.x", "b.x", "a.x.y", ""] {
            let error = substitute("[a]\nx = 1\n[[b]]\nx = 2\n", "t", &[(path, "1".to_owned())]).expect_err(path);
            assert_eq!(error.kind(), Kind::MissingKey, "{error}");
        }
    }
}
