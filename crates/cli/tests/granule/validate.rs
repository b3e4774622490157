//! `granule validate`: what it prints and writes, and the exit codes.

use serde_json::Value;

use crate::support::{call, folder};

#[test]
fn a_case_is_compared_and_written() {
    let folder = folder();
    let ended = call(folder.path(), &["validate", "--only", "etm-single"]).expect(0);
    assert!(ended.out.contains("1 of 1 cases passed") && ended.out.contains("PASS"), "{}", ended.out);
    let results = folder.path().join("out/validate");
    for file in ["validation.json", "validation.md", "etm-collision.svg", "etm-collision.png"] {
        assert!(results.join(file).is_file(), "{file}");
    }
    let text = std::fs::read_to_string(results.join("validation.md")).expect("written");
    assert!(text.contains("| etm-single |") && !text.contains("rbss"), "{text}");
}

#[test]
fn json_is_one_object_and_quiet_is_quiet() {
    let folder = folder();
    let ended = call(folder.path(), &["validate", "--only", "rbss-binary", "--json", "--out", "here"]).expect(0);
    let object: Value = serde_json::from_str(&ended.out).expect("one JSON object and nothing else");
    assert_eq!(object["passed"], true);
    let line = &object["cases"][0]["lines"][0];
    assert_eq!((&line["outcome"], &line["expected"]), (&"pass".into(), &1.3805333130.into()));
    let file = std::fs::read_to_string(folder.path().join("here/validation.json")).expect("written");
    assert_eq!(file, ended.out);
    let ended = call(folder.path(), &["validate", "--only", "rbss-binary", "--quiet"]).expect(0);
    assert!(ended.out.is_empty() && ended.err.is_empty(), "{}{}", ended.out, ended.err);
}

#[test]
fn an_unknown_case_is_answered_with_the_list_of_names() {
    let folder = folder();
    let ended = call(folder.path(), &["validate", "--only", "pears"]).expect(2);
    for name in ["pears", "rbss-binary", "conformance", "box-spin"] {
        assert!(ended.err.contains(name), "{name}: {}", ended.err);
    }
    assert!(!folder.path().join("out").exists());
}
