//! `[measure]` and `[output]`: what a run measures and writes.

use granule_measure::{Fall, LongSide, ReposeGrid};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::parse::rectangle;
use crate::plan::{
    AvalanchePlan, MeasurePlan, MoundPlan, OutputPlan, PackingPlan, PictureColour, PictureFraming, Pictures, ReposePlan,
};
use crate::read::{Item, Table};

const MEASURE: &[&str] = &["repose", "packing", "avalanche", "mound"];
const REPOSE: &[&str] = &["corner", "size", "direction", "strips", "cells", "height"];
const PACKING: &[&str] = &["corner", "size", "height", "inset", "quantile"];
const OUTPUT: &[&str] = &[
    "summary",
    "energy_every",
    "final_state",
    "contacts",
    "vtk",
    "frames_per_second",
    "pictures",
    "film",
    "colour",
    "framing",
    "relief",
    "plots",
];
const COLOURS: [&str; 5] = ["body", "speed", "height", "start-height", "avalanche"];
const AVALANCHE: &[&str] = &["direction", "cell", "speed", "outline"];
const MOUND: &[&str] = &["centre", "height"];
/// Most strips, and cells in a strip.
const MOST_CELLS: u64 = 10_000;
/// Share of the centres of a pile below the top of its core: the surface of a settled bed is about two layers rough.
const CORE_QUANTILE: f64 = 0.8;
/// Speed below which mass counts as stopped \[m/s\]: a block of a metre that creeps on a slope, not one that rolls.
const STOPPED_SPEED: f64 = 0.1;

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("measure", MEASURE),
    ("measure.repose", REPOSE),
    ("measure.packing", PACKING),
    ("measure.avalanche", AVALANCHE),
    ("measure.mound", MOUND),
    ("output", OUTPUT),
];

pub(super) fn measure(root: &Table<'_, '_>) -> Result<MeasurePlan, SceneError> {
    let Some(item) = root.get("measure") else { return Ok(MeasurePlan::default()) };
    let table = item.table("`[measure]`", MEASURE)?;
    Ok(MeasurePlan {
        repose: table.optional("repose", repose)?,
        packing: table.optional("packing", packing)?,
        avalanche: table.optional("avalanche", avalanche)?,
        mound: table.optional("mound", mound)?,
    })
}

fn repose(item: Item<'_, '_>) -> Result<ReposePlan, SceneError> {
    let table = item.table("`[measure.repose]`", REPOSE)?;
    let directions = [
        (LongSide::X, Fall::Positive),
        (LongSide::X, Fall::Negative),
        (LongSide::Y, Fall::Positive),
        (LongSide::Y, Fall::Negative),
    ];
    let (long_side, fall) = directions[table.or("direction", 0, |i| i.one_of(&["+x", "-x", "+y", "-y"]))?];
    let cells = |key, default: usize, fewest| table.or(key, default as u64, |i| i.integer(fewest, MOST_CELLS));
    Ok(ReposePlan {
        floor: rectangle(&table)?,
        long_side,
        fall,
        strips: cells("strips", ReposeGrid::STRIPS, 1)? as usize,
        cells_per_strip: cells("cells", ReposeGrid::CELLS_PER_STRIP, 2)? as usize,
        height: table.optional("height", Item::number)?,
    })
}

fn packing(item: Item<'_, '_>) -> Result<PackingPlan, SceneError> {
    let table = item.table("`[measure.packing]`", PACKING)?;
    Ok(PackingPlan {
        floor: rectangle(&table)?,
        height: table.or("height", 0.0, Item::number)?,
        inset: table.or("inset", 0.0, Item::not_negative)?,
        quantile: table.or("quantile", CORE_QUANTILE, Item::share)?,
    })
}

fn avalanche(item: Item<'_, '_>) -> Result<AvalanchePlan, SceneError> {
    let table = item.table("`[measure.avalanche]`", AVALANCHE)?;
    let item = table.require("direction")?;
    let given = item.vector()?;
    // Scaled first: the square of a tiny component may vanish.
    let flat = given / given.abs().max_element();
    if given.z != 0.0 || !flat.is_finite() {
        let [x, y, z] = given.to_array();
        let message = format!("`direction` is [{x}, {y}, {z}], but must be horizontal and not zero");
        return Err(item.error(Kind::OutOfRange, message));
    }
    let flat = flat.normalize();
    Ok(AvalanchePlan {
        direction: [flat.x, flat.y],
        cell: table.optional("cell", Item::positive)?,
        speed: table.or("speed", STOPPED_SPEED, Item::positive)?,
        outline: table.optional("outline", Item::positive)?,
    })
}

fn mound(item: Item<'_, '_>) -> Result<MoundPlan, SceneError> {
    let table = item.table("`[measure.mound]`", MOUND)?;
    Ok(MoundPlan {
        centre: table.optional("centre", Item::numbers::<2>)?,
        height: table.optional("height", Item::number)?,
    })
}

pub(super) fn plan(root: &Table<'_, '_>) -> Result<OutputPlan, SceneError> {
    let defaults = OutputPlan::default();
    let Some(item) = root.get("output") else { return Ok(defaults) };
    let table = item.table("`[output]`", OUTPUT)?;
    let pictures = [Pictures::FirstLast, Pictures::Stages, Pictures::None];
    let colours = [
        PictureColour::Body,
        PictureColour::Speed,
        PictureColour::Height,
        PictureColour::StartHeight,
        PictureColour::Avalanche,
    ];
    let framings = [PictureFraming::Run, PictureFraming::LastStage];
    let every = |i: Item<'_, '_>| i.integer(0, u64::from(u32::MAX)).map(|n| n as u32);
    Ok(OutputPlan {
        summary: table.or("summary", defaults.summary, Item::boolean)?,
        energy_every: table.or("energy_every", defaults.energy_every, every)?,
        final_state: table.or("final_state", defaults.final_state, Item::boolean)?,
        contacts: table.or("contacts", defaults.contacts, Item::boolean)?,
        vtk: table.optional("vtk", Item::boolean)?,
        frames_per_second: table.or("frames_per_second", defaults.frames_per_second, Item::positive)?,
        pictures: table
            .or("pictures", defaults.pictures, |i| i.one_of(&["first-last", "stages", "none"]).map(|k| pictures[k]))?,
        film: table.or("film", defaults.film, Item::boolean)?,
        colour: table.or("colour", defaults.colour, |i| i.one_of(&COLOURS).map(|k| colours[k]))?,
        framing: table.or("framing", defaults.framing, |i| i.one_of(&["run", "last-stage"]).map(|k| framings[k]))?,
        relief: table.optional("relief", Item::boolean)?,
        plots: table.or("plots", defaults.plots, Item::boolean)?,
    })
}
