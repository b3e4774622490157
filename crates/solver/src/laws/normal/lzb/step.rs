//! One step of Dormand and Prince's pair of orders 5 and 4 (1980).

use super::flow::{Flow, Point};

/// Time derivative of a point.
#[derive(Clone, Debug)]
pub(super) struct Slope {
    pub(super) speed: Vec<f64>,
    pub(super) depth: Vec<f64>,
    pub(super) impulse: Vec<f64>,
}

/// Rows 2 to 7 of the tableau; the last row is the answer of order 5.
const ROWS: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Order 5 minus order 4.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(x, y)| *x += factor * y);
}

/// The point after a step of `h` from `point`, the slope there, and the error over what is allowed. `slope`: at
/// `point`.
pub(super) fn dormand_prince(flow: &Flow<'_, '_>, point: &Point, slope: &Slope, h: f64) -> (Point, Slope, f64) {
    let mut slopes = vec![slope.clone()];
    let mut next = point.clone();
    for row in ROWS {
        next = point.clone();
        for (factor, slope) in row.iter().zip(&slopes).filter(|(factor, _)| **factor != 0.0) {
            add(&mut next.speed, factor * h, &slope.speed);
            add(&mut next.depth, factor * h, &slope.depth);
            add(&mut next.impulse, factor * h, &slope.impulse);
        }
        slopes.push(flow.slope(&next));
    }
    let n = next.speed.len();
    let mut error = Slope { speed: vec![0.0; n], depth: vec![0.0; n], impulse: vec![0.0; n] };
    for (factor, slope) in ERROR.iter().zip(&slopes) {
        add(&mut error.speed, *factor, &slope.speed);
        add(&mut error.depth, *factor, &slope.depth);
    }
    let off = flow.error(&error, h);
    let last = slopes.pop().unwrap_or_else(|| slope.clone());
    (next, last, off)
}
