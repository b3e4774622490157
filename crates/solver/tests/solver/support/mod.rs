//! What the tests share: random numbers, random clusters, balls in contact, scenes for the contact stage.

pub(crate) mod cluster;
pub(crate) mod impacts;
pub(crate) mod packing;
pub(crate) mod scene;
