//! What the sweeps of the contact stage cost, to be held against the roofs of the machine.

use granule_engine::{Phase, StepReport, SweepCounts};
use serde::Serialize;

use super::row::Row;

/// What the contact stage cost in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct SweepFigures {
    /// Contacts that were solved in a step, in the mean; in a step that is divided as often as they are.
    pub(crate) contacts_solved: f64,
    /// Sweeps over a contact when it was solved, in the mean: those of islands weighed by their contacts.
    pub(crate) sweeps_per_contact: f64,
    /// Elapsed time of phase `contact` for a contact and sweep \[ns\].
    pub(crate) ns_per_update: f64,
    /// Bytes that a sweep reads and writes for a contact; see [`SweepCounts::bytes`].
    pub(crate) bytes_per_update: f64,
    /// These bytes over the elapsed time of phase `contact` \[GB/s\].
    pub(crate) sweep_gigabytes_per_second: f64,
}

/// Sums over the steps of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SweepSums {
    steps: u32,
    counts: SweepCounts,
    /// Elapsed time of phase `contact` \[s\].
    seconds: f64,
}

impl SweepSums {
    /// Adds a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.counts += report.swept;
        self.seconds += report.seconds[Phase::Contact as usize];
    }

    /// The figures; zero where nothing was swept.
    pub(super) fn figures(&self) -> SweepFigures {
        let SweepCounts { contacts, updates, bytes } = self.counts;
        let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
        let [contacts, updates, bytes] = [contacts, updates, bytes].map(|x| x as f64);
        SweepFigures {
            contacts_solved: over(contacts, f64::from(self.steps)),
            sweeps_per_contact: over(updates, contacts),
            ns_per_update: over(1e9 * self.seconds, updates),
            bytes_per_update: over(bytes, updates),
            sweep_gigabytes_per_second: over(1e-9 * bytes, self.seconds),
        }
    }
}

/// The rows, one line each.
pub(super) fn table(rows: &[Row]) -> String {
    let title = "contact stage: contacts solved in a step, sweeps over each; ns of elapsed time, and bytes, for a contact and sweep;\n\
                 MB that a sweep over all of them goes through, and GB/s so";
    let head = format!(
        "{:<30}{:>4}{:>10}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "workload", "thr", "contacts", "sweeps", "ns", "B", "MB", "GB/s"
    );
    [title.to_owned(), head].into_iter().chain(rows.iter().map(line)).collect::<Vec<_>>().join("\n")
}

fn line(row: &Row) -> String {
    let s = &row.swept;
    format!(
        "{:<30}{:>4}{:>10.0}{:>9.1}{:>9.2}{:>9.1}{:>9.3}{:>9.2}",
        row.workload,
        row.threads,
        s.contacts_solved,
        s.sweeps_per_contact,
        s.ns_per_update,
        s.bytes_per_update,
        1e-6 * s.contacts_solved * s.bytes_per_update,
        s.sweep_gigabytes_per_second
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_means_over_contacts_and_sweeps() {
        let mut sums = SweepSums::default();
        assert_eq!(sums.figures(), SweepFigures::default());
        let mut report =
            StepReport { swept: SweepCounts { contacts: 100, updates: 3000, bytes: 600_000 }, ..StepReport::default() };
        report.seconds[Phase::Contact as usize] = 3e-5;
        sums.add(&report);
        report.swept.updates = 1000;
        report.seconds[Phase::Contact as usize] = 1e-5;
        sums.add(&report);
        sums.add(&StepReport::default());
        let figures = sums.figures();
        let expected = [200.0 / 3.0, 20.0, 10.0, 300.0, 30.0];
        let found = [
            figures.contacts_solved,
            figures.sweeps_per_contact,
            figures.ns_per_update,
            figures.bytes_per_update,
            figures.sweep_gigabytes_per_second,
        ];
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() <= 1e-9 * y), "{found:?}");
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let row = Row { workload: "pour-spheres-100-etm-weighted".into(), threads: 16, ..Row::default() };
        let text = table(&[row]);
        let lengths: Vec<usize> = text.lines().skip(2).map(str::len).collect();
        assert_eq!(lengths, [lengths[0], lengths[0]], "{text}");
    }
}
