//! Better triangles for a closed surface: short edges are drawn together, and edges flipped where the angles opposite
//! to them are large. Both leave each edge with two triangles, and no triangle turns over.

use granule_model::DVec3;

use super::Surface;

/// Length over the cell below which an edge is drawn together.
const SHORT: f64 = 0.4;
/// Rounds of drawing together and flipping.
const ROUNDS: usize = 3;
/// Smallest cosine between normals before and after a change.
const TURNED: f64 = 0.5;
/// Smallest cosine between the normals of two triangles whose edge may be flipped.
const FLAT: f64 = 0.866;
/// Height over longest side below which the normal of a triangle says nothing.
const SLIVER: f64 = 0.1;

/// Triangles with those around each vertex.
struct Mesh {
    vertices: Vec<DVec3>,
    /// Corners; those of a triangle that is gone are all alike.
    triangles: Vec<[u32; 3]>,
    around: Vec<Vec<u32>>,
}

/// A surface with better triangles; `draw` puts a point onto the surface.
pub(super) fn improve(surface: Surface, cell: f64, draw: impl Fn(DVec3) -> DVec3) -> Surface {
    let mut mesh = Mesh::new(surface);
    for _ in 0..ROUNDS {
        mesh.draw_together(SHORT * cell, &draw);
        mesh.flip();
    }
    mesh.packed()
}

impl Mesh {
    fn new(Surface { vertices, triangles }: Surface) -> Mesh {
        let mut around = vec![Vec::with_capacity(8); vertices.len()];
        for (t, corners) in (0..).zip(&triangles) {
            corners.iter().for_each(|&v| around[v as usize].push(t));
        }
        Mesh { vertices, triangles, around }
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// Draws together edges shorter than `short`, the shortest at each vertex first.
    fn draw_together(&mut self, short: f64, draw: &impl Fn(DVec3) -> DVec3) {
        for vertex in 0..self.vertices.len() as u32 {
            let mut near = self.neighbours(vertex);
            near.retain(|&other| (self.at(other) - self.at(vertex)).length_squared() < short * short);
            near.sort_by(|&a, &b| {
                let square = |v: u32| (self.at(v) - self.at(vertex)).length_squared();
                square(a).total_cmp(&square(b)).then(a.cmp(&b))
            });
            for other in near {
                if self.collapse(vertex, other, draw) {
                    break;
                }
            }
        }
    }

    /// Vertices that share an edge with this one, sorted.
    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let corners = self.around[vertex as usize].iter().flat_map(|&t| self.triangles[t as usize]);
        let mut all: Vec<u32> = corners.filter(|&v| v != vertex).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Makes one vertex of two, if the surface stays closed and no triangle turns over.
    fn collapse(&mut self, kept: u32, gone: u32, draw: &impl Fn(DVec3) -> DVec3) -> bool {
        let other = self.neighbours(gone);
        let common = self.neighbours(kept).into_iter().filter(|v| other.binary_search(v).is_ok()).count();
        let shared = self.shared(kept, gone);
        // The link condition: only the two triangles at the edge join what it would join.
        let [Some(_), Some(_), None] = shared else { return false };
        if common != 2 {
            return false;
        }
        let middle = draw(0.5 * (self.at(kept) + self.at(gone)));
        let stays = |&t: &u32| !shared.contains(&Some(t));
        let moved: Vec<u32> =
            [kept, gone].iter().flat_map(|&v| self.around[v as usize].iter().copied().filter(stays)).collect();
        let places =
            |t: u32| self.triangles[t as usize].map(|v| if v == kept || v == gone { middle } else { self.at(v) });
        if !moved.iter().all(|&t| keeps_facing(self.triangles[t as usize].map(|v| self.at(v)), places(t))) {
            return false;
        }
        for t in shared.into_iter().flatten() {
            self.triangles[t as usize].into_iter().for_each(|v| self.around[v as usize].retain(|&u| u != t));
            self.triangles[t as usize] = [kept; 3];
        }
        for t in std::mem::take(&mut self.around[gone as usize]) {
            self.triangles[t as usize] = self.triangles[t as usize].map(|v| if v == gone { kept } else { v });
            self.around[kept as usize].push(t);
        }
        self.vertices[kept as usize] = middle;
        true
    }

    /// The triangles at an edge; the third says whether there are more than two.
    fn shared(&self, a: u32, b: u32) -> [Option<u32>; 3] {
        let mut at = self.around[a as usize].iter().copied().filter(|&t| self.triangles[t as usize].contains(&b));
        [at.next(), at.next(), at.next()]
    }

    /// Flips edges where the opposite angles add up to more than half a turn, as in Delaunay's triangulation.
    fn flip(&mut self) {
        for t in 0..self.triangles.len() {
            for side in 0..3 {
                self.flip_side(t as u32, side);
            }
        }
    }

    fn flip_side(&mut self, t: u32, side: usize) {
        let corners = self.triangles[t as usize];
        let [a, b, c] = [0, 1, 2].map(|i| corners[(side + i) % 3]);
        if a == b {
            return;
        }
        let [Some(first), Some(second), None] = self.shared(a, b) else { return };
        let other = if first == t { second } else { first };
        let Some(d) = self.triangles[other as usize].into_iter().find(|&v| v != a && v != b) else { return };
        if c == d || self.shared(c, d)[0].is_some() || !self.flips(a, b, c, d) {
            return;
        }
        self.triangles[t as usize] = [a, d, c];
        self.triangles[other as usize] = [d, b, c];
        self.around[b as usize].retain(|&u| u != t);
        self.around[a as usize].retain(|&u| u != other);
        self.around[c as usize].push(other);
        self.around[d as usize].push(t);
    }

    /// Whether the edge from `a` to `b`, with `c` on its left and `d` on its right, is better between those.
    fn flips(&self, a: u32, b: u32, c: u32, d: u32) -> bool {
        let [a, b, c, d] = [a, b, c, d].map(|v| self.at(v));
        let (before, after) = ([[a, b, c], [b, a, d]], [[a, d, c], [d, b, c]]);
        // The cotangents of two angles add up to less than zero where the angles do to more than half a turn.
        let cotangent = |at: DVec3| (a - at).dot(b - at) / (a - at).cross(b - at).length();
        if cotangent(c) + cotangent(d) >= 0.0 {
            return false;
        }
        let normals = after.map(normal);
        let flat = |one: DVec3, other: DVec3| one.dot(other) >= FLAT;
        let around = before.into_iter().filter(|t| !is_sliver(*t)).map(normal);
        after.into_iter().all(|t| !is_sliver(t))
            && flat(normals[0], normals[1])
            && around.into_iter().all(|n| flat(n, normals[0]) && flat(n, normals[1]))
    }

    /// Without what is gone.
    fn packed(self) -> Surface {
        let mut index = vec![0; self.vertices.len()];
        let mut vertices = Vec::new();
        for (v, place) in self.vertices.iter().enumerate().filter(|(v, _)| !self.around[*v].is_empty()) {
            index[v] = vertices.len() as u32;
            vertices.push(*place);
        }
        let left = self.triangles.into_iter().filter(|t| t[0] != t[1]);
        Surface { vertices, triangles: left.map(|t| t.map(|v| index[v as usize])).collect() }
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

fn is_sliver([a, b, c]: [DVec3; 3]) -> bool {
    let square = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() < SLIVER * square
}

/// Whether a triangle looks the same way as before, as far as it had a side, and is not drawn out.
fn keeps_facing(before: [DVec3; 3], after: [DVec3; 3]) -> bool {
    is_sliver(before) || (!is_sliver(after) && normal(before).dot(normal(after)) >= TURNED)
}
