//! The texts of the scenes that come with granule. They live as files in `data/scenes/`, which can also be run, copied
//! and changed, and are compiled in, so that the program needs no files beside it.

use std::path::Path;

use crate::error::{SceneError, SceneErrorKind as Kind, listed, nearest};
use crate::scene::Scene;

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        const SCENES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../data/scenes/", $name, ".toml")))),*];
    };
}

scenes!(
    "avalanche-flat",
    "bounce",
    "columns-2560",
    "elastic-1080",
    "elastic-540",
    "elastic-540-no-gravity",
    "gas-spheres-4096",
    "incline",
    "mound",
    "pour-spheres-100",
    "repose-crosses",
    "repose-cubes",
    "repose-spheres",
    "settle-crosses-325",
    "settle-cubes-325",
    "settle-spheres-540",
    "vibrated-layer-6000",
    "vibrated-layer-60000",
);

/// Names of the packaged scenes, in alphabetical order.
pub fn packaged_names() -> impl ExactSizeIterator<Item = &'static str> + Clone {
    SCENES.iter().map(|(name, _)| *name)
}

/// Text of a packaged scene.
pub fn packaged_text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The text of a packaged scene, or the error that names the nearest.
pub(crate) fn known_text(name: &str) -> Result<&'static str, SceneError> {
    packaged_text(name).ok_or_else(|| {
        let error = SceneError::bare(Kind::UnknownName, format!("there is no packaged scene `{name}`"));
        let begins: Vec<&str> = packaged_names().filter(|known| !name.is_empty() && known.starts_with(name)).collect();
        let error = match (nearest(name, packaged_names()), &begins[..]) {
            (Some(near), _) => error.help(format!("did you mean `{near}`?")),
            (None, []) => error,
            (None, near) => error.help(format!("did you mean {}?", listed(near.iter().copied()))),
        };
        error.help(format!("known are {}, and some of them with another number of grains", listed(packaged_names())))
    })
}

/// Largest number of grains that one fill may have.
const MOST: usize = 10_000_000;

/// The number of grains at the end of the name of a variant, `-COUNT`.
pub(crate) fn count_in(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix('-')?;
    let count: usize = digits.parse().ok()?;
    // One name for one scene: no `+5`, no `005`.
    ((1..=MOST).contains(&count) && count.to_string() == digits).then_some(count)
}

/// The scene of a packaged text or of a variant of one; they need no other file.
pub(crate) fn parse(name: &str, text: &str) -> Result<Scene, SceneError> {
    let mut scene = Scene::parse(text, &format!("{name}.toml"), Path::new(""))?;
    scene.name = name.to_owned();
    Ok(scene)
}
