//! Tests of the crate from outside, one file a subject, linked once.

mod contract;
mod few_grains;
mod flat_grains;
mod format;
mod grains_and_terrain;
mod hollows;
mod lowest_points;
mod mistakes;
mod mutation;
mod outline;
mod packaged;
mod pebbles;
mod plausible;
mod rims;
mod rocks_on_ground;
mod sleeping;
mod spots;
mod spread;
mod terrain;
mod volume_grains;
mod volumes;
