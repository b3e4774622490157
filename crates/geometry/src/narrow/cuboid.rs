//! Two boxes: the fifteen separating axes, then the common part of the touching faces along the best one.
//!
//! The axes are the three face normals of each box and the nine cross products of their edges (Gottschalk, Lin and
//! Manocha 1996). For boxes that overlap, the largest of the fifteen (negative) separations is the least translation
//! that parts them; for boxes that are apart it is their distance whenever a face or two crossed edges are nearest.
//! Otherwise (a corner near an edge or a corner) it is a lower bound: seen by the clipped points all lying higher, and
//! then the nearest points are taken from `closest`.

use granule_model::{ContactPoint, DMat3, DVec3, Pose};

use super::between;
use super::clip::{Cut, Eight, Frame, Height, SLACK, Site, intersect};
use super::closest::Cores;
use glam::DVec2;

/// Squared sine below which two edges count as parallel: their cross product is noise, and the face axes speak for
/// them.
const PARALLEL_SQUARED: f64 = 1e-16;
/// An axis must be better by this share of the size to be preferred over an earlier one, faces before edges.
const PREFERENCE: f64 = 1e-10;
/// Separation and lowest clipped gap agree to this share of the size when the axis gives the distance.
const AGREEMENT: f64 = 1e-9;

/// Two boxes of half extents `half_a` and `half_b`.
pub(super) fn cuboid_cuboid(
    half_a: DVec3,
    pose_a: &Pose,
    half_b: DVec3,
    pose_b: &Pose,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let offset = pose_a.position - pose_b.position;
    let size = half_a.length() + half_b.length();
    let reach = size + margin;
    // Also false for NaN.
    if !(offset.length_squared() <= reach * reach && reach >= 0.0) {
        return;
    }
    let a = Block { half: half_a, axes: DMat3::from_quat(pose_a.rotation), centre: offset };
    let b = Block { half: half_b, axes: DMat3::from_quat(pose_b.rotation), centre: DVec3::ZERO };
    let Some((normal, separation)) = best_axis(&a, &b, size, margin) else { return };
    let (start, origin) = (out.len(), pose_b.position);
    let lowest = clip_faces(&a, &b, normal, size, margin, origin, out);
    let is_exact = lowest <= separation + AGREEMENT * size;
    if !is_exact {
        let cores = Cores { corners: [&a.corners(), &b.corners()], radii: [0.0; 2], size, origin };
        if separation > 0.0 {
            // The nearest features are a corner and an edge, two corners, or parallel edges.
            out.truncate(start);
            cores.push(normal, separation, margin, out);
        } else {
            cores.push_along(normal, separation, margin, out);
        }
    }
}

/// A box in axes of the world, positions relative to the centre of box B.
struct Block {
    half: DVec3,
    axes: DMat3,
    centre: DVec3,
}

impl Block {
    /// Corner `index`: bit k set means the positive side along axis k.
    fn corner(&self, index: u32) -> DVec3 {
        let sign = |bit: u32| if index >> bit & 1 == 1 { 1.0 } else { -1.0 };
        self.centre + self.axes * (self.half * DVec3::new(sign(0), sign(1), sign(2)))
    }

    fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| self.corner(i as u32))
    }
}

/// Two boxes seen in each other's axes.
struct Relative {
    half_a: DVec3,
    half_b: DVec3,
    /// From B to A, in axes of A and of B.
    to_a: DVec3,
    to_b: DVec3,
    /// Axes of B in axes of A.
    turn: [DVec3; 3],
    /// Their absolute values.
    spread: [DVec3; 3],
}

/// An axis in world components and how far apart the boxes are along it.
#[derive(Clone, Copy)]
struct Axis {
    direction: DVec3,
    separation: f64,
}

/// Unit vector from B to A with the largest separation along it; none as soon as one exceeds the margin.
fn best_axis(a: &Block, b: &Block, size: f64, margin: f64) -> Option<(DVec3, f64)> {
    let turn = a.axes.transpose() * b.axes;
    let relative = Relative {
        half_a: a.half,
        half_b: b.half,
        to_a: a.axes.transpose() * a.centre,
        to_b: b.axes.transpose() * a.centre,
        turn: [turn.x_axis, turn.y_axis, turn.z_axis],
        spread: [turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs()],
    };
    let slack = PREFERENCE * size;
    let face = relative.best_face(a, b, slack, margin)?;
    let best = relative.better_edge(a, face, slack, margin)?;
    Some((best.direction.normalize(), best.separation))
}

impl Relative {
    /// The best of the six face normals; none beyond the margin.
    #[inline]
    fn best_face(&self, a: &Block, b: &Block, slack: f64, margin: f64) -> Option<Axis> {
        let [x, y, z] = self.spread;
        let (ha, hb) = (self.half_a, self.half_b);
        let faces_a = self.to_a.abs() - ha - (x * hb.x + y * hb.y + z * hb.z);
        let faces_b = self.to_b.abs() - hb - DVec3::new(x.dot(ha), y.dot(ha), z.dot(ha));
        if faces_a.max_element().max(faces_b.max_element()) > margin {
            return None;
        }
        let mut best = (f64::NEG_INFINITY, 0);
        let separations = [faces_a.x, faces_a.y, faces_a.z, faces_b.x, faces_b.y, faces_b.z];
        for (face, separation) in separations.into_iter().enumerate() {
            if separation > best.0 + slack {
                best = (separation, face);
            }
        }
        let (separation, face) = best;
        let (block, toward) = if face < 3 { (a, self.to_a) } else { (b, self.to_b) };
        let axis = face % 3;
        Some(Axis { direction: block.axes.col(axis) * toward[axis].signum(), separation })
    }

    /// The best of `best` and the nine products of edges; none beyond the margin.
    #[inline]
    fn better_edge(&self, a: &Block, best: Axis, slack: f64, margin: f64) -> Option<Axis> {
        // Written out: constant indices need no look at which component is meant.
        let best = self.better_edge_along([0, 1, 2], a, best, slack, margin)?;
        let best = self.better_edge_along([1, 2, 0], a, best, slack, margin)?;
        self.better_edge_along([2, 0, 1], a, best, slack, margin)
    }

    /// The best of `best` and the products of the three edges of A with that of B along its axis `j`; none beyond the
    /// margin.
    #[inline(always)]
    fn better_edge_along(
        &self,
        [j, j1, j2]: [usize; 3],
        a: &Block,
        best: Axis,
        slack: f64,
        margin: f64,
    ) -> Option<Axis> {
        let (r, s, ha) = (self.turn[j], self.spread[j], self.half_a);
        // One component for each axis of A; their lengths are left to those that may be better.
        let along = r.cross(self.to_a);
        let radius_a = DVec3::new(ha.y * s.z + ha.z * s.y, ha.z * s.x + ha.x * s.z, ha.x * s.y + ha.y * s.x);
        let radius_b = self.half_b[j1] * self.spread[j2] + self.half_b[j2] * self.spread[j1];
        let raw = along.abs() - radius_a - radius_b;
        // Dividing by the length (at most 1) cannot lift a negative value that is already too low.
        if raw.max_element() <= 0.0_f64.min(best.separation + slack) {
            return Some(best);
        }
        self.best_product(r, [along, raw], a, best, slack, margin)
    }

    /// The best of `best` and the products of the edges of A with one of B along `r`, in axes of A: how far the centres
    /// are apart along each, and the boxes, over the length of the product.
    #[inline]
    fn best_product(
        &self,
        r: DVec3,
        [along, raw]: [DVec3; 2],
        a: &Block,
        mut best: Axis,
        slack: f64,
        margin: f64,
    ) -> Option<Axis> {
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            // Components i1 and i2 only.
            let (c1, c2) = (-r[i2], r[i1]);
            let squared = c1 * c1 + c2 * c2;
            if raw[i] <= 0.0_f64.min(best.separation + slack) || squared <= PARALLEL_SQUARED {
                continue;
            }
            let length = squared.sqrt();
            let separation = raw[i] / length;
            if separation > margin {
                return None;
            }
            if separation > best.separation + slack {
                let direction = (a.axes.col(i1) * c1 + a.axes.col(i2) * c2) * (along[i].signum() / length);
                best = Axis { direction, separation };
            }
        }
        Some(best)
    }
}

/// A face of a box seen along the contact normal.
struct Patch {
    corners: [DVec2; 4],
    /// Numbers of the corners in the box.
    ids: [u32; 4],
    height: Height,
}

impl Patch {
    /// The face whose outward normal lies nearest to `outward`; its corners counter-clockwise seen from the tip of the
    /// frame's normal.
    #[inline]
    fn new(block: &Block, outward: DVec3, frame: &Frame) -> Self {
        let local = block.axes.transpose() * outward;
        let size = local.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let (e1, e2) = ((axis + 1) % 3, (axis + 2) % 3);
        let positive = local[axis] >= 0.0;
        let normal = block.axes.col(axis);
        let middle = block.centre + normal * if positive { block.half[axis] } else { -block.half[axis] };
        let (p, q) = (block.axes.col(e1) * block.half[e1], block.axes.col(e2) * block.half[e2]);
        let (m, p, q) = (frame.flat(middle), frame.flat(p), frame.flat(q));
        let base = if positive { 1 << axis } else { 0_u32 };
        let (low, high) = (1 << e1, 1 << e2);
        let mut corners = [m + p + q, m - p + q, m - p - q, m + p - q];
        let mut ids = [base | low | high, base | high, base, base | low];
        if normal.dot(frame.normal) < 0.0 {
            corners.swap(1, 3);
            ids.swap(1, 3);
        }
        Patch { corners, ids, height: Height::of_face(frame, middle, normal) }
    }

    /// Key of the edge from corner `k` to the next: the common bits, and which bit differs.
    fn edge(&self, k: u32) -> u32 {
        let (from, to) = (self.ids[k as usize], self.ids[(k as usize + 1) % 4]);
        8 * (from ^ to).trailing_zeros() + (from & to)
    }
}

/// Keys of corners of A, corners of B, and crossings of edges, in this order.
fn key(site: Site, a: &Patch, b: &Patch) -> u32 {
    match site {
        Site::Clipper(k) => a.ids[k as usize],
        Site::Subject(k) => 8 + b.ids[k as usize],
        Site::Crossing { clipper, subject } => 16 + 24 * a.edge(clipper) + b.edge(subject),
    }
}

/// Pushes the corners of the common part of the touching faces; returns the lowest gap, also of points beyond the
/// margin.
fn clip_faces(
    a: &Block,
    b: &Block,
    normal: DVec3,
    size: f64,
    margin: f64,
    origin: DVec3,
    out: &mut Vec<ContactPoint>,
) -> f64 {
    let frame = Frame::new(normal);
    let patch_a = Patch::new(a, -normal, &frame);
    let patch_b = Patch::new(b, normal, &frame);
    let (mut polygon, mut spare) = (Eight::new(), Eight::new());
    // All edges at once: their roots need not wait for each other.
    let cuts = [0, 1, 2, 3].map(|edge| Cut::new(&patch_a.corners, edge, SLACK * size));
    let common = intersect(cuts, &patch_b.corners, [&mut polygon, &mut spare]);
    let mut lowest = f64::INFINITY;
    for corner in common {
        let (above, below) = (patch_a.height.at(corner.at), patch_b.height.at(corner.at));
        let gap = above - below;
        lowest = lowest.min(gap);
        if gap <= margin {
            let foot = origin + frame.lift(corner.at);
            out.push(between(foot, normal, above, below, key(corner.site, &patch_a, &patch_b)));
        }
    }
    lowest
}
