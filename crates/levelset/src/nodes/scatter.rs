//! Nodes between corners and sharp edges: candidates at equal shares of the area, of which those are kept that are far
//! enough from what is there, for distances that shrink until there are enough (M. McCool and E. Fiume, "Hierarchical
//! Poisson disk sampling distributions", Graphics Interface 1992).

use granule_model::{Aabb, DVec3};

use super::creases::SHARP_COSINE;
use super::{Faces, Node};

/// Candidates for each node.
const CANDIDATES: usize = 5;
/// First distance over the root of the area per node: a little less than in a lattice of triangles, which is 1.07.
const FIRST: f64 = 0.95;
/// By how much the distance shrinks from pass to pass.
const SHRINK: f64 = 0.96;
/// Most passes: the distance is then below 1e-4 of the first, and what was left of the candidates is taken as it comes.
const PASSES: usize = 240;
/// Cosine between normals below which two points are on opposite faces of something thin and may be close.
const OPPOSITE: f64 = -0.5;
/// Most cells of the grid of neighbours for each node, and for few nodes.
const CELLS: [f64; 2] = [16.0, 4096.0];
/// By how much cells grow where there would be more.
const WIDER: f64 = 1.25;
/// How often they do: by 1e9 in all, from cells of the size of a node's share of the area.
const WIDENINGS: usize = 100;
/// The additive recurrence of the plastic number, which spreads pairs of numbers evenly (M. Roberts, 2018).
const EVENLY: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
/// First number of the order of candidates.
const SEED: u64 = 1;

/// Appends nodes until there are `count`.
pub(super) fn fill(faces: &Faces, spacing: f64, count: usize, nodes: &mut Vec<Node>) {
    let wanted = count.saturating_sub(nodes.len());
    let mut candidates = candidates(faces, CANDIDATES * wanted);
    let mut cells = Cells::new(faces, FIRST * spacing, count);
    nodes.iter().enumerate().for_each(|(i, node)| cells.add(i, node.point));
    let mut distance = FIRST * spacing;
    for _ in 0..PASSES {
        candidates.retain(|candidate| {
            let taken = nodes.len() < count && !cells.is_near(nodes, candidate, distance);
            if taken {
                cells.add(nodes.len(), candidate.point);
                nodes.push(*candidate);
            }
            !taken
        });
        if nodes.len() >= count {
            break;
        }
        distance *= SHRINK;
    }
    let missing = count.saturating_sub(nodes.len());
    nodes.extend(candidates.into_iter().take(missing));
}

/// Points at equal shares of the area, in an order of chance.
fn candidates(faces: &Faces, count: usize) -> Vec<Node> {
    let normals = smooth_normals(faces);
    let share = faces.areas.iter().sum::<f64>() / count as f64;
    let mut points = Vec::with_capacity(count);
    let mut area = 0.0;
    for (triangle, own) in faces.areas.iter().enumerate() {
        area += own;
        while points.len() < count && (points.len() as f64 + 0.5) * share <= area {
            points.push(candidate(faces, &normals, triangle, points.len()));
        }
    }
    shuffle(&mut points);
    points
}

/// The candidate number `number`, which lies in this triangle.
fn candidate(faces: &Faces, normals: &[[DVec3; 3]], triangle: usize, number: usize) -> Node {
    let [u, v] = EVENLY.map(|step| (0.5 + step * number as f64).fract());
    // The half of the square that is not the triangle is turned onto it.
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    let mean = |[a, b, c]: [DVec3; 3]| a + u * (b - a) + v * (c - a);
    Node { point: mean(faces.corners(triangle)), normal: mean(normals[triangle]).normalize_or_zero(), sharp: false }
}

/// Normals at the corners of each triangle: means over the faces around that no sharp edge could part from it.
fn smooth_normals(faces: &Faces) -> Vec<[DVec3; 3]> {
    let mut at: Vec<(u32, u32)> = Vec::with_capacity(3 * faces.triangles.len());
    at.extend((0..).zip(&faces.triangles).flat_map(|(t, corners)| corners.map(|v| (v, t))));
    at.sort_unstable();
    let mut normals = vec![[DVec3::ZERO; 3]; faces.triangles.len()];
    for group in at.chunk_by(|a, b| a.0 == b.0) {
        for &(vertex, triangle) in group {
            let own = faces.normals[triangle as usize];
            let around = group.iter().map(|&(_, other)| faces.normals[other as usize]);
            let mean = around.filter(|other| own.dot(*other) >= SHARP_COSINE).sum();
            let corners = faces.triangles[triangle as usize];
            (0..3).filter(|&i| corners[i] == vertex).for_each(|i| normals[triangle as usize][i] = mean);
        }
    }
    normals
}

/// Fisher and Yates's shuffle with a linear congruential generator (Knuth's MMIX).
fn shuffle(points: &mut [Node]) {
    let mut state = SEED;
    for last in (1..points.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        points.swap(last, ((state >> 33) % (last as u64 + 1)) as usize);
    }
}

/// Nodes in the cells of a grid, those of a cell as a list.
struct Cells {
    origin: DVec3,
    size: f64,
    count: [usize; 3],
    /// The last node of each cell, counted from one; 0 for none.
    last: Vec<u32>,
    /// For each node the one before it in its cell.
    before: Vec<u32>,
}

impl Cells {
    /// Cells of at least `least`, fewer than would take much memory.
    fn new(faces: &Faces, least: f64, nodes: usize) -> Cells {
        let bounds = Aabb::from_points(faces.vertices.iter().copied());
        let along = |size: f64| (bounds.size() / size).floor() + DVec3::ONE;
        let most = CELLS[0] * nodes as f64 + CELLS[1];
        let sizes = (0..WIDENINGS).scan(least, |size, _| Some(std::mem::replace(size, *size * WIDER)));
        let fits = |size: &f64| along(*size).element_product() <= most;
        let size = sizes.into_iter().find(fits).unwrap_or(2.0 * bounds.size().max_element());
        let count = along(size).to_array().map(|n| n as usize);
        Cells { origin: bounds.min, size, count, last: vec![0; count.iter().product()], before: Vec::new() }
    }

    fn cell(&self, p: DVec3) -> [usize; 3] {
        let place = ((p - self.origin) / self.size).to_array();
        std::array::from_fn(|axis| (place[axis].max(0.0) as usize).min(self.count[axis] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Adds node number `node`; numbers come in order.
    fn add(&mut self, node: usize, point: DVec3) {
        let cell = self.index(self.cell(point));
        self.before.push(self.last[cell]);
        self.last[cell] = node as u32 + 1;
    }

    /// Whether a node is nearer than `distance`, which is at most the size of a cell.
    fn is_near(&self, nodes: &[Node], candidate: &Node, distance: f64) -> bool {
        let middle = self.cell(candidate.point);
        let low = middle.map(|i| i.saturating_sub(1));
        let high: [usize; 3] = std::array::from_fn(|axis| (middle[axis] + 1).min(self.count[axis] - 1));
        let near = |node: &Node| {
            (node.point - candidate.point).length_squared() < distance * distance
                && (node.sharp || node.normal.dot(candidate.normal) > OPPOSITE)
        };
        (low[2]..=high[2]).any(|z| {
            (low[1]..=high[1]).any(|y| {
                let row = self.index([low[0], y, z])..=self.index([high[0], y, z]);
                self.last[row].iter().any(|&last| {
                    let mut at = last;
                    // A list ends: each entry names an earlier node.
                    while at > 0 && !near(&nodes[at as usize - 1]) {
                        at = self.before[at as usize - 1];
                    }
                    at > 0
                })
            })
        })
    }
}
