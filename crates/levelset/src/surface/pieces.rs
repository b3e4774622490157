//! Which triangles of a surface hang together.

use granule_model::DVec3;

use super::Surface;

impl Surface {
    /// Volume that it encloses \[m3\]; negative around a cavity, whose triangles face each other.
    pub fn volume(&self) -> f64 {
        let Some(apex) = self.vertices.first().copied() else { return 0.0 };
        let corners = self.triangles.iter().map(|t| t.map(|i| self.vertices[i as usize] - apex));
        corners.map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
    }

    /// The parts that share no vertex with each other, by the volume that each encloses, the largest first: solids, and
    /// after them cavities.
    pub fn pieces(&self) -> Vec<Surface> {
        let mut root: Vec<u32> = (0..self.vertices.len() as u32).collect();
        for &[a, b, c] in &self.triangles {
            for other in [b, c] {
                let (one, other) = (find(&mut root, a), find(&mut root, other));
                root[one.max(other) as usize] = one.min(other);
            }
        }
        // Pieces are numbered in the order of their first vertices, of those that a triangle names.
        let (mut piece_of, mut new_index) = (vec![u32::MAX; root.len()], vec![u32::MAX; root.len()]);
        let mut pieces: Vec<Surface> = Vec::new();
        for &corners in &self.triangles {
            let first = find(&mut root, corners[0]) as usize;
            if piece_of[first] == u32::MAX {
                piece_of[first] = pieces.len() as u32;
                pieces.push(Surface::default());
            }
            let piece = &mut pieces[piece_of[first] as usize];
            let place = |v: u32| self.vertices[v as usize];
            let triangle = corners.map(|v| renumbered(&mut new_index[v as usize], &mut piece.vertices, place(v)));
            piece.triangles.push(triangle);
        }
        let mut sized: Vec<(f64, Surface)> = pieces.into_iter().map(|piece| (piece.volume(), piece)).collect();
        sized.sort_by(|a, b| b.0.total_cmp(&a.0));
        sized.into_iter().map(|(_, piece)| piece).collect()
    }
}

/// The lowest vertex that hangs together with this one; the way to it is halved.
fn find(root: &mut [u32], mut vertex: u32) -> u32 {
    while root[vertex as usize] != vertex {
        root[vertex as usize] = root[root[vertex as usize] as usize];
        vertex = root[vertex as usize];
    }
    vertex
}

/// The index of a vertex among those of its piece, to which it is added when it is met first.
fn renumbered(index: &mut u32, vertices: &mut Vec<DVec3>, place: DVec3) -> u32 {
    if *index == u32::MAX {
        *index = vertices.len() as u32;
        vertices.push(place);
    }
    *index
}

#[cfg(test)]
mod tests {
    use granule_model::{Aabb, DVec3};

    use crate::{LevelSet, Storage};

    /// A ball with a ball-shaped cavity, and a smaller ball beside it.
    #[test]
    fn solids_come_first_and_cavities_last() {
        for scale in [1e-3, 1.0, 1e2] {
            let ball = |p: DVec3, center: DVec3, radius: f64| (p - center * scale).length() - radius * scale;
            let distance = |p: DVec3| {
                let hollow = ball(p, DVec3::ZERO, 1.0).max(-ball(p, DVec3::ZERO, 0.4));
                hollow.min(ball(p, DVec3::X * 2.0, 0.6))
            };
            let bounds = Aabb::new(DVec3::splat(-1.2), DVec3::new(2.8, 1.2, 1.2));
            let bounds = Aabb::new(bounds.min * scale, bounds.max * scale);
            let set = LevelSet::from_function(bounds, 0.1 * scale, 3, Storage::F32, distance).expect("a grid");
            let surface = set.surface(1);
            let pieces = surface.pieces();
            let exact = [1.0, 0.216, -0.064].map(|cube| cube * 4.0 / 3.0 * std::f64::consts::PI * scale.powi(3));
            assert_eq!(pieces.len(), 3);
            for (piece, exact) in pieces.iter().zip(exact) {
                // Measured -1.0 %, -2.7 % and -6.1 %: chords of a grid of 10, 6 and 4 cells to a radius.
                let error = piece.volume() / exact - 1.0;
                assert!(error < 0.0 && error > -0.08, "{error}");
            }
            let triangles: usize = pieces.iter().map(|piece| piece.triangles.len()).sum();
            let sum: f64 = pieces.iter().map(super::Surface::volume).sum();
            assert_eq!(triangles, surface.triangles.len());
            assert!((sum / surface.volume() - 1.0).abs() <= 1e-12, "{sum} {}", surface.volume());
        }
    }
}
