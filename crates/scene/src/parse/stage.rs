//! `[[stage]]`: what is taken away when, and how long each stretch of the run takes.

use granule_engine::BodyDescription;

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::parse::run::{self, Run};
use crate::plan::Stage;
use crate::read::{Item, Table};

const STAGE: &[&str] = &["name", "remove", "until", "limit", "min_duration"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[("stage", STAGE)];

/// The stages of the run: those of the file, or the one that `[run]` describes, or none.
pub(super) fn read(root: &Table<'_, '_>, run: &Run, bodies: &[BodyDescription]) -> Result<Vec<Stage>, SceneError> {
    let Some(item) = root.get("stage") else {
        let stage = |limit| Stage {
            name: "run".to_owned(),
            remove: Vec::new(),
            until_rest: run.until_rest,
            limit,
            min_duration: 0.0,
        };
        return Ok(run.duration.map(stage).into_iter().collect());
    };
    let mut stages: Vec<Stage> = Vec::new();
    for (i, entry) in item.array()?.into_iter().enumerate() {
        if let Some(span) = &run.timed {
            let message = "`[run]` says how long the run takes, and so does a stage";
            let error = entry.source.error(Kind::Conflict, span.clone(), message);
            return Err(error.help("in a scene with stages only they have `until` and `limit`"));
        }
        stages.push(stage(entry, i, &stages, bodies)?);
    }
    Ok(stages)
}

fn stage(item: Item<'_, '_>, index: usize, earlier: &[Stage], bodies: &[BodyDescription]) -> Result<Stage, SceneError> {
    let table = item.table("a stage", STAGE)?;
    let name = table.or("name", format!("stage-{}", index + 1), |i| i.line().map(str::to_owned))?;
    if earlier.iter().any(|s| s.name == name) {
        return Err(item.error(Kind::Duplicate, format!("there are two stages called `{name}`")));
    }
    let limit = table.require("limit")?.positive()?;
    Ok(Stage {
        name,
        remove: removed(&table, earlier, bodies)?,
        until_rest: run::until(&table)?,
        limit,
        min_duration: table.or("min_duration", 0.0, |i| i.between(0.0, limit))?,
    })
}

fn removed(table: &Table<'_, '_>, earlier: &[Stage], bodies: &[BodyDescription]) -> Result<Vec<String>, SceneError> {
    let mut names: Vec<String> = Vec::new();
    for item in table.or("remove", Vec::new(), Item::array)? {
        let name = item.text()?;
        let known = bodies.iter().map(|b| b.name.as_str()).filter(|n| !n.is_empty());
        if !known.clone().any(|n| n == name) {
            return Err(item.unknown_name("body", name, known));
        }
        if names.iter().chain(earlier.iter().flat_map(|s| &s.remove)).any(|n| n == name) {
            return Err(item.error(Kind::Duplicate, format!("the body `{name}` is removed twice")));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}
