//! Islands for the tests of the sweeps and of Newton steps.

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
            warm_normal: random.unit(),
            warm_tangential: random.in_ball(),
            ..RowInput::BARE
        };
        Row::new(&input, &bodies, &tensors, 1.0)
    };
    let ends = (0..count).flat_map(|i| [(i, (i + 1) % count), (i, count)]);
    let rows = ends.map(|(a, b)| contact(a, b, random)).collect();
    (bodies, tensors, rows)
}

/// A contact between flat ground below and what touches it, with these arms.
fn upright([a, b]: [u32; 2], [arm_a, arm_b]: [DVec3; 2], friction: f64) -> RowInput {
    RowInput {
        a,
        b,
        arm_a,
        arm_b,
        coefficients: Coefficients { static_friction: friction, dynamic_friction: friction, ..Coefficients::BARE },
        radius: 0.5,
        ..RowInput::BARE
    }
}

/// Balls of 1 m and 1 kg on top of each other, on a floor that is the first body, that come down at 1 m/s.
pub(super) fn column(count: u32, friction: f64) -> (Vec<SolverBody>, Vec<DMat3>, Vec<Row>) {
    let falls = Velocity { linear: DVec3::NEG_Z, angular: DVec3::ZERO };
    let ball = SolverBody::new(falls, 1.0, &InverseInertia::Isotropic(10.0));
    let floor = SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO);
    let all = std::iter::once(floor).chain(std::iter::repeat_n(ball, count as usize));
    let (bodies, tensors): (Vec<_>, Vec<_>) = all.unzip();
    let arms = [DVec3::Z * -0.5, DVec3::Z * 0.5];
    let rows = (0..count).map(|i| Row::new(&upright([i + 1, i], arms, friction), &bodies, &tensors, 1.0)).collect();
    (bodies, tensors, rows)
}

/// Cubes of 1 m and 1 kg on top of each other, on a floor that is the last body, before a step in which they come
/// with `velocity`.
pub(super) fn tower(count: u32, friction: f64, velocity: DVec3) -> (Vec<SolverBody>, Vec<DMat3>, Vec<Row>) {
    let velocity = Velocity { linear: velocity, angular: DVec3::ZERO };
    let cube = SolverBody::new(velocity, 1.0, &InverseInertia::Isotropic(6.0));
    let floor = SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO);
    let all = std::iter::repeat_n(cube, count as usize).chain([floor]);
    let (bodies, tensors): (Vec<_>, Vec<_>) = all.unzip();
    let corners = [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)];
    let contact = |k: u32, (x, y): (f64, f64)| {
        let b = if k == 0 { count } else { k - 1 };
        let input = upright([k, b], [DVec3::new(x, y, -0.5), DVec3::new(x, y, 0.5)], friction);
        Row::new(&input, &bodies, &tensors, 0.01)
    };
    let rows = (0..count).flat_map(|k| corners.map(|corner| contact(k, corner))).collect();
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
