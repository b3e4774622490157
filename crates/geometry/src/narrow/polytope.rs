//! Convex polyhedra in general: separating axes, then the common part of the touching faces.
//!
//! Serves boxes, convex polyhedra, capsules (a segment with a radius) and the triangles of meshes; two boxes have a
//! faster kernel of their own. Candidates for the axis are all face normals and the cross products of edge pairs. Only
//! edges that come near the other body can hold the answer: the nearest (or deepest) point of an edge pair lies within
//! the distance of the bodies of every face of the other one, so an edge beyond one face with both its ends is skipped.
//! Of the remaining pairs only those whose Gauss arcs cross are faces of the Minkowski difference (Gregorius 2013).
//!
//! Bodies farther apart than the margin may so be left with an axis along which they overlap. An axis is believed when
//! two points of the bodies lie over each other at its separation, which proves it; else the nearest points decide.
//! That proves no overlap: under a face of a sliver lies as well what has come out of it on the other side. Bodies that
//! some other axis parts do not overlap.

use std::cell::RefCell;

use granule_model::{ContactPoint, DVec3};

use super::clip::{Corner, Cut, Frame, SLACK, cross, intersect};
use super::closest::{Cores, Relation};
use super::patch::{Patch, Spot, spot};
use super::solid::Solid;
use super::tidy::separate_keys;
use super::topology::Topology;
use super::{Side, between};
use crate::geometry::Geometry;

/// Sine below which two edges count as parallel.
const PARALLEL: f64 = 1e-8;
/// Sine below which rounding of the product of two edges counts.
const SKEW: f64 = 1e-4;
/// An edge axis must be better than every face by this share of the size.
const PREFERENCE: f64 = 1e-10;
/// Separation and lowest clipped gap agree to this share of the size when the axis gives the distance.
const AGREEMENT: f64 = 2e-10;
/// A face other than the touching one bears points when the cosine between it and the contact normal is above this: the
/// body must turn by half a right angle before a steeper one touches. Of a box no other face is as level.
const LEVEL: f64 = 0.7;
/// Points nearer than this share of the size of the pair are the same.
const SAME_PLACE: f64 = 1e-7;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Buffers that live as long as the thread, so that a warm step allocates nothing.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) a: Solid,
    pub(super) b: Solid,
    edges_a: Vec<u32>,
    edges_b: Vec<u32>,
    /// Largest separation along the axis of a pair of edges that is no least way out or in \[m\].
    beyond: f64,
    pub(super) patch_a: Patch,
    pub(super) patch_b: Patch,
    other: Patch,
    pub(super) polygon: Vec<Corner>,
    pub(super) spare: Vec<Corner>,
}

/// Runs `action` with the buffers of this thread.
pub(super) fn with_workspace(action: impl FnOnce(&mut Workspace)) {
    WORKSPACE.with_borrow_mut(action);
}

/// The shared data of the kernels of one pair.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) topology_a: Topology<'a>,
    pub(super) topology_b: Topology<'a>,
    /// Length to which tolerances are relative \[m\].
    pub(super) size: f64,
    pub(super) margin: f64,
    pub(super) origin: DVec3,
    /// Whether A and B may have faces beside the touching one that are nearly as level, as [`is_hull`] says.
    pub(super) is_hull: [bool; 2],
}

/// True for a piece of which two faces can be nearly level: not for boxes, whose faces are square to each other.
pub(super) fn is_hull(side: Side) -> bool {
    matches!(side.geometry, Geometry::Convex(_))
}

impl Pair<'_> {
    /// Largest distance of the cores at which the surfaces are within the margin.
    fn reach(&self, work: &Workspace) -> f64 {
        self.margin + work.a.radius + work.b.radius
    }
}

/// Two convex pieces of which none is a ball.
pub(super) fn polytope_pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    with_workspace(|work| {
        let origin = b.pose.position;
        let (Some(topology_a), Some(topology_b)) = (work.a.load(a, origin), work.b.load(b, origin)) else { return };
        let size = work.a.extent() + work.b.extent();
        let is_hull = [is_hull(a), is_hull(b)];
        work.contacts(&Pair { topology_a, topology_b, size, margin, origin, is_hull }, out);
    });
}

/// Points of two pieces of bodies, of which none is a ball, along the normal of a face of either, the farthest apart
/// first, of which the lowest is accepted by `is_surface`; where there is none, along that on which the lowest accepted
/// point overlaps least. None when there is no face along which they overlap by less than `floor` (a gap \[m\]), or all
/// points are refused.
///
/// `level` is how much above the separation along the normal the lowest accepted point may lie \[m\].
pub(super) fn face_pair(
    a: Side,
    b: Side,
    margin: f64,
    [floor, level]: [f64; 2],
    is_surface: impl Fn(&ContactPoint) -> bool,
    out: &mut Vec<ContactPoint>,
) {
    with_workspace(|work| {
        let origin = b.pose.position;
        let (Some(topology_a), Some(topology_b)) = (work.a.load(a, origin), work.b.load(b, origin)) else { return };
        let size = work.a.extent() + work.b.extent();
        let pair = Pair { topology_a, topology_b, size, margin, origin, is_hull: [is_hull(a), is_hull(b)] };
        let start = out.len();
        let (mut below, mut shallowest) = (f64::INFINITY, None);
        while let Some((normal, separation)) = work.face_below(below).filter(|(_, separation)| *separation >= floor) {
            let lowest = work.surface_along(&pair, normal, start, &is_surface, out);
            if lowest <= separation + level {
                shallowest = None;
                break;
            }
            if lowest > shallowest.map_or(f64::NEG_INFINITY, |(_, gap)| gap) && lowest < f64::INFINITY {
                shallowest = Some((normal, lowest));
            }
            out.truncate(start);
            below = separation;
        }
        // The lowest points along every face lie inside a body, as at the rim of a hollow edge; higher ones overlap on
        // its surface.
        if let Some((normal, _)) = shallowest {
            work.surface_along(&pair, normal, start, &is_surface, out);
        }
        separate_keys(&mut out[start..]);
    });
}

impl Workspace {
    /// Pushes the points along `normal` that `is_surface` accepts behind the first `start` ones, and returns the lowest
    /// of their gaps \[m\].
    fn surface_along(
        &mut self,
        pair: &Pair,
        normal: DVec3,
        start: usize,
        is_surface: impl Fn(&ContactPoint) -> bool,
        out: &mut Vec<ContactPoint>,
    ) -> f64 {
        self.clip(pair, normal, out, |_| true);
        self.clip_beside(pair, normal, start, out, |_| true);
        let mut kept = start;
        for index in start..out.len() {
            if is_surface(&out[index]) {
                out.swap(kept, index);
                kept += 1;
            }
        }
        out.truncate(kept);
        out[start..].iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
    }

    /// Of the normals of all faces, as directions from B to A, that with the largest gap along it of those below
    /// `limit`, and that gap.
    fn face_below(&self, limit: f64) -> Option<(DVec3, f64)> {
        let directions = self.a.normals.iter().map(|n| -*n).chain(self.b.normals.iter().copied());
        let radii = self.a.radius + self.b.radius;
        directions
            .map(|d| (d, -self.a.reach(-d) - self.b.reach(d) - radii))
            .filter(|(_, separation)| *separation < limit)
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    fn contacts(&mut self, pair: &Pair, out: &mut Vec<ContactPoint>) {
        let Some(axis) = self.best_axis(pair) else { return };
        let start = out.len();
        // Cores that another axis parts do not overlap.
        let is_refuted = axis.1 < 0.0 && self.beyond > AGREEMENT * pair.size;
        if !is_refuted && self.touch_along(pair, axis, out) {
            self.clip_beside(pair, axis.0, start, out, |_| true);
        } else {
            out.truncate(start);
            self.touch_elsewhere(pair, axis, out);
        }
        separate_keys(&mut out[start..]);
    }

    /// Pushes the points of the features that reach farthest along `axis`; false when no two of them lie over each
    /// other at its separation: then the axis gives only a bound of the gap.
    fn touch_along(&mut self, pair: &Pair, (normal, separation): (DVec3, f64), out: &mut Vec<ContactPoint>) -> bool {
        self.clip(pair, normal, out, |_| true) <= separation + AGREEMENT * pair.size
    }

    /// Pushes the points of a pair of which the best axis found, `axis`, gives only a bound of the gap.
    ///
    /// A corner and an edge or two corners are nearest, or the bodies are farther apart than `reach`: then the search
    /// has left out edges, and even an axis of overlap says nothing.
    fn touch_elsewhere(&mut self, pair: &Pair, axis: (DVec3, f64), out: &mut Vec<ContactPoint>) {
        let reach = pair.reach(self);
        let (start, cores) = (out.len(), self.cores(pair));
        let near =
            |near: &[u32], edges: &[crate::convex::Edge], e: usize| near.get(e).map(|&e| edges[e as usize].vertices);
        let edges_a = |e: usize| near(&self.edges_a, pair.topology_a.edges, e);
        let edges_b = |e: usize| near(&self.edges_b, pair.topology_b.edges, e);
        let relation = cores.corner_and_edge(reach, [&edges_a, &edges_b]).unwrap_or_else(|| cores.relation(reach));
        match relation {
            Relation::Far => {}
            Relation::Apart(nearest) => {
                cores.push_nearest(&nearest, pair.margin, out);
                // What else lies over each other along the same normal.
                let first = out.len();
                self.clip(pair, nearest.normal, out, |_| true);
                self.clip_beside(pair, nearest.normal, first, out, |_| true);
                drop_repeated(out, start, first, pair.size);
            }
            Relation::Touching => {
                let mut best = Some(axis);
                self.edge_axes(pair, f64::INFINITY, f64::INFINITY, &mut best);
                let axis = best.unwrap_or(axis);
                if !self.touch_along(pair, axis, out) {
                    out.truncate(start);
                    self.cores(pair).push_along(axis.0, axis.1, pair.margin, out);
                }
            }
        }
    }

    pub(super) fn cores(&self, pair: &Pair) -> Cores<'_> {
        Cores {
            corners: [&self.a.corners, &self.b.corners],
            radii: [self.a.radius, self.b.radius],
            size: pair.size,
            origin: pair.origin,
        }
    }

    /// Unit vector from B to A along which the cores are farthest apart, and that separation; none beyond the margin.
    fn best_axis(&mut self, pair: &Pair) -> Option<(DVec3, f64)> {
        let reach = pair.reach(self);
        let mut best: Option<(DVec3, f64)> = None;
        self.beyond = f64::NEG_INFINITY;
        if let Some((face, separation)) = self.a.best_face(&self.b, reach) {
            best = Some((-self.a.normals[face], separation));
        }
        if best.is_some_and(|(_, s)| s > reach) {
            return None;
        }
        if let Some((face, separation)) = self.b.best_face(&self.a, reach)
            && best.is_none_or(|(_, s)| separation > s + PREFERENCE * pair.size)
        {
            best = Some((self.b.normals[face], separation));
        }
        if best.is_some_and(|(_, s)| s > reach) {
            return None;
        }
        // When they overlap, the two points of the pair are no farther apart than the least depth found so far.
        let near = best.map_or(f64::INFINITY, |(_, separation)| reach.max(-separation).max(0.0));
        self.edge_axes(pair, near + PREFERENCE * pair.size, reach, &mut best).then_some(best).flatten()
    }

    /// Betters `best` by pairs of edges that no face of the other body has farther off than `near`; false when one
    /// parts the cores by more than `reach`.
    ///
    /// Which edges come near depends on the margin. The answer must not, so only a pair that is itself a least way out
    /// or in is taken.
    fn edge_axes(&mut self, pair: &Pair, near: f64, reach: f64, best: &mut Option<(DVec3, f64)>) -> bool {
        let (edges_a, edges_b) = (pair.topology_a.edges, pair.topology_b.edges);
        self.b.edges_near(&self.a, edges_a, near, &mut self.edges_a);
        self.a.edges_near(&self.b, edges_b, near, &mut self.edges_b);
        let mut least = best.map_or(f64::NEG_INFINITY, |(_, separation)| separation + PREFERENCE * pair.size);
        for &i in &self.edges_a {
            for &j in &self.edges_b {
                let (edge_a, edge_b) = (&edges_a[i as usize], &edges_b[j as usize]);
                let candidate = edge_axis(&self.a, edge_a, &self.b, edge_b);
                let Some((normal, separation)) = candidate.filter(|(_, separation)| *separation > least) else {
                    continue;
                };
                if separation > reach {
                    return false;
                }
                if cross_inside(&self.a, edge_a, &self.b, edge_b, normal, SLACK * pair.size) {
                    (*best, least) = (candidate, separation);
                } else {
                    self.beyond = self.beyond.max(separation);
                }
            }
        }
        true
    }

    /// Pushes the corners of the common part of the touching features that `keep` accepts; returns the lowest distance
    /// of the cores over any of them, also beyond the margin.
    pub(super) fn clip(
        &mut self,
        pair: &Pair,
        normal: DVec3,
        out: &mut Vec<ContactPoint>,
        keep: impl Fn(Spot) -> bool,
    ) -> f64 {
        let frame = Frame::new(normal);
        self.patch_a.load(&self.a, &pair.topology_a, -normal, &frame, pair.size);
        self.patch_b.load(&self.b, &pair.topology_b, normal, &frame, pair.size);
        let overlay = Overlay { pair, frame, radii: [self.a.radius, self.b.radius], first: out.len() };
        overlay.push([&self.patch_a, &self.patch_b], [&mut self.polygon, &mut self.spare], out, keep)
    }

    /// Pushes what the other faces of each body add to the points that [`Workspace::clip`] along `normal` left from
    /// `first` on: where they lie over the touching face of the other body within the margin. Without these a body
    /// could turn about the points of its touching face until another face of it, as level as that one, is below the
    /// surface.
    #[inline(never)]
    pub(super) fn clip_beside(
        &mut self,
        pair: &Pair,
        normal: DVec3,
        first: usize,
        out: &mut Vec<ContactPoint>,
        keep: impl Fn(Spot) -> bool,
    ) {
        if !pair.is_hull.contains(&true) {
            return;
        }
        let frame = Frame::new(normal);
        let overlay = Overlay { pair, frame, radii: [self.a.radius, self.b.radius], first };
        let near = pair.reach(self);
        let [[low, _], [_, high]] = [self.patch_a.range(), self.patch_b.range()];
        let [is_hull_a, is_hull_b] = pair.is_hull;
        for face in beside(&self.a, &pair.topology_a, &self.patch_a, -normal, near + high).take_while(|_| is_hull_a) {
            self.other.load_face(&self.a, &pair.topology_a, face, &frame);
            overlay.push([&self.other, &self.patch_b], [&mut self.polygon, &mut self.spare], out, &keep);
        }
        for face in beside(&self.b, &pair.topology_b, &self.patch_b, normal, near - low).take_while(|_| is_hull_b) {
            self.other.load_face(&self.b, &pair.topology_b, face, &frame);
            overlay.push([&self.patch_a, &self.other], [&mut self.polygon, &mut self.spare], out, &keep);
        }
    }
}

/// The faces of `solid` other than that of `patch` that look along `outward` and have a corner at a depth of at most
/// `near` below the origin that way.
fn beside<'a>(
    solid: &'a Solid,
    topology: &'a Topology,
    patch: &'a Patch,
    outward: DVec3,
    near: f64,
) -> impl Iterator<Item = usize> + use<'a> {
    let normals = solid.normals.iter().enumerate();
    let level = normals.filter(move |(face, normal)| normal.dot(outward) > LEVEL && patch.face() != Some(*face));
    level
        .map(|(face, _)| face)
        .filter(move |&face| topology.face_loop(face).iter().any(|&v| -solid.corners[v as usize].dot(outward) <= near))
}

/// The touching features of two bodies, or others of their faces, laid over each other along the contact normal.
pub(super) struct Overlay<'a> {
    pub(super) pair: &'a Pair<'a>,
    pub(super) frame: Frame,
    pub(super) radii: [f64; 2],
    /// Where the points of the pair start.
    pub(super) first: usize,
}

impl Overlay<'_> {
    /// Pushes the corners of the common part of the patches (of A and of B) that `keep` accepts and that are not there
    /// yet; returns the lowest distance of the cores over any of them, also beyond the margin.
    pub(super) fn push(
        &self,
        [patch_a, patch_b]: [&Patch; 2],
        buffers: [&mut Vec<Corner>; 2],
        out: &mut Vec<ContactPoint>,
        keep: impl Fn(Spot) -> bool,
    ) -> f64 {
        let (pair, frame) = (self.pair, &self.frame);
        // Only a subject may be a segment.
        let a_clips = patch_a.flat.len() > 2;
        let (clipper, subject) = if a_clips { (patch_a, patch_b) } else { (patch_b, patch_a) };
        let common = match (&clipper.flat[..], &subject.flat[..]) {
            ([_, _], [_, _]) => cross(&clipper.flat, &subject.flat, SLACK * pair.size, buffers),
            ([_, _, _, ..], [_, _, ..]) => {
                let cut = |edge| Cut::new(&clipper.flat, edge, SLACK * pair.size);
                intersect((0..clipper.flat.len()).map(cut), &subject.flat, buffers)
            }
            _ => return f64::INFINITY,
        };
        let mut lowest = f64::INFINITY;
        for corner in common {
            let levels = [clipper.level(corner, false), subject.level(corner, true)];
            let [above, below] = if a_clips { levels } else { [levels[1], levels[0]] };
            lowest = lowest.min(above - below);
            let (above, below) = (above - self.radii[0], below + self.radii[1]);
            let spot = spot(corner.site, clipper, subject, a_clips);
            if above - below <= pair.margin && keep(spot) {
                let foot = pair.origin + frame.lift(corner.at);
                let key = spot.key();
                // A segment that is cut shows its cut on the way there and back.
                if !out[self.first..].iter().any(|c| c.feature == key) {
                    out.push(between(foot, frame.normal, above, below, key));
                }
            }
        }
        lowest
    }
}

/// Drops the contacts from `first` on that are where an earlier one from `start` on is; the nearer of the two stays
/// under the name of the earlier, so that what stays does not depend on the margin.
pub(super) fn drop_repeated(out: &mut Vec<ContactPoint>, start: usize, first: usize, size: f64) {
    let reach = SAME_PLACE * size * (SAME_PLACE * size);
    let mut kept = first;
    for index in first..out.len() {
        let contact = out[index];
        match out[start..kept].iter_mut().find(|c| (c.point - contact.point).length_squared() <= reach) {
            Some(twin) if contact.gap < twin.gap => *twin = ContactPoint { feature: twin.feature, ..contact },
            Some(_) => {}
            None => {
                out[kept] = contact;
                kept += 1;
            }
        }
    }
    out.truncate(kept);
}

/// The axis perpendicular to an edge of each body (unit vector from B to A) and the separation along it; none when they
/// are parallel or no pair of touching features.
pub(super) fn edge_axis(
    a: &Solid,
    edge_a: &crate::convex::Edge,
    b: &Solid,
    edge_b: &crate::convex::Edge,
) -> Option<(DVec3, f64)> {
    let [a0, a1] = edge_a.vertices.map(|v| a.corners[v as usize]);
    let [b0, b1] = edge_b.vertices.map(|v| b.corners[v as usize]);
    let (along_a, along_b) = (a1 - a0, b1 - b0);
    let cross = along_a.cross(along_b);
    let squared = cross.length_squared();
    let lengths = along_a.length_squared() * along_b.length_squared();
    if squared <= PARALLEL * PARALLEL * lengths {
        return None;
    }
    let normal = cross / squared.sqrt();
    match (faces_of(a, edge_a), faces_of(b, edge_b)) {
        (Some(faces_a), Some(faces_b)) => {
            arcs_cross(faces_a, faces_b).then(|| {
                // The normal leads out of B and into A.
                let normal = if normal.dot(faces_b[0] + faces_b[1]) < 0.0 { -normal } else { normal };
                let normal = if squared < SKEW * SKEW * lengths { across(normal, along_a, along_b) } else { normal };
                (normal, normal.dot(a0 - b0))
            })
        }
        _ => {
            let separation = |n: DVec3| -a.reach(-n) - b.reach(n);
            let (there, back) = (separation(normal), separation(-normal));
            Some(if there >= back { (normal, there) } else { (-normal, back) })
        }
    }
}

/// The product of nearly parallel edges without its rounding along them, over whose length it would tilt.
fn across(normal: DVec3, along_a: DVec3, along_b: DVec3) -> DVec3 {
    let long = if along_a.length_squared() > along_b.length_squared() { along_a } else { along_b };
    (normal - normal.dot(long) / long.length_squared() * long).normalize()
}

/// True when the edges, seen along `normal` perpendicular to both, cross each other to `slack`.
fn cross_inside(
    a: &Solid,
    edge_a: &crate::convex::Edge,
    b: &Solid,
    edge_b: &crate::convex::Edge,
    normal: DVec3,
    slack: f64,
) -> bool {
    let [a0, a1] = edge_a.vertices.map(|v| a.corners[v as usize]);
    let [b0, b1] = edge_b.vertices.map(|v| b.corners[v as usize]);
    let lies_across = |p: DVec3, q: DVec3, along: DVec3| {
        let side = along.cross(normal).normalize_or_zero();
        let (s, t) = (side.dot(p), side.dot(q));
        s.min(t) <= slack && s.max(t) >= -slack
    };
    lies_across(a0 - b0, a1 - b0, b1 - b0) && lies_across(b0 - a0, b1 - a0, a1 - a0)
}

/// Normals of the two faces at an edge; none at the rim of something flat.
fn faces_of(solid: &Solid, edge: &crate::convex::Edge) -> Option<[DVec3; 2]> {
    let [first, second] = edge.faces.map(|f| solid.normals.get(f as usize).copied());
    Some([first?, second?])
}

/// True when the arc between the normals `a` meets the arc between the opposites of the normals `b` on the unit sphere:
/// then the two edges span a face of the Minkowski difference.
fn arcs_cross(a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    let [c, d] = b.map(|n| -n);
    let (plane_a, plane_b) = (a[1].cross(a[0]), d.cross(c));
    let (c_side, d_side) = (c.dot(plane_a), d.dot(plane_a));
    let (a_side, b_side) = (a[0].dot(plane_b), a[1].dot(plane_b));
    c_side * d_side < 0.0 && a_side * b_side < 0.0 && c_side * b_side > 0.0
}
