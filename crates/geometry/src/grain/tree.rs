//! Spheres around runs of nodes: a query by distance skips what is too far as a whole.

use granule_model::{Aabb, DVec3};

/// Nodes of a leaf at most: of 500 and of 2500 nodes, leaves of 8 and of 10.
const LEAF: usize = 10;
/// Spheres are larger by this share, for the rounding of what is stored in single precision.
const ROUNDING: f64 = 1e-6;

/// A sphere around the nodes from `first` to `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cluster {
    centre: [f32; 3],
    radius: f32,
    first: u16,
    end: u16,
    skip: u16,
}

impl Cluster {
    /// Middle of the sphere \[m\].
    #[inline]
    pub(crate) fn centre(&self) -> DVec3 {
        let [x, y, z] = self.centre;
        DVec3::new(f64::from(x), f64::from(y), f64::from(z))
    }

    /// Its radius \[m\].
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        f64::from(self.radius)
    }

    /// Its nodes.
    #[inline]
    pub(crate) fn nodes(&self) -> std::ops::Range<u32> {
        u32::from(self.first)..u32::from(self.end)
    }

    /// The next sphere outside of this one.
    #[inline]
    pub(crate) fn skip(&self) -> usize {
        usize::from(self.skip)
    }
}

/// Spheres over the points, at most [`MOST_NODES`](super::MOST_NODES) of them: parents before children, and the order
/// of points in which each holds one run.
pub(crate) fn clusters(points: &[DVec3]) -> (Vec<u32>, Vec<Cluster>) {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut tree = Vec::with_capacity(2 * points.len() / LEAF + 1);
    if !points.is_empty() {
        split(points, &mut order, 0, &mut tree);
    }
    tree.shrink_to_fit();
    (order, tree)
}

/// Adds the sphere around the points of `run`, which begins at `first`, and those within it.
fn split(points: &[DVec3], run: &mut [u32], first: usize, tree: &mut Vec<Cluster>) {
    let of_run = || run.iter().map(|&i| points[i as usize]);
    let bounds = Aabb::from_points(of_run());
    let centre = bounds.center().as_vec3();
    let middle = centre.as_dvec3();
    let radius = of_run().map(|p| (p - middle).length()).fold(0.0, f64::max);
    let reach = of_run().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let own = tree.len();
    tree.push(Cluster {
        centre: centre.to_array(),
        radius: (radius * (1.0 + ROUNDING) + ROUNDING * reach) as f32,
        first: first as u16,
        end: (first + run.len()) as u16,
        skip: 0,
    });
    if run.len() > LEAF {
        let size = bounds.size();
        let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
        let half = run.len() / 2;
        run.select_nth_unstable_by(half, |&i, &j| {
            points[i as usize][axis].total_cmp(&points[j as usize][axis]).then(i.cmp(&j))
        });
        let (low, high) = run.split_at_mut(half);
        split(points, low, first, tree);
        split(points, high, first + half, tree);
    }
    tree[own].skip = tree.len() as u16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_lies_in_the_spheres_above_it() {
        let at = |i: u32| DVec3::new(libm::sin(f64::from(i) * 1.7), libm::cos(f64::from(i) * 2.3), f64::from(i) * 1e-2);
        let points: Vec<_> = (0..500).map(at).collect();
        let (order, tree) = clusters(&points);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..500).collect::<Vec<_>>());
        assert_eq!((tree[0].nodes(), tree[0].skip()), (0..500, tree.len()));
        let mut leaves = 0;
        for (index, cluster) in tree.iter().enumerate() {
            for &i in &order[cluster.first.into()..cluster.end.into()] {
                let stored = points[i as usize].as_vec3().as_dvec3();
                assert!((stored - cluster.centre()).length() <= cluster.radius());
            }
            if cluster.skip() == index + 1 {
                leaves += cluster.nodes().len();
                assert!(cluster.nodes().len() <= LEAF);
            }
        }
        assert_eq!(leaves, 500);
    }
}
