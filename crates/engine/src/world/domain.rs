//! The box in which dynamic bodies are followed, and what becomes of one that leaves it.

use granule_model::DVec3;

use crate::world::error::EngineError;

/// The box in which dynamic bodies are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Lowest corner \[m\]; components may be minus infinity.
    pub min: DVec3,
    /// Highest corner \[m\], above `min` along every axis; components may be infinity.
    pub max: DVec3,
    /// What becomes of a body whose centre of mass is outside.
    pub leaving: Leaving,
}

/// What becomes of a body that leaves the domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaving {
    /// It is taken out and listed in [`Simulation::removed_bodies`](crate::Simulation::removed_bodies).
    #[default]
    Remove,
    /// No further step is made: [`EngineError::LeftDomain`].
    Error,
}

impl Domain {
    /// Whether a point is inside; the faces are.
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Refuses a box without inside.
    pub(crate) fn validate(&self) -> Result<(), EngineError> {
        for axis in 0..3 {
            // Written so that NaN is refused.
            let is_open = self.min[axis] < self.max[axis];
            if !is_open {
                let expected = "below `domain.max` along every axis";
                return Err(EngineError::Setting { field: "domain.min", value: self.min[axis], expected });
            }
        }
        Ok(())
    }
}
