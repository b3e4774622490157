//! Ground on a grid with its outline: the distances that contacts, ways through it and deep bodies ask alike.
//!
//! The ground ends in a vertical wall at its outline: all below its surface is solid.

use granule_levelset::{AtHand, Probed, Sample, Scan};
use granule_model::{Aabb, DVec3, Pose};

use super::field::{Field, Placed, Search};
use super::ledge::Ledge;
use crate::contour_ground::ContourGround;
use crate::distance::Distance;
use crate::nearing::Nearing;

/// Share of a cell by which the distance at the middle of a sphere may fall faster than the way to its nodes, where the
/// ground has an edge.
const BENT: f64 = 0.1;
/// Largest distance that a contour tells, over the band: a value over the shortest slope.
const MOST_BANDS: f64 = 5.0;
/// Steps along a way at most.
const STEPS: usize = 1024;
/// A step over the distance known: between kinks of the surface that may be too large.
const CAUTION: f64 = 0.5;
/// The shortest step, over the spacing of the grid.
const SHORTEST: f64 = 0.25;
/// Halvings of the step in which a way meets the surface.
const HALVINGS: usize = 40;

/// The distances of ground within its outline, of which the upper edge is rounded by `round` \[m\].
pub(super) struct Outlined<'a> {
    pub(super) ground: &'a ContourGround,
    /// Its grid, with the cells that were asked last.
    cells: AtHand<'a>,
    round: f64,
    /// Where it is asked \[m\].
    region: Aabb,
    /// Whether the outline is farther from there than distances from the surface are held.
    is_inner: bool,
    /// The way ahead of the body that asks; none where all of the margin counts.
    nearing: Option<Nearing>,
}

impl Field for Outlined<'_> {
    fn bound(&self, point: DVec3) -> f64 {
        self.ground.level_set.bound(point).max(self.ground.beyond(point).0)
    }

    /// Cells of ground may be as large as a grain: between its points trilinear distances are off by more than margins.
    fn quick(&self, point: DVec3) -> Option<Distance> {
        self.sloped(point).map(|(distance, _)| distance)
    }

    fn spare(&self, point: DVec3, radius: f64, outward: DVec3) -> f64 {
        self.nearing.as_ref().map_or(0.0, |nearing| nearing.spare(point, radius, outward))
    }

    fn search<'a>(&'a self, to_field: &'a Pose) -> impl Search + 'a {
        let scan = if self.is_inner { self.cells.scan(to_field, &self.region) } else { None };
        Looking { placed: Placed { field: self, to_field }, scan }
    }
}

/// What the nodes of a grain ask of ground: a sphere around some of them is told apart by the distance at its middle,
/// where that is known, as the bound of the grid counts a whole cell for where it lies in its cell.
struct Looking<'a> {
    placed: Placed<'a, Outlined<'a>>,
    /// Quicker where it knows the distance; none where the outline may be nearer than the surface.
    scan: Option<Scan<'a>>,
}

impl Looking<'_> {
    /// The distance of a point of the body, and the slope there; see [`Outlined::sloped`].
    #[inline]
    fn find(&self, single: [f32; 3], point: DVec3) -> Option<(Distance, f64)> {
        let Some((Probed { value, gradient }, slope)) = self.scan.as_ref().and_then(|scan| scan.find(single)) else {
            return self.placed.field.sloped(point);
        };
        let outward = DVec3::from_array(gradient.map(f64::from));
        Some((Distance { value: f64::from(value), outward }, f64::from(slope)))
    }
}

impl Search for Looking<'_> {
    fn is_near(&self, centre: DVec3, radius: f64, margin: f64) -> bool {
        let Placed { field, to_field } = self.placed;
        let point = to_field.transform_point(centre);
        let Some((Distance { value, outward }, slope)) = self.find(centre.as_vec3().to_array(), point) else {
            return self.placed.is_near(centre, radius, margin);
        };
        // Between the sides of a hollow the value over its slope is up to five times the distance.
        let least = value.min(value * slope) - BENT * field.ground.level_set.spacing();
        least - radius <= margin - field.spare(point, radius, outward)
    }

    fn within(&self, node: [f32; 3], margin: f64) -> Option<Distance> {
        let Placed { field, to_field } = self.placed;
        let point = to_field.transform_point(DVec3::from_array(node.map(f64::from)));
        let (found, _) = self.find(node, point)?;
        (found.value <= margin - field.spare(point, 0.0, found.outward)).then_some(found)
    }
}

impl<'a> Outlined<'a> {
    /// The ground as it is asked for within `region` (its own axes).
    pub(super) fn new(ground: &'a ContourGround, round: f64, region: Aabb) -> Self {
        // Over the rim the way to the edge is longer than that to the plane of the surface, which a short slope makes
        // longer than the band.
        let clear = MOST_BANDS * ground.level_set.band() + 2.0 * round;
        let (outline, own) = (ground.field.bounds(), region.padded(clear));
        let is_inner =
            [0, 1].iter().all(|&axis| own.min[axis] >= outline.min[axis] && own.max[axis] <= outline.max[axis]);
        Outlined { ground, cells: ground.level_set.at_hand(), round, region, is_inner, nearing: None }
    }

    /// The same for a body that is about to go that way (axes of the ground).
    pub(super) fn told(self, nearing: Option<Nearing>) -> Self {
        Outlined { nearing, ..self }
    }

    /// The distance of a point and the length of the gradient by which its value was divided: short where the ground
    /// looks more ways than one, so that the value is no distance.
    pub(super) fn sloped(&self, point: DVec3) -> Option<(Distance, f64)> {
        let (beyond, outward) = self.ground.beyond(point);
        let over = self.ground.within(point);
        let Some((Sample { value, gradient }, slope)) = self.cells.sloped(over) else {
            // Deep in the ground the wall may be nearer than the surface.
            let rise = self.ground.rise(over)?;
            return (rise < 0.0 && beyond > rise).then_some((Distance { value: beyond, outward }, 1.0));
        };
        let above = value + gradient.dot(point - over);
        Some((Ledge { normal: gradient, outward, round: self.round }.distance(above, beyond), slope))
    }

    /// Whether `point` is so deep in the ground that no distance is known.
    pub(super) fn is_deep(&self, point: DVec3) -> bool {
        self.ground.rise(point).is_some_and(|rise| rise < 0.0) && self.exact(point).is_none()
    }

    /// The point where the way from `start` to `end` enters the ground first, and the outward normal there; none where
    /// it does not, or begins in the ground.
    pub(super) fn entered(&self, [start, end]: [DVec3; 2]) -> Option<(DVec3, DVec3)> {
        let (way, length) = (end - start, (end - start).length());
        let mut height = self.height(start);
        if height < 0.0 || length == 0.0 {
            return None;
        }
        let shortest = SHORTEST * self.ground.level_set.spacing();
        let mut outside = 0.0;
        for step in 1..=STEPS {
            // The last step leads to the end, however far that is.
            let next = outside + (CAUTION * height).max(shortest) / length;
            let next = if step == STEPS { 1.0 } else { f64::min(next, 1.0) };
            height = self.height(start + next * way);
            if height < 0.0 {
                return self.surface_between(start, way, [outside, next]);
            }
            if next >= 1.0 {
                return None;
            }
            outside = next;
        }
        None
    }

    fn surface_between(&self, start: DVec3, way: DVec3, [mut outside, mut inside]: [f64; 2]) -> Option<(DVec3, DVec3)> {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            let side = if self.height(start + middle * way) < 0.0 { &mut inside } else { &mut outside };
            *side = middle;
        }
        let at = start + outside * way;
        self.exact(at).map(|Distance { outward, .. }| (at, outward))
    }

    /// The signed distance where it is known, else a bound with its sign \[m\].
    fn height(&self, point: DVec3) -> f64 {
        match self.exact(point) {
            Some(Distance { value, .. }) => value,
            None if self.is_deep(point) => -self.ground.level_set.spacing(),
            None => self.bound(point).max(0.0),
        }
    }
}
