//! A series of real spherical harmonics as polynomials of the direction, with its gradient.
//!
//! `f(u) = sum over n, m of P_nm(z) (c_nm Re (x + i y)^m + s_nm Im (x + i y)^m)`: with `sin^m` taken out of the
//! associated Legendre functions nothing is trigonometric and nothing singular at the poles. Harmonics are normalised
//! to a mean square of 1 over the sphere (4 pi normalisation), so the root mean square of the part of degree `n` is the
//! norm of its coefficients. `P_nm = a_nm z P_(n-1)m - b_nm P_(n-2)m` (Holmes and Featherstone, A unified approach to
//! the Clenshaw summation and the recursive computation of very high degree and order normalised associated Legendre
//! functions, 2002, Eq. 11).

use granule_model::DVec3;

use crate::random::Random;

/// Coefficients of one degree and order with the factors of the recursion.
#[derive(Clone, Copy, Debug)]
struct Term {
    a: f64,
    b: f64,
    cosine: f64,
    sine: f64,
}

/// A series without the degrees 0 and 1.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// `P_mm` of each order.
    first: Vec<f64>,
    /// Terms of each order, by degree from the order upwards.
    orders: Vec<Vec<Term>>,
}

impl Series {
    /// Random coefficients; those of degree `n` have the norm `norms[n]`, and every turn of the series is as likely:
    /// normal numbers, scaled.
    pub(crate) fn random(norms: &[f64], random: &mut Random) -> Self {
        let mut series = Series::zero(norms.len() - 1);
        for (n, &norm) in norms.iter().enumerate().skip(2) {
            let mut drawn: Vec<f64> = (0..=2 * n).map(|_| random.normal()).collect();
            let length = drawn.iter().map(|x| x * x).sum::<f64>().sqrt();
            drawn.iter_mut().for_each(|x| *x *= norm / length);
            for m in 0..=n {
                let term = &mut series.orders[m][n - m];
                term.cosine = drawn[m];
                term.sine = if m > 0 { drawn[n + m] } else { 0.0 };
            }
        }
        series
    }

    fn zero(degree: usize) -> Self {
        let term = |n: usize, m: usize| {
            let (n, m) = (n as f64, m as f64);
            let both = (n - m) * (n + m);
            let a = ((2.0 * n - 1.0) * (2.0 * n + 1.0) / both).sqrt();
            let b = ((2.0 * n + 1.0) * (n + m - 1.0) * (n - m - 1.0) / (both * (2.0 * n - 3.0))).sqrt();
            if n > m { Term { a, b, cosine: 0.0, sine: 0.0 } } else { Term { a: 0.0, b: 0.0, cosine: 0.0, sine: 0.0 } }
        };
        let mut first = vec![1.0];
        for m in 1..=degree {
            let k = m as f64;
            let double = if m == 1 { 2.0 } else { 1.0 };
            first.push(first[m - 1] * (double * (2.0 * k + 1.0) / (2.0 * k)).sqrt());
        }
        Series { first, orders: (0..=degree).map(|m| (m..=degree).map(|n| term(n, m)).collect()).collect() }
    }

    /// The value in the direction `u`, a unit vector.
    pub(crate) fn value(&self, u: DVec3) -> f64 {
        self.lanes([u])[0]
    }

    /// The values in many directions: the same bits as one by one, in a third of the time.
    pub(crate) fn values(&self, directions: &[DVec3]) -> Vec<f64> {
        let packs = directions.chunks_exact(4);
        let rest = packs.remainder();
        let mut values: Vec<f64> = packs.flat_map(|u| self.lanes([u[0], u[1], u[2], u[3]])).collect();
        values.extend(rest.iter().map(|&u| self.value(u)));
        values
    }

    /// The values in `L` directions at once. Each step of the recursion waits for the one before; lanes fill the wait.
    fn lanes<const L: usize>(&self, u: [DVec3; L]) -> [f64; L] {
        let (x, y, z) = (u.map(|u| u.x), u.map(|u| u.y), u.map(|u| u.z));
        let (mut re, mut im, mut sum) = ([1.0; L], [0.0; L], [0.0; L]);
        for (first, terms) in self.first.iter().zip(&self.orders) {
            let (mut before, mut here, mut cosine, mut sine) = ([0.0; L], [*first; L], [0.0; L], [0.0; L]);
            for (k, term) in terms.iter().enumerate() {
                for l in 0..L {
                    if k > 0 {
                        (before[l], here[l]) = (here[l], term.a * z[l] * here[l] - term.b * before[l]);
                    }
                    cosine[l] += here[l] * term.cosine;
                    sine[l] += here[l] * term.sine;
                }
            }
            for l in 0..L {
                sum[l] += cosine[l] * re[l] + sine[l] * im[l];
                (re[l], im[l]) = (re[l] * x[l] - im[l] * y[l], re[l] * y[l] + im[l] * x[l]);
            }
        }
        sum
    }

    /// The gradient of the polynomials at the unit vector `u`; its part across `u` is that of the series on the sphere.
    pub(crate) fn gradient(&self, u: DVec3) -> DVec3 {
        let (mut re, mut im, mut re_below, mut im_below) = (1.0, 0.0, 0.0, 0.0);
        let mut gradient = DVec3::ZERO;
        for (m, (first, terms)) in self.first.iter().zip(&self.orders).enumerate() {
            let (mut before, mut here, mut slope_before, mut slope) = (0.0, *first, 0.0, 0.0);
            let (mut cosine, mut sine, mut cosine_z, mut sine_z) = (0.0, 0.0, 0.0, 0.0);
            for (k, term) in terms.iter().enumerate() {
                if k > 0 {
                    let next_slope = term.a * (here + u.z * slope) - term.b * slope_before;
                    (before, here) = (here, term.a * u.z * here - term.b * before);
                    (slope_before, slope) = (slope, next_slope);
                }
                cosine += here * term.cosine;
                sine += here * term.sine;
                cosine_z += slope * term.cosine;
                sine_z += slope * term.sine;
            }
            // d/dx (x + i y)^m = m (x + i y)^(m-1), d/dy the same times i.
            let k = m as f64;
            gradient.x += k * (cosine * re_below + sine * im_below);
            gradient.y += k * (sine * re_below - cosine * im_below);
            gradient.z += cosine_z * re + sine_z * im;
            (re_below, im_below) = (re, im);
            (re, im) = (re * u.x - im * u.y, re * u.y + im * u.x);
        }
        gradient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sphere::SphereMesh;

    /// Share of the sphere of each direction: a third of the triangles around it.
    fn weights(mesh: &SphereMesh) -> Vec<f64> {
        let mut weights = vec![0.0; mesh.directions().len()];
        for t in mesh.triangles() {
            let [p, q, r] = t.map(|i| mesh.directions()[i as usize]);
            t.iter().for_each(|&i| weights[i as usize] += (q - p).cross(r - p).length() / 6.0);
        }
        let total: f64 = weights.iter().sum();
        weights.iter().map(|w| w / total).collect()
    }

    /// Mean over the sphere of products of two harmonics of degree up to 4: 1 for the same, 0 for others. The solid
    /// angles of the triangles as weights, so up to the error of the mesh.
    #[test]
    fn harmonics_are_orthonormal() {
        let mesh = SphereMesh::new(24).unwrap();
        let weights = weights(&mesh);
        let mut all = Vec::new();
        for n in 0..=4 {
            for m in 0..=n {
                for sine in [false, true] {
                    if m == 0 && sine {
                        continue;
                    }
                    let mut series = Series::zero(n);
                    let term = &mut series.orders[m][n - m];
                    *(if sine { &mut term.sine } else { &mut term.cosine }) = 1.0;
                    all.push(mesh.directions().iter().map(|&u| series.value(u)).collect::<Vec<f64>>());
                }
            }
        }
        assert_eq!(all.len(), 25);
        let mut worst: f64 = 0.0;
        for (i, f) in all.iter().enumerate() {
            for (j, g) in all.iter().enumerate() {
                let mean = (0..weights.len()).map(|k| weights[k] * f[k] * g[k]).sum::<f64>();
                worst = worst.max((mean - f64::from(u8::from(i == j))).abs());
            }
        }
        // 4.8e-4; by a quarter at twice the frequency.
        assert!(worst <= 1e-3, "{worst}");
    }

    /// Degree 2, order 0 is `sqrt 5 (3 z^2 - 1) / 2`, order 2 `sqrt 15 / 2 (x^2 - y^2)`.
    #[test]
    fn harmonics_of_degree_two_are_the_known_ones() {
        let u = DVec3::new(0.6, -0.48, 0.64);
        let mut series = Series::zero(2);
        series.orders[0][2].cosine = 1.0;
        assert!((series.value(u) - 5f64.sqrt() * (3.0 * u.z * u.z - 1.0) / 2.0).abs() <= 4e-16);
        let mut series = Series::zero(2);
        series.orders[2][0].cosine = 1.0;
        assert!((series.value(u) - 15f64.sqrt() / 2.0 * (u.x * u.x - u.y * u.y)).abs() <= 4e-16);
    }

    #[test]
    fn values_of_many_directions_have_the_bits_of_one() {
        let series = Series::random(&[0.0, 0.0, 1.0, 0.5, 0.3, 0.2, 0.1], &mut Random::new(1));
        let mut random = Random::new(2);
        let directions: Vec<DVec3> = (0..11).map(|_| random.direction()).collect();
        let single: Vec<f64> = directions.iter().map(|&u| series.value(u)).collect();
        assert_eq!(series.values(&directions), single);
    }

    /// The mean square of each degree is the square of its norm; of all together their sum.
    #[test]
    fn random_series_have_the_amplitudes_asked_for() {
        let mesh = SphereMesh::new(24).unwrap();
        let weights = weights(&mesh);
        for seed in 0..5 {
            let series = Series::random(&[0.0, 0.0, 0.1, 0.05, 0.04, 0.03], &mut Random::new(seed));
            let values = series.values(mesh.directions());
            let square: f64 = values.iter().zip(&weights).map(|(f, w)| w * f * f).sum();
            // 1e-3, the error of the mesh.
            assert!((square / 0.015 - 1.0).abs() <= 3e-3, "{}", square / 0.015 - 1.0);
        }
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let norms: Vec<f64> = (0..=15).map(|n| if n < 2 { 0.0 } else { 1.0 / f64::from(n) }).collect();
        let series = Series::random(&norms, &mut Random::new(3));
        let mut random = Random::new(4);
        let mut worst: f64 = 0.0;
        for _ in 0..50 {
            let u = random.direction();
            let h = 1e-5;
            let difference = |axis: DVec3| (series.value(u + h * axis) - series.value(u - h * axis)) / (2.0 * h);
            let numeric = DVec3::new(difference(DVec3::X), difference(DVec3::Y), difference(DVec3::Z));
            worst = worst.max((numeric - series.gradient(u)).length() / numeric.length());
        }
        // 3.3e-8: h^2 n^3 over the slope.
        assert!(worst <= 1e-7, "{worst}");
    }
}
