//! The reference cases of the published methods, run through the public interfaces and compared with what is expected.
//!
//! Floor 4: resolves with `granule-solver`, steps with `granule-engine`. Computes only; printing, files and pictures
//! are the business of the `granule validate` command. References are embedded, so a case runs from anywhere.
//!
//! ```
//! use granule_validation::Case;
//!
//! let report = Case::by_name("rbss-binary").ok_or("no such case")?.run();
//! assert!(report.passed());
//! # Ok::<(), &'static str>(())
//! ```

pub mod accuracy;
mod balls;
mod cases;
mod compare;
mod conformance;
mod error;
pub mod exact;
mod plots;
pub mod random;
mod reference;
mod report;

pub use cases::{CASES, Case};
pub use error::ValidationError;
pub use report::{Curve, Findings, Line, Outcome, Plot, Relation, Report};
