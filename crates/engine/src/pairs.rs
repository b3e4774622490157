//! What holds at a contact of two materials: the mixing rule, or what was set for the pair.

use granule_model::{Coefficients, Material};

use crate::bodies::Bodies;
use crate::description::MaterialId;

/// Coefficients of each pair of materials, row by row.
#[derive(Debug, Default)]
pub(crate) struct Pairs(Vec<Vec<Coefficients>>);

impl Pairs {
    /// Adds a material by the mixing rule; `materials` are all, the new one last.
    pub(crate) fn add(&mut self, materials: &[Material]) {
        let Some(new) = materials.last() else { return };
        for (row, other) in self.0.iter_mut().zip(materials) {
            row.push(Coefficients::mix(other, new));
        }
        self.0.push(materials.iter().map(|m| Coefficients::mix(m, new)).collect());
    }

    /// Sets what holds between two materials instead.
    pub(crate) fn set(&mut self, a: MaterialId, b: MaterialId, values: Coefficients) {
        self.0[a.0 as usize][b.0 as usize] = values;
        self.0[b.0 as usize][a.0 as usize] = values;
    }

    /// What holds at a contact of two bodies, given by dense index.
    pub(crate) fn of(&self, bodies: &Bodies, a: usize, b: usize) -> Coefficients {
        let material = |i: usize| bodies.material[i].0 as usize;
        self.0[material(a)][material(b)]
    }

    /// Whether any pair has static friction.
    pub(crate) fn have_friction(&self) -> bool {
        self.0.iter().flatten().any(|c| c.static_friction > 0.0)
    }
}
