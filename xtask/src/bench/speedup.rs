//! How much faster a workload runs on several threads, beside a loop of pure arithmetic on as many.
//!
//! Cores are shared with other users of a machine, and with each other where they are half of one: two threads of
//! arithmetic alone are seldom twice as fast as one. What the threads of a workload bring is therefore held against
//! what that loop brought in the same minute.

use std::hint::black_box;
use std::time::Instant;

use super::row::Row;

/// Rounds of the loop: a tenth of a second or two.
const ROUNDS: u64 = 50_000_000;

/// Speed-up of pure arithmetic by `threads` threads: the time of one that does the work alone, times their number, over
/// the time of all when each does the same work.
pub(super) fn of_arithmetic(pool: &rayon::ThreadPool, threads: u16) -> f64 {
    if threads <= 1 {
        return 1.0;
    }
    let alone = Instant::now();
    black_box(arithmetic(ROUNDS));
    let alone = alone.elapsed().as_secs_f64();
    let together = Instant::now();
    pool.broadcast(|_| black_box(arithmetic(ROUNDS)));
    f64::from(threads) * alone / together.elapsed().as_secs_f64()
}

/// A chain of multiplications and additions that needs no memory.
fn arithmetic(rounds: u64) -> f64 {
    let mut x = [0.1, 0.2, 0.3, 0.4];
    for _ in 0..black_box(rounds) {
        x = x.map(|x| 0.999_999 * x + 1e-7);
    }
    x.iter().sum()
}

/// The rows of several threads beside those of the same workload on one; none where there is no such pair.
pub(super) fn table(rows: &[Row]) -> Option<String> {
    let alone = |row: &&Row| rows.iter().find(|one| one.threads == 1 && one.workload == row.workload);
    let pairs = rows.iter().filter(|row| row.threads > 1).filter_map(|row| Some((alone(&row)?, row)));
    let lines: Vec<String> = pairs.map(|(one, row)| line(one, row)).collect();
    (!lines.is_empty()).then(|| format!("{}\n{}", head(), lines.join("\n")))
}

fn head() -> String {
    let title = "speed-up by threads in elapsed time, and over that of pure arithmetic (/a) in the same run; whole: all steps,\n\
                 contact: a contact and sweep of the contact stage";
    let names = ["falling", "settled", "whole", "contact"];
    let own: String = names.map(|name| format!("{name:>9}")).concat();
    let over: String = names.map(|name| format!("{:>11}", format!("{name}/a"))).concat();
    format!("{title}\n{:<30}{:>4}{own}{:>12}{over}", "workload", "thr", "arithmetic")
}

fn line(one: &Row, row: &Row) -> String {
    let pure = row.arithmetic_speed_up;
    let times = |row: &Row| {
        let (whole, contact) = (row.wall_seconds_per_simulated_second, row.swept.ns_per_update);
        [row.wall_ms_per_step_falling, row.wall_ms_per_step_settled, whole, contact]
    };
    let ratios: Vec<Option<f64>> = times(one).into_iter().zip(times(row)).map(|(one, many)| ratio(one, many)).collect();
    let own: String = ratios.iter().map(|x| format!("{:>9}", figure(*x))).collect();
    let over: String = ratios.iter().map(|x| format!("{:>11}", figure(x.map(|x| x / pure)))).collect();
    format!("{:<30}{:>4}{own}{pure:>12.2}{over}", row.workload, row.threads)
}

/// None where there was no such step to time.
fn ratio(one: f64, many: f64) -> Option<f64> {
    (one > 0.0 && many > 0.0).then_some(one / many)
}

fn figure(x: Option<f64>) -> String {
    x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_held_against_arithmetic() {
        let row = |threads, falling, arithmetic_speed_up| Row {
            workload: "a".to_owned(),
            threads,
            wall_ms_per_step_falling: falling,
            wall_ms_per_step_settled: 2.0 * falling,
            wall_seconds_per_simulated_second: 3.0 * falling,
            arithmetic_speed_up,
            ..Row::default()
        };
        assert_eq!(table(&[row(1, 3.0, 1.0)]), None);
        assert_eq!(table(&[row(2, 3.0, 1.0)]), None, "nothing to compare with");
        let text = table(&[row(1, 3.0, 1.0), row(2, 2.0, 1.25)]).expect("a pair");
        let figures: Vec<&str> = text.lines().last().expect("a line").split_whitespace().skip(2).collect();
        assert_eq!(figures, ["1.50", "1.50", "1.50", "-", "1.25", "1.20", "1.20", "1.20", "-"]);
        // A gas never falls, and is timed as one that has settled.
        let gas = |threads| Row { wall_ms_per_step_falling: 0.0, ..row(threads, 3.0 / f64::from(threads), 2.0) };
        let text = table(&[gas(1), gas(2)]).expect("a pair");
        let line = text.lines().last().expect("a line");
        assert!(
            line.split_whitespace().skip(2).eq(["-", "2.00", "2.00", "-", "2.00", "-", "1.00", "1.00", "-"]),
            "{text}"
        );
        let lengths: Vec<usize> = text.lines().skip(2).map(str::len).collect();
        assert_eq!(lengths, [lengths[0]; 2], "{text}");
    }

    #[test]
    fn arithmetic_on_one_thread_is_its_own_measure() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        assert_eq!(of_arithmetic(&pool(1), 1), 1.0);
        // Whatever the machine has to spare: at worst the two take turns.
        let two = of_arithmetic(&pool(2), 2);
        assert!(two > 0.2 && two < 4.0, "{two}");
    }
}
