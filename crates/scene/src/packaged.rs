//! Packaged scenes by name: those of `data/scenes/`, and settling ones, avalanches and mounds of any size.

use crate::avalanche::variant as avalanche;
use crate::error::SceneError;
use crate::mound::variant as mound;
use crate::scene::Scene;
use crate::texts::{known_text, parse};
use crate::variants::variant as counted;

/// A packaged scene, or one with another number of grains: `settle-spheres-10000`, `settle-cubes-3000`, `mound-200`,
/// `avalanche-flat-40`. `avalanche-slope` is `avalanche-flat` in the other valley.
///
/// # Errors
/// [`SceneError`] for a name that no scene has.
pub fn packaged(name: &str) -> Result<Scene, SceneError> {
    match avalanche(name).or_else(|| mound(name)).or_else(|| counted(name)) {
        Some(text) => parse(name, &text?),
        None => parse(name, known_text(name)?),
    }
}
