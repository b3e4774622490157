//! The figures of the papers with our own data: what stands on which axis. Drawing is left to the caller.

use granule_solver::etm::TracePoint;

use crate::reference::chains::Hertz;
use crate::report::{Curve, Plot};

/// Steps of ball a's approach speed between 0 and 1 in Fig. 4 of Zhang 2015: a multiple of those of the reference.
pub(crate) const SWEEP: u32 = 40;

/// Divisor of the energies of Fig. 6 of Tang 2014, so that they fit the axis of the velocity.
const SCALE: f64 = 300.0;

/// Velocities of the three-ball chain after the impact \[m/s\], where ball a came with `x` \[m/s\].
#[derive(Clone, Debug)]
pub(crate) struct ThreeBalls {
    pub(crate) x: f64,
    pub(crate) after: Vec<f64>,
}

/// What a box that lands flat does: angular speed \[rad/s\], and error of the linear velocity over the speed before
/// \[-\].
pub(crate) struct SpinCurves {
    pub(crate) lambdas: Vec<u32>,
    /// By energy tracking, for every lambda.
    pub(crate) tracked: Vec<(f64, f64)>,
    pub(crate) sequential: (f64, f64),
    pub(crate) simultaneous: (f64, f64),
    /// Speed of a corner per angular speed, over the speed before \[s\].
    pub(crate) corner: f64,
}

/// Tang 2014, Fig. 6 (b).
pub(crate) fn etm_collision(trace: &[TracePoint], lambda: u32) -> Plot {
    let curve = |name: &str, value: fn(&TracePoint) -> f64| {
        Curve::new(name, trace.iter().map(|p| (1e-3 * p.normal_impulse, value(p))).collect())
    };
    Plot {
        stem: "etm-collision",
        title: format!("Two tetrahedra collide, e = 1, without friction: ETM, \u{3bb} = {lambda}"),
        x_label: "normal impulse [kN s]".into(),
        y_label: "velocity [m/s], energies / 300 [J]".into(),
        curves: vec![
            curve("normal relative velocity", |p| p.normal_velocity),
            curve("stored energy / 300", |p| p.stored / SCALE),
            curve("kinetic energy / 300", |p| p.kinetic / SCALE),
            curve("total energy / 300", |p| (p.kinetic + p.stored) / SCALE),
        ],
    }
}

/// A curve that is one value for every lambda.
fn level(name: &str, lambdas: &[u32], value: f64) -> Curve {
    let ends = [lambdas.first(), lambdas.last()];
    Curve::new(name, ends.into_iter().flatten().map(|l| (f64::from(*l), value)).collect())
}

/// Tang 2014, Fig. 7 (b), as a function of lambda.
pub(crate) fn box_spin(data: &SpinCurves) -> Plot {
    let tracked = data.lambdas.iter().zip(&data.tracked).map(|(l, (speed, _))| (f64::from(*l), *speed));
    Plot {
        stem: "box-spin",
        title: "A box of 2 x 2 x 1 m lands flat at 10 m/s: angular speed after".into(),
        x_label: "\u{3bb} [-]".into(),
        y_label: "angular speed [rad/s]".into(),
        curves: vec![
            Curve::new("ETM", tracked.collect()),
            level("SQM", &data.lambdas, data.sequential.0),
            level("SMM, and the exact answer", &data.lambdas, data.simultaneous.0),
        ],
    }
}

/// Tang 2014, Fig. 8 (b).
pub(crate) fn velocity_error(data: &SpinCurves) -> Plot {
    let tracked = |value: &dyn Fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
        data.lambdas.iter().zip(&data.tracked).map(|(l, found)| (f64::from(*l), value(found))).collect()
    };
    let angular = |found: &(f64, f64)| found.0 * data.corner;
    Plot {
        stem: "velocity-error",
        title: "A box of 2 x 2 x 1 m lands flat at 10 m/s: velocity errors over the speed before".into(),
        x_label: "\u{3bb} [-]".into(),
        y_label: "relative velocity error [-]".into(),
        curves: vec![
            Curve::new("ETM, angular (speed of a corner)", tracked(&angular)),
            Curve::new("ETM, linear", tracked(&|found| found.1)),
            level("SQM, angular (speed of a corner)", &data.lambdas, angular(&data.sequential)),
            level("SQM, linear", &data.lambdas, data.sequential.1),
        ],
    }
}

/// Zhang 2015, Fig. 4: a plot for every ball.
pub(crate) fn three_ball_chain(hertz: &Hertz, laws: &[(&'static str, Vec<ThreeBalls>)]) -> Vec<Plot> {
    let plot = |(stem, ball, i): (&'static str, &str, usize)| {
        let exact = hertz.x.iter().zip(hertz.hertz_ode.chunks(3)).map(|(x, after)| (*x, after[i]));
        let of_law = |(name, found): &(&str, Vec<ThreeBalls>)| {
            Curve::new(*name, found.iter().map(|f| (f.x, f.after[i])).collect())
        };
        let curves = laws.iter().map(of_law).chain([Curve::new("Hertz contacts", exact.collect())]);
        Plot {
            stem,
            title: format!("Three balls, a comes with v and c with 1 m/s: ball {ball} after"),
            x_label: "approach speed v of ball a [m/s]".into(),
            y_label: format!("velocity of ball {ball} after [m/s]"),
            curves: merged(curves.collect()),
        }
    };
    [("three-ball-chain-a", "a", 0), ("three-ball-chain-b", "b", 1), ("three-ball-chain-c", "c", 2)].map(plot).to_vec()
}

/// Zhang 2015, Fig. 12.
pub(crate) fn cradle_disturbed(curves: Vec<Curve>) -> Plot {
    Plot {
        stem: "cradle-disturbed",
        title: "A cradle of five whose balls all approach a little: the last ball".into(),
        x_label: "disturbance over the speed of the first ball, log10 [-]".into(),
        y_label: "velocity of the last ball after [m/s]".into(),
        curves: merged(curves),
    }
}

/// Zhang 2015, Fig. 7, from the axes.
pub(crate) fn four_balls(curves: Vec<Curve>) -> Plot {
    Plot {
        stem: "four-balls",
        title: "Four balls meet in the centre again and again: distance of the first".into(),
        x_label: "time [s]".into(),
        y_label: "distance from the centre [m]".into(),
        curves,
    }
}

/// Zhang 2015, Fig. 7 (b), from the quadrants.
pub(crate) fn four_balls_paths(law: &str, curves: Vec<Curve>) -> Plot {
    Plot {
        stem: "four-balls-paths",
        title: format!("Paths of four balls within walls, {law}"),
        x_label: "x [m]".into(),
        y_label: "y [m]".into(),
        curves,
    }
}

/// Difference up to which two curves look the same.
const SAME: f64 = 1e-6;

/// The curves, those that are one drawn once under all their names: many lines have few colours.
fn merged(curves: Vec<Curve>) -> Vec<Curve> {
    let mut kept: Vec<Curve> = Vec::new();
    for curve in curves {
        match kept.iter_mut().find(|k| coincide(k, &curve)) {
            Some(same) => same.name = format!("{}, {}", same.name, curve.name),
            None => kept.push(curve),
        }
    }
    kept
}

/// Whether two curves agree wherever both have a point, and have at least two such points.
fn coincide(x: &Curve, y: &Curve) -> bool {
    let at = |p: &(f64, f64)| y.points.iter().find(|q| (q.0 - p.0).abs() <= 1e-12).map(|q| (q.1 - p.1).abs());
    let common: Vec<f64> = x.points.iter().filter_map(at).collect();
    common.len() > 1 && common.iter().all(|off| *off <= SAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_curves_that_are_one_are_merged() {
        let line = |name: &str, slope: f64, n: u32| {
            Curve::new(name, (0..n).map(|i| (f64::from(i), slope * f64::from(i))).collect())
        };
        let curves = merged(vec![line("a", 1.0, 5), line("b", 2.0, 5), line("c", 1.0, 3), line("d", 1.0, 1)]);
        assert_eq!(curves.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a, c", "b", "d"]);
    }
}
