//! Scene files of granule and the packaged scenes.
//!
//! Floor 4: from TOML to a validated [`Scene`], and from that to a simulation. The format is described in
//! `data/scenes/FORMAT.md`; every mistake becomes a [`SceneError`] that shows the place in the file and what was meant.
//! Packaged scenes live once, as files in `data/scenes/`, and are compiled in: see [`packaged`], which also makes the
//! settling scenes of any size, and, for the experiments with other values, [`ReposeOptions`], [`AvalancheOptions`] and
//! [`MoundOptions`].
//!
//! Files of numbers that scenes name are read here as well: triangle meshes ([`TriangleMesh`]), terrain ([`Raster`])
//! and volumes of voxels ([`Volume`]). [`Valley`] makes the terrain in `data/terrain/`.
//!
//! Running a scene, measuring and writing are left to the programs: here stand only the plans for it.

mod avalanche;
mod build;
mod bytes;
mod data_file;
mod error;
mod graded;
mod grid;
mod load;
mod mesh_file;
mod mound;
mod outline;
mod packaged;
mod parse;
mod plan;
mod plausible;
mod raster;
mod read;
mod repose;
mod scene;
mod substitute;
mod texts;
mod valley;
mod variants;
mod volume_file;

pub use avalanche::{AvalancheOptions, Runout};
pub use build::BuiltScene;
pub use data_file::{DataFileError, DataFileErrorKind, DataPlace};
pub use error::{SceneError, SceneErrorKind};
pub use granule_grains::Random;
pub use mesh_file::{MeshFileError, Place, TriangleMesh};
pub use mound::MoundOptions;
pub use packaged::packaged;
pub use plan::{
    AvalanchePlan, FloorRectangle, MeasurePlan, MoundPlan, OutputPlan, PackingPlan, PictureColour, PictureFraming,
    Pictures, ReposePlan, Stage,
};
pub use raster::{FillMethod, MOST_CELLS, Raster, RasterFormat, RasterStatistics, Slopes};
pub use repose::{ReposeOptions, ReposeShape};
pub use scene::Scene;
pub use substitute::substitute;
pub use texts::{packaged_names, packaged_text};
pub use valley::Valley;
pub use volume_file::{MOST_VOXELS, Volume};
