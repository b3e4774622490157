//! Tests of the crate from outside, one file a subject, linked once.

mod contour_ground;
mod contour_hollow;
mod contour_steep;
mod grain_grids;
mod height_field;
mod mass;
mod narrow_compound;
mod narrow_contract;
mod narrow_convex;
mod narrow_cuboid;
mod narrow_cylinder;
mod narrow_distance;
mod narrow_edges;
mod narrow_foresight;
mod narrow_grain;
mod narrow_joints;
mod narrow_lost;
mod narrow_mesh;
mod narrow_support;
mod narrow_touch;
mod narrow_wall;
mod passage;
mod refused;
mod surfaces;
mod volume_grains;
