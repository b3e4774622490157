//! Lemke's method for friction in boxes whose bounds are the normal impulses themselves.
//!
//! Where the turns of [`super::friction`] do not settle, the coupled problem is one linear complementarity problem with
//! a matrix that is not symmetric. With `a = mu l + f >= 0` for the tangential impulse f of a row and `s >= 0` for the
//! part of its sliding velocity `w` that the upper bound holds (all scaled to a unit diagonal of H),
//!
//! ```text
//! 0 <= l  perp  H_nn l + H_nt f + v_n - t >= 0
//! 0 <= a  perp  H_tn l + H_tt f + v_t + s >= 0          f = a - mu l                                    (1)
//! 0 <= s  perp  2 mu l - a                >= 0
//! ```
//!
//! Lemke (1965) adds `z d` with `d > 0` on the right, starts where z alone makes all of it hold, and exchanges
//! complementary pairs, each exchange determined by the one before, until z is zero. The matrix is copositive, so it
//! ends with a solution or with a ray; a ray is possible where impulses that cancel each other (a jam) would have to
//! open a contact. Of the clusters that the turns leave, most of those of more than thirty bodies end in a ray at a z
//! of 1e-13 of its first value, where redundant contacts leave only rounding: so wherever it ends, what it says of each
//! row is taken, and impulses are then solved for afresh from velocities read off the bodies ([`step`]). Whether they
//! are an answer, the turns say.

use crate::laws::normal::problem::NormalSystem;

/// Exchanges before the method gives up, for each unknown.
const EXCHANGES: usize = 4;
/// Entry of a column, over the largest, that is rounding.
const TINY: f64 = 1e-9;
/// Ratios that differ by less than this share are ties, of which the largest entry is taken.
const TIE: f64 = 1e-10;

/// The tangents of a problem, for [`Lemke::new`]: contact and coefficient of each row after the normals.
pub(super) type Tangents<'a> = &'a [(usize, f64)];

/// The dense problem `w = q + M z`, `0 <= w perp z >= 0`.
pub(super) struct Lemke {
    /// Columns of M: their entries that are not zero.
    columns: Vec<Vec<(usize, f64)>>,
    right: Vec<f64>,
    normals: usize,
    tangents: usize,
}

impl Lemke {
    /// (1) for the velocities that the system has; `target` by contact.
    pub(super) fn new(system: &NormalSystem<'_>, tangents: Tangents<'_>, target: &[f64]) -> Self {
        let (m, t) = (target.len(), tangents.len());
        let root: Vec<f64> = system.diagonal.iter().map(|h| h.sqrt()).collect();
        let mut columns = vec![Vec::new(); m + 2 * t];
        // mu of the scaled impulses, and H of the impulses l and f.
        let mu = |k: usize| tangents[k].1 * root[m + k] / root[tangents[k].0];
        for k in 0..m + t {
            let own = std::iter::once((k, 1.0));
            let others = system.row(k).iter().map(|(j, h)| (*j, h / (root[k] * root[*j])));
            columns[k].extend(own.chain(others));
        }
        // l acts by f = a - mu l too.
        for k in 0..t {
            let (i, share) = (tangents[k].0, mu(k));
            let of_tangent: Vec<(usize, f64)> = columns[m + k].iter().map(|(j, h)| (*j, -share * h)).collect();
            columns[i].extend(of_tangent);
            columns[i].push((m + t + k, 2.0 * share));
            columns[m + k].push((m + t + k, -1.0));
            columns[m + t + k].push((m + k, 1.0));
        }
        let slack = |k: usize| (system.speed(k) - if k < m { target[k] } else { 0.0 }) / root[k];
        let right = (0..m + t).map(slack).chain((0..t).map(|_| 0.0)).collect();
        Lemke { columns, right, normals: m, tangents: t }
    }

    /// What the rows of normals and tangents do where the method ends; none where nothing approaches.
    pub(super) fn places(&self, exchanges: &mut u64) -> Option<Vec<Place>> {
        let n = self.right.len();
        let mut tableau = Tableau::new(&self.right)?;
        for _ in 0..EXCHANGES * n {
            *exchanges += 1;
            let column = tableau.column(self);
            let Some(row) = tableau.leaves(&column) else { break };
            if tableau.exchange(row, &column) {
                break;
            }
        }
        let mut basic = vec![false; n];
        tableau.basis.iter().filter_map(|v| v.checked_sub(n)).filter(|z| *z < n).for_each(|z| basic[z] = true);
        let normal = |k: usize| if basic[k] { Place::Free } else { Place::Bound(0.0) };
        let tangent = |k: usize| match (basic[self.normals + k], basic[self.normals + self.tangents + k]) {
            (_, true) => Place::Bound(1.0),
            (true, false) => Place::Free,
            (false, false) => Place::Bound(-1.0),
        };
        Some((0..self.normals).map(normal).chain((0..self.tangents).map(tangent)).collect())
    }
}

/// Where an impulse lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Between its bounds: the velocity of its row is what is aimed at.
    Free,
    /// At this multiple of mu times the normal impulse; for a normal at zero.
    Bound(f64),
}

/// Where the method stands. Unknowns are numbered w first, then z, then the artificial one.
struct Tableau {
    n: usize,
    /// Inverse of the matrix of the basis, row by row.
    inverse: Vec<f64>,
    /// Value of each unknown of the basis.
    values: Vec<f64>,
    basis: Vec<usize>,
    /// What enters next.
    enters: usize,
}

impl Tableau {
    /// After the first exchange, which brings in the artificial unknown for the least of the right side.
    fn new(right: &[f64]) -> Option<Self> {
        let n = right.len();
        let (worst, least) = right.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1))?;
        if *least >= 0.0 {
            return None;
        }
        // Basis: unit columns, but that of the artificial unknown, -1 everywhere, in place `worst`.
        let mut inverse = vec![0.0; n * n];
        for i in 0..n {
            inverse[i * n + i] = 1.0;
            inverse[i * n + worst] = -1.0;
        }
        let value = |i: usize| if i == worst { -least } else { right[i] - least };
        let mut basis: Vec<usize> = (0..n).collect();
        basis[worst] = 2 * n;
        Some(Tableau { n, inverse, values: (0..n).map(value).collect(), basis, enters: n + worst })
    }

    /// The column of what enters, in terms of the basis.
    fn column(&self, problem: &Lemke) -> Vec<f64> {
        let n = self.n;
        let rows = self.inverse.chunks_exact(n);
        if self.enters < n {
            return rows.map(|row| row[self.enters]).collect();
        }
        let entries = &problem.columns[self.enters - n];
        rows.map(|row| -entries.iter().map(|(j, x)| row[*j] * x).sum::<f64>()).collect()
    }

    /// The row of the basis that reaches zero first.
    fn leaves(&self, column: &[f64]) -> Option<usize> {
        let n = self.n;
        let largest = column.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let falls = || (0..n).filter(|i| column[*i] > TINY * largest);
        let ratio = |i: usize| self.values[i].max(0.0) / column[i];
        let least = falls().map(ratio).fold(f64::INFINITY, f64::min);
        let ties = || falls().filter(|i| ratio(*i) <= least * (1.0 + TIE));
        ties().find(|i| self.basis[*i] == 2 * n).or_else(|| ties().max_by(|i, j| column[*i].total_cmp(&column[*j])))
    }

    /// What enters takes the place of row `row`; whether the artificial unknown has left.
    fn exchange(&mut self, row: usize, column: &[f64]) -> bool {
        let n = self.n;
        let factor = column[row].recip();
        let own: Vec<f64> = self.inverse[row * n..(row + 1) * n].iter().map(|x| x * factor).collect();
        let value = self.values[row].max(0.0) * factor;
        for (i, old) in self.inverse.chunks_exact_mut(n).enumerate() {
            if i == row {
                old.copy_from_slice(&own);
                self.values[i] = value;
            } else if column[i] != 0.0 {
                old.iter_mut().zip(&own).for_each(|(x, y)| *x -= column[i] * y);
                self.values[i] -= column[i] * value;
            }
        }
        let left = std::mem::replace(&mut self.basis[row], self.enters);
        self.enters = if left < n { left + n } else { left.wrapping_sub(n) };
        left == 2 * n
    }
}

/// The change of all impulses \[N s\] that takes the velocities of the free rows to what is aimed at, with those at a
/// bound carried along by the normal impulses of their contacts.
pub(super) fn step(system: &NormalSystem<'_>, tangents: Tangents<'_>, target: &[f64], places: &[Place]) -> Vec<f64> {
    let m = target.len();
    let root: Vec<f64> = system.diagonal.iter().map(|h| h.sqrt()).collect();
    let free: Vec<usize> = (0..places.len()).filter(|k| places[*k] == Place::Free).collect();
    let n = free.len();
    let mut local = vec![usize::MAX; places.len()];
    free.iter().enumerate().for_each(|(k, row)| local[*row] = k);
    // What moves with the impulse of each row: itself, and the bounded tangents of its contact.
    let mut carried: Vec<Vec<(usize, f64)>> = (0..places.len()).map(|k| vec![(k, 1.0)]).collect();
    for (k, (i, mu)) in tangents.iter().enumerate() {
        if let Place::Bound(sign) = places[m + k] {
            carried[*i].push((m + k, sign * mu * root[m + k] / root[*i]));
        }
    }
    let mut matrix = vec![0.0; n * n];
    for (column, row) in free.iter().enumerate() {
        for (k, share) in &carried[*row] {
            let own = std::iter::once((*k, 1.0));
            for (j, h) in own.chain(system.row(*k).iter().map(|(j, h)| (*j, h / (root[*k] * root[*j])))) {
                if local[j] != usize::MAX {
                    matrix[local[j] * n + column] += share * h;
                }
            }
        }
    }
    let aim = |row: usize| if row < m { target[row] } else { 0.0 };
    let mut right: Vec<f64> = free.iter().map(|row| (aim(*row) - system.speed(*row)) / root[*row]).collect();
    eliminate(&mut matrix, &mut right);
    let mut change = vec![0.0; places.len()];
    for (x, row) in right.iter().zip(&free) {
        carried[*row].iter().for_each(|(k, share)| change[*k] += share * x / root[*k]);
    }
    change
}

/// Pivot, for a unit diagonal, up to which a row is settled by the others and keeps its impulse.
const SETTLED: f64 = 1e-11;

/// Solves a dense system in place by elimination with pivots from the whole column.
fn eliminate(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    let mut rows: Vec<usize> = (0..n).collect();
    let mut is_settled = vec![false; n];
    let mut next = 0;
    let mut pivots = vec![usize::MAX; n];
    for column in 0..n {
        let size = |k: usize| matrix[rows[k] * n + column].abs();
        let Some(best) = (next..n).max_by(|i, j| size(*i).total_cmp(&size(*j))) else { break };
        if size(best) <= SETTLED {
            is_settled[column] = true;
            continue;
        }
        rows.swap(next, best);
        let pivot = rows[next];
        pivots[column] = pivot;
        for row in &rows[next + 1..] {
            let factor = matrix[row * n + column] / matrix[pivot * n + column];
            if factor != 0.0 {
                for k in column..n {
                    matrix[row * n + k] -= factor * matrix[pivot * n + k];
                }
                right[*row] -= factor * right[pivot];
            }
        }
        next += 1;
    }
    let mut x = vec![0.0; n];
    for column in (0..n).rev().filter(|column| !is_settled[*column]) {
        let row = pivots[column];
        if row == usize::MAX {
            continue;
        }
        let known: f64 = (column + 1..n).map(|k| matrix[row * n + k] * x[k]).sum();
        x[column] = (right[row] - known) / matrix[row * n + column];
    }
    right.copy_from_slice(&x);
}
