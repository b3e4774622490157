//! What sweeps leave: by how much they changed velocities, and the directions in which impulses and bodies move on
//! between them.

use super::body::LaneBody;
use super::lanes::{Lanes, Lanes3};
use super::real::Real;

/// Largest changes of relative velocities in a pass \[speed\].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    pub(super) change: f64,
    /// The same with each change beside the radius of its contact: times the island's smallest over it. Zero where
    /// radii are alike.
    pub(super) beside: f64,
}

impl Change {
    pub(super) fn max(&self, other: &Self) -> Self {
        Change { change: self.change.max(other.change), beside: self.beside.max(other.beside) }
    }
}

/// Impulses of a pack before the last sweep, and the direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction<T, const L: usize> {
    pub(super) normal_before: Lanes<T, L>,
    pub(super) tangential_before: Lanes3<T, L>,
    pub(super) normal: Lanes<T, L>,
    pub(super) tangential: Lanes3<T, L>,
}

impl<T: Real, const L: usize> Default for Direction<T, L> {
    fn default() -> Self {
        let (normal, tangential) = (Lanes::default(), Lanes3::default());
        Direction { normal_before: normal, tangential_before: tangential, normal, tangential }
    }
}

/// The same of its moments, where it resists rolling or torsion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<T, const L: usize> {
    pub(super) before: Lanes3<T, L>,
    pub(super) along: Lanes3<T, L>,
}

impl<T: Real, const L: usize> Default for Turn<T, L> {
    fn default() -> Self {
        Turn { before: Lanes3::default(), along: Lanes3::default() }
    }
}

/// What the directions of the packs do to the bodies.
#[derive(Debug)]
pub(super) struct Motion<T: Real> {
    pub(super) before: Vec<LaneBody<T>>,
    pub(super) push: Vec<[[T; 4]; 2]>,
    /// Square of the change by the last sweep.
    pub(super) size: f64,
    /// Whether there was one.
    pub(super) has_swept: bool,
}

impl<T: Real> Default for Motion<T> {
    fn default() -> Self {
        Motion { before: Vec::new(), push: Vec::new(), size: f64::INFINITY, has_swept: false }
    }
}
