//! Moments of a closed surface of triangles and the axes along which it is longest and shortest.
//!
//! The solid is a signed sum of tetrahedra from the origin: for `0, p, q, r` with `d = p . (q x r)` and `s = p + q + r`
//! the volume is `d / 6`, the first moment `d s / 24`, the second `d (p p^T + q q^T + r r^T + s s^T) / 120`.
//! Coordinates are about the middle of the surface and scaled by its size, so no sum over- or underflows.

use granule_model::{Aabb, DMat3, DVec3};

/// Off-diagonal terms below this share of the largest diagonal term are rounding.
const DIAGONAL: f64 = 64.0 * f64::EPSILON;
/// Sweeps after which the Jacobi iteration gives up; it converges quadratically, 5 suffice for every matrix tried.
const SWEEPS: usize = 32;

/// Volume, centre and second moments of a solid of uniform density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    /// Volume \[m3\].
    pub(crate) volume: f64,
    /// Centre of mass \[m\].
    pub(crate) center: DVec3,
    /// Second moments about the centre per volume, over the square of the size of the surface \[-\].
    pub(crate) shape: DMat3,
}

impl Moments {
    /// Of what the surface encloses; negative volume when the triangles face inwards.
    pub(crate) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let bounds = Aabb::from_points(vertices.iter().copied());
        let (apex, size) = (bounds.center(), bounds.size().max_element());
        let (mut six_volumes, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for t in triangles {
            let [p, q, r] = t.map(|i| (vertices[i as usize] - apex) / size);
            let (d, s) = (p.dot(q.cross(r)), p + q + r);
            six_volumes += d;
            first += d * s;
            second += d * (outer(p) + outer(q) + outer(r) + outer(s));
        }
        let center = first / (4.0 * six_volumes);
        Moments {
            volume: six_volumes / 6.0 * size * size * size,
            center: apex + center * size,
            shape: second * (1.0 / (20.0 * six_volumes)) - outer(center),
        }
    }

    /// Unit vectors along the principal axes, as the columns of a rotation.
    pub(crate) fn axes(&self) -> DMat3 {
        principal_axes(&self.shape)
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Lengths of the box along `axes` that holds the points.
pub(crate) fn extents(points: impl Iterator<Item = DVec3>, axes: &DMat3) -> DVec3 {
    let back = axes.transpose();
    Aabb::from_points(points.map(|p| back * p)).size()
}

/// The rotation whose columns are eigenvectors of a symmetric matrix, by cyclic Jacobi rotations.
fn principal_axes(matrix: &DMat3) -> DMat3 {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY;
    let negligible = DIAGONAL * (0..3).map(|i| a[i][i].abs()).fold(0.0, f64::max);
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() > negligible {
                let turn = annulling(a[p][p], a[p][q], a[q][q], p, q);
                a = (turn.transpose() * DMat3::from_cols_array_2d(&a) * turn).to_cols_array_2d();
                v *= turn;
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    v
}

/// The rotation in the plane of axes `p` and `q` that annuls the term between them; of the two, the smaller angle.
fn annulling(app: f64, apq: f64, aqq: f64, p: usize, q: usize) -> DMat3 {
    let theta = (aqq - app) / (2.0 * apq);
    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
    // tan of the angle: the smaller root of t^2 + 2 theta t - 1 = 0.
    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let mut turn = DMat3::IDENTITY.to_cols_array_2d();
    (turn[p][p], turn[q][q], turn[p][q], turn[q][p]) = (c, c, -t * c, t * c);
    DMat3::from_cols_array_2d(&turn)
}
