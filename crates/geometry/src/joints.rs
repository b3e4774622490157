//! Triangles whose edge runs past a corner of another triangle: they are cut there, so that both share the corner.
//!
//! Files often join a long edge of one triangle to several short ones. Without a cut all of them are rims: a body in
//! the corner of a room would be pushed round the rim of the floor, through the wall.

use granule_model::DVec3;

use crate::faces::Adjacency;

/// A corner lies on an edge when it is off it by less than this share of the edge's length: above the rounding of a
/// file in single precision.
const OFF: f64 = 1e-6;

/// Cuts triangles of `triangles` at the corners of others that lie on edges that no second triangle has.
pub(crate) fn cut_at_joints(vertices: &[DVec3], triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let rims = Rims::new(vertices, &triangles);
    if rims.along_x.is_empty() {
        return triangles;
    }
    let mut cut = Vec::with_capacity(triangles.len());
    for corners in triangles {
        split(corners, rims.points_on(corners), &mut cut);
    }
    cut
}

/// The edges that only one triangle has.
struct Rims<'a> {
    vertices: &'a [DVec3],
    adjacency: Adjacency,
    /// Their ends, by ascending x.
    along_x: Vec<u32>,
}

impl<'a> Rims<'a> {
    fn new(vertices: &'a [DVec3], triangles: &[[u32; 3]]) -> Self {
        let adjacency = Adjacency::new(triangles);
        let edges = adjacency.edges().iter().map(|e| e.0);
        let mut along_x: Vec<u32> = edges.filter(|&[from, to]| is_rim(&adjacency, from, to)).flatten().collect();
        let x = |i: u32| vertices[i as usize].x;
        along_x.sort_unstable_by(|&i, &j| x(i).total_cmp(&x(j)).then(i.cmp(&j)));
        along_x.dedup();
        Rims { vertices, adjacency, along_x }
    }

    /// The corners of other triangles on each edge of a triangle, on the way along it.
    fn points_on(&self, corners: [u32; 3]) -> [Vec<u32>; 3] {
        std::array::from_fn(|edge| {
            let [from, to, apex] = [edge, edge + 1, edge + 2].map(|i| corners[i % 3]);
            if is_rim(&self.adjacency, from, to) { self.on_edge(from, to, apex) } else { Vec::new() }
        })
    }

    fn on_edge(&self, from: u32, to: u32, apex: u32) -> Vec<u32> {
        let at = |i: u32| self.vertices[i as usize];
        let (start, along) = (at(from), at(to) - at(from));
        let squared = along.length_squared();
        let off = OFF * squared.sqrt();
        let (low, high) = (start.x.min(at(to).x) - off, start.x.max(at(to).x) + off);
        let first = self.along_x.partition_point(|&i| at(i).x < low);
        let near = self.along_x[first..].iter().copied().take_while(|&i| at(i).x <= high);
        let mut found: Vec<(f64, u32)> = near
            .filter(|i| ![from, to, apex].contains(i))
            .map(|i| ((at(i) - start).dot(along) / squared, i))
            .filter(|&(share, i)| share > OFF && share < 1.0 - OFF && (start + share * along).distance(at(i)) <= off)
            .collect();
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.dedup_by(|later, first| later.0 - first.0 <= OFF);
        found.into_iter().map(|(_, i)| i).collect()
    }
}

fn is_rim(adjacency: &Adjacency, from: u32, to: u32) -> bool {
    adjacency.triangles_at(from, to).len() == 1 && adjacency.triangles_at(to, from).is_empty()
}

/// Cuts a triangle at the points `on` its edges; entry `i` belongs to the edge from corner `i`.
fn split(corners: [u32; 3], mut on: [Vec<u32>; 3], out: &mut Vec<[u32; 3]>) {
    let Some(edge) = on.iter().position(|points| !points.is_empty()) else {
        out.push(corners);
        return;
    };
    let [from, to, apex] = [edge, edge + 1, edge + 2].map(|i| corners[i % 3]);
    let points = std::mem::take(&mut on[edge]);
    let [mut beyond, mut before] = [edge + 1, edge + 2].map(|i| std::mem::take(&mut on[i % 3]));
    let mut here = from;
    for next in points {
        split([here, next, apex], [Vec::new(), Vec::new(), std::mem::take(&mut before)], out);
        here = next;
    }
    split([here, to, apex], [Vec::new(), std::mem::take(&mut beyond), before], out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A floor in two triangles beside a wall in three columns.
    fn floor_and_wall() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let columns = [0.0, 0.3, 0.7, 1.0];
        let mut vertices = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0)];
        let mut triangles = vec![[0, 2, 3], [0, 3, 1]];
        vertices.extend([DVec3::new(0.3, 0.0, 0.0), DVec3::new(0.7, 0.0, 0.0)]);
        let feet = [0, 4, 5, 1];
        let top = vertices.len() as u32;
        vertices.extend(columns.map(|x| DVec3::new(x, 0.0, 1.0)));
        for k in 0..3 {
            let [a, b, c, d] = [feet[k], feet[k + 1], top + k as u32, top + k as u32 + 1];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        (vertices, triangles)
    }

    fn area(vertices: &[DVec3], triangles: &[[u32; 3]]) -> DVec3 {
        let corner = |i: u32| vertices[i as usize];
        triangles.iter().map(|&[a, b, c]| (corner(b) - corner(a)).cross(corner(c) - corner(a))).sum()
    }

    #[test]
    fn a_long_edge_is_cut_where_short_ones_meet_it() {
        let (vertices, triangles) = floor_and_wall();
        let cut = cut_at_joints(&vertices, triangles.clone());
        // The triangle of the floor at the wall becomes three; nothing else changes.
        assert_eq!(cut.len(), triangles.len() + 2);
        assert!((area(&vertices, &cut) - area(&vertices, &triangles)).length() < 1e-15);
        let adjacency = Adjacency::new(&cut);
        for [from, to] in [[0, 4], [4, 5], [5, 1]] {
            assert_eq!(adjacency.triangles_at(from, to).len(), 1);
            assert_eq!(adjacency.triangles_at(to, from).len(), 1);
        }
    }

    #[test]
    fn points_on_all_edges_cut_without_loss() {
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let vertices: Vec<DVec3> = [(0.0, 0.0), (3.0, 0.0), (0.0, 3.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.5)]
            .map(|(x, y)| corner(x, y))
            .to_vec();
        let mut out = Vec::new();
        split([0, 1, 2], [vec![3, 4], vec![5], vec![6]], &mut out);
        assert_eq!(out.len(), 5);
        assert!((area(&vertices, &out) - 9.0 * DVec3::Z).length() < 1e-14);
        assert!(out.iter().all(|t| area(&vertices, &[*t]).z > 0.1), "each is counter-clockwise and no line: {out:?}");
    }

    #[test]
    fn a_surface_without_joints_stays_as_it_is() {
        let (vertices, triangles) = floor_and_wall();
        // The wall alone, and the floor moved off it by more than rounding.
        let apart: Vec<DVec3> = vertices
            .iter()
            .enumerate()
            .map(|(i, v)| if [4, 5].contains(&i) { *v + 1e-4 * DVec3::Y } else { *v })
            .collect();
        assert_eq!(cut_at_joints(&vertices, triangles[2..].to_vec()), triangles[2..]);
        assert_eq!(cut_at_joints(&apart, triangles.clone()), triangles);
    }
}
