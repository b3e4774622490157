//! The memory of a row, in a process of its own: it is read off the whole process, so that tests beside would count.

use std::process::Command;

#[test]
fn a_body_takes_kilobytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.json");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_xtask"));
    bench.args(["bench", "--only", "settle-spheres-540", "--threads", "1", "--json"]).arg(&file);
    let output = bench.output().expect("the bench starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&file).expect("rows");
    let rows: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let bytes = rows[0]["bytes_per_body"].as_f64().expect("a number");
    // Measured 6.5 to 7 kB: state of a body, some five contacts, and what sweeps and searches keep of them.
    assert!((1000.0..20_000.0).contains(&bytes), "{bytes}");
}
