//! The one judge of all laws: residual, momentum and energy of an answer, computed from the problem alone.
//!
//! No law calls it and it calls no law; it recomputes post-velocities from the impulses by its own sums.

use granule_model::{DVec3, Velocity};

use crate::contact::problem::{ContactProblem, Solution};

/// What the judge found. All relative to the scales named. A value is NaN where the answer is: compare with `<=`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Largest approach speed left \[m/s\].
    pub approach_left: f64,
    /// Largest approach speed before \[m/s\].
    pub approach_before: f64,
    /// Most negative normal impulse, relative to the largest impulse \[-\]; zero when none pulls.
    pub pull: f64,
    /// Largest excess of a tangential impulse over mu_s times the normal impulse, relative to the largest impulse
    /// \[-\].
    pub cone_excess: f64,
    /// Difference between the velocities reported and those that the impulses make \[-\], relative to the largest sum
    /// of a body's speed and of the changes by its impulses one by one: a light body between heavy ones takes large
    /// impulses that cancel, and no sum is more exact than its terms. Infinite when an impulse or a velocity is
    /// missing.
    pub velocity_error: f64,
    /// Change of momentum over the sum of |m v|, bodies of finite mass and no contact with the world \[-\].
    pub momentum_error: f64,
    /// Change of angular momentum about the origin over the sum of |r x m v| + |I w| \[-\].
    pub angular_momentum_error: f64,
    /// Kinetic energy before \[J\].
    pub energy_before: f64,
    /// Kinetic energy after \[J\].
    pub energy_after: f64,
}

/// The larger of the two, and NaN where one is: `f64::max` would hide it.
fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Judges `solution` as an answer to `problem`.
pub fn judge(problem: &ContactProblem, solution: &Solution) -> Verdict {
    Judge::default().judge(problem, solution)
}

/// A judge who keeps the memory of a verdict for the next.
#[derive(Debug, Default)]
pub struct Judge {
    /// Velocities that the impulses make, by body.
    expected: Vec<Velocity>,
    /// Sums of a body's speed and of the changes by its impulses \[m/s\], \[rad/s\].
    sums: Vec<(f64, f64)>,
}

impl Judge {
    /// As [`judge`].
    pub fn judge(&mut self, problem: &ContactProblem, solution: &Solution) -> Verdict {
        let mut verdict = Verdict::default();
        judge_impulses(problem, solution, &mut verdict);
        self.judge_velocities(problem, solution, &mut verdict);
        judge_invariants(problem, solution, &mut verdict);
        if solution.impulses.len() != problem.contacts.len() || solution.velocities.len() != problem.bodies.len() {
            verdict.velocity_error = f64::INFINITY;
        }
        verdict
    }

    fn judge_velocities(&mut self, problem: &ContactProblem, solution: &Solution, verdict: &mut Verdict) {
        let Judge { expected, sums } = self;
        expected.clear();
        expected.extend(problem.bodies.iter().map(|b| b.velocity));
        sums.clear();
        sums.extend(expected.iter().map(|v| (v.linear.length(), v.angular.length())));
        for (c, p) in problem.contacts.iter().zip(&solution.impulses) {
            for (body, sign) in [(Some(c.a), 1.0), (c.b, -1.0)] {
                let Some(i) = body else { continue };
                let b = &problem.bodies[i as usize];
                let linear = *p * (sign * b.inverse_mass);
                let angular = b.inverse_inertia * (c.point - b.position).cross(*p * sign);
                expected[i as usize].linear += linear;
                expected[i as usize].angular += angular;
                sums[i as usize].0 += linear.length();
                sums[i as usize].1 += angular.length();
            }
        }
        let linear = sums.iter().map(|s| s.0).fold(f64::MIN_POSITIVE, worst);
        let angular = sums.iter().map(|s| s.1).fold(f64::MIN_POSITIVE, worst);
        for (x, y) in expected.iter().zip(&solution.velocities) {
            let error = worst((x.linear - y.linear).length() / linear, (x.angular - y.angular).length() / angular);
            verdict.velocity_error = worst(verdict.velocity_error, error);
        }
    }
}

fn judge_impulses(problem: &ContactProblem, solution: &Solution, verdict: &mut Verdict) {
    let largest = solution.impulses.iter().map(|p| p.length()).fold(f64::MIN_POSITIVE, f64::max);
    for (c, p) in problem.contacts.iter().zip(&solution.impulses) {
        let p_n = c.normal.dot(*p);
        let p_t = (*p - c.normal * p_n).length();
        verdict.pull = worst(verdict.pull, -p_n / largest);
        verdict.cone_excess = worst(verdict.cone_excess, (p_t - c.coefficients.static_friction * p_n) / largest);
        let u = |v: &dyn Fn(usize) -> Velocity| -> f64 {
            let at = |i: u32| v(i as usize).at(c.point - problem.bodies[i as usize].position);
            c.normal.dot(at(c.a) - c.b.map_or(DVec3::ZERO, at))
        };
        verdict.approach_before = worst(verdict.approach_before, -u(&|i| problem.bodies[i].velocity));
        if solution.velocities.len() == problem.bodies.len() {
            verdict.approach_left = worst(verdict.approach_left, -u(&|i| solution.velocities[i]));
        }
    }
}

fn judge_invariants(problem: &ContactProblem, solution: &Solution, verdict: &mut Verdict) {
    let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    let (mut momentum_scale, mut angular_scale) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE);
    for (b, after) in problem.bodies.iter().zip(&solution.velocities) {
        if b.inverse_mass == 0.0 {
            continue;
        }
        let (mass, inertia) = (b.inverse_mass.recip(), b.inverse_inertia.inverse());
        for (v, sign) in [(&b.velocity, -1.0), (after, 1.0)] {
            let (p, spin) = (v.linear * mass, inertia * v.angular);
            momentum += p * sign;
            angular += (b.position.cross(p) + spin) * sign;
            momentum_scale += p.length();
            angular_scale += b.position.cross(p).length() + spin.length();
            let energy = 0.5 * (v.linear.dot(p) + v.angular.dot(spin));
            if sign < 0.0 {
                verdict.energy_before += energy;
            } else {
                verdict.energy_after += energy;
            }
        }
    }
    let outside: DVec3 = external(problem, solution).map(|(p, _)| p).sum();
    let outside_moment: DVec3 = external(problem, solution).map(|(p, r)| r.cross(p)).sum();
    verdict.momentum_error = (momentum - outside).length() / momentum_scale;
    verdict.angular_momentum_error = (angular - outside_moment).length() / angular_scale;
}

/// Impulses that bodies without finite mass, or the world, exert on the others, with their points.
fn external<'a>(problem: &'a ContactProblem, solution: &'a Solution) -> impl Iterator<Item = (DVec3, DVec3)> + 'a {
    let fixed = |b: Option<u32>| b.is_none_or(|b| problem.bodies[b as usize].inverse_mass == 0.0);
    problem.contacts.iter().zip(&solution.impulses).filter_map(move |(c, p)| match (fixed(Some(c.a)), fixed(c.b)) {
        (false, true) => Some((*p, c.point)),
        (true, false) => Some((-*p, c.point)),
        _ => None,
    })
}
