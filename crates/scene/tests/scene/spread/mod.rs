//! Numbers, turns and directions spread evenly.

use granule_model::{DQuat, DVec3};

/// The `i`-th of evenly spread numbers between -0.5 and 0.5, of row `k`.
pub(crate) fn spread(i: u32, k: usize) -> f64 {
    const STEPS: [f64; 8] = [0.618_034, 0.754_878, 0.569_840, 0.819_173, 0.671_044, 0.549_700, 0.850_651, 0.780_776];
    libm::fmod(f64::from(i) * STEPS[k], 1.0) - 0.5
}

/// The `i`-th turn, of four rows from `first`.
pub(crate) fn turn(i: u32, first: usize) -> DQuat {
    DQuat::from_xyzw(spread(i, first), spread(i, first + 1), spread(i, first + 2), spread(i, first + 3)).normalize()
}

/// The `i`-th direction, of three rows.
pub(crate) fn direction(i: u32, rows: [usize; 3]) -> DVec3 {
    DVec3::from_array(rows.map(|row| spread(i, row))).normalize()
}
