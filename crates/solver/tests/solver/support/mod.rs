//! What the tests share: random numbers, random clusters, scenes for the contact stage, reference files.

pub(crate) mod cluster;
pub(crate) mod impacts;
pub(crate) mod packing;
pub(crate) mod random;
pub(crate) mod rbss_file;
pub(crate) mod reference;
pub(crate) mod scene;
