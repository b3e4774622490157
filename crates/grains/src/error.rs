//! Why a grain cannot be made, and why a distribution of sizes is none.

use thiserror::Error;

/// A grain or a surface that cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GrainError {
    /// A parameter that is not a number within its range.
    #[error("{what} must lie between {min} and {max}, not {value}")]
    OutOfRange {
        /// Which parameter.
        what: &'static str,
        /// The value given.
        value: f64,
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// A whole number beyond its range.
    #[error("{what} must lie between {min} and {max}, not {value}")]
    Count {
        /// Which number.
        what: &'static str,
        /// The value given.
        value: usize,
        /// Smallest value allowed.
        min: usize,
        /// Largest value allowed.
        max: usize,
    },
    /// Roughness is of the degrees 9 and above, which the series does not reach.
    #[error(
        "a series up to degree {degree} has no roughness, which begins with degree 9: ask for a higher degree or none"
    )]
    RoughnessBeyondDegree {
        /// Highest degree of the series.
        degree: usize,
    },
    /// No polyhedron with so many faces was found.
    #[error("no rock with {faces} faces was found in {tries} tries: ask for other faces or less irregularity")]
    NoRock {
        /// Faces asked for.
        faces: usize,
        /// How many polyhedra were begun.
        tries: usize,
    },
    /// A vertex with a coordinate that is NaN, infinite or beyond all lengths.
    #[error("vertex {vertex} must have coordinates up to {max:e} m", max = crate::limits::LONGEST)]
    VertexNotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A triangle that names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but there are only {vertices}")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// How many there are.
        vertices: usize,
    },
    /// An edge that does not belong to two triangles in opposite directions.
    #[error("the surface is not closed: the edge from vertex {from} to {to} has no single opposite")]
    NotClosed {
        /// First vertex of the edge.
        from: u32,
        /// Second vertex of the edge.
        to: u32,
    },
    /// A surface that encloses no volume, or whose triangles face inwards.
    #[error("the surface must enclose a positive volume; triangles are counter-clockwise seen from outside")]
    NoVolume,
}

/// A distribution of sizes that is none. Rows count from zero.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SizeError {
    /// A size that is not a positive length in the range of lengths.
    #[error("{what} must be a length between {min:e} m and {max:e} m, not {value:e}", min = crate::limits::SHORTEST, max = crate::limits::LONGEST)]
    Length {
        /// Which size.
        what: &'static str,
        /// The value given \[m\].
        value: f64,
    },
    /// The smallest size is not below the largest.
    #[error("the smallest size {min} m must be below the largest {max} m")]
    Order {
        /// Smallest size \[m\].
        min: f64,
        /// Largest size \[m\].
        max: f64,
    },
    /// A standard deviation beyond its range.
    #[error("sigma, the standard deviation of the logarithm, must be above 0 and at most {max}, not {value}")]
    Sigma {
        /// The value given.
        value: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// Nothing of a distribution lies between its smallest and largest size.
    #[error("nothing of the distribution of median {median} m lies between {min} m and {max} m")]
    Empty {
        /// Median by number \[m\].
        median: f64,
        /// Smallest size \[m\].
        min: f64,
        /// Largest size \[m\].
        max: f64,
    },
    /// A table of sieves too short for an interval.
    #[error("a table of sieves needs at least two rows, not {rows}")]
    ShortTable {
        /// How many rows there are.
        rows: usize,
    },
    /// Openings that do not ascend.
    #[error("row {row} of the sieves: openings must ascend")]
    OpeningsNotAscending {
        /// The row that is not above the one before.
        row: usize,
    },
    /// A percentage beyond 0 to 100.
    #[error("row {row} of the sieves: percent passing must lie between 0 and 100, not {value}")]
    Percent {
        /// The row.
        row: usize,
        /// The value given.
        value: f64,
    },
    /// A finer sieve that passes more than a coarser one.
    #[error("row {row} of the sieves: percent passing must not fall as openings grow")]
    PercentFalls {
        /// The row that is below the one before.
        row: usize,
    },
    /// A table that does not say where grains begin or end.
    #[error("the finest sieve must pass 0 % and the coarsest 100 %, not {first} % and {last} %")]
    OpenEnds {
        /// Percent passing of the first row.
        first: f64,
        /// Percent passing of the last row.
        last: f64,
    },
}

/// Refuses what is not a number from `min` to `max`.
pub(crate) fn in_range(what: &'static str, value: f64, min: f64, max: f64) -> Result<(), GrainError> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(GrainError::OutOfRange { what, value, min, max }) }
}

/// Refuses a whole number beyond `min` to `max`.
pub(crate) fn count_in_range(what: &'static str, value: usize, min: usize, max: usize) -> Result<(), GrainError> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(GrainError::Count { what, value, min, max }) }
}

/// Refuses ratios of sides beyond 0.1 to 1.
pub(crate) fn check_aspect(aspect: [f64; 2]) -> Result<(), GrainError> {
    in_range("elongation b/a", aspect[0], 0.1, 1.0)?;
    in_range("flatness c/b", aspect[1], 0.1, 1.0)
}
