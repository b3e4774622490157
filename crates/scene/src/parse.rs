//! From the text of a scene to a [`Scene`]: one module for each table of the format.
//!
//! The format is described in `data/scenes/FORMAT.md`, which a test compares with the keys listed here.

mod body;
mod domain;
mod fill;
mod grain;
mod material;
mod output;
mod run;
mod shape;
mod stage;
mod terrain;
mod volume;

use std::path::Path;

use granule_engine::Settings;
use toml::de::DeTable;

use crate::error::{SceneError, SceneErrorKind as Kind, Source};
use crate::outline;
use crate::plan::FloorRectangle;
use crate::read::{Item, Table};
use crate::scene::Scene;

const KEYS: &[&str] = &[
    "title",
    "run",
    "law",
    "drag",
    "damping",
    "domain",
    "materials",
    "pair",
    "shapes",
    "body",
    "fill",
    "stage",
    "measure",
    "output",
];

/// Reads a scene; mesh files are looked for in `folder`.
pub(crate) fn scene(source: &Source, folder: &Path) -> Result<Scene, SceneError> {
    let document = DeTable::parse(&source.text).map_err(|e| syntax_error(source, &e))?;
    let root = Table::root(source, document.get_ref(), KEYS)?;
    let run = run::read(&root)?;
    let mut materials = material::Materials::read(&root)?;
    let pairs = material::pairs(&root, &materials)?;
    let mut shapes = shape::Shapes::read(&root, folder)?;
    let bodies = body::read(&root, &mut shapes, &mut materials)?;
    let stages = stage::read(&root, &run, &bodies.list)?;
    let given = domain::read(&root)?;
    let chosen = if given.is_none() { outline::domain(&bodies.list, run.settings.gravity) } else { None };
    Ok(Scene {
        name: source.name.to_string(),
        title: root.or("title", String::new(), |t| t.text().map(str::to_owned))?,
        path: None,
        settings: Settings {
            law: run::law(&root)?,
            drag: run::drag(&root)?,
            damping: run::damping(&root)?,
            domain: given.or(chosen),
            ..run.settings
        },
        materials: materials.into_list(),
        pairs,
        seed: if let [seed] = bodies.seeds[..] { Some(seed) } else { None },
        bodies: bodies.list,
        stages,
        rest: run.rest,
        measure: output::measure(&root)?,
        output: output::plan(&root)?,
        source: source.clone(),
        origins: bodies.origins,
        run_span: run.span,
        chosen_domain: chosen,
        remarks: shapes.remarks,
    })
}

fn syntax_error(source: &Source, error: &toml::de::Error) -> SceneError {
    // Some errors of the parser, such as the limit of nesting in a key, have no place.
    source.error(Kind::Syntax, error.span().unwrap_or(0..0), format!("not valid TOML: {}", error.message()))
}

/// The keys `corner` and `size` of a table as a rectangle.
fn rectangle(table: &Table<'_, '_>) -> Result<FloorRectangle, SceneError> {
    let min = table.or("corner", [0.0, 0.0], Item::numbers::<2>)?;
    let item = table.require("size")?;
    let [x, y] = item.numbers::<2>()?;
    if !(x > 0.0 && y > 0.0) {
        return Err(item.error(Kind::OutOfRange, format!("`size` is [{x}, {y}], but must be above 0 along both axes")));
    }
    Ok(FloorRectangle { min, max: [min[0] + x, min[1] + y] })
}

/// Every key of the format with the table it belongs to, for the comparison with its description.
#[cfg(test)]
fn all_keys() -> Vec<(&'static str, &'static [&'static str])> {
    let mut keys = vec![("scene", KEYS)];
    for module in [
        run::TABLES,
        domain::TABLES,
        material::TABLES,
        shape::TABLES,
        body::TABLES,
        fill::TABLES,
        grain::TABLES,
        terrain::TABLES,
        stage::TABLES,
        output::TABLES,
    ] {
        keys.extend_from_slice(module);
    }
    keys
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_description_of_the_format_has_a_line_for_every_key() {
        let text = include_str!("../../../data/scenes/FORMAT.md");
        for (table, keys) in super::all_keys() {
            let heading = format!("<!-- {table} -->");
            let start = text.find(&heading).unwrap_or_else(|| panic!("FORMAT.md has no section `{heading}`"));
            let rest = &text[start + heading.len()..];
            let section = &rest[..rest.find("<!--").unwrap_or(rest.len())];
            for key in keys {
                assert!(section.contains(&format!("`{key}`")), "FORMAT.md does not describe `{key}` of {table}");
            }
        }
    }
}
