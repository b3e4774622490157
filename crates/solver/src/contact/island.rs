//! One island of bodies and contacts, and the algebra of a single contact.
//!
//! Notation of the whole crate: `u = u_A - u_B` is the relative velocity of the two material points at the contact,
//! `u_n = n.u` its normal component (negative while approaching). An impulse `p` acts as `+p` on A and `-p` on B and
//! changes `u` by `K p`, where
//!
//! ```text
//! K = (1/m_A + 1/m_B) 1 - [r_A] I_A^-1 [r_A] - [r_B] I_B^-1 [r_B]
//! ```
//!
//! is symmetric and positive definite as long as one of the bodies can move.

use granule_model::{Coefficients, DMat3, DVec3, InverseInertia, Velocity};

use crate::contact::blocks::Block;

/// A body as the solver sees it: one cache line, so that the innermost loop touches one line per body.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct SolverBody {
    /// Velocity, changed by impulses.
    pub velocity: Velocity,
    /// 1/m \[1/kg\]; zero for static and driven bodies.
    pub inverse_mass: f64,
    /// 1/I \[1/(kg m2)\] of a body with the same moment about every axis; [`SolverBody::GENERAL`] says that the tensor
    /// beside the bodies holds instead.
    inverse_inertia: f64,
}

impl SolverBody {
    /// Whether it is driven and turns.
    pub(crate) fn carries_round(&self) -> bool {
        self.inverse_mass == 0.0 && self.velocity.angular != DVec3::ZERO
    }

    /// Marks a body whose inverse inertia is a tensor; no inverse moment is negative.
    const GENERAL: f64 = -1.0;

    /// A body with the given velocity and inertia, and the tensor to store beside it.
    pub fn new(velocity: Velocity, inverse_mass: f64, inertia: &InverseInertia) -> (Self, DMat3) {
        let (inverse_inertia, tensor) = match inertia {
            InverseInertia::Isotropic(s) => (*s, DMat3::ZERO),
            InverseInertia::General(m) => (Self::GENERAL, *m),
        };
        (SolverBody { velocity, inverse_mass, inverse_inertia }, tensor)
    }

    /// Whether its inverse inertia is a tensor.
    pub(crate) fn is_general(&self) -> bool {
        self.inverse_inertia < 0.0
    }

    /// 1/I, or a negative number where it is a tensor.
    #[inline(always)]
    pub(crate) fn inverse_inertia(&self) -> f64 {
        self.inverse_inertia
    }

    /// Kinetic energy \[J\]; zero without finite mass.
    fn kinetic_energy(&self, tensor: &DMat3) -> f64 {
        if self.inverse_mass == 0.0 {
            return 0.0;
        }
        let w = self.velocity.angular;
        let momentum = if self.inverse_inertia >= 0.0 { w / self.inverse_inertia } else { tensor.inverse() * w };
        0.5 * (self.velocity.linear.length_squared() / self.inverse_mass + w.dot(momentum))
    }

    /// Change of angular velocity by the angular impulse `l`.
    #[inline(always)]
    fn spin(&self, tensor: &DMat3, l: DVec3) -> DVec3 {
        if self.inverse_inertia >= 0.0 { self.inverse_inertia * l } else { *tensor * l }
    }
}

/// What the engine says of one contact.
#[derive(Clone, Copy, Debug)]
pub struct RowInput {
    /// Body A, index within the island.
    pub a: u32,
    /// Body B, index within the island.
    pub b: u32,
    /// From the centre of A to the contact point \[m\].
    pub arm_a: DVec3,
    /// From the centre of B to the contact point \[m\].
    pub arm_b: DVec3,
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Gap \[m\], negative for overlap.
    pub gap: f64,
    /// Coefficients of the pair.
    pub coefficients: Coefficients,
    /// Equal-volume radius of the smaller body \[m\]: the arm of rolling and torsional friction.
    pub radius: f64,
    /// Overlap that is judged where a step leaves more \[m\].
    pub allowance: f64,
    /// What the relative velocity of the features that touch changes by in half of the step because bodies turn, beside
    /// that of the points at the ends of the arms \[m/s\]: the stage asks that `u + drift` closes the gap and sticks.
    /// Zero where the step is an instant.
    pub drift: DVec3,
    /// Share of the drift by which driven bodies have another velocity at the end of the step than at the ends of the
    /// arms, for the work that they do \[-\]: 0 where the velocities of the step's start lag by as much.
    pub arc: f64,
    /// Whether a driven body that turns carries the other one with it.
    pub rides: bool,
    /// Normal impulse to start from \[N s\].
    pub warm_normal: f64,
    /// Tangential impulse to start from \[N s\].
    pub warm_tangential: DVec3,
}

impl RowInput {
    /// What nobody says more of: bodies 0 and 1 touch at their centres, B below A, without coefficients, at an instant,
    /// at no overlap that is judged, and nothing to start from.
    pub const BARE: RowInput = RowInput {
        a: 0,
        b: 1,
        arm_a: DVec3::ZERO,
        arm_b: DVec3::ZERO,
        normal: DVec3::Z,
        gap: 0.0,
        coefficients: Coefficients::BARE,
        radius: 0.0,
        allowance: f64::INFINITY,
        drift: DVec3::ZERO,
        arc: 0.0,
        rides: false,
        warm_normal: 0.0,
        warm_tangential: DVec3::ZERO,
    };
}

/// One contact, prepared: what every sweep reads, and the impulses that it changes.
///
/// Sweeps go through a copy of what they need, see `stage`. What goes through all contacts beside them (back from the
/// sweeps, velocities, energies, the book) asks of each no more than two to four of its five lines of the cache, which
/// stand in the order of the fields below.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Row {
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Body A, index within the island.
    pub a: u32,
    /// Body B, index within the island.
    pub b: u32,
    /// `1/k_normal`: the sweeps multiply where they would divide.
    pub(crate) mass_normal: f64,
    /// `1/k_tangent`.
    pub(crate) mass_tangent: f64,
    /// Static friction \[-\].
    pub static_friction: f64,
    /// Dynamic friction \[-\].
    pub dynamic_friction: f64,
    /// Arm on A \[m\].
    pub arm_a: DVec3,
    /// Arm on B \[m\].
    pub arm_b: DVec3,
    /// Normal restitution \[-\].
    pub restitution: f64,
    /// `n.K n` \[1/kg\].
    pub k_normal: f64,
    /// Normal impulse of this step \[N s\].
    pub normal_impulse: f64,
    /// Tangential impulse of this step \[N s\].
    pub tangential_impulse: DVec3,
    /// Rolling and torsional impulse of this step \[N m s\].
    pub angular_impulse: DVec3,
    /// Gap \[m\].
    pub gap: f64,
    /// Normal velocity with which it came into the step, before the forces \[m/s\].
    pub(crate) came: f64,
    /// The one after the contact stage \[m/s\].
    pub(crate) left: f64,
    /// Work that the normal impulse of the contact stage took, `-P_n (u_n- + u_n+)/2` \[J\].
    pub normal_work: f64,
    /// Work that its friction took, rolling and torsion included \[J\].
    pub(crate) friction_work: f64,
    /// What the contact stage took from E* here, `-P.(u_0 + u_+)/2` with the velocity before the forces of the step
    /// \[J\].
    pub star_work: f64,
    /// Equal-volume radius of the smaller body \[m\].
    pub radius: f64,
    /// Overlap that is judged where a step leaves more \[m\], to seven digits.
    pub(crate) allowance: f32,
    /// See [`RowInput::drift`] \[m/s\]: seven digits of what is of second order do.
    pub(crate) drift: [f32; 3],
    /// See [`RowInput::arc`] \[-\].
    pub(crate) arc: f32,
    /// Whether normal and tangential motion do not couple, and K is the same in all tangential directions: spheres.
    pub(crate) is_central: bool,
    /// See [`RowInput::rides`].
    pub(crate) rides: bool,
    /// Whether it carried nothing in the last step, or nobody says what it did.
    pub(crate) starts_cold: bool,
    /// Largest eigenvalue of K in the tangent plane \[1/kg\].
    pub k_tangent: f64,
    /// Tangential part of `K n`: what a normal impulse does to the sliding velocity \[1/kg\].
    pub coupling: DVec3,
    /// Approach speed that just closes the gap in this step: `gap/dt` where the gap is open, else 0 \[m/s\].
    pub bias: f64,
    /// Rolling friction times radius \[m\].
    pub rolling_arm: f64,
    /// Torsional friction times radius \[m\].
    pub torsional_arm: f64,
}

// One number more would take a line of the cache more.
const _: () = assert!(size_of::<Row>() == 320);

impl Row {
    /// Scales friction back onto the cone, which rounding to single precision or a Newton step may have left.
    pub(crate) fn keep_in_cone(&mut self) {
        let limit = self.static_friction * self.normal_impulse;
        let squared = self.tangential_impulse.length_squared();
        if squared > limit * limit {
            self.tangential_impulse *= limit / squared.sqrt();
        }
    }

    /// A contact prepared for the bodies of its island; see [`Row::prepare`].
    pub fn new(input: &RowInput, bodies: &[SolverBody], tensors: &[DMat3], dt: f64) -> Self {
        let mut row = Row::default();
        row.prepare(input, bodies, tensors, dt);
        row
    }

    /// Becomes a contact for the bodies of its island; `dt` \[s\] is the time in which an open gap may close.
    ///
    /// It is written where it stands: 320 bytes that were made elsewhere and copied took 4 % of the time of a pack.
    #[inline(always)]
    pub fn prepare(&mut self, input: &RowInput, bodies: &[SolverBody], tensors: &[DMat3], dt: f64) {
        let (c, n) = (&input.coefficients, input.normal);
        (self.a, self.b, self.normal) = (input.a, input.b, n);
        (self.arm_a, self.arm_b) = (input.arm_a, input.arm_b);
        (self.gap, self.bias, self.radius) = (input.gap, input.gap.max(0.0) / dt, input.radius);
        self.allowance = input.allowance as f32;
        self.drift = input.drift.as_vec3().to_array();
        self.arc = input.arc as f32;
        (self.rides, self.starts_cold) = (input.rides, input.warm_normal == 0.0);
        (self.static_friction, self.dynamic_friction) = (c.static_friction, c.dynamic_friction);
        self.restitution = c.restitution;
        self.rolling_arm = c.rolling_friction * input.radius;
        self.torsional_arm = c.torsional_friction * input.radius;
        self.normal_impulse = input.warm_normal;
        self.tangential_impulse = input.warm_tangential - n * n.dot(input.warm_tangential);
        self.angular_impulse = DVec3::ZERO;
        (self.came, self.left) = (0.0, 0.0);
        (self.normal_work, self.friction_work, self.star_work) = (0.0, 0.0, 0.0);
        if bodies[self.a as usize].is_general() || bodies[self.b as usize].is_general() {
            self.is_central = false;
            self.set_mobility(bodies, tensors);
        } else {
            self.set_isotropic_mobility(bodies);
        }
        self.mass_normal = self.k_normal.recip();
        self.mass_tangent = self.k_tangent.recip();
    }

    /// Mobilities by three products with K.
    fn set_mobility(&mut self, bodies: &[SolverBody], tensors: &[DMat3]) {
        let n = self.normal;
        let kn = self.mobility(bodies, tensors, n);
        self.k_normal = n.dot(kn);
        self.coupling = kn - n * self.k_normal;
        let t = n.any_orthonormal_vector();
        let s = n.cross(t);
        let (kt, ks) = (self.mobility(bodies, tensors, t), self.mobility(bodies, tensors, s));
        self.k_tangent = largest_eigenvalue(t.dot(kt), s.dot(kt), s.dot(ks));
    }

    /// Mobilities between bodies with equal moments, in closed form. With the arm `r = h n + p`, p in the tangent
    /// plane, and i = 1/I,
    ///
    /// ```text
    /// K n = (1/m_A + 1/m_B) n + sum i (p.p n - h p),     t.K t = 1/m_A + 1/m_B + sum i r.r - t.(sum i p p^T) t
    /// ```
    ///
    /// so that the largest eigenvalue in the plane comes from the smallest one of `sum i p p^T`, whose trace and
    /// determinant are `sum i p.p` and `i_A i_B (n.(p_A x p_B))^2`.
    #[inline(always)]
    fn set_isotropic_mobility(&mut self, bodies: &[SolverBody]) {
        let n = self.normal;
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let (h_a, p_a) = central(&mut self.arm_a, n, a.inverse_inertia);
        let (h_b, p_b) = central(&mut self.arm_b, n, b.inverse_inertia);
        let (i_a, i_b) = (a.inverse_inertia, b.inverse_inertia);
        let mass = a.inverse_mass + b.inverse_mass;
        let trace = i_a * p_a.length_squared() + i_b * p_b.length_squared();
        let cross = n.dot(p_a.cross(p_b));
        let half = 0.5 * trace;
        let least = half - (half * half - i_a * i_b * cross * cross).max(0.0).sqrt();
        self.is_central = trace == 0.0;
        self.k_normal = mass + trace;
        self.coupling = -(p_a * (i_a * h_a) + p_b * (i_b * h_b));
        self.k_tangent = mass + trace + i_a * h_a * h_a + i_b * h_b * h_b - least;
    }

    /// Lets a contact start anew from other impulses, after its gap has become `gap` \[m\]; none for one that must not
    /// act any more in this step of `dt` \[s\].
    pub fn restart(&mut self, gap: Option<f64>, dt: f64, normal_impulse: f64, tangential_impulse: DVec3) {
        // No approach speed closes an infinite gap.
        self.bias = gap.map_or(f64::INFINITY, |gap| gap.max(0.0) / dt);
        let acts = if gap.is_some() { 1.0 } else { 0.0 };
        self.normal_impulse = acts * normal_impulse;
        self.tangential_impulse = acts * (tangential_impulse - self.normal * self.normal.dot(tangential_impulse));
        self.angular_impulse = DVec3::ZERO;
    }

    /// See [`RowInput::drift`] \[m/s\].
    #[inline(always)]
    pub fn drift(&self) -> DVec3 {
        let [x, y, z] = self.drift.map(f64::from);
        DVec3::new(x, y, z)
    }

    /// By how much driven bodies have another relative velocity at the end of the step than at the ends of the arms
    /// \[m/s\].
    pub(crate) fn arc(&self) -> DVec3 {
        self.drift() * f64::from(self.arc)
    }

    /// How fast a contact may come without being struck because a driven body that turns carried it before: an eighth
    /// of what that does along the normal in a step \[m/s\].
    pub fn ride(&self) -> f64 {
        if self.rides && !self.starts_cold { 0.25 * self.normal.dot(self.drift()).abs() } else { 0.0 }
    }

    /// Whether it carried nothing in the last step, and no driven body that turns carries it.
    pub fn is_new(&self) -> bool {
        self.starts_cold && !self.rides
    }

    /// Whether one of its bodies is driven and turns.
    pub fn is_carried_round(&self, bodies: &[SolverBody]) -> bool {
        [self.a, self.b].iter().any(|i| bodies[*i as usize].carries_round())
    }

    /// The bodies, the point and the normal of the contact.
    #[inline(always)]
    pub(crate) fn lever(&self) -> Lever {
        Lever { normal: self.normal, arm_a: self.arm_a, arm_b: self.arm_b, a: self.a, b: self.b }
    }

    /// `K p`: the change of relative velocity by an impulse `p`.
    pub fn mobility(&self, bodies: &[SolverBody], tensors: &[DMat3], p: DVec3) -> DVec3 {
        self.lever().mobility(bodies, tensors, p)
    }

    /// The collision matrix K \[1/kg\].
    pub fn collision_matrix(&self, bodies: &[SolverBody], tensors: &[DMat3]) -> DMat3 {
        self.lever().collision_matrix(bodies, tensors)
    }

    /// Relative velocity of A against B at the contact \[m/s\].
    #[inline(always)]
    pub fn relative_velocity(&self, bodies: &[SolverBody]) -> DVec3 {
        self.lever().relative_velocity(bodies)
    }

    /// Normal velocity with these velocities of the bodies \[m/s\].
    pub fn speed_at(&self, velocity: &[Velocity]) -> f64 {
        self.normal.dot(self.velocity_at(velocity))
    }

    /// Relative velocity of A against B with these velocities of the bodies \[m/s\].
    pub fn velocity_at(&self, velocity: &[Velocity]) -> DVec3 {
        velocity[self.a as usize].at(self.arm_a) - velocity[self.b as usize].at(self.arm_b)
    }

    /// Normal velocity at the end of the stage if its own impulse had not been there, with what a driven body that
    /// turns does to it \[m/s\].
    pub fn speed_unstopped(&self) -> f64 {
        let carried = if self.rides { self.normal.dot(self.drift()) } else { 0.0 };
        self.left - self.k_normal * self.normal_impulse + carried
    }

    /// Its normal component: negative while approaching \[m/s\].
    #[inline(always)]
    pub fn normal_velocity(&self, bodies: &[SolverBody]) -> f64 {
        self.normal.dot(self.relative_velocity(bodies))
    }

    /// Applies the impulse `p` \[N s\] at the contact.
    #[inline(always)]
    pub fn apply(&self, bodies: &mut [SolverBody], tensors: &[DMat3], p: DVec3) {
        self.lever().apply(bodies, tensors, p);
    }

    /// Applies the angular impulse `l` \[N m s\] to A and its opposite to B.
    pub fn apply_angular(&self, bodies: &mut [SolverBody], tensors: &[DMat3], l: DVec3) {
        self.lever().apply_angular(bodies, tensors, l);
    }

    /// Total impulse of this step \[N s\].
    pub fn impulse(&self) -> DVec3 {
        self.normal * self.normal_impulse + self.tangential_impulse
    }

    /// Change of relative angular velocity by the angular impulse `l`.
    pub(crate) fn angular_mobility(&self, bodies: &[SolverBody], tensors: &[DMat3], l: DVec3) -> DVec3 {
        let (a, b) = (self.a as usize, self.b as usize);
        bodies[a].spin(&tensors[a], l) + bodies[b].spin(&tensors[b], l)
    }
}

/// Where a contact acts on its two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lever {
    /// Unit normal from B to A.
    pub(crate) normal: DVec3,
    /// Arm on A \[m\].
    pub(crate) arm_a: DVec3,
    /// Arm on B \[m\].
    pub(crate) arm_b: DVec3,
    /// Body A.
    pub(crate) a: u32,
    /// Body B.
    pub(crate) b: u32,
}

impl Lever {
    /// The same with bodies counted from the one of number `first`.
    #[inline(always)]
    pub(crate) fn shifted(self, first: u32) -> Self {
        Lever { a: self.a - first, b: self.b - first, ..self }
    }

    /// As [`Row::apply_angular`].
    pub(crate) fn apply_angular(&self, bodies: &mut [SolverBody], tensors: &[DMat3], l: DVec3) {
        let (a, b) = (self.a as usize, self.b as usize);
        let change = bodies[a].spin(&tensors[a], l);
        bodies[a].velocity.angular += change;
        let change = bodies[b].spin(&tensors[b], l);
        bodies[b].velocity.angular -= change;
    }

    /// As [`Row::mobility`].
    pub(crate) fn mobility(&self, bodies: &[SolverBody], tensors: &[DMat3], p: DVec3) -> DVec3 {
        let (a, b) = (self.a as usize, self.b as usize);
        let turn = |i: usize, r: DVec3| bodies[i].spin(&tensors[i], r.cross(p)).cross(r);
        p * (bodies[a].inverse_mass + bodies[b].inverse_mass) + turn(a, self.arm_a) + turn(b, self.arm_b)
    }

    /// As [`Row::collision_matrix`].
    pub(crate) fn collision_matrix(&self, bodies: &[SolverBody], tensors: &[DMat3]) -> DMat3 {
        DMat3::from_cols(
            self.mobility(bodies, tensors, DVec3::X),
            self.mobility(bodies, tensors, DVec3::Y),
            self.mobility(bodies, tensors, DVec3::Z),
        )
    }

    /// As [`Row::relative_velocity`].
    #[inline(always)]
    pub(crate) fn relative_velocity(&self, bodies: &[SolverBody]) -> DVec3 {
        let (a, b) = (&bodies[self.a as usize].velocity, &bodies[self.b as usize].velocity);
        a.at(self.arm_a) - b.at(self.arm_b)
    }

    /// As [`Row::apply`].
    #[inline(always)]
    pub(crate) fn apply(&self, bodies: &mut [SolverBody], tensors: &[DMat3], p: DVec3) {
        let (a, b) = (self.a as usize, self.b as usize);
        let body = &mut bodies[a];
        body.velocity.linear += p * body.inverse_mass;
        body.velocity.angular += body.spin(&tensors[a], self.arm_a.cross(p));
        let body = &mut bodies[b];
        body.velocity.linear -= p * body.inverse_mass;
        body.velocity.angular -= body.spin(&tensors[b], self.arm_b.cross(p));
    }
}

/// The largest eigenvalue of the symmetric matrix `[[tt, ts], [ts, ss]]`: a gradient step of its inverse cannot
/// overshoot, and does not depend on the choice of axes.
pub(crate) fn largest_eigenvalue(tt: f64, ts: f64, ss: f64) -> f64 {
    let half = 0.5 * (tt - ss);
    0.5 * (tt + ss) + (half * half + ts * ts).sqrt()
}

/// Distance of a line of contact from the centre of a body, over the arm, that is rounding.
const CENTRAL: f64 = 1e-13;

/// Arm along the normal, and the rest of it in the tangent plane. Where that is rounding the arm is put upon the
/// normal: spheres then spin by friction alone.
fn central(arm: &mut DVec3, n: DVec3, inverse_inertia: f64) -> (f64, DVec3) {
    let h = n.dot(*arm);
    let p = *arm - n * h;
    if inverse_inertia > 0.0 && p.length_squared() <= CENTRAL * CENTRAL * h * h {
        *arm = n * h;
        return (h, DVec3::ZERO);
    }
    (h, p)
}

/// One island: its bodies (copies of the static and driven ones that it touches among them) and its contacts.
///
/// Islands share nothing, so they may be solved side by side.
#[derive(Debug)]
pub struct Island<'a> {
    /// Bodies; contacts name them by index.
    pub bodies: &'a mut [SolverBody],
    /// Inverse inertia tensors of the bodies that are not isotropic; zero for the others.
    pub tensors: &'a [DMat3],
    /// Contacts, in an order that stays the same from step to step.
    pub rows: &'a mut [Row],
    /// Pieces that may be worked on side by side; none of a small island.
    pub blocks: &'a [Block],
}

impl Island<'_> {
    /// Bodies that can move.
    pub fn movable(&self) -> impl Iterator<Item = &SolverBody> {
        self.bodies.iter().filter(|body| body.inverse_mass > 0.0)
    }

    /// Kinetic energy of what the solver can change \[J\], up to the factor that static bodies have no share.
    pub fn kinetic_energy(&self) -> f64 {
        kinetic_energy(self.bodies, self.tensors)
    }
}

/// Kinetic energy of some bodies \[J\]; those without finite mass have none.
pub(crate) fn kinetic_energy(bodies: &[SolverBody], tensors: &[DMat3]) -> f64 {
    bodies.iter().zip(tensors).map(|(body, tensor)| body.kinetic_energy(tensor)).sum()
}
