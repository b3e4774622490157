//! The energy ledger in memory, for the plot: thinned as it grows, so that a run of any length costs the same.

use granule_export::EnergyRow;

/// Rows at which the history is thinned to half: still several for each pixel of a plot.
const MOST_ROWS: usize = 8192;

/// Every n-th row of the ledger, n doubling as the run goes on; and the last row.
#[derive(Debug)]
pub(crate) struct History {
    rows: Vec<EnergyRow>,
    every: u64,
    seen: u64,
    last: Option<EnergyRow>,
}

impl History {
    pub(crate) fn new() -> Self {
        History { rows: Vec::new(), every: 1, seen: 0, last: None }
    }

    pub(crate) fn push(&mut self, row: EnergyRow) {
        self.last = Some(row);
        if self.seen.is_multiple_of(self.every) {
            self.rows.push(row);
        }
        self.seen += 1;
        if self.rows.len() == MOST_ROWS {
            let mut place = 0u64;
            self.rows.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// The rows in the order of time, the newest among them.
    pub(crate) fn rows(&self) -> Vec<EnergyRow> {
        let newer = self.last.filter(|last| self.rows.last().is_none_or(|row| row.step < last.step));
        self.rows.iter().copied().chain(newer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_stays_even_and_keeps_its_ends() {
        let mut history = History::new();
        for step in 1..=100_001u64 {
            history.push(EnergyRow { step, ..EnergyRow::default() });
        }
        let rows = history.rows();
        assert!(rows.len() <= MOST_ROWS + 1 && rows.len() > MOST_ROWS / 2 - 2, "{}", rows.len());
        assert_eq!((rows[0].step, rows[rows.len() - 1].step), (1, 100_001));
        let gap = rows[1].step - rows[0].step;
        assert!(rows.windows(2).rev().skip(1).all(|w| w[1].step - w[0].step == gap));
    }
}
