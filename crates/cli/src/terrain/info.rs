//! `granule terrain info`: a raster in numbers.

use std::fmt::Write;
use std::path::Path;

use granule_scene::{Raster, RasterFormat, RasterStatistics};
use serde_json::{Value, json};

use super::{cells, mesh_format};
use crate::args::TerrainInfoArguments;
use crate::console::say;
use crate::error::{CliError, DONE};

/// Carries out `granule terrain info`.
///
/// # Errors
/// [`CliError::Data`] for a file that is wrong.
pub(crate) fn command(arguments: &TerrainInfoArguments) -> Result<u8, CliError> {
    let path = &arguments.file;
    if mesh_format(path).is_some() {
        let message = format!(
            "{} is a mesh, but rasters are shown; make one by `granule terrain convert {0} OUT.asc --resample CELL`",
            path.display()
        );
        return Err(CliError::Argument(message));
    }
    let raster = Raster::load(path)?;
    let statistics = raster.statistics();
    if arguments.json {
        say(format_args!("{:#}", as_json(path, &raster, &statistics)))?;
    } else {
        say(as_text(path, &raster, &statistics))?;
    }
    Ok(DONE)
}

/// Name of the format of a file that could be read.
fn format(path: &Path) -> &'static str {
    RasterFormat::of(path).map_or("", RasterFormat::name)
}

/// Column, row and place of the first missing cell.
fn first_missing(raster: &Raster) -> Option<([usize; 2], [f64; 2])> {
    raster.first_missing().map(|[column, row]| ([column, row], raster.centre(column, row)))
}

fn as_text(path: &Path, raster: &Raster, statistics: &RasterStatistics) -> String {
    let ([dx, dy], [x0, y0], [x1, y1]) = (raster.cell, raster.lower_left, raster.upper_right());
    let all = raster.heights.len();
    let mut text = format!("{}: {}\n", path.display(), format(path));
    let _ = writeln!(text, "  cells            {} x {} of {dx} m x {dy} m", raster.columns, raster.rows);
    let _ = writeln!(text, "  extent           x {x0} to {x1} m, y {y0} to {y1} m");
    if let Some([low, mean, high]) = statistics.heights {
        let _ = writeln!(text, "  heights          {low:.2} to {high:.2} m, mean {mean:.2} m");
    }
    let share = 100.0 * statistics.missing as f64 / all as f64;
    let _ = write!(text, "  without height   {}, {share:.2} %", cells(statistics.missing));
    match first_missing(raster) {
        Some(([column, row], [x, y])) => {
            let _ = writeln!(text, "; the first is column {column}, row {row} from the south-west, at {x}, {y} m");
        }
        None => text.push('\n'),
    }
    if let Some(slopes) = statistics.slopes {
        let above = 100.0 * slopes.share_above_45;
        let (mean, max) = (slopes.mean, slopes.max);
        let _ = writeln!(text, "  slope            mean {mean:.1}, at most {max:.1} degrees; {above:.2} % above 45");
        let _ = writeln!(text, "  surface          {:.4} times the area in plan", slopes.surface_over_plan);
    }
    let _ = writeln!(text, "  area in plan     {} m2", statistics.plan_area);
    let _ = writeln!(text, "  as height field  {}", memory(statistics.height_field_bytes as f64));
    let _ = write!(text, "  as level set     some {} in a narrow band", memory(statistics.level_set_bytes));
    text
}

fn memory(bytes: f64) -> String {
    const MIB: f64 = 1_048_576.0;
    if bytes < MIB { format!("{:.1} KiB", bytes / 1024.0) } else { format!("{:.1} MiB", bytes / MIB) }
}

fn as_json(path: &Path, raster: &Raster, statistics: &RasterStatistics) -> Value {
    let (heights, slopes) = (statistics.heights, statistics.slopes);
    let first = first_missing(raster);
    json!({
        "file": path.display().to_string(),
        "format": format(path),
        "columns": raster.columns,
        "rows": raster.rows,
        "cell": raster.cell,
        "lower_left": raster.lower_left,
        "upper_right": raster.upper_right(),
        "height_min": heights.map(|h| h[0]),
        "height_mean": heights.map(|h| h[1]),
        "height_max": heights.map(|h| h[2]),
        "missing": statistics.missing,
        "missing_share": statistics.missing as f64 / raster.heights.len() as f64,
        "first_missing": first.map(|(cell, _)| cell),
        "first_missing_at": first.map(|(_, at)| at),
        "slope_mean_deg": slopes.map(|s| s.mean),
        "slope_max_deg": slopes.map(|s| s.max),
        "slope_share_above_45": slopes.map(|s| s.share_above_45),
        "surface_over_plan": slopes.map(|s| s.surface_over_plan),
        "plan_area": statistics.plan_area,
        "height_field_bytes": statistics.height_field_bytes,
        "level_set_bytes": statistics.level_set_bytes,
    })
}
