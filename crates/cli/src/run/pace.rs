//! How fast a run goes: elapsed time for simulated time, over the latest part of it.
//!
//! The cost of a step grows with the contacts, so the mean of the whole run says little of what is left. What counts
//! is the latter half of the elapsed time.

/// Marks that are kept; of more every second one is dropped.
const MOST_MARKS: usize = 64;
/// Share of the elapsed time that is looked back.
const LOOK_BACK: f64 = 0.5;

/// Elapsed and simulated times of a run.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Elapsed and simulated time \[s\], both growing.
    marks: Vec<(f64, f64)>,
}

impl Pace {
    /// Adds a mark: `elapsed` and `simulated` time since the run began \[s\].
    pub(super) fn mark(&mut self, elapsed: f64, simulated: f64) {
        if self.marks.len() == MOST_MARKS {
            let mut place = 0;
            self.marks.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        self.marks.push((elapsed, simulated));
    }

    /// Elapsed time that `left` of simulated time takes at the latest pace \[s\]; infinite where nothing is known.
    pub(super) fn time_for(&self, left: f64) -> f64 {
        let Some(&(now, time)) = self.marks.last() else { return f64::INFINITY };
        let back = self.marks.iter().rev().find(|(elapsed, _)| *elapsed <= LOOK_BACK * now);
        let &(then, before) = back.unwrap_or(&(0.0, 0.0));
        if time > before { left.max(0.0) * (now - then) / (time - before) } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_the_latest_pace() {
        let mut pace = Pace::default();
        assert_eq!(pace.time_for(1.0), f64::INFINITY);
        pace.mark(2.0, 1.0);
        assert_eq!(pace.time_for(3.0), 6.0);
        // A thousand times slower from then on: the mean of the whole run would say 10 times too little at first.
        for k in 1..=1000 {
            pace.mark(2.0 + f64::from(k), 1.0 + 1e-3 * f64::from(k));
            assert!(pace.marks.len() <= MOST_MARKS);
        }
        let exact = 1000.0;
        // The latter half holds slow steps alone; measured: equal to rounding.
        assert!((pace.time_for(1.0) / exact - 1.0).abs() <= 1e-9, "{}", pace.time_for(1.0));
        assert_eq!(pace.time_for(-1.0), 0.0);
    }
}
