//! Interpolation in a cell of unit size: trilinear, and tricubic after Keys.
//!
//! R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans. Acoust. Speech Signal
//! Process. 29 (1981) 1153-1160, with a = -1/2: exact for polynomials of second degree, with a continuous derivative.

use granule_model::DVec3;

/// Nodes as `[z][y][x]`.
type Cube<const N: usize> = [[[f64; N]; N]; N];

/// Interpolation between two nodes along each axis.
pub(crate) struct Linear;

impl Linear {
    /// Value and gradient at `t`, each coordinate from 0 to 1.
    pub(crate) fn interpolate(nodes: &Cube<2>, t: DVec3) -> (f64, DVec3) {
        let weights = |t: f64| ([1.0 - t, t], [-1.0, 1.0]);
        contract(nodes, weights(t.x), weights(t.y), weights(t.z))
    }
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

/// Sums over the nodes with products of weights: the value, and one with the derivative along each axis.
#[inline]
fn contract<const N: usize>(
    nodes: &Cube<N>,
    (wx, dx): ([f64; N], [f64; N]),
    (wy, dy): ([f64; N], [f64; N]),
    (wz, dz): ([f64; N], [f64; N]),
) -> (f64, DVec3) {
    let (mut value, mut slope) = (0.0, DVec3::ZERO);
    for (plane, (wz, dz)) in nodes.iter().zip(wz.into_iter().zip(dz)) {
        let (mut in_plane, mut along_x, mut along_y) = (0.0, 0.0, 0.0);
        for (row, (wy, dy)) in plane.iter().zip(wy.into_iter().zip(dy)) {
            let (mut in_row, mut row_slope) = (0.0, 0.0);
            for i in 0..N {
                in_row += wx[i] * row[i];
                row_slope += dx[i] * row[i];
            }
            in_plane += wy * in_row;
            along_x += wy * row_slope;
            along_y += dy * in_row;
        }
        value += wz * in_plane;
        slope += DVec3::new(wz * along_x, wz * along_y, dz * in_plane);
    }
    (value, slope)
}
