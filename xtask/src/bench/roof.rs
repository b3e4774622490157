//! What the machine can do at best, measured in the same run: the roofs under which a workload's figures stand.
//!
//! Bandwidths are those of loads and stores of vectors, on all threads together: from the cache that each core has for
//! itself, from the one that they share, and from memory. Of what is written the line that a store fetches first is not
//! counted. Arithmetic is that of fused multiplications and additions, which the sweeps do without to have the same
//! bits on every machine: half of it is what they could reach. Each figure is the best of several tries, for other
//! users of the machine only ever make it less.

use std::sync::Mutex;
use std::time::Instant;

use rayon::ThreadPool;
use serde::Serialize;

use super::kernels::{Numbers, compute};

/// Bytes that are gone through: of each thread, of all together, and again of all together.
const SIZES: [usize; 3] = [250_000, 12_000_000, 256_000_000];
/// Tries for a figure.
const TRIES: usize = 5;
/// Bytes that a thread moves in a try, at least.
const MOVED: usize = 256_000_000;
/// Rounds of arithmetic in a try: some ten milliseconds.
const ROUNDS: u64 = 5_000_000;

/// What the machine can do on some of its threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Roof {
    /// Threads.
    threads: u16,
    /// Bytes that were gone through: of each thread, of all together, and again of all together.
    bytes: [usize; 3],
    /// Copied through each of these, counting what is read and what is written \[GB/s\].
    copy: [f64; 3],
    /// Read from each of them \[GB/s\].
    read: [f64; 3],
    /// Operations of fused multiplications and additions in single precision, two for each \[GFLOP/s\].
    arithmetic: f64,
}

impl Roof {
    /// The roofs of the threads of `pool`, of which there are so many.
    pub(super) fn of(pool: &ThreadPool, threads: u16) -> Self {
        let count = usize::from(threads.max(1));
        let shares = [SIZES[0], SIZES[1] / count, SIZES[2] / count];
        Roof {
            threads,
            bytes: SIZES,
            copy: shares.map(|share| 1e-9 * bandwidth(pool, share, MOVED, Numbers::copy)),
            read: shares.map(|share| 1e-9 * bandwidth(pool, share, MOVED, |numbers| numbers.read())),
            arithmetic: 1e-9 * best(pool, |_| compute(ROUNDS)),
        }
    }
}

/// Bytes a second that `pass` moves on all threads together, each of which goes through `bytes` of its own until it has
/// moved `moved` or more.
fn bandwidth(pool: &ThreadPool, bytes: usize, moved: usize, pass: impl Fn(&mut Numbers) -> f64 + Sync) -> f64 {
    let own = pool.broadcast(|_| Mutex::new(Numbers::of_bytes(bytes)));
    let passes = moved.div_ceil(bytes.max(1));
    best(pool, |k| {
        let mut own = own[k].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        (0..passes).map(|_| pass(&mut own)).sum()
    })
}

/// What all threads do in a second, in the best of the tries; `work` says what the thread of a number has done.
fn best(pool: &ThreadPool, work: impl Fn(usize) -> f64 + Sync) -> f64 {
    let rate = |_| {
        let begin = Instant::now();
        let done: f64 = pool.broadcast(|context| work(context.index())).iter().sum();
        done / begin.elapsed().as_secs_f64()
    };
    (0..TRIES).map(rate).fold(0.0, f64::max)
}

/// The roofs, one line each.
pub(super) fn table(roofs: &[Roof]) -> String {
    let title = "roofs of this machine, in GB/s and GFLOP/s of fused f32 operations: copied, and read, through so many MB,\n\
                 the fewest of each thread, the others of all together";
    let of_sizes =
        |name: &str| SIZES.map(|bytes| format!("{:>11}", format!("{name} {}", 1e-6 * bytes as f64))).concat();
    let head = format!("{:<30}{:>4}{}{}{:>11}", "roofs", "thr", of_sizes("copy"), of_sizes("read"), "GFLOP/s");
    [title.to_owned(), head].into_iter().chain(roofs.iter().map(line)).collect::<Vec<_>>().join("\n")
}

fn line(roof: &Roof) -> String {
    let figures = [roof.copy, roof.read].concat();
    let figures: String = figures.iter().chain([&roof.arithmetic]).map(|x| format!("{x:>11.1}")).collect();
    format!("{:<30}{:>4}{figures}", "this machine", roof.threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
    }

    #[test]
    fn bandwidths_and_arithmetic_are_positive_and_finite() {
        for pool in [pool(1), pool(2)] {
            for bytes in [1, 4096, 100_000] {
                let copied = bandwidth(&pool, bytes, 2 * bytes, Numbers::copy);
                let read = bandwidth(&pool, bytes, 2 * bytes, |numbers| numbers.read());
                assert!([copied, read].iter().all(|x| x.is_finite() && *x > 0.0), "{copied} and {read} of {bytes}");
            }
            let computed = best(&pool, |_| compute(1000));
            assert!(computed.is_finite() && computed > 0.0, "{computed}");
        }
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let of = |threads, x: f64| Roof { threads, bytes: SIZES, copy: [x; 3], read: [x; 3], arithmetic: x };
        let text = table(&[of(1, 12.3), of(16, 12_345.6)]);
        let lengths: Vec<usize> = text.lines().skip(2).map(str::len).collect();
        assert_eq!(lengths, [lengths[0]; 3], "{text}");
    }
}
