//! Packaged scenes by name: those of `data/scenes/`, and settling ones of any size.

use crate::error::SceneError;
use crate::scene::Scene;
use crate::settle;
use crate::texts::{known_text, parse};

/// A packaged scene, or a settling one with any number of grains: `settle-spheres-10000`, `settle-cubes-3000`.
///
/// # Errors
/// [`SceneError`] for a name that no scene has.
pub fn packaged(name: &str) -> Result<Scene, SceneError> {
    match settle::variant(name) {
        Some(text) => parse(name, &text?),
        None => parse(name, known_text(name)?),
    }
}
