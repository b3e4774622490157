//! Random scenes: the generator, the judge and its negative controls, and a set of seeds that is run as users run theirs.

use granule_validation::random::{Bounds, RandomScene, run};

/// What starts inside each other, or outside the room, would be blamed on the engine. No gap is smaller than 2 % of the smaller radius.
#[test]
fn nothing_overlaps_and_nothing_is_outside_at_the_start() {
    for seed in 0..400 {
        let scene = RandomScene { steps: 0, ..RandomScene::new(seed) };
        let report = run(&scene, &Bounds::default());
        assert_eq!(report.error, None, "seed {seed}");
        assert_eq!(report.lost, [""; 0], "seed {seed}");
        assert!(report.overlap_thin == 0.0, "seed {seed}: {:.1e}, {}", report.overlap_thin, report.overlap_note);
    }
}
