//! Places where a search found contacts, at which they are looked for again while the bodies hardly move.
//!
//! A search asks every node near the other body; that is nine tenths of its time. Where the bodies have moved against
//! each other by less than the [`leeway`] since, the lowest points have moved over the surface by little: descents from
//! where they were lead to them. A lowest point that was none before lies beside one that was, and is lower than it by
//! the angle turned times their distance at most.
//!
//! Sharp edges have no spots: which points of an edge bear, and along which direction, changes at once where edges lie
//! on each other. Of five cubes that stand on each other one left the stack by 0.06 edges within 5 s with spots, by
//! less than 4.2e-4 without.

use granule_model::{ContactPoint, DVec3};

use super::Teller;
use super::refine;
use crate::grain::GrainData;
use crate::narrow::Spot;
use crate::narrow::field::Field;

/// How far surfaces may move against each other, over the smaller distance of nodes, with spots as they are.
/// Found by trial: `docs/experiments/detection.md`.
const LEEWAY: f64 = 0.3;

/// The same over the radius of a grain: of few nodes a turn brings down other parts of a flat face or a rim.
const OF_RADIUS: f64 = 0.01;
/// Share of the distance of nodes that surfaces may have moved by with lowest points where they were: none that moves.
/// With 0.02 a ball that carries a million times its mass rolled out from under it.
const STILL: f64 = 0.001;
/// How far the first step of a descent leads at most, over the way that surfaces have moved.
const STEP: f64 = 2.0;

/// A grain of which more nodes than this share lie on sharp edges has no spots: most searches would mark none.
const SHARP: f64 = 0.02;

/// The way that surfaces may move against each other so that spots still lead to contacts \[m\]; none for grains with
/// many sharp edges.
pub(in crate::narrow) fn leeway(grains: &[&GrainData]) -> Option<f64> {
    let is_smooth = |grain: &&GrainData| grain.sharp_nodes.len() as f64 <= SHARP * grain.len() as f64;
    let most = |grain: &&GrainData| (LEEWAY * grain.node_spacing).min(OF_RADIUS * grain.radius);
    grains.iter().all(is_smooth).then(|| grains.iter().map(most).fold(f64::INFINITY, f64::min))
}

impl<F: Field> Teller<'_, F> {
    /// The contact at a spot of this grain, of surfaces that have moved by `moved` since \[m\]; none beyond the margin
    /// and where distances are not known.
    pub(super) fn at_spot(&self, spot: &Spot, moved: f64) -> Option<ContactPoint> {
        let (grain, node) = (self.grain, spot.feature - self.key);
        let at = DVec3::from_array(spot.at.map(f64::from));
        let touch = if spot.is_lowest && moved > STILL * grain.node_spacing {
            refine::lowest(grain, self.to_field, self.field, (at, STEP * moved))?
        } else {
            refine::corner(self.to_field, self.field, at)?
        };
        self.tell(&touch, node, node)
    }
}
