//! Files that granule writes: final state, contact forces and series as CSV, the summary as JSON, ParaView series,
//! plots.
//!
//! Floor 4: takes snapshots and plain series of numbers and writes them; it computes no physics and knows no scene
//! file. Every function that touches a file returns an [`ExportError`] that names the path. Quantities are in SI units,
//! angles of repose in degrees. Pictures and films of the bodies themselves are made by `granule-view`.

mod avalanche_summary;
mod avalanche_table;
mod contacts;
mod energy;
mod error;
mod final_state;
mod number;
pub mod plot;
mod repose_summary;
mod repose_table;
mod summary;
mod table;
mod vtk;

pub use avalanche_summary::{
    AvalancheSummary, DepositSummary, ExtentSummary, FallSummary, MoundSummary, RunoutSummary,
};
pub use avalanche_table::{
    AVALANCHE_COLUMNS, AvalancheRow, AvalancheWriter, MOUND_COLUMNS, MoundRow, MoundWriter, OUTLINE_COLUMNS,
    write_outlines,
};
pub use contacts::{CONTACT_COLUMNS, WALL_COLUMNS, WallRow, WallWriter, write_contacts};
pub use energy::{EnergyRow, EnergyWriter, write_energy};
pub use error::ExportError;
pub use final_state::{FINAL_STATE_COLUMNS, write_final_state};
pub use number::number_text;
pub use repose_summary::{ReposeAngle, ReposeStrip, ReposeSummary};
pub use repose_table::{REPOSE_TABLE_COLUMNS, ReposeRow, write_repose_table};
pub use summary::{DomainSummary, EnergyTotals, ImpactSummary, RemovedSummary, StageSummary, Summary, state_hash_text};
pub use vtk::{ContactSeriesWriter, SeriesWriter, VtkOptions, write_contacts_vtp, write_vtp};
