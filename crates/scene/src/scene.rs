//! A validated scene. How it is read is in `load`, how it becomes a simulation in `build`.

use std::ops::Range;
use std::path::PathBuf;

use granule_engine::{BodyDescription, Domain, MaterialId, RestCriterion, Settings};
use granule_model::{Coefficients, Material};

use crate::error::{SceneError, SceneErrorKind as Kind, Source};
use crate::plan::{MeasurePlan, OutputPlan, Stage};

/// Everything that a scene file says, checked.
///
/// Its fields may be changed before [`Scene::build`] (another time step, no sleeping); what the file said then
/// stands in [`Scene::text`] only.
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
    /// The domain that the scene was given because it has ground and no `[domain]`: its settings begin with this one.
    pub chosen_domain: Option<Domain>,
    /// Stages in their order; none for a scene that does not say how long it runs, see [`Scene::stages`].
    pub(crate) stages: Vec<Stage>,
    /// What counts as rest.
    pub rest: RestCriterion,
    /// What is measured.
    pub measure: MeasurePlan,
    /// What is written.
    pub output: OutputPlan,
    /// What was done to the files that the scene names, one sentence each: cells of terrain that were filled.
    pub(crate) remarks: Vec<String>,
    pub(crate) source: Source,
    /// Where in the text each body comes from.
    pub(crate) origins: Vec<Origin>,
    /// Where the text should have said how long the scene runs.
    pub(crate) run_span: Range<usize>,
}

/// Where in the text a body comes from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) span: Range<usize>,
    /// `body` or `fill`.
    pub(crate) entry: &'static str,
}

impl Scene {
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

    /// The index in [`Scene::bodies`] of the body called `name`.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }
}
