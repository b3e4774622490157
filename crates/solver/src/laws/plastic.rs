//! Impacts that give nothing back, all contacts at once.
//!
//! With e = 0 at every contact Newton's law and Coulomb's ask for
//!
//! ```text
//! 0 <= P_n  perp  u_n+ >= 0,      |P_t| <= mu_s P_n with u_t+ = 0,   or   P_t = -mu_d P_n u_t+/|u_t+|
//! ```
//!
//! which is what the contact stage solves where gaps are closed and no time passes ([`crate::stage`]). Its answer is
//! symmetric where the problem is, in contrast to that of laws that take one contact after the other: a block of height
//! and width that lands on two corners of an edge is struck at either alone by those, turns about it, and is struck at
//! the other. A cube that rocks with e = 0 kept 0.375 to 0.43 of its angular velocity under [`Etm`](crate::Etm) instead
//! of Housner's 0.25. Laws that give something back have such answers as well, and no better one is known for them.
//!
//! The kinetic energy does not rise: the stage bounds it. It is a function and no [`Law`](crate::Law), as it has no
//! answer to restitution.

use granule_model::Velocity;

use crate::contact::problem::{ContactProblem, ProblemError, Resolution, Solution};
use crate::laws::tracking::memory::LawMemory;
use crate::stage::{self, Packs, StageSettings};

/// Change of a relative velocity in the last sweep, over the fastest approach, at which the answer is there. The stage
/// goes on to a millionth of it.
const TOLERANCE: f64 = 1e-6;
/// Sweeps that are made at most, before Newton steps and after.
const SWEEPS: u32 = 500;
/// Updates of contacts that may be spent in any case.
const WORK: u32 = 16_000;

/// Memory of the stage, which any problem may use after any other.
#[derive(Debug, Default)]
pub struct StageMemory {
    packs: Packs,
    unforced: Vec<Velocity>,
    before: Vec<Velocity>,
}

/// Resolves a problem as if nothing were given back at its contacts.
///
/// # Errors
/// [`ProblemError`] when the problem is not well formed.
pub fn resolve_plastic(
    problem: &ContactProblem,
    memory: &mut LawMemory,
    stage: &mut StageMemory,
    solution: &mut Solution,
) -> Result<(), ProblemError> {
    problem.validate()?;
    let StageMemory { packs, unforced, before } = stage;
    let (mut island, _) = memory.lay_out(problem);
    let energy_before = island.kinetic_energy();
    let approaches = island.rows.iter().map(|row| -row.normal_velocity(island.bodies));
    let approach = approaches.fold(0.0, f64::max);
    unforced.clear();
    unforced.extend(island.bodies.iter().map(|body| body.velocity));
    let report = stage::solve(&mut island, &settings(TOLERANCE * approach), unforced, before, packs);
    let mut notes = std::mem::take(&mut solution.resolution.notes);
    notes.clear();
    solution.resolution = Resolution {
        iterations: u64::from(report.sweeps),
        rounds: 1,
        residual: report.residual,
        converged: report.converged && report.scale == 1.0,
        energy_before,
        energy_after: island.kinetic_energy(),
        notes,
    };
    solution.read(problem, &island);
    Ok(())
}

/// Those of an instant, in which nothing is deep and nothing acts.
fn settings(tolerance: f64) -> StageSettings {
    StageSettings {
        dt: 1.0,
        tolerance,
        violent: f64::INFINITY,
        deep: f64::INFINITY,
        min_sweeps: 1,
        max_sweeps: SWEEPS,
        deep_sweeps: SWEEPS,
        most_sweeps: SWEEPS,
        small_work: WORK,
        small_sweeps: SWEEPS,
        loose_work: WORK,
        hit: f64::INFINITY,
        rise: f64::INFINITY,
        more_sweeps: 0,
        trace: f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use granule_model::{Coefficients, DMat3, DVec3, Material};

    use super::*;
    use crate::contact::problem::{ProblemBody, ProblemContact};

    /// A block of mass 1 with two corners of its lower face on a floor, that turns about one of them by 1 rad/s.
    fn rocking(width: f64, height: f64, friction: f64) -> ContactProblem {
        let inertia = (width * width + height * height) / 12.0;
        let corner = |side: f64| DVec3::new(0.5 * side * width, 0.0, 0.0);
        let middle = DVec3::new(0.0, 0.0, 0.5 * height);
        let angular = DVec3::Y;
        let velocity = Velocity { linear: angular.cross(middle - corner(-1.0)), angular };
        let inverse_inertia = DMat3::from_diagonal(DVec3::splat(1.0 / inertia));
        let body = ProblemBody { inverse_mass: 1.0, inverse_inertia, position: middle, velocity };
        let rock =
            Material { restitution: 0.0, static_friction: friction, dynamic_friction: friction, ..Material::default() };
        let coefficients = Coefficients::of(&rock);
        let contact = |side: f64| ProblemContact { a: 0, b: None, point: corner(side), normal: DVec3::Z, coefficients };
        ContactProblem { bodies: vec![body], contacts: vec![contact(-1.0), contact(1.0)] }
    }

    /// Housner's factor of a block of slenderness b/h that rocks without sliding, `1 - 3/2 sin^2 a` with `tan a = b/h`,
    /// wherever it lands: on one edge, and on both where that is slow.
    #[test]
    fn a_block_that_rocks_turns_on_by_housners_factor() {
        let (mut memory, mut stage, mut solution) = (LawMemory::default(), StageMemory::default(), Solution::default());
        for slenderness in [0.1, 0.3, 0.6, 1.0, 1.2] {
            let problem = rocking(slenderness, 1.0, 5.0);
            resolve_plastic(&problem, &mut memory, &mut stage, &mut solution).expect("it is well formed");
            let expected = 1.0 - 1.5 * (slenderness * slenderness / (1.0 + slenderness * slenderness));
            let factor = solution.velocities[0].angular.y;
            println!("{slenderness}: {factor} of {expected}, {:?}", solution.resolution);
            assert!(solution.resolution.converged, "{:?}", solution.resolution);
            assert!((factor - expected).abs() <= 1e-9, "b/h = {slenderness}: {factor}, {expected}");
            assert!(solution.resolution.energy_after <= solution.resolution.energy_before);
        }
    }

    /// A block that lands flat stays flat, whichever contact is named first.
    #[test]
    fn what_lands_flat_does_not_turn() {
        let mut problem = rocking(0.5, 1.0, 0.3);
        problem.bodies[0].velocity = Velocity { linear: -DVec3::Z, angular: DVec3::ZERO };
        let mut solution = Solution::default();
        resolve_plastic(&problem, &mut LawMemory::default(), &mut StageMemory::default(), &mut solution)
            .expect("it is well formed");
        let Velocity { linear, angular } = solution.velocities[0];
        // Measured: 0 and 0.
        assert!(linear.length() <= 1e-12 && angular.length() <= 1e-12, "{linear} {angular}");
    }
}
