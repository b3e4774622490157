//! Fewer points that hold the same: those that say the same become one, and of a flat place the lowest point and the
//! outermost remain.

use granule_model::{ContactPoint, DVec3};

/// Points nearer than this share of the distance of nodes, along a surface, are one.
const SAME: f64 = 0.5;
/// Cosine between the normals of points that may be one, or belong to one place.
const ONE_PLACE: f64 = 0.9;
/// Directions in which the outermost points are kept. Corners of up to 135 degrees are all among them.
const DIRECTIONS: usize = 8;
/// Turn of the directions against the axes \[rad\], so that no side of a square is perpendicular to one, where rounding
/// would choose the corner.
const TURN: f64 = 0.19;
/// Points within this share of the distance of nodes above the lowest one bear with it.
const LEVEL: f64 = 0.02;

/// Keeps of the points from `start` on that lie in one place the lowest.
pub(super) fn merge(out: &mut Vec<ContactPoint>, start: usize, node_spacing: f64) {
    let reach = SAME * node_spacing;
    // Keys differ, so the order is one; a stable sort would allocate.
    out[start..].sort_unstable_by(|c, d| c.gap.total_cmp(&d.gap).then(c.feature.cmp(&d.feature)));
    let mut kept = start;
    for index in start..out.len() {
        let contact = out[index];
        let is_same = |other: &ContactPoint| {
            let apart = other.point - contact.point;
            let along = apart - apart.dot(other.normal) * other.normal;
            other.normal.dot(contact.normal) >= ONE_PLACE && along.length_squared() <= reach * reach
        };
        if !out[start..kept].iter().any(is_same) {
            out[kept] = contact;
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// Keeps of each place among the points from `start` on, lowest first, the lowest point and the outermost, first among
/// those as low as it and then among those that come down when the body tilts.
///
/// `axes` are two directions that turn with the body, so that a body that slides keeps its points.
pub(super) fn reduce(out: &mut Vec<ContactPoint>, start: usize, node_spacing: f64, axes: [DVec3; 2]) {
    let mut kept = start;
    let mut index = start;
    while index < out.len() {
        let lowest = out[index];
        // The place of the lowest point left, moved to the front; the order by gap stays.
        let mut end = index;
        for i in index..out.len() {
            if out[i].normal.dot(lowest.normal) >= ONE_PLACE {
                out[end..=i].rotate_right(1);
                end += 1;
            }
        }
        kept = keep_outermost(out, [index, end], kept, LEVEL * node_spacing, axes);
        index = end;
    }
    out.truncate(kept);
}

/// Moves the points of `from..end` that are kept to `kept` and behind; returns their end.
fn keep_outermost(
    out: &mut [ContactPoint],
    [from, end]: [usize; 2],
    kept: usize,
    level: f64,
    axes: [DVec3; 2],
) -> usize {
    let normal = out[from].normal;
    let across = axes.into_iter().map(|a| a - a.dot(normal) * normal);
    let u = across.reduce(|p, q| if q.length_squared() > p.length_squared() { q } else { p }).unwrap_or(DVec3::X);
    let u = u.normalize_or(normal.any_orthonormal_vector());
    let v = normal.cross(u);
    let bears = out[from..end].partition_point(|c| c.gap <= out[from].gap + level);
    let mut chosen = [from; 1 + 2 * DIRECTIONS];
    let mut number = 1;
    for k in 0..DIRECTIONS {
        let (sin, cos) = libm::sincos(TURN + std::f64::consts::TAU * k as f64 / DIRECTIONS as f64);
        let direction = cos * u + sin * v;
        let outermost = |range: std::ops::Range<usize>| {
            range.reduce(|best, i| if direction.dot(out[i].point - out[best].point) > 0.0 { i } else { best })
        };
        let of_lowest = outermost(from..from + bears).unwrap_or(from);
        chosen[number] = of_lowest;
        number += 1;
        if let Some(far) = outermost(from + bears..end)
            && direction.dot(out[far].point - out[of_lowest].point) > 0.0
        {
            chosen[number] = far;
            number += 1;
        }
    }
    let chosen = &mut chosen[..number];
    chosen.sort_unstable();
    let mut place = kept;
    let mut last = None;
    for &mut i in chosen {
        if last != Some(i) {
            out[place] = out[i];
            place += 1;
            last = Some(i);
        }
    }
    place
}
