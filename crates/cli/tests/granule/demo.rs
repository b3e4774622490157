//! `granule demo repose`, with a handful of grains: everything is written, and a sweep does not depend on its threads.

use crate::support::{DEMO_FILES, call, expect_files, folder, summary};

#[test]
fn a_demo_writes_everything_and_tells_the_angle() {
    let folder = folder();
    let line = "demo repose --shape cubes --count 8 --seed 3 --friction 0.6 --out d";
    let ended = call(folder.path(), &line.split(' ').collect::<Vec<_>>()).expect(0);
    assert!(ended.out.contains("angle of repose") && ended.out.contains("degrees"), "{}", ended.out);
    assert!(ended.out.lines().any(|l| l.starts_with("results") && l.ends_with(" d")), "{}", ended.out);
    let results = folder.path().join("d");
    expect_files(&results, 100, &DEMO_FILES);
    expect_files(&results, 100, &["profile.svg", "profile.png", "packed.png", "releasing.png"]);
    let summary = summary(&results);
    assert_eq!((summary["friction"].as_f64(), summary["seed"].as_u64()), (Some(0.6), Some(3)));
    assert_eq!(summary["stages"].as_array().map(Vec::len), Some(2));
    // Eight cubes are no slope: the measure of the paper alone gives them an angle.
    let repose = &summary["repose"];
    assert!(repose["verdict"] != "slope" && repose["angle_deg"].is_null() && summary["angle_of_repose_deg"].is_null());
    assert!(ended.out.contains("none, verdict"), "{}", ended.out);
    let angle = &repose["tang_2014"];
    let value = |key: &str| angle[key].as_f64().unwrap_or_else(|| panic!("{key} in {angle}"));
    assert!(value("min") <= value("mean") && value("mean") <= value("max"));
    let error = 0.5 * (value("max") - value("min"));
    assert!((value("absolute_error") - error).abs() <= 1e-12 * error.max(1.0), "{angle}");
    let fraction = summary["packing_fraction"].as_f64();
    assert!(fraction.is_none_or(|f| (0.1..0.8).contains(&f)), "{fraction:?}");
}

#[test]
fn a_sweep_does_not_depend_on_how_many_runs_go_side_by_side() {
    let folder = folder();
    let table = |threads: &str| {
        let line = format!(
            "demo repose --sweep --seeds 2 --count 12 --friction 0.5 --threads {threads} --out sweep-{threads} --quiet"
        );
        let ended = call(folder.path(), &line.split(' ').collect::<Vec<_>>()).expect(0);
        assert!(ended.out.is_empty() && ended.err.is_empty(), "{}{}", ended.out, ended.err);
        let results = folder.path().join(format!("sweep-{threads}"));
        std::fs::read_to_string(results.join("repose_table.csv")).expect("a table")
    };
    let rows = |text: &str| -> Vec<Vec<String>> {
        let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
        let timing = header.iter().position(|name| *name == "cpu_seconds").expect("a column of times");
        let row = |line: &str| {
            let fields = line.split(',').enumerate().filter(|(i, _)| *i != timing);
            fields.map(|(_, field)| field.to_owned()).collect()
        };
        text.lines().map(row).collect()
    };
    let (one, three) = (table("1"), table("3"));
    assert_eq!(rows(&one), rows(&three));
    let rows = rows(&one);
    assert_eq!(rows.len(), 1 + 6);
    let cases: Vec<String> = rows[1..].iter().map(|r| r[..3].join(" ")).collect();
    assert_eq!(
        cases,
        ["spheres 0.5 1", "spheres 0.5 2", "cubes 0.5 1", "cubes 0.5 2", "crosses 0.5 1", "crosses 0.5 2"]
    );
    assert_ne!(rows[1][3], rows[2][3], "another seed, another angle");
    // Twelve grains leave no slope: no angle but the paper's, and no plot of none.
    let column = |name: &str| rows[0].iter().position(|n| n == name).unwrap_or_else(|| panic!("no column {name}"));
    for row in &rows[1..] {
        assert!(row[column("verdict")] != "slope" && row[column("angle_deg")] == "NaN", "{row:?}");
    }
    assert!(!folder.path().join("sweep-1/repose_angle.svg").exists());
}
