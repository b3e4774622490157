//! Level sets from volumes of voxels: which values are inside, how large a voxel is.

use std::path::Path;

use granule_geometry::{GrainOptions, Inside, Shape, VoxelVolume};
use granule_model::DVec3;

use crate::data_file::range_of;
use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::read::{Item, Table};
use crate::volume_file::Volume;

/// Largest label: above, whole numbers that differ by one are the same in f32, as which values are read.
const LARGEST_LABEL: f64 = 16_777_216.0;
/// Most values that a message names one by one.
const FEW: usize = 12;
/// Value of the voxels inside of a volume of zeros and ones.
const ONE: f32 = 1.0;

/// The grain in the volume that `file` of the table names; files are looked for in `folder`.
pub(super) fn shape(
    table: &Table<'_, '_>,
    file: Item<'_, '_>,
    folder: &Path,
    nodes: usize,
) -> Result<Shape, SceneError> {
    let name = file.text()?;
    let refused = |kind, e: &dyn std::fmt::Display| file.error(kind, format!("the volume file `{name}`: {e}"));
    let volume = Volume::load(&folder.join(name)).map_err(|e| refused(Kind::MeshFile, &e))?;
    let voxel = voxel(table, file, &volume)?;
    let inside = inside(table, file, &volume)?;
    check_sides(file, name, &volume, inside)?;
    let spacing = table.or("spacing", voxel, Item::positive)?;
    let volume = VoxelVolume { size: volume.size, voxel, origin: DVec3::ZERO, values: volume.values };
    Shape::level_set_volume(&volume, inside, &GrainOptions { spacing, nodes }).map_err(|e| refused(Kind::Shape, &e))
}

/// That there are voxels inside and outside: which values there are says what was mistaken.
fn check_sides(file: Item<'_, '_>, name: &str, volume: &Volume, inside: Inside) -> Result<(), SceneError> {
    let (holds, said): (fn(f32, f32) -> bool, _) = match inside {
        Inside::Above(_) => (|v, bound| v > bound, "above"),
        Inside::Below(_) => (|v, bound| v < bound, "below"),
        Inside::Label(_) => (|v, label| v == label, "equal to the label"),
    };
    let (Inside::Above(bound) | Inside::Below(bound) | Inside::Label(bound)) = inside;
    let count = volume.values.iter().filter(|v| holds(**v, bound)).count();
    // What no number can be compared with is refused with its place.
    if !bound.is_finite() || (count > 0 && count < volume.values.len()) {
        return Ok(());
    }
    let (side, which) = if count == 0 { ("inside", "no") } else { ("outside", "every") };
    let message = format!("the volume file `{name}`: nothing is {side}: {which} value is {said} {bound}");
    Err(file.error(Kind::Shape, message).help(values_told(volume)))
}

/// The whole numbers that are the only values, where they are few, or from where to where values go.
fn values_told(volume: &Volume) -> String {
    let mut labels: Vec<f32> = Vec::new();
    for value in &volume.values {
        if !labels.contains(value) {
            labels.push(*value);
        }
        if labels.len() > FEW {
            let [low, high] = range_of(&volume.values);
            return format!("the values go from {low} to {high}");
        }
    }
    labels.sort_by(f32::total_cmp);
    format!("the values are {}", labels.iter().map(f32::to_string).collect::<Vec<_>>().join(", "))
}

/// The edge of a voxel \[m\], which either the scene or the description of the file says.
fn voxel(table: &Table<'_, '_>, file: Item<'_, '_>, volume: &Volume) -> Result<f64, SceneError> {
    match (volume.voxel, table.get("voxel")) {
        (None, Some(given)) => given.positive(),
        (None, None) => {
            Err(file.error(Kind::MissingKey, "the file does not say how large its voxels are: give `voxel`"))
        }
        (Some(_), Some(given)) => {
            let message = "`voxel` is said by the description beside the file already";
            Err(given.error(Kind::Conflict, message))
        }
        (Some([x, y, z]), None) if x == y && y == z => Ok(x),
        (Some([x, y, z]), None) => {
            let message = format!("voxels of {x} x {y} x {z} m, but a level set is made of cubes: resample the volume");
            Err(file.error(Kind::Shape, message))
        }
    }
}

/// Which values are inside.
fn inside(table: &Table<'_, '_>, file: Item<'_, '_>, volume: &Volume) -> Result<Inside, SceneError> {
    let given: Vec<_> =
        ["above", "below", "label"].into_iter().filter_map(|key| Some((key, table.get(key)?))).collect();
    match given[..] {
        [] => binary(file, volume),
        [("above", value)] => Ok(Inside::Above(value.number()? as f32)),
        [("below", value)] => Ok(Inside::Below(value.number()? as f32)),
        [(_, value)] => Ok(Inside::Label(value.between(-LARGEST_LABEL, LARGEST_LABEL)? as f32)),
        [(first, _), (second, value), ..] => {
            Err(value.error(Kind::Conflict, format!("`{first}` and `{second}` exclude each other")))
        }
    }
}

/// The ones of a volume of zeros and ones.
fn binary(file: Item<'_, '_>, volume: &Volume) -> Result<Inside, SceneError> {
    if volume.values.iter().all(|v| *v == 0.0 || *v == ONE) {
        return Ok(Inside::Label(ONE));
    }
    let message = format!("{}: say which voxels are inside by `above`, `below` or `label`", values_told(volume));
    let error = file.error(Kind::MissingKey, message);
    Err(error
        .help("`above` and `below` are for grey values, `label` for the number that marks the voxels of one grain"))
}
