//! Scenes from seeds whose answer is known, and how far the engine is off.
//!
//! A seed gives an [`ExactScene`]: one of twelve families of impacts, slides and flights, with a size from 1 mm to 10
//! m, a speed, a density, an impact law, a step and a place within the step at which things meet. The scene is turned
//! as a whole, gravity with it. [`ExactScene::run`] makes the steps and gives [`Check`]s: what was measured, as a
//! deviation over a named scale, and the bound that is asked for.
//!
//! Answers come from mechanics alone, each derived in the file of its family; that of a cradle, which has none, is what
//! its impact law answers to the contact problem. [`random`](mod@crate::random) has scenes without an answer, which are
//! judged by what holds in any scene.
//!
//! `cargo xtask exact` runs them by the hundred; a small set runs in the tests.
//!
//! **Steps begin late.** Symplectic Euler takes a body that starts with `v0` along the exact parabola that starts with
//! `v0 + g h/2`, and tells velocities `g h/2` short of it. Answers under gravity are those of that parabola. What this
//! start is off is of first order in the step `h`, and is told in `docs/accuracy.md`.

mod check;
mod cradle;
mod drop;
mod flight;
mod impulse;
mod pair;
mod rocking;
mod rod;
mod scene;
mod slope;
mod solid;
mod stage;
mod strike;

pub use check::{Check, bounds};
pub use scene::{ExactFamily, ExactReport, ExactScene};

pub(crate) use rocking::rocking_error;
pub(crate) use stage::{Circumstances, GRAVITY, Stage};
