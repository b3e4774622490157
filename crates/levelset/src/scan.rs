//! Distances at many points in few cells, given in other axes: for searches, in single precision.
//!
//! As [`Probe`](crate::Probe), for grids of which few values are held, such as those of ground. Places count from a
//! node beside the points, so that they are as exact far out on the grid as near its first node: to a millionth of the
//! way across all points.

use granule_model::{Aabb, DMat3, DVec3, Pose};

use crate::at_hand::AtHand;
use crate::cell::CellNodes;
use crate::contour::SHORTEST;
use crate::kernel::trilinear;
use crate::probe::Probed;

/// Cells seen from other axes.
pub struct Scan<'a> {
    cells: &'a AtHand<'a>,
    /// Columns of the matrix that turns and scales to cells, and where the origin goes, from the node `base`.
    columns: [[f32; 3]; 3],
    origin: [f32; 3],
    base: [usize; 3],
    /// Highest place.
    last: [f32; 3],
    spacing: f32,
    /// One step of the storage in cells.
    step: f32,
}

impl<'a> AtHand<'a> {
    /// The cells within `region` seen from axes that `to_grid` takes to those of the grid. `None` where the region lies
    /// beyond the grid.
    pub fn scan(&'a self, to_grid: &Pose, region: &Aabb) -> Option<Scan<'a>> {
        let lattice = &self.level_set.lattice;
        let most = DVec3::from_array(lattice.nodes.map(|n| n as f64 - 2.0));
        let low = (lattice.place(region.min).floor() - DVec3::ONE).max(DVec3::ONE);
        let high = (lattice.place(region.max) + DVec3::ONE).min(most);
        // Written so that NaN fails.
        if !low.cmplt(high).all() {
            return None;
        }
        let turn = DMat3::from_quat(to_grid.rotation) * (1.0 / lattice.spacing);
        let single = |v: DVec3| v.as_vec3().to_array();
        Some(Scan {
            cells: self,
            columns: [turn.x_axis, turn.y_axis, turn.z_axis].map(single),
            origin: single(lattice.place(to_grid.position) - low),
            base: low.to_array().map(|i| i as usize),
            last: single(high - low),
            spacing: lattice.spacing as f32,
            step: self.step as f32,
        })
    }
}

impl Scan<'_> {
    /// What [`LevelSet::contour`](crate::LevelSet::contour) says of `p`, but for rounding; `None` outside of the
    /// region, where no value is held, and where more than the corners of the cell count. With the length of the
    /// gradient, see [`AtHand::sloped`].
    #[inline]
    pub fn find(&self, [x, y, z]: [f32; 3]) -> Option<(Probed, f32)> {
        let mut low = [0; 3];
        let mut share = [0.0; 3];
        for axis in 0..3 {
            let [a, b, c] = self.columns;
            let place = a[axis] * x + b[axis] * y + c[axis] * z + self.origin[axis];
            // Written so that NaN fails.
            let is_inside = place >= 0.0 && place < self.last[axis];
            if !is_inside {
                return None;
            }
            // Places are positive, and far below the largest whole number that is held.
            let cell = place as i32;
            share[axis] = place - cell as f32;
            low[axis] = self.base[axis] + cell as usize;
        }
        let found = self.cells.with_cell(low, |cell| match cell {
            CellNodes::Kinked(corners) => Some(trilinear(corners, share)),
            CellNodes::Smooth(..) => None,
        });
        let (value, [u, v, w]) = found.flatten()?;
        let slope = self.step * (u * u + v * v + w * w).sqrt();
        let value = value * self.step * self.spacing / slope.clamp(SHORTEST as f32, 1.0);
        let shrink = self.step / slope;
        (value.is_finite() && shrink.is_finite())
            .then_some((Probed { value, gradient: [u * shrink, v * shrink, w * shrink] }, slope))
    }
}

#[cfg(test)]
mod tests {
    use granule_model::DQuat;

    use super::*;
    use crate::{LevelSet, Storage};

    /// Far out on a grid of any scale a scan finds what the contour is in cells with a kink, and nothing in others,
    /// beyond the region and where no value is held.
    #[test]
    fn a_scan_agrees_with_the_contour() {
        for (scale, storage) in [(1e-3, Storage::I16), (1.0, Storage::F32), (100.0, Storage::I16)] {
            let hills = |p: DVec3| {
                let q = p / scale;
                0.9 * (q.z - 1.5 * libm::sin(0.3 * q.x) * libm::cos(0.2 * q.y) - 0.2 * q.x.abs()) * scale
            };
            let half = DVec3::new(300.0, 20.0, 70.0) * scale;
            let set =
                LevelSet::from_function(Aabb::new(-half, half), scale, 3, storage, hills).expect("a hilly ground");
            let pose = Pose::new(
                DVec3::new(270.3, 4.7, 54.0) * scale,
                DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7),
            );
            let region = Aabb::new(pose.position, pose.position).padded(3.0 * scale);
            let cells = set.at_hand();
            let scan = cells.scan(&pose, &region).expect("within the grid");
            let (mut worst, mut steepest, mut found, mut missed) = (0.0_f64, 0.0_f64, 0, 0);
            for i in 0..4000 {
                let share = |k: f64| 2.0 * libm::fmod(f64::from(i) * k, 1.0) - 1.0;
                let place = 4.5 * DVec3::new(share(0.618_034), share(0.754_878), share(0.569_840));
                let single = (place * scale).as_vec3();
                let p = pose.transform_point(single.as_dvec3());
                let probed = scan.find(single.to_array());
                let Some(contour) = set.contour(p) else {
                    assert!(probed.is_none(), "{p}");
                    continue;
                };
                if let Some((probed, _)) = probed {
                    found += 1;
                    assert!((p - pose.position).abs().max_element() <= 5.0 * scale, "{p} is beyond the region");
                    worst = worst.max((f64::from(probed.value) - contour.value).abs() / scale);
                    let gradient = DVec3::from_array(probed.gradient.map(f64::from));
                    // Where a point changes its cell by rounding the gradient jumps.
                    steepest += f64::from(u8::from((gradient - contour.gradient).length() > 1e-5));
                } else {
                    missed += 1;
                }
            }
            println!("{found} found, {missed} missed, off by {worst:e}, {steepest} gradients differ");
            assert!(found > 800 && missed > 0);
            // Measured 1.5e-6 of a cell: places of up to 8 cells in single precision.
            assert!(worst <= 4e-6, "{worst:e}");
            assert!(steepest <= 4.0, "{steepest}");
            let beyond = Aabb::new(2.0 * half, 3.0 * half);
            assert!(cells.scan(&pose, &beyond).is_none());
        }
    }
}
