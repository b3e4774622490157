//! The point of a grain's smooth surface that is lowest over another surface, from a node beside it.
//!
//! Let phi be the distances of the grain, d those of the other body, n and m their outward unit normals. Where d is
//! least over phi = 0, `m = -n`. The tangential part `t = m - (m.n) n` is the slope of d along the surface; a step of
//! `-s t`, with the reciprocal s of the slope's growth, and one by `-phi / |grad phi|` along the normal lead there. Of
//! a ball on a plane s is the radius, and one step does; elsewhere s follows from the step before (Barzilai and
//! Borwein, IMA Journal of Numerical Analysis 8, 1988: `s = dx.dx / dx.dt`).
//!
//! Lowest points of rough surfaces often lie on ridges, where t jumps. If slopes at two points on either side have a
//! mean by weight that is nearly none, nothing near is lower by more than what the tangents leave (bundle methods:
//! Lemarechal 1975); else the ridge falls along the shortest such mean, and the way goes on there.

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
/// The same over the gap, for what is far off: it is looked for anew before it touches.
const DROP_AFAR: f64 = 0.01;
/// Gap over the radius beyond which points about one on a ridge are not tried: what is a little lower there is found
/// before it touches.
const AFAR: f64 = 0.01;
/// On a ridge the surface may be lower by this share of the radius at most, within this share of the distance of nodes.
const DROP_ON_RIDGE: f64 = 3e-5;
const NEAR: f64 = 0.25;
/// What is left of a step after which the surface was not lower, at least and at most.
const SHORTENED: std::ops::Range<f64> = 0.1..0.5;
/// Steps at most, and those of them that may lead higher.
const STEPS: usize = 16;
const MOST_HIGHER: usize = 5;
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

/// A point on the way down: how steeply the other surface falls away there, along this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) touch: Touch,
    /// In grain axes \[-\].
    pub(super) slope: DVec3,
}

impl Visit {
    /// The point of the surface next to `near`; none where it or the distance is not known.
    pub(super) fn of<F: Field>(grain: &GrainData, to_field: &Pose, field: &F, near: DVec3) -> Option<Visit> {
        let (at, normal) = on_surface(grain, near)?;
        let Distance { value, outward } = field.exact(to_field.transform_point(at))?;
        let towards = to_field.inverse_transform_vector(outward);
        let slope = towards - towards.dot(normal) * normal;
        Some(Visit { touch: Touch { at, gap: value, outward }, slope })
    }

    /// How much lower than at `lowest` the gap would be there if it fell as at this point \[m\].
    fn promises(&self, lowest: &Visit) -> f64 {
        (lowest.touch.gap - self.touch.gap - self.slope.dot(lowest.touch.at - self.touch.at)).abs()
    }
}

/// The lowest point near `start`, of which no step leads farther than `most` at first \[m\]; none where distances are
/// not known. Where the way leads on beyond what is near, the last point of it: on a flat face no other node may tell
/// of the place to which it leads.
pub(super) fn lowest<F: Field>(
    grain: &GrainData,
    to_field: &Pose,
    field: &F,
    (start, mut most): (DVec3, f64),
) -> Option<Touch> {
    let mut best = Visit::of(grain, to_field, field, start)?;
    let mut beyond: [Option<Visit>; 2] = [None; 2];
    let (mut step, mut slope, mut count) = (grain.radius, best.slope, 0);
    let reach = REACH * grain.node_spacing;
    let mut is_least = false;
    for _ in 1..STEPS {
        let way = (step * slope).clamp_length_max(most);
        let next = best.touch.at - way;
        let least = (LEVEL * grain.radius).max(LEVEL_AFAR * best.touch.gap);
        let afar = DROP_AFAR * best.touch.gap;
        if step * slope.length_squared() <= 2.0 * (DROP * grain.radius).max(afar)
            || way.length_squared() <= least * least
        {
            break;
        }
        if (next - start).length_squared() > reach * reach {
            return Some(best.touch);
        }
        let Some(visit) = Visit::of(grain, to_field, field, next) else { break };
        if visit.touch.gap < best.touch.gap {
            most = (2.0 * most).min(grain.node_spacing);
            let (moved, changed) = (visit.touch.at - best.touch.at, visit.slope - best.slope);
            let curvature = moved.dot(changed);
            // Where the surface bends the other way the step goes on as it was.
            if curvature > 0.0 {
                step = moved.length_squared() / curvature;
            }
            best = visit;
        } else {
            let share = if count == 0 { to_vertex(&best, &visit) } else { to_ridge(&best, &visit) };
            step = share * way.length() / slope.length();
            count += 1;
            beyond = [Some(visit), beyond[0]];
        }
        let (mean, lower) = mean_slope(&best, &beyond, step);
        let drop = (DROP_ON_RIDGE * grain.radius).max(DROP_AFAR * best.touch.gap);
        let is_level = mean.length() * NEAR * grain.node_spacing <= drop;
        is_least = count > 0 && is_level && lower <= drop;
        if is_least || count > MOST_HIGHER {
            break;
        }
        slope = if is_level { best.slope } else { mean };
    }
    // Short steps on a ridge do not say that it falls no further.
    let is_told = count == 0 || is_least || best.touch.gap > AFAR * grain.radius;
    Some(if is_told { best.touch } else { around(grain, to_field, field, (start, best.touch)) })
}

/// How much of the way from `best` to a point that is not lower leads to the vertex of the parabola through both.
fn to_vertex(best: &Visit, higher: &Visit) -> f64 {
    let falls = -best.slope.dot(higher.touch.at - best.touch.at);
    let share = 0.5 * falls / (higher.touch.gap - best.touch.gap + falls);
    if share > 0.0 { share.clamp(SHORTENED.start, SHORTENED.end) } else { SHORTENED.end }
}

/// How much of it leads to where the tangents at both meet: to the ridge between them.
fn to_ridge(best: &Visit, higher: &Visit) -> f64 {
    let way = higher.touch.at - best.touch.at;
    let share = (best.touch.gap - higher.touch.gap + higher.slope.dot(way)) / (higher.slope - best.slope).dot(way);
    if share > 0.0 { share.clamp(SHORTENED.start, SHORTENED.end) } else { SHORTENED.end }
}

/// Rounds in which the weights of slopes are found.
const WEIGHINGS: usize = 4;

/// The mean of the slopes at points about a ridge or a pit, as which it falls, and how much lower than at `best` it may
/// be among them \[m\].
///
/// Weights w make `step / 2 |mean|^2 + sum w promise` least: slopes of points that do not promise the gap at `best`
/// count little, as the surface bends on the way there.
fn mean_slope(best: &Visit, beyond: &[Option<Visit>; 2], step: f64) -> (DVec3, f64) {
    let turns = beyond.map(|visit| visit.map_or(DVec3::ZERO, |visit| best.slope - visit.slope));
    let promises = beyond.map(|visit| visit.map_or(0.0, |visit| visit.promises(best)));
    let mut weights = [0.0; 2];
    for _ in 0..WEIGHINGS {
        for one in 0..2 {
            let other = 1 - one;
            let rest = best.slope - weights[other] * turns[other];
            let share = (rest.dot(turns[one]) - promises[one] / step) / turns[one].length_squared();
            weights[one] = if share > 0.0 { share.min(1.0 - weights[other]) } else { 0.0 };
        }
    }
    let mean = best.slope - weights[0] * turns[0] - weights[1] * turns[1];
    (mean, weights[0] * promises[0] + weights[1] * promises[1])
}

/// Directions that are tried about a point on a ridge, and how far off, over the distance of nodes: at first, and at
/// last.
const COMPASS: usize = 3;
const TRIED: [f64; 2] = [0.25, 0.02];
/// Rounds at most.
const ROUNDS: usize = 12;

/// The lowest point near `lowest`, where slopes lead to and fro across a ridge: points around it are tried, nearer ones
/// where none is lower.
fn around<F: Field>(grain: &GrainData, to_field: &Pose, field: &F, (start, mut lowest): (DVec3, Touch)) -> Touch {
    let mut way = TRIED[0] * grain.node_spacing;
    let reach = REACH * grain.node_spacing;
    for round in 0..ROUNDS {
        // Every other round looks between the directions of the one before.
        let side = if round % 2 == 0 { way } else { -way };
        let (u, v) = to_field.inverse_transform_vector(lowest.outward).any_orthonormal_pair();
        let lower = (0..COMPASS).find_map(|k| {
            let (sine, cosine) = libm::sincos(std::f64::consts::TAU * k as f64 / COMPASS as f64);
            let (at, _) = on_surface(grain, lowest.at + side * (cosine * u + sine * v))?;
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

/// Share of a stretch to either side of a crossing at which the other body's two faces are asked.
const ASIDE: f64 = 0.2;
/// Sine of the angle between two faces from which on an edge lies between them.
const TWO_FACES: f64 = 0.1;

/// The lowest point of the stretch of an edge from `start` to a node where the gap falls back, or is not known; none
/// where it falls on to that node, or is no lower than at the start. On the stretch the slope of the gap turns once,
/// over an edge of the other body at once.
pub(super) fn crossing<F: Field>(
    grain: &GrainData,
    to_field: &Pose,
    field: &F,
    (start, to): (Touch, DVec3),
) -> Option<Touch> {
    let way = to - start.at;
    let along = to_field.transform_vector(way);
    let at_share = |share: f64| {
        let at = start.at + share * way;
        let Distance { value, outward } = field.exact(to_field.transform_point(at))?;
        Some(Touch { at, gap: value, outward })
    };
    let falls = |touch: &Touch| touch.outward.dot(along) < 0.0;
    if at_share(1.0).is_some_and(|touch| falls(&touch)) {
        return None;
    }
    let (mut lowest, mut share) = (start, 0.0);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let touch = at_share(middle)?;
        *(if falls(&touch) { &mut low } else { &mut high }) = middle;
        if touch.gap < lowest.gap {
            (lowest, share) = (touch, middle);
        }
    }
    let is_lower = lowest.gap < start.gap - BEARS * grain.node_spacing;
    let beside = [share - ASIDE, share + ASIDE].map(|share| at_share(share.clamp(0.0, 1.0)));
    let [Some(before), Some(behind)] = beside else { return is_lower.then_some(lowest) };
    is_lower.then(|| across_both(lowest, along, [before.outward, behind.outward]))
}

/// A point of an edge that leads `along` where it crosses that between two faces: two edges hold each other along the
/// direction across both. The distance at the point leads to the other edge.
fn across_both(touch: Touch, along: DVec3, faces: [DVec3; 2]) -> Touch {
    let edge = faces[0].cross(faces[1]);
    let Some(direction) = along.cross(edge).try_normalize() else { return touch };
    let outward = if direction.dot(touch.outward) < 0.0 { -direction } else { direction };
    let is_between = faces.iter().all(|face| face.dot(outward) >= 0.0);
    if edge.length() < TWO_FACES || !is_between {
        return touch;
    }
    Touch { gap: touch.gap * touch.outward.dot(outward), outward, ..touch }
}

/// A corner: where it is, and the distance as exact as it is known.
pub(super) fn corner<F: Field>(to_field: &Pose, field: &F, at: DVec3) -> Option<Touch> {
    let Distance { value, outward } = field.exact(to_field.transform_point(at))?;
    Some(Touch { at, gap: value, outward })
}
