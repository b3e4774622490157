//! Whether runs of one workload end in the same state, bit for bit: on other numbers of threads, and in an earlier run.

use super::BenchError;
use super::baseline::Past;
use super::row::Row;

/// Number of comparisons of final states that were made, all of which agreed.
///
/// # Errors
/// [`BenchError::Hashes`] with the rows that differ; [`BenchError::NoHashes`] where there was nothing to compare, which
/// would otherwise pass for agreement.
pub(crate) fn check(rows: &[Row], past: &[Past]) -> Result<usize, BenchError> {
    let mut compared = 0;
    let mut differing = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let others = rows[..i].iter().find(|other| other.workload == row.workload);
        let others = others.map(|other| (other.state_hash.as_str(), format!("on {} threads", other.threads)));
        let earlier = past.iter().filter(|then| then.is_like(row));
        let earlier = earlier.map(|then| (then.state_hash.as_str(), format!("in the baseline on {}", then.threads)));
        for (hash, place) in others.into_iter().chain(earlier) {
            compared += 1;
            if hash != row.state_hash {
                let Row { workload, threads, state_hash, .. } = row;
                differing.push(format!("{workload} on {threads} threads: {state_hash}, {place}: {hash}"));
            }
        }
    }
    match (compared, differing.is_empty()) {
        (0, _) => Err(BenchError::NoHashes),
        (_, true) => Ok(compared),
        (_, false) => Err(BenchError::Hashes(differing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(workload: &str, threads: u16, hash: &str) -> Row {
        Row { workload: workload.into(), threads, state_hash: hash.into(), simulated_seconds: 6.0, ..Row::default() }
    }

    fn past(workload: &str, threads: u16, hash: &str) -> Past {
        Past { workload: workload.into(), threads, state_hash: hash.into(), simulated_seconds: 6.0, ..Past::default() }
    }

    fn differing(rows: &[Row], past: &[Past]) -> Vec<String> {
        match check(rows, past) {
            Err(BenchError::Hashes(rows)) => rows,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_states_are_counted() {
        let rows = [row("a", 1, "f0"), row("a", 2, "f0"), row("b", 1, "07")];
        assert_eq!(check(&rows, &[]).ok(), Some(1));
        // The state does not depend on the threads, so every row of the workload counts.
        assert_eq!(check(&rows, &[past("a", 8, "f0"), past("c", 1, "00")]).ok(), Some(3));
    }

    #[test]
    fn rows_that_differ_are_named() {
        let rows = [row("a", 1, "f0"), row("a", 2, "f1"), row("b", 1, "07")];
        assert_eq!(differing(&rows, &[]), ["a on 2 threads: f1, on 1 threads: f0"]);
        let found = differing(&rows[2..], &[past("b", 1, "08"), past("a", 1, "f7")]);
        assert_eq!(found, ["b on 1 threads: 07, in the baseline on 1: 08"]);
    }

    #[test]
    fn nothing_to_compare_is_no_agreement() {
        assert!(matches!(check(&[row("a", 1, "f0")], &[]), Err(BenchError::NoHashes)));
        let quick = Past { simulated_seconds: 3.0, ..past("a", 1, "f1") };
        assert!(matches!(check(&[row("a", 1, "f0")], &[quick]), Err(BenchError::NoHashes)));
    }
}
