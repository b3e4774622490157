//! Rule: modules inside a crate form layers. A module uses itself and modules of lower layers, never its neighbours or
//! what is above.
//!
//! References are read from the source: paths that begin with `crate::` or `super::`, comments and unit tests left out.
//! Methods that another module adds to a type are not seen.

use super::Finding;
use super::files::File;

/// The layers of one folder of modules, lowest first.
struct Layers {
    /// Folder of the files.
    folder: &'static str,
    /// Its path in the crate, empty for the root.
    path: &'static str,
    layers: &'static [&'static [&'static str]],
}

const ALL: [Layers; 11] = [
    Layers {
        folder: "crates/geometry/src",
        path: "",
        layers: &[
            &["faces", "hull", "limits"],
            &["convex", "error", "joints"],
            &["check", "mass"],
            &["decompose", "mesh"],
            &["geometry"],
            &["bounds", "closed_mesh", "surface"],
            &["highest", "narrow"],
            &["shape"],
            &["build"],
        ],
    },
    Layers {
        folder: "crates/engine/src",
        path: "",
        layers: &[&["world"], &["book", "contacts", "islands"], &["step"], &["interface"]],
    },
    Layers {
        folder: "crates/engine/src/world",
        path: "world",
        layers: &[
            &["account", "contact", "error", "overlap", "parallel", "pool"],
            &["domain"],
            &["description"],
            &["bodies"],
            &["pairs", "rest", "state"],
            &["catalogue", "check"],
        ],
    },
    Layers {
        folder: "crates/engine/src/contacts",
        path: "contacts",
        layers: &[&["correct", "reach"], &["crossing", "search"], &["closing"]],
    },
    Layers {
        folder: "crates/engine/src/islands",
        path: "islands",
        layers: &[&["halves", "limits", "scratch", "sleep"], &["impact", "layout"], &["pieces"], &["problems"]],
    },
    Layers {
        folder: "crates/engine/src/step",
        path: "step",
        layers: &[
            &["part", "scratch"],
            &["detect", "drive", "forces"],
            &["advance", "exchange", "observe"],
            &["attempt"],
            &["jam"],
            &["divide"],
            &["event"],
            &["make"],
        ],
    },
    Layers { folder: "crates/solver/src", path: "", layers: &[&["contact"], &["stage"], &["laws"]] },
    Layers {
        folder: "crates/solver/src/stage",
        path: "stage",
        layers: &[
            &["colour", "held", "real", "sample", "settings", "skyline", "units"],
            &["body", "lanes", "ledger", "newton", "stop"],
            &["motion"],
            &["packs"],
            &["sweep"],
            &["conjugate"],
            &["refine"],
        ],
    },
    Layers {
        folder: "crates/solver/src/laws",
        path: "laws",
        layers: &[&["law"], &["normal", "rbss", "tracking"], &["smm", "sqm"]],
    },
    Layers {
        folder: "crates/scene/src",
        path: "",
        layers: &[
            &["bytes", "error", "plan", "random"],
            &["grid", "mesh_file", "read", "scene", "substitute"],
            &["parse", "plausible"],
            &["build", "load"],
            &["texts"],
            &["repose"],
            &["settle"],
            &["packaged"],
        ],
    },
    Layers {
        folder: "crates/cli/src",
        path: "",
        layers: &[
            &["args", "clock", "error"],
            &["console", "results"],
            &["interrupt", "log"],
            &["profile"],
            &["run"],
            &["demo", "info", "resolve", "validate"],
            &["sweep"],
        ],
    },
];

/// Uses of modules that the layers forbid, and modules that stand in no layer.
pub(crate) fn upward_edges(files: &[File]) -> Vec<Finding> {
    let of = |layers: &Layers| files.iter().flat_map(|file| layers.breaches(file)).collect::<Vec<_>>();
    ALL.iter().flat_map(of).collect()
}

/// The layers of each folder as a line.
pub(crate) fn lines() -> Vec<String> {
    let line = |layers: &Layers| {
        let names: Vec<String> = layers.layers.iter().map(|layer| layer.join(", ")).collect();
        format!("{}: {}", layers.folder, names.join(" <- "))
    };
    ALL.iter().map(line).collect()
}

impl Layers {
    /// Layer of a module.
    fn of(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&module))
    }

    fn breaches(&self, file: &File) -> Vec<Finding> {
        let inside = file.path.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/'));
        let Some(inside) = inside.and_then(|rest| rest.strip_suffix(".rs")) else { return Vec::new() };
        let parts: Vec<&str> = inside.split('/').filter(|part| *part != "mod").collect();
        let own = parts[0];
        if parts.len() == 1 && ["lib", "main"].contains(&own) {
            return Vec::new();
        }
        let Some(layer) = self.of(own) else {
            let message = format!("`{own}` is in no layer: enter it in xtask/src/tidy/rooms.rs and in ARCHITECTURE.md");
            return vec![Finding::new(&file.path, 1, message)];
        };
        let base: Vec<&str> = self.path.split("::").filter(|part| !part.is_empty()).collect();
        let module: Vec<&str> = base.iter().copied().chain(parts.iter().copied()).collect();
        let mut found = Vec::new();
        for (line, path) in references(&file.text, &module) {
            let Some(inside) = path.strip_prefix(base.as_slice()) else { continue };
            let Some(used) = inside.first() else {
                let message = "name the module in the path, `crate::module::{...}`: else its layer is not seen";
                found.push(Finding::new(&file.path, line, message));
                continue;
            };
            let allowed = *used == own || self.of(used).is_none_or(|other| other < layer);
            if !allowed {
                let message = format!("`{own}` must not use `{used}`, which is not in a layer below it");
                found.push(Finding::new(&file.path, line, message));
            }
        }
        found
    }
}

/// Paths from the root of the crate that a module names, with their lines.
fn references<'a>(text: &'a str, module: &[&'a str]) -> Vec<(usize, Vec<&'a str>)> {
    let mut found = Vec::new();
    // Only the module of unit tests ends a file; a file that is for tests may be declared anywhere.
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    for (number, line) in code.lines().enumerate() {
        let code = if line.trim_start().starts_with("//") { "" } else { line };
        for start in ["crate::", "super::"] {
            let ends = |at: usize| !code[..at].ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
            for (at, _) in code.match_indices(start).filter(|(at, _)| ends(*at)) {
                found.push((number + 1, resolve(&code[at..], module)));
            }
        }
    }
    found
}

/// The path that `text` begins with, from the root of the crate.
fn resolve<'a>(text: &'a str, module: &[&'a str]) -> Vec<&'a str> {
    let end = text.find(|c: char| !(c == ':' || c == '_' || c.is_alphanumeric())).unwrap_or(text.len());
    let mut path: Vec<&str> = Vec::new();
    let mut depth = module.len();
    for part in text[..end].split("::").filter(|part| !part.is_empty()) {
        match part {
            "crate" => depth = 0,
            "super" => depth = depth.saturating_sub(1),
            name => path.push(name),
        }
    }
    module[..depth].iter().copied().chain(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        upward_edges(&[File::text(path, text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_edge_upwards_or_sideways_is_found_and_one_down_is_not() {
        let down = "//! Sweeps.\nuse crate::contact::island::Island;\nuse super::units::Units;\nuse super::Packs;\n";
        assert_eq!(messages("crates/solver/src/stage/sweep.rs", down), [""; 0]);
        for (path, line, used) in [
            ("crates/solver/src/contact/island.rs", "use crate::stage::Packs;", "stage"),
            ("crates/solver/src/contact.rs", "fn f() -> crate::laws::Law {", "laws"),
            ("crates/solver/src/stage/sweep.rs", "use super::super::laws::Law;", "laws"),
            ("crates/solver/src/stage/packs.rs", "use super::sweep::Task;", "sweep"),
            ("crates/solver/src/laws/normal/lcp.rs", "use crate::laws::tracking::etm::Etm;", "tracking"),
            ("crates/solver/src/laws/normal.rs", "pub use super::smm::Smm;", "smm"),
            ("crates/geometry/src/mesh.rs", "use crate::build::check;", "build"),
        ] {
            let found = messages(path, &format!("//! Head.\n{line}\n"));
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            assert!(
                found[0].starts_with(&format!("{path}:2: ")) && found[0].contains(&format!("`{used}`")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn comments_and_unit_tests_may_name_anything() {
        let text = "//! See [`crate::laws`].\n// crate::laws\nfn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::laws::Law;\n}\n";
        assert_eq!(messages("crates/solver/src/contact/island.rs", text), [""; 0]);
    }

    /// A file for tests that is declared in the middle hides nothing after it, and a list of modules hides none.
    #[test]
    fn what_stands_behind_a_declaration_or_in_a_list_is_seen() {
        let text = "//! Head.\n#[cfg(test)]\nmod sample;\nuse crate::laws::Law;\n";
        assert_eq!(messages("crates/solver/src/stage.rs", text).len(), 1);
        for (path, line) in [
            ("crates/solver/src/stage/packs.rs", "use crate::{contact, laws};"),
            ("crates/solver/src/stage/packs.rs", "use super::{colour, sweep};"),
            ("crates/solver/src/laws/normal.rs", "use crate::laws::{law, smm};"),
        ] {
            let found = messages(path, &format!("//! Head.\n{line}\n"));
            assert!(found.len() == 1 && found[0].contains("name the module"), "{line}: {found:?}");
        }
    }

    #[test]
    fn a_module_in_no_layer_is_found() {
        assert_eq!(messages("crates/geometry/src/lib.rs", "mod novel;\n"), [""; 0]);
        let found = messages("crates/geometry/src/novel/part.rs", "");
        assert!(found.len() == 1 && found[0].contains("`novel` is in no layer"), "{found:?}");
    }
}
