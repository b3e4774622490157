//! The state of a simulation at one instant, for files and pictures.

use granule_geometry::Shape;
use granule_model::{BodyId, BodyKind, Pose, Velocity};

/// Every body of a simulation at one instant, in the order in which the bodies were added.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Simulated time \[s\].
    pub time: f64,
    /// Steps made so far.
    pub step: u64,
    /// All bodies, static ones and removed ones included.
    pub bodies: Vec<BodySnapshot>,
}

/// One body at one instant.
#[derive(Clone, Debug)]
pub struct BodySnapshot {
    /// Handle.
    pub id: BodyId,
    /// Name; may be empty.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Shape.
    pub shape: Shape,
    /// Pose of the body axes: the position is the centre of mass.
    pub pose: Pose,
    /// Velocity of the centre of mass and angular velocity, world axes.
    pub velocity: Velocity,
    /// Mass \[kg\]; zero for a body without finite mass.
    pub mass: f64,
    /// Number of other bodies that it touches.
    pub contacts: u32,
    /// False once the body was removed during the run (a dividing wall); its pose is then the last one it had.
    pub present: bool,
}

impl BodySnapshot {
    /// Pose of the shape's own axes in the world.
    pub fn own_pose(&self) -> Pose {
        self.pose.compose(&self.shape.frame())
    }
}
