//! Cholesky's factors of a small symmetric matrix whose entries lie near the diagonal, in memory that is kept.
//!
//! Rows are stored from their first entry to the diagonal: a skyline, which the factors fill and do not leave. For the
//! chains of bodies that Newton steps are for it is a band. The sparse factors of `laws::normal::complementarity` fill
//! in less where contacts make a net, and make new lists every time; those of a library do as well.

/// A lower triangle, row by row.
#[derive(Debug, Default)]
pub(super) struct Skyline {
    /// Column of the first entry of each row.
    first: Vec<usize>,
    /// Where each row begins among the entries, less its first column.
    shift: Vec<isize>,
    entries: Vec<f64>,
}

impl Skyline {
    /// Begins with the matrix of zeros whose rows have their first entry in these columns; `None`, and nothing to work
    /// with, where the factors would take more than `most` multiplications.
    pub(super) fn lay_out(&mut self, first: impl Iterator<Item = usize>, most: usize) -> Option<()> {
        self.first.clear();
        self.shift.clear();
        let (mut end, mut work) = (0, 0);
        for (row, first) in first.enumerate() {
            self.first.push(first);
            self.shift.push(end as isize - first as isize);
            end += row - first + 1;
            work += (row - first) * (row - first) / 2;
        }
        self.entries.clear();
        if work > most {
            return None;
        }
        self.entries.resize(end, 0.0);
        Some(())
    }

    /// Sets all entries to zero.
    pub(super) fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// An entry on or below the diagonal, within the skyline.
    pub(super) fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.entries[(self.shift[row] + column as isize) as usize]
    }

    /// The entries of a row from `column` on, its diagonal last.
    fn row(&self, row: usize, column: usize) -> &[f64] {
        let at = |column: usize| (self.shift[row] + column as isize) as usize;
        &self.entries[at(column)..=at(row)]
    }

    /// Puts the factor L of `L L^T` in place of the matrix; false when it is not positive definite to rounding.
    pub(super) fn factor(&mut self) -> bool {
        for i in 0..self.first.len() {
            for j in self.first[i]..=i {
                let from = self.first[i].max(self.first[j]);
                let (x, y) = (self.row(i, from), self.row(j, from));
                let sum: f64 = x.iter().zip(y).take(j - from).map(|(x, y)| x * y).sum();
                let rest = *self.at(i, j) - sum;
                *self.at(i, j) = if i > j {
                    rest / *self.at(j, j)
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return false;
                };
            }
        }
        true
    }

    /// Solves with the factor, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            let row = self.row(i, self.first[i]);
            let sum: f64 = row.iter().zip(&x[self.first[i]..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - sum) / row[i - self.first[i]];
        }
        for i in (0..x.len()).rev() {
            let row = self.row(i, self.first[i]);
            x[i] /= row[i - self.first[i]];
            let known = x[i];
            row.iter().zip(&mut x[self.first[i]..i]).for_each(|(l, x)| *x -= l * known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::Random;

    #[test]
    fn a_system_is_solved_within_its_skyline() {
        let first = [0, 0, 1, 0, 3, 2, 5];
        let mut random = Random::new(11);
        let mut full = [[0.0; 7]; 7];
        for (i, first) in first.into_iter().enumerate() {
            for j in first..=i {
                full[i][j] = if i == j { 4.0 } else { random.between(-1.0, 1.0) };
                full[j][i] = full[i][j];
            }
        }
        let mut skyline = Skyline::default();
        skyline.lay_out(first.into_iter(), 100).expect("it is small");
        for (i, first) in first.into_iter().enumerate() {
            (first..=i).for_each(|j| *skyline.at(i, j) = full[i][j]);
        }
        assert!(skyline.factor());
        let exact: Vec<f64> = (0..7).map(|_| random.between(-1.0, 1.0)).collect();
        let mut x: Vec<f64> = full.iter().map(|row| row.iter().zip(&exact).map(|(a, x)| a * x).sum()).collect();
        skyline.solve(&mut x);
        let worst = x.iter().zip(&exact).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        // Measured 2e-16.
        assert!(worst < 2e-15, "{worst:e}");
    }

    #[test]
    fn what_is_not_positive_definite_or_too_large_is_refused() {
        let mut skyline = Skyline::default();
        assert!(skyline.lay_out([0, 0, 0].into_iter(), 2).is_some());
        (0..3).for_each(|i| (0..=i).for_each(|j| *skyline.at(i, j) = 1.0));
        assert!(!skyline.factor(), "a matrix of ones is of rank one");
        assert!(skyline.lay_out([0, 0, 0].into_iter(), 1).is_none());
    }
}
