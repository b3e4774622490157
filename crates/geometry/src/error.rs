//! Why a shape cannot be built.

use granule_model::DVec3;
use thiserror::Error;

/// A shape that cannot be built. Indices count from zero in the order in which things were given.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A dimension is NaN or infinite.
    #[error("{what} must be a finite number, not {value}")]
    NotFinite {
        /// Which dimension.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A dimension that must be positive is zero or negative.
    #[error("{what} must be positive, not {value}")]
    NotPositive {
        /// Which dimension.
        what: &'static str,
        /// The value given \[m\].
        value: f64,
    },
    /// A length beyond what the engine computes with.
    #[error("{what} must lie between {min:e} m and {max:e} m, not {value:e}", min = crate::limits::SHORTEST, max = crate::limits::LONGEST)]
    OutOfRange {
        /// Which dimension.
        what: &'static str,
        /// The value given \[m\].
        value: f64,
    },
    /// A normal without direction.
    #[error("the normal must not be zero")]
    ZeroNormal,
    /// A vertex with a NaN or infinite coordinate.
    #[error("vertex {vertex} is not finite: {position}")]
    VertexNotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Its coordinates \[m\].
        position: DVec3,
    },
    /// Points that span no volume.
    #[error(
        "degenerate hull: the {vertices} vertices lie in one plane (or nearly); a convex shape needs four that do not"
    )]
    FlatHull {
        /// How many points were given.
        vertices: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles")]
    EmptyMesh,
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
    /// A mesh with more triangles or vertices than indices can count.
    #[error("the mesh is too large: {count} triangles or vertices")]
    MeshTooLarge {
        /// How many.
        count: usize,
    },
    /// An edge with a triangle on one side only, in a mesh that must be closed.
    #[error(
        "the mesh is open: only one triangle ({triangle}) has the edge from vertex {from} at {start} to vertex {to} at {end}"
    )]
    OpenEdge {
        /// The triangle at the edge.
        triangle: usize,
        /// Index of the first corner.
        from: u32,
        /// Index of the second corner.
        to: u32,
        /// Coordinates of the first corner \[m\].
        start: DVec3,
        /// Coordinates of the second corner \[m\].
        end: DVec3,
    },
    /// Two triangles that see their common edge from opposite sides.
    #[error(
        "the mesh is not oriented alike everywhere: triangles {first} and {second} both run from vertex {from} to vertex {to}"
    )]
    InconsistentOrientation {
        /// A triangle at the edge.
        first: usize,
        /// Another one that runs along it in the same sense.
        second: usize,
        /// Index of the first corner.
        from: u32,
        /// Index of the second corner.
        to: u32,
    },
    /// A raster without a single square of four neighbouring cells.
    #[error("a raster of {columns} columns and {rows} rows has no surface; it needs two of each at least")]
    RasterTooSmall {
        /// Columns given.
        columns: usize,
        /// Rows given.
        rows: usize,
    },
    /// A raster with more triangles than indices can count.
    #[error("a raster of {columns} columns and {rows} rows is too large: it may have 2^31 cells at most")]
    RasterTooLarge {
        /// Columns given.
        columns: usize,
        /// Rows given.
        rows: usize,
    },
    /// Not one value for each cell of a raster.
    #[error("a raster of {columns} columns and {rows} rows needs one value for each cell, not {given}")]
    RasterCount {
        /// Columns given.
        columns: usize,
        /// Rows given.
        rows: usize,
        /// Values given.
        given: usize,
    },
    /// A height that is NaN or infinite.
    #[error("the height in column {column}, row {row} must be a finite number, not {value}")]
    HeightNotFinite {
        /// Column of the cell, from the west.
        column: usize,
        /// Row of the cell, from the south.
        row: usize,
        /// The value given.
        value: f64,
    },
    /// A raster in which no four neighbouring cells have ground.
    #[error("no four neighbouring cells of the raster have ground")]
    NoGround,
    /// A closed mesh that encloses nothing, or is thinner than 1e-5 of its extent.
    #[error("the mesh encloses no volume, or is thinner than 1e-5 of its extent")]
    NoVolume,
    /// A solid so elongated that its smallest moment of inertia vanishes in rounding.
    #[error("the proportions of the {name} are too extreme: its moments of inertia are {moments} at density 1")]
    Proportions {
        /// The kind of shape.
        name: &'static str,
        /// Principal moments at density 1 \[m5\].
        moments: DVec3,
    },
    /// A closed mesh for which no convex parts were found.
    #[error("no convex decomposition of the mesh was found")]
    NoDecomposition,
    /// A compound without parts.
    #[error("a compound needs at least one part")]
    EmptyCompound,
    /// A part of a compound that is not a solid body.
    #[error("part {part} of the compound is a {name}, which has no volume")]
    PartWithoutVolume {
        /// Index of the part.
        part: usize,
        /// Its kind.
        name: &'static str,
    },
    /// A part of a compound that is a level-set grain.
    #[error("part {part} of the compound is a level set; make the whole one level set instead")]
    PartOfGrid {
        /// Index of the part.
        part: usize,
    },
    /// A shape without finite volume that should become a level-set grain.
    #[error("a {name} has no finite volume and cannot be made a level set")]
    LevelSetWithoutVolume {
        /// Its kind.
        name: &'static str,
    },
    /// Too few or too many surface nodes.
    #[error("{count} surface nodes; a grain has {fewest} to {most}")]
    Nodes {
        /// How many were asked for, or are needed by the sharp edges.
        count: usize,
        /// Fewest.
        fewest: usize,
        /// Most.
        most: usize,
    },
    /// A grid that does not resolve the grain.
    #[error(
        "a grid of spacing {spacing} m is too coarse: the grain is nowhere deeper than {depth} m, and needs twice the spacing"
    )]
    TooCoarse {
        /// Distance of the grid's points \[m\].
        spacing: f64,
        /// Greatest depth of a point inside \[m\].
        depth: f64,
    },
    /// A grid that does not resolve the grain, whose thickness finer grids have told.
    #[error(
        "a grid of spacing {spacing:.3e} m is too coarse: the grain is {thickness:.2e} m thick where it is thickest, and needs a spacing of at most {needed} m"
    )]
    TooThin {
        /// Distance of the grid's points \[m\].
        spacing: f64,
        /// Twice the greatest depth of a point inside \[m\].
        thickness: f64,
        /// A spacing that resolves the grain \[m\].
        needed: f64,
    },
    /// A grid that would be built for minutes.
    #[error(
        "a grid of spacing {spacing} m would have {points:.1e} points around the grain, more than {most:e}: take a spacing of {needed} m or more"
    )]
    TooFine {
        /// Distance of the grid's points \[m\].
        spacing: f64,
        /// How many points it would have.
        points: f64,
        /// How many there may be.
        most: f64,
        /// A spacing that does not exceed that \[m\].
        needed: f64,
    },
    /// A solid that reaches a side of its volume of voxels.
    #[error(
        "what is inside reaches the side of the volume at voxel {voxel:?}: it may be cut off there; put a layer of voxels around it"
    )]
    VolumeCut {
        /// The first such voxel, along x, y, z.
        voxel: [usize; 3],
    },
    /// A volume of voxels with more than one solid.
    #[error(
        "the volume has {count} pieces, but a grain is one: the second largest, {share:.1e} of the largest, is around voxel {voxel:?}"
    )]
    Pieces {
        /// How many.
        count: usize,
        /// Middle of the second largest, along x, y, z.
        voxel: [usize; 3],
        /// Its volume over that of the largest \[-\].
        share: f64,
    },
    /// Signed distances that cannot be made.
    #[error(transparent)]
    LevelSet(granule_levelset::LevelSetError),
    /// A part of a compound whose pose is not finite or whose quaternion is zero.
    #[error("the pose of part {part} of the compound is not a finite position with a rotation")]
    PartPose {
        /// Index of the part.
        part: usize,
    },
}
