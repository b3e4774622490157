//! (in work)
/// In work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {}
