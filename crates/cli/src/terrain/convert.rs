//! `granule terrain convert`: reads, cuts, fills, resamples, writes, in this order, and tells what became of it.

use std::path::Path;

use granule_scene::{Raster, RasterFormat, TriangleMesh};

use super::{MeshFormat, cells, mesh_format};
use crate::args::TerrainConvertArguments;
use crate::console::say;
use crate::error::{CliError, DONE};

/// Share of a cell that coordinates in STL, which are f32, may be off.
const STL_ACCURACY: f64 = 1e-3;

/// Carries out `granule terrain convert`.
///
/// # Errors
/// [`CliError`] for a file that is wrong, an argument that does not fit it, and a file that cannot be written.
pub(crate) fn command(arguments: &TerrainConvertArguments) -> Result<u8, CliError> {
    let out = &arguments.out;
    if RasterFormat::of(out).is_none() && mesh_format(out).is_none() {
        let message = format!("{}: terrain is written to .asc, .tif, .tiff, .obj and .stl files", out.display());
        return Err(CliError::Argument(message));
    }
    if out.symlink_metadata().is_ok() && !arguments.force {
        return Err(CliError::Argument(format!("{} exists; --force replaces it", out.display())));
    }
    let crop = arguments.crop.as_deref().and_then(|list| <[f64; 4]>::try_from(list).ok());
    if let Some([x0, y0, x1, y1]) = crop.filter(|[x0, y0, x1, y1]| x0 > x1 || y0 > y1) {
        let (low, high) = ([x0.min(x1), y0.min(y1)], [x0.max(x1), y0.max(y1)]);
        let message = format!(
            "--crop takes the lower left corner and then the upper right one, but {x0} {y0} is not below {x1} {y1}: the \
             rectangle between them is --crop {} {} {} {}",
            low[0], low[1], high[0], high[1]
        );
        return Err(CliError::Argument(message));
    }
    let (mut raster, mut told) = read(arguments)?;
    if let Some([x0, y0, x1, y1]) = crop {
        raster = raster.crop([x0, y0], [x1, y1])?;
    }
    if let Some(method) = arguments.fill_missing {
        let filled = raster.fill_missing(method)?;
        told.push(format!("filled {} ({})", cells(filled), method.name()));
    }
    if let (Some(cell), None) = (arguments.resample, mesh_format(&arguments.file)) {
        raster = raster.resample(cell)?;
    }
    let missing = raster.missing();
    if missing > 0 {
        told.push(format!("{} without a height", cells(missing)));
    }
    let what = write(&raster, out)?;
    let [dx, dy] = raster.cell;
    say(format_args!("{}: {what}, {} x {} cells of {dx} m x {dy} m", out.display(), raster.columns, raster.rows))?;
    told.iter().try_for_each(|line| say(format_args!("  {line}")))?;
    Ok(DONE)
}

/// The raster of a file, and what is to be told of it.
fn read(arguments: &TerrainConvertArguments) -> Result<(Raster, Vec<String>), CliError> {
    let path = &arguments.file;
    if mesh_format(path).is_none() {
        return Ok((Raster::load(path)?, Vec::new()));
    }
    let Some(cell) = arguments.resample else {
        let message = format!("{} is a mesh: say the size of cells with --resample CELL", path.display());
        return Err(CliError::Argument(message));
    };
    let mesh = TriangleMesh::load(path).map_err(|source| CliError::Mesh { path: path.clone(), source })?;
    let raster = Raster::from_mesh(&mesh, cell)?;
    let told = format!("{} of {} without surface above their centre", cells(raster.missing()), raster.heights.len());
    Ok((raster, vec![told]))
}

/// Writes the file and returns the name of its format.
fn write(raster: &Raster, out: &Path) -> Result<&'static str, CliError> {
    let Some(format) = mesh_format(out) else {
        raster.save(out).map_err(|e| CliError::Terrain(e.to_string()))?;
        return Ok(RasterFormat::of(out).map_or("", RasterFormat::name));
    };
    let mesh = raster.to_mesh();
    if mesh.triangles.is_empty() {
        let message = "no four neighbouring cells have heights, so there is no mesh".to_owned();
        return Err(CliError::Argument(message));
    }
    let coarse = mesh.coarsest_in_stl();
    if format == MeshFormat::Stl && coarse > STL_ACCURACY * raster.cell[0].min(raster.cell[1]) {
        let message = format!(
            "{}: STL keeps coordinates this far from the origin to {coarse} m only; write .obj, or a raster",
            out.display()
        );
        return Err(CliError::Argument(message));
    }
    mesh.save(out).map_err(|e| CliError::Terrain(format!("{}: {e}", out.display())))?;
    Ok(if format == MeshFormat::Obj { "OBJ mesh" } else { "STL mesh" })
}
