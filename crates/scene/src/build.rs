//! From a [`Scene`] to a simulation.

use granule_engine::{BodyDescription, EngineError, Simulation};
use granule_model::BodyId;

use crate::error::{SceneError, SceneErrorKind as Kind, line_column};
use crate::plausible;
use crate::scene::{Origin, Scene};

/// A scene made into a simulation.
pub struct BuiltScene {
    /// The simulation before its first step.
    pub simulation: Simulation,
    /// Handle of each of [`Scene::bodies`].
    pub ids: Vec<BodyId>,
    /// What is allowed but hardly meant, one sentence each: cells of terrain without a height that were filled,
    /// implausible values, bodies that start inside each other.
    pub warnings: Vec<String>,
}

impl Scene {
    /// Makes the simulation and looks at its start: bodies deep inside each other are refused, shallow overlaps and
    /// implausible values become warnings.
    ///
    /// # Errors
    /// [`SceneError`] of kind [`Start`](Kind::Start) for a scene without bodies and what the engine does not accept.
    pub fn build(&self) -> Result<BuiltScene, SceneError> {
        if self.bodies.is_empty() {
            let message = format!("{}: the scene has no bodies: no `[[body]]` and no `[[fill]]`", self.source.name);
            return Err(SceneError::bare(Kind::Start, message));
        }
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
        let mut warnings = self.remarks.clone();
        warnings.extend(plausible::warnings(self, &simulation, &overlaps).map_err(refused)?);
        Ok(BuiltScene { simulation, ids, warnings })
    }

    /// The engine's refusal, at the body that it names where it names one.
    fn refused(&self, error: &EngineError) -> SceneError {
        let label = match error {
            EngineError::Body { body, .. } | EngineError::NotFinite { body, .. } => Some(body),
            // The later one: the earlier is usually what it was put into.
            EngineError::StartOverlap { b, .. } => Some(b),
            _ => None,
        };
        let Some(i) = label.and_then(|label| self.called(label)) else {
            return SceneError::bare(Kind::Start, format!("{}: {error}", self.source.name));
        };
        let refusal = self.at_origin(i, error.to_string());
        match error {
            EngineError::StartOverlap { a, .. } => match self.called(a) {
                Some(other) => {
                    let Origin { span, entry } = &self.origins[other];
                    let (line, _) = line_column(&self.source.text, span.start);
                    refusal.help(format!("{a} is of the {entry} on line {line}"))
                }
                None => refusal,
            },
            _ => refusal,
        }
    }

    /// Place of the body that messages call so.
    fn called(&self, label: &str) -> Option<usize> {
        (0..self.bodies.len()).find(|i| plausible::label(self, *i) == label)
    }

    /// A refusal at the body `i`, or at the fill that it comes from.
    fn at_origin(&self, i: usize, message: String) -> SceneError {
        let Origin { span, entry } = &self.origins[i];
        self.source.error(Kind::Start, span.clone(), message).label(format!("this {entry}"))
    }
}

impl BuiltScene {
    /// Handles of the bodies with the given names, which are those of `scene`.
    pub fn ids_of(&self, scene: &Scene, names: &[String]) -> Vec<BodyId> {
        names.iter().filter_map(|name| scene.body(name)).map(|i| self.ids[i]).collect()
    }
}
