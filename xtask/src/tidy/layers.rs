//! Rule: a crate depends only on crates of lower floors, and only `geometry` on parry. Read from the manifests, in
//! which cargo forces every import to be declared.

use super::Finding;
use super::files::File;
use toml::{Table, Value};

/// The floors of the workspace, lowest first. Crates of one floor are siblings and do not know each other.
const FLOORS: [&[&str]; 6] = [
    &["model"],
    &["levelset", "grains"],
    &["geometry", "broadphase", "islands", "solver", "integrator", "forces", "packing", "measure"],
    &["engine"],
    &["scene", "export", "view", "validation", "cluster"],
    &["cli", "xtask", "benches"],
];

/// The one crate that may import parry.
const PARRY_CRATE: &str = "geometry";

/// Floor of the workspace member in `folder`.
pub(crate) fn floor(folder: &str) -> Option<usize> {
    FLOORS.iter().position(|members| members.contains(&folder))
}

/// Dependencies of workspace members that the floors forbid, and members that stand on no floor.
pub(crate) fn misplaced_dependencies(files: &[File]) -> Vec<Finding> {
    let manifests = files.iter().filter(|f| f.path.ends_with("/Cargo.toml"));
    manifests.filter_map(|file| file.member().map(|member| breaches(file, member))).flatten().collect()
}

fn breaches(file: &File, member: &str) -> Vec<Finding> {
    let manifest = match file.text.parse::<Table>() {
        Ok(manifest) => manifest,
        Err(error) => return vec![Finding::new(&file.path, 1, format!("is not TOML: {}", error.message()))],
    };
    let Some(own_floor) = floor(member) else {
        let message = format!("`{member}` has no floor: enter it in xtask/src/tidy/layers.rs and in ARCHITECTURE.md");
        return vec![Finding::new(&file.path, 1, message)];
    };
    let finding = |dependency: &str, message| Finding::new(&file.path, line_with(&file.text, dependency), message);
    let mut found = Vec::new();
    for dependency in dependencies(&manifest) {
        if let Some(message) = forbidden(member, own_floor, &dependency.package) {
            found.push(finding(&dependency.key, message));
        }
    }
    found
}

/// Why `member` on floor `own_floor` must not depend on `package`; none if it may.
fn forbidden(member: &str, own_floor: usize, package: &str) -> Option<String> {
    if package.starts_with("parry") && member != PARRY_CRATE {
        return Some(format!("`{member}` must not depend on {package}: only `{PARRY_CRATE}` imports parry"));
    }
    let folder = package.strip_prefix("granule-")?;
    match floor(folder) {
        None => Some(format!("{package} has no floor: enter it in xtask/src/tidy/layers.rs and in ARCHITECTURE.md")),
        Some(other) if other < own_floor => None,
        Some(other) if other == own_floor => {
            Some(format!("`{member}` must not depend on {package}: siblings on floor {other} do not know each other"))
        }
        Some(other) => Some(format!("`{member}` on floor {own_floor} must not depend on {package} on floor {other}")),
    }
}

/// An entry of a table of dependencies.
struct Dependency {
    /// As the manifest writes it.
    key: String,
    /// The package behind it, which `package = "..."` may name otherwise.
    package: String,
}

/// Entries of every table of dependencies: plain, build, development, and those for some targets only.
fn dependencies(manifest: &Table) -> Vec<Dependency> {
    let mut found = Vec::new();
    for (key, value) in manifest {
        let Value::Table(table) = value else { continue };
        match key.as_str() {
            "dependencies" | "build-dependencies" | "dev-dependencies" => {
                found.extend(table.iter().map(|(key, value)| dependency(key, value)));
            }
            "target" => found.extend(table.values().filter_map(Value::as_table).flat_map(dependencies)),
            _ => {}
        }
    }
    found
}

fn dependency(key: &str, value: &Value) -> Dependency {
    let renamed = value.get("package").and_then(Value::as_str);
    Dependency { key: key.to_owned(), package: renamed.unwrap_or(key).to_owned() }
}

/// The line, counted from one, that begins with the key `key`, bare, quoted, or as the end of a table's name.
fn line_with(text: &str, key: &str) -> usize {
    let begins = |line: &str| {
        let line = line.trim_start().trim_start_matches('"');
        let after = line.strip_prefix(key);
        after.is_some_and(|rest| rest.starts_with([' ', '.', '=', '"']))
            || (line.starts_with('[') && line.trim_end().ends_with(&format!(".{key}]")))
    };
    text.lines().position(begins).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folder: &str, text: &str) -> Vec<(usize, String)> {
        let file = File::text(&format!("{folder}/Cargo.toml"), text);
        misplaced_dependencies(&[file]).into_iter().map(|f| (f.line, f.message)).collect()
    }

    #[test]
    fn lower_floors_may_be_imported() {
        assert_eq!(
            check("crates/engine", "[dependencies]\ngranule-model.workspace = true\ngranule-solver.workspace = true\n"),
            []
        );
        assert_eq!(
            check("crates/geometry", "[dependencies]\nparry3d-f64.workspace = true\nglam.workspace = true\n"),
            []
        );
        assert_eq!(check("xtask", "[dependencies]\ngranule-scene.workspace = true\n"), []);
    }

    #[test]
    fn siblings_higher_floors_and_parry_are_found_with_their_line() {
        for (folder, dependency, word) in [
            ("crates/solver", "granule-geometry", "siblings"),
            ("crates/solver", "granule-engine", "floor 3"),
            ("crates/export", "granule-view", "siblings"),
            ("crates/model", "granule-model", "siblings"),
            ("crates/engine", "parry3d-f64", "only `geometry`"),
            ("benches", "parry3d", "only `geometry`"),
            ("crates/engine", "granule-unheard", "no floor"),
        ] {
            for table in ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"] {
                let found = check(folder, &format!("[{table}]\nglam = \"1\"\n{dependency}.workspace = true\n"));
                assert_eq!(found.len(), 1, "{folder} {dependency} {table}");
                assert_eq!(found[0].0, 3);
                assert!(found[0].1.contains(word), "{}", found[0].1);
            }
        }
    }

    #[test]
    fn renamed_and_tabled_dependencies_are_seen() {
        let renamed = "[dependencies]\nshapes = { package = \"granule-geometry\", path = \"../geometry\" }\n";
        assert_eq!(check("crates/solver", renamed)[0].0, 2);
        let tabled = "[package]\nname = \"x\"\n\n[dependencies.granule-geometry]\nworkspace = true\n";
        assert_eq!(check("crates/solver", tabled)[0].0, 4);
    }

    #[test]
    fn a_member_without_a_floor_and_a_broken_manifest_are_found() {
        assert!(check("crates/novelty", "[package]\n")[0].1.contains("no floor"));
        assert!(check("crates/model", "[package\n")[0].1.contains("not TOML"));
    }
}
