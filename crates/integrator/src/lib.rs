//! (in work)
/// In work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Symplectic Euler.
    #[default]
    SymplecticEuler,
}
