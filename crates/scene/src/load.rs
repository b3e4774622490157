//! From a file or a text to a [`Scene`].

use std::path::Path;

use crate::bytes;
use crate::error::{SceneError, SceneErrorKind as Kind, Source};
use crate::scene::Scene;

impl Scene {
    /// Reads a scene file. Mesh files are looked for beside it.
    ///
    /// # Errors
    /// [`SceneError`] for a file that cannot be read and for every mistake in it.
    pub fn load(path: &Path) -> Result<Scene, SceneError> {
        let shown = path.display().to_string();
        let unreadable = |why| SceneError::bare(Kind::Io, format!("cannot read the scene `{shown}`: {why}"));
        let bytes = bytes::read(path, bytes::LARGEST_SCENE).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|e| not_utf8(&shown, &e))?;
        let mut scene = Scene::parse(&text, &shown, path.parent().unwrap_or(Path::new("")))?;
        scene.name = path.file_stem().map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
        scene.path = Some(path.to_path_buf());
        Ok(scene)
    }

    /// Reads the text of a scene, which messages call `name`. Mesh files are looked for in `folder`.
    ///
    /// # Errors
    /// [`SceneError`] for every mistake in it.
    pub fn parse(text: &str, name: &str, folder: &Path) -> Result<Scene, SceneError> {
        crate::parse::scene(&Source::new(name, text), folder)
    }
}

fn not_utf8(shown: &str, error: &std::string::FromUtf8Error) -> SceneError {
    let at = error.utf8_error().valid_up_to();
    let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
    SceneError::bare(Kind::Syntax, format!("{shown}:{line}: the scene is not text in UTF-8"))
}
