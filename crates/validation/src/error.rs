//! Why a case could not be run.

use granule_engine::EngineError;
use granule_geometry::ShapeError;
use granule_solver::ProblemError;
use thiserror::Error;

/// Why a case could not be run to its end.
#[derive(Debug, Error)]
pub enum ValidationError {
    /// A reference file cannot be read.
    #[error("{file}: {source}")]
    Reference {
        /// Name of the file.
        file: &'static str,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A reference file lacks something.
    #[error("the reference has no {0}")]
    Missing(String),
    /// A law refused a problem.
    #[error("{law} refused the problem: {source}")]
    Law {
        /// Name of the law.
        law: &'static str,
        /// Why.
        source: ProblemError,
    },
    /// The engine could not go on.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// A shape cannot be made.
    #[error("{0}")]
    Shape(#[from] ShapeError),
}

/// What a case or a part of it gives.
pub(crate) type Found<T> = Result<T, ValidationError>;

/// The value, or the error that names what the reference lacks.
pub(crate) fn present<T>(value: Option<T>, what: impl Into<String>) -> Found<T> {
    value.ok_or_else(|| ValidationError::Missing(what.into()))
}
