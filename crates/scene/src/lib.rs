//! Scene files of granule and the packaged scenes.
//!
//! Floor 4: from TOML to a validated [`Scene`], and from that to a simulation. The format is described in
//! `data/scenes/FORMAT.md`; every mistake becomes a [`SceneError`] that shows the place in the file and what was meant.
//! Packaged scenes live once, as files in `data/scenes/`, and are compiled in: see [`packaged`], which also makes the
//! settling scenes of any size, and, for the experiments with other values, [`ReposeOptions`], [`AvalancheOptions`] and
//! [`MoundOptions`].
//!
//! Files of numbers that scenes name are read here as well: triangle meshes ([`TriangleMesh`]), terrain ([`Raster`])
//! and volumes of voxels ([`Volume`]). [`Valley`] makes the terrain in `data/terrain/`.
//!
//! Running a scene, measuring and writing are left to the programs: here stand only the plans for it.

mod avalanche;
mod build;
mod bytes;
mod data_file;
mod error;
mod grid;
mod load;
mod mesh_file;
mod outline;
