//! The course of a workload: a scene, what is taken out of it on the way, and when it ends.

use granule_engine::{EngineError, Simulation};
use granule_model::BodyId;
use granule_scene::{BuiltScene, Scene};

/// When a workload ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// After so much simulated time \[s\].
    After(f64),
    /// At rest, or after so much simulated time \[s\].
    Rest(f64),
}

impl End {
    /// Whether `simulation` has still to be stepped.
    pub(crate) fn is_ahead(self, simulation: &Simulation) -> bool {
        match self {
            End::After(seconds) => simulation.time() < seconds,
            End::Rest(limit) => simulation.time() < limit && !simulation.at_rest(),
        }
    }
}

/// Bodies that are taken out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Removal {
    /// Before the first step that begins at this time or later \[s\].
    pub(crate) time: f64,
    /// Names of the bodies.
    pub(crate) names: Vec<String>,
}

/// What a workload does.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    /// The scene.
    pub(crate) scene: Scene,
    /// When it ends.
    pub(crate) end: End,
    /// What is taken out, in the order of time.
    pub(crate) removals: Vec<Removal>,
    /// Period of a shaken floor \[s\]; none without.
    pub(crate) floor_period: Option<f64>,
}

impl Course {
    /// The removals with the handles of their bodies.
    pub(crate) fn pending(&self, built: &BuiltScene) -> Pending {
        let handles = |removal: &Removal| (removal.time, built.ids_of(&self.scene, &removal.names));
        Pending(self.removals.iter().rev().map(handles).collect())
    }
}

/// Removals that are still to come, the next one last.
#[derive(Debug)]
pub(crate) struct Pending(Vec<(f64, Vec<BodyId>)>);

impl Pending {
    /// Takes out what is due.
    pub(crate) fn remove_due(&mut self, simulation: &mut Simulation) -> Result<(), EngineError> {
        while let Some((_, ids)) = self.0.pop_if(|(time, _)| *time <= simulation.time()) {
            ids.into_iter().try_for_each(|id| simulation.remove_body(id))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_scene::ReposeOptions;

    #[test]
    fn bodies_are_taken_out_when_it_is_time() {
        let scene = ReposeOptions { count: Some(3), ..ReposeOptions::default() }.scene().expect("valid");
        let removals = [0.0, 0.2].map(|time| {
            let name = if time > 0.0 { "wall" } else { "grain-2" };
            Removal { time, names: vec![name.to_owned()] }
        });
        let course = Course { scene, end: End::After(1.0), removals: removals.into(), floor_period: None };
        let built = course.scene.build().expect("valid");
        let (mut pending, mut simulation) = (course.pending(&built), built.simulation);
        pending.remove_due(&mut simulation).expect("it is there");
        assert_eq!((simulation.dynamic_count(), pending.0.len()), (2, 1));
        while course.end.is_ahead(&simulation) {
            simulation.step().expect("it falls");
            pending.remove_due(&mut simulation).expect("it is there");
            assert_eq!(pending.0.is_empty(), simulation.time() >= 0.2);
        }
    }
}
