//! Exact volume, centre and inertia of bodies of uniform density.
//!
//! Everything is summed as *moments*: volume `V`, centre `c` and covariance `C = integral (x - c)(x - c)^T dV`; the
//! inertia tensor is `trace(C) 1 - C`. A closed surface of triangles is a signed sum of tetrahedra from a common apex.
//! For the tetrahedron `0, p, q, r` with `d = p . (q x r)` and `s = p + q + r`, integrating over barycentric
//! coordinates gives `V = d / 6`, `integral x = d s / 24` and
//! `integral x x^T = d (p p^T + q q^T + r r^T + s s^T) / 120`.
//!
//! Nothing here compares with an absolute number, so a body of 1 mm is as exact as one of 100 m.

use granule_model::{Aabb, DMat3, DQuat, DVec3, MassProperties, Pose};

use crate::convex::unit_scale;

/// Off-diagonal terms below this share of the largest diagonal term are rounding: a cube keeps its own axes as
/// principal axes.
const DIAGONAL: f64 = 64.0 * f64::EPSILON;
/// Sweeps after which the Jacobi iteration gives up; it converges quadratically, 5 suffice for every 3 x 3 matrix
/// tried.
const SWEEPS: usize = 32;

/// Moments of a body of density 1, in some axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    /// Volume \[m3\].
    pub(crate) volume: f64,
    /// Centre of mass \[m\].
    pub(crate) center: DVec3,
    /// `integral (x - center)(x - center)^T dV` \[m5\].
    pub(crate) covariance: DMat3,
}

impl Moments {
    /// Of a centred body whose planes of symmetry are those of the axes.
    pub(crate) fn symmetric(volume: f64, covariance: DVec3) -> Self {
        Moments { volume, center: DVec3::ZERO, covariance: DMat3::from_diagonal(covariance) }
    }

    /// Of a centred ball: `integral x^2 = V r^2 / 5`.
    pub(crate) fn sphere(radius: f64) -> Self {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
        Moments::symmetric(volume, DVec3::splat(volume * radius * radius / 5.0))
    }

    /// Of a centred capsule on the z axis: a cylinder and two half balls. The centre of a half ball of volume `B / 2`
    /// lies `3 r / 8` beyond its flat side, about which its `integral z^2` is `B r^2 / 10`; moved to `h` from the
    /// origin both together have `B (r^2 / 5 + h^2 + 3 h r / 4)`.
    pub(crate) fn capsule(radius: f64, half_length: f64) -> Self {
        let (r, h) = (radius, half_length);
        let ball = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let cylinder = std::f64::consts::PI * r * r * 2.0 * h;
        let across = cylinder * r * r / 4.0 + ball * r * r / 5.0;
        let along = cylinder * h * h / 3.0 + ball * (r * r / 5.0 + h * h + 0.75 * h * r);
        Moments::symmetric(ball + cylinder, DVec3::new(across, across, along))
    }

    /// Of a centred cylinder on the z axis: `integral x^2 = V r^2 / 4`, `integral z^2 = V h^2 / 3`.
    pub(crate) fn cylinder(radius: f64, half_length: f64) -> Self {
        let volume = std::f64::consts::PI * radius * radius * 2.0 * half_length;
        let across = volume * radius * radius / 4.0;
        Moments::symmetric(volume, DVec3::new(across, across, volume * half_length * half_length / 3.0))
    }

    /// Of a centred box of full edge lengths `size`.
    pub(crate) fn cuboid(size: DVec3) -> Self {
        let volume = size.x * size.y * size.z;
        Moments::symmetric(volume, volume / 12.0 * size * size)
    }

    /// Of the union of a cube of edge `c` and six more on its faces: all seven have `c^5 / 12` about their own centres,
    /// and along each axis two are moved by `c`.
    pub(crate) fn cross(c: f64) -> Self {
        let volume = 7.0 * (c * c * c);
        Moments::symmetric(volume, DVec3::splat(31.0 / 84.0 * volume * c * c))
    }

    /// Of what a closed surface encloses; negative volume when the triangles are clockwise seen from outside.
    ///
    /// The sums run in coordinates about the middle of the surface, scaled to unit size by a power of two.
    pub(crate) fn polyhedron(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let used = || triangles.iter().flatten().map(|&i| vertices[i as usize]);
        let apex = Aabb::from_points(used()).center();
        let scale = unit_scale(used().map(|v| v - apex));
        let (mut six_volumes, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for t in triangles {
            let [p, q, r] = t.map(|i| (vertices[i as usize] - apex) * scale);
            let d = p.dot(q.cross(r));
            let s = p + q + r;
            six_volumes += d;
            first += d * s;
            second += d * (outer(p) + outer(q) + outer(r) + outer(s));
        }
        let volume = six_volumes / 6.0;
        let center = first / (24.0 * volume);
        let covariance = second * (1.0 / 120.0) - volume * outer(center);
        let size = 1.0 / scale;
        Moments {
            volume: volume * size * size * size,
            center: apex + center * size,
            covariance: covariance * size * size * size * size * size,
        }
    }

    /// Of a body with the given mass properties at density 1.
    pub(crate) fn from_unit_mass(unit: &MassProperties) -> Self {
        let principal = DVec3::splat(0.5 * unit.principal_inertia.element_sum()) - unit.principal_inertia;
        let body = Moments { volume: unit.volume, center: DVec3::ZERO, covariance: DMat3::from_diagonal(principal) };
        body.moved(&unit.principal_frame())
    }

    /// Of the same body in the axes in which its axes have the pose `frame`.
    pub(crate) fn moved(&self, frame: &Pose) -> Self {
        let r = DMat3::from_quat(frame.rotation);
        Moments {
            volume: self.volume,
            center: frame.transform_point(self.center),
            covariance: r * self.covariance * r.transpose(),
        }
    }

    /// Of bodies that share no volume, by the parallel axis theorem.
    pub(crate) fn sum(parts: &[Moments]) -> Self {
        let volume: f64 = parts.iter().map(|p| p.volume).sum();
        // About the first centre: exact when all centres are equal, and no cancellation far from the origin.
        let origin = parts.first().map_or(DVec3::ZERO, |p| p.center);
        let center = origin + parts.iter().map(|p| p.volume * (p.center - origin)).sum::<DVec3>() / volume;
        let covariance = parts.iter().fold(DMat3::ZERO, |c, p| c + p.covariance + p.volume * outer(p.center - center));
        Moments { volume, center, covariance }
    }

    /// The inertia tensor in principal axes, mass at density 1.
    ///
    /// The covariance is what is brought to its axes: the moment about one axis is the sum of the covariances along the
    /// other two, without the cancellation that `trace - C` has for a needle.
    pub(crate) fn unit_mass(&self) -> MassProperties {
        let (along, axes) = principal_axes(&self.covariance);
        MassProperties {
            volume: self.volume,
            mass: self.volume,
            center: self.center,
            principal_inertia: DVec3::new(along.y + along.z, along.z + along.x, along.x + along.y),
            principal_rotation: if axes == DMat3::IDENTITY {
                DQuat::IDENTITY
            } else {
                DQuat::from_mat3(&axes).normalize()
            },
        }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Eigenvalues of a symmetric matrix and the rotation whose columns are its eigenvectors, by cyclic Jacobi rotations.
///
/// Each rotation annuls one off-diagonal term; the product of rotations is a rotation, so the axes are right-handed.
/// The smaller angle is taken, so axes stay near those of the matrix; a matrix that is diagonal to rounding keeps them.
fn principal_axes(matrix: &DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    let negligible = DIAGONAL * (0..3).map(|i| a[i][i].abs()).fold(0.0, f64::max);
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() > negligible {
                rotate(&mut a, &mut v, p, q);
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    (DVec3::new(a[0][0], a[1][1], a[2][2]), DMat3::from_cols_array_2d(&v))
}

/// One Jacobi rotation in the plane of axes `p` and `q`: `a <- J^T a J`, `v <- v J`; `v` holds columns.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
    // tan of the angle: the smaller root of t^2 + 2 theta t - 1 = 0.
    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let shift = t * a[p][q];
    let r = 3 - p - q;
    let (arp, arq) = (a[r][p], a[r][q]);
    a[p][p] -= shift;
    a[q][q] += shift;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    (a[r][p], a[p][r]) = (c * arp - s * arq, c * arp - s * arq);
    (a[r][q], a[q][r]) = (s * arp + c * arq, s * arp + c * arq);
    for k in 0..3 {
        let (vp, vq) = (v[p][k], v[q][k]);
        v[p][k] = c * vp - s * vq;
        v[q][k] = s * vp + c * vq;
    }
}
