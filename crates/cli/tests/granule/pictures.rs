//! Pictures of runs: what they frame, and that none is blank without saying why.

use std::path::Path;

use crate::support::{call, folder, write};

const HEAD: &str = "[materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.4\n[output]\nvtk = false\nfilm = true\n";
const WEIGHTLESS: &str = "[run]\nduration = 1.0\ntime_step = 0.01\ngravity = [0.0, 0.0, 0.0]\n";

/// A ball of 1 m; `more` are further lines of its table.
fn ball(name: &str, place: [f64; 3], more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"rock\"\nshape = {{ sphere.radius = 0.5 }}\nposition = {place:?}\n{more}\n"
    )
}

/// Runs a scene in a folder of its own and expects the exit code; returns the folder.
fn run(text: &str, code: i32) -> tempfile::TempDir {
    let folder = folder();
    write(folder.path(), "a.toml", text);
    call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(code);
    assert!(std::fs::metadata(folder.path().join("results/film.gif")).is_ok_and(|m| m.len() > 1000), "no film");
    folder
}

/// Places of the pixels below the caption that are not background.
fn drawn(folder: &Path, picture: &str) -> Vec<(u32, u32)> {
    let image = image::open(folder.join("results").join(picture)).expect("a picture").to_rgb8();
    assert_eq!(image.dimensions(), (1280, 720));
    let pixels = image.enumerate_pixels().filter(|(_, y, p)| *y > 40 && p.0 != [250, 250, 250]);
    pixels.map(|(x, y, _)| (x, y)).collect()
}

/// Whether the caption is longer than the time alone, which ends before column 180.
fn caption_explains(folder: &Path, picture: &str) -> bool {
    let image = image::open(folder.join("results").join(picture)).expect("a picture").to_rgb8();
    image.enumerate_pixels().any(|(x, y, p)| x > 180 && y <= 30 && p.0[0] < 100)
}

#[test]
fn first_and_last_picture_show_the_same_part_with_all_that_moves() {
    let apart = |x: f64| ball(&format!("b{x}"), [x, 0.0, 0.0], &format!("velocity = [{:?}, 0.0, 0.0]", 5.0 * x));
    let folder = run(&format!("{WEIGHTLESS}{HEAD}{}{}", apart(-1.0), apart(1.0)), 0);
    let pictures = ["first.png", "final.png"].map(|p| drawn(folder.path(), p));
    for pixels in &pictures {
        assert!(pixels.iter().all(|(x, y)| (1..1279).contains(x) && (41..719).contains(y)), "cut at the edge");
    }
    let [first, last] = pictures.map(|p| p.len() as f64);
    assert!(first > 2000.0 && (last / first - 1.0).abs() < 0.2, "{first} {last}: another scale");
    assert!(!caption_explains(folder.path(), "final.png"));
}

#[test]
fn one_that_flies_off_does_not_shrink_the_others() {
    let rest: String = (0..5).map(|i| ball(&format!("b{i}"), [1.5 * f64::from(i), 0.0, 0.0], "")).collect();
    // Downward: the caption stands at the top.
    let shot = ball("shot", [3.0, 0.0, -2.0], "velocity = [0.0, 0.0, -900.0]");
    let folder = run(&format!("{WEIGHTLESS}{HEAD}{rest}{shot}"), 0);
    let pixels = drawn(folder.path(), "final.png").len();
    assert!(pixels > 50_000, "only {pixels} pixels show the rest");
    assert!(caption_explains(folder.path(), "final.png"), "who is missing is told");
    assert!(!caption_explains(folder.path(), "first.png"));
}

#[test]
fn a_scene_that_all_have_left_says_so() {
    let domain = "[domain]\nmin = [-5.0, -5.0, -5.0]\nmax = [5.0, 5.0, 5.0]\n";
    let gone = ball("gone", [0.0, 0.0, 0.0], "velocity = [20.0, 0.0, 0.0]");
    let folder = run(&format!("{WEIGHTLESS}{HEAD}{domain}{gone}"), 0);
    assert!(drawn(folder.path(), "first.png").len() > 10_000);
    assert_eq!(drawn(folder.path(), "final.png").len(), 0);
    assert!(caption_explains(folder.path(), "final.png"));
}

#[test]
fn a_run_that_fails_leaves_its_pictures() {
    let domain = "[domain]\nmin = [-5.0, -5.0, -5.0]\nmax = [5.0, 5.0, 5.0]\nleaving = \"error\"\n";
    let gone = ball("gone", [0.0, 0.0, 0.0], "velocity = [20.0, 0.0, 0.0]");
    let folder = run(&format!("{WEIGHTLESS}{HEAD}{domain}{gone}"), 1);
    assert!(!drawn(folder.path(), "final.png").is_empty());
}

/// Ground with a hill higher than the grains, sixteen metres wide.
const GROUND: [[f64; 3]; 5] =
    [[-8.0, -8.0, 0.0], [8.0, -8.0, 0.0], [8.0, 8.0, 0.0], [-8.0, 8.0, 0.0], [-3.0, 3.0, 4.0]];

#[test]
fn ground_of_triangles_keeps_its_form() {
    let folder = folder();
    let vertices: String = GROUND.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    write(folder.path(), "ground.obj", &format!("{vertices}f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"));
    let ground = "[[body]]\nkind = \"static\"\nmaterial = \"rock\"\nposition = [0.0, 0.0, 0.0]\nshape.mesh.file = \"ground.obj\"\n";
    let balls = ball("a", [3.0, -3.0, 2.5], "") + &ball("b", [1.0, -4.0, 2.5], "");
    write(folder.path(), "a.toml", &format!("[run]\nduration = 1.0\n{HEAD}{ground}{balls}"));
    call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    let pixels = drawn(folder.path(), "final.png");
    assert!(pixels.iter().all(|(x, y)| (1..1279).contains(x) && (41..719).contains(y)), "cut at the edge");
    // The top of the hill is a point: there are rows of few pixels at the top of what is drawn.
    let top = pixels.iter().map(|(_, y)| *y).min().expect("something is drawn");
    let width = pixels.iter().filter(|(_, y)| *y == top + 3).count();
    assert!(width < 60, "the hill is {width} pixels wide at its top");
}
