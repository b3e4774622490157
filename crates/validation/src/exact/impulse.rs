//! The impulse between two rigid balls, or a ball and what does not move, with Newton's restitution and Coulomb's
//! friction.
//!
//! The tangential mobility of two balls is `7/2` of the normal one `k = 1/m_a + 1/m_b` in every direction, as
//! `1/m + R^2/I = (7/2)/m`, and an impulse along the normal changes no slip. So slip keeps its direction, and with `n`
//! from b to a, approach speed `w` and slip `s` before
//!
//! ```text
//! P = (1 + e) w / k n  -  min(|s| / (7 k/2), mu (1 + e) w / k) s/|s|
//! ```
//!
//! whatever the force does in between: friction is at its limit until the slip is gone, and has nothing to do after
//! that. Restitution of Newton, of Poisson and of energy are one here.

use granule_model::{DVec3, Velocity};

/// A ball: radius \[m\], mass \[kg\] (infinite for what does not move), velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) radius: f64,
    pub(super) mass: f64,
    pub(super) velocity: Velocity,
}

impl Ball {
    /// A ball of a material of this density \[kg/m3\].
    pub(super) fn solid(radius: f64, density: f64, velocity: Velocity) -> Self {
        Ball { radius, mass: density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3), velocity }
    }

    /// What does not move.
    pub(super) fn fixed() -> Self {
        Ball { radius: 0.0, mass: f64::INFINITY, velocity: Velocity::ZERO }
    }

    /// Moment of inertia \[kg m2\].
    pub(super) fn moment(&self) -> f64 {
        0.4 * self.mass * self.radius * self.radius
    }

    /// Velocity of its surface in the direction `to` from its middle.
    fn surface(&self, to: DVec3) -> DVec3 {
        self.velocity.linear + self.velocity.angular.cross(self.radius * to)
    }

    /// After an impulse on its surface in the direction `to` from its middle.
    fn struck(&self, to: DVec3, impulse: DVec3) -> Velocity {
        if self.mass.is_infinite() {
            return self.velocity;
        }
        Velocity {
            linear: self.velocity.linear + impulse / self.mass,
            angular: self.velocity.angular + (self.radius * to).cross(impulse) / self.moment(),
        }
    }
}

/// Velocities of `a` and `b` after they met with the normal `n` from b to a.
pub(super) fn after(a: &Ball, b: &Ball, n: DVec3, restitution: f64, friction: f64) -> [Velocity; 2] {
    let mobility = a.mass.recip() + b.mass.recip();
    let relative = a.surface(-n) - b.surface(n);
    let normal = (1.0 + restitution) * -relative.dot(n) / mobility;
    let slip = relative.reject_from_normalized(n);
    let held = slip.length() / (3.5 * mobility);
    let tangential = slip.normalize_or_zero() * held.min(friction * normal);
    let impulse = normal * n - tangential;
    [a.struck(-n, impulse), b.struck(n, -impulse)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::stage::WITH_FRICTION;
    use granule_model::Coefficients;
    use granule_solver::samples::{self, Random};
    use granule_solver::{ContactProblem, Law, ProblemBody, ProblemContact};

    /// `2.5 mu (1 + e) v_n / R` for one that slips, 5/7 of the speed for one that holds.
    #[test]
    fn a_ball_on_a_floor_slips_or_rolls() {
        let velocity = Velocity { linear: DVec3::new(5.0, 0.0, -2.0), angular: DVec3::ZERO };
        let ball = Ball::solid(0.0025, 4000.0, velocity);
        let [slipped, _] = after(&ball, &Ball::fixed(), DVec3::Z, 1.0, 0.1);
        assert!((slipped.angular.y - 400.0).abs() <= 1e-9 && slipped.linear.z == 2.0);
        let [held, _] = after(&ball, &Ball::fixed(), DVec3::Z, 0.0, 5.0);
        assert!(
            (held.linear.x - 25.0 / 7.0).abs() <= 1e-12 && (held.angular.y * 0.0025 - held.linear.x).abs() <= 1e-12
        );
    }

    /// The laws with friction answer so to one contact: what a step is off is not theirs. Measured: 1e-15 of the speed.
    #[test]
    fn laws_with_friction_answer_so_to_one_contact() {
        let random = &mut Random::new(1);
        for name in WITH_FRICTION {
            let law = Law::by_name(name).expect("a law of this name");
            let mut worst: f64 = 0.0;
            for _ in 0..200 {
                let mut ball = |density| Ball {
                    radius: random.between(0.5, 2.0),
                    ..Ball::solid(1.0, density, Velocity { linear: random.in_ball(), angular: random.in_ball() })
                };
                let (mut a, b) = (ball(1.0), ball(3.0));
                a.velocity.linear += 3.0 * DVec3::NEG_Z;
                let (e, mu) = (random.unit(), random.unit());
                let coefficients =
                    Coefficients { restitution: e, static_friction: mu, dynamic_friction: mu, ..Coefficients::BARE };
                let body = |ball: &Ball, position| {
                    let body = samples::ball(ball.mass, ball.radius, position, ball.velocity.linear);
                    ProblemBody { velocity: ball.velocity, ..body }
                };
                let bodies = vec![body(&a, a.radius * DVec3::Z), body(&b, -b.radius * DVec3::Z)];
                let contact = ProblemContact { a: 0, b: Some(1), point: DVec3::ZERO, normal: DVec3::Z, coefficients };
                let problem = ContactProblem { bodies, contacts: vec![contact] };
                let found = law.law().resolve(&problem).expect("a problem that the law takes").velocities;
                for (exact, found) in after(&a, &b, DVec3::Z, e, mu).iter().zip(found) {
                    worst = worst.max((exact.linear - found.linear).length());
                    worst = worst.max((exact.angular - found.angular).length());
                }
            }
            println!("{name}: {worst:e}");
            assert!(worst <= 1e-9, "{name}: {worst:e}");
        }
    }
}
