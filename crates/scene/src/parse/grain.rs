//! Grains that are made from seeds: one as a shape, or many different ones for a fill.

use granule_geometry::{GrainOptions, Shape};
use granule_grains::{
    By, GrainShape, Harmonic, Random, Rock, Size, SizeDistribution, SizeSampler, SphereMesh, Subject, Superquadric,
};
use rayon::prelude::*;

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::read::{Item, Table};

const GRAIN: &[&str] = &["pebble", "superquadric", "rock", "diameter", "sieve_size", "seed", "nodes", "cells"];
const GRAINS: &[&str] = &["pebble", "superquadric", "rock", "diameter", "sieve_size", "nodes", "cells", "different"];
const FAMILIES: &[&str] = &["pebble", "superquadric", "rock"];
const PEBBLE: &[&str] = &["aspect", "angularity", "roughness", "degree"];
const SUPERQUADRIC: &[&str] = &["aspect", "exponents"];
const ROCK: &[&str] = &["faces", "aspect", "irregularity"];
const SIZES: &[&str] = &["uniform", "log-normal", "grading"];
const UNIFORM: &[&str] = &["min", "max", "by"];
const LOG_NORMAL: &[&str] = &["median", "sigma", "min", "max", "by"];
const GRADING: &[&str] = &["table"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("shape.grain", GRAIN),
    ("fill.grains", GRAINS),
    ("grain.pebble", PEBBLE),
    ("grain.superquadric", SUPERQUADRIC),
    ("grain.rock", ROCK),
    ("grain.diameter", SIZES),
    ("grain.diameter.uniform", UNIFORM),
    ("grain.diameter.log-normal", LOG_NORMAL),
    ("grain.diameter.grading", GRADING),
];

/// Surface nodes of a grain for which the scene says nothing.
const NODES: u64 = 500;
/// Cells of the grid across the diameter.
const CELLS: f64 = 20.0;
/// Vertices of the surface from which a grain's distances are computed; a series of degree 15 is resolved.
const VERTICES: usize = 2562;

/// How grains are to be made.
pub(super) struct Recipe {
    family: GrainShape,
    sizes: SizeSampler,
    /// Whether sizes are the openings of sieves.
    sieved: bool,
    nodes: usize,
    cells: f64,
    /// The directions in which surfaces are sampled, the same for all.
    sphere: SphereMesh,
}

/// The shape of a `grain` table.
pub(super) fn shape(item: Item<'_, '_>) -> Result<Shape, SceneError> {
    let table = item.table("a grain", GRAIN)?;
    let recipe = Recipe::read(&table, item)?;
    let seed = table.or("seed", 0, |i| i.integer(0, i64::MAX as u64))?;
    recipe.grain(seed, 0).map_err(|message| item.error(Kind::Shape, message))
}

/// The shapes of a `grains` table: `count` different ones unless the table says fewer.
pub(super) fn shapes(item: Item<'_, '_>, seed: u64, count: usize) -> Result<Vec<Shape>, SceneError> {
    let table = item.table("the grains of a fill", GRAINS)?;
    let recipe = Recipe::read(&table, item)?;
    let different = table.or("different", count as u64, |i| i.integer(1, count.max(1) as u64))?;
    let made: Vec<_> = (0..different).into_par_iter().map(|index| recipe.grain(seed, index)).collect();
    made.into_iter().collect::<Result<_, _>>().map_err(|message| item.error(Kind::Shape, message))
}

impl Recipe {
    fn read(table: &Table<'_, '_>, item: Item<'_, '_>) -> Result<Self, SceneError> {
        let given: Vec<_> = FAMILIES.iter().filter_map(|family| table.get(family).map(|i| (*family, i))).collect();
        let &[(family, value)] = &given[..] else {
            let message = format!("grains need one of `{}`, not {}", FAMILIES.join("`, `"), given.len());
            return Err(item.error(Kind::Conflict, message));
        };
        let family = match family {
            "pebble" => pebble(value)?,
            "rock" => rock(value)?,
            _ => superquadric(value)?,
        };
        family.check().map_err(|e| value.error(Kind::OutOfRange, e.to_string()))?;
        let (sieved, size) = match (table.get("diameter"), table.get("sieve_size")) {
            (Some(size), None) => (false, size),
            (None, Some(size)) => (true, size),
            (None, None) => {
                return Err(table.require("diameter").err().unwrap_or_else(|| item.error(Kind::MissingKey, "no size")));
            }
            (Some(_), Some(size)) => {
                return Err(size.error(Kind::Conflict, "`diameter` and `sieve_size` exclude each other"));
            }
        };
        let sizes = sizes(size)?.sampler().map_err(|e| size.error(Kind::OutOfRange, e.to_string()))?;
        let nodes = table.or("nodes", NODES, |i| i.integer(12, 65_000))? as usize;
        let cells = table.or("cells", CELLS, |i| i.between(6.0, 200.0))?;
        let sphere = SphereMesh::with_vertices(VERTICES).map_err(|e| item.error(Kind::Shape, e.to_string()))?;
        Ok(Recipe { family, sizes, sieved, nodes, cells, sphere })
    }

    /// Grain `index` of a seed, which depends on nothing else.
    fn grain(&self, seed: u64, index: u64) -> Result<Shape, String> {
        let size = self.sizes.sample(&mut Random::of(seed, Subject::Size, index));
        let size = if self.sieved { Size::Sieve(size) } else { Size::EquivalentDiameter(size) };
        let grain = self.family.grain(seed, index).map_err(|e| e.to_string())?;
        let surface = grain.surface(&self.sphere).resized(size).map_err(|e| e.to_string())?;
        let made = if grain.is_convex() && matches!(self.family, GrainShape::Rock(_)) {
            Shape::convex(surface.vertices())
        } else {
            let options = GrainOptions { spacing: surface.equivalent_diameter() / self.cells, nodes: self.nodes };
            Shape::level_set_mesh(surface.vertices(), surface.triangles(), &options)
        };
        made.map_err(|e| format!("grain {index} cannot be built: {e}"))
    }
}

fn aspect(table: &Table<'_, '_>, default: [f64; 2]) -> Result<[f64; 2], SceneError> {
    table.or("aspect", default, Item::numbers::<2>)
}

fn pebble(item: Item<'_, '_>) -> Result<GrainShape, SceneError> {
    let table = item.table("a pebble", PEBBLE)?;
    let plain = Harmonic::default();
    Ok(GrainShape::Harmonic(Harmonic {
        aspect: aspect(&table, plain.aspect)?,
        angularity: table.or("angularity", plain.angularity, Item::not_negative)?,
        roughness: table.or("roughness", plain.roughness, Item::not_negative)?,
        degree: table.or("degree", plain.degree as u64, |i| i.integer(2, 15))? as usize,
    }))
}

fn rock(item: Item<'_, '_>) -> Result<GrainShape, SceneError> {
    let table = item.table("a rock", ROCK)?;
    let plain = Rock::default();
    Ok(GrainShape::Rock(Rock {
        faces: table.or("faces", plain.faces as u64, |i| i.integer(6, 40))? as usize,
        aspect: aspect(&table, plain.aspect)?,
        irregularity: table.or("irregularity", plain.irregularity, Item::not_negative)?,
    }))
}

fn superquadric(item: Item<'_, '_>) -> Result<GrainShape, SceneError> {
    let table = item.table("a superquadric", SUPERQUADRIC)?;
    let [elongation, flatness] = aspect(&table, [1.0, 1.0])?;
    let exponents = table.or("exponents", [1.0, 1.0], Item::numbers::<2>)?;
    Ok(GrainShape::Superquadric(Superquadric { half_axes: [1.0, elongation, elongation * flatness], exponents }))
}

/// A size, or how sizes are distributed.
fn sizes(item: Item<'_, '_>) -> Result<SizeDistribution, SceneError> {
    if item.is_number() {
        return Ok(SizeDistribution::Fixed(item.positive()?));
    }
    let (kind, value) = item.tagged("a distribution of sizes", SIZES)?;
    let by = |table: &Table<'_, '_>| {
        table.or("by", By::Number, |i| Ok([By::Number, By::Mass][i.one_of(&["number", "mass"])?]))
    };
    match SIZES[kind] {
        "uniform" => {
            let table = value.table("a uniform distribution", UNIFORM)?;
            let [min, max] = [table.require("min")?.positive()?, table.require("max")?.positive()?];
            Ok(SizeDistribution::Uniform { min, max, by: by(&table)? })
        }
        "log-normal" => {
            let table = value.table("a log-normal distribution", LOG_NORMAL)?;
            Ok(SizeDistribution::LogNormal {
                median: table.require("median")?.positive()?,
                sigma: table.require("sigma")?.positive()?,
                min: table.require("min")?.positive()?,
                max: table.require("max")?.positive()?,
                by: by(&table)?,
            })
        }
        _ => {
            let table = value.table("a grading curve", GRADING)?.require("table")?;
            let rows = table.array()?.into_iter().map(|row| row.numbers::<2>().map(|[size, share]| (size, share)));
            Ok(SizeDistribution::Sieve(rows.collect::<Result<_, _>>()?))
        }
    }
}
