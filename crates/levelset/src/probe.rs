//! Distances at many points given in other axes: for searches, in single precision.
//!
//! One product with a matrix takes a point to cells of the grid. Eight values are interpolated there, as
//! [`LevelSet::sample`] does, off by a millionth of the largest coordinate in cells.

use granule_model::{DMat3, DVec3, Pose};

use crate::blocks::Values;
use crate::dense::Dense;
use crate::grid::LevelSet;
use crate::held::Held;
use crate::kernel::trilinear;

/// A level set seen from other axes.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    dense: &'a Dense,
    /// Columns of the matrix that turns and scales to cells, and where the origin goes.
    columns: [[f32; 3]; 3],
    origin: [f32; 3],
    /// Highest place in cells.
    last: [f32; 3],
    spacing: f32,
}

/// A distance found by a [`Probe`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probed {
    /// Signed distance \[m\].
    pub value: f32,
    /// Its gradient in the axes of the grid \[-\].
    pub gradient: [f32; 3],
}

impl LevelSet {
    /// The level set seen from axes that `to_grid` takes to those of the grid; `None` where few of the grid's values
    /// are held, as of ground.
    pub fn probe(&self, to_grid: &Pose) -> Option<Probe<'_>> {
        let Held::Dense(dense) = &self.held else { return None };
        let turn = DMat3::from_quat(to_grid.rotation) * (1.0 / self.lattice.spacing);
        let single = |v: DVec3| v.as_vec3().to_array();
        Some(Probe {
            dense,
            columns: [turn.x_axis, turn.y_axis, turn.z_axis].map(single),
            origin: single(self.lattice.place(to_grid.position)),
            last: self.lattice.nodes.map(|n| (n - 1) as f32),
            spacing: self.lattice.spacing as f32,
        })
    }
}

impl Probe<'_> {
    /// Distance and gradient at `p`; `None` outside of the grid, and where no value is held.
    #[inline]
    pub fn find(&self, [x, y, z]: [f32; 3]) -> Option<Probed> {
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
            low[axis] = place as usize;
            share[axis] = place - low[axis] as f32;
        }
        let (cells, gradient) = match &self.dense.values {
            Values::I16(codes, step) => {
                let corners = self.dense.corners(low, codes)?.map(|plane| plane.map(|row| row.map(f32::from)));
                let (value, gradient) = trilinear(&corners, share);
                // Two codes stand for no value: beyond the band on either side.
                let step = *step as f32;
                (value * step, gradient.map(|slope| slope * step))
            }
            Values::F32(values) => trilinear(&self.dense.corners(low, values)?, share),
        };
        let value = cells * self.spacing;
        value.is_finite().then_some(Probed { value, gradient })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Storage;
    use granule_model::{Aabb, DQuat};

    /// A probe finds what samples say of the points in the grid's axes, at any scale, and nothing outside.
    #[test]
    fn a_probe_agrees_with_samples() {
        for (scale, storage) in [(1e-3, Storage::I16), (1.0, Storage::F32), (100.0, Storage::I16)] {
            let half = DVec3::new(1.0, 0.8, 0.6) * scale;
            let bounds = Aabb::new(-half, half).padded(0.4 * scale);
            let distance = |p: DVec3| ((p / half).length() - 1.0) * 0.6 * scale;
            let set = LevelSet::from_function(bounds, 0.1 * scale, 5, storage, distance).expect("an ellipsoid");
            let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7);
            let pose = Pose::new(DVec3::new(0.3, -0.2, 0.5) * scale, turn);
            let probe = set.probe(&pose).expect("most of it is in the band");
            let (mut worst, mut steepest, mut found) = (0.0_f64, 0.0_f64, 0);
            for i in 0..4000 {
                let share = |k: f64| 3.2 * (libm::fmod(f64::from(i) * k, 1.0) - 0.5) * scale;
                let p = DVec3::new(share(0.618_034), share(0.754_878), share(0.569_840));
                let single = p.as_vec3();
                let expected = set.sample(pose.transform_point(single.as_dvec3()));
                let probed = probe.find(single.to_array());
                if let (Some(sample), Some(probed)) = (expected, probed) {
                    found += 1;
                    worst = worst.max((f64::from(probed.value) - sample.value).abs() / scale);
                    let gradient = DVec3::from_array(probed.gradient.map(f64::from));
                    // Where a point changes its cell by rounding the gradient jumps.
                    if (gradient - sample.gradient).length() > 1e-4 {
                        steepest += 1.0;
                    }
                } else {
                    assert!(expected.is_none() && probed.is_none() || i < 4, "{p}: {expected:?} {probed:?}");
                }
            }
            println!("{found} found, off by {worst:e}, {steepest} gradients differ");
            assert!(found > 500);
            assert!(worst <= 1e-6, "{worst:e}");
            assert!(steepest <= 4.0, "{steepest}");
        }
    }
}
