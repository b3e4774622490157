//! A validated scene, and how it becomes a simulation.

use std::ops::Range;
use std::path::{Path, PathBuf};

use granule_engine::{BodyDescription, EngineError, MaterialId, RestCriterion, Settings, Simulation};
use granule_model::{BodyId, Coefficients, Material};

use crate::bytes;
use crate::error::{SceneError, SceneErrorKind as Kind, Source};
use crate::plan::{MeasurePlan, OutputPlan, Stage};
use crate::plausible;

/// Everything that a scene file says, checked.
///
/// Its fields may be changed before [`Scene::build`] (another time step, no sleeping); what the file said then stands
/// in
/// [`Scene::text`] only.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the packaged scene, or the file's without its ending.
    pub name: String,
    /// One line on what the scene shows; may be empty.
    pub title: String,
    /// The file; none for a scene that did not come from one.
    pub path: Option<PathBuf>,
    /// Gravity, step, law and the like.
    pub settings: Settings,
    /// Materials; a [`MaterialId::nth`] counts along them. Inline ones have an empty name.
    pub materials: Vec<(String, Material)>,
    /// Coefficients of pairs that do not follow the mixing rule.
    pub pairs: Vec<(MaterialId, MaterialId, Coefficients)>,
    /// Bodies in the order of the file.
    pub bodies: Vec<BodyDescription>,
    /// Seed of the start: that of the fill, where there is one fill.
    pub seed: Option<u64>,
    /// Stages in their order; none for a scene that does not say how long it runs, see [`Scene::stages`].
    pub(crate) stages: Vec<Stage>,
    /// What counts as rest.
    pub rest: RestCriterion,
    /// What is measured.
    pub measure: MeasurePlan,
    /// What is written.
    pub output: OutputPlan,
    pub(crate) source: Source,
    /// Where in the text each body comes from.
    pub(crate) origins: Vec<Range<usize>>,
    /// Where the text should have said how long the scene runs.
    pub(crate) run_span: Range<usize>,
}

/// A scene made into a simulation.
pub struct BuiltScene {
    /// The simulation before its first step.
    pub simulation: Simulation,
    /// Handle of each of [`Scene::bodies`].
    pub ids: Vec<BodyId>,
    /// What is allowed but hardly meant, one sentence each: implausible values, bodies that start inside each other.
    pub warnings: Vec<String>,
}

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

    /// The text of the scene: written beside the results it reproduces them.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The stages of the run, at least one.
    ///
    /// # Errors
    /// [`SceneError`] when the scene does not say how long it runs, which one that is only looked at need not.
    pub fn stages(&self) -> Result<&[Stage], SceneError> {
        if !self.stages.is_empty() {
            return Ok(&self.stages);
        }
        let message = "the scene does not say how long it runs";
        let error = self.source.error(Kind::MissingKey, self.run_span.clone(), message).label("without `duration`");
        Err(error.help("give `duration` in `[run]`, or one or more `[[stage]]`"))
    }

    /// Makes the simulation and looks at its start: bodies deep inside each other are refused, shallow overlaps and implausible
    /// values become warnings.
    ///
    /// # Errors
    /// [`SceneError`] of kind [`Start`](Kind::Start) with what the engine does not accept.
    pub fn build(&self) -> Result<BuiltScene, SceneError> {
        let refused = |e: EngineError| self.refused(&e);
        let mut simulation = Simulation::new(self.settings).map_err(refused)?;
        for (_, material) in &self.materials {
            simulation.add_material(*material).map_err(refused)?;
        }
        for (a, b, coefficients) in &self.pairs {
            simulation.set_pair(*a, *b, *coefficients).map_err(refused)?;
        }
        let add = |body: &BodyDescription| simulation.add_body(body.clone()).map_err(refused);
        let ids = self.bodies.iter().map(add).collect::<Result<Vec<_>, _>>()?;
        simulation.set_rest_criterion(self.rest).map_err(refused)?;
        let overlaps = simulation.validate_start().map_err(refused)?;
        let warnings = plausible::warnings(self, &simulation, &overlaps).map_err(refused)?;
        Ok(BuiltScene { simulation, ids, warnings })
    }

    /// The index in [`Scene::bodies`] of the body called `name`.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// The engine's refusal, at the body that it names where it names one.
    fn refused(&self, error: &EngineError) -> SceneError {
        let label = match error {
            EngineError::Body { body, .. } | EngineError::NotFinite { body, .. } => Some(body),
            // The later one: the earlier is usually what it was put into.
            EngineError::StartOverlap { b, .. } => Some(b),
            _ => None,
        };
        let called = |i: &usize| {
            let name = &self.bodies[*i].name;
            label.is_some_and(|l| if name.is_empty() { *l == format!("number {i}") } else { *l == format!("`{name}`") })
        };
        match (0..self.bodies.len()).find(called) {
            Some(i) => self.source.error(Kind::Start, self.origins[i].clone(), error.to_string()).label("this body"),
            None => SceneError::bare(Kind::Start, format!("{}: {error}", self.source.name)),
        }
    }
}

impl BuiltScene {
    /// Handles of the bodies with the given names, which are those of `scene`.
    pub fn ids_of(&self, scene: &Scene, names: &[String]) -> Vec<BodyId> {
        names.iter().filter_map(|name| scene.body(name)).map(|i| self.ids[i]).collect()
    }
}

fn not_utf8(shown: &str, error: &std::string::FromUtf8Error) -> SceneError {
    let at = error.utf8_error().valid_up_to();
    let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
    SceneError::bare(Kind::Syntax, format!("{shown}:{line}: the scene is not text in UTF-8"))
}
