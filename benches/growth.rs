//! How the time of a law grows with the number of contacts: medians of whole resolves, and the slope of their
//! logarithms.

use std::hint::black_box;
use std::time::{Duration, Instant};

use granule_solver::{ContactProblem, Law, Resolution};
use serde::Serialize;

use super::Case;

/// Longest resolve that is started, by what the sizes before let expect \[s\].
const PATIENCE: f64 = 4.0;
/// Laws whose next size cannot be told from those before, and the most contacts they are given. The Newton steps of
/// `rbss` factorise a dense matrix as soon as most contacts are closed: 9451 of them take minutes and gigabytes.
const LIMITS: [(&str, usize); 1] = [("rbss", 3000)];
/// Time for the samples of one size, within which at least one and at most [`SAMPLES`] are taken.
const BUDGET: Duration = Duration::from_millis(500);
const SAMPLES: usize = 15;
/// Contacts from which a size counts as large: below, what a resolve costs at any size is seen.
const LARGE: usize = 300;

/// A law on one size of a case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// Contacts.
    pub(crate) contacts: usize,
    /// Median time of a resolve over contacts \[ns\].
    pub(crate) ns_per_contact: f64,
    /// Samples of which that is the median.
    pub(crate) samples: usize,
    /// Rounds, for laws that have them.
    pub(crate) rounds: u32,
    /// Steps of the law's innermost loop.
    pub(crate) iterations: u64,
    /// Whether the law ended by itself.
    pub(crate) converged: bool,
}

/// A size that was not run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Skipped {
    /// Contacts.
    pub(crate) contacts: usize,
    /// Why.
    pub(crate) reason: String,
}

/// A law on all sizes of a case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Series {
    /// Law.
    pub(crate) law: &'static str,
    /// Case.
    pub(crate) case: &'static str,
    /// Sizes that were run, rising.
    pub(crate) rows: Vec<Row>,
    /// Sizes that were not.
    pub(crate) skipped: Vec<Skipped>,
    /// Growth exponent of the time of a resolve over the contacts, all sizes \[-\].
    pub(crate) exponent: Option<f64>,
    /// The same over the sizes from 300 contacts on \[-\].
    pub(crate) exponent_large: Option<f64>,
}

/// Resolves `problem` once by the law called `name`.
pub(crate) fn resolve(name: &str, problem: &ContactProblem) -> Resolution {
    let law = Law::by_name(name).expect("a name of a law");
    let solution = law.law().resolve(black_box(problem)).expect("a well-formed problem");
    black_box(solution).resolution
}

/// Times every law on every case, on sizes of up to `reach` contacts.
pub(crate) fn measure(cases: &[Case], laws: &[&'static str], reach: usize) -> Vec<Series> {
    laws.iter().flat_map(|law| cases.iter().map(|case| series(law, case, reach))).collect()
}

fn series(law: &'static str, case: &Case, reach: usize) -> Series {
    let (mut rows, mut skipped): (Vec<Row>, Vec<Skipped>) = (Vec::new(), Vec::new());
    for size in case.sizes {
        let problem = (case.problem)(size);
        let contacts = problem.contacts.len();
        if contacts > reach {
            break;
        }
        let seconds = expected(&rows, contacts);
        let reason = match skipped.is_empty() {
            true => refusal(law, contacts, seconds),
            false => Some("as the size before".to_owned()),
        };
        if let Some(reason) = reason {
            skipped.push(Skipped { contacts, reason });
            continue;
        }
        // Before the work: it says how far the bench has come.
        println!("timing {}/{law}/{contacts}, some {seconds:.1e} s each", case.name);
        rows.push(row(law, &problem));
    }
    let large: Vec<Row> = rows.iter().filter(|row| row.contacts >= LARGE).cloned().collect();
    Series { law, case: case.name, exponent: exponent(&rows), exponent_large: exponent(&large), rows, skipped }
}

/// Why a resolve that should take so many seconds is not started; none if it is.
fn refusal(law: &str, contacts: usize, seconds: f64) -> Option<String> {
    if seconds > PATIENCE {
        return Some(format!("some {seconds:.1} s expected"));
    }
    let limit = LIMITS.iter().find(|(limited, most)| *limited == law && contacts > *most)?;
    Some(format!("limited to {} contacts", limit.1))
}

fn row(law: &'static str, problem: &ContactProblem) -> Row {
    let timed = || {
        let start = Instant::now();
        let resolution = resolve(law, problem);
        (start.elapsed(), resolution)
    };
    let began = Instant::now();
    let (first, resolution) = timed();
    let mut times = vec![first];
    while times.len() < SAMPLES && began.elapsed() < BUDGET {
        times.push(timed().0);
    }
    times.sort_unstable();
    let contacts = problem.contacts.len();
    Row {
        contacts,
        ns_per_contact: 1e9 * times[times.len() / 2].as_secs_f64() / contacts as f64,
        samples: times.len(),
        rounds: resolution.rounds,
        iterations: resolution.iterations,
        converged: resolution.converged,
    }
}

impl Series {
    /// Median time of a resolve of `contacts` contacts \[s\]; none where that was not run.
    pub(crate) fn seconds(&self, contacts: usize) -> Option<f64> {
        self.rows.iter().find(|row| row.contacts == contacts).map(Row::seconds)
    }
}

impl Row {
    /// Median time of a resolve \[s\].
    fn seconds(&self) -> f64 {
        1e-9 * self.ns_per_contact * self.contacts as f64
    }
}

/// The time that a resolve of `contacts` should take, by the growth between the last two sizes, at least linear \[s\].
fn expected(rows: &[Row], contacts: usize) -> f64 {
    let Some(last) = rows.last() else { return 0.0 };
    let growth = exponent(&rows[rows.len().saturating_sub(2)..]).unwrap_or(1.0).max(1.0);
    last.seconds() * (contacts as f64 / last.contacts as f64).powf(growth)
}

/// Least-squares slope of the logarithm of the time over that of the contacts; none for less than two sizes.
fn exponent(rows: &[Row]) -> Option<f64> {
    if rows.len() < 2 {
        return None;
    }
    let points: Vec<(f64, f64)> = rows.iter().map(|row| ((row.contacts as f64).ln(), row.seconds().ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (above, below) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + (p.0 - x) * (p.1 - y), b + (p.0 - x).powi(2)));
    Some(above / below)
}
