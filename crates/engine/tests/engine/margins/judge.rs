//! What happened in a run, from shapes and poses alone.

use granule_engine::prelude::*;

use super::convex::{Convex, Way, follow, gap};

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// Deepest overlap at the end of a step, over the smaller half width, and where.
    pub(crate) deepest: f64,
    pub(crate) deepest_at: String,
    /// Bodies that went through each other.
    pub(crate) passed: Vec<String>,
    /// The same, in a step that was divided: the way in it is not known.
    pub(crate) perhaps: Vec<String>,
    /// Pairs that came nearer than a hundredth of the half width.
    pub(crate) touched: bool,
}

/// Watches the bodies of a simulation.
pub(crate) struct Judge {
    pieces: Vec<Vec<Convex>>,
    /// The same, smaller by [`CORNER`].
    cores: Vec<Vec<Convex>>,
    half_width: Vec<f64>,
    before: Snapshot,
    pub(crate) findings: Findings,
}

impl Judge {
    pub(crate) fn new(simulation: &Simulation) -> Self {
        let before = simulation.snapshot();
        // A half-space has no triangles; nothing here is thrown at it alone.
        let pieces = before.bodies.iter().map(|b| if b.shape.is_unbounded() { vec![] } else { Convex::of(&b.shape) });
        let pieces: Vec<Vec<_>> = pieces.collect();
        let cores = pieces.iter().map(|of_body| of_body.iter().map(|p| p.shrunk(CORNER)).collect()).collect();
        let half_width = before.bodies.iter().map(|b| b.shape.half_width()).collect();
        Judge { pieces, cores, half_width, before, findings: Findings::default() }
    }

    /// Judges the step that was just made.
    pub(crate) fn look(&mut self, simulation: &Simulation, report: &StepReport) {
        let after = simulation.snapshot();
        for b in 0..after.bodies.len() {
            for a in 0..b {
                self.look_at([a, b], &after, report);
            }
        }
        self.before = after;
    }

    fn look_at(&mut self, [a, b]: [usize; 2], after: &Snapshot, report: &StepReport) {
        let poses = [a, b].map(|i| [self.before.bodies[i].pose, after.bodies[i].pose]);
        let present = [a, b].iter().all(|i| after.bodies[*i].present);
        if !present || poses.iter().all(|[from, to]| from == to) {
            return;
        }
        let half_width = self.half_width[a].min(self.half_width[b]);
        let note = || format!("bodies {a} and {b} at step {} ({} parts)", report.step, report.substeps);
        for (p, core_p) in self.pieces[a].iter().zip(&self.cores[a]) {
            for (q, core_q) in self.pieces[b].iter().zip(&self.cores[b]) {
                if are_far([p, q], &poses) {
                    continue;
                }
                let end = -gap([p, q], [&poses[0][1], &poses[1][1]]).0 / half_width;
                self.findings.touched |= end > -0.01;
                if end > self.findings.deepest {
                    self.findings.deepest = end;
                    self.findings.deepest_at = note();
                }
                let poses = poses.each_ref().map(|[from, to]| [from, to]);
                let way = follow([core_p, core_q], poses, 0.25 * half_width);
                if passes(&way) {
                    let note = format!(
                        "{} {:.1e} turned {:.2} angle {:.2}",
                        note(),
                        way.depth / half_width,
                        way.turned,
                        way.angle
                    );
                    // Few bodies that are struck go ways of their own within a step, others go one.
                    let certain = report.substeps == 1 && report.alone == 0 && way.angle < SWING;
                    let list = if certain { &mut self.findings.passed } else { &mut self.findings.perhaps };
                    list.push(note);
                }
            }
        }
    }
}

/// Share of their measures that bodies may lack at their borders before what went through them counts: cut corners are
/// none.
const CORNER: f64 = 0.1;
/// Turn in a step up to which the way between two poses is the shortest one \[rad\].
const SWING: f64 = 1.0;

/// Whether one core went through the other.
pub(crate) fn passes(way: &Way) -> bool {
    way.depth > 0.0 && way.turned < 0.0
}

/// Whether two pieces cannot come near each other between their poses.
fn are_far([p, q]: [&Convex; 2], poses: &[[Pose; 2]; 2]) -> bool {
    let [[a0, a1], [b0, b1]] = poses;
    // The way of one centre seen from the other, a line.
    let (from, to) = (a0.position - b0.position, a1.position - b1.position);
    let line = to - from;
    let share = (-from.dot(line) / line.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (from + share * line).length() > 1.01 * (p.extent() + q.extent())
}
