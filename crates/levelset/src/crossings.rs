//! Where the surface crosses the lines of the grid: points on it, without a triangulation.

use granule_model::{Aabb, DVec3};

use crate::grid::LevelSet;

/// A point where the surface crosses a line of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Where it is \[m\].
    pub point: DVec3,
    /// Number of the line between the two nodes, the same in every call; counted modulo 2^32.
    pub line: u32,
}

impl LevelSet {
    /// Calls `visit` with every point where the surface crosses a line between two neighbouring nodes of the grid
    /// within `region`, in a fixed order.
    ///
    /// Distances are taken to change evenly between nodes, as [`LevelSet::sample`] takes them; the points are on its
    /// surface to rounding.
    pub fn crossings(&self, region: &Aabb, mut visit: impl FnMut(Crossing)) {
        // Written so that NaN gives none.
        if !region.min.cmple(region.max).all() {
            return;
        }
        // Lines that lead into the region begin and end outside of it.
        let low = self.lattice.place(region.min.max(self.bounds().min)).floor();
        let high = self.lattice.place(region.max.min(self.bounds().max)).ceil();
        if !low.cmple(high).all() {
            return;
        }
        let [first, last] = [low, high].map(|place| place.to_array().map(|i| i.max(0.0) as usize));
        for z in first[2]..=last[2].min(self.lattice.nodes[2] - 1) {
            for y in first[1]..=last[1].min(self.lattice.nodes[1] - 1) {
                for x in first[0]..=last[0].min(self.lattice.nodes[0] - 1) {
                    self.crossings_from([x, y, z], last, &mut |crossing: Crossing| {
                        if is_within(crossing.point, region) {
                            visit(crossing);
                        }
                    });
                }
            }
        }
    }

    /// Crossings between a node and the next one along each axis.
    fn crossings_from(&self, node: [usize; 3], last: [usize; 3], visit: &mut impl FnMut(Crossing)) {
        let Some(here) = self.finite_at(node) else { return };
        let [x, y, z] = node;
        let number = (z * self.lattice.nodes[1] + y) * self.lattice.nodes[0] + x;
        for axis in 0..3 {
            let mut next = node;
            next[axis] += 1;
            if next[axis] > last[axis].min(self.lattice.nodes[axis] - 1) {
                continue;
            }
            let Some(there) = self.finite_at(next) else { continue };
            if (here < 0.0) != (there < 0.0) {
                let mut place = node.map(|i| i as f64);
                place[axis] += here / (here - there);
                visit(Crossing { point: self.lattice.point(place), line: (3 * number + axis) as u32 });
            }
        }
    }

    /// The value held at a node, in cells.
    fn finite_at(&self, node: [usize; 3]) -> Option<f64> {
        self.held.node(node).ok().filter(|value| value.is_finite())
    }
}

fn is_within(point: DVec3, region: &Aabb) -> bool {
    region.min.cmple(point).all() && point.cmple(region.max).all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Storage;

    /// The crossings of a plane lie on it, one for each vertical line, and those of a region within it.
    #[test]
    fn crossings_of_a_plane_lie_on_it() {
        let bounds = Aabb::new(DVec3::splat(-1.0), DVec3::ONE);
        let normal = DVec3::new(0.1, -0.2, 1.0).normalize();
        let plane = LevelSet::from_function(bounds, 0.1, 3, Storage::F32, |p| normal.dot(p) - 0.03).expect("a plane");
        let mut lines = Vec::new();
        // The last holds no node: its lines begin below it and end above.
        let level = |half: f64| Aabb::new(DVec3::new(-half, -half, 0.005), DVec3::new(half, half, 0.095));
        let cube = |half: f64| Aabb::new(DVec3::splat(-half), DVec3::splat(half));
        for (region, expected) in [(cube(0.45), 81), (cube(0.15), 9), (level(0.06), 1)] {
            let (mut vertical, mut worst) = (0, 0.0_f64);
            plane.crossings(&region, |Crossing { point: p, line }| {
                vertical += usize::from(line % 3 == 2);
                lines.push((line, p));
                worst = worst.max((normal.dot(p) - 0.03).abs());
                assert!(p.cmpge(region.min).all() && p.cmple(region.max).all(), "{p}");
            });
            assert_eq!(vertical, expected);
            assert!(worst <= 1e-7, "{worst:e}"); // measured 6e-9, of single precision
        }
        // A line has one crossing, and the same number from whatever region it is seen.
        lines.sort_by_key(|(line, _)| *line);
        lines.dedup();
        assert!(lines.windows(2).all(|pair| pair[0].0 != pair[1].0), "{lines:?}");
        let mut none = 0;
        plane.crossings(&Aabb::new(DVec3::splat(5.0), DVec3::splat(6.0)), |_| none += 1);
        plane.crossings(&Aabb::new(DVec3::splat(f64::NAN), DVec3::splat(1.0)), |_| none += 1);
        assert_eq!(none, 0);
    }
}
