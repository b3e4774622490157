//! Grains that are made from seeds: one as a shape, or many different ones for a fill.

use std::f64::consts::PI;

use granule_geometry::{GrainOptions, Shape, ShapeError};
use granule_grains::{
    By, GrainShape, Harmonic, Random, Rock, Size, SizeDistribution, SizeSampler, SphereMesh, Subject, Superquadric,
    Surface,
};
use rayon::prelude::*;

use crate::error::{SceneError, SceneErrorKind as Kind, line_column, listed};
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

/// Surface nodes of a level set for which the scene says nothing.
const NODES: u64 = 500;
/// Cells of the grid across the diameter.
const CELLS: f64 = 20.0;
/// Fewest and most of them.
const CELLS_RANGE: [f64; 2] = [6.0, 200.0];
/// Share of a log-normal distribution below which what its cut leaves is hardly meant.
const KEPT: f64 = 0.01;
/// Lowest degree of roughness: corners have those below.
const ROUGH_DEGREE: usize = 9;
/// Depth of the waves of roughness between nodes over the radius above which bodies sink in by more than half of it:
/// 0.044 is left by `roughness = 0.2` and 500 nodes, and 0.043 was measured.
const HIDDEN_WAVES: f64 = 0.02;
/// Grains that are made before the first that cannot be made is looked for.
const BATCH: u64 = 64;
/// Share of its reach by which the farthest node of a grain may be nearer than its farthest point, times the number of
/// nodes: of a ball they cover 2.4 / nodes of the radius, and ends are sharper.
const NODES_SHORT: f64 = 4.0;
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
/// What of it is hardly meant is added to `remarks`.
pub(super) fn shape(item: Item<'_, '_>, remarks: &mut Vec<String>) -> Result<Shape, SceneError> {
    let table = item.table("a grain", GRAIN)?;
    let recipe = Recipe::read(&table, item, remarks)?;
    let seed = table.or("seed", 0, |i| i.integer(0, i64::MAX as u64))?;
    recipe.grain(seed, 0).map_err(|message| item.error(Kind::Shape, message))
}

/// The grains of a `grains` table before they are made.
pub(super) struct Grains<'t, 's> {
    item: Item<'t, 's>,
    recipe: Recipe,
    seed: u64,
    /// How many different ones.
    different: u64,
}

impl<'t, 's> Grains<'t, 's> {
    /// Reads the table: `count` different grains unless it says fewer.
    pub(super) fn read(
        item: Item<'t, 's>,
        seed: u64,
        count: usize,
        remarks: &mut Vec<String>,
    ) -> Result<Self, SceneError> {
        let table = item.table("the grains of a fill", GRAINS)?;
        let recipe = Recipe::read(&table, item, remarks)?;
        let different = table.or("different", count as u64, |i| i.integer(1, count.max(1) as u64))?;
        Ok(Grains { item, recipe, seed, different })
    }

    /// A length that the bounding radius of the largest grain is not below \[m\], from surfaces alone: these take a
    /// small part of the time in which grains are made.
    pub(super) fn least_reach(&self) -> Result<f64, SceneError> {
        let reaches = self.each(|index| Ok(self.recipe.least_reach(&self.recipe.surface(self.seed, index)?)))?;
        Ok(reaches.into_iter().fold(0.0, f64::max))
    }

    /// The shapes.
    pub(super) fn make(&self) -> Result<Vec<Shape>, SceneError> {
        self.each(|index| self.recipe.grain(self.seed, index))
    }

    /// What `each` gives for all grains, or the first error in their order, soon after it is met.
    fn each<T: Send>(&self, each: impl Fn(u64) -> Result<T, String> + Sync) -> Result<Vec<T>, SceneError> {
        let mut all = Vec::new();
        for first in (0..self.different).step_by(BATCH as usize) {
            let batch = first..self.different.min(first + BATCH);
            let made: Vec<_> = batch.into_par_iter().map(&each).collect();
            for one in made {
                all.push(one.map_err(|message| self.item.error(Kind::Shape, message))?);
            }
        }
        Ok(all)
    }
}

impl Recipe {
    fn read(table: &Table<'_, '_>, item: Item<'_, '_>, remarks: &mut Vec<String>) -> Result<Self, SceneError> {
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
        let distribution = sizes(size)?;
        let sizes = distribution.sampler().map_err(|e| size.error(Kind::OutOfRange, e.to_string()))?;
        remarks.extend(cut(size, &distribution));
        let of_grid = ["nodes", "cells"].into_iter().find_map(|key| Some((key, table.get(key)?)));
        if let (GrainShape::Rock(_), Some((key, value))) = (&family, of_grid) {
            let message = format!("`{key}` has no effect on a rock, which is a convex polyhedron without a grid");
            return Err(value.error(Kind::Conflict, message));
        }
        let nodes = nodes(table)?;
        remarks.extend(hidden_waves(value, &family, nodes));
        let cells = table.or("cells", CELLS, |i| i.between(CELLS_RANGE[0], CELLS_RANGE[1]))?;
        let sphere = SphereMesh::with_vertices(VERTICES).map_err(|e| item.error(Kind::Shape, e.to_string()))?;
        Ok(Recipe { family, sizes, sieved, nodes, cells, sphere })
    }

    /// The surface of grain `index` of a seed, which depends on nothing else \[m\].
    fn surface(&self, seed: u64, index: u64) -> Result<Surface, String> {
        let size = self.sizes.sample(&mut Random::of(seed, Subject::Size, index));
        let size = if self.sieved { Size::Sieve(size) } else { Size::EquivalentDiameter(size) };
        let grain = self.family.grain(seed, index).map_err(|e| e.to_string())?;
        grain.surface(&self.sphere).resized(size).map_err(|e| e.to_string())
    }

    /// A length that the bounding radius of the grain with that surface is not below \[m\].
    fn least_reach(&self, surface: &Surface) -> f64 {
        let short = if self.is_polyhedron() { 0.0 } else { NODES_SHORT / self.nodes as f64 };
        (1.0 - short) * surface.reach()
    }

    fn is_polyhedron(&self) -> bool {
        matches!(self.family, GrainShape::Rock(_))
    }

    /// Grain `index` of a seed.
    fn grain(&self, seed: u64, index: u64) -> Result<Shape, String> {
        let surface = self.surface(seed, index)?;
        let made = if self.is_polyhedron() {
            Shape::convex(surface.vertices())
        } else {
            let options = GrainOptions { spacing: surface.equivalent_diameter() / self.cells, nodes: self.nodes };
            Shape::level_set_mesh(surface.vertices(), surface.triangles(), &options)
        };
        made.map_err(|e| format!("grain {index} cannot be built: {}", self.refused(&e, surface.equivalent_diameter())))
    }

    /// Why a grain of that diameter cannot be built, in terms of the recipe.
    fn refused(&self, error: &ShapeError, diameter: f64) -> String {
        let ShapeError::TooThin { thickness, needed, .. } = error else { return error.to_string() };
        let cells = libm::ceil(diameter / needed);
        let thin = format!(
            "it is {thickness:.2e} m thick where it is thickest, too thin for a grid of {} cells across the diameter of \
             {diameter:.3e} m",
            self.cells
        );
        if cells <= CELLS_RANGE[1] {
            format!("{thin}: give `cells = {cells}` or more")
        } else {
            format!("{thin}, and {cells} cells would be needed, above {}: give a thicker form", CELLS_RANGE[1])
        }
    }
}

/// The number of surface nodes of a level set.
pub(super) fn nodes(table: &Table<'_, '_>) -> Result<usize, SceneError> {
    let [fewest, most] = [GrainOptions::NODES.start(), GrainOptions::NODES.end()].map(|n| *n as u64);
    Ok(table.or("nodes", NODES, |i| i.integer(fewest, most))? as usize)
}

/// What is to be told of a form that is too rough for its nodes, which find its contacts.
///
/// On a unit ball with an even hexagonal pattern the middle of three nodes is `sqrt(8 pi / (3 sqrt 3) / nodes)` away
/// from them. A wave of degree `n` and amplitude `D_n` (see [`Harmonic`]) that has its crest there is seen at
/// `D_n cos(n x)` only; waves of different degrees are independent, so their squares are added.
fn hidden_waves(item: Item<'_, '_>, family: &GrainShape, nodes: usize) -> Option<String> {
    let GrainShape::Harmonic(pebble) = family else { return None };
    let away = libm::sqrt(8.0 * PI / (3.0 * libm::sqrt(3.0)) / nodes as f64);
    let unseen = |n: usize| 1.0 - libm::cos((n as f64 * away).min(PI));
    let waves = pebble.amplitudes().into_iter().enumerate().skip(ROUGH_DEGREE);
    let hidden = libm::sqrt(waves.map(|(n, amplitude)| amplitude * unseen(n)).map(|depth| depth * depth).sum());
    let (line, _) = line_column(&item.source.text, item.span().start);
    (hidden > HIDDEN_WAVES).then(|| {
        format!(
            "`roughness` {} of the pebble on line {line} makes waves of {:.1} % of the radius between its {nodes} `nodes`, \
             and it may sink in by as much, usual are up to {} %: give more `nodes` or less `roughness`",
            pebble.roughness,
            100.0 * hidden,
            100.0 * HIDDEN_WAVES
        )
    })
}

/// What is to be told of a log-normal distribution of which hardly anything is left.
fn cut(item: Item<'_, '_>, distribution: &SizeDistribution) -> Option<String> {
    let SizeDistribution::LogNormal { median, min, max, by, .. } = distribution else { return None };
    let share = distribution.share_kept();
    let (line, _) = line_column(&item.source.text, item.span().start);
    let of = if *by == By::Mass { "mass" } else { "grains" };
    (share < KEPT).then(|| {
        format!(
            "`{}` on line {line} is log-normal with a median of {median} m, and only {:.1e} of its {of} lie between {min} m \
             and {max} m: sizes are drawn from these, usual are {KEPT} at least",
            item.key, share
        )
    })
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
    if item.as_text().is_some() {
        let what = format!("a number above 0, in m, or a table with one of {}", listed(SIZES.iter().copied()));
        return Err(item.wrong_type(&what));
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
