//! Interpolation in a cell of unit size: trilinear, and tricubic after Keys.
//!
//! R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans. Acoust. Speech Signal
//! Process. 29 (1981) 1153-1160, with a = -1/2: exact for polynomials of second degree, with a continuous derivative.

use std::ops::{Add, Mul, Sub};

use granule_model::DVec3;

/// Nodes as `[z][y][x]`.
type Cube<const N: usize> = [[[f64; N]; N]; N];

/// Interpolation between two nodes along each axis.
pub(crate) struct Linear;

impl Linear {
    /// Value and gradient at `t`, each coordinate from 0 to 1.
    #[inline]
    pub(crate) fn interpolate(nodes: &Cube<2>, t: DVec3) -> (f64, DVec3) {
        let (value, gradient) = trilinear(nodes, t.to_array());
        (value, DVec3::from_array(gradient))
    }
}

/// Value and gradient at `t` between corners as `[z][y][x]`, in single or in double precision.
#[inline]
pub(crate) fn trilinear<T>(corners: &[[[T; 2]; 2]; 2], [x, y, z]: [T; 3]) -> (T, [T; 3])
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let between = |[low, high]: [T; 2], share: T| low + share * (high - low);
    let rise = |[low, high]: [T; 2]| high - low;
    let rows = corners.map(|plane| plane.map(|row| between(row, x)));
    let planes = rows.map(|row| between(row, y));
    let along_x = between(corners.map(|plane| between(plane.map(rise), y)), z);
    (between(planes, z), [along_x, between(rows.map(rise), z), rise(planes)])
}

/// Interpolation on four nodes along each axis; the cell is between the second and the third.
pub(crate) struct Cubic;

impl Cubic {
    /// Value and gradient at `t`, each coordinate from 0 to 1.
    ///
    /// Rows are summed first, four nodes at a time, and read as they are stored.
    #[inline]
    pub(crate) fn interpolate<T: Copy + Into<f64>>(nodes: &[[[T; 4]; 4]; 4], t: DVec3) -> (f64, DVec3) {
        let [(wx, dx), (wy, dy), (wz, dz)] = [t.x, t.y, t.z].map(Self::weights);
        let mut rows = [[0.0; 4]; 3];
        for (plane, (wz, dz)) in nodes.iter().zip(wz.into_iter().zip(dz)) {
            let mut of_plane = [[0.0; 4]; 2];
            for (row, (wy, dy)) in plane.iter().zip(wy.into_iter().zip(dy)) {
                let row: [f64; 4] = [row[0].into(), row[1].into(), row[2].into(), row[3].into()];
                for i in 0..4 {
                    of_plane[0][i] += wy * row[i];
                    of_plane[1][i] += dy * row[i];
                }
            }
            for i in 0..4 {
                rows[0][i] += wz * of_plane[0][i];
                rows[1][i] += wz * of_plane[1][i];
                rows[2][i] += dz * of_plane[0][i];
            }
        }
        let along = |w: [f64; 4], row: [f64; 4]| w[0] * row[0] + w[1] * row[1] + w[2] * row[2] + w[3] * row[3];
        (along(wx, rows[0]), DVec3::new(along(dx, rows[0]), along(wx, rows[1]), along(wx, rows[2])))
    }

    /// Weights of the nodes, and their derivatives.
    fn weights(t: f64) -> ([f64; 4], [f64; 4]) {
        let (t2, t3) = (t * t, t * t * t);
        let values =
            [-0.5 * t + t2 - 0.5 * t3, 1.0 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2.0 * t2 - 1.5 * t3, -0.5 * t2 + 0.5 * t3];
        let slopes = [-0.5 + 2.0 * t - 1.5 * t2, -5.0 * t + 4.5 * t2, 0.5 + 4.0 * t - 4.5 * t2, -t + 1.5 * t2];
        (values, slopes)
    }
}
