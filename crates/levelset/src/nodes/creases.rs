//! Corners and sharp edges of a surface, and nodes on them.

use granule_model::DVec3;

use super::{Faces, Node};
use crate::topology::{Side, corner_normals, sides};

/// Cosine of the angle between faces, or between edges that follow each other, from which there is an edge or a corner:
/// 30 degrees.
pub(super) const SHARP_COSINE: f64 = 0.866_025_403_784_438_6;
/// By how much the spacing grows where edges would take more nodes than there are.
const WIDER: f64 = 1.25;
/// How often it does: by 1e19 in all, more than any edge is long.
const WIDENINGS: usize = 200;

/// An edge whose faces meet at an angle.
struct Crease {
    ends: [u32; 2],
    /// Sum of the normals of its faces.
    normal: DVec3,
}

/// Creases that follow each other: each with the end that the way begins at. Ends at corners, or where it begins.
struct Chain {
    ways: Vec<(usize, usize)>,
    length: f64,
    closed: bool,
}

/// Nodes at corners and, some `spacing` apart, along sharp edges; at most `count`, unless there are more corners.
pub(super) fn nodes(faces: &Faces, spacing: f64, count: usize) -> Vec<Node> {
    let creases = creases(faces);
    let around = Around::new(&creases, faces.vertices.len());
    let (normals, is_corner) = corners(faces, &creases, &around);
    let mut nodes: Vec<Node> = (0..faces.vertices.len())
        .filter(|&v| is_corner[v])
        .map(|v| Node { point: faces.vertices[v], normal: normals[v], sharp: true })
        .collect();
    let chains = chains(faces, &creases, &around, &is_corner);
    let taken = |spacing: f64| chains.iter().fold(nodes.len(), |sum, chain| sum.saturating_add(chain.nodes(spacing)));
    let spacings = (0..WIDENINGS).scan(spacing, |wide, _| Some(std::mem::replace(wide, *wide * WIDER)));
    if let Some(spacing) = spacings.into_iter().find(|&spacing| taken(spacing) <= count) {
        chains.iter().for_each(|chain| chain.place(faces, &creases, spacing, &mut nodes));
    }
    nodes
}

fn creases(faces: &Faces) -> Vec<Crease> {
    let all = sides(&faces.triangles);
    let crease = |group: &[Side]| {
        let normal = |side: &Side| faces.normals[side.triangle as usize];
        let flat = matches!(group, [a, b] if normal(a).dot(normal(b)) >= SHARP_COSINE);
        (!flat).then(|| Crease { ends: group[0].ends, normal: group.iter().map(normal).sum() })
    };
    all.chunk_by(|a, b| a.ends == b.ends).filter_map(crease).collect()
}

/// Creases at each vertex: those from `starts[v]` to `starts[v + 1]` of the list.
struct Around {
    starts: Vec<usize>,
    creases: Vec<usize>,
}

impl Around {
    fn new(creases: &[Crease], vertices: usize) -> Around {
        let ends = |(i, crease): (usize, &Crease)| crease.ends.map(|v| (v as usize, i));
        let mut pairs: Vec<(usize, usize)> = creases.iter().enumerate().flat_map(ends).collect();
        pairs.sort_unstable();
        let mut starts = vec![0; vertices + 1];
        pairs.iter().for_each(|&(v, _)| starts[v + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        Around { starts, creases: pairs.into_iter().map(|(_, i)| i).collect() }
    }

    fn of(&self, vertex: usize) -> &[usize] {
        &self.creases[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

/// Mean unit normals at vertices, and which vertices are corners.
fn corners(faces: &Faces, creases: &[Crease], around: &Around) -> (Vec<DVec3>, Vec<bool>) {
    let places: Vec<_> = (0..faces.triangles.len()).map(|t| faces.corners(t)).collect();
    let mut normals = corner_normals(faces.vertices.len(), &faces.triangles, &places, &faces.normals);
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    // A cone has no sharp edge at its tip, but faces that lean away from their mean.
    let mut tips = vec![false; faces.vertices.len()];
    for (corners, face) in faces.triangles.iter().zip(&faces.normals) {
        corners.iter().map(|&v| v as usize).for_each(|v| tips[v] |= normals[v].dot(*face) < SHARP_COSINE);
    }
    let is_corner = |v: usize| match around.of(v) {
        [] => tips[v],
        &[a, b] => {
            let way = |crease: usize| (faces.vertices[other_end(&creases[crease], v)] - faces.vertices[v]).normalize();
            way(a).dot(way(b)) > -SHARP_COSINE
        }
        _ => true,
    };
    let is_corner = (0..faces.vertices.len()).map(is_corner).collect();
    (normals, is_corner)
}

fn other_end(crease: &Crease, vertex: usize) -> usize {
    let [a, b] = crease.ends.map(|v| v as usize);
    if a == vertex { b } else { a }
}

/// All creases in chains: first those between corners, then closed ones.
fn chains(faces: &Faces, creases: &[Crease], around: &Around, is_corner: &[bool]) -> Vec<Chain> {
    let mut used = vec![false; creases.len()];
    let mut chains = Vec::new();
    for from_corners in [true, false] {
        for start in (0..faces.vertices.len()).filter(|&v| is_corner[v] == from_corners) {
            for &first in around.of(start) {
                if !used[first] {
                    chains.push(follow(faces, creases, around, is_corner, (start, first), &mut used));
                }
            }
        }
    }
    chains
}

/// The chain that leaves the vertex `start` along the crease `first`.
fn follow(
    faces: &Faces,
    creases: &[Crease],
    around: &Around,
    is_corner: &[bool],
    (start, first): (usize, usize),
    used: &mut [bool],
) -> Chain {
    let mut chain = Chain { ways: Vec::new(), length: 0.0, closed: !is_corner[start] };
    let (mut at, mut next) = (start, Some(first));
    // Each turn uses up a crease.
    while let Some(crease) = next {
        used[crease] = true;
        chain.ways.push((crease, at));
        let to = other_end(&creases[crease], at);
        chain.length += (faces.vertices[to] - faces.vertices[at]).length();
        at = to;
        next = around.of(at).iter().copied().find(|&other| !used[other] && !is_corner[at]);
    }
    chain
}

impl Chain {
    /// Pieces of about `spacing`; at least one between corners and three around a loop.
    fn pieces(&self, spacing: f64) -> usize {
        ((self.length / spacing).round() as usize).max(if self.closed { 3 } else { 1 })
    }

    /// Nodes between pieces, without the corners at the ends.
    fn nodes(&self, spacing: f64) -> usize {
        self.pieces(spacing) - usize::from(!self.closed)
    }

    /// Appends the nodes.
    fn place(&self, faces: &Faces, creases: &[Crease], spacing: f64, nodes: &mut Vec<Node>) {
        let (count, piece) = (self.nodes(spacing), self.length / self.pieces(spacing) as f64);
        let (mut placed, mut before) = (0, 0.0);
        for &(crease, from) in &self.ways {
            let Crease { normal, .. } = creases[crease];
            let (a, b) = (faces.vertices[from], faces.vertices[other_end(&creases[crease], from)]);
            let length = (b - a).length();
            // A loop has its first node where it begins, a way between corners one piece further on.
            let next = |placed: usize| (placed + usize::from(!self.closed)) as f64 * piece - before;
            while placed < count && next(placed) <= length {
                let point = a + (b - a) * (next(placed) / length);
                nodes.push(Node { point, normal: normal.normalize_or_zero(), sharp: true });
                placed += 1;
            }
            before += length;
        }
    }
}
