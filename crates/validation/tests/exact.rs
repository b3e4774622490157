//! Scenes with a known answer: a set of seeds passes, and fails with a coefficient that is wrong.

use granule_engine::Stepping;
use granule_validation::exact::{ExactFamily, ExactScene};

/// Four scenes of each family.
const SEEDS: std::ops::Range<u64> = 0..48;

/// Each bound, for every seed.
#[test]
fn the_seeds_pass() {
    let mut failed = Vec::new();
    for seed in SEEDS {
        let report = ExactScene::new(seed).run(Stepping::Touch);
        if !report.passed() {
            println!("{:#?}", report);
            failed.push(seed);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Negative control: restitution, friction, moments or gravity that are wrong by a hundredth, Housner's factor by a
/// twentieth.
#[test]
fn no_seed_passes_with_a_wrong_coefficient() {
    for seed in SEEDS {
        let scene = ExactScene::new(seed);
        let wrong = if scene.family == ExactFamily::Rocking { 0.95 } else { 0.99 };
        let report = scene.misled(wrong).run(Stepping::Touch);
        assert!(!report.passed() && report.error.is_none(), "{report:#?}");
    }
}

/// Margin stepping, which takes the impacts of a step together, is off where an impact decides.
#[test]
fn margin_stepping_fails_where_impacts_decide() {
    for family in [ExactFamily::Bounce, ExactFamily::Strike, ExactFamily::Rocking] {
        let of_family = SEEDS.map(ExactScene::new).filter(|scene| scene.family == family);
        let reports: Vec<_> = of_family.map(|scene| scene.run(Stepping::Margin)).collect();
        let failed = reports.iter().filter(|report| !report.passed()).count();
        assert!(failed > 0, "{}: {failed} of {}", family.name(), reports.len());
    }
}

#[test]
fn a_seed_is_a_scene_and_its_run_has_the_same_bits() {
    for seed in [0, 5, 11] {
        let run = || ExactScene::new(seed).run(Stepping::Touch);
        assert_eq!(format!("{:?}", run()), format!("{:?}", run()));
    }
    assert_ne!(format!("{:?}", ExactScene::new(0)), format!("{:?}", ExactScene::new(12)));
}
