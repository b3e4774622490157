//! What the tests of this crate share: bodies made by hand and a small generator of numbers.

use granule_engine::{BodySnapshot, Snapshot};
use granule_geometry::Shape;
use granule_model::{BodyId, BodyKind, DVec3, Pose, Velocity};

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each component in [-0.5, 0.5).
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) - 0.5
    }
}

pub(crate) fn sphere_at(index: u32, position: DVec3, radius: f64) -> BodySnapshot {
    BodySnapshot {
        id: BodyId::new(0, index, 0),
        name: String::new(),
        kind: BodyKind::Dynamic,
        shape: Shape::sphere(radius).expect("a radius above 0"),
        pose: Pose::from_position(position),
        velocity: Velocity::ZERO,
        mass: 1.0,
        contacts: 0,
        present: true,
    }
}

pub(crate) fn snapshot(bodies: Vec<BodySnapshot>) -> Snapshot {
    Snapshot { time: 0.0, step: 0, bodies }
}

pub(crate) fn fixed(index: u32, shape: Shape, position: DVec3) -> BodySnapshot {
    let body = sphere_at(index, position, 1.0);
    BodySnapshot { kind: BodyKind::Static, shape, mass: 0.0, ..body }
}
