//! A square linear system whose least answer is wanted where it is singular.
//!
//! **Small** systems go through a singular value decomposition `A = U S V^T`, `l = V S^+ U^T b`, where singular values
//! below [`RANK`] of the largest count as zero.
//!
//! **Large** ones are sparse. Their least answer `l = A^T y`, `A A^T y = b`, comes from the proximal iteration
//!
//! ```text
//! [ 1   A^T ] [ dl ]   [    0    ]
//! [ A   -d  ] [ w  ] = [ b - A l ],        l <- l + dl,
//! ```
//!
//! with one sparse LU factorisation for all steps. Every `dl = -A^T w` lies in the row space of A, so that `l` is the
//! least of all answers; a singular value `s` of A (scaled to a largest entry of 1) converges by the factor `d / (s^2 +
//! d)`, and what no `l` can meet stays in the residual. The same factorisation gives the least singular value by
//! inverse iteration.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, Mat, MatMut, Par};

/// Contacts up to which the singular value decomposition is used: about 30 ms there, growing with the cube.
const DENSE: usize = 160;

/// Singular value that counts as zero, over the largest.
const RANK: f64 = 1e-12;

/// `d` of the proximal iteration.
const PROXIMAL: f64 = 1e-11;

/// Least singular value below which a sparse matrix counts as singular, over its largest entry: what inverse iteration
/// can tell from zero.
const SPARSE_RANK: f64 = 1e-8;

/// Steps of the proximal iteration, and of refinement.
const REFINEMENTS: u32 = 50;

/// Steps of the inverse iteration.
const INVERSE_STEPS: u32 = 6;

/// A square matrix by its entries.
#[derive(Debug)]
pub(super) struct System {
    n: usize,
    entries: Vec<(usize, usize, f64)>,
}

/// The answer of a system.
#[derive(Debug)]
pub(super) struct Answer {
    /// Of all vectors that come nearest to the equations, the least.
    pub(super) least: Vec<f64>,
    /// Whether there is more than one.
    pub(super) singular: bool,
    /// Solutions with the factorisation.
    pub(super) refinements: u32,
}

impl System {
    pub(super) fn new(n: usize) -> Self {
        System { n, entries: Vec::new() }
    }

    /// Sets an entry, once.
    pub(super) fn set(&mut self, i: usize, j: usize, value: f64) {
        self.entries.push((i, j, value));
    }

    /// `b - A x`.
    fn rest(&self, b: &[f64], x: &[f64]) -> Vec<f64> {
        let mut rest = b.to_vec();
        self.entries.iter().for_each(|(i, j, value)| rest[*i] -= value * x[*j]);
        rest
    }

    /// `|A^T w|`.
    fn length_across(&self, w: &[f64]) -> f64 {
        let mut across = vec![0.0; self.n];
        self.entries.iter().for_each(|(i, j, value)| across[*j] += value * w[*i]);
        length(&across)
    }

    /// Solves for the right-hand side `b`; none where a factorisation fails, as it may with numbers that are not
    /// finite.
    pub(super) fn solve(&self, b: &[f64]) -> Option<Answer> {
        if self.n <= DENSE { self.solve_dense(b) } else { self.solve_sparse(b) }
    }

    fn solve_dense(&self, b: &[f64]) -> Option<Answer> {
        let n = self.n;
        let mut a = Mat::<f64>::zeros(n, n);
        self.entries.iter().for_each(|(i, j, value)| a[(*i, *j)] = *value);
        let (mut u, mut v, mut s) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n), Diag::<f64>::zeros(n));
        let vectors = ComputeSvdVectors::Thin;
        let mut scratch = MemBuffer::new(svd_scratch::<f64>(n, n, vectors, vectors, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut scratch);
        svd(a.as_ref(), s.as_mut(), Some(u.as_mut()), Some(v.as_mut()), Par::Seq, stack, Default::default()).ok()?;
        let s: Vec<f64> = (0..n).map(|k| s[k]).collect();
        let rank = s.iter().filter(|value| **value > RANK * s[0]).count();
        let least = self.refine(b, |rest| {
            let mut step = vec![0.0; n];
            for k in 0..rank {
                let share = (0..n).map(|i| u[(i, k)] * rest[i]).sum::<f64>() / s[k];
                (0..n).for_each(|i| step[i] += share * v[(i, k)]);
            }
            step
        });
        Some(Answer { singular: rank < n, ..least })
    }

    fn solve_sparse(&self, b: &[f64]) -> Option<Answer> {
        let n = self.n;
        let largest = self.entries.iter().fold(0.0f64, |s, (_, _, value)| s.max(value.abs()));
        let unit = |i, j, value| Triplet::new(i, j, value);
        let mut triplets: Vec<Triplet<usize, usize, f64>> = Vec::with_capacity(2 * (n + self.entries.len()));
        triplets.extend((0..n).map(|i| unit(i, i, 1.0)));
        triplets.extend((0..n).map(|i| unit(n + i, n + i, -PROXIMAL)));
        for (i, j, value) in &self.entries {
            triplets.extend([unit(n + i, *j, value / largest), unit(*j, n + i, value / largest)]);
        }
        let matrix = SparseColMat::try_new_from_triplets(2 * n, 2 * n, &triplets).ok()?;
        let symbolic = factorize_symbolic_lu(matrix.symbolic(), Default::default()).ok()?;
        let mut numeric = NumericLu::new();
        let par = Par::Seq;
        let mut scratch =
            MemBuffer::try_new(symbolic.factorize_numeric_lu_scratch::<f64>(par, Default::default())).ok()?;
        let stack = MemStack::new(&mut scratch);
        let lu = symbolic.factorize_numeric_lu(&mut numeric, matrix.as_ref(), par, stack, Default::default()).ok()?;
        let mut factors = Factors::new(lu, &symbolic, n);
        let answer = self.refine(b, |rest| {
            let scaled: Vec<f64> = rest.iter().map(|r| r / largest).collect();
            factors.solve(&scaled).0
        });
        Some(Answer { singular: self.least_singular_value(&mut factors) < SPARSE_RANK * largest, ..answer })
    }

    /// Adds steps that `solve` gives for what is left, as long as that becomes less.
    fn refine(&self, b: &[f64], mut solve: impl FnMut(&[f64]) -> Vec<f64>) -> Answer {
        let mut best = Answer { least: vec![0.0; self.n], singular: false, refinements: 0 };
        let mut rest = b.to_vec();
        let mut left = length(&rest);
        for _ in 0..REFINEMENTS {
            let step = solve(&rest);
            let next: Vec<f64> = best.least.iter().zip(&step).map(|(x, dx)| x + dx).collect();
            let after = self.rest(b, &next);
            let size = length(&after);
            best.refinements += 1;
            if !size.is_finite() || size >= left {
                break;
            }
            let slow = size > 0.9 * left;
            (best.least, rest, left) = (next, after, size);
            if slow {
                break;
            }
        }
        best
    }

    /// The least singular value, by inverse iteration from a vector that no structure singles out.
    fn least_singular_value(&self, factors: &mut Factors<'_>) -> f64 {
        let golden = |i: usize| (0.618_033_988_749_895 * (i + 1) as f64).fract() - 0.5;
        let mut w: Vec<f64> = (0..self.n).map(golden).collect();
        for _ in 0..INVERSE_STEPS {
            w = factors.solve(&w).1;
            let size = length(&w).recip();
            w.iter_mut().for_each(|x| *x *= size);
        }
        self.length_across(&w)
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The factorised matrix of the proximal iteration.
struct Factors<'a> {
    lu: LuRef<'a, usize, f64>,
    scratch: MemBuffer,
    n: usize,
}

impl<'a> Factors<'a> {
    fn new(lu: LuRef<'a, usize, f64>, symbolic: &SymbolicLu<usize>, n: usize) -> Self {
        Factors { lu, scratch: MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)), n }
    }

    /// `dl` and `w` for the right-hand side `(0, r)`.
    fn solve(&mut self, r: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut x = vec![0.0; self.n];
        x.extend(r);
        let size = x.len();
        let right = MatMut::from_column_major_slice_mut(&mut x, size, 1);
        self.lu.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut self.scratch));
        let w = x.split_off(self.n);
        (x, w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain with springs of -1 between neighbours, and a copy of its first equation where wanted: then singular, and
    /// solvable.
    fn chain(n: usize, repeat: bool) -> (System, Vec<f64>) {
        let mut system = System::new(n);
        let mut b: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64 - 1.5).collect();
        for i in 0..n {
            let source = if repeat && i == n - 1 { 0 } else { i };
            for j in source.saturating_sub(1)..(source + 2).min(n - usize::from(repeat)) {
                system.set(i, j, if j == source { 2.5 } else { -1.0 });
            }
        }
        if repeat {
            b[n - 1] = b[0];
        }
        (system, b)
    }

    fn greatest(x: &[f64]) -> f64 {
        x.iter().fold(0.0, |s, x| s.max(x.abs()))
    }

    #[test]
    fn both_ways_give_the_same_least_answer() {
        for repeat in [false, true] {
            let (system, b) = chain(60, repeat);
            let (dense, sparse) = (system.solve_dense(&b).expect("dense"), system.solve_sparse(&b).expect("sparse"));
            assert_eq!((dense.singular, sparse.singular), (repeat, repeat));
            for answer in [&dense, &sparse] {
                // Measured 2e-15, over right-hand sides of about 1.
                assert!(greatest(&system.rest(&b, &answer.least)) <= 1e-12);
            }
            let difference = dense.least.iter().zip(&sparse.least).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(difference <= 1e-10, "{difference:e}");
            // The column of the last unknown is empty in the repeated chain: least means that it is zero.
            assert!(!repeat || dense.least[59].abs() <= 1e-12);
        }
    }

    #[test]
    fn contradictions_are_left_in_the_rest() {
        let (system, mut b) = chain(60, true);
        b[59] += 1.0;
        for answer in [system.solve_dense(&b).expect("dense"), system.solve_sparse(&b).expect("sparse")] {
            // Two equal equations with right-hand sides 1 apart: each is missed by one half.
            let rest = greatest(&system.rest(&b, &answer.least));
            assert!((rest - 0.5).abs() <= 1e-6, "{rest}");
        }
    }
}
