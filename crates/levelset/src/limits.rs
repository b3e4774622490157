//! Sizes of grids that can be built.

/// Most nodes of a grid, stored or not: their directory takes 256 MiB.
pub(crate) const MOST_NODES: f64 = 4_294_967_296.0;
/// Most voxels of a volume, and nodes of its grid, which takes 9 bytes for each while it is built.
pub(crate) const MOST_DENSE_NODES: f64 = 536_870_912.0;
/// Fewest cells of a band: the corners of a cell that the surface crosses are up to 1.7 cells away from it.
pub(crate) const THINNEST_BAND: u32 = 2;
/// Most cells of a band.
pub(crate) const THICKEST_BAND: u32 = 1024;
/// Most nodes on a surface.
pub(crate) const MOST_SURFACE_NODES: usize = 10_000_000;
