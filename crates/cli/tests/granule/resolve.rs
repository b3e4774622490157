//! `granule resolve`: known impulses through the program, the object it prints, and what it refuses.

use serde_json::Value;

use crate::support::{call, folder, write};

/// Two balls of 25 mm and 7850 kg/m3 that meet head-on in the direction (1, 1, 1), their centres apart along (1, 1, 0):
/// the first binary collision of the RBSS thesis, table 5.1.
const BINARY: &str = "[law.rbss]\n\
    [materials.steel]\ndensity = 7850.0\nrestitution = 0.9\ntangential_restitution = 0.9\nstatic_friction = 0.15\n\
    [shapes.ball]\nsphere.radius = 0.025\n\
    [[body]]\nshape = \"ball\"\nmaterial = \"steel\"\nposition = [0.0, 0.0, 0.0]\nvelocity = [1.0, 1.0, 1.0]\n\
    [[body]]\nshape = \"ball\"\nmaterial = \"steel\"\nposition = [0.03535533905932738, 0.035355339059327376, 0.0]\n\
    velocity = [-1.0, -1.0, -1.0]\n";

fn resolved(scene: &str, options: &[&str]) -> Value {
    let folder = folder();
    write(folder.path(), "pair.toml", scene);
    let ended = call(folder.path(), &[&["resolve", "pair.toml", "--json"], options].concat()).expect(0);
    assert!(ended.err.is_empty(), "{}", ended.err);
    serde_json::from_str(&ended.out).expect("one JSON object and nothing else")
}

fn vector(value: &Value) -> [f64; 3] {
    serde_json::from_value(value.clone()).expect("three numbers")
}

#[test]
fn the_impulses_of_the_thesis() {
    let answer = resolved(BINARY, &[]);
    assert_eq!(answer["law"], "rbss");
    let contact = &answer["contacts"][0];
    assert_eq!((&contact["a"], &contact["b"], &contact["state"]), (&0.into(), &1.into(), &"slip".into()));
    let normal = contact["normal_impulse"].as_f64().expect("a number");
    // Measured: 2e-11 relative.
    assert!((normal / 1.3805333130 - 1.0).abs() <= 1e-9, "{normal}");
    let [x, y, z] = vector(&contact["tangential_impulse"]);
    assert!((z / -0.2070799969 - 1.0).abs() <= 1e-9 && x.hypot(y) <= 1e-12, "{x} {y} {z}");
    let [before, after] = ["before", "after"].map(|key| answer["energy"][key].as_f64().expect("a number"));
    let work: f64 = contact["work_taken"].as_f64().expect("a number");
    assert!((before - after - work).abs() <= 1e-14 * before, "{before} {after} {work}");
    let speed = vector(&answer["momentum"]["after"]).map(f64::abs).into_iter().fold(0.0, f64::max);
    assert!(speed <= 1e-15, "the momentum of the pair is zero: {speed:e}");
    assert_eq!(answer["resolution"]["converged"], true);
}

#[test]
fn the_law_on_the_command_line_comes_first() {
    for law in ["sqm", "smm", "etm", "etm-weighted", "rbss-linear", "lcp", "gr", "qce", "qce-lcp"] {
        let answer = resolved(BINARY, &["--law", law]);
        assert_eq!(answer["law"], law);
        let push = answer["contacts"][0]["normal_impulse"].as_f64().expect("a number");
        // Two balls do not couple normal and tangential motion: every law gives (1 + e) m |u_n| / 2.
        assert!((push / 1.3805333130 - 1.0).abs() <= 1e-9, "{law}: {push}");
    }
    // The scene's parameters hold when the scene's law is named, and the defaults when another is: fewer steps, fewer
    // impulses.
    let coarse = BINARY.replace("[law.rbss]", "[law.etm-weighted]\nalpha = 7");
    let iterations = |scene: &str| resolved(scene, &["--law", "etm-weighted"])["resolution"]["iterations"].as_u64();
    assert!(iterations(&coarse) < iterations(BINARY), "{:?} {:?}", iterations(&coarse), iterations(BINARY));
}

/// Tang's boxes of section 7.2, a quarter of the faces overlapping: four corners that approach alike, so the sequential
/// laws depend on the order of contacts. Values of the independent code behind `data/reference/r4_boxes_etm.json`,
/// which has them in turn round the face from the least corner.
const BOXES: &str = "[shapes.block]\ncuboid.size = [2.0, 2.0, 1.0]\n\
    [materials.stiff]\ndensity = 1.0\nrestitution = 1.0\nstatic_friction = 0.0\n\
    [[body]]\nshape = \"block\"\nmaterial = \"stiff\"\nposition = [1.5, 0.0, 1.0]\nvelocity = [0.0, 0.0, -10.0]\n\
    [[body]]\nshape = \"block\"\nmaterial = \"stiff\"\nposition = [0.0, 0.0, 0.0]\nkind = \"static\"\n";

#[test]
fn laws_that_take_contacts_in_turn_take_them_round_the_face() {
    let sequential = ([0.0, 0.0, -1.206896551724138], [4.551724137931036, 14.689655172413794, 0.0]);
    let tracked = ([0.0, 0.0, 2.356963924605657], [0.3287494963675799, 15.051885407087552, 0.0]);
    for (law, (velocity, spin)) in [("sqm", sequential), ("etm", tracked)] {
        let answer = resolved(BOXES, &["--law", law]);
        let body = &answer["bodies"][0];
        let found = [vector(&body["velocity"]), vector(&body["angular_velocity"])].concat();
        let off = found.iter().zip(velocity.iter().chain(&spin)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        // Measured 2e-15; 9.4 and 0.43 in the order in which the kernel finds the corners.
        assert!(off <= 1e-12, "{law}: {found:?}");
        assert_eq!(answer["bodies"][1]["id"], 1, "static bodies keep their ids");
    }
}

#[test]
fn balls_that_are_apart_are_left_alone() {
    let answer = resolved(&BINARY.replace("0.03535533905932738", "0.0354"), &[]);
    assert_eq!(answer["contacts"].as_array().map(Vec::len), Some(0));
    assert_eq!(vector(&answer["bodies"][0]["velocity"]), [1.0, 1.0, 1.0]);
}

/// Nothing to resolve: a scene without bodies is a mistake.
#[test]
fn a_scene_without_bodies_is_refused() {
    let folder = folder();
    write(folder.path(), "empty.toml", "[law.qce]\n");
    let ended = call(folder.path(), &["resolve", "empty.toml", "--json"]).expect(2);
    assert!(ended.out.is_empty() && ended.err.contains("no bodies"), "{} {}", ended.out, ended.err);
}

/// The same scene runs: two steps with its law, which the summary names.
#[test]
fn runs_take_the_law_of_the_scene_and_an_unknown_one_is_refused() {
    let folder = folder();
    write(folder.path(), "pair.toml", &format!("[run]\nduration = 0.002\ntime_step = 0.001\n{BINARY}"));
    call(folder.path(), &["run", "pair.toml", "--out", "results", "--quiet"]).expect(0);
    let summary = std::fs::read_to_string(folder.path().join("results/summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!((&summary["impacts"]["law"], &summary["impacts"]["resolved"]), (&"rbss".into(), &1.into()), "{summary}");
    let ended = call(folder.path(), &["resolve", "pair.toml", "--law", "penalty"]).expect(2);
    assert!(ended.err.contains("penalty") && ended.err.contains("rbss-linear"), "{}", ended.err);
}
