//! Rule: modules inside a crate form layers. A module uses itself and modules of lower layers, never its neighbours or
//! what is above.
//!
//! References are read from the source: paths that begin with `crate::`, `super::` or `self::`, comments and unit tests
//! left out. So are calls of methods, where several files of a folder implement one type together.

use std::collections::BTreeMap;

use super::Finding;
use super::files::File;

/// The layers of one folder of modules, lowest first.
struct Layers {
    /// Folder of the files.
    folder: &'static str,
    /// Its path in the crate, empty for the root.
    path: &'static str,
    /// Modules, and functions that the root of the folder itself declares.
    layers: &'static [&'static [&'static str]],
}

const ALL: &[Layers] = &[
    Layers {
        folder: "crates/geometry/src",
        path: "",
        layers: &[
            &["cylinder", "drum", "faces", "ground", "hull", "limits", "nearing"],
            &["convex", "error", "joints"],
            &["check", "mass"],
            &["decompose", "grain", "height_field", "mesh"],
            &["contour_ground"],
            &["geometry"],
            &["bounds", "closed_mesh", "distance", "surface"],
            &["highest"],
            &["shape"],
            &["build", "distance_field", "narrow"],
            &["build_grain"],
            &["build_volume"],
        ],
    },
    Layers {
        folder: "crates/levelset/src",
        path: "",
        layers: &[
            &["closest", "kernel", "limits", "tetrahedra"],
            &["cell", "error", "tree"],
            &["lattice", "topology"],
            &["blocks", "nodes", "solid"],
            &["kinks"],
            &["dense"],
            &["held"],
            &["grid"],
            &["build", "contour", "crossings", "probe"],
            &["at_hand"],
            &["mesh", "scan", "surface", "volume"],
        ],
    },
    Layers {
        folder: "crates/grains/src",
        path: "",
        layers: &[
            &["axes", "limits", "polyhedron", "random"],
            &["error", "fit", "series"],
            &["size", "sphere", "surface"],
            &["describe", "harmonic", "rock", "superquadric"],
            &["grain"],
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
            &["account", "error", "parallel", "pool", "sights"],
            &["contact"],
            &["accuracy", "domain"],
            &["overlap"],
            &["description"],
            &["bodies", "load"],
            &["pairs", "reductions", "rest", "state"],
            &["catalogue", "check"],
        ],
    },
    Layers {
        folder: "crates/engine/src/contacts",
        path: "contacts",
        layers: &[&["correct", "reach", "turning"], &["crossing", "search"], &["closing"]],
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
            &["part"],
            &["flight"],
            &["scratch"],
            &["detect", "drive", "forces"],
            &["advance", "balance", "beside", "exchange", "join", "judge", "observe", "wake"],
            &["substep"],
            &["attempt"],
            &["event", "group", "jam"],
            &["few"],
            &["alone"],
            &["divide"],
            &["make"],
        ],
    },
    Layers {
        folder: "crates/engine/src/interface",
        path: "interface",
        layers: &[
            &["snapshot", "time_step"],
            &["simulation"],
            &["resolution"],
            &["forces", "leaving", "reading", "step_choice"],
            &["problem", "setup", "start", "walls", "warnings"],
            &["stepping"],
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
            &["sweep", "traffic"],
            &["conjugate"],
            &["refine"],
        ],
    },
    Layers {
        folder: "crates/solver/src/laws",
        path: "laws",
        layers: &[&["law"], &["normal", "rbss", "tracking"], &["plastic", "smm", "sqm"]],
    },
    Layers {
        folder: "crates/solver/src/laws/tracking",
        path: "laws::tracking",
        layers: &[
            &["approach", "impulse", "report", "settings"],
            &["zone"],
            &["rounds"],
            &["memory"],
            &["etm"],
            &["etm_weighted"],
            &["release"],
        ],
    },
    Layers {
        folder: "crates/scene/src",
        path: "",
        layers: &[
            &["bytes", "data_file", "error", "graded", "plan"],
            &["grid", "mesh_file", "outline", "read", "scene", "substitute", "volume_file"],
            &["raster"],
            &["valley"],
            &["parse", "plausible"],
            &["build", "load"],
            &["texts"],
            &["avalanche", "mound", "repose"],
            &["variants"],
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
            &["demo", "info", "resolve", "terrain", "validate"],
            &["sweep"],
        ],
    },
];

/// Uses of modules that the layers forbid, and modules that stand in no layer.
pub(crate) fn upward_edges(files: &[File]) -> Vec<Finding> {
    let uses = |layers: &Layers| {
        let shown = layers.given_on(files);
        files.iter().flat_map(|file| layers.breaches(file, &shown)).collect::<Vec<_>>()
    };
    let in_layers = files.iter().filter(|file| ALL.iter().any(|layers| layers.inside(file).is_some()));
    let behind = in_layers.filter_map(after_tests);
    behind.chain(ALL.iter().flat_map(|layers| uses(layers).into_iter().chain(layers.calls_upwards(files)))).collect()
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

    /// The modules that lead to a file from the folder; none for one that lies elsewhere.
    fn inside<'a>(&self, file: &'a File) -> Option<Vec<&'a str>> {
        let inside = file.path.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/'))?;
        Some(inside.strip_suffix(".rs")?.split('/').filter(|part| *part != "mod").collect())
    }

    /// Calls of methods of one type that several files implement together, where the method stands in no layer below.
    fn calls_upwards(&self, files: &[File]) -> Vec<Finding> {
        let own = |file: &File| self.inside(file).and_then(|parts| Some((parts[0].to_owned(), self.of(parts[0])?)));
        let mut places = BTreeMap::new();
        for (file, (module, layer)) in files.iter().filter_map(|file| Some((file, own(file)?))) {
            let own = lines_of_impls(&file.text).filter(|line| line.is_own);
            let methods = own.filter_map(|line| Some((line.of, method(line.code)?)));
            places.extend(methods.map(|method| (method, (module.clone(), layer))));
        }
        let mut found = Vec::new();
        for (file, (module, layer)) in files.iter().filter_map(|file| Some((file, own(file)?))) {
            for line in lines_of_impls(&file.text) {
                for name in calls(line.code) {
                    let Some((other, above)) = places.get(&(line.of, name)) else { continue };
                    if *other != module && *above >= layer {
                        let message = format!("`{module}` must not call `{name}` of `{other}`, which is not below it");
                        found.push(Finding::new(&file.path, line.number, message));
                    }
                }
            }
        }
        found
    }

    fn breaches(&self, file: &File, shown: &BTreeMap<&str, &str>) -> Vec<Finding> {
        let Some(parts) = self.inside(file) else { return Vec::new() };
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
            let Some(named) = inside.first() else {
                let message = "name the module in the path, `crate::module::{...}`: else its layer is not seen";
                found.push(Finding::new(&file.path, line, message));
                continue;
            };
            // A name that the root gives on stands in the module that declares it.
            let used = shown.get(named).copied().unwrap_or(named);
            let allowed = used == own || self.of(used).is_some_and(|other| other < layer);
            if !allowed {
                let message = format!("`{own}` must not use `{named}`, which is not in a layer below it");
                found.push(Finding::new(&file.path, line, message));
            }
        }
        found
    }

    /// What the root of the folder gives on under a name of its own, with the module that it comes from.
    fn given_on<'a>(&self, files: &'a [File]) -> BTreeMap<&'a str, &'a str> {
        let roots =
            [format!("{}.rs", self.folder), format!("{}/lib.rs", self.folder), format!("{}/main.rs", self.folder)];
        let texts = files.iter().filter(|file| roots.contains(&file.path)).map(|file| code_of(&file.text));
        let uses = texts.flat_map(|text| text.split(';')).filter_map(|item| Some(item.split_once("use ")?.1));
        uses.flat_map(|path| {
            let path = path.trim_start_matches("self::");
            let (module, names) = path.split_once("::").unwrap_or((path, ""));
            words(names).map(move |name| (name, module))
        })
        .filter(|(name, module)| self.of(name).is_none() && self.of(module).is_some())
        .collect()
    }
}

/// A line of an implementation.
struct ImplLine<'a> {
    number: usize,
    /// Name of the type.
    of: &'a str,
    /// Whether what it declares is the type's own and not that of a trait.
    is_own: bool,
    /// Without a comment at its end.
    code: &'a str,
}

/// The lines of the implementations in a file.
fn lines_of_impls(text: &str) -> impl Iterator<Item = ImplLine<'_>> {
    let mut head = None;
    code_of(text).lines().enumerate().filter_map(move |(number, line)| {
        if let Some(rest) = line.strip_prefix("impl") {
            head = type_of(rest).map(|of| (of, !rest.contains(" for ")));
        } else if line == "}" {
            head = None;
        }
        let code = line.split("//").next().unwrap_or(line);
        head.map(|(of, is_own)| ImplLine { number: number + 1, of, is_own, code })
    })
}

/// The type of an implementation that begins with `impl` and this.
fn type_of(head: &str) -> Option<&str> {
    let head = head.strip_prefix('<').and_then(|rest| rest.split_once("> ")).map_or(head, |(_, rest)| rest);
    let head = head.split_once(" for ").map_or(head, |(_, of)| of);
    head.trim_start().split(|c: char| !(c == '_' || c.is_alphanumeric())).next().filter(|name| !name.is_empty())
}

/// The name of the method that a line of an implementation declares.
fn method(line: &str) -> Option<&str> {
    let (before, name) = line.strip_prefix("    ")?.split_once("fn ")?;
    let is_declared = before.is_empty() || before.starts_with("pub") || before == "const ";
    is_declared.then(|| name.split(['(', '<']).next()).flatten()
}

/// The words of Rust in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c == '_' || c.is_alphanumeric())).filter(|word| !word.is_empty())
}

/// The methods that a line may call on its type: `self.name(`, `other.name(`, `Self::name(`.
///
/// A method of another type that has the name of one above is found too; call it by its path (`Other::name(..)`).
fn calls(line: &str) -> impl Iterator<Item = &str> {
    let name = |start: usize| {
        let rest: &str = &line[start..];
        let end = rest.find(|c: char| !(c == '_' || c.is_alphanumeric()))?;
        rest[end..].starts_with('(').then(|| &rest[..end])
    };
    let of_values = line.match_indices('.').map(|(at, dot)| at + dot.len());
    let of_type = line.match_indices("Self::").map(|(at, path)| at + path.len());
    of_values.chain(of_type).filter_map(name)
}

/// Code behind the unit tests, which is not read here.
fn after_tests(file: &File) -> Option<Finding> {
    let tests = file.text.get(code_of(&file.text).len()..)?;
    let end = tests.find("\n}\n")? + "\n}\n".len();
    let line = 1 + file.text[..file.text.len() - tests.len() + end].lines().count();
    let is_code = !tests[end..].trim().is_empty();
    is_code.then(|| Finding::new(&file.path, line, "unit tests end a file: its layer is not seen behind them"))
}

/// The text of a file without its unit tests: only their module ends a file; a file that is for tests may be declared
/// anywhere.
fn code_of(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// Paths from the root of the crate that a module names, with their lines.
fn references<'a>(text: &'a str, module: &[&'a str]) -> Vec<(usize, Vec<&'a str>)> {
    let mut found = Vec::new();
    for (number, line) in code_of(text).lines().enumerate() {
        let code = if line.trim_start().starts_with("//") { "" } else { line };
        for start in ["crate::", "super::", "self::"] {
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
            "self" => {}
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
        let down = "//! Sweeps.\nuse crate::contact::island::Island;\nuse super::units::Units;\n";
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
    fn a_method_of_the_same_type_in_a_file_above_is_an_edge_upwards() {
        let folder = "crates/engine/src/interface";
        let of = |simulation: &str, stepping: &str| {
            let text = |body: &str| format!("//! Head.\nimpl Simulation {{\n{body}}}\n");
            let files = [("simulation", simulation), ("stepping", stepping)];
            let files = files.map(|(name, body)| File::text(&format!("{folder}/{name}.rs"), &text(body)));
            upward_edges(&files).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let (time, step) = ("    pub fn time(&self) -> f64 {\n", "    pub(crate) fn step(&mut self) {\n");
        assert_eq!(of(time, &format!("{step}        self.time();\n")), [""; 0]);
        let found = of(&format!("{time}        self.step().step;\n"), step);
        assert!(found.len() == 1 && found[0].contains("must not call `step` of `stepping`"), "{found:?}");
        for call in ["Self::step(self);", "other.step();", "    .step();"] {
            assert_eq!(of(&format!("{time}        {call}\n"), step).len(), 1, "{call}");
        }
        // A field, a comment, and a method of another type.
        assert_eq!(of(&format!("{time}        self.step; // self.step()\n    // self.step()\n"), step), [""; 0]);
        assert_eq!(of(&format!("{time}}}\nimpl Other {{\n    fn f(&self) {{\n        self.step()\n"), step), [""; 0]);
    }

    /// Neither a name that the root of the folder gives on nor a path that begins with `self` hides a module.
    #[test]
    fn a_name_that_the_root_gives_on_has_the_layer_of_its_module() {
        let root = "//! Head.\npub use packs::Packs;\npub use sweep::{Task, Turn};\n";
        let of = |module: &str, line: &str| {
            let file = File::text(&format!("crates/solver/src/stage/{module}.rs"), &format!("//! Head.\n{line}\n"));
            upward_edges(&[File::text("crates/solver/src/stage.rs", root), file]).len()
        };
        assert_eq!(of("sweep", "use super::Packs;"), 0);
        assert_eq!(of("packs", "use super::Turn;"), 1);
        assert_eq!(of("packs", "use super::declared_in_the_root;"), 1);
        assert_eq!(of("packs", "use self::own::Part;"), 0);
        assert_eq!(messages("crates/solver/src/stage.rs", "//! Head.\nuse self::super::laws::Law;\n").len(), 1);
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
    fn code_behind_the_unit_tests_is_found() {
        let text = "//! Head.\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n";
        assert_eq!(messages("crates/solver/src/stage/packs.rs", text), [""; 0]);
        let found = messages("crates/solver/src/stage/packs.rs", &format!("{text}pub use crate::Law;\n"));
        assert!(found.len() == 1 && found[0].starts_with("crates/solver/src/stage/packs.rs:6: "), "{found:?}");
    }

    #[test]
    fn a_module_in_no_layer_is_found() {
        assert_eq!(messages("crates/geometry/src/lib.rs", "mod novel;\n"), [""; 0]);
        let found = messages("crates/geometry/src/novel/part.rs", "");
        assert!(found.len() == 1 && found[0].contains("`novel` is in no layer"), "{found:?}");
    }
}
