//! The command line. Mistakes in it end with exit code 2, which is clap's own for them.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use granule_scene::{FillMethod, ReposeShape, Runout};
use granule_validation::CASES;

/// Granular dynamics by impulses: packs, piles and avalanches of particles of any shape.
#[derive(Debug, Parser)]
#[command(name = "granule", version, about)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene and write its results.
    Run(RunArguments),
    /// Run a packaged experiment and write everything: films, plots, pictures.
    Demo {
        /// Which experiment.
        #[command(subcommand)]
        demo: Demo,
    },
    /// Show what a scene contains, and the time step with what to expect of it.
    Info(InfoArguments),
    /// Resolve the contacts of a scene's bodies as they stand, once and without time, and print impulses and
    /// velocities.
    Resolve(ResolveArguments),
    /// Run the reference cases of the published methods, compare, and write tables and plots.
    Validate(ValidateArguments),
    /// Look at files of terrain, and convert them.
    Terrain {
        /// What to do with them.
        #[command(subcommand)]
        terrain: Terrain,
    },
}

/// What is done with files of terrain.
#[derive(Debug, Subcommand)]
pub(crate) enum Terrain {
    /// Show what a raster contains: cells, extent, heights, slopes, missing cells, memory.
    Info(TerrainInfoArguments),
    /// Convert between ESRI ASCII grid (.asc), GeoTIFF (.tif) and meshes (.obj, .stl), and cut, resample and fill.
    Convert(TerrainConvertArguments),
}

/// The packaged experiments.
#[derive(Debug, Subcommand)]
pub(crate) enum Demo {
    /// Angle of repose: particles fall into a box and settle; one wall is taken away and they slide to rest.
    Repose(ReposeArguments),
    /// Rock avalanche: rounded blocks are let go in a valley and slide until 95 % of their mass is slower than 0.1 m/s;
    /// runout, deposit and front.
    Avalanche(AvalancheArguments),
    /// Mound: grains of many forms and sizes fill a box, its walls are taken away, and they flow out for 8 s; height
    /// and radius.
    Mound(MoundArguments),
}

/// Arguments of `granule run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A scene file, or the name of a packaged scene.
    pub(crate) scene: String,
    /// Folder for the results [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the results of an earlier run in the folder; what no run has written stays.
    #[arg(long)]
    pub(crate) force: bool,
    /// Threads; results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Write when each phase of each step ran, as trace events for Perfetto or chrome://tracing.
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Print the summary as JSON, and nothing else, on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `granule info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// A scene file, or the name of a packaged scene.
    pub(crate) scene: String,
    /// Print the facts as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `granule resolve`.
#[derive(Debug, Args)]
pub(crate) struct ResolveArguments {
    /// A scene file, or the name of a packaged scene.
    pub(crate) scene: String,
    /// The impact law [default: the scene's].
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(granule_solver::Law::NAMES))]
    pub(crate) law: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `granule terrain info`.
#[derive(Debug, Args)]
pub(crate) struct TerrainInfoArguments {
    /// A raster: .asc (ESRI ASCII grid), .tif or .tiff (GeoTIFF, in metres).
    pub(crate) file: PathBuf,
    /// Print the facts as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `granule terrain convert`.
#[derive(Debug, Args)]
pub(crate) struct TerrainConvertArguments {
    /// A raster (.asc, .tif, .tiff) or a mesh (.obj, .stl), of which the highest point above each cell counts.
    pub(crate) file: PathBuf,
    /// The file to write; its name says the format: .asc, .tif, .tiff, .obj or .stl.
    pub(crate) out: PathBuf,
    /// Keep the cells with their centres in the rectangle from its lower left to its upper right corner, in metres.
    #[arg(long, num_args = 4, value_names = ["X0", "Y0", "X1", "Y1"], allow_negative_numbers = true, value_parser = finite)]
    pub(crate) crop: Option<Vec<f64>>,
    /// Make square cells of this size, in metres; a mesh needs it.
    #[arg(long, value_name = "CELL", allow_negative_numbers = true, value_parser = cell_size)]
    pub(crate) resample: Option<f64>,
    /// Give cells without a height that of the nearest, or one that joins those around smoothly.
    #[arg(long, value_name = "METHOD", value_parser = fill_parser())]
    pub(crate) fill_missing: Option<FillMethod>,
    /// Replace OUT if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Arguments of `granule validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArguments {
    /// Run this case alone [default: all].
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(CASES.map(|case| case.name)))]
    pub(crate) only: Option<String>,
    /// Folder for tables and plots [default: out/validate].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the results of an earlier run in the folder; what no run has written stays.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the report as JSON, and nothing else, on standard output.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but failures and errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Arguments of `granule demo repose`.
#[derive(Debug, Args)]
pub(crate) struct ReposeArguments {
    /// Shape of the particles [default: spheres; with --sweep: all].
    #[arg(long, value_parser = shape_parser())]
    pub(crate) shape: Option<ReposeShape>,
    /// Coefficient of friction, static and dynamic [default: 0.3; with --sweep: 0 to 0.6].
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = friction)]
    pub(crate) friction: Option<f64>,
    /// Seed of the positions and orientations at the start.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: u64,
    /// Run every shape at eight frictions and plot the angle against friction.
    #[arg(long)]
    pub(crate) sweep: bool,
    /// Runs with different seeds for each point of the sweep.
    #[arg(long, value_name = "K", requires = "sweep", default_value_t = 1, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) seeds: u16,
    /// Number of particles; the box grows with it [default: 540 spheres, 325 cubes or crosses].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000).map(|n| n as usize))]
    pub(crate) count: Option<usize>,
    /// Steps per simulated second [default: chosen by the engine, for grains of 3 m some 30 with spheres and 40 with
    /// others].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = steps_per_second)]
    pub(crate) steps_per_second: Option<f64>,
    /// Folder for the results [default: out/repose-SHAPE, out/repose-sweep].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the results of an earlier run in the folder; what no run has written stays.
    #[arg(long)]
    pub(crate) force: bool,
    /// Threads; results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Write when each phase of each step ran, as trace events for Perfetto or chrome://tracing.
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    pub(crate) profile: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Arguments of `granule demo avalanche`.
#[derive(Debug, Args)]
pub(crate) struct AvalancheArguments {
    /// What the valley runs out on: a horizontal plane, or one that falls by 3 degrees.
    #[arg(long, default_value = Runout::Flat.name(), value_parser = runout_parser())]
    pub(crate) runout: Runout,
    /// Number of blocks, up to 10000; the place over which they start grows with it [default: 300].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = grains_parser(10_000))]
    pub(crate) grains: Option<usize>,
    /// Step in seconds [default: chosen by the engine, for the smallest of the blocks].
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = time_step)]
    pub(crate) time_step: Option<f64>,
    /// Folder for the results [default: out/avalanche-RUNOUT].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Seed and how the demo is run.
    #[command(flatten)]
    pub(crate) common: DemoArguments,
}

/// Arguments of `granule demo mound`.
#[derive(Debug, Args)]
pub(crate) struct MoundArguments {
    /// Number of grains; the side of the box goes with its cube root [default: 1600].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = grains_parser(100_000))]
    pub(crate) grains: Option<usize>,
    /// Step in seconds [default: 0.002].
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = time_step)]
    pub(crate) time_step: Option<f64>,
    /// Folder for the results [default: out/mound].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Seed and how the demo is run.
    #[command(flatten)]
    pub(crate) common: DemoArguments,
}

/// What the demos of natural grains have in common.
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Seed of forms, sizes and orientations.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: u64,
    /// Replace the results of an earlier run in the folder; what no run has written stays.
    #[arg(long)]
    pub(crate) force: bool,
    /// Threads; results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Write when each phase of each step ran, as trace events for Perfetto or chrome://tracing.
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

fn runout_parser() -> impl TypedValueParser<Value = Runout> {
    let by_name = |name: String| Runout::ALL.into_iter().find(|r| r.name() == name).unwrap_or_default();
    PossibleValuesParser::new(Runout::ALL.map(Runout::name)).map(by_name)
}

/// A number of grains: each has a shape of its own, which takes memory and time to be made.
fn grains_parser(most: i64) -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..=most).map(|n| n as usize)
}

fn time_step(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x.is_finite(), "above 0")
}

fn shape_parser() -> impl TypedValueParser<Value = ReposeShape> {
    let by_name = |name: String| ReposeShape::ALL.into_iter().find(|s| s.name() == name).unwrap_or_default();
    PossibleValuesParser::new(ReposeShape::ALL.map(ReposeShape::name)).map(by_name)
}

fn fill_parser() -> impl TypedValueParser<Value = FillMethod> {
    let by_name = |name: String| FillMethod::ALL.into_iter().find(|m| m.name() == name).unwrap_or(FillMethod::Nearest);
    PossibleValuesParser::new(FillMethod::ALL.map(FillMethod::name)).map(by_name)
}

fn finite(text: &str) -> Result<f64, String> {
    number(text, f64::is_finite, "finite")
}

fn cell_size(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x.is_finite(), "above 0")
}

/// Largest coefficient of friction that is taken for one: beyond it a typing error is likelier.
const LARGEST_FRICTION: f64 = 10.0;

fn friction(text: &str) -> Result<f64, String> {
    let range = format!("from 0 to {LARGEST_FRICTION}");
    number(text, |x| (0.0..=LARGEST_FRICTION).contains(&x), &range)
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))
}

/// Most steps per second that are taken for a wish: beyond it a typing error is likelier.
const MOST_STEPS_PER_SECOND: f64 = 1e6;

fn steps_per_second(text: &str) -> Result<f64, String> {
    let range = format!("above 0 and at most {MOST_STEPS_PER_SECOND}");
    number(text, |x| x > 0.0 && x <= MOST_STEPS_PER_SECOND, &range)
}

/// A number that is `accepted`; `range` says in words which are.
fn number(text: &str, accepted: impl Fn(f64) -> bool, range: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if accepted(value) { Ok(value) } else { Err(format!("must be {range}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn friction_is_a_number_in_range() {
        assert_eq!(friction("0.3"), Ok(0.3));
        for bad in ["nan", "-0.1", "inf", "11", "x", ""] {
            assert!(friction(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "granule run",
            "granule run x --threads 0",
            "granule run x --threads -1",
            "granule demo repose --seeds 3",
            "granule demo repose --sweep --profile x.json",
            "granule run x --profile",
            "granule demo repose --shape pears",
            "granule demo repose --friction nan",
            "granule demo repose --steps-per-second 0",
            "granule demo repose --steps-per-second nan",
            "granule demo",
            "granule demo avalanche --runout pears",
            "granule demo avalanche --grains 0",
            "granule demo avalanche --grains 10001",
            "granule demo avalanche --time-step 0",
            "granule demo avalanche --seed -1",
            "granule demo avalanche --friction 0.2",
            "granule demo mound --runout flat",
            "granule demo mound --grains 100001",
            "granule demo mound --time-step nan",
            "granule demo mound --threads 0",
            "granule validate --only pears",
            "granule walk",
            "granule terrain",
            "granule terrain info",
            "granule terrain convert a.asc",
            "granule terrain convert a.asc b.tif --crop 0 0 1",
            "granule terrain convert a.asc b.tif --crop 0 0 1 nan",
            "granule terrain convert a.asc b.tif --resample 0",
            "granule terrain convert a.asc b.tif --fill-missing pears",
        ] {
            let error = Arguments::try_parse_from(line.split(' ')).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
        let line = "granule demo repose --sweep --seeds 3 --threads 2";
        assert!(Arguments::try_parse_from(line.split(' ')).is_ok());
    }
}
