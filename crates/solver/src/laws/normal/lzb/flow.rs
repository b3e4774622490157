//! Equations 2: the state, what drives it, and the kinks in between.

use super::step::{Slope, dormand_prince};
use super::{CLOSE, Lzb};
use crate::laws::normal::problem::NormalSystem;

/// What a contact does between two kinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    /// No force.
    Open,
    /// Compression, or any motion of a contact with e = 1.
    Loading,
    /// Release.
    Unloading,
}

/// Velocity below which an open contact starts, relative to the largest approach speed: above rounding.
const START: f64 = 1e-13;
/// Velocity at which a kink counts as reached, relative to the same.
const KINK: f64 = 1e-12;
/// Error of a step over the approach speed that may stay, and the largest that is of use.
const COARSE: f64 = 1e-3;
const COARSEST: f64 = 1e-5;
/// First step, in the time that a contact takes to be compressed.
const FIRST: f64 = 1e-3;

/// Velocities of all contacts, compressions and impulses.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) speed: Vec<f64>,
    pub(super) depth: Vec<f64>,
    pub(super) impulse: Vec<f64>,
}

pub(super) struct Flow<'s, 'p> {
    system: &'s NormalSystem<'p>,
    exponent: f64,
    tolerance: f64,
    /// Velocity, stored or approaching, at which the law is over \[m/s\].
    close: f64,
    /// Approach speed at which an open contact starts \[m/s\].
    start: f64,
    largest: f64,
    stiffness: Vec<f64>,
    /// 1/e^2; infinite for e = 0.
    release: Vec<f64>,
    /// D of each contact.
    scale: Vec<f64>,
    mode: Vec<Mode>,
    point: Point,
    pub(super) steps: u64,
}

impl<'s, 'p> Flow<'s, 'p> {
    pub(super) fn new(system: &'s NormalSystem<'p>, law: &Lzb, largest: f64, left: f64) -> Self {
        let n = system.len();
        let stiffness: Vec<f64> = system.problem().contacts.iter().map(|c| c.coefficients.stiffness).collect();
        // Only ratios matter: the stiffest is one, and so is the largest mobility below.
        let stiffest = stiffness.iter().fold(0.0f64, |x, k| x.max(*k));
        let stiffness: Vec<f64> = stiffness.iter().map(|k| k / stiffest).collect();
        let power = law.exponent + 1.0;
        let depth =
            |i: usize| libm::pow(0.5 * power * largest * largest / (stiffness[i] * system.diagonal[i]), power.recip());
        let mut flow = Flow {
            system,
            exponent: law.exponent,
            // An error in every step, a thousand of them at most in what counts.
            tolerance: law.tolerance.max((COARSE * left / largest).min(COARSEST)),
            close: (CLOSE * largest).max(left),
            start: (START * largest).max(left),
            largest,
            release: (0..n).map(|i| (system.restitution(i) * system.restitution(i)).recip()).collect(),
            scale: (0..n).map(depth).collect(),
            mode: vec![Mode::Open; n],
            point: Point { speed: system.speeds(), depth: vec![0.0; n], impulse: vec![0.0; n] },
            stiffness,
            steps: 0,
        };
        flow.start_open();
        flow
    }

    pub(super) fn into_impulses(self) -> Vec<f64> {
        self.point.impulse
    }

    /// Runs until nothing is left; false when the steps ran out.
    pub(super) fn run(&mut self, max_steps: u32) -> bool {
        let shortest = self.scale.iter().fold(f64::INFINITY, |x, d| x.min(*d));
        let mut h = FIRST * shortest / self.largest;
        let mut slope = self.slope(&self.point);
        while !self.is_over() {
            if self.steps >= u64::from(max_steps) || !h.is_finite() {
                return false;
            }
            self.steps += 1;
            let (next, last, error) = dormand_prince(self, &self.point, &slope, h);
            let wish = if error > 0.0 { 0.9 * libm::pow(error, -0.2) } else { 5.0 };
            if error > 1.0 || error.is_nan() {
                h *= if error.is_nan() { 0.1 } else { wish.clamp(0.1, 0.9) };
                continue;
            }
            let (next, last, used) = match self.first_kink(&slope, &next, &last, h) {
                Some(until) => {
                    let (next, last, _) = dormand_prince(self, &self.point, &slope, until);
                    (next, last, until)
                }
                None => (next, last, h),
            };
            self.point = next;
            slope = if self.pass_kinks() { self.slope(&self.point) } else { last };
            h = if used < h { h } else { h * wish.clamp(0.2, 5.0) };
        }
        true
    }

    /// Right side of the equations.
    pub(super) fn slope(&self, point: &Point) -> Slope {
        let n = self.mode.len();
        let mut slope = Slope { speed: vec![0.0; n], depth: vec![0.0; n], impulse: vec![0.0; n] };
        for i in 0..n {
            slope.depth[i] = match self.mode[i] {
                Mode::Open => continue,
                Mode::Loading => -point.speed[i],
                Mode::Unloading => -point.speed[i] * self.release[i],
            };
            if point.depth[i] <= 0.0 {
                continue;
            }
            let force = self.stiffness[i] * self.power(point.depth[i]);
            slope.impulse[i] = force;
            slope.speed[i] += self.system.diagonal[i] * force;
            for (j, h) in self.system.row(i) {
                slope.speed[*j] += h * force;
            }
        }
        slope
    }

    fn power(&self, depth: f64) -> f64 {
        if self.exponent == 1.5 {
            depth * depth.sqrt()
        } else if self.exponent == 1.0 {
            depth
        } else {
            libm::pow(depth, self.exponent)
        }
    }

    /// Largest error over what is allowed.
    pub(super) fn error(&self, error: &Slope, h: f64) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.mode.len() {
            let part = (error.speed[i] * h / self.largest).abs().max((error.depth[i] * h / self.scale[i]).abs());
            worst = if part.is_nan() { f64::NAN } else { worst.max(part) };
        }
        worst / self.tolerance
    }

    /// When the first contact starts, turns or ends within a step, from the values and slopes at its two ends.
    fn first_kink(&self, slope: &Slope, next: &Point, last: &Slope, h: f64) -> Option<f64> {
        let mut first = None;
        for i in 0..self.mode.len() {
            let elastic = self.release[i] == 1.0;
            let speed = [self.point.speed[i], slope.speed[i] * h, next.speed[i], last.speed[i] * h];
            let depth = [self.point.depth[i], slope.depth[i] * h, next.depth[i], last.depth[i] * h];
            let lift = self.start;
            let shares = match self.mode[i] {
                Mode::Open => [falling([speed[0] + lift, speed[1], speed[2] + lift, speed[3]]), None],
                Mode::Loading if elastic => [falling(depth), None],
                Mode::Loading => [falling(speed.map(|v| -v)), None],
                Mode::Unloading => [falling(speed), falling(depth)],
            };
            for share in shares.into_iter().flatten() {
                first = Some(first.map_or(share, |f: f64| f.min(share)));
            }
        }
        first.map(|share| share * h)
    }

    /// Changes the mode of the contacts that are at a kink; whether there were any.
    fn pass_kinks(&mut self) -> bool {
        let near = KINK * self.largest;
        let mut any = false;
        for i in 0..self.mode.len() {
            let (speed, depth) = (self.point.speed[i], self.point.depth[i]);
            let spent = depth <= KINK * self.scale[i] && speed > 0.0;
            let mode = match self.mode[i] {
                Mode::Loading if self.release[i] == 1.0 && spent => Mode::Open,
                Mode::Loading if self.release[i] != 1.0 && speed >= -near && self.leaves(i, 1.0) => {
                    if self.release[i].is_finite() { Mode::Unloading } else { Mode::Open }
                }
                Mode::Unloading if spent => Mode::Open,
                Mode::Unloading if speed <= near && self.leaves(i, -1.0) => Mode::Loading,
                mode => mode,
            };
            if mode != self.mode[i] {
                any = true;
                self.mode[i] = mode;
            }
            if mode == Mode::Open {
                self.point.depth[i] = 0.0;
            }
        }
        self.start_open() || any
    }

    /// Whether the velocity of contact i has the sign or is about to take it.
    fn leaves(&self, i: usize, sign: f64) -> bool {
        let speed = sign * self.point.speed[i];
        speed > 0.0 || (speed == 0.0 && sign * self.slope(&self.point).speed[i] > 0.0)
    }

    fn start_open(&mut self) -> bool {
        let mut any = false;
        for i in 0..self.mode.len() {
            if self.mode[i] == Mode::Open && self.point.speed[i] < -self.start {
                self.mode[i] = Mode::Loading;
                any = true;
            }
        }
        any
    }

    /// Whether what is stored or approaching is below [`CLOSE`] as a velocity at every contact.
    fn is_over(&self) -> bool {
        let power = self.exponent + 1.0;
        (0..self.mode.len()).all(|i| {
            let depth = self.point.depth[i].max(0.0);
            let energy = self.stiffness[i] * depth * self.power(depth) / power;
            let speed = (2.0 * energy * self.system.diagonal[i]).sqrt();
            speed.max(-self.point.speed[i]) <= self.close
        })
    }
}

/// Where a cubic, given by values and slopes at 0 and 1, falls through zero; none if it does not end below.
fn falling([a, da, b, db]: [f64; 4]) -> Option<f64> {
    if !(b < 0.0 && (a > 0.0 || (a == 0.0 && da > 0.0))) {
        return None;
    }
    let value = |s: f64| {
        let t = 1.0 - s;
        t * t * ((1.0 + 2.0 * s) * a + s * da) + s * s * ((3.0 - 2.0 * s) * b - t * db)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if value(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some(high)
}
