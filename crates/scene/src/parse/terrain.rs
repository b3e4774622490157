//! Terrain from rasters: as height field, or as signed distances on a grid.

use std::path::Path;

use granule_geometry::{HeightField, Shape};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::raster::{FillMethod, Raster};
use crate::read::Item;
use crate::valley::Valley;

const TERRAIN: &[&str] = &["file", "as", "spacing", "band", "fill_missing"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[("shape.terrain", TERRAIN)];

/// Place of the default among the kinds of terrain.
const HEIGHT_FIELD: usize = 1;
/// Cells of the band of a level set to each side of the surface.
const BAND: u64 = 3;

/// The shape of a `terrain` table; files are looked for in `folder`, packaged terrain by its name.
/// What was done to the raster is added to `remarks`.
pub(super) fn shape(item: Item<'_, '_>, folder: &Path, remarks: &mut Vec<String>) -> Result<Shape, SceneError> {
    let table = item.table("terrain", TERRAIN)?;
    let file = table.require("file")?;
    let name = file.text()?;
    let kind = table.or("as", HEIGHT_FIELD, |i| i.one_of(&["level-set", "height-field"]))?;
    let fill = table.optional("fill_missing", |i| i.one_of(&["nearest", "smooth"]))?;
    let only_of_levels = ["spacing", "band"].into_iter().find_map(|key| Some((key, table.get(key)?)));
    if let (HEIGHT_FIELD, Some((key, value))) = (kind, only_of_levels) {
        let message = format!("`{key}` has no effect on a height field");
        return Err(value.error(Kind::Conflict, message).help("it is for `as = \"level-set\"`"));
    }
    let raster = load(file, folder, fill, remarks)?;
    let refused = |message: String| file.error(Kind::Shape, format!("the terrain of `{name}`: {message}"));
    let cell = raster.cell;
    let field =
        HeightField::new(raster.columns, raster.rows, cell, &raster.heights).map_err(|e| refused(e.to_string()))?;
    let spacing = table.or("spacing", cell[0].max(cell[1]), Item::positive)?;
    let band = table.or("band", BAND, |i| i.integer(2, 64))? as u32;
    match kind {
        HEIGHT_FIELD => Ok(Shape::height_field(field)),
        _ => Shape::level_set_ground(field, spacing, band).map_err(|e| refused(e.to_string())),
    }
}

/// The raster of a file, without holes.
fn load(
    file: Item<'_, '_>,
    folder: &Path,
    fill: Option<usize>,
    remarks: &mut Vec<String>,
) -> Result<Raster, SceneError> {
    let name = file.text()?;
    let packaged = Valley::packaged().map(|(file, valley)| (file.strip_suffix(".asc").unwrap_or(file), valley));
    let path = folder.join(name);
    let loaded = match packaged.iter().find(|(known, _)| *known == name) {
        Some((_, valley)) => valley.raster(),
        // Files have an ending that says their format.
        None if Path::new(name).extension().is_none() && !path.exists() => {
            let error = file.unknown_name("packaged terrain", name, packaged.iter().map(|(known, _)| *known));
            return Err(error.help("a file of terrain has a name that ends in .asc, .tif or .tiff"));
        }
        None => Raster::load(&path),
    };
    let refused =
        |e: crate::data_file::DataFileError| file.error(Kind::MeshFile, format!("the terrain file `{name}`: {e}"));
    let mut raster = loaded.map_err(refused)?;
    match fill {
        Some(method) => {
            let method = [FillMethod::Nearest, FillMethod::Smooth][method];
            let filled = raster.fill_missing(method).map_err(refused)?;
            if filled > 0 {
                let all = raster.heights.len();
                remarks.push(format!(
                    "the terrain `{name}`: {filled} of {all} cells have no height and were filled ({})",
                    method.name()
                ));
            }
        }
        None => raster
            .require_complete()
            .map_err(|e| refused(e).help("`fill_missing = \"nearest\"` or `\"smooth\"` fills missing cells"))?,
    }
    Ok(raster)
}
