//! Rule: what must not stand in the code of a crate. Most of it would make results depend on the machine, the number of
//! threads or the hour; the rest is unfinished work. Tests, examples and benchmarks are held to the last part only.

use super::Finding;
use super::files::File;
use super::layers::floor;
use super::source::{code_only, line_of, test_lines, test_modules};

/// Where a rule holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Code that a trajectory depends on: every crate up to the engine; `measure` too, whose energies say who sleeps.
    Trajectory,
    /// Crates below the engine.
    BelowEngine,
    /// Everything but the crate that is named.
    AllBut(&'static str),
    /// Every file, tests included.
    Everywhere,
}

/// A group of texts that are denied for one reason.
struct Rule {
    scope: Scope,
    texts: &'static [&'static str],
    reason: &'static str,
}

const RULES: [Rule; 8] = [
    Rule {
        scope: Scope::Trajectory,
        texts: &["mul_add"],
        reason: "rounds otherwise than a product and a sum, and is slow without the instruction",
    },
    Rule {
        scope: Scope::Trajectory,
        texts: &["HashMap", "HashSet"],
        reason: "its order changes from run to run: use a sorted Vec or a BTreeMap",
    },
    Rule { scope: Scope::Trajectory, texts: &TRANSCENDENTAL, reason: "differs between machines: use libm" },
    Rule {
        scope: Scope::Trajectory,
        texts: &TRANSCENDENTAL_IN_GLAM,
        reason: "calls the machine's sine and cosine: use granule_integrator::rotate or libm",
    },
    Rule {
        scope: Scope::BelowEngine,
        texts: &["Instant", "SystemTime"],
        reason: "nothing below the engine reads a clock",
    },
    Rule {
        scope: Scope::BelowEngine,
        texts: &["std::fs", "std::thread", "println!", "eprintln!", "print!", "eprint!"],
        reason: "nothing below the engine does I/O or starts threads of its own",
    },
    Rule {
        scope: Scope::AllBut("geometry"),
        texts: &["parry3d", "parry3d_f64"],
        reason: "only `geometry` imports parry",
    },
    Rule {
        scope: Scope::Everywhere,
        texts: &["#[ignore", "todo!", "unimplemented!", "dbg!"],
        reason: "finish it or leave it out",
    },
];

/// Functions of f64 that the platform's mathematics library computes.
const TRANSCENDENTAL: [&str; 24] = [
    ".sin(",
    ".cos(",
    ".tan(",
    ".sin_cos(",
    ".asin(",
    ".acos(",
    ".atan(",
    ".atan2(",
    ".sinh(",
    ".cosh(",
    ".tanh(",
    ".exp(",
    ".exp2(",
    ".exp_m1(",
    ".ln(",
    ".ln_1p(",
    ".log(",
    ".log2(",
    ".log10(",
    ".powf(",
    ".cbrt(",
    ".hypot(",
    "f64::sin",
    "f64::cos",
];

/// Functions of glam that use them.
const TRANSCENDENTAL_IN_GLAM: [&str; 11] = [
    "from_axis_angle",
    "to_axis_angle",
    "from_rotation_x",
    "from_rotation_y",
    "from_rotation_z",
    "from_scaled_axis",
    "to_scaled_axis",
    "from_euler",
    "to_euler",
    "slerp",
    "angle_between",
];

impl Scope {
    /// Whether the rule holds in the member in `folder`.
    fn covers(self, folder: &str) -> bool {
        let engine = floor("engine");
        match self {
            Scope::Trajectory => floor(folder).is_some() && floor(folder) <= engine,
            Scope::BelowEngine => floor(folder).is_some() && floor(folder) < engine,
            Scope::AllBut(exception) => folder != exception,
            Scope::Everywhere => true,
        }
    }
}

/// Denied texts in the Rust files of workspace members.
pub(crate) fn denied_code(files: &[File]) -> Vec<Finding> {
    let test_files = files_of_test_modules(files);
    let mut found = Vec::new();
    for file in files.iter().filter(|f| f.is_rust()) {
        let Some(member) = file.member() else { continue };
        let code = code_only(&file.text);
        let exempt = is_beside_the_library(&file.path) || test_files.iter().any(|prefix| file.path.starts_with(prefix));
        let tests = test_lines(&code);
        for rule in RULES.iter().filter(|rule| rule.scope.covers(member)) {
            for (line, text) in occurrences(&code, rule.texts) {
                let in_test = exempt || tests.get(line - 1).copied().unwrap_or(false);
                if rule.scope == Scope::Everywhere || !in_test {
                    found.push(Finding::new(&file.path, line, format!("`{text}`: {}", rule.reason)));
                }
            }
        }
    }
    found
}

/// Whether the file is a test, an example or a benchmark of its crate, or a program of the workspace's own.
fn is_beside_the_library(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "examples" | "benches" | "xtask"))
}

/// Beginnings of the paths of modules that are declared `#[cfg(test)] mod name;`: `folder/name.` and `folder/name/`.
fn files_of_test_modules(files: &[File]) -> Vec<String> {
    let mut prefixes = Vec::new();
    for file in files.iter().filter(|f| f.is_rust()) {
        let stem = file.path.trim_end_matches(".rs");
        let folder = ["/lib", "/main", "/mod"].iter().find_map(|root| stem.strip_suffix(root)).unwrap_or(stem);
        for name in test_modules(&code_only(&file.text)) {
            prefixes.extend([format!("{folder}/{name}."), format!("{folder}/{name}/")]);
        }
    }
    prefixes
}

/// Lines of `code` with one of `texts`, which must not continue a word or be continued by one.
fn occurrences<'a>(code: &str, texts: &'a [&'a str]) -> Vec<(usize, &'a str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for text in texts {
        for (at, _) in code.match_indices(text) {
            let (before, after) = (code[..at].chars().next_back(), code[at + text.len()..].chars().next());
            let continues = text.starts_with(is_word) && before.is_some_and(is_word);
            let continued = text.ends_with(is_word) && after.is_some_and(is_word);
            if !continues && !continued {
                found.push((line_of(code, at), *text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: [usize; 0] = [];

    fn check(path: &str, text: &str) -> Vec<usize> {
        denied_code(&[File::text(path, text)]).into_iter().map(|f| f.line).collect()
    }

    #[test]
    fn every_denied_text_is_found_where_its_rule_holds() {
        for rule in &RULES {
            for text in rule.texts {
                let line = format!(
                    "//! Head.\nfn f() {{ let y = a{} {text} 1.0); }}\n",
                    if text.starts_with('.') { "" } else { ";" }
                );
                assert_eq!(check("crates/solver/src/lib.rs", &line), [2], "{text}");
            }
        }
    }

    #[test]
    fn scopes_end_where_they_should() {
        let sine = "fn f(x: f64) -> f64 { x.sin() }\n";
        assert_eq!(check("crates/engine/src/lib.rs", sine), [1]);
        assert_eq!(check("crates/measure/src/lib.rs", sine), [1]);
        assert_eq!(check("crates/export/src/lib.rs", sine), NOTHING);
        let clock = "use std::time::Instant;\n";
        assert_eq!(check("crates/measure/src/lib.rs", clock), [1]);
        assert_eq!(check("crates/engine/src/lib.rs", clock), NOTHING);
        let parry = "use parry3d_f64::shape::Ball;\n";
        assert_eq!(check("crates/geometry/src/lib.rs", parry), NOTHING);
        assert_eq!(check("crates/view/src/lib.rs", parry), [1]);
    }

    #[test]
    fn comments_strings_longer_words_and_libm_pass() {
        let text = "// x.sin()\nlet s = \"todo!\"; let Instantaneous = libm::sin(x); my_mul_adder();\n";
        assert_eq!(check("crates/solver/src/lib.rs", text), NOTHING);
    }

    #[test]
    fn tests_may_use_the_platform_but_not_leave_work_undone() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g(x: f64) { x.sin(); }\n    #[ignore = \"slow\"]\n    fn h() {}\n}\n";
        assert_eq!(check("crates/solver/src/lib.rs", text), [5]);
        assert_eq!(check("crates/solver/tests/a.rs", "fn f(x: f64) { x.sin(); }\nfn g() { todo!() }\n"), [2]);
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_exempt() {
        let samples = "fn f(x: f64) { x.sin(); }\n";
        let files = |parent: &str| {
            [File::text("crates/solver/src/etm.rs", parent), File::text("crates/solver/src/etm/samples.rs", samples)]
        };
        assert_eq!(denied_code(&files("#[cfg(test)]\nmod samples;\n")), []);
        assert_eq!(denied_code(&files("mod samples;\n")).len(), 1);
    }
}
