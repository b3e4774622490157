//! A cylinder against a capsule, a polyhedron or another cylinder.
//!
//! All points lie along the direction in which the two are nearest (`round`). The touching features are laid over each
//! other along it as those of polyhedra are: of a cylinder the polygon of its rim points, or the line of its side.
//! Where none of the points so found is as near as the bodies are, as for a rim across an edge or a corner near a rim,
//! the nearest points themselves are one more.

use granule_model::{ContactPoint, DVec3};

use super::clip::{Frame, Height};
use super::patch::{Patch, Spot};
use super::polytope::{Overlay, Pair, Workspace, drop_repeated, is_hull, with_workspace};
use super::rim::Rim;
use super::round::{Bodies, Found, Piece, Round};
use super::round_beside::beside_round;
use super::tidy::separate_keys;
use super::topology::NOTHING;
use super::{Side, between};
use crate::geometry::Geometry;

/// The lowest point and the separation agree to this share of the size when the point is one where the bodies are
/// nearest.
const AGREEMENT: f64 = 2e-10;
/// Points this near the nearest ones (share of the size) say nothing more.
const CHORD: f64 = 1e-4;
/// Sine of the angle below which two lines count as parallel and touch along a stretch.
const PARALLEL: f64 = 1e-6;
/// Key of the nearest points, where no corner, rim point or crossing names them.
const NEAREST: u32 = 0x0C71;

/// Two convex pieces of which none is a ball and `b` is a cylinder.
pub(super) fn round_pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    with_workspace(|work| {
        let origin = b.pose.position;
        let Geometry::Cylinder(cylinder) = b.geometry else { return };
        let round_b = Round::new(cylinder, b, origin);
        // What another pair left there is no part of this one.
        work.a.clear();
        work.b.clear();
        let (topology_a, round_a) = match a.geometry {
            Geometry::Cylinder(cylinder) => (NOTHING, Some(Round::new(cylinder, a, origin))),
            _ => match work.a.load(a, origin) {
                Some(topology) => (topology, None),
                None => return,
            },
        };
        let piece_a = round_a.map_or(Piece::Flat(&work.a, topology_a), Piece::Round);
        let bodies = Bodies::new(piece_a, Piece::Round(round_b));
        let (size, radius) = (bodies.size + work.a.radius, work.a.radius);
        let Some(found) = bodies.nearest(margin + radius) else { return };
        let is_hull = [is_hull(a), false];
        let pair = Pair { topology_a, topology_b: NOTHING, size, margin, origin, is_hull };
        let start = out.len();
        touch(work, &pair, [round_a, Some(round_b)], &found, out);
        beside_round([a, b], [round_a, Some(round_b)], &found, [margin, size], start, out);
        separate_keys(&mut out[start..]);
    });
}

/// Pushes what touches along the direction found.
fn touch(work: &mut Workspace, pair: &Pair, rounds: [Option<Round>; 2], found: &Found, out: &mut Vec<ContactPoint>) {
    let (start, normal, frame) = (out.len(), found.normal, Frame::new(found.normal));
    let middle_b = rounds[1].map_or(DVec3::ZERO, |round| round.place(DVec3::ZERO));
    let middle_a = rounds[0].map_or_else(|| work.a.middle(), |round| round.place(DVec3::ZERO));
    match &rounds[0] {
        Some(round) => load_round(&mut work.patch_a, round, [-normal, middle_b], &frame),
        None => work.patch_a.load(&work.a, &pair.topology_a, -normal, &frame, pair.size),
    }
    if let Some(round) = &rounds[1] {
        load_round(&mut work.patch_b, round, [normal, middle_a], &frame);
    }
    let overlay = Overlay { pair, frame, radii: [work.a.radius, 0.0], first: start };
    let patches = [&work.patch_a, &work.patch_b];
    let lowest = match common_stretch(patches) {
        Some(ends) => push_stretch(&overlay, patches, ends, out),
        None => overlay.push(patches, [&mut work.polygon, &mut work.spare], out, |_| true),
    };
    let is_shown = found.is_flat && lowest <= found.separation + AGREEMENT * pair.size;
    if !is_shown {
        push_nearest(&overlay, found, out);
    }
    let first = out.len();
    if pair.is_hull[0] {
        work.clip_beside(pair, normal, start, out, |_| true);
    }
    drop_repeated(out, start, first, pair.size);
}

/// Puts the nearest points in the place of all from `overlay.first` on that are beside them: those lie on chords of a
/// rim.
fn push_nearest(overlay: &Overlay, found: &Found, out: &mut Vec<ContactPoint>) {
    let (pair, normal) = (overlay.pair, overlay.frame.normal);
    let gap = found.separation - overlay.radii[0];
    if gap <= pair.margin {
        let point = pair.origin + found.foot + 0.5 * gap * normal;
        let nearest = ContactPoint { gap, ..between(point, normal, 0.0, 0.0, NEAREST) };
        let mut kept = overlay.first;
        for index in overlay.first..out.len() {
            if (out[index].point - point).length() > CHORD * pair.size {
                out.swap(kept, index);
                kept += 1;
            }
        }
        out.truncate(kept);
        out.push(nearest);
    }
}

/// The end or the line of the side with which a cylinder touches along `outward` a body that has `other` as its middle.
fn load_round(patch: &mut Patch, round: &Round, [outward, other]: [DVec3; 2], frame: &Frame) {
    let toward = round.own(other - round.place(DVec3::ZERO));
    let rim = Rim::facing(&round.cylinder, round.own(outward), Some(toward));
    match (rim.polygon(), rim.end, rim.line()) {
        (Some((mut points, count)), Some(end), _) => {
            points[..count].iter_mut().for_each(|(_, p)| *p = round.place(*p));
            let normal = round.turned(end);
            patch.load_points(&points[..count], Height::of_face(frame, points[0].1, normal), frame);
        }
        (_, _, Some(line)) => {
            let line = line.map(|(name, p)| (name, round.place(p)));
            patch.load_points(&line, Height::of_edge(frame, line[0].1, line[1].1), frame);
        }
        _ => patch.load_points(&[], Height::of_edge(frame, DVec3::ZERO, DVec3::ZERO), frame),
    }
}

/// Both ends of the stretch over which two parallel lines lie over each other, with whose end each is: a corner of A,
/// or of B.
fn common_stretch([a, b]: [&Patch; 2]) -> Option<[(Spot, glam::DVec2); 2]> {
    let ends = |patch: &Patch| {
        let mut corners = patch.corners();
        let pair = [corners.next()?, corners.next()?];
        corners.next().is_none().then_some(pair)
    };
    let ([a0, a1], [b0, b1]) = (ends(a)?, ends(b)?);
    let (along_a, along_b) = (a1.1 - a0.1, b1.1 - b0.1);
    let (length_a, length_b) = (along_a.length(), along_b.length());
    // A line along the direction has no length across it.
    let are_parallel = along_a.perp_dot(along_b).abs() <= PARALLEL * length_a * length_b && length_a * length_b > 0.0;
    if !are_parallel {
        return None;
    }
    let direction = along_b / length_b;
    let place = |p: glam::DVec2| (p - b0.1).dot(direction);
    let [mut low, mut high] = [(Spot::CornerOfA(a0.0), place(a0.1)), (Spot::CornerOfA(a1.0), place(a1.1))];
    if low.1 > high.1 {
        std::mem::swap(&mut low, &mut high);
    }
    if low.1 < 0.0 {
        low = (Spot::CornerOfB(b0.0), 0.0);
    }
    if high.1 > length_b {
        high = (Spot::CornerOfB(b1.0), length_b);
    }
    (low.1 < high.1).then(|| [low, high].map(|(spot, place)| (spot, b0.1 + place * direction)))
}

/// Pushes the ends of a common stretch; the lower of their gaps, also beyond the margin.
fn push_stretch(
    overlay: &Overlay,
    [a, b]: [&Patch; 2],
    ends: [(Spot, glam::DVec2); 2],
    out: &mut Vec<ContactPoint>,
) -> f64 {
    let mut lowest = f64::INFINITY;
    for (spot, at) in ends {
        let (above, below) = (a.height_at(at), b.height_at(at));
        lowest = lowest.min(above - below);
        let (above, below) = (above - overlay.radii[0], below + overlay.radii[1]);
        if above - below <= overlay.pair.margin {
            let foot = overlay.pair.origin + overlay.frame.lift(at);
            out.push(between(foot, overlay.frame.normal, above, below, spot.key()));
        }
    }
    lowest
}
