//! What the steps of a run may hide, as sentences for whoever reads its results.
//!
//! How far a body turned is watched by [`hidden`](crate::book::hidden), which impacts are resolved is derived in
//! [`limits`](crate::islands::limits).

use std::fmt;

use crate::book::hidden::{TURN, Turn};
use crate::book::report::ImpactCounts;
use crate::interface::simulation::Simulation;

/// Height over the smallest radius from which a body has to fall for its impact to be resolved, from which on it is
/// told: the automatic step resolves falls from 0.014 to 0.054 radii.
const HIGH: f64 = 0.1;

/// Share of the impacts from which on it is told that the law of the scene did not answer them, if another did.
const OFTEN: f64 = 0.05;

/// What the steps of a run may hide.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A body turned so far in a step that it may have missed others beside it.
    Turned(Turn),
    /// The law of the scene had no answer, or one that no step can be made with: some impacts went without restitution,
    /// or more than a twentieth were resolved by other laws.
    Refused {
        /// Its name.
        law: &'static str,
        /// Clusters of contacts that `etm` or `sqm` resolved in its place.
        substituted: u64,
        /// Those that no law did, and that went without restitution.
        fallbacks: u64,
        /// Those that were resolved by any law.
        resolved: u64,
    },
    /// Impacts are given nothing back that are not slow.
    SlowImpacts {
        /// Slowest impact that steps of this length resolve \[m/s\].
        speed: f64,
        /// Height of a fall that makes it, over the radius of the smallest body \[-\].
        height: f64,
        /// Length of the longest step \[s\].
        dt: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Turned(Turn { label, angle, time, .. }) => write!(
                f,
                "body {label} turned by {angle:.2} rad in a step, at {time:.4} s: beyond {TURN} rad it may miss others; \
                 shorter steps follow it"
            ),
            Warning::Refused { law, substituted, fallbacks, resolved } => write!(
                f,
                "`{law}` had no answer in {} of {} impacts: {substituted} of them were resolved by {}, and {fallbacks} \
                 went without restitution",
                substituted + fallbacks,
                resolved + fallbacks,
                if *law == "etm" { "`sqm`" } else { "`etm` or `sqm`" }
            ),
            Warning::SlowImpacts { speed, height, dt } => write!(
                f,
                "steps of {dt:.3e} s give nothing back in impacts slower than {speed:.3} m/s, a fall by {height:.2} radii \
                 of the smallest body: shorter steps or `resolved_speed` do"
            ),
        }
    }
}

impl Simulation {
    /// What the steps so far may have hidden, once of each kind: turning of more than 0.5 rad in a step beside others,
    /// impacts that the law of the scene did not answer, and steps so long that impacts are not resolved of what falls
    /// by a tenth of the smallest radius.
    pub fn warnings(&self) -> Vec<Warning> {
        let turned = self.book.turn.clone().map(Warning::Turned);
        turned.into_iter().chain(self.refused()).chain(self.slow_impacts()).collect()
    }

    /// Whether impacts were not resolved by the law of the scene.
    fn refused(&self) -> Option<Warning> {
        let ImpactCounts { resolved, substituted, fallbacks, .. } = self.impacts();
        let law = self.settings().law.law().name();
        let is_often = (substituted + fallbacks) as f64 > OFTEN * (resolved + fallbacks) as f64;
        (fallbacks > 0 || is_often).then_some(Warning::Refused { law, substituted, fallbacks, resolved })
    }

    /// Whether impacts that are not slow find nothing given back.
    fn slow_impacts(&self) -> Option<Warning> {
        let (gravity, dt, bodies) = (self.catalogue.gravity().length(), self.book.longest_step, self.bodies());
        // What gives back less than that is not seen to bounce.
        let restitution = self.least_restitution()?.max(0.25);
        let speed = self.resolved_speed(dt, restitution, self.dynamic_count());
        let sizes = (0..bodies.len()).filter(|i| bodies.present[*i] && bodies.dynamic[*i]).map(|i| bodies.radius[i]);
        let height = speed * speed / (2.0 * gravity * sizes.reduce(f64::min)?);
        (height >= HIGH && height.is_finite()).then_some(Warning::SlowImpacts { speed, height, dt })
    }
}
