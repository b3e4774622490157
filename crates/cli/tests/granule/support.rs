//! Starts the program and reads what it leaves.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A command line of the program, run in `folder`.
pub(crate) fn granule(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granule"));
    command.current_dir(folder).args(arguments);
    command
}

/// What a call of the program left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        let ended = Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ended.err.contains("panicked") && !ended.err.contains("RUST_BACKTRACE"), "{}", ended.err);
        ended
    }

    /// Asserts the exit code.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }
}

/// Runs the program to its end.
pub(crate) fn call(folder: &Path, arguments: &[&str]) -> Ended {
    Ended::of(granule(folder, arguments).output().expect("the program starts"))
}

/// An empty folder for one test.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Writes a file into the folder of a test.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// The summary in a folder of results.
pub(crate) fn summary(results: &Path) -> Value {
    let path = results.join("summary.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("the summary is JSON")
}

/// The energies of a summary add up: E* at the start, what was put in and taken out, and E* in the end, to 1e-12 of E*
/// at the start.
pub(crate) fn expect_closed_book(summary: &Value) {
    let energy = |key: &str| summary["energy"][key].as_f64().expect("a number");
    let sum = |keys: &[&str]| keys.iter().map(|key| energy(key)).sum::<f64>();
    let put_in = sum(&["work_driven", "work_forces", "work_correction", "step_change", "scheme_change"]);
    let lost = ["impact", "friction", "contact", "drag", "sleep"].map(|kind| energy(&format!("dissipated_{kind}")));
    let left = energy("start") + put_in - energy("energy_star") - lost.iter().sum::<f64>() - energy("removed");
    assert!(left.abs() <= 1e-12 * energy("start"), "{left:e}: {summary}");
    assert!(energy("imbalance").abs() <= 1e-12 * energy("start"), "{summary}");
}

/// A floor and `count` cubes that fall on it in loose rows, with nothing written but summary and final state.
pub(crate) fn cubes(count: usize, run: &str) -> String {
    let mut text = format!(
        "[run]\n{run}\n[output]\nvtk = false\npictures = \"none\"\n\
         [materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.4\n\
         [shapes.cube]\ncuboid.size = [0.5, 0.5, 0.5]\n\
         [[body]]\nname = \"floor\"\nkind = \"static\"\nshape = {{ half-space.normal = [0.0, 0.0, 1.0] }}\nmaterial = \"rock\"\n\
         position = [0.0, 0.0, 0.0]\n"
    );
    for i in 0..count {
        // Columns of five, tilted each in its own way, so that they topple into each other.
        let (x, y, z) = (0.6 * ((i / 5) % 4) as f64, 0.6 * (i / 20) as f64, 0.5 + 0.65 * (i % 5) as f64);
        let angle = 0.1 + 0.05 * i as f64;
        let (s, c) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
        text.push_str(&format!(
            "[[body]]\nshape = \"cube\"\nmaterial = \"rock\"\nposition = [{x:?}, {y:?}, {z:?}]\n\
             orientation = [0.0, {s:?}, 0.0, {c:?}]\n"
        ));
    }
    text
}

/// Files that every demo writes.
pub(crate) const DEMO_FILES: [&str; 13] = [
    "summary.json",
    "energy.csv",
    "final_state.csv",
    "contacts_final.csv",
    "walls.csv",
    "contacts.pvd",
    "bodies.pvd",
    "film.gif",
    "energy.svg",
    "energy.png",
    "first.png",
    "final.png",
    "granule-files.txt",
];

/// Asserts that files are there, each of more than `least` bytes.
pub(crate) fn expect_files(results: &Path, least: u64, names: &[&str]) {
    for name in names {
        let size = std::fs::metadata(results.join(name)).unwrap_or_else(|e| panic!("{name}: {e}")).len();
        assert!(size > least, "{name} has {size} bytes");
    }
}
