//! Prints what a rebuild costs on one thread: `cargo run --release -p granule-broadphase --example timing`.

use granule_broadphase::{BroadPhase, BroadPhaseInput, PairList};
use granule_model::{Aabb, DVec3};
use std::time::Instant;

/// Spheres on a face-centred lattice, jittered a little, in index order along x, y, z.
fn packed(count: usize, radius: impl Fn(usize) -> f64) -> Vec<Aabb> {
    let side = (count as f64).cbrt().ceil() as usize;
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let place = |i: usize| DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
    (0..count)
        .map(|i| {
            // Spacing chosen for a packing fraction of 0.6 of unit-diameter spheres.
            let center = 0.9554 * place(i) + 0.1 * DVec3::new(noise(), noise(), noise());
            Aabb::new(center - radius(i), center + radius(i))
        })
        .collect()
}

fn report(label: &str, boxes: &[Aabb]) {
    for round in [false, true] {
        report_as(if round { "balls" } else { "boxes" }, label, boxes, &vec![round; boxes.len()]);
    }
}

fn report_as(kind: &str, label: &str, boxes: &[Aabb], round: &[bool]) {
    let flags = vec![true; boxes.len()];
    let input = BroadPhaseInput { boxes, movable: &flags, present: &flags, round, origin: DVec3::ZERO };
    let (reach, padding) = (vec![0.01; boxes.len()], vec![0.05; boxes.len()]);
    let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
    let (mut best, mut kept) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..20 {
        list.invalidate();
        let start = Instant::now();
        broad_phase.update(&mut list, &input, &reach, &padding);
        best = best.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        broad_phase.update(&mut list, &input, &reach, &padding);
        kept = kept.min(start.elapsed().as_secs_f64());
    }
    let pairs = list.pairs().len();
    println!(
        "{label}, {kind}: {} bodies, {pairs} pairs, rebuild {:.3} ms, kept {:.3} ms",
        boxes.len(),
        1e3 * best,
        1e3 * kept
    );
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
    pool.install(|| {
        report("equal spheres", &packed(10_000, |_| 0.5));
        report("equal spheres", &packed(100_000, |_| 0.5));
        // One in a thousand is ten, one in ten thousand fifty times the size of the rest.
        let sizes = |i: usize| {
            0.5 * if i % 10_000 == 77 {
                50.0
            } else if i % 1000 == 7 {
                10.0
            } else {
                0.7
            }
        };
        report("mixed sizes", &packed(10_000, sizes));
        let power_law = |i: usize| 0.2 / ((i as f64 * 0.618_033_988_75).fract() + 1e-6).powf(1.0 / 2.5).max(0.01);
        report("power law up to 100:1", &packed(10_000, |i| power_law(i).min(20.0)));
    });
}
