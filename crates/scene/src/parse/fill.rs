//! `[[fill]]`: many bodies of one shape on a start grid.

use granule_engine::BodyDescription;
use granule_geometry::Shape;
use granule_model::{BodyKind, DVec3};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::grid::{Filling, Grid, Pattern};
use crate::parse::grain;
use crate::parse::material::Materials;
use crate::parse::rectangle;
use crate::parse::shape::Shapes;
use crate::read::{Item, Table};

const FILL: &[&str] = &[
    "name",
    "shape",
    "grains",
    "material",
    "count",
    "layers",
    "grid",
    "jitter",
    "orientation",
    "velocity",
    "random_speed",
    "seed",
];
const GRID: &[&str] = &["corner", "size", "pitch", "layer_height", "first_layer", "pattern", "over"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[("fill", FILL), ("fill.grid", GRID)];

/// Most bodies and layers of one fill, and most bodies of a scene: what a count with a digit too many would ask for
/// would exhaust the memory.
pub(super) const MOST: u64 = 10_000_000;

/// Reads a fill: what to put, and the places. `body` finds the body that is named as ground; the scene has `room` for
/// so many bodies.
pub(super) fn read<'t, 's>(
    item: Item<'t, 's>,
    shapes: &mut Shapes<'t, 's>,
    materials: &mut Materials,
    body: impl FnOnce(Item<'_, '_>) -> Result<BodyDescription, SceneError>,
    room: usize,
) -> Result<(Filling, Vec<DVec3>), SceneError> {
    let table = item.table("a fill", FILL)?;
    let grid_item = table.require("grid")?;
    let mut filling = Filling {
        grid: grid(grid_item)?,
        ground: grid_item.table("a grid", GRID)?.optional("over", body)?,
        name: table.or("name", String::new(), |i| i.line().map(str::to_owned))?,
        shapes: Vec::new(),
        material: materials.resolve(table.require("material")?)?,
        count: 0,
        jitter: table.or("jitter", 0.0, Item::not_negative)?,
        random_orientation: table.or("orientation", false, |i| Ok(i.one_of(&["none", "random"])? == 1))?,
        velocity: table.or("velocity", DVec3::ZERO, Item::vector)?,
        random_speed: table.or("random_speed", 0.0, Item::not_negative)?,
        seed: table.or("seed", 0, |i| i.integer(0, i64::MAX as u64))?,
    };
    filling.shapes = bodies_shapes(&table, item, shapes, filling.seed)?;
    let Some(columns) = filling.grid.columns(filling.reach()) else {
        let (size, needed) = (filling.grid.size, 2.0 * filling.reach());
        let message = format!(
            "the grid of {} m by {} m has no room for its pattern: a body with its jitter takes up to {needed:.4} m",
            size[0], size[1]
        );
        return Err(grid_item.error(Kind::OutOfRange, message));
    };
    filling.count = count(&table, &filling.grid, columns)?;
    if filling.count > room {
        return Err(item.error(Kind::OutOfRange, format!("the scene has more than {MOST} bodies")));
    }
    let places = filling.places(columns).map_err(|at| {
        let message = format!("the place at x = {:.4} m, y = {:.4} m is not over the body `over`", at.x, at.y);
        grid_item.error(Kind::OutOfRange, message)
    })?;
    Ok((filling, places))
}

/// The shapes of the bodies: one for all, or grains of a recipe. A recipe needs `count`, for how many `layers` hold is
/// known once the largest grain is.
fn bodies_shapes<'t, 's>(
    table: &Table<'t, 's>,
    item: Item<'t, 's>,
    shapes: &mut Shapes<'t, 's>,
    seed: u64,
) -> Result<Vec<Shape>, SceneError> {
    match (table.get("shape"), table.get("grains")) {
        (Some(shape), None) => Ok(vec![shapes.for_body(shape, BodyKind::Dynamic)?]),
        (None, Some(recipe)) => {
            let count = table.require("count")?.integer(1, MOST)? as usize;
            grain::shapes(recipe, seed, count)
        }
        (Some(_), Some(recipe)) => Err(recipe.error(Kind::Conflict, "`grains` and `shape` exclude each other")),
        (None, None) => Err(table.require("shape").err().map_or_else(
            || item.error(Kind::MissingKey, "a fill needs `shape` or `grains`"),
            |e| e.help("or give `grains`, a recipe for shapes from seeds"),
        )),
    }
}

fn grid(item: Item<'_, '_>) -> Result<Grid, SceneError> {
    let table = item.table("a grid", GRID)?;
    let floor = rectangle(&table)?;
    let pitch = table.require("pitch")?;
    let (pitch, default_height) = if pitch.is_number() {
        let pitch = pitch.positive()?;
        ([pitch; 2], pitch)
    } else {
        let [x, y] = pitch.numbers::<2>()?;
        if !(x > 0.0 && y > 0.0) {
            return Err(pitch.error(Kind::OutOfRange, format!("`pitch` is [{x}, {y}], but must be above 0")));
        }
        ([x, y], x.max(y))
    };
    let patterns = [Pattern::Straight, Pattern::Staggered];
    Ok(Grid {
        corner: floor.min,
        size: [floor.max[0] - floor.min[0], floor.max[1] - floor.min[1]],
        pitch,
        layer_height: table.or("layer_height", default_height, Item::positive)?,
        first_layer: table.require("first_layer")?.number()?,
        pattern: table
            .or("pattern", Pattern::Straight, |i| i.one_of(&["straight", "staggered"]).map(|k| patterns[k]))?,
    })
}

/// How many bodies: `count`, or what fills `layers`.
fn count(table: &Table<'_, '_>, grid: &Grid, columns: [usize; 2]) -> Result<usize, SceneError> {
    match (table.get("count"), table.get("layers")) {
        (Some(count), None) => Ok(count.integer(1, MOST)? as usize),
        (None, Some(item)) => {
            let layers = item.integer(1, MOST)? as usize;
            // Layers come in pairs of different size at most.
            let (even, odd) = (layers.div_ceil(2), layers / 2);
            let [first, second] = [0, 1].map(|layer| grid.layer_size(columns, layer));
            let total = even.saturating_mul(first).saturating_add(odd.saturating_mul(second));
            match total as u64 <= MOST {
                true => Ok(total),
                false => {
                    Err(item.error(Kind::OutOfRange, format!("{layers} layers have {total} places, above {MOST}")))
                }
            }
        }
        (None, None) => Err(table.require("count").err().map_or_else(
            || SceneError::bare(Kind::MissingKey, "a fill needs `count` or `layers`"),
            |e| e.help("or give `layers`, the number of full layers"),
        )),
        (Some(_), Some(item)) => Err(item.error(Kind::Conflict, "`layers` and `count` exclude each other")),
    }
}
