//! `[domain]`: the box in which bodies are followed.

use granule_engine::{Domain, Leaving};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::read::Table;

const DOMAIN: &[&str] = &["min", "max", "leaving"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[("domain", DOMAIN)];

/// The domain, where the scene has one.
pub(super) fn read(root: &Table<'_, '_>) -> Result<Option<Domain>, SceneError> {
    let Some(item) = root.get("domain") else { return Ok(None) };
    let table = item.table("`[domain]`", DOMAIN)?;
    let (min, upper) = (table.require("min")?.vector()?, table.require("max")?);
    let max = upper.vector()?;
    if !min.cmplt(max).all() {
        let message = format!("`max` is {max}, but must be above `min`, {min}, along every axis");
        return Err(upper.error(Kind::OutOfRange, message).label("out of range"));
    }
    let kinds = [Leaving::Remove, Leaving::Error];
    let leaving = table.or("leaving", Leaving::default(), |i| i.one_of(&["remove", "error"]).map(|k| kinds[k]))?;
    Ok(Some(Domain { min, max, leaving }))
}
