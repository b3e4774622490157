//! Long bodies whose mass and moments are told by a formula: boxes, capsules, dumbbells.

use granule_geometry::{Shape, ShapeError};
use granule_model::{DQuat, DVec3, Pose};
use granule_solver::samples::Random;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// What it looks like; lengths \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Edges.
    Cuboid(DVec3),
    /// Radius, and length between the middles of its ends, along its own z axis.
    Capsule(f64, f64),
    /// Two balls of this radius with their middles so far from the centre along x.
    Dumbbell(f64, f64),
}

/// A body that lies along x.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    pub(super) form: Form,
    /// \[kg\]
    pub(super) mass: f64,
    /// About its own axes \[kg m2\].
    pub(super) moments: DVec3,
    /// From its own axes to those in which it lies along x.
    pub(super) rotation: DQuat,
}

impl Solid {
    /// One of length `size` \[m\] and density \[kg/m3\], three to ten times as long as it is thick.
    pub(super) fn draw(random: &mut Random, size: f64, density: f64) -> Self {
        let slender = random.between(0.1, 0.3);
        let wide = random.between(1.0, 2.0);
        match random.below(3) {
            0 => Solid::cuboid(DVec3::new(1.0, wide * slender, slender) * size, density),
            1 => Solid::capsule(0.5 * slender * size, size, density),
            _ => Solid::dumbbell(0.5 * slender * size, 0.5 * size, density),
        }
    }

    /// `m/12 (b^2 + c^2)`.
    pub(super) fn cuboid(size: DVec3, density: f64) -> Self {
        let (mass, square) = (density * size.x * size.y * size.z, size * size);
        let moments = mass / 12.0 * (DVec3::splat(square.element_sum()) - square);
        Solid { form: Form::Cuboid(size), mass, moments, rotation: DQuat::IDENTITY }
    }

    /// A cylinder and two halves of a ball, whose middles are `3 R/8` inside.
    fn capsule(radius: f64, length: f64, density: f64) -> Self {
        let square = radius * radius;
        let (barrel, ends) = (density * PI * square * length, density * 4.0 / 3.0 * PI * square * radius);
        let along = (0.5 * barrel + 0.4 * ends) * square;
        let middle = length * length / 4.0;
        let across = barrel * (middle / 3.0 + square / 4.0) + ends * (0.4 * square + middle + 0.375 * length * radius);
        let rotation = DQuat::from_xyzw(0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2);
        let form = Form::Capsule(radius, length);
        Solid { form, mass: barrel + ends, moments: DVec3::new(across, across, along), rotation }
    }

    fn dumbbell(radius: f64, apart: f64, density: f64) -> Self {
        let mass = 2.0 * density * 4.0 / 3.0 * PI * radius.powi(3);
        let along = 0.4 * mass * radius * radius;
        let across = along + mass * apart * apart;
        let moments = DVec3::new(along, across, across);
        Solid { form: Form::Dumbbell(radius, apart), mass, moments, rotation: DQuat::IDENTITY }
    }

    /// Its shape.
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that make none.
    pub(super) fn shape(&self) -> Result<Shape, ShapeError> {
        match self.form {
            Form::Cuboid(size) => Shape::cuboid(size),
            Form::Capsule(radius, length) => Shape::capsule(radius, length),
            Form::Dumbbell(radius, apart) => {
                let ball = |x: f64| Ok((Pose::from_position(x * DVec3::X), Shape::sphere(radius)?));
                Shape::compound(vec![ball(apart)?, ball(-apart)?])
            }
        }
    }

    /// Angular momentum about its centre, turned so and with this spin \[kg m2/s\].
    pub(super) fn angular_momentum(&self, rotation: DQuat, spin: DVec3) -> DVec3 {
        rotation * (self.moments * (rotation.inverse() * spin))
    }

    /// The spin \[rad/s\] that has this angular momentum.
    pub(super) fn spin(&self, rotation: DQuat, angular_momentum: DVec3) -> DVec3 {
        rotation * ((rotation.inverse() * angular_momentum) / self.moments)
    }
}
