//! What all impact laws have in common: one problem in, one answer out, and the claims that tests hold them to.
//!
//! A law resolves contacts that touch, all of them, once and without time. It belongs to no engine: `granule resolve`,
//! the reference cases and the engine's `impact` phase all call [`ImpactLaw::resolve`].

use granule_model::DVec3;

use crate::contact::problem::{ContactProblem, ProblemError, Solution};

/// The desiderata of Smith et al. 2012, as in Table 1 of Zhang et al. 2015.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Desideratum {
    /// BRK: contacts that an impact should break apart do break.
    BreakAway,
    /// SYM: a symmetric problem has a symmetric answer.
    Symmetry,
    /// KIN: kinetic energy does not grow, and is kept where e = 1.
    Kinetic,
    /// MOM: momentum and angular momentum are kept.
    Momentum,
    /// ONE: normal impulses push.
    OneSided,
    /// WAV: effects travel through chains as in the exact distribution law.
    Wave,
}

impl Desideratum {
    /// All of them, in the order of the table.
    pub const ALL: [Desideratum; 6] = [
        Desideratum::BreakAway,
        Desideratum::Symmetry,
        Desideratum::Kinetic,
        Desideratum::Momentum,
        Desideratum::OneSided,
        Desideratum::Wave,
    ];

    /// The table's three letters.
    pub fn letters(self) -> &'static str {
        match self {
            Desideratum::BreakAway => "BRK",
            Desideratum::Symmetry => "SYM",
            Desideratum::Kinetic => "KIN",
            Desideratum::Momentum => "MOM",
            Desideratum::OneSided => "ONE",
            Desideratum::Wave => "WAV",
        }
    }
}

/// An impact law.
pub trait ImpactLaw: Sync {
    /// Name, as in scene files and on the command line.
    fn name(&self) -> &'static str;

    /// The desiderata that the law meets on every problem; tests hold it to them.
    fn claims(&self) -> &'static [Desideratum];

    /// Resolves `problem` to rounding: every contact touches, gaps there are none.
    ///
    /// An answer that is not converged says so in its [`Resolution`](crate::Resolution); it is never an error.
    ///
    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or a parameter of the law is out of its range.
    fn resolve(&self, problem: &ContactProblem) -> Result<Solution, ProblemError> {
        self.resolve_within(problem, 0.0)
    }

    /// The same, where approach speeds up to `left` \[m/s\] count as none and errors of that size in any velocity do no
    /// harm.
    ///
    /// This is how a time step calls a law: what approaches more slowly is left to the contact stage, and a cluster of
    /// a hundred resting grains, hit by one, need not be settled to the last bit. With `left = 0` it is
    /// [`ImpactLaw::resolve`].
    ///
    /// # Errors
    /// As [`ImpactLaw::resolve`].
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError>;

    /// The same, with the impulses by contact of a plastic answer nearby (that of the contact stage, say, which holds
    /// the load of the step as well): a law that iterates may start from them. What it answers does not hang on them
    /// beyond `left`.
    ///
    /// # Errors
    /// As [`ImpactLaw::resolve`].
    fn resolve_from(&self, problem: &ContactProblem, left: f64, plastic: &[DVec3]) -> Result<Solution, ProblemError> {
        let _ = plastic;
        self.resolve_within(problem, left)
    }
}
