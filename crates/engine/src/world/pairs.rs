//! What holds at a contact of two materials: the mixing rule, or what was set for the pair.

use granule_model::{Coefficients, Material, Pose, RestitutionSpeed, Velocity};

use crate::world::bodies::Table;
use crate::world::contact::Contact;

/// Coefficients of each pair of materials, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    table: Vec<Vec<Coefficients>>,
    /// Gravity \[m/s2\], for the natural speed of restitution.
    gravity: f64,
}

impl Pairs {
    /// An empty table for the given gravity \[m/s2\].
    pub(crate) fn new(gravity: f64) -> Self {
        Pairs { table: Vec::new(), gravity }
    }

    /// Adds a material by the mixing rule; `materials` are all, the new one last.
    pub(crate) fn add(&mut self, materials: &[Material]) {
        let Some(new) = materials.last() else { return };
        for (row, other) in self.table.iter_mut().zip(materials) {
            row.push(Coefficients::mix(other, new));
        }
        self.table.push(materials.iter().map(|m| Coefficients::mix(m, new)).collect());
    }

    /// Sets what holds between two materials instead.
    pub(crate) fn set(&mut self, a: usize, b: usize, values: Coefficients) {
        self.table[a][b] = values;
        self.table[b][a] = values;
    }

    /// What holds at a contact of two bodies with the given poses and velocities of all bodies: restitution is that of
    /// its approach speed.
    pub(crate) fn of(&self, table: &Table, contact: &Contact, pose: &[Pose], velocity: &[Velocity]) -> Coefficients {
        let values = self.at(table, contact);
        if values.restitution_speed == RestitutionSpeed::Constant {
            return *values;
        }
        let natural = (self.gravity * 2.0 * contact.radius).sqrt();
        values.at_speed(-contact.normal_velocity(pose, velocity), natural)
    }

    /// What holds at a contact of two bodies at any speed.
    pub(crate) fn at(&self, table: &Table, contact: &Contact) -> &Coefficients {
        let material = |i: u32| table.material[i as usize] as usize;
        self.between(material(contact.a), material(contact.b))
    }

    /// What holds between two materials, by their numbers, at any speed.
    pub(crate) fn between(&self, a: usize, b: usize) -> &Coefficients {
        &self.table[a][b]
    }

    /// Whether any pair has static friction.
    pub(crate) fn have_friction(&self) -> bool {
        self.table.iter().flatten().any(|c| c.static_friction > 0.0)
    }
}
