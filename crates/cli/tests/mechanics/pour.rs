//! 100 spheres poured into a box come to rest under every impact law.

use granule_scene::packaged_text;
use granule_solver::Law;

use crate::support::{Judge, Scene};

/// The packaged scene with another law.
fn poured(law: &str) -> Scene {
    let text = packaged_text("pour-spheres-100").expect("a packaged scene");
    Scene::from_text(text.replace("[law.etm]", &format!("[law.{law}]")))
}

#[test]
fn spheres_come_to_rest_under_every_law() {
    let mut judge = Judge::default();
    for law in Law::NAMES {
        let results = poured(law).run();
        println!(
            "{law}: rest after {:.2} s, fallbacks {}, clusters {}",
            results.number("/simulated_seconds"),
            results.number("/impacts/fallbacks"),
            results.number("/impacts/resolved"),
        );
        assert_eq!(results.summary["at_rest"], true, "{law}");
        judge.at_most("largest overlap", law, results.number("/largest_overlap"), 0.01);
        judge.at_most("bodies lost", law, results.number("/bodies_lost"), 0.0);
        judge.at_most("correction work", law, results.number("/correction_work"), 2e-3);
        judge.at_most("stage gain", law, results.number("/stage_gain"), 1e-12);
        let star = results.column("energy_star");
        let (first, last) = (star[0], star[star.len() - 1]);
        judge.at_most("energy kept", law, last / first, 1.0);
        // What a law refuses is counted: all but the one that reverses opening contacts answer nearly always.
        let resolved = results.number("/impacts/resolved");
        let most = if law == "smm" { 1.0 } else { 0.05 };
        let share = results.number("/impacts/fallbacks") / (resolved + results.number("/impacts/fallbacks")).max(1.0);
        judge.at_most("share of fallbacks", law, share, most);
    }
    judge.finish();
}
