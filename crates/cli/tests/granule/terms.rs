//! `docs/outputs.md` defines every number that the program tells, and none that it does not.

use std::collections::BTreeSet;
use std::path::Path;

use granule_cli::run::describe;
use granule_export::{
    AVALANCHE_COLUMNS, AvalancheSummary, CONTACT_COLUMNS, DepositSummary, DomainSummary, EnergyRow, ExtentSummary,
    FINAL_STATE_COLUMNS, FallSummary, MOUND_COLUMNS, MoundSummary, OUTLINE_COLUMNS, REPOSE_TABLE_COLUMNS,
    RemovedSummary, ReposeAngle, ReposeStrip, ReposeSummary, RunoutSummary, StageSummary, Summary, WALL_COLUMNS,
};
use serde_json::Value;

use crate::support::{call, cubes, folder, summary, write};

const PAGE: &str = include_str!("../../../../docs/outputs.md");

/// What the first cells of the tables below a heading hold in code spans.
fn defined(heading: &str) -> BTreeSet<String> {
    let head = format!("\n## {heading}\n");
    let start = PAGE.find(&head).unwrap_or_else(|| panic!("no section `{heading}`")) + head.len();
    let section = PAGE[start..].split("\n## ").next().expect("a section");
    let cells = section.lines().filter_map(|line| line.strip_prefix("| ")).filter_map(|line| line.split(" | ").next());
    let spans = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned));
    spans.collect()
}

/// All keys of a value, `a.b` for what is in an object and `a[].b` in a list of objects.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(field, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => {
            items.iter().filter(|i| i.is_object()).for_each(|i| keys(i, &format!("{path}[]"), found))
        }
        _ => {}
    }
}

fn set<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    names.into_iter().map(|name| name.as_ref().to_owned()).collect()
}

/// Asserts that a section defines what the program tells, no more and no less.
fn expect_equal(heading: &str, told: &BTreeSet<String>, defined: &BTreeSet<String>) {
    let missing: Vec<_> = told.difference(defined).collect();
    let unknown: Vec<_> = defined.difference(told).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "{heading}: not defined {missing:?}, never told {unknown:?}");
}

fn keys_of(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys(value, "", &mut found);
    found
}

/// An avalanche in which every option has a value.
fn full_avalanche() -> AvalancheSummary {
    let fall = Some(FallSummary { ratio: Some(1.0), angle_deg: Some(1.0), ..FallSummary::default() });
    let extent = Some(ExtentSummary::default());
    let deposit = DepositSummary { largest_depth: Some(1.0), all: extent, main: extent, ..DepositSummary::default() };
    AvalancheSummary {
        stopped: Some(1.0),
        runout: Some(RunoutSummary::default()),
        fall,
        centre_fall: fall,
        deposit: Some(deposit),
        ..AvalancheSummary::default()
    }
}

/// A summary in which every list and every option that holds keys has an entry.
fn full_summary() -> Summary {
    let (angle, one) = (ReposeAngle::default(), Some(1.0));
    let strip = ReposeStrip { angle_deg: one, standard_error_deg: one, r2: one, ..ReposeStrip::default() };
    let repose = ReposeSummary {
        angle_deg: one,
        standard_error_deg: one,
        r2: one,
        toe_to_crest_deg: one,
        strips: vec![strip],
        tang_2014: Some(angle),
        ..ReposeSummary::default()
    };
    let stage = StageSummary { packing_fraction: one, mean_coordination: one, ..StageSummary::default() };
    Summary {
        angle_of_repose_deg: Some(angle),
        repose: Some(repose),
        avalanche: Some(full_avalanche()),
        mound: Some(MoundSummary { mean_slope_deg: one, ..MoundSummary::default() }),
        packing_fraction: one,
        mean_coordination: one,
        friction: one,
        seed: Some(1),
        jam_stops: 1,
        bodies_lost: 1,
        stages: vec![stage],
        removed: vec![RemovedSummary::default()],
        domain: Some(DomainSummary { min: [one; 3], max: [one; 3], chosen: true }),
        ..Summary::default()
    }
}

#[test]
fn the_keys_of_the_summary() {
    let full = serde_json::to_value(full_summary()).expect("a summary is JSON");
    // What had no value could have keys of its own.
    assert!(!full.to_string().contains("null"), "{full}");
    let told = keys_of(&full);
    let mut known = defined("`summary.json`");
    for (heading, path) in [("Angle of repose", "repose."), ("Avalanche", "avalanche."), ("Mound", "mound.")] {
        known.extend(defined(heading).into_iter().filter(|name| name.starts_with(path)));
    }
    expect_equal("summary.json", &told, &known);
}

#[test]
fn the_verdicts() {
    let verdicts = granule_measure::Verdict::ALL.map(granule_measure::Verdict::name);
    let known = defined("Angle of repose");
    for verdict in verdicts {
        let told = known.contains(verdict) || verdict == ReposeSummary::SLOPE;
        assert!(told, "{verdict} is not defined");
    }
    let keys = |name: &&String| !name.starts_with("repose.");
    assert!(known.iter().filter(keys).all(|name| verdicts.contains(&name.as_str())), "{known:?}");
}

#[test]
fn the_columns_of_tables() {
    expect_equal("energy.csv", &set(EnergyRow::COLUMNS), &defined("`energy.csv`"));
    expect_equal("final_state.csv", &set(FINAL_STATE_COLUMNS), &defined("`final_state.csv`"));
    expect_equal("contacts_final.csv", &set(CONTACT_COLUMNS), &defined("`contacts_final.csv`"));
    expect_equal("walls.csv", &set(WALL_COLUMNS), &defined("`walls.csv`"));
    expect_equal("avalanche.csv", &set(AVALANCHE_COLUMNS), &defined("`avalanche.csv`"));
    expect_equal("mound.csv", &set(MOUND_COLUMNS), &defined("`mound.csv`"));
    expect_equal("deposit_outline.csv", &set(OUTLINE_COLUMNS), &defined("`deposit_outline.csv`"));
    expect_equal("repose_table.csv", &set(REPOSE_TABLE_COLUMNS), &defined("`repose_table.csv`"));
}

#[test]
fn the_labels_on_the_terminal() {
    let mut told = BTreeSet::new();
    for ended in ["rest", "interrupted"] {
        let summary = Summary { ended: ended.to_owned(), ..full_summary() };
        let text = describe(&summary, Path::new("out"));
        told.extend(text.lines().map(|line| line[..18].trim_end().to_owned()));
    }
    expect_equal("On the terminal", &told, &defined("On the terminal"));
}

#[test]
fn the_arrays_of_frames() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.02").replace("vtk = false", "vtk = true"));
    call(folder.path(), &["run", "a.toml", "--out", "a"]).expect(0);
    for series in ["bodies", "contacts"] {
        let bytes = std::fs::read(folder.path().join(format!("a/{series}/frame_000000.vtp"))).expect("a frame");
        let text = String::from_utf8_lossy(&bytes);
        let names = text.split("Name=\"").skip(1).filter_map(|rest| rest.split('"').next());
        // These say how the surface hangs together, and when, which is told for the bodies.
        let other = ["Points", "connectivity", "offsets", if series == "contacts" { "TimeValue" } else { "" }];
        let told = set(names.filter(|name| !other.contains(name)));
        expect_equal(series, &told, &defined(&format!("`{series}.pvd`")));
    }
}

#[test]
fn the_keys_of_resolve_and_info() {
    let folder = folder();
    let pair =
        cubes(1, "duration = 1.0").replace("0.0, 0.0, 0.5]", "0.0, 0.0, 0.25]").replace("0.0, 0.0, 0.0, 1.0", "");
    write(folder.path(), "a.toml", &pair);
    let answer = |arguments: &[&str]| -> Value {
        serde_json::from_str(&call(folder.path(), arguments).expect(0).out).expect("one JSON object")
    };
    let told = keys_of(&answer(&["resolve", "a.toml", "--json"]));
    // An object that only has members of its own is named by them.
    let objects = ["energy", "momentum", "angular_momentum", "resolution"].map(str::to_owned);
    let told = told.into_iter().filter(|key| !objects.contains(key)).collect();
    expect_equal("granule resolve --json", &told, &defined("`granule resolve --json`"));
    let with_pair = format!("{pair}\n[[pair]]\nmaterials = [\"rock\", \"rock\"]\nrestitution = 0.5\n");
    write(folder.path(), "a.toml", &with_pair);
    let told = keys_of(&answer(&["info", "a.toml", "--json"]));
    expect_equal("granule info --json", &told, &defined("`granule info --json`"));
}

#[test]
fn the_keys_of_terrain_info() {
    let folder = folder();
    write(folder.path(), "a.asc", "ncols 2 nrows 2 xllcorner 0 yllcorner 0 cellsize 1\n1 2 3 4\n");
    let told = call(folder.path(), &["terrain", "info", "a.asc", "--json"]).expect(0).out;
    let told = keys_of(&serde_json::from_str(&told).expect("one JSON object"));
    expect_equal("granule terrain info --json", &told, &defined("`granule terrain info --json`"));
}

#[test]
fn the_keys_of_a_validation() {
    let folder = folder();
    call(folder.path(), &["validate", "--only", "etm-single"]).expect(0);
    let text = std::fs::read_to_string(folder.path().join("out/validate/validation.json")).expect("written");
    let told = keys_of(&serde_json::from_str(&text).expect("JSON"));
    expect_equal("validation.json", &told, &defined("`validation.json`"));
}

#[test]
fn a_run_tells_no_other_keys() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(3, "duration = 0.05"));
    call(folder.path(), &["run", "a.toml"]).expect(0);
    let mut known = defined("`summary.json`");
    known.extend(defined("Angle of repose"));
    let told = keys_of(&summary(&folder.path().join("out/a")));
    assert!(told.is_subset(&known), "{:?}", told.difference(&known));
}

/// The page itself is held by this: a key that is struck out is missed, and one too many is seen.
#[test]
#[should_panic(expected = "not defined [\"steps\"], never told [\"paces\"]")]
fn what_is_missing_and_what_is_too_much_is_seen() {
    expect_equal("here", &set(["time", "steps"]), &set(["time", "paces"]));
}
