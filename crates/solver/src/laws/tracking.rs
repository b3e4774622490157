//! Laws that track energy from one impulse to the next: that of Tang 2014, alone and as the release after the contact
//! stage, and that of Tan 2024; with the order of approach that the sequential laws share.

pub(crate) mod approach;
pub mod etm;
pub mod etm_weighted;
pub(crate) mod impulse;
pub(crate) mod memory;
pub mod release;
mod report;
mod rounds;
mod settings;
mod zone;

pub use memory::LawMemory;
pub use report::ReleaseReport;
pub use rounds::Workspace;
