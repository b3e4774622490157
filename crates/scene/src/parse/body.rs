//! `[[body]]`: single bodies, and the order in which bodies and fills come.

use std::collections::BTreeMap;

use granule_engine::{BodyDescription, Motion};
use granule_model::{BodyKind, DQuat, DVec3, Pose, Velocity};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::parse::fill;
use crate::parse::material::Materials;
use crate::parse::shape::Shapes;
use crate::read::{Item, Table};
use crate::scene::Origin;

const BODY: &[&str] =
    &["name", "kind", "shape", "material", "position", "orientation", "velocity", "angular_velocity", "mass", "motion"];
const KINDS: [&str; 3] = ["dynamic", "static", "driven"];
const MOTIONS: &[&str] = &["constant", "sine"];
const CONSTANT: &[&str] = &["velocity", "angular_velocity"];
const SINE: &[&str] = &["amplitude", "frequency", "phase"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] =
    &[("body", BODY), ("motion", MOTIONS), ("motion.constant", CONSTANT), ("motion.sine", SINE)];

/// The bodies of a scene with the places of the text that they come from.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) list: Vec<BodyDescription>,
    pub(super) origins: Vec<Origin>,
    /// Seed of each fill.
    pub(super) seeds: Vec<u64>,
    names: BTreeMap<String, usize>,
}

impl Bodies {
    fn add(&mut self, item: Item<'_, '_>, body: BodyDescription) -> Result<(), SceneError> {
        if !body.name.is_empty() && self.names.insert(body.name.clone(), self.list.len()).is_some() {
            return Err(item.error(Kind::Duplicate, format!("there are two bodies called `{}`", body.name)));
        }
        self.list.push(body);
        let entry = if item.key == "fill" { "fill" } else { "body" };
        self.origins.push(Origin { span: item.span(), entry });
        Ok(())
    }

    /// The body that `item` names, of those before it.
    fn called(&self, item: Item<'_, '_>) -> Result<BodyDescription, SceneError> {
        let name = item.text()?;
        let found = self.names.get(name).map(|i| self.list[*i].clone());
        found.ok_or_else(|| item.unknown_name("body before the fill", name, self.names.keys().map(String::as_str)))
    }
}

/// Reads bodies and fills in the order of the file.
pub(super) fn read<'t, 's>(
    root: &Table<'t, 's>,
    shapes: &mut Shapes<'t, 's>,
    materials: &mut Materials,
) -> Result<Bodies, SceneError> {
    let mut items = root.or("body", Vec::new(), Item::array)?;
    items.extend(root.or("fill", Vec::new(), Item::array)?);
    items.sort_by_key(|i| i.span().start);
    let mut bodies = Bodies::default();
    for item in items {
        if item.key == "body" {
            bodies.add(item, body(item, shapes, materials)?)?;
            continue;
        }
        let room = (fill::MOST as usize).saturating_sub(bodies.list.len());
        let (filling, places) = fill::read(item, shapes, materials, |ground| bodies.called(ground), room)?;
        bodies.seeds.push(filling.seed);
        filling.bodies(places).try_for_each(|body| bodies.add(item, body))?;
    }
    Ok(bodies)
}

fn body<'t, 's>(
    item: Item<'t, 's>,
    shapes: &mut Shapes<'t, 's>,
    materials: &mut Materials,
) -> Result<BodyDescription, SceneError> {
    let table = item.table("a body", BODY)?;
    let kind = table.or("kind", BodyKind::Dynamic, |i| {
        i.one_of(&KINDS).map(|k| [BodyKind::Dynamic, BodyKind::Static, BodyKind::Driven][k])
    })?;
    let rotation = table.or("orientation", DQuat::IDENTITY, Item::rotation)?;
    let body = BodyDescription {
        name: table.or("name", String::new(), |i| i.line().map(str::to_owned))?,
        kind,
        shape: shapes.for_body(table.require("shape")?, kind)?,
        material: materials.resolve(table.require("material")?)?,
        pose: Pose::new(table.require("position")?.point()?, rotation),
        velocity: Velocity {
            linear: table.or("velocity", DVec3::ZERO, Item::vector)?,
            angular: table.or("angular_velocity", DVec3::ZERO, Item::vector)?,
        },
        mass: table.optional("mass", Item::positive)?,
        motion: table.optional("motion", motion)?,
    };
    check_kind(&table, &body)?;
    Ok(body)
}

/// Refuses what makes no sense for the kind of body.
fn check_kind(table: &Table<'_, '_>, body: &BodyDescription) -> Result<(), SceneError> {
    let forbid = |key: &'static str, given: bool, reason: &str| match table.get(key) {
        Some(item) if given => Err(item.error(Kind::Conflict, format!("`{key}` {reason}"))),
        _ => Ok(()),
    };
    let of_dynamic = "is only for dynamic bodies: a static or driven one has no finite mass";
    forbid("mass", body.kind != BodyKind::Dynamic, of_dynamic)?;
    forbid("motion", body.kind != BodyKind::Driven, "is only for driven bodies")?;
    let fixed = body.kind == BodyKind::Static;
    let moves = [body.velocity.linear != DVec3::ZERO, body.velocity.angular != DVec3::ZERO];
    forbid("velocity", fixed && moves[0], "of a static body must be zero")?;
    forbid("angular_velocity", fixed && moves[1], "of a static body must be zero")?;
    let twice = "says again what `motion` says";
    forbid("velocity", body.motion.is_some(), twice)?;
    forbid("angular_velocity", body.motion.is_some(), twice)
}

fn motion(item: Item<'_, '_>) -> Result<Motion, SceneError> {
    let (kind, value) = item.tagged("a motion", MOTIONS)?;
    if MOTIONS[kind] == "constant" {
        let table = value.table("a constant motion", CONSTANT)?;
        let linear = table.or("velocity", DVec3::ZERO, Item::vector)?;
        let angular = table.or("angular_velocity", DVec3::ZERO, Item::vector)?;
        return Ok(Motion::Constant(Velocity { linear, angular }));
    }
    let table = value.table("a sine motion", SINE)?;
    Ok(Motion::Sine {
        amplitude: table.require("amplitude")?.vector()?,
        frequency: table.require("frequency")?.not_negative()?,
        phase: table.or("phase", 0.0, Item::number)?,
    })
}
