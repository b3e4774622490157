//! Which nodes of a grain are looked at: those in the slab that the other grain reaches into, of one grain all and of
//! the other those that the first would miss.

use granule_model::{DVec3, Pose};

use crate::grain::{GrainData, Separation, separation};

/// What is looked for at the nodes of a grain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) which: Which,
    pub(super) slab: Slab,
    /// Contacts are told up to this gap \[m\].
    pub(super) margin: f64,
    /// Nodes are asked for up to so much farther, as surfaces come nearer between nodes \[m\].
    pub(super) slack: f64,
    /// Keys start here.
    pub(super) key: u32,
}

impl Look {
    /// At all nodes.
    pub(super) fn at_all(margin: f64, slack: f64, key: u32) -> Look {
        Look { which: Which::All, slab: Slab::ALL, margin, slack, key }
    }

    /// Gap of a node up to which the surface about it may come within the margin \[m\].
    pub(super) fn near(&self) -> f64 {
        self.margin + self.slack
    }
}

/// Nodes that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// Those at corners and on sharp edges.
    Sharp,
}

/// Which nodes of a grain may be near another body: those that reach no further along a direction of the grain axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    direction: DVec3,
    limit: f64,
}

impl Slab {
    /// Where all nodes may be.
    const ALL: Slab = Slab { direction: DVec3::ZERO, limit: f64::INFINITY };

    pub(super) fn is_thin(&self) -> bool {
        self.limit < f64::INFINITY
    }

    /// Whether a sphere reaches into it.
    #[inline]
    pub(super) fn holds(&self, centre: DVec3, radius: f64) -> bool {
        self.direction.dot(centre) <= self.limit + radius
    }
}

/// Where nodes of each of two grains may be near the other; none when they are farther apart than the margin.
pub(super) fn between(grains: [&GrainData; 2], poses: &[Pose; 2], margin: f64, bulge: f64) -> Option<[Slab; 2]> {
    let way = poses[0].position - poses[1].position;
    let height = |i: usize, direction: DVec3| {
        let (height, slope) = grains[i].hull.height(poses[i].inverse_transform_vector(direction));
        (height, poses[i].transform_vector(slope))
    };
    let Some(found) = separation(way, margin, |n| [height(0, -n), height(1, n)]) else {
        return Some([Slab::ALL, Slab::ALL]);
    };
    let Separation { direction, distance, reaches } = found;
    if distance > margin {
        return None;
    }
    // No surface of the other body lies beyond its own reach.
    let beyond = margin + bulge - direction.dot(way);
    let slab = |i: usize, along: DVec3| Slab {
        direction: poses[i].inverse_transform_vector(along),
        limit: reaches[1 - i] + beyond,
    };
    Some([slab(0, direction), slab(1, -direction)])
}

/// Whether the nodes of `first` find all that nodes on smooth parts of `second` would: none of its features passes
/// between them. Where two smooth surfaces are nearest is one place, from whichever side it is looked for.
pub(super) fn tells_all(first: &GrainData, second: &GrainData) -> bool {
    first.node_spacing <= second.level_set.spacing()
}
