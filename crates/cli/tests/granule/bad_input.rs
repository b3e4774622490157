//! Every kind of bad input gives exit code 2 and one message that names the place: never a panic, never a run.

use std::path::Path;

use crate::support::{Ended, call, folder, write};

const BODY: &str = "[[body]]\nname = \"stone\"\nshape = { sphere.radius = 0.5 }\nposition = [0.0, 0.0, 1.0]\n\
                    material = { density = 2650.0, restitution = 0.3, static_friction = 0.5 }\n";

/// Runs a scene and expects exit code 2 with a message that holds each of `parts`.
fn refused(scene: &str, parts: &[&str]) -> Ended {
    refused_in(folder().path(), scene, parts)
}

fn refused_in(folder: &Path, scene: &str, parts: &[&str]) -> Ended {
    write(folder, "bad.toml", scene);
    let ended = call(folder, &["run", "bad.toml", "--out", "results"]).expect(2);
    for part in parts {
        assert!(ended.err.contains(part), "`{part}` is missing:\n{}", ended.err);
    }
    let messages = ended.err.lines().filter(|line| line.starts_with("error")).count();
    assert_eq!(messages, 1, "one message, not {messages}:\n{}", ended.err);
    assert!(ended.out.is_empty(), "{}", ended.out);
    assert!(!folder.join("results").exists(), "a refused scene leaves nothing");
    // `info` reads the same scene and must refuse it alike.
    let info = call(folder, &["info", "bad.toml"]);
    assert_eq!((info.code, info.err.as_str()), (Some(2), ended.err.as_str()));
    ended
}

fn run(rest: &str) -> String {
    format!("[run]\nduration = 1.0\n{rest}")
}

#[test]
fn an_unknown_key() {
    refused(&run(&BODY.replace("restitution", "restituton")), &["bad.toml:7:", "restituton", "did you mean"]);
}

#[test]
fn a_negative_density() {
    refused(&run(&BODY.replace("2650.0", "-2650.0")), &["bad.toml:7:", "density", "-2650"]);
}

#[test]
fn a_nan() {
    refused(&run(&BODY.replace("[0.0, 0.0, 1.0]", "[0.0, nan, 1.0]")), &["bad.toml:6:", "position"]);
}

#[test]
fn a_degenerate_hull() {
    let hull = "shape = { convex.vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]] }";
    refused(&run(&BODY.replace("shape = { sphere.radius = 0.5 }", hull)), &["bad.toml:5:", "plane"]);
}

#[test]
fn an_open_mesh_for_a_dynamic_body() {
    let folder = folder();
    write(folder.path(), "hill.stl", include_str!("../data/hill.stl"));
    let body = BODY.replace("sphere.radius = 0.5", "mesh.file = \"hill.stl\"");
    write(folder.path(), "bad.toml", &run(&body));
    let ended = call(folder.path(), &["run", "bad.toml"]).expect(2);
    assert!(ended.err.contains("bad.toml:5:") && ended.err.contains("closed"), "{}", ended.err);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_mesh_whose_triangles_contradict_each_other() {
    let folder = folder();
    // Two triangles of a square of which the second is turned over.
    let corners = ["0 0 0", "1 0 0", "1 1 0", "0 0 0", "0 1 0", "1 1 0"];
    let facet =
        |c: &[&str]| format!("facet normal 0 0 1\nouter loop\nvertex {}\nendloop\nendfacet\n", c.join("\nvertex "));
    let stl: String = corners.chunks(3).map(facet).collect();
    write(folder.path(), "floor.stl", &format!("solid floor\n{stl}endsolid floor\n"));
    let floor = BODY
        .replace("sphere.radius = 0.5", "mesh.file = \"floor.stl\"")
        .replace("stone\"", "floor\"\nkind = \"static\"");
    write(folder.path(), "bad.toml", &run(&floor));
    let ended = call(folder.path(), &["run", "bad.toml"]).expect(2);
    for part in ["bad.toml:6:", "floor.stl", "triangles 0 and 1"] {
        assert!(ended.err.contains(part), "`{part}` is missing:\n{}", ended.err);
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn bodies_that_start_inside_each_other() {
    let other = BODY.replace("stone", "brick").replace("1.0]", "1.4]");
    refused(&run(&format!("{BODY}{other}")), &["bad.toml:", "stone", "brick", "overlap"]);
    // A shallow overlap is mended, and said.
    let folder = folder();
    let near = BODY.replace("stone", "brick").replace("1.0]", "1.95]");
    write(folder.path(), "near.toml", &run(&format!("[output]\nvtk = false\npictures = \"none\"\n{BODY}{near}")));
    let ended = call(folder.path(), &["run", "near.toml"]).expect(0);
    assert!(ended.err.contains("warning") && ended.err.contains("brick"), "{}", ended.err);
}

#[test]
fn a_missing_file() {
    let folder = folder();
    for (argument, part) in
        [("no.toml", "no.toml"), ("no/such/scene", "no/such/scene"), ("repose-sphere", "repose-spheres")]
    {
        let ended = call(folder.path(), &["run", argument]).expect(2);
        assert!(ended.err.contains(part), "{}", ended.err);
    }
    refused(&run(&BODY.replace("sphere.radius = 0.5", "mesh.file = \"none.stl\"")), &["bad.toml:5:", "none.stl"]);
    // A folder is no scene, and neither is a picture.
    call(folder.path(), &["run", "."]).expect(2);
    std::fs::write(folder.path().join("image.toml"), [0xff, 0xfe, 0x00, 0x80]).expect("written");
    call(folder.path(), &["run", "image.toml"]).expect(2);
}

#[cfg(unix)]
#[test]
fn files_without_end_and_folders() {
    let folder = folder();
    let long = std::fs::File::create(folder.path().join("long.toml")).expect("created");
    long.set_len(1 << 30).expect("lengthened");
    std::fs::rename(write(folder.path(), "mesh", ""), folder.path().join("long.stl")).expect("renamed");
    let mesh = std::fs::File::options().write(true).open(folder.path().join("long.stl")).expect("opened");
    mesh.set_len(1 << 30).expect("lengthened");
    std::fs::create_dir(folder.path().join("folder.obj")).expect("made");
    for (argument, parts) in [
        ("/dev/zero", ["/dev/zero", "larger than 256 MiB"]),
        ("long.toml", ["long.toml", "larger than 256 MiB"]),
        ("folder.obj/", ["`folder.obj/`", "is a folder"]),
        (".", ["`.`", "is a folder"]),
    ] {
        let ended = call(folder.path(), &["info", argument]).expect(2);
        assert!(parts.iter().all(|part| ended.err.contains(part)), "{}", ended.err);
    }
    for (mesh, part) in [("long.stl", "larger than 512 MiB"), ("folder.obj", "a folder, but must be a file")] {
        let body = BODY.replace("sphere.radius = 0.5", &format!("mesh.file = \"{mesh}\""));
        refused_in(folder.path(), &run(&body), &["bad.toml:5:", mesh, part]);
    }
    // A pipe is read to its end.
    let script = format!("cat bad.toml | '{}' info /dev/stdin", env!("CARGO_BIN_EXE_granule"));
    write(folder.path(), "bad.toml", BODY);
    let output = std::process::Command::new("sh").current_dir(folder.path()).args(["-c", &script]).output();
    assert!(Ended::of(output.expect("sh starts")).expect(0).out.contains("1 dynamic"));
}

#[test]
fn a_scene_without_an_end() {
    let folder = folder();
    write(folder.path(), "endless.toml", BODY);
    let ended = call(folder.path(), &["run", "endless.toml"]).expect(2);
    assert!(ended.err.contains("how long"), "{}", ended.err);
    call(folder.path(), &["info", "endless.toml"]).expect(0);
}

#[test]
fn arguments_out_of_range() {
    let folder = folder();
    for line in [
        "run",
        "walk",
        "run bounce --threads 0",
        "run bounce --threads many",
        "run bounce --speed 3",
        "demo",
        "demo repose --friction nan",
        "demo repose --friction -1",
        "demo repose --shape pears",
        "demo repose --seeds 2",
        "demo repose --sweep --seeds 0",
        "demo repose --count 0",
        "demo repose --seed 18446744073709551615",
    ] {
        let ended = call(folder.path(), &line.split(' ').collect::<Vec<_>>()).expect(2);
        // Without a subcommand the help is the message.
        assert!(ended.err.contains("error") || ended.err.contains("Usage"), "{line}: {}", ended.err);
        assert!(ended.out.is_empty(), "{line}: {}", ended.out);
    }
    // A negative number is a mistake like any other: what was given, and the range.
    for (line, given, range) in [
        ("demo repose --friction -1", "'-1' for '--friction <X>'", "from 0 to 10"),
        ("demo repose --friction -0.5e0", "'-0.5e0' for '--friction <X>'", "from 0 to 10"),
        ("demo repose --steps-per-second -1", "'-1' for '--steps-per-second <N>'", "above 0 and at most"),
        ("demo repose --seed -1", "'-1' for '--seed <N>'", "a whole number from 0 to 18446744073709551615"),
        ("demo repose --count -1", "'-1' for '--count <N>'", "1..=1000000"),
        ("demo repose --sweep --seeds -1", "'-1' for '--seeds <K>'", "1..=1000"),
        ("demo repose --threads -1", "'-1' for '--threads <N>'", "1..=1024"),
        ("run bounce --threads -1", "'-1' for '--threads <N>'", "1..=1024"),
    ] {
        let ended = call(folder.path(), &line.split(' ').collect::<Vec<_>>()).expect(2);
        assert!(ended.err.contains(given) && ended.err.contains(range), "{line}: {}", ended.err);
    }
    let ended = call(folder.path(), &["run", "bounce", "--threads", "0"]);
    assert!(ended.err.contains("--threads"), "{}", ended.err);
}
