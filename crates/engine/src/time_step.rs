//! The rule by which the engine chooses a time step, and what to expect of one.
//!
//! A step is short against two times of the smallest body, of equal-volume radius `R`:
//!
//! * `sqrt(R/g)`, in which gravity moves it by its own size: `dt <= sqrt(R/g)/16`; for grains of 3 m this is 1/41 s;
//! * `R/v`, in which the fastest body crosses it: `dt <= R/(2 v)`, `v` the larger of the greatest speed at the start and of the
//!   speed of a fall through the height that the bodies occupy above the lowest point of the static ones.
//!
//! Spheres, whose contacts have no corners to lose, take four thirds of both.
//!
//! Contacts are known before touch, so a long step tunnels nowhere; what it costs is accuracy of the normals. Measured on the
//! packaged repose scenes at mu = 0.3, largest overlap in per cent and processor seconds per simulated second of settling:
//!
//! | steps per second | spheres | cubes | crosses |
//! |---|---|---|---|
//! | 61 | 0.23, 0.24 | 0.75, 0.45 | 0.37, 0.56 |
//! | 41 | 0.43, 0.19 | 0.79, 0.39 | 0.72, 0.37 |
//! | 30 | 0.78, 0.16 | 0.80, 0.34 | 0.78, 0.38 |
//!
//! Below 40 steps a second polyhedra gain nothing, since their steps are divided. Spheres that rain on each other from 50 m, largest
//! overlap in per cent and processor seconds per simulated second over 6 s, in one run beside another program, with contact stages that
//! ended after 20 sweeps where they were violent; they sweep on now, and 540 overlap by 0.58 %, 10 000 by 0.80 % at 31 steps a second:
//!
//! | steps per second | 540 spheres | 10 000 spheres |
//! |---|---|---|
//! | 41 | 0.82, 0.050 | 0.79, 1.63 |
//! | 34 | 0.83, 0.038 | 0.86, 1.55 |
//! | 30 | 0.86, 0.034 | 0.84, 1.40 |
//! | 27 | 0.84, 0.036 | 0.91, 1.50 |
//! | 24 | 0.85, 0.037 | 0.91, 1.70 |
//!
//! Where nothing has friction the step is half of that for spheres and two fifths for other shapes: such a pack never stops
//! sliding, and its contacts are poorly warm-started. 325 cubes in a repose run of 120 s, first and last column the largest overlap in
//! per cent and the largest rise of E* over the energy dissipated:
//!
//! | steps per second | overlap | processor seconds | rise |
//! |---|---|---|---|
//! | 130 | 0.67 | 146 | 6e-7 |
//! | 100 | 0.84 | 171 | 5e-7 |
//! | 62 | 1.07 | 329 | 1.5e-5 |
//!
//! Without gravity and motion any step will do; 1/60 s is taken.

use crate::bodies::Bodies;

/// The rule in words.
pub const TIME_STEP_RULE: &str = "the smaller of sqrt(R/g)/16 and R/(2 v), R being the smallest equal-volume radius and v the \
                                  fastest speed to expect; for spheres four thirds of it; without friction half of it for spheres, \
                                  two fifths for other shapes";
/// Share of `sqrt(R/g)`.
const FREE_FALL: f64 = 1.0 / 16.0;
/// Share of the radius that the fastest body may cover in a step.
const COURANT: f64 = 1.0 / 2.0;
/// Factor for spheres.
const SPHERES: f64 = 4.0 / 3.0;
/// Factors where nothing has friction, for spheres and for other shapes.
const FRICTIONLESS_SPHERES: f64 = SPHERES / 2.0;
const FRICTIONLESS: f64 = 0.4;
/// Step where nothing sets a scale \[s\].
const IDLE: f64 = 1.0 / 60.0;

/// The scales of a scene that bear on its step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// Smallest equal-volume radius of a dynamic body \[m\]; infinite if there is none.
    pub smallest_radius: f64,
    /// Speed to expect \[m/s\].
    pub speed: f64,
    /// Gravity \[m/s2\].
    pub gravity: f64,
    /// Whether any pair of materials has friction.
    pub friction: bool,
    /// Whether all dynamic bodies are spheres.
    pub spheres_only: bool,
}

impl Scales {
    /// Reads the scales off the bodies; `fall` is the height \[m\] that they can fall.
    pub(crate) fn of(bodies: &Bodies, friction: bool, gravity: f64, fall: f64) -> Self {
        let smallest_radius = bodies.smallest_radius();
        let mut scales = Scales { smallest_radius, speed: 0.0, gravity, friction, spheres_only: true };
        for i in (0..bodies.len()).filter(|i| bodies.present[*i]) {
            let v = &bodies.velocity[i];
            if bodies.dynamic[i] {
                scales.spheres_only &= bodies.round[i];
                scales.speed = scales.speed.max(v.linear.length() + v.angular.length() * bodies.extent[i]);
            }
        }
        scales.speed = scales.speed.max((2.0 * gravity * fall.max(0.0)).sqrt());
        scales
    }

    /// The step by the rule of the module's head \[s\].
    pub fn time_step(&self) -> f64 {
        if !self.smallest_radius.is_finite() {
            return IDLE;
        }
        let by_gravity =
            if self.gravity > 0.0 { FREE_FALL * (self.smallest_radius / self.gravity).sqrt() } else { f64::INFINITY };
        let by_speed = if self.speed > 0.0 { COURANT * self.smallest_radius / self.speed } else { f64::INFINITY };
        let factor = match (self.friction, self.spheres_only) {
            (true, true) => SPHERES,
            (true, false) => 1.0,
            (false, true) => FRICTIONLESS_SPHERES,
            (false, false) => FRICTIONLESS,
        };
        let dt = factor * by_gravity.min(by_speed);
        if dt.is_finite() { dt } else { IDLE }
    }

    /// Displacement of the fastest body in a step over the smallest radius \[-\].
    pub fn displacement(&self, dt: f64) -> f64 {
        self.speed * dt / self.smallest_radius
    }

    /// Overlap to expect, over the smallest radius \[-\].
    ///
    /// For spheres the contacts of a step are closed along the normals that they had at its start; a pair that passes at
    /// `v dt` turns its normal by up to `v dt / 2R` and is off by half the square of it. For other shapes a corner at distance `r` that
    /// spins with `w = v / r` leaves its tangent by `r w^2 dt^2 / 2`. Steps beyond the bound are divided, so the bound is
    /// the most to expect.
    pub fn expected_overlap(&self, dt: f64, bound: f64) -> f64 {
        let x = self.displacement(dt);
        let linearised = if self.spheres_only { x * x / 8.0 } else { x * x / 2.0 };
        linearised.min(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_scales_with_the_size_of_the_bodies() {
        let scales = |radius: f64| Scales {
            smallest_radius: radius,
            speed: 0.0,
            gravity: 9.8,
            friction: true,
            spheres_only: true,
        };
        let ratio = scales(1.5).time_step() / scales(1.5e-3).time_step();
        assert!((ratio - 1000f64.sqrt()).abs() <= 1e-12 * ratio);
        let fast = Scales { speed: 100.0, ..scales(1.5) };
        let angular = Scales { spheres_only: false, ..fast };
        assert_eq!(angular.time_step(), 1.5 / 100.0 / 2.0);
        assert!((fast.time_step() / angular.time_step() - 4.0 / 3.0).abs() <= 1e-15);
        assert!(fast.expected_overlap(1.0, 0.01) <= 0.01);
        let slippery = |scales| Scales { friction: false, ..scales };
        assert!((slippery(fast).time_step() / fast.time_step() - 0.5).abs() <= 1e-15);
        assert!((slippery(angular).time_step() / angular.time_step() - 0.4).abs() <= 1e-15);
    }
}
