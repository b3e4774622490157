//! `[[fill]]`: many bodies of one shape on a start grid.

use granule_engine::BodyDescription;
use granule_geometry::Shape;
use granule_model::{BodyKind, DVec3};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::graded::Graded;
use crate::grid::{Filling, Grid, Layout, Pattern};
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
        layout: layout(grid_item)?,
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
    let too_many = || item.error(Kind::OutOfRange, format!("the scene has more than {MOST} bodies"));
    filling.shapes = match source(&table, item, shapes, filling.seed)? {
        Source::One(shape) => vec![shape],
        Source::Grains(grains, count) => {
            // Grains take long to make: what is certain before is refused before.
            if count > room {
                return Err(too_many());
            }
            columns(&filling.layout, grains.least_reach()? + filling.jitter, grid_item)?;
            grains.make()?
        }
    };
    let columns = columns(&filling.layout, filling.reach(), grid_item)?;
    filling.count = count(&table, &filling.layout, columns)?;
    if filling.count > room {
        return Err(too_many());
    }
    let places = filling.places(columns).map_err(|at| {
        let message = format!("the place at x = {:.4} m, y = {:.4} m is not over the body `over`", at.x, at.y);
        grid_item.error(Kind::OutOfRange, message)
    })?;
    Ok((filling, places))
}

/// Where the shapes of the bodies come from.
enum Source<'t, 's> {
    /// One for all.
    One(Shape),
    /// Grains that are to be made, and how many bodies there are.
    Grains(Box<grain::Grains<'t, 's>>, usize),
}

/// The shape of all bodies, or grains of a recipe. A recipe needs `count`, for how many `layers` hold is known once the
/// largest grain is.
fn source<'t, 's>(
    table: &Table<'t, 's>,
    item: Item<'t, 's>,
    shapes: &mut Shapes<'t, 's>,
    seed: u64,
) -> Result<Source<'t, 's>, SceneError> {
    match (table.get("shape"), table.get("grains")) {
        (Some(shape), None) => Ok(Source::One(shapes.for_body(shape, BodyKind::Dynamic)?)),
        (None, Some(recipe)) => {
            let count = table.require("count")?.integer(1, MOST)? as usize;
            let grains = grain::Grains::read(recipe, seed, count, &mut shapes.remarks)?;
            Ok(Source::Grains(Box::new(grains), count))
        }
        (Some(_), Some(recipe)) => Err(recipe.error(Kind::Conflict, "`grains` and `shape` exclude each other")),
        (None, None) => Err(table.require("shape").err().map_or_else(
            || item.error(Kind::MissingKey, "a fill needs `shape` or `grains`"),
            |e| e.help("or give `grains`, a recipe for shapes from seeds"),
        )),
    }
}

fn layout(item: Item<'_, '_>) -> Result<Layout, SceneError> {
    let table = item.table("a grid", GRID)?;
    let floor = rectangle(&table)?;
    let (corner, size) = (floor.min, [floor.max[0] - floor.min[0], floor.max[1] - floor.min[1]]);
    let first_layer = table.require("first_layer")?.number()?;
    let pattern = match table.or("pattern", 0, |i| i.one_of(&["straight", "staggered", "graded"]))? {
        0 => Pattern::Straight,
        1 => Pattern::Staggered,
        _ => {
            let extra = ["pitch", "layer_height"].into_iter().find_map(|key| table.get(key).map(|item| (key, item)));
            return match extra {
                None => Ok(Layout::Graded(Graded { corner, size, first_layer })),
                Some((key, item)) => {
                    let message = format!("`{key}` and the pattern `graded` exclude each other: sizes give distances");
                    Err(item.error(Kind::Conflict, message))
                }
            };
        }
    };
    let (pitch, default_height) = pitch(table.require("pitch")?)?;
    let layer_height = table.or("layer_height", default_height, Item::positive)?;
    Ok(Layout::Even(Grid { corner, size, pitch, layer_height, first_layer, pattern }))
}

/// Distances of columns, and the larger of both.
fn pitch(item: Item<'_, '_>) -> Result<([f64; 2], f64), SceneError> {
    if item.is_number() {
        let pitch = item.positive()?;
        return Ok(([pitch; 2], pitch));
    }
    let [x, y] = item.numbers::<2>()?;
    if !(x > 0.0 && y > 0.0) {
        return Err(item.error(Kind::OutOfRange, format!("`pitch` is [{x}, {y}], but must be above 0")));
    }
    Ok(([x, y], x.max(y)))
}

/// Columns of an even grid in which bodies that reach so far \[m\] have room.
fn columns(layout: &Layout, reach: f64, item: Item<'_, '_>) -> Result<[usize; 2], SceneError> {
    let (columns, size) = match layout {
        Layout::Even(grid) => (grid.columns(reach), grid.size),
        Layout::Graded(graded) => (graded.has_room(reach).then_some([1; 2]), graded.size),
    };
    columns.ok_or_else(|| {
        let message = format!(
            "the grid of {} m by {} m has no room for its pattern: a body with its jitter takes up to {:.4} m",
            size[0],
            size[1],
            2.0 * reach
        );
        item.error(Kind::OutOfRange, message)
    })
}

/// How many bodies: `count`, or what fills `layers`.
fn count(table: &Table<'_, '_>, layout: &Layout, columns: [usize; 2]) -> Result<usize, SceneError> {
    match (table.get("count"), table.get("layers")) {
        (Some(count), None) => Ok(count.integer(1, MOST)? as usize),
        (None, Some(item)) => {
            let Layout::Even(grid) = layout else {
                let message = "`layers` and the pattern `graded` exclude each other: sizes give layers";
                return Err(item.error(Kind::Conflict, message).help("give `count`"));
            };
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
