//! Why a grid of signed distances cannot be built.

use granule_model::DVec3;
use thiserror::Error;

/// A grid that cannot be built. Indices count from zero in the order in which things were given.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LevelSetError {
    /// A length is NaN or infinite.
    #[error("{what} must be a finite number, not {value}")]
    NotFinite {
        /// Which length.
        what: &'static str,
        /// The value given \[m\].
        value: f64,
    },
    /// A length that must be positive is zero or negative.
    #[error("{what} must be positive, not {value}")]
    NotPositive {
        /// Which length.
        what: &'static str,
        /// The value given \[m\].
        value: f64,
    },
    /// A box whose lowest corner is not below its highest one.
    #[error("the box from {min} to {max} is empty: it needs an extent along each axis")]
    EmptyBounds {
        /// Its lowest corner \[m\].
        min: DVec3,
        /// Its highest corner \[m\].
        max: DVec3,
    },
    /// A band too thin to interpolate in, or thicker than any use.
    #[error("the band must be {min} to {max} cells to each side, not {cells}", min = crate::limits::THINNEST_BAND, max = crate::limits::THICKEST_BAND)]
    Band {
        /// The number of cells given.
        cells: u32,
    },
    /// A grid with more nodes than can be counted or held.
    #[error("the grid would have {nodes:e} nodes, more than {most:e}: take a larger spacing than {spacing} m")]
    TooLarge {
        /// How many nodes.
        nodes: f64,
        /// How many there may be.
        most: f64,
        /// The spacing \[m\].
        spacing: f64,
    },
    /// A spacing that vanishes beside the coordinates.
    #[error("a spacing of {spacing:e} m is lost in the rounding of coordinates of {coordinate:e} m")]
    Unresolved {
        /// The spacing \[m\].
        spacing: f64,
        /// The largest coordinate \[m\].
        coordinate: f64,
    },
    /// A distance function that returned NaN or infinity.
    #[error("the distance at {point} is {value}, not a finite number")]
    DistanceNotFinite {
        /// Where \[m\].
        point: DVec3,
        /// What it returned.
        value: f64,
    },
    /// No node and no voxel lies inside.
    #[error("nothing is inside: no node of the grid has a negative distance; is it thinner than the spacing?")]
    NoInside,
    /// No node or no voxel lies outside.
    #[error("nothing is outside: no node of the grid has a positive distance")]
    NoOutside,
    /// A mesh without triangles.
    #[error("the mesh has no triangles")]
    EmptyMesh,
    /// A mesh with more triangles or vertices than indices can count.
    #[error("the mesh is too large: {count} triangles or vertices")]
    MeshTooLarge {
        /// How many.
        count: usize,
    },
    /// A vertex with a NaN or infinite coordinate.
    #[error("vertex {vertex} is not finite: {position}")]
    VertexNotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Its coordinates \[m\].
        position: DVec3,
    },
    /// A triangle that names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but there are only {vertices}")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle whose corners lie on one line.
    #[error("triangle {triangle} is degenerate: its corners lie on one line")]
    DegenerateTriangle {
        /// Index of the triangle.
        triangle: usize,
    },
    /// A mesh that encloses nothing, or is seen from inside.
    #[error("the mesh encloses {volume:e} m3, which must be positive: it is flat, or its triangles face inwards")]
    NoVolume {
        /// Volume by the divergence theorem \[m3\].
        volume: f64,
    },
    /// Nodes were asked for, but none or too many.
    #[error("the number of nodes must be 1 to {most}, not {count}", most = crate::limits::MOST_SURFACE_NODES)]
    NodeCount {
        /// How many were asked for.
        count: usize,
    },
    /// A volume whose number of values is not that of its voxels.
    #[error("a volume of {size:?} voxels has {} values, not {values}", size.iter().product::<usize>())]
    VolumeSize {
        /// Voxels along x, y, z.
        size: [usize; 3],
        /// How many values were given.
        values: usize,
    },
    /// A voxel whose value is NaN or infinite.
    #[error("voxel {voxel:?} is {value}, not a finite number")]
    VoxelNotFinite {
        /// Its place along x, y, z.
        voxel: [usize; 3],
        /// Its value.
        value: f32,
    },
}
