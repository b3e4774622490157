//! Grids of closed triangle meshes.

use granule_model::DVec3;

use crate::blocks::{NODES, Storage};
use crate::build::{Plan, Source, build, for_nodes};
use crate::error::LevelSetError;
use crate::grid::LevelSet;
use crate::lattice::{Lattice, check_band, check_length};
use crate::solid::Solid;

impl LevelSet {
    /// A grid of the solid that a closed triangle mesh bounds, with exact distances at the nodes.
    ///
    /// Triangles are counter-clockwise seen from outside; `vertices` and `spacing` are in metres. The grid reaches
    /// `band_cells` cells beyond the mesh. Vertices at one place count as one. Whether the mesh is closed is not
    /// checked: signs are wrong near a hole.
    ///
    /// # Errors
    ///
    /// [`LevelSetError`] for an empty mesh, indices out of range, vertices that are not finite, triangles without area,
    /// a mesh whose volume is not positive (turned inside out, or flat), one too thin for any node to be inside, and
    /// for the grid what [`LevelSet::from_function`] refuses.
    pub fn from_mesh(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        spacing: f64,
        band_cells: u32,
        storage: Storage,
    ) -> Result<LevelSet, LevelSetError> {
        check_length("the spacing", spacing)?;
        let reach = check_band(band_cells)? * spacing;
        let solid = Solid::new(vertices, triangles)?;
        let lattice = Lattice::around(solid.bounds().padded(reach), spacing)?;
        build(&Plan::new(lattice, band_cells, storage)?, 0.0, &Mesh(&solid))
    }
}

struct Mesh<'a>(&'a Solid);

impl Source for Mesh<'_> {
    fn centre(&self, _: [usize; 3], point: DVec3) -> f64 {
        self.0.distance(point, &mut 0)
    }

    fn nodes(&self, lattice: &Lattice, block: [usize; 3], out: &mut [f64; NODES]) {
        let mut hint = 0;
        for_nodes(lattice, block, |at, point| out[at] = self.0.distance(point, &mut hint));
    }
}
