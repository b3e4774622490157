//! Tests of the crate from outside, one file a subject, linked once.

mod bounds;
mod grids;
mod interpolation;
mod meshes;
mod nodes;
mod shapes;
mod surfaces;
mod volumes;
