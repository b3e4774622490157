//! Level sets from volumes of voxels: which values are inside, how large a voxel is.

use std::path::Path;

use granule_geometry::{GrainOptions, Inside, Shape, VoxelVolume};
use granule_model::DVec3;

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::read::{Item, Table};
use crate::volume_file::Volume;

/// Largest label: above, whole numbers that differ by one are the same in f32, as which values are read.
const LARGEST_LABEL: f64 = 16_777_216.0;
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
    let spacing = table.or("spacing", voxel, Item::positive)?;
    let volume = VoxelVolume { size: volume.size, voxel, origin: DVec3::ZERO, values: volume.values };
    Shape::level_set_volume(&volume, inside, &GrainOptions { spacing, nodes }).map_err(|e| refused(Kind::Shape, &e))
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
    let range = |[low, high]: [f32; 2], v: &f32| [low.min(*v), high.max(*v)];
    let [low, high] = volume.values.iter().fold([f32::INFINITY, f32::NEG_INFINITY], range);
    let message = format!("the values go from {low} to {high}: say which are inside by `above`, `below` or `label`");
    Err(file.error(Kind::MissingKey, message))
}
