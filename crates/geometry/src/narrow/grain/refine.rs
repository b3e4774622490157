//! The point of a grain's smooth surface that is lowest over another surface, from a node beside it.
//!
//! Let phi be the distances of the grain, d those of the other body, n and m their outward unit normals. Where d is
//! least over phi = 0, `m = -n`. The tangential part `t = m - (m.n) n` is the slope of d along the surface; a step of
//! `-s t`, with the reciprocal s of the slope's growth, and one by `-phi / |grad phi|` along the normal lead there. Of
//! a ball on a plane s is the radius, and one step does; elsewhere s follows from the step before (Barzilai and
//! Borwein, IMA Journal of Numerical Analysis 8, 1988: `s = dx.dx / dx.dt`).

use granule_model::{DVec3, Pose};

use crate::distance::Distance;
use crate::grain::GrainData;
use crate::narrow::field::Field;

/// Slope at which a point is the lowest: it displaces the point by this share of the radius.
const LEVEL: f64 = 1e-5;
/// Steps at most. Measured: 3 for balls, 4 to 6 for rough grains.
const STEPS: usize = 10;
/// The lowest point lies within this many distances of nodes of the node that is lowest.
const REACH: f64 = 1.5;

/// A point of the surface of a grain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// In grain axes \[m\].
    pub(super) at: DVec3,
    /// Distance of the other surface \[m\].
    pub(super) gap: f64,
    /// Its outward direction, in its axes.
    pub(super) outward: DVec3,
}

/// The lowest point near `start`; `start` itself where distances are not known.
pub(super) fn lowest<F: Field>(grain: &GrainData, to_field: &Pose, field: &F, start: Touch) -> Touch {
    let mut best: Option<Touch> = None;
    let mut step = grain.radius;
    let mut from = start.at;
    let mut last: Option<(DVec3, DVec3)> = None;
    let reach = REACH * grain.node_spacing;
    for _ in 0..STEPS {
        let Some((at, normal)) = on_surface(grain, from) else { break };
        let Some(Distance { value, outward }) = field.exact(to_field.transform_point(at)) else { break };
        let is_lower = best.is_none_or(|b| value < b.gap);
        let towards = to_field.inverse_transform_vector(outward);
        let slope = towards - towards.dot(normal) * normal;
        if let Some((before, slope_before)) = last {
            let (moved, changed) = (at - before, slope - slope_before);
            let curvature = moved.dot(changed);
            // Where the surface bends the other way the step goes on as it was.
            if curvature > 0.0 {
                step = moved.length_squared() / curvature;
            }
        }
        if is_lower {
            best = Some(Touch { at, gap: value, outward });
        }
        if slope.length_squared() <= LEVEL * LEVEL {
            break;
        }
        last = Some((at, slope));
        let next = at - (step * slope).clamp_length_max(grain.node_spacing);
        if (next - start.at).length_squared() > reach * reach {
            break;
        }
        from = next;
    }
    best.unwrap_or(start)
}

/// The point of the contour next to `near`, and the outward normal there.
fn on_surface(grain: &GrainData, near: DVec3) -> Option<(DVec3, DVec3)> {
    let sample = grain.level_set.contour(near)?;
    Some((near - sample.value * sample.gradient, sample.gradient))
}

/// Halvings of a stretch of an edge: a thousandth of the distance of nodes is left.
const HALVINGS: usize = 10;
/// An edge bears as long as its gap grows by no more than this share of the distance of nodes.
const BEARS: f64 = 1e-3;

/// The last point on the way from a node on a sharp edge to the next that is as low over the other surface: where the
/// edge leaves a face. It is held along the direction at the node: at the rim of the face there are many.
pub(super) fn end_of_edge<F: Field>(
    grain: &GrainData,
    to_field: &Pose,
    field: &F,
    start: Touch,
    towards: DVec3,
) -> Option<Touch> {
    let along = towards - start.at;
    let highest = start.gap + BEARS * grain.node_spacing;
    let mut found = None;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let at = start.at + middle * along;
        match field.exact(to_field.transform_point(at)) {
            Some(Distance { value, .. }) if value <= highest => {
                found = Some(Touch { at, gap: value, outward: start.outward });
                low = middle;
            }
            _ => high = middle,
        }
    }
    found
}

/// A corner: where it is, and the distance as exact as it is known.
pub(super) fn corner<F: Field>(to_field: &Pose, field: &F, start: Touch) -> Touch {
    match field.exact(to_field.transform_point(start.at)) {
        Some(Distance { value, outward }) => Touch { gap: value, outward, ..start },
        None => start,
    }
}
