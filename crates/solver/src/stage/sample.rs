//! An island for the tests of the sweeps.

use granule_model::{Coefficients, DMat3, DVec3, InverseInertia, Velocity};

use crate::contact::island::{Row, RowInput, SolverBody};
use crate::contact::samples::Random;

/// `count` bodies in a closed chain with a floor, balls and bodies with a tensor in turn, at random: two contacts to a
/// body.
pub(super) fn chain_on_floor(
    random: &mut Random,
    count: u32,
    friction: f64,
) -> (Vec<SolverBody>, Vec<DMat3>, Vec<Row>) {
    let velocity = |random: &mut Random| Velocity { linear: random.in_ball(), angular: random.in_ball() };
    let body = |i: u32, random: &mut Random| {
        let inertia = if i.is_multiple_of(2) {
            InverseInertia::Isotropic(random.between(1.0, 3.0))
        } else {
            let axes = random.axes();
            InverseInertia::General(axes * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)) * axes.transpose())
        };
        SolverBody::new(velocity(random), random.between(0.1, 10.0), &inertia)
    };
    let mut pairs: Vec<_> = (0..count).map(|i| body(i, random)).collect();
    pairs.push(SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO));
    let (bodies, tensors): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let contact = |a: u32, b: u32, random: &mut Random| {
        let coefficients =
            Coefficients { static_friction: friction, dynamic_friction: 0.5 * friction, ..Coefficients::BARE };
        let coefficients = Coefficients { rolling_friction: 0.1, torsional_friction: 0.1, ..coefficients };
        let input = RowInput {
            a,
            b,
            arm_a: random.in_ball(),
            arm_b: random.in_ball(),
            normal: random.direction(),
            gap: random.between(-0.1, 0.1),
            coefficients,
            radius: 1.0,
            allowance: f64::INFINITY,
            drift: DVec3::ZERO,
            arc: 0.0,
            rides: false,
            warm_normal: random.unit(),
            warm_tangential: random.in_ball(),
        };
        Row::new(&input, &bodies, &tensors, 1.0)
    };
    let ends = (0..count).flat_map(|i| [(i, (i + 1) % count), (i, count)]);
    let rows = ends.map(|(a, b)| contact(a, b, random)).collect();
    (bodies, tensors, rows)
}

impl SolverBody {
    /// The same in a world `length` times as large and `mass` times as heavy, in which time goes on as here.
    pub(super) fn scaled(&self, length: f64, mass: f64) -> Self {
        let velocity = Velocity { linear: self.velocity.linear * length, ..self.velocity };
        let per_inertia = 1.0 / (mass * length * length);
        let inertia = match self.is_general() {
            true => InverseInertia::General(DMat3::ZERO),
            false => InverseInertia::Isotropic(self.inverse_inertia() * per_inertia),
        };
        SolverBody::new(velocity, self.inverse_mass / mass, &inertia).0
    }
}

impl Row {
    /// The same in such a world.
    pub(super) fn scaled(&self, length: f64, mass: f64) -> Self {
        Row {
            arm_a: self.arm_a * length,
            arm_b: self.arm_b * length,
            coupling: self.coupling / mass,
            k_normal: self.k_normal / mass,
            k_tangent: self.k_tangent / mass,
            mass_normal: self.mass_normal * mass,
            mass_tangent: self.mass_tangent * mass,
            bias: self.bias * length,
            drift: self.drift.map(|x| x * length as f32),
            gap: self.gap * length,
            radius: self.radius * length,
            rolling_arm: self.rolling_arm * length,
            torsional_arm: self.torsional_arm * length,
            normal_impulse: self.normal_impulse * (mass * length),
            tangential_impulse: self.tangential_impulse * (mass * length),
            angular_impulse: self.angular_impulse * (mass * length * length),
            ..*self
        }
    }
}
