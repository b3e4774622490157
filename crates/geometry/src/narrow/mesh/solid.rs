//! A convex piece with corners against the triangles of a surface.

use granule_model::{ContactPoint, DVec3};

use super::Held;
use super::facet::{Facet, Region};
use super::keys::{Names, nearest_key};
use super::lie::{Place, place_of};
use crate::convex::Edge;
use crate::cylinder::Cylinder;
use crate::geometry::Geometry;
use crate::ground::{EdgeKind, TriangleSurface};
use crate::narrow::Side;
use crate::narrow::closest::{Cores, Relation};
use crate::narrow::patch::Spot;
use crate::narrow::polytope::{Pair, Workspace, is_hull, with_workspace};
use crate::narrow::prism::with_prism;
use crate::narrow::round::Round;
use crate::narrow::solid::Solid;
use crate::narrow::topology::{TRIANGLE, Topology};

/// Heights that differ by this share of the size of the pair are equal.
const LEVEL: f64 = 1e-9;
/// Sine below which an edge of the body and one of the triangle count as parallel.
const PARALLEL: f64 = 1e-8;
/// A direction must be better by this share of the size to be preferred over the triangle's normal.
const PREFERENCE: f64 = 1e-9;
/// Separation and lowest clipped gap agree to this share of the size when the axis gives the distance.
const AGREEMENT: f64 = 1e-9;
/// An overlap deeper than this share of the body's width along the direction is asked whether the body meets the
/// triangle at all.
const DOUBTFUL: f64 = 0.05;
/// A corner deeper than this share of the body's half width in the ground or in the wall beside it is not meant.
const DEEPEST_IN_VALLEY: f64 = 0.5;
/// What is farther from the end of a valley than so many times its depth lies beside it, where the surface may be
/// anywhere: a corner 0.06 m above the ground was held at 0.04 m below the planes of a slope two cells away.
const BESIDE: f64 = 2.0;
/// Overlap with a ridge or rim deeper than this share of the body's width along the direction is not meant.
const DEEPEST: f64 = 0.4;

/// The piece `a`, in axes of the surface, against the triangles `near` it.
pub(super) fn solid_facets<S: TriangleSurface>(
    a: Side,
    surface: &S,
    near: &[u32],
    (held, margin): (Held, f64),
    out: &mut Vec<ContactPoint>,
) {
    let origin = a.pose.position;
    with_workspace(|work| {
        if let Geometry::Cylinder(cylinder) = a.geometry {
            return round_facets(work, (a, cylinder), surface, near, (held, margin), out);
        }
        let Some(topology_a) = work.a.load(a, origin) else { return };
        let size = work.a.extent() + work.a.radius;
        for &t in near {
            let facet = Facet::new(surface, t);
            load_facet(&mut work.b, &facet, origin);
            let size = size + work.b.extent();
            let pair = Pair { topology_a, topology_b: TRIANGLE, size, margin, origin, is_hull: [is_hull(a), false] };
            facet_contacts(work, &pair, &facet, (held, a.geometry.half_width()), out);
        }
    });
}

/// The same for a cylinder: for each triangle it is the prism that touches it where the cylinder does.
fn round_facets<S: TriangleSurface>(
    work: &mut Workspace,
    (a, cylinder): (Side, &Cylinder),
    surface: &S,
    near: &[u32],
    (held, margin): (Held, f64),
    out: &mut Vec<ContactPoint>,
) {
    let origin = a.pose.position;
    let round = Round::new(cylinder, a, origin);
    with_prism(|prism| {
        for &t in near {
            let facet = Facet::new(surface, t);
            load_facet(&mut work.b, &facet, origin);
            let corners = facet.corners.map(|c| c - origin);
            let topology_a = prism.load(&mut work.a, &round, a.pose, corners, facet.normal);
            let size = cylinder.bounding_radius() + work.b.extent();
            let pair = Pair { topology_a, topology_b: TRIANGLE, size, margin, origin, is_hull: [false, false] };
            facet_contacts(work, &pair, &facet, (held, a.geometry.half_width()), out);
        }
    });
}

/// Makes `solid` the triangle, about `origin`.
fn load_facet<S: TriangleSurface>(solid: &mut Solid, facet: &Facet<S>, origin: DVec3) {
    solid.corners.clear();
    solid.corners.extend(facet.corners.map(|c| c - origin));
    solid.normals.clear();
    solid.normals.extend([facet.normal, -facet.normal]);
    solid.offsets.clear();
    let offset = facet.normal.dot(solid.corners[0]);
    solid.offsets.extend([offset, -offset]);
    solid.radius = 0.0;
}

/// The piece in `work.a`, of half the smallest width `half_width` \[m\], against one triangle.
fn facet_contacts<S: TriangleSurface>(
    work: &mut Workspace,
    pair: &Pair,
    facet: &Facet<S>,
    (held, half_width): (Held, f64),
    out: &mut Vec<ContactPoint>,
) {
    let reach = pair.margin + work.a.radius;
    let found = best_direction(&work.a, &work.b, pair, facet, (held, reach));
    let Some(Found { face, best, is_beside }) = found else { return };
    let start = out.len();
    let names = Names::new(facet.surface.vertices(facet.index));
    let mut lowest = f64::INFINITY;
    if let Some((normal, _)) = best {
        lowest = work.clip(pair, normal, out, |spot| !on_flat_edge(spot, facet) && names.note(spot));
        // A body whose middle is beside a rim, beyond the plane, may reach over a triangle that it does not come near.
        let width = work.a.reach(normal) + work.a.reach(-normal) + 2.0 * work.a.radius;
        if is_beside && lowest < -DOUBTFUL * width && are_apart(&work.cores(pair), work.a.radius) {
            out.truncate(start);
            lowest = f64::INFINITY;
        } else {
            work.clip_beside(pair, normal, start, out, |spot| !on_flat_edge(spot, facet) && names.note(spot));
            if normal == face {
                let deepest = DEEPEST_IN_VALLEY * half_width;
                push_corners_in_valleys(&work.a, pair, facet, (face, deepest), start, out);
            }
        }
    }
    let separation = best.map_or(f64::NEG_INFINITY, |(_, separation)| separation);
    let is_exact = lowest <= separation + AGREEMENT * pair.size;
    if facet.has_ridge(face) && !is_exact {
        let cores = work.cores(pair);
        if let Relation::Apart(nearest) = cores.relation(reach)
            && facet.allows(nearest.normal, face, LEVEL * pair.size)
            && !facet.is_face(nearest.normal)
        {
            // Points along the triangle's own normal hold as well; any other direction was only a bound.
            if best.is_some_and(|(normal, _)| normal != face) {
                out.truncate(start);
            }
            names.apply(&mut out[start..]);
            let first = out.len();
            cores.push_nearest(&nearest, pair.margin, out);
            out[first..].iter_mut().for_each(|c| c.feature = nearest_key(&cores, &nearest));
            return;
        }
    }
    names.apply(&mut out[start..]);
}

/// Pushes the corners of the body that lie under the plane of the triangle beyond a valley, deeper than all points from
/// `start` on and by `deepest` at most \[m\].
///
/// A corner that is in the ground and in the wall beside it is over neither. The edges that lead to it cross the valley
/// higher up, by as much as they are steep.
fn push_corners_in_valleys<S: TriangleSurface>(
    a: &Solid,
    pair: &Pair,
    facet: &Facet<S>,
    (face, deepest): (DVec3, f64),
    start: usize,
    out: &mut Vec<ContactPoint>,
) {
    if a.radius > 0.0 || (0..3).all(|edge| !facet.is_valley(edge, face)) {
        return;
    }
    let level = LEVEL * pair.size;
    let lowest = out[start..].iter().map(|c| c.gap).fold(pair.margin, f64::min);
    let walls: [Option<Wall<S>>; 3] = std::array::from_fn(|edge| wall_beyond(a, pair, facet, (edge, face)));
    for (number, corner) in a.corners.iter().enumerate() {
        let at = pair.origin + *corner;
        let gap = face.dot(at - facet.corners[0]);
        let is_beyond = |edge: usize| facet.outward(edge).dot(at - facet.corners[edge]) > 0.0;
        let is_in_wall = |edge: usize| walls[edge].as_ref().is_some_and(|wall| wall.holds(at, gap, deepest));
        let mut beyond = (0..3).filter(|&edge| is_beyond(edge)).peekable();
        if (-deepest..lowest - level).contains(&gap) && beyond.peek().is_some() && beyond.all(is_in_wall) {
            let (point, feature) = (at - 0.5 * gap * face, Spot::CornerOfA(number as u32).key());
            out.push(ContactPoint { point, normal: face, gap, half_width: f64::INFINITY, feature });
        }
    }
}

/// The triangle across a valley.
struct Wall<'a, S> {
    facet: Facet<'a, S>,
    /// Its normal on the side on which the body is held.
    inward: DVec3,
    /// Both ends of the valley.
    foot: [DVec3; 2],
}

impl<S: TriangleSurface> Wall<'_, S> {
    /// Whether `at` is in the wall by `deepest` at most \[m\], and is on its way to the foot, above the ground by `gap`
    /// \[m\], or below the foot.
    ///
    /// In the ground, but under the wall and not its foot, it is held by the wall; beyond the wall, and beyond the ends
    /// of the foot, the surface may have bent away.
    fn holds(&self, at: DVec3, gap: f64, deepest: f64) -> bool {
        let depth = -self.inward.dot(at - self.foot[0]);
        let is_foot = |corner: usize| self.foot.contains(&self.facet.corners[corner]);
        let is_below = |corner: usize| at.distance(self.facet.corners[corner]) <= BESIDE * depth.max(-gap);
        let is_near = match self.facet.region(at) {
            Region::Face => gap >= 0.0,
            Region::Edge(edge) => is_foot(edge) && is_foot((edge + 1) % 3),
            Region::Corner(corner) => is_foot(corner) && is_below(corner),
        };
        (0.0..=deepest).contains(&depth) && is_near
    }
}

/// The triangle across a valley, where it holds the body on the same side of the surface.
fn wall_beyond<'a, S: TriangleSurface>(
    a: &Solid,
    pair: &Pair,
    facet: &Facet<'a, S>,
    (edge, face): (usize, DVec3),
) -> Option<Wall<'a, S>> {
    let wall = facet.across(edge).filter(|_| facet.is_valley(edge, face))?;
    let inward = if face == facet.normal { wall.normal } else { -wall.normal };
    let foot = [facet.corners[edge], facet.corners[(edge + 1) % 3]];
    (inward.dot(middle(a, pair) - foot[0]) > 0.0).then_some(Wall { facet: wall, inward, foot })
}

/// Whether surfaces that lie `radius` around the cores are apart.
fn are_apart(cores: &Cores, radius: f64) -> bool {
    match cores.relation(radius) {
        Relation::Far => true,
        Relation::Apart(nearest) => (nearest.on_a - nearest.on_b).length() > radius,
        Relation::Touching => false,
    }
}

/// How a body lies to a triangle.
struct Found {
    /// The normal of the triangle to the side on which the body is held.
    face: DVec3,
    /// The allowed direction along which they are farthest apart, and how far; none when every one is too deep to be
    /// meant.
    best: Option<(DVec3, f64)>,
    /// Whether the body lies across the plane with its middle beside a rim, where the surface has no sides.
    is_beside: bool,
}

/// The best allowed direction; none when body and triangle are beyond `reach`.
///
/// The body is held on the side of the triangle's plane on which it lies. Where the plane cuts the body, that may be
/// far beside the triangle, and what counts is the side of the surface on which the body's middle lies.
fn best_direction<S: TriangleSurface>(
    a: &Solid,
    b: &Solid,
    pair: &Pair,
    facet: &Facet<S>,
    (held, reach): (Held, f64),
) -> Option<Found> {
    let level = LEVEL * pair.size;
    let [top, low] = [a.reach(facet.normal), -a.reach(-facet.normal)];
    let (front, behind) = (low - b.reach(facet.normal), -b.reach(-facet.normal) - top);
    if front > reach || behind > reach {
        return None;
    }
    // Twice the radius counts as width, so that a capsule that lies flat has one.
    let deepest = |width: f64| -DEEPEST * (width + 2.0 * a.radius);
    let lies_across = front.max(behind) < 0.0;
    let middle = lies_across.then(|| middle(a, pair));
    let place = middle.map(|middle| match held {
        Held::Above => Place { is_in_front: true, is_beside: false },
        Held::OnBothSides => place_of(facet, middle),
    });
    let in_front = place.map_or(front >= behind, |place| place.is_in_front);
    // Behind a triangle of solid ground lies another slope, not the body.
    if held == Held::Above && !in_front {
        return None;
    }
    let is_beside = place.is_some_and(|place| place.is_beside);
    let (face, height) = if in_front { (facet.normal, front) } else { (-facet.normal, behind) };
    // A plane beyond which the middle lies is that of another part of the surface, such as a hillside under a plate on
    // the hill.
    let holds = middle.is_none_or(|middle| face.dot(middle - facet.corners[0]) >= 0.0);
    let mut best = holds.then_some((face, height));
    if !facet.has_ridge(face) {
        return Some(Found { face, best, is_beside });
    }
    let mut consider = |normal: DVec3| {
        let low = -a.reach(-normal);
        let apart = low - b.reach(normal);
        if best.is_none_or(|(_, s)| apart > s + PREFERENCE * pair.size)
            && apart >= deepest(a.reach(normal) - low)
            && !facet.is_face(normal)
            && facet.allows(normal, face, level)
        {
            best = Some((normal, apart));
        }
    };
    a.normals.iter().for_each(|&n| consider(-n));
    edge_directions(a, pair.topology_a, b, facet, (face, lies_across), &mut consider);
    Some(Found { face, best, is_beside }).filter(|found| found.best.is_none_or(|(_, s)| s <= reach))
}

/// A point inside the body, in axes of the surface.
fn middle(a: &Solid, pair: &Pair) -> DVec3 {
    pair.origin + a.corners.iter().sum::<DVec3>() / a.corners.len() as f64
}

/// Directions perpendicular to an edge of the body and a ridge or rim of the triangle, to the side of `face`; round a
/// rim to both sides for a body that lies across the plane.
fn edge_directions(
    a: &Solid,
    topology: Topology,
    b: &Solid,
    facet: &Facet<impl TriangleSurface>,
    (face, lies_across): (DVec3, bool),
    consider: &mut impl FnMut(DVec3),
) {
    for edge in (0..3).filter(|&edge| facet.is_ridge(edge, face)) {
        let both = lies_across && facet.kind(edge) == EdgeKind::Boundary;
        let along_b = b.corners[(edge + 1) % 3] - b.corners[edge];
        for Edge { vertices: [p, q], .. } in topology.edges {
            let along_a = a.corners[*q as usize] - a.corners[*p as usize];
            let cross = along_a.cross(along_b);
            let squared = cross.length_squared();
            if squared > PARALLEL * PARALLEL * along_a.length_squared() * along_b.length_squared() {
                let normal = cross / squared.sqrt();
                let normal = if normal.dot(face) < 0.0 { -normal } else { normal };
                consider(normal);
                if both {
                    consider(-normal);
                }
            }
        }
    }
}

/// True for points that exist only because a flat surface is cut there.
fn on_flat_edge(spot: Spot, facet: &Facet<impl TriangleSurface>) -> bool {
    let flat = |edge: usize| facet.kind(edge) == EdgeKind::Flat;
    match spot {
        Spot::CornerOfA(_) => false,
        Spot::CornerOfB(corner) => flat(corner as usize) && flat((corner as usize + 2) % 3),
        Spot::Crossing(_, [0, 1]) => flat(0),
        Spot::Crossing(_, [1, 2]) => flat(1),
        Spot::Crossing(_, _) => flat(2),
    }
}
