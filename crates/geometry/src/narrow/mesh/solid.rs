//! A convex piece with corners against the triangles of a surface.

use granule_model::{ContactPoint, DVec3};

use super::facet::{Facet, SAME_NORMAL};
use crate::convex::Edge;
use crate::mesh::{EdgeKind, MeshData};
use crate::narrow::closest::Relation;
use crate::narrow::patch::Spot;
use crate::narrow::polytope::{Pair, Solid, Workspace, with_workspace};
use crate::narrow::topology::{TRIANGLE, Topology};
use crate::narrow::{Side, mix};

/// Heights that differ by this share of the size of the pair are equal.
const LEVEL: f64 = 1e-9;
/// Sine below which an edge of the body and one of the triangle count as parallel.
const PARALLEL: f64 = 1e-8;
/// A direction must be better by this share of the size to be preferred over the triangle's normal.
const PREFERENCE: f64 = 1e-9;
/// Separation and lowest clipped gap agree to this share of the size when the axis gives the distance.
const AGREEMENT: f64 = 1e-9;
/// Overlap with a triangle deeper than this share of the body's width along the direction is not that triangle's.
const DEEPEST: f64 = 0.4;

/// The piece `a`, in axes of the mesh, against the triangles `near` it.
pub(super) fn solid_facets(a: Side, data: &MeshData, near: &[u32], margin: f64, out: &mut Vec<ContactPoint>) {
    let origin = a.pose.position;
    with_workspace(|work| {
        let Some(topology_a) = work.a.load(a, origin) else { return };
        let size = work.a.extent() + work.a.radius;
        for &t in near {
            let facet = Facet::new(data, t);
            load_facet(&mut work.b, &facet, origin);
            let size = size + work.b.extent();
            let pair = Pair { topology_a, topology_b: TRIANGLE, size, margin, origin };
            let first = out.len();
            facet_contacts(work, &pair, &facet, out);
            out[first..].iter_mut().for_each(|c| c.feature = mix(c.feature, t));
        }
    });
}

/// Makes `solid` the triangle, about `origin`.
fn load_facet(solid: &mut Solid, facet: &Facet, origin: DVec3) {
    solid.corners.clear();
    solid.corners.extend(facet.corners.map(|c| c - origin));
    solid.normals.clear();
    solid.normals.push(facet.normal);
    solid.offsets.clear();
    solid.offsets.push(facet.normal.dot(solid.corners[0]));
    solid.radius = 0.0;
}

fn facet_contacts(work: &mut Workspace, pair: &Pair, facet: &Facet, out: &mut Vec<ContactPoint>) {
    let reach = pair.margin + work.a.radius;
    let Some(best) = best_direction(&work.a, &work.b, pair, facet, reach) else { return };
    let start = out.len();
    let mut lowest = f64::INFINITY;
    if let Some((normal, _)) = best {
        lowest = work.clip(pair, normal, out, |spot| !on_flat_edge(spot, facet));
    }
    let separation = best.map_or(f64::NEG_INFINITY, |(_, separation)| separation);
    let is_exact = lowest <= separation + AGREEMENT * pair.size;
    if facet.has_ridge() && !is_exact {
        let cores = work.cores(pair);
        if let Relation::Apart(nearest) = cores.relation(reach)
            && facet.allows(nearest.normal, LEVEL * pair.size)
            && (nearest.normal - facet.normal).length() > SAME_NORMAL
        {
            // Points along the triangle's own normal hold as well; any other direction was only a bound.
            if best.is_some_and(|(normal, _)| normal != facet.normal) {
                out.truncate(start);
            }
            cores.push_nearest(&nearest, pair.margin, out);
        }
    }
}

/// The allowed direction along which body and triangle are farthest apart: `None` when they are beyond `reach`,
/// `Some(None)` when every allowed direction is too deep to be meant.
#[allow(clippy::option_option)]
fn best_direction(a: &Solid, b: &Solid, pair: &Pair, facet: &Facet, reach: f64) -> Option<Option<(DVec3, f64)>> {
    let level = LEVEL * pair.size;
    let separation = |n: DVec3| -a.reach(-n) - b.reach(n);
    // Twice the radius counts as width, so that a capsule that lies flat has one.
    let deepest = |n: DVec3| -DEEPEST * (a.reach(n) + a.reach(-n) + 2.0 * a.radius);
    let front = separation(facet.normal);
    if front > reach {
        return None;
    }
    let mut best = (front >= deepest(facet.normal)).then_some((facet.normal, front));
    if !facet.has_ridge() {
        return Some(best);
    }
    let mut consider = |normal: DVec3| {
        let apart = separation(normal);
        if best.is_none_or(|(_, s)| apart > s + PREFERENCE * pair.size)
            && apart >= deepest(normal)
            && (normal - facet.normal).length() > SAME_NORMAL
            && facet.allows(normal, level)
        {
            best = Some((normal, apart));
        }
    };
    a.normals.iter().for_each(|&n| consider(-n));
    edge_directions(a, pair.topology_a, b, facet, &mut consider);
    Some(best).filter(|best| best.is_none_or(|(_, s)| s <= reach))
}

/// Directions perpendicular to an edge of the body and a ridge or rim of the triangle, to its front.
fn edge_directions(a: &Solid, topology: Topology, b: &Solid, facet: &Facet, consider: &mut impl FnMut(DVec3)) {
    for edge in 0..3 {
        if matches!(facet.kind(edge), EdgeKind::Flat | EdgeKind::Concave) {
            continue;
        }
        let along_b = b.corners[(edge + 1) % 3] - b.corners[edge];
        for Edge { vertices: [p, q], .. } in topology.edges {
            let along_a = a.corners[*q as usize] - a.corners[*p as usize];
            let cross = along_a.cross(along_b);
            let squared = cross.length_squared();
            if squared > PARALLEL * PARALLEL * along_a.length_squared() * along_b.length_squared() {
                let normal = cross / squared.sqrt();
                consider(if normal.dot(facet.normal) < 0.0 { -normal } else { normal });
            }
        }
    }
}

/// True for points that exist only because a flat surface is cut there.
fn on_flat_edge(spot: Spot, facet: &Facet) -> bool {
    let flat = |edge: usize| facet.kind(edge) == EdgeKind::Flat;
    match spot {
        Spot::CornerOfA(_) => false,
        Spot::CornerOfB(corner) => flat(corner as usize) && flat((corner as usize + 2) % 3),
        Spot::Crossing(_, [0, 1]) => flat(0),
        Spot::Crossing(_, [1, 2]) => flat(1),
        Spot::Crossing(_, _) => flat(2),
    }
}
