//! What the tests of this crate share.

use granule_engine::prelude::*;

/// The material of every body.
pub(crate) const ROCK: Material = Material {
    density: 2650.0,
    restitution_speed: granule_model::RestitutionSpeed::Constant,
    restitution: 0.3,
    tangential_restitution: 0.0,
    static_friction: 0.4,
    dynamic_friction: 0.4,
    rolling_friction: 0.0,
    torsional_friction: 0.0,
    stiffness: 1.0,
};
