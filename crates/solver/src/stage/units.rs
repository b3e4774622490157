//! The units in which the sweeps of an island compute.
//!
//! Single precision reaches from 1e-38 to 3e38, and squares of speeds and moments of inertia of grains of a micrometre
//! or of blocks of a kilometre leave that. In units of the island's own they do not, and a pack computes the same
//! whatever its size. Units are powers of two: to go over to them and back rounds nothing.

use crate::contact::island::{Island, SolverBody};

/// Largest ratio of two masses, or of two moments of inertia, of an island that is swept in single precision. The
/// squares of impulses of the lightest and of the heaviest are then numbers of it still.
const RANGE: f64 = 1e12;

/// The units of an island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    /// \[m/s\]
    pub(super) speed: f64,
    /// \[m\]
    pub(super) length: f64,
    /// \[kg\]
    pub(super) mass: f64,
}

impl Default for Units {
    /// Those of the SI.
    fn default() -> Self {
        Units { speed: 1.0, length: 1.0, mass: 1.0 }
    }
}

impl Units {
    /// Units in which the numbers of an island are neither large nor small; none where its bodies are too unlike each
    /// other.
    pub(super) fn of(island: &Island<'_>) -> Option<Self> {
        let masses = Range::of(island.bodies.iter().map(|body| body.inverse_mass))?;
        let inertias = island.bodies.iter().zip(island.tensors).filter(|(body, _)| body.inverse_mass > 0.0);
        let inertias = Range::of(inertias.map(|(body, tensor)| largest_inverse_moment(body, tensor)))?;
        let speeds = island.bodies.iter().map(|body| {
            let v = body.velocity.linear.abs().max_element();
            if v.is_finite() { v } else { 0.0 }
        });
        let speed = power_of_two(speeds.fold(0.0, f64::max))?;
        let mass = power_of_two(1.0 / masses.largest)?;
        // The radius of gyration: 1/I = 1/(m k^2).
        let length = power_of_two((masses.largest / inertias.largest).sqrt())?;
        (masses.spread() <= RANGE && inertias.spread() <= RANGE).then_some(Units { speed, length, mass })
    }

    /// \[rad/s\]
    pub(super) fn spin(&self) -> f64 {
        self.speed / self.length
    }

    /// \[kg m2\]
    pub(super) fn inertia(&self) -> f64 {
        self.mass * self.length * self.length
    }

    /// Of an angular impulse \[N m s\].
    pub(super) fn moment(&self) -> f64 {
        self.mass * self.speed * self.length
    }
}

/// The largest number of an inverse tensor of inertia \[1/(kg m2)\]; one that is positive definite has it on its
/// diagonal.
fn largest_inverse_moment(body: &SolverBody, tensor: &granule_model::DMat3) -> f64 {
    if body.is_general() { tensor.x_axis.x.max(tensor.y_axis.y).max(tensor.z_axis.z) } else { body.inverse_inertia() }
}

/// The power of two at or below a number, 1 for zero; none where that or its inverse square could not be computed with.
fn power_of_two(x: f64) -> Option<f64> {
    const SMALLEST: f64 = 1e-75;
    if x == 0.0 {
        return Some(1.0);
    }
    let exponent_only = f64::from_bits(x.to_bits() & f64::INFINITY.to_bits());
    (SMALLEST..1.0 / SMALLEST).contains(&x).then_some(exponent_only)
}

/// The largest and the smallest of some numbers above zero.
#[derive(Clone, Copy, Debug)]
struct Range {
    largest: f64,
    smallest: f64,
}

impl Range {
    /// None when there are no such numbers.
    fn of(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let above_zero = numbers.filter(|x| *x > 0.0).map(|x| Range { largest: x, smallest: x });
        above_zero.reduce(|r, x| Range { largest: r.largest.max(x.largest), smallest: r.smallest.min(x.smallest) })
    }

    fn spread(&self) -> f64 {
        self.largest / self.smallest
    }
}
