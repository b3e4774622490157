//! Packaged scenes as tests build them.

use granule_scene::{Scene, packaged};

/// A packaged scene, with few of the natural grains that take a tenth of a second each to be made.
pub(crate) fn with_few_grains(name: &str) -> Scene {
    let few = match name {
        "avalanche-flat" => "avalanche-flat-6",
        "mound" => "mound-6",
        _ => name,
    };
    packaged(few).unwrap_or_else(|e| panic!("{e}"))
}
