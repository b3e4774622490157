//! What the tests of impacts share: elastic rock, and shapes by one call.

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Rock that gives everything back.
pub(crate) fn elastic(friction: f64) -> Material {
    Material { restitution: 1.0, static_friction: friction, dynamic_friction: friction, ..ROCK }
}

pub(crate) fn cuboid(size: DVec3) -> Shape {
    Shape::cuboid(size).expect("the size is valid")
}

pub(crate) fn ball(radius: f64) -> Shape {
    Shape::sphere(radius).expect("the radius is valid")
}
