//! Memory and time of a grid of a wavy terrain, 2000 x 2000 x 200 cells, and nanoseconds per question.
//!
//! `cargo run --release -p granule-levelset --example terrain_memory`

use std::hint::black_box;
use std::time::Instant;

use granule_levelset::{LevelSet, Storage};
use granule_model::{Aabb, DVec3};

/// Spacing \[m\].
const SPACING: f64 = 0.01;
/// Largest slope of the terrain.
const SLOPE: f64 = 0.9;

/// How often each time is taken.
const REPEATS: usize = 40;

/// Height of the terrain \[m\].
fn height(x: f64, y: f64) -> f64 {
    0.6 * libm::sin(0.9 * x) * libm::cos(0.7 * y) + 0.06 * libm::sin(4.0 * x + 2.0 * y)
}

fn main() {
    let bounds = Aabb::new(DVec3::new(0.0, 0.0, -1.0), DVec3::new(20.0, 20.0, 1.0));
    let steepness = (1.0 + SLOPE * SLOPE).sqrt();
    for storage in [Storage::F32, Storage::I16] {
        for band in [3, 4] {
            let start = Instant::now();
            let distance = |p: DVec3| (p.z - height(p.x, p.y)) / steepness;
            let set = LevelSet::from_function(bounds, SPACING, band, storage, distance).expect("a terrain");
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{storage:?}, band {band}: {:.1} MB in {seconds:.2} s, peak resident {:.0} MB",
                set.bytes() as f64 * 1e-6,
                peak_megabytes()
            );
            time("sample", |p| set.sample(p).map_or(0.0, |s| s.value));
            time("smooth", |p| set.smooth(p).map_or(0.0, |s| s.value));
            time("bound ", |p| set.bound(p));
        }
    }
}

/// Prints nanoseconds per question at random places near the surface, all over it and within the size of a grain.
fn time(name: &str, ask: impl Fn(DVec3) -> f64) {
    let mut seed = 1u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut place = |around: (f64, f64), reach: f64| {
        let (x, y) = (around.0 + reach * next(), around.1 + reach * next());
        DVec3::new(x, y, height(x, y) + SPACING * (next() - 0.5))
    };
    let scattered: Vec<_> = (0..200_000).map(|_| place((0.1, 0.1), 19.0)).collect();
    let together: Vec<_> = (0..10_000).map(|_| place((5.0, 5.0), 0.2)).collect();
    let nanoseconds = |points: &[DVec3]| {
        let once = || {
            let start = Instant::now();
            black_box(points.iter().map(|&p| ask(p)).sum::<f64>());
            start.elapsed().as_secs_f64()
        };
        // The least of several: the machine may be busy with other things.
        (0..REPEATS).map(|_| once()).fold(f64::INFINITY, f64::min) * 1e9 / points.len() as f64
    };
    println!(
        "    {name}: {:.0} ns scattered, {:.0} ns close together",
        nanoseconds(&scattered),
        nanoseconds(&together)
    );
}

/// Largest memory of the process so far \[MB\]; not a number where the system does not tell.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).map_or(f64::NAN, |kb| kb * 1.024e-3)
}
