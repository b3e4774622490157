//! `granule terrain`: facts, conversions there and back, and what is refused.

use serde_json::Value;

use crate::support::{call, folder, write};

/// Three columns and two rows, one cell missing.
const SMALL: &str =
    "ncols 3\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 2\nNODATA_value -9999\n4 5.25 6.5\n1 2 -9999\n";

#[test]
fn the_facts_of_a_raster() {
    let folder = folder();
    write(folder.path(), "a.asc", SMALL);
    let ended = call(folder.path(), &["terrain", "info", "a.asc"]).expect(0);
    for words in ["ESRI ASCII grid", "3 x 2 of 2 m x 2 m", "x 10 to 16 m", "1 cell, 16.67 %", "column 2, row 0"] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
    let ended = call(folder.path(), &["terrain", "info", "a.asc", "--json"]).expect(0);
    let facts: Value = serde_json::from_str(&ended.out).expect("one JSON object and nothing else");
    assert_eq!((&facts["missing"], &facts["height_max"], &facts["plan_area"]), (&1.into(), &6.5.into(), &20.0.into()));
    assert_eq!(facts["first_missing_at"], serde_json::json!([15.0, 21.0]));
}

#[test]
fn a_raster_comes_back_from_tiff_as_it_was() {
    let folder = folder();
    write(folder.path(), "a.asc", SMALL);
    call(folder.path(), &["terrain", "convert", "a.asc", "a.tif"]).expect(0);
    call(folder.path(), &["terrain", "convert", "a.tif", "b.asc"]).expect(0);
    let back = std::fs::read_to_string(folder.path().join("b.asc")).expect("written");
    assert_eq!(back, SMALL);
}

#[test]
fn a_raster_comes_back_from_meshes_and_nothing_is_overwritten() {
    let folder = folder();
    let whole = SMALL.replace("2 -9999\n", "2 3\n");
    write(folder.path(), "a.asc", &whole);
    for mesh in ["a.obj", "a.stl"] {
        call(folder.path(), &["terrain", "convert", "a.asc", mesh]).expect(0);
        let back = ["terrain", "convert", mesh, "b.asc", "--resample", "2", "--force"];
        let ended = call(folder.path(), &back).expect(0);
        assert!(ended.out.contains("0 cells of 6 without surface"), "{}", ended.out);
        assert_eq!(std::fs::read_to_string(folder.path().join("b.asc")).expect("written"), whole);
    }
    let ended = call(folder.path(), &["terrain", "convert", "a.obj", "b.asc", "--resample", "1"]).expect(2);
    assert!(ended.err.contains("--force"), "{}", ended.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("b.asc")).expect("still there"), whole);
}

#[test]
fn cut_and_filled() {
    let folder = folder();
    write(folder.path(), "a.asc", SMALL);
    let options = ["terrain", "convert", "a.asc", "b.asc", "--crop", "12", "20", "16", "24"];
    let ended = call(folder.path(), &[&options[..], &["--fill-missing", "nearest"]].concat()).expect(0);
    assert!(ended.out.contains("filled 1 cell (nearest)"), "{}", ended.out);
    let cut = std::fs::read_to_string(folder.path().join("b.asc")).expect("written");
    assert!(cut.ends_with("5.25 6.5\n2 2\n") && cut.contains("xllcorner 12\n"), "{cut}");
}

#[test]
fn mistakes_end_with_2() {
    let folder = folder();
    write(folder.path(), "a.asc", SMALL);
    write(folder.path(), "short.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n");
    write(folder.path(), "far.asc", &SMALL.replace("10\n", "5000000\n").replace("-9999\n4", "-1\n4"));
    write(folder.path(), "degrees.asc", &SMALL.replace("cellsize 2", "cellsize 0.000277"));
    write(folder.path(), "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (arguments, words) in [
        ("info none.asc", "none.asc: cannot be read"),
        ("info short.asc", "short.asc: line 7, column 1: the file ends after 3 heights"),
        ("info m.obj", "--resample CELL"),
        ("info a.xyz", ".asc"),
        ("convert a.asc b.xyz", ".obj"),
        ("convert m.obj b.asc", "--resample CELL"),
        ("convert a.asc b.asc --crop 90 90 91 91", "no cell of the raster"),
        ("convert a.asc b.asc --crop 16 24 12 20", "--crop 12 20 16 24"),
        ("convert a.asc b.asc --crop 12 24 16 20", "--crop 12 20 16 24"),
        ("info degrees.asc", "degrees.asc: heights differ by"),
        ("convert a.asc b.asc --resample 100", "larger than the raster"),
        ("convert far.asc b.stl", "STL keeps coordinates"),
        ("convert a.asc a.asc", "--force"),
    ] {
        let arguments: Vec<&str> = ["terrain"].into_iter().chain(arguments.split(' ')).collect();
        let ended = call(folder.path(), &arguments).expect(2);
        assert!(ended.err.starts_with("error: ") && ended.err.contains(words), "{words}: {}", ended.err);
    }
    assert!(!folder.path().join("b.asc").exists() && !folder.path().join("b.stl").exists());
    call(folder.path(), &["terrain", "convert", "a.asc", "nowhere/b.asc"]).expect(1);
}
