//! Fixed points `p = projection of (p - w/D)`: the methods that find a start for Newton's. Only Newton's method decides
//! what is a solution.

use granule_model::DVec3;

use super::conditions::project;
use super::system::System;

/// Makes `steps` steps from `impulses`, all contacts at once.
///
/// D bounds G (`system.rs`), so without friction this is the projected gradient method with Nesterov's momentum,
/// restarted whenever the momentum points uphill (O'Donoghue and Candes 2015). With friction it is the same map, whose
/// only fixed points are the solutions, but no descent. The order of contacts has no part in it.
pub(super) fn together(system: &System, impulses: &mut Vec<DVec3>, steps: u32) {
    let mut ahead = impulses.clone();
    let mut velocities = Vec::with_capacity(system.len());
    let mut next = impulses.clone();
    let mut theta = 1.0f64;
    for _ in 0..steps {
        system.shifted_velocities(&ahead, &mut velocities);
        let mut uphill = 0.0;
        for (i, c) in system.contacts.iter().enumerate() {
            let w = velocities[i];
            let w_n = c.normal.dot(w);
            let trial = ahead[i] - c.normal * (w_n / c.bound.0) - c.tangential(w) / c.bound.1;
            next[i] = project(c, trial);
            let (step, progress) = (ahead[i] - next[i], next[i] - impulses[i]);
            uphill += c.bound.0 * c.normal.dot(step) * c.normal.dot(progress)
                + c.bound.1 * c.tangential(step).dot(c.tangential(progress));
        }
        if uphill > 0.0 {
            theta = 1.0;
        }
        let following = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let momentum = if uphill > 0.0 { 0.0 } else { (theta - 1.0) / following };
        for i in 0..next.len() {
            ahead[i] = next[i] + (next[i] - impulses[i]) * momentum;
        }
        theta = following;
        std::mem::swap(impulses, &mut next);
    }
}

/// Makes `steps` sweeps from `impulses`, contact after contact with D = k: projected Gauss-Seidel. It copes with strong
/// friction where steps of all contacts together do not, but its path depends on the order of contacts.
pub(super) fn in_turn(system: &System, impulses: &mut [DVec3], steps: u32) {
    for _ in 0..steps {
        for (i, c) in system.contacts.iter().enumerate() {
            let w = system.shifted_velocity(i, impulses);
            let normal = c.normal * (c.normal.dot(w) / c.k_normal);
            impulses[i] = project(c, impulses[i] - normal - c.tangential(w) / c.k_tangent);
        }
    }
}
