//! The rule by which the engine chooses a time step, and what to expect of one.
//!
//! A step is short against two times of the smallest body, of equal-volume radius `R`:
//!
//! * `sqrt(R/a)`, in which what pulls at the bodies moves it by its own size: `dt <= sqrt(R/a)/16`; under gravity
//!   alone, for grains of 3 m, this is 1/41 s;
//! * `R/v`, in which the fastest body crosses it: `dt <= R/(2 v)`.
//!
//! **a** is the largest acceleration `|g + F/m|` of a body by gravity and force fields, and at least `g`: a field that
//! holds a body up here may be gone at the next place. **v** is the largest of
//!
//! * the speeds of the bodies now, `|v| + |w| r` with `r` the largest distance of the surface from the centre;
//! * the speeds of falls. Gravity alone takes a body down by the height `h` at which it is above the lowest point of
//!   the static bodies, and it arrives with `sqrt(2 g h)`. Where fields act it falls along its own `a = g + F/m`, at
//!   most to the far side of the box round all bodies, which is at `h` along `a`, and arrives with `sqrt(2 a h)`. Drag
//!   lets no body that starts slower get faster than the speed at which it balances `m a`, so a fall counts with the
//!   smaller of both;
//! * the speeds of driven bodies: `|v| + |w| r` of a constant motion, `2 pi f A` of a sine, of a function what it makes
//!   in a step. What has no end, as a half-space, turns with the `r` of the farthest dynamic body.
//!
//! Drag asks for no step of its own, however stiff: it is implicit, ends in the terminal speed for any step
//! (`granule_forces::Drag`), and a body that it stops within a step is slower than those above.
//!
//! A sine motion is followed for a sixteenth of its period at most: the speed by difference is then that of the motion
//! within `(2 pi/16)^2/24 = 0.6 %`, where a longer step would see another motion.
//!
//! Spheres, whose contacts have no corners to lose, take four thirds of both.
//!
//! Contacts are known before touch, so a long step tunnels nowhere; what it costs is accuracy of the normals.
//!
//! Where the settings ask for impacts as slow as v to be resolved, the step is at most the longest in which they are: v
//! over so many times g as `slowest_impact_over_dt` derives in `crates/engine/src/islands/limits.rs`.
//!
//! Where nothing has friction the step is half of that for spheres and two fifths for other shapes: such a pack never
//! stops sliding, and its contacts are poorly warm-started.
//!
//! The factors were found by trial, on packs of spheres, cubes and crosses: `docs/experiments/time-step.md`.
//!
//! Without gravity and motion any step will do; 1/60 s is taken.

/// The rule in words.
pub const TIME_STEP_RULE: &str = "the smaller of sqrt(R/a)/16 and R/(2 v), R being the smallest equal-volume radius, a the largest \
                                  acceleration by gravity and force fields and v the fastest speed to expect of bodies that move, \
                                  fall or are driven; for spheres four thirds of it; without friction half of it for spheres, \
                                  two fifths for other shapes; at most a sixteenth of the period of a sine motion, and at most the \
                                  longest that resolves impacts as slow as `resolved_speed`";
/// Share of `sqrt(R/a)`.
const FREE_FALL: f64 = 1.0 / 16.0;
/// Share of the radius that the fastest body may cover in a step.
const COURANT: f64 = 1.0 / 2.0;
/// Share of the period of a motion that goes to and fro.
const TO_AND_FRO: f64 = 1.0 / 16.0;
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
    /// Largest acceleration by gravity and force fields \[m/s2\].
    pub acceleration: f64,
    /// Shortest period of a driven body that goes to and fro \[s\]; infinite if there is none.
    pub period: f64,
    /// Longest step that resolves impacts as slow as [`Settings::resolved_speed`](crate::Settings::resolved_speed) asks
    /// \[s\]; infinite where it asks for none.
    pub resolving_step: f64,
    /// Whether any pair of materials has friction.
    pub friction: bool,
    /// Whether all dynamic bodies are spheres.
    pub spheres_only: bool,
}

/// Which of the scales is the one that decides about the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Acceleration,
    Speed,
    Period,
    Impact,
    Nothing,
}

impl Scales {
    /// The step by the rule of the module's head \[s\].
    pub fn time_step(&self) -> f64 {
        self.bound().1
    }

    /// What decides about the step, and the step \[s\].
    pub(crate) fn bound(&self) -> (Bound, f64) {
        if !self.smallest_radius.is_finite() {
            return (Bound::Nothing, IDLE);
        }
        let radius = self.smallest_radius;
        let by_acceleration =
            if self.acceleration > 0.0 { FREE_FALL * (radius / self.acceleration).sqrt() } else { f64::INFINITY };
        let by_speed = if self.speed > 0.0 { COURANT * radius / self.speed } else { f64::INFINITY };
        let (bound, dt) = match by_acceleration <= by_speed {
            true => (Bound::Acceleration, self.factor() * by_acceleration),
            false => (Bound::Speed, self.factor() * by_speed),
        };
        let by_period = TO_AND_FRO * self.period;
        if self.resolving_step < dt.min(by_period) {
            (Bound::Impact, self.resolving_step)
        } else if by_period < dt {
            (Bound::Period, by_period)
        } else if dt.is_finite() {
            (bound, dt)
        } else {
            (Bound::Nothing, IDLE)
        }
    }

    fn factor(&self) -> f64 {
        match (self.friction, self.spheres_only) {
            (true, true) => SPHERES,
            (true, false) => 1.0,
            (false, true) => FRICTIONLESS_SPHERES,
            (false, false) => FRICTIONLESS,
        }
    }

    /// Displacement of the fastest body in a step over the smallest radius \[-\].
    pub fn displacement(&self, dt: f64) -> f64 {
        self.speed * dt / self.smallest_radius
    }

    /// Overlap to expect, over the smallest radius \[-\].
    ///
    /// For spheres the contacts of a step are closed along the normals that they had at its start; a pair that passes
    /// at `v dt` turns its normal by up to `v dt / 2R` and is off by half the square of it. For other shapes a corner
    /// at distance `r` that spins with `w = v / r` leaves its tangent by `r w^2 dt^2 / 2`. Steps beyond the bound are
    /// divided, so the bound is the most to expect.
    pub fn expected_overlap(&self, dt: f64, bound: f64) -> f64 {
        self.linearised_overlap(dt).min(bound)
    }

    /// Overlap by which contacts of the fastest body are off after an undivided step of `dt` \[s\], over the smallest
    /// radius \[-\]: without the bound of [`Scales::expected_overlap`].
    pub fn linearised_overlap(&self, dt: f64) -> f64 {
        let x = self.displacement(dt);
        if self.spheres_only { x * x / 8.0 } else { x * x / 2.0 }
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
            acceleration: 9.8,
            period: f64::INFINITY,
            resolving_step: f64::INFINITY,
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
    #[test]
    fn what_decides_is_told() {
        let still = Scales {
            smallest_radius: 0.1,
            speed: 0.0,
            acceleration: 0.0,
            period: f64::INFINITY,
            resolving_step: f64::INFINITY,
            friction: true,
            spheres_only: false,
        };
        assert_eq!(still.bound(), (Bound::Nothing, IDLE));
        assert_eq!(Scales { smallest_radius: f64::INFINITY, speed: 1.0, ..still }.bound(), (Bound::Nothing, IDLE));
        let heavy = Scales { acceleration: 10.0, ..still };
        assert_eq!(heavy.bound(), (Bound::Acceleration, 0.1 / 16.0));
        let fast = Scales { speed: 25.0, ..heavy };
        assert_eq!(fast.bound(), (Bound::Speed, 0.1 / 50.0));
        let shaken = Scales { period: 0.016, ..fast };
        assert_eq!(shaken.bound(), (Bound::Period, 0.001));
        // The period is the motion's, and not a share of the contacts' time.
        assert_eq!(Scales { spheres_only: true, ..shaken }.bound(), (Bound::Period, 0.001));
        assert_eq!(Scales { period: 0.5, ..fast }.bound(), fast.bound());
        assert_eq!(Scales { resolving_step: 5e-4, ..shaken }.bound(), (Bound::Impact, 5e-4));
        assert_eq!(Scales { resolving_step: 5e-3, ..shaken }.bound(), shaken.bound());
    }
}
