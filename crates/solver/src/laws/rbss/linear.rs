//! Linear systems: LU with partial pivoting; where that finds no full rank, the solution of least norm.

use faer::linalg::solvers::{PartialPivLu, Solve, Svd};
use faer::{Mat, MatRef};

/// Size up to which the elimination below is used; beyond it faer's blocked one is faster.
const SMALL: usize = 60;

/// Smallest pivot over the largest below which a matrix counts as singular, and the same for singular values.
const RANK: f64 = 1e-11;

/// Solves `a x = b`, `a` row-major; `b` becomes `x`, the least-squares solution of least norm where `a` is singular.
pub(super) fn solve(a: &[f64], b: &mut [f64]) {
    let solved = if b.len() <= SMALL { eliminate(a, b) } else { factorise(a, b) };
    if !solved {
        least_norm(a, b);
    }
}

/// Whether the matrix `a`, n rows, row-major, has full rank.
pub(super) fn has_full_rank(a: &[f64], n: usize) -> bool {
    let mut unused = vec![0.0; n];
    if n <= SMALL { eliminate(a, &mut unused) } else { factorise(a, &mut unused) }
}

/// Whether pivots spread so far that the matrix has no full rank.
fn is_singular(pivots: impl Iterator<Item = f64>) -> bool {
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for pivot in pivots {
        least = least.min(pivot.abs());
        most = most.max(pivot.abs());
    }
    // NaN is singular too; no pivots at all are not.
    !(least > RANK * most || least == f64::INFINITY)
}

/// Gauss elimination; leaves `b` alone and returns false where the matrix is singular.
fn eliminate(a: &[f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let mut m = a.to_vec();
    let mut x = b.to_vec();
    for k in 0..n {
        let pivot = (k..n).fold(k, |best, i| if m[i * n + k].abs() > m[best * n + k].abs() { i } else { best });
        if m[pivot * n + k] == 0.0 {
            return false;
        }
        if pivot != k {
            x.swap(pivot, k);
            (k..n).for_each(|j| m.swap(pivot * n + j, k * n + j));
        }
        let (top, below) = m.split_at_mut((k + 1) * n);
        let row = &top[k * n..];
        for (i, other) in below.chunks_exact_mut(n).enumerate() {
            let factor = other[k] / row[k];
            if factor != 0.0 {
                (k + 1..n).for_each(|j| other[j] -= factor * row[j]);
                x[k + 1 + i] -= factor * x[k];
            }
        }
    }
    if is_singular((0..n).map(|k| m[k * n + k])) {
        return false;
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| m[k * n + j] * x[j]).sum();
        x[k] = (x[k] - sum) / m[k * n + k];
    }
    b.copy_from_slice(&x);
    true
}

/// The same by faer's blocked elimination.
fn factorise(a: &[f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let lu = PartialPivLu::new(MatRef::from_row_major_slice(a, n, n));
    let upper = lu.U();
    if is_singular((0..n).map(|k| upper[(k, k)])) {
        return false;
    }
    let x = lu.solve(Mat::from_fn(n, 1, |i, _| b[i]));
    (0..n).for_each(|i| b[i] = x[(i, 0)]);
    true
}

/// The least-squares solution of least norm, by singular values; no step at all where they cannot be had.
fn least_norm(a: &[f64], b: &mut [f64]) {
    let n = b.len();
    if !a.iter().chain(b.iter()).all(|x| x.is_finite()) {
        b.fill(0.0);
        return;
    }
    let Ok(svd) = Svd::new(MatRef::from_row_major_slice(a, n, n)) else {
        b.fill(0.0);
        return;
    };
    let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
    let largest = s[0];
    let mut x = vec![0.0; n];
    for k in 0..n {
        if s[k] > RANK * largest {
            let share = (0..n).map(|i| u[(i, k)] * b[i]).sum::<f64>() / s[k];
            (0..n).for_each(|i| x[i] += v[(i, k)] * share);
        }
    }
    b.copy_from_slice(&x);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full matrix of any size, with no symmetry.
    fn matrix(n: usize) -> Vec<f64> {
        let entry = |i: usize, j: usize| (((i * 7 + j * 13) % 11) as f64 - 5.0) + if i == j { 20.0 } else { 0.0 };
        (0..n * n).map(|k| entry(k / n, k % n)).collect()
    }

    fn product(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }

    #[test]
    fn both_eliminations_solve() {
        for n in [1, 2, 17, SMALL, SMALL + 1, 130] {
            let a = matrix(n);
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
            let mut b = product(&a, &x);
            assert!(has_full_rank(&a, n));
            solve(&a, &mut b);
            let error = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
            // Measured 7e-13.
            assert!(error <= 1e-10, "{n}: {error:e}");
        }
    }

    #[test]
    fn a_singular_system_gets_the_solution_of_least_norm() {
        for n in [2, SMALL, 100] {
            // The last unknown doubles the first one: of all splits, equal shares have the least norm.
            let mut a = matrix(n);
            for i in 0..n {
                a[i * n + n - 1] = a[i * n];
            }
            for j in 0..n {
                a[(n - 1) * n + j] = a[j];
            }
            let mut x: Vec<f64> = (0..n).map(|i| i as f64 + 1.0).collect();
            x[n - 1] = x[0];
            let mut b = product(&a, &x);
            assert!(!has_full_rank(&a, n));
            solve(&a, &mut b);
            let error = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-9, "{n}: {error:e}");
        }
    }
}
