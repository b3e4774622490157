//! What a scene says about its run beside the bodies: stages, what to measure, what to write.
//!
//! Plain data. Carrying it out is for the program that runs the scene.

use granule_measure::{Fall, LongSide};
use granule_model::DVec3;

/// A stretch of a run, with bodies that are taken away before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Name for messages and files.
    pub name: String,
    /// Names of the bodies that are removed when the stage begins.
    pub remove: Vec<String>,
    /// Whether the stage ends as soon as the simulation is at rest.
    pub until_rest: bool,
    /// Longest time the stage may take \[s\], above 0. Without `until_rest` it takes exactly this.
    pub limit: f64,
    /// Shortest time the stage takes \[s\], even if it is at rest before; from 0 to `limit`.
    pub min_duration: f64,
}

/// What a scene wants measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasurePlan {
    /// The angle of repose, at the end of the last stage.
    pub repose: Option<ReposePlan>,
    /// The packing fraction, at the end of the first stage.
    pub packing: Option<PackingPlan>,
    /// Runout, front and deposit of an avalanche.
    pub avalanche: Option<AvalanchePlan>,
    /// Height and radius of a mound.
    pub mound: Option<MoundPlan>,
}

/// A rectangle of the floor, x and y in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorRectangle {
    /// Lowest corner \[m\].
    pub min: [f64; 2],
    /// Highest corner \[m\].
    pub max: [f64; 2],
}

/// The grid on which the angle of repose is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReposePlan {
    /// The floor, from wall to wall.
    pub floor: FloorRectangle,
    /// The axis along which the pile falls.
    pub long_side: LongSide,
    /// Which way along it.
    pub fall: Fall,
    /// Number of strips across, at least 1.
    pub strips: usize,
    /// Number of cells along each strip of the paper's grid, at least 2.
    pub cells_per_strip: usize,
    /// Level of the floor \[m\]; none: that of the static half-spaces and containers below the middle of the floor.
    pub height: Option<f64>,
}

/// Where the packing fraction is measured: the core of the pile, away from walls and surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackingPlan {
    /// The floor, from wall to wall.
    pub floor: FloorRectangle,
    /// Height of the floor \[m\].
    pub height: f64,
    /// Distance of the core from walls and floor \[m\], not negative.
    pub inset: f64,
    /// The core ends at the height below which this share of the centres lies \[-\], above 0 and at most 1.
    pub quantile: f64,
}

/// How an avalanche is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AvalanchePlan {
    /// Horizontal unit vector downslope, x and y.
    pub direction: [f64; 2],
    /// Size of the cells of the deposit's raster \[m\], above 0; none: the diameter of the grains.
    pub cell: Option<f64>,
    /// Speed below which mass counts as stopped \[m/s\], above 0.
    pub speed: f64,
    /// Thickness of the deposit along its outline \[m\], above 0; none: a tenth of the diameter of the grains.
    pub outline: Option<f64>,
}

/// How a mound is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoundPlan {
    /// Place from which distances count, x and y \[m\]; none: the centre of mass.
    pub centre: Option<[f64; 2]>,
    /// Level of the floor \[m\]; none: that of the ground below the centre.
    pub height: Option<f64>,
}

/// When pictures are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pictures {
    /// Of the first and the last state.
    #[default]
    FirstLast,
    /// Of the first state and of the end of each stage, and one soon after bodies were removed.
    Stages,
    /// Never.
    None,
}

/// What the colour of a body says in pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureColour {
    /// Which body it is.
    #[default]
    Body,
    /// Its speed.
    Speed,
    /// Its height.
    Height,
    /// Its height at the start of the run.
    StartHeight,
    /// Its speed while any of them moves, its height at the start where they lie and in the last picture.
    Avalanche,
}

/// The states that decide which part of the world pictures and film show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureFraming {
    /// All that are shown.
    #[default]
    Run,
    /// Those of the last stage: a start high over a box would make all else small.
    LastStage,
}

/// What a run writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputPlan {
    /// `summary.json`.
    pub summary: bool,
    /// A row of `energy.csv` every so many steps; 0 for none.
    pub energy_every: u32,
    /// `final_state.csv`.
    pub final_state: bool,
    /// What contacts carry: `contacts_final.csv` and `walls.csv`, and lines between bodies beside the ParaView series.
    pub contacts: bool,
    /// The ParaView series; none: up to [`OutputPlan::VTK_BODIES`] bodies.
    pub vtk: Option<bool>,
    /// Frames of the ParaView series and of the film per simulated second, above 0.
    pub frames_per_second: f64,
    /// Pictures.
    pub pictures: Pictures,
    /// The film.
    pub film: bool,
    /// What the colour of a body says in pictures and film.
    pub colour: PictureColour,
    /// Which states decide what part of the world pictures and film show.
    pub framing: PictureFraming,
    /// Whether ground of meshes and terrain is drawn as a map shows it; none: where it is wide.
    pub relief: Option<bool>,
    /// Plots of energy and of what is measured.
    pub plots: bool,
}

impl OutputPlan {
    /// Largest number of bodies for which the ParaView series is written unasked.
    pub const VTK_BODIES: usize = 10_000;

    /// Whether a run of `bodies` bodies writes the ParaView series.
    pub fn writes_vtk(&self, bodies: usize) -> bool {
        self.vtk.unwrap_or(bodies <= Self::VTK_BODIES)
    }
}

impl Default for OutputPlan {
    /// Summary, energy of every step, final state, forces at contacts, ParaView series of up to 10 000 bodies at 25
    /// frames per second, pictures of the first and the last state.
    fn default() -> Self {
        OutputPlan {
            summary: true,
            energy_every: 1,
            final_state: true,
            contacts: true,
            vtk: None,
            frames_per_second: 25.0,
            pictures: Pictures::FirstLast,
            film: false,
            colour: PictureColour::Body,
            framing: PictureFraming::Run,
            relief: None,
            plots: false,
        }
    }
}

impl FloorRectangle {
    /// Edge lengths \[m\], z being 0.
    pub fn size(&self) -> DVec3 {
        DVec3::new(self.max[0] - self.min[0], self.max[1] - self.min[1], 0.0)
    }
}
