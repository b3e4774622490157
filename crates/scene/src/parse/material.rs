//! `[materials.NAME]`, materials inline in a body, and `[[pair]]`.

use std::collections::BTreeMap;

use granule_engine::MaterialId;
use granule_model::{Coefficients, Material, RestitutionSpeed};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::read::{Item, Table};

const MATERIAL: &[&str] = &[
    "density",
    "restitution",
    "restitution_speed",
    "tangential_restitution",
    "static_friction",
    "dynamic_friction",
    "rolling_friction",
    "torsional_friction",
    "stiffness",
];
const PAIR: &[&str] = &[
    "materials",
    "restitution",
    "restitution_speed",
    "tangential_restitution",
    "static_friction",
    "dynamic_friction",
    "rolling_friction",
    "torsional_friction",
    "stiffness",
];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[("material", MATERIAL), ("pair", PAIR)];

/// The materials of a scene: named ones in the order of the file, then the different inline ones.
pub(super) struct Materials {
    list: Vec<(String, Material)>,
    /// Number of each inline material by its bits, so that a thousand equal bodies share one.
    inline: BTreeMap<[u64; 9], MaterialId>,
}

impl Materials {
    pub(super) fn read(root: &Table<'_, '_>) -> Result<Self, SceneError> {
        let mut list = Vec::new();
        if let Some(item) = root.get("materials") {
            for entry in item.entries()? {
                list.push((entry.key.to_owned(), material(entry)?));
            }
        }
        Ok(Materials { list, inline: BTreeMap::new() })
    }

    /// The material of a body: a name or an inline table.
    pub(super) fn resolve(&mut self, item: Item<'_, '_>) -> Result<MaterialId, SceneError> {
        if item.as_text().is_some() {
            return self.named(item);
        }
        let material = material(item)?;
        let next = MaterialId::nth(self.list.len() as u32);
        let id = *self.inline.entry(bits(&material)).or_insert(next);
        if id == next {
            self.list.push((String::new(), material));
        }
        Ok(id)
    }

    fn named(&self, item: Item<'_, '_>) -> Result<MaterialId, SceneError> {
        let given = item.text()?;
        let names = self.list.iter().map(|(name, _)| name.as_str()).filter(|name| !name.is_empty());
        match self.list.iter().position(|(name, _)| name == given && !name.is_empty()) {
            Some(i) => Ok(MaterialId::nth(i as u32)),
            None => Err(item.unknown_name("material", given, names)),
        }
    }

    pub(super) fn into_list(self) -> Vec<(String, Material)> {
        self.list
    }
}

fn bits(m: &Material) -> [u64; 9] {
    let Material {
        density,
        restitution,
        restitution_speed,
        tangential_restitution,
        static_friction,
        dynamic_friction,
        rolling_friction,
        torsional_friction,
        stiffness,
    } = *m;
    let speed = match restitution_speed {
        RestitutionSpeed::Constant => 0.0,
        RestitutionSpeed::Natural => -1.0,
        RestitutionSpeed::Given(speed) => speed,
    };
    let numbers = [
        density,
        restitution,
        speed,
        tangential_restitution,
        static_friction,
        dynamic_friction,
        rolling_friction,
        torsional_friction,
        stiffness,
    ];
    numbers.map(f64::to_bits)
}

/// A speed, or the word for sqrt(g D).
fn restitution_speed(item: Item<'_, '_>) -> Result<RestitutionSpeed, SceneError> {
    if item.as_text().is_some() {
        return item.one_of(&["natural"]).map(|_| RestitutionSpeed::Natural);
    }
    item.positive().map(RestitutionSpeed::Given)
}

fn material(item: Item<'_, '_>) -> Result<Material, SceneError> {
    let table = item.table("a material", MATERIAL)?;
    let density = table.require("density")?.positive()?;
    let restitution = table.require("restitution")?.between(0.0, 1.0)?;
    let static_friction = table.require("static_friction")?.not_negative()?;
    let material = Material {
        density,
        restitution,
        restitution_speed: table.or("restitution_speed", RestitutionSpeed::Constant, restitution_speed)?,
        tangential_restitution: table.or("tangential_restitution", 0.0, |i| i.between(0.0, 1.0))?,
        static_friction,
        dynamic_friction: table.or("dynamic_friction", static_friction, Item::not_negative)?,
        rolling_friction: table.or("rolling_friction", 0.0, Item::not_negative)?,
        torsional_friction: table.or("torsional_friction", 0.0, Item::not_negative)?,
        stiffness: table.or("stiffness", 1.0, Item::positive)?,
    };
    check_dynamic_friction(&table, material.dynamic_friction, static_friction)?;
    // The ranges above are the model's own; should those grow stricter, this still refuses.
    material.validate().map_err(|e| item.error(Kind::OutOfRange, e.to_string()))?;
    Ok(material)
}

fn check_dynamic_friction(table: &Table<'_, '_>, dynamic: f64, of_rest: f64) -> Result<(), SceneError> {
    if dynamic <= of_rest {
        return Ok(());
    }
    let item = table.require("dynamic_friction")?;
    let message = format!("`dynamic_friction` is {dynamic}, but must not be above the static friction of {of_rest}");
    Err(item.error(Kind::OutOfRange, message).label("out of range"))
}

/// The pairs that do not follow the mixing rule; what a pair does not say still does.
pub(super) fn pairs(
    root: &Table<'_, '_>,
    materials: &Materials,
) -> Result<Vec<(MaterialId, MaterialId, Coefficients)>, SceneError> {
    let Some(item) = root.get("pair") else { return Ok(Vec::new()) };
    let mut pairs: Vec<(MaterialId, MaterialId, Coefficients)> = Vec::new();
    for entry in item.array()? {
        let table = entry.table("a pair", PAIR)?;
        let names = table.require("materials")?;
        let [first, second] = names.array()?[..] else {
            return Err(names.error(Kind::WrongType, "`materials` must have two names").label("wrong length"));
        };
        let (a, b) = (materials.named(first)?, materials.named(second)?);
        if pairs.iter().any(|p| (p.0, p.1) == (a, b) || (p.1, p.0) == (a, b)) {
            return Err(names.error(Kind::Duplicate, "this pair of materials is given twice").label("the second one"));
        }
        pairs.push((a, b, coefficients(&table, materials, a, b)?));
    }
    Ok(pairs)
}

fn coefficients(
    table: &Table<'_, '_>,
    materials: &Materials,
    a: MaterialId,
    b: MaterialId,
) -> Result<Coefficients, SceneError> {
    let material = |id: MaterialId| &materials.list[id.index()].1;
    let mixed = Coefficients::mix(material(a), material(b));
    let static_friction = table.optional("static_friction", Item::not_negative)?;
    // As in a material: static friction alone stands for both.
    let sliding = static_friction.unwrap_or(mixed.dynamic_friction);
    let values = Coefficients {
        restitution: table.or("restitution", mixed.restitution, |i| i.between(0.0, 1.0))?,
        restitution_speed: table.or("restitution_speed", mixed.restitution_speed, restitution_speed)?,
        tangential_restitution: table
            .or("tangential_restitution", mixed.tangential_restitution, |i| i.between(0.0, 1.0))?,
        static_friction: static_friction.unwrap_or(mixed.static_friction),
        dynamic_friction: table.or("dynamic_friction", sliding, Item::not_negative)?,
        rolling_friction: table.or("rolling_friction", mixed.rolling_friction, Item::not_negative)?,
        torsional_friction: table.or("torsional_friction", mixed.torsional_friction, Item::not_negative)?,
        stiffness: table.or("stiffness", mixed.stiffness, Item::positive)?,
    };
    if table.get("dynamic_friction").is_some() {
        check_dynamic_friction(table, values.dynamic_friction, values.static_friction)?;
    }
    Ok(values)
}
