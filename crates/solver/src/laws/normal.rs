//! Laws on normal velocities, which Zhang et al. 2015 compare, with their common `problem` and their solvers of
//! complementarity.

pub(crate) mod complementarity;
pub(crate) mod frictionless;
pub mod gr;
pub mod lcp;
pub mod lzb;
pub(crate) mod problem;
pub mod qce;
pub mod qce_lcp;
