//! Time of the impact laws against the number of contacts: chains hit at one end, cubic packings hit from above, and
//! the same packings stirred.
//!
//! `cargo bench -p granule-benches --bench laws`, with names of laws behind `--` for only these. Each law is timed up
//! to ten thousand contacts or as far as its patience goes, criterion watches three of the sizes, and at the end the
//! table with its growth exponents is printed and written to `target/bench/laws.json`.

mod growth;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use granule_model::{Coefficients, DVec3};
use granule_solver::{ContactProblem, Law, samples};
use growth::Series;

/// Every contact, also for laws that know no friction: they say so and ignore it.
const GRAIN: Coefficients =
    Coefficients { restitution: 0.5, static_friction: 0.3, dynamic_friction: 0.3, ..Coefficients::BARE };

/// A way to make a problem of any size.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    /// Sizes from about 10 to about 10 000 contacts, in steps of about the root of ten.
    sizes: [usize; 7],
    problem: fn(usize) -> ContactProblem,
}

const CASES: [Case; 3] = [
    Case { name: "chain", sizes: [10, 32, 100, 316, 1000, 3162, 10_000], problem: chain },
    // Balls along an edge: 13, 55, 145, 301, 883, 2701 and 9451 contacts.
    Case { name: "packing", sizes: [2, 3, 4, 5, 7, 10, 15], problem: |n| samples::packing(n, GRAIN) },
    // What a fast ball hits is a few contacts of a packing, however large; here most of them take part.
    Case { name: "stirred", sizes: [2, 3, 4, 5, 7, 10, 15], problem: stirred },
];

/// A ball of 1 m/s that hits `contacts` others of its mass in a row.
fn chain(contacts: usize) -> ContactProblem {
    let mut velocities = vec![0.0; contacts + 1];
    velocities[0] = 1.0;
    samples::chain(&vec![1.0; contacts + 1], &velocities, GRAIN)
}

/// The packing with every ball on a way of its own: components up to 1 m/s, drawn by a linear congruential generator.
fn stirred(n: usize) -> ContactProblem {
    let mut problem = samples::packing(n, GRAIN);
    let mut state: u64 = 1;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    problem.bodies.iter_mut().for_each(|b| b.velocity.linear = DVec3::new(draw(), draw(), draw()));
    problem
}

/// Contacts up to which a size is run when only asked whether it runs.
const SMALLEST: usize = 20;
/// Which of a case's sizes criterion watches: about 10, 100 and 1000 contacts.
const WATCHED: [usize; 3] = [0, 2, 4];
/// Longest resolve that criterion watches \[s\]: ten samples of longer ones would take minutes.
const WATCHABLE: f64 = 0.05;

fn watch(criterion: &mut Criterion, series: &[Series]) {
    for case in CASES {
        let mut group = criterion.benchmark_group(case.name);
        group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(300));
        for size in WATCHED.map(|k| case.sizes[k]) {
            let problem = (case.problem)(size);
            let contacts = problem.contacts.len();
            for s in series.iter().filter(|s| s.case == case.name) {
                if s.seconds(contacts).is_none_or(|seconds| seconds > WATCHABLE) {
                    println!("{}/{}/{contacts}: skipped, one resolve takes too long", case.name, s.law);
                    continue;
                }
                group.bench_with_input(BenchmarkId::new(s.law, contacts), &problem, |bencher, problem| {
                    bencher.iter(|| growth::resolve(s.law, problem));
                });
            }
        }
        group.finish();
    }
}

/// The workspace's `target/bench/laws.json`; cargo names the package's folder at run time.
fn file() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    folder.join("../target/bench/laws.json")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named: Vec<&str> = Law::NAMES.into_iter().filter(|name| arguments.iter().any(|a| a == name)).collect();
    let laws = if named.is_empty() { Law::NAMES.to_vec() } else { named };
    // Without `--bench` cargo only asks whether the benchmarks run at all.
    let reach = if arguments.iter().any(|a| a == "--bench") { usize::MAX } else { SMALLEST };
    let series = growth::measure(&CASES, &laws, reach);
    // Criterion would take the name of a law for a filter of its own, and of several names the last.
    let only_names = arguments.iter().all(|a| a == "--bench" || laws.contains(&a.as_str()));
    let criterion = Criterion::default();
    let mut criterion = if only_names && reach > SMALLEST { criterion } else { criterion.configure_from_args() };
    watch(&mut criterion, &series);
    criterion.final_summary();
    println!("\n{}", table::text(&series));
    if reach > SMALLEST {
        let path = file();
        match table::write(&path, &series) {
            Ok(()) => println!("rows in {}", path.display()),
            Err(error) => eprintln!("cannot write {}: {error}", path.display()),
        }
    }
}
