//! How far a grain reaches along the axes of the world.

use granule_model::{Aabb, DMat3, DVec3, Pose};

use super::{Cluster, GrainData};

impl GrainData {
    /// A box around the grain, whose axes are at `placed`; larger than the tight one by a share of its size, see
    /// [`Hull`](super::Hull).
    pub(crate) fn aabb(&self, placed: &Pose) -> Aabb {
        // Rows: the axes of the world, in grain axes.
        let axes = DMat3::from_quat(placed.rotation).transpose();
        let along = [axes.x_axis, axes.y_axis, axes.z_axis];
        let max = DVec3::from_array(along.map(|axis| self.hull.height(axis).0));
        let min = -DVec3::from_array(along.map(|axis| self.hull.height(-axis).0));
        Aabb::new(placed.position + min, placed.position + max)
    }

    /// Largest component of a node along a unit vector \[m\]. Spheres that do not reach beyond the best node are
    /// skipped.
    pub(crate) fn farthest(&self, direction: DVec3) -> f64 {
        let mut best = self.first_guess(direction);
        let mut index = 0;
        while let Some(cluster) = self.tree.get(index) {
            if direction.dot(cluster.centre()) + cluster.radius() <= best {
                index = cluster.skip();
                continue;
            }
            index += 1;
            if cluster.skip() == index {
                let nodes = cluster.nodes().map(|i| direction.dot(self.point(i)));
                best = nodes.fold(best, f64::max);
            }
        }
        best
    }

    /// The node with the largest component along a direction \[m\].
    pub(crate) fn farthest_point(&self, direction: DVec3) -> DVec3 {
        let farther = |p: DVec3, q: DVec3| if q.dot(direction) > p.dot(direction) { q } else { p };
        self.points().reduce(farther).unwrap_or(DVec3::ZERO)
    }

    /// The farthest node of the leaf that is found by taking the sphere that reaches farther at every fork.
    fn first_guess(&self, direction: DVec3) -> f64 {
        let reach = |cluster: &Cluster| direction.dot(cluster.centre()) + cluster.radius();
        let mut index = 0;
        while let Some(cluster) = self.tree.get(index) {
            let first = index + 1;
            if cluster.skip() == first {
                return cluster.nodes().map(|i| direction.dot(self.point(i))).fold(f64::NEG_INFINITY, f64::max);
            }
            let second = self.tree[first].skip();
            index = if reach(&self.tree[first]) >= reach(&self.tree[second]) { first } else { second };
        }
        f64::NEG_INFINITY
    }
}
