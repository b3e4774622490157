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

/// A step shorter than this share of the radius is none, and so is one shorter than this share of the gap: what is far
/// off is looked for anew before it touches.
const LEVEL: f64 = 1e-4;
const LEVEL_AFAR: f64 = 0.02;
/// A step that promises to lower the gap by less than this share of the radius is not worth it. A ball's lowest point
/// is found by one step; of other surfaces it is left by up to 1.4e-3 radii, where the gap is the same to a millionth.
const DROP: f64 = 1e-6;
/// What is left of a step after which the surface was not lower: over an edge distances bend sharply.
const SHORTENED: f64 = 0.25;
/// Steps at most, and those of them that may lead higher.
const STEPS: usize = 16;
const MOST_HIGHER: usize = 4;
/// The lowest point lies within this many distances of nodes of the node that is lowest. Where nodes lie unevenly the
/// lowest of those around is up to 1.7 away; with 1.5 a ball had a second contact half way.
const REACH: f64 = 3.0;

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
    let mut best: Option<(Touch, DVec3)> = None;
    let mut step = grain.radius;
    let mut from = start.at;
    let reach = REACH * grain.node_spacing;
    let mut higher = 0;
    for _ in 0..STEPS {
        let Some((at, normal)) = on_surface(grain, from) else { break };
        let Some(Distance { value, outward }) = field.exact(to_field.transform_point(at)) else { break };
        let towards = to_field.inverse_transform_vector(outward);
        let slope = towards - towards.dot(normal) * normal;
        match &best {
            Some((lowest, _)) if value >= lowest.gap => {
                step *= SHORTENED;
                higher += 1;
            }
            Some((lowest, before)) => {
                let (moved, changed) = (at - lowest.at, slope - *before);
                let curvature = moved.dot(changed);
                // Where the surface bends the other way the step goes on as it was.
                if curvature > 0.0 {
                    step = moved.length_squared() / curvature;
                }
                best = Some((Touch { at, gap: value, outward }, slope));
            }
            None => best = Some((Touch { at, gap: value, outward }, slope)),
        }
        let Some((lowest, slope)) = &best else { break };
        let way = (step * *slope).clamp_length_max(grain.node_spacing);
        let next = lowest.at - way;
        let least = (LEVEL * grain.radius).max(LEVEL_AFAR * lowest.gap);
        if higher > MOST_HIGHER
            || step * slope.length_squared() <= 2.0 * DROP * grain.radius
            || way.length_squared() <= least * least
            || (next - start.at).length_squared() > reach * reach
        {
            break;
        }
        from = next;
    }
    match best {
        Some((lowest, _)) if higher > MOST_HIGHER => around(grain, to_field, field, (start.at, lowest)),
        Some((lowest, _)) => lowest,
        None => start,
    }
}

/// Directions that are tried about a point on a ridge, and how far off, over the distance of nodes: at first, and at
/// last.
const COMPASS: usize = 6;
const TRIED: [f64; 2] = [0.25, 0.02];
/// Rounds at most.
const ROUNDS: usize = 12;

/// The lowest point near `lowest`, where slopes lead to and fro across a ridge: points around it are tried, nearer ones
/// where none is lower.
fn around<F: Field>(grain: &GrainData, to_field: &Pose, field: &F, (start, mut lowest): (DVec3, Touch)) -> Touch {
    let mut way = TRIED[0] * grain.node_spacing;
    let reach = REACH * grain.node_spacing;
    for _ in 0..ROUNDS {
        let (u, v) = to_field.inverse_transform_vector(lowest.outward).any_orthonormal_pair();
        let lower = (0..COMPASS).find_map(|k| {
            let (sine, cosine) = libm::sincos(std::f64::consts::TAU * k as f64 / COMPASS as f64);
            let (at, _) = on_surface(grain, lowest.at + way * (cosine * u + sine * v))?;
            let Distance { value, outward } = field.exact(to_field.transform_point(at))?;
            let is_near = (at - start).length_squared() <= reach * reach;
            (is_near && value < lowest.gap).then_some(Touch { at, gap: value, outward })
        });
        match lower {
            Some(touch) => lowest = touch,
            None if way <= TRIED[1] * grain.node_spacing => break,
            None => way *= 0.5,
        }
    }
    lowest
}

/// A point is on the surface when its distance is less than this share of the distance of nodes.
const ON_SURFACE: f64 = 1e-3;
/// Projections of a point, at most: one does but for points beyond an edge, where distances bend.
const PROJECTIONS: usize = 4;

/// The point of the contour next to `near`, and the outward normal there; none where projections do not lead to it.
fn on_surface(grain: &GrainData, near: DVec3) -> Option<(DVec3, DVec3)> {
    let mut at = near;
    for _ in 0..PROJECTIONS {
        let sample = grain.level_set.contour(at)?;
        at -= sample.value * sample.gradient;
        if sample.value.abs() <= ON_SURFACE * grain.node_spacing {
            return Some((at, sample.gradient));
        }
    }
    None
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
