//! From a [`Scene`] to a simulation.

use granule_engine::{BodyDescription, EngineError, Simulation};
use granule_model::BodyId;

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::plausible;
use crate::scene::Scene;

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
    /// Makes the simulation and looks at its start: bodies deep inside each other are refused, shallow overlaps and
    /// implausible values become warnings.
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
