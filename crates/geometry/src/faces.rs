//! From the triangles of a hull to its flat faces.

use granule_model::DVec3;

/// Which triangle has which directed edge.
pub(crate) struct Adjacency {
    /// Directed edge and the triangle it belongs to, sorted.
    edges: Vec<([u32; 2], u32)>,
}

impl Adjacency {
    pub(crate) fn new(triangles: &[[u32; 3]]) -> Self {
        let mut edges: Vec<_> = triangles
            .iter()
            .enumerate()
            .flat_map(|(t, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|e| (e, t as u32)))
            .collect();
        edges.sort_unstable();
        Adjacency { edges }
    }

    /// The triangles with the directed edge `from` to `to`.
    pub(crate) fn triangles_at(&self, from: u32, to: u32) -> &[([u32; 2], u32)] {
        let edge = [from, to];
        let start = self.edges.partition_point(|e| e.0 < edge);
        let len = self.edges[start..].partition_point(|e| e.0 == edge);
        &self.edges[start..start + len]
    }

    /// All directed edges with their triangles, sorted.
    pub(crate) fn edges(&self) -> &[([u32; 2], u32)] {
        &self.edges
    }
}

/// The faces of a closed convex surface, as loops of corners counter-clockwise seen from outside.
///
/// Triangles whose corners lie within `tolerance` \[m\] of the plane of a larger one belong to its face. Corners that
/// only two faces share lie on a straight edge and are dropped.
pub(crate) fn merge_coplanar(points: &[DVec3], triangles: &[[u32; 3]], tolerance: f64) -> Vec<Vec<u32>> {
    let mut merge = Merge::new(points, triangles, tolerance);
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let area = |t: u32| merge.cross[t as usize].length_squared();
        area(j).total_cmp(&area(i)).then(i.cmp(&j))
    });
    let mut loops = Vec::new();
    for seed in order {
        if merge.region[seed as usize] == NONE {
            let members = merge.grow(seed);
            match merge.rim(&members, seed) {
                Some(rim) => loops.push(rim),
                // Not a disc (only possible when a face is about as wide as the tolerance): leave it in triangles.
                None => loops.extend(members.iter().map(|&t| triangles[t as usize].to_vec())),
            }
        }
    }
    drop_straight_corners(&mut loops, points.len());
    loops
}

const NONE: u32 = u32::MAX;

struct Merge<'a> {
    points: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    tolerance: f64,
    adjacency: Adjacency,
    /// Twice the area times the normal of each triangle.
    cross: Vec<DVec3>,
    /// The seed of the face of each triangle.
    region: Vec<u32>,
}

impl<'a> Merge<'a> {
    fn new(points: &'a [DVec3], triangles: &'a [[u32; 3]], tolerance: f64) -> Self {
        let cross = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| points[i as usize]);
                (b - a).cross(c - a)
            })
            .collect();
        let region = vec![NONE; triangles.len()];
        Merge { points, triangles, tolerance, adjacency: Adjacency::new(triangles), cross, region }
    }

    fn edges(&self, t: u32) -> [[u32; 2]; 3] {
        let [a, b, c] = self.triangles[t as usize];
        [[a, b], [b, c], [c, a]]
    }

    fn across(&self, [a, b]: [u32; 2]) -> Option<u32> {
        self.adjacency.triangles_at(b, a).first().map(|e| e.1)
    }

    /// Collects the triangles around `seed` that lie in its plane.
    fn grow(&mut self, seed: u32) -> Vec<u32> {
        let normal = self.cross[seed as usize].normalize_or_zero();
        let origin = self.points[self.triangles[seed as usize][0] as usize];
        let mut members = vec![seed];
        self.region[seed as usize] = seed;
        let mut next = 0;
        while next < members.len() {
            let t = members[next];
            next += 1;
            for edge in self.edges(t) {
                let Some(other) = self.across(edge) else { continue };
                let flat = || {
                    let near = |i: u32| normal.dot(self.points[i as usize] - origin).abs() <= self.tolerance;
                    self.triangles[other as usize].into_iter().all(near)
                };
                if self.region[other as usize] == NONE && !self.faces_away(other, normal) && flat() {
                    self.region[other as usize] = seed;
                    members.push(other);
                }
            }
        }
        members
    }

    /// True when triangle `t` looks the other way; of a triangle narrower than the tolerance nobody can tell.
    fn faces_away(&self, t: u32, normal: DVec3) -> bool {
        let length = |[a, b]: [u32; 2]| self.points[a as usize].distance(self.points[b as usize]);
        let longest = self.edges(t).map(length).into_iter().fold(0.0, f64::max);
        self.cross[t as usize].dot(normal) < -self.tolerance * longest
    }

    /// The loop around a face, if it is one loop.
    fn rim(&self, members: &[u32], seed: u32) -> Option<Vec<u32>> {
        let inside = |edge| self.across(edge).is_some_and(|t| self.region[t as usize] == seed);
        let mut rim: Vec<[u32; 2]> = members.iter().flat_map(|&t| self.edges(t)).filter(|&e| !inside(e)).collect();
        rim.sort_unstable();
        let mut corners = Vec::with_capacity(rim.len());
        let first = rim.first()?[0];
        let mut corner = first;
        while corners.len() < rim.len() {
            corners.push(corner);
            let i = rim.binary_search_by_key(&corner, |e| e[0]).ok()?;
            corner = rim[i][1];
            if corner == first {
                break;
            }
        }
        let once = rim.windows(2).all(|w| w[0][0] != w[1][0]);
        (once && corner == first && corners.len() == rim.len()).then_some(corners)
    }
}

/// Removes corners of only two faces, and the faces that this leaves with fewer than three corners.
fn drop_straight_corners(loops: &mut Vec<Vec<u32>>, points: usize) {
    loop {
        let mut faces_at = vec![0u32; points];
        loops.iter().flatten().for_each(|&i| faces_at[i as usize] += 1);
        let before: usize = loops.iter().map(Vec::len).sum();
        loops.iter_mut().for_each(|l| l.retain(|&i| faces_at[i as usize] >= 3));
        loops.retain(|l| l.len() >= 3);
        if loops.iter().map(Vec::len).sum::<usize>() == before {
            return;
        }
    }
}
