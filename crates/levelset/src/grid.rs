//! The grid of signed distances and what can be asked of it.

use granule_model::{Aabb, DVec3};

use crate::blocks::{Blocks, SQRT_3};
use crate::held::Held;
use crate::kernel::{Cubic, Linear};
use crate::lattice::Lattice;

/// Signed distances from a surface on a regular grid, negative inside, held near the surface only.
///
/// Nodes are at the corners of cells. Values are held within [`LevelSet::band`] of the surface; further away it is
/// known which side a point is on and how far off it is at least ([`LevelSet::bound`]).
#[derive(Clone, Debug)]
pub struct LevelSet {
    pub(crate) lattice: Lattice,
    pub(crate) held: Held,
    /// Half the thickness of the band \[m\].
    pub(crate) band: f64,
    /// By how much a held value may differ from the true distance \[m\].
    pub(crate) allowance: f64,
    /// Most negative value seen \[m\].
    pub(crate) deepest: f64,
    /// Whether all that is inside lies in the grid.
    pub(crate) confined: bool,
}

/// A signed distance with its gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Signed distance \[m\], negative inside.
    pub value: f64,
    /// Its gradient \[-\]: points away from the surface; of length 1 but for the error of the interpolation.
    pub gradient: DVec3,
}

impl LevelSet {
    /// Trilinear interpolation between the eight nodes around `p`, and its gradient.
    ///
    /// The error of the value is of second order in the spacing; the gradient is of first order and jumps between
    /// cells. `None` where a node is beyond the band or `p` outside of the grid.
    pub fn sample(&self, p: DVec3) -> Option<Sample> {
        let (low, t) = self.cell(p, 0)?;
        let nodes = self.held.gather::<2>(low)?;
        finite(Linear::interpolate(&nodes, t), self.lattice.spacing)
    }

    /// Tricubic interpolation on 4 x 4 x 4 nodes, and its exact gradient, which is continuous.
    ///
    /// Catmull-Rom's kernel (R. G. Keys, 1981, a = -1/2): the value is of third order in the spacing where the distance
    /// is smooth, the gradient of second. `None` where a node is beyond the band, or `p` outside of the grid or in its
    /// outermost cells. The furthest node is up to 2 sqrt(3) cells away, so that a band of 4 cells is enough on the
    /// surface, and one of 3 where the surface runs nearly along the axes.
    pub fn smooth(&self, p: DVec3) -> Option<Sample> {
        let (low, t) = self.cell(p, 1)?;
        let nodes = self.held.gather::<4>(low.map(|i| i - 1))?;
        finite(Cubic::interpolate(&nodes, t), self.lattice.spacing)
    }

    /// A bound of the signed distance at any point \[m\]: at least so far outside (positive), or so deep inside
    /// (negative). Zero where neither is known, and for a point that is not a number.
    ///
    /// It never has the wrong sign and never exceeds the distance in size, provided that the distances the grid was
    /// built from change by no more than the way between two points. Where the solid ends inside the grid this holds
    /// for points outside of the grid as well; where it goes on beyond, points are known as far as the grid reaches.
    pub fn bound(&self, p: DVec3) -> f64 {
        if p.is_nan() {
            return 0.0;
        }
        let bounds = self.lattice.bounds();
        let nearest = p.clamp(bounds.min, bounds.max);
        let (inside, away) = (self.bound_inside(nearest), (p - nearest).length());
        match () {
            () if away == 0.0 => inside,
            // The way to any point of a convex box is at least the hypotenuse over the nearest point of the box.
            () if self.confined => away.hypot_of(inside.max(0.0)),
            () => shrunk(inside, away),
        }
    }

    /// Bound at a point of the grid.
    fn bound_inside(&self, p: DVec3) -> f64 {
        let place = self.lattice.place(p);
        let node = index(place.round(), self.lattice.nodes, 0);
        match self.held.node(node) {
            Ok(cells) => {
                let off = (p - self.lattice.point(node.map(|i| i as f64))).length();
                shrunk((cells * self.lattice.spacing).clamp(-self.band, self.band), off + self.allowance)
            }
            Err(cells) => {
                let centre = cells * self.lattice.spacing;
                let block = node.map(|i| i / crate::blocks::EDGE);
                let off = (p - Blocks::centre(&self.lattice, block)).length();
                // All nodes of such a block are beyond the band, and one is half a diagonal of a cell away or less.
                let least = self.band - 0.5 * SQRT_3 * self.lattice.spacing;
                shrunk(centre, off.min(centre.abs() - least) + self.allowance)
            }
        }
    }

    /// Distance between neighbouring nodes \[m\].
    pub fn spacing(&self) -> f64 {
        self.lattice.spacing
    }

    /// Distance from the surface up to which values are held \[m\].
    pub fn band(&self) -> f64 {
        self.band
    }

    /// From the first node to the last.
    pub fn bounds(&self) -> Aabb {
        self.lattice.bounds()
    }

    /// Memory of directory and values \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of::<LevelSet>() + self.held.bytes()
    }

    /// Whether all that is inside lies in the grid: a body, where a terrain ends at the sides of its grid.
    pub fn is_confined(&self) -> bool {
        self.confined
    }

    /// The most negative distance seen while building \[m\]: minus the radius of the largest ball inside, as far as it
    /// was seen at nodes of the band and, deeper, at the centres of blocks of four cells.
    pub fn deepest(&self) -> f64 {
        self.deepest
    }

    /// The same grid, every node of it moved by `by` \[m\].
    #[must_use]
    pub fn moved(mut self, by: DVec3) -> LevelSet {
        self.lattice.origin += by;
        self
    }

    /// The cell of `p`, by its lowest node, and the place in it from 0 to 1; `None` within `rim` cells of the sides.
    pub(crate) fn cell(&self, p: DVec3, rim: usize) -> Option<([usize; 3], DVec3)> {
        let place = self.lattice.place(p);
        let last = DVec3::from_array(self.lattice.nodes.map(|n| (n - 1 - rim) as f64));
        // Written so that NaN fails.
        if !(place.cmpge(DVec3::splat(rim as f64)).all() && place.cmple(last).all()) {
            return None;
        }
        let low = index(place, self.lattice.nodes, 1 + rim);
        Some((low, place - DVec3::from_array(low.map(|i| i as f64))))
    }
}

/// Indices of the node below `place`, at most the last but `rim`.
fn index(place: DVec3, nodes: [usize; 3], rim: usize) -> [usize; 3] {
    let at = place.to_array();
    std::array::from_fn(|axis| (at[axis].max(0.0) as usize).min(nodes[axis] - 1 - rim))
}

/// `value` taken towards zero by `by`, and zero where that passes it.
fn shrunk(value: f64, by: f64) -> f64 {
    (value.abs() - by.max(0.0)).max(0.0).copysign(value)
}

/// What was interpolated, in cells, unless a node was beyond the band: these are infinite.
pub(crate) fn finite((cells, gradient): (f64, DVec3), spacing: f64) -> Option<Sample> {
    (cells.is_finite() && gradient.is_finite()).then_some(Sample { value: cells * spacing, gradient })
}

/// Root of the sum of two squares: correctly rounded operations only.
trait Hypotenuse {
    fn hypot_of(self, other: f64) -> f64;
}

impl Hypotenuse for f64 {
    fn hypot_of(self, other: f64) -> f64 {
        (self * self + other * other).sqrt()
    }
}
