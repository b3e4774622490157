//! Exact convex decomposition of closed meshes with few reflex faces.
//!
//! The hull of the mesh is cut along planes of mesh triangles, as in a binary space partition, until the triangles in
//! each cell all lie behind one another. Then the solid part of the cell is the cell cut by the planes of its
//! triangles: it is convex, and it is exactly what the mesh encloses there. A cell in front of its last cut without
//! triangles is empty. Neighbouring parts that are convex together are joined.
//!
//! The volumes of the parts must add up to that of the mesh; where they do not (a mesh that crosses itself) or where
//! the parts get too many (a finely rounded hollow), there is no result and the caller approximates.

use granule_model::{Aabb, DVec3};

use crate::convex::Hull;
use crate::mass::Moments;

/// Points within this share of the mesh's extent of a plane lie on it; the same as for flat faces of hulls.
const ON_PLANE: f64 = 1e-6;
/// How well volumes must agree, relative.
const VOLUME: f64 = 1e-6;
/// Most triangles for which cuts are searched: the search grows with their square.
const MOST_TRIANGLES: usize = 2000;

/// A mesh triangle, or what cuts left of it.
#[derive(Clone)]
struct Fragment {
    corners: Vec<DVec3>,
    /// Outward normal and offset of its plane.
    normal: DVec3,
    offset: f64,
}

impl Fragment {
    fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// A convex region and the mesh inside.
struct Cell {
    hull: Hull,
    fragments: Vec<Fragment>,
}

/// Convex parts that together are the solid enclosed by an outward oriented mesh of the given volume; at most `most`.
pub(crate) fn exact_parts(vertices: &[DVec3], triangles: &[[u32; 3]], volume: f64, most: usize) -> Option<Vec<Hull>> {
    if triangles.len() > MOST_TRIANGLES {
        return None;
    }
    let tolerance = ON_PLANE * Aabb::from_points(vertices.iter().copied()).size().max_element();
    let fragments = triangles.iter().map(|t| fragment(t.map(|i| vertices[i as usize]))).collect();
    let mut cells = vec![Cell { hull: Hull::new(vertices)?, fragments }];
    let mut parts = Vec::new();
    // Joining rarely removes more than half of the parts, and a cut makes one cell more, or an empty one less.
    for _ in 0..8 * most {
        let Some(cell) = cells.pop() else { break };
        match best_cut(&cell.fragments, tolerance) {
            None => parts.extend(solid_part(cell, tolerance)),
            Some(cut) => cells.extend(split(cell, cut, tolerance)),
        }
        if parts.len() + cells.len() > 2 * most {
            return None;
        }
    }
    if !cells.is_empty() {
        return None;
    }
    join(&mut parts);
    let total: f64 = parts.iter().map(volume_of).sum();
    ((total - volume).abs() <= VOLUME * volume && parts.len() <= most).then_some(parts)
}

fn fragment(corners: [DVec3; 3]) -> Fragment {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    Fragment { corners: corners.into(), normal, offset: normal.dot(a) }
}

fn volume_of(hull: &Hull) -> f64 {
    Moments::polyhedron(&hull.points, &hull.triangles).volume
}

/// The fragment whose plane cuts the fewest others, among those that do not have all others behind; then the one that
/// parts them most evenly.
fn best_cut(fragments: &[Fragment], tolerance: f64) -> Option<usize> {
    let mut best: Option<(usize, usize, usize)> = None;
    for (index, plane) in fragments.iter().enumerate() {
        let (mut front, mut back, mut crossing) = (0usize, 0usize, 0usize);
        for other in fragments {
            let above = other.corners.iter().any(|&c| plane.height(c) > tolerance);
            let below = other.corners.iter().any(|&c| plane.height(c) < -tolerance);
            match (above, below) {
                (true, true) => crossing += 1,
                (true, false) => front += 1,
                _ => back += 1,
            }
        }
        if front + crossing > 0 {
            let score = (crossing, front.abs_diff(back), index);
            best = Some(best.map_or(score, |b| b.min(score)));
        }
    }
    best.map(|b| b.2)
}

/// Both sides of the plane of fragment `cut`.
fn split(cell: Cell, cut: usize, tolerance: f64) -> Vec<Cell> {
    let plane = cell.fragments[cut].clone();
    let mut sides = Vec::with_capacity(2);
    for sign in [1.0, -1.0] {
        let inner = |p: DVec3| sign * plane.height(p);
        let mut fragments = Vec::new();
        for f in &cell.fragments {
            let reach = f.corners.iter().map(|&c| inner(c)).fold(f64::NEG_INFINITY, f64::max);
            let depth = f.corners.iter().map(|&c| inner(c)).fold(f64::INFINITY, f64::min);
            if reach > tolerance {
                let corners = if depth >= -tolerance { f.corners.clone() } else { clip(&f.corners, inner) };
                fragments.push(Fragment { corners, ..f.clone() });
            } else if depth >= -tolerance && sign * f.normal.dot(plane.normal) < -0.5 {
                // In the plane, with its solid on this side.
                fragments.push(f.clone());
            }
        }
        if !fragments.is_empty() {
            sides.extend(cut_hull(&cell.hull, inner).map(|hull| Cell { hull, fragments }));
        }
    }
    sides
}

/// Keeps the part of a convex polygon where `inner` is not negative.
fn clip(polygon: &[DVec3], inner: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (hp, hq) = (inner(p), inner(q));
        if hp >= 0.0 {
            kept.push(p);
        }
        if (hp < 0.0) != (hq < 0.0) {
            kept.push(p + (q - p) * (hp / (hp - hq)));
        }
    }
    kept
}

/// The part of a hull where `inner` is not negative: its corners there and where its edges cross the plane.
fn cut_hull(hull: &Hull, inner: impl Fn(DVec3) -> f64) -> Option<Hull> {
    let mut points = Vec::new();
    for t in &hull.triangles {
        points.extend(clip(&t.map(|i| hull.points[i as usize]), &inner));
    }
    Hull::new(&points)
}

/// What a cell whose fragments lie behind one another encloses.
fn solid_part(cell: Cell, tolerance: f64) -> Option<Hull> {
    cell.fragments.iter().try_fold(cell.hull, |hull, plane| {
        if hull.points.iter().any(|&p| plane.height(p) > tolerance) {
            cut_hull(&hull, |p| -plane.height(p))
        } else {
            Some(hull)
        }
    })
}

/// Joins pairs of parts whose common hull holds nothing else.
fn join(parts: &mut Vec<Hull>) {
    let mut i = 0;
    while i < parts.len() {
        let joined = (i + 1..parts.len()).find_map(|j| {
            let points: Vec<_> = parts[i].points.iter().chain(&parts[j].points).copied().collect();
            let hull = Hull::new(&points)?;
            let apart = volume_of(&parts[i]) + volume_of(&parts[j]);
            (volume_of(&hull) <= (1.0 + VOLUME) * apart).then_some((j, hull))
        });
        match joined {
            // Look again from the start: the larger part may now fit an earlier one.
            Some((j, hull)) => {
                parts.swap_remove(j);
                parts[i] = hull;
                i = 0;
            }
            None => i += 1,
        }
    }
}
