//! Islands with their pieces of the arrays, handed to threads.

use granule_model::{DMat3, Velocity};
use granule_solver::{Block, Island, ReleaseReport, Row, SolverBody, StageReport};

use crate::islands::layout::Span;
use crate::islands::limits::Scale;

/// What the solver did in an island.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) scale: Scale,
    pub(super) stage: StageReport,
    pub(super) release: Option<ReleaseReport>,
    /// Work of driven bodies on the kinetic energy, and on E* \[J\].
    pub(super) driven_work: f64,
    pub(super) driven_work_on_star: f64,
    /// What driven bodies that turn ask for beside the chords that they move along, over half the length of the step
    /// \[W\].
    pub(super) carried_round: f64,
    /// Whether a contact of it was closing fast when the contact stage stopped it; asked of small islands only.
    pub(super) struck: bool,
    /// Whether an impact makes the contact stage start anew.
    pub(super) again: bool,
    /// Whether the contact stage could not keep the bodies apart.
    pub(super) overrun: bool,
    pub(super) before: Vec<Velocity>,
    pub(super) hit: Vec<bool>,
}

impl Outcome {
    /// What the release gave back, net of the work of driven bodies, over what the contacts that were hit took \[-\].
    pub(super) fn given_back_per_taken(&self) -> f64 {
        let given = |release: &ReleaseReport| {
            let driven = self.driven_work - self.stage.driven_work;
            (release.kinetic_after - release.kinetic_before - driven) / release.taken
        };
        self.release.as_ref().filter(|release| release.taken > 0.0).map_or(0.0, given)
    }
}

/// A run of islands with their pieces of the arrays; splits in two until one island is left.
pub(super) struct Pieces<'a> {
    pub(super) start: Span,
    pub(super) spans: &'a [Span],
    pub(super) blocks: &'a [Block],
    pub(super) bodies: &'a mut [SolverBody],
    pub(super) tensors: &'a [DMat3],
    pub(super) unforced: &'a [Velocity],
    pub(super) rows: &'a mut [Row],
    pub(super) outcomes: &'a mut [Outcome],
}

impl Pieces<'_> {
    /// Rows below which splitting costs more than it brings.
    const SERIAL: usize = 64;

    /// Runs `work` on every island.
    pub(super) fn run(self, work: &(impl Fn(&mut Island<'_>, &[Velocity], &mut Outcome) + Sync)) {
        if self.spans.len() <= 1 || self.rows.len() <= Self::SERIAL {
            self.run_in_order(work);
            return;
        }
        let half = self.spans.len() / 2;
        let (left, right) = self.split(half);
        rayon::join(|| left.run(work), || right.run(work));
    }

    fn run_in_order(mut self, work: &(impl Fn(&mut Island<'_>, &[Velocity], &mut Outcome) + Sync)) {
        while !self.spans.is_empty() {
            let (island, behind) = self.split(1);
            let Pieces { blocks, bodies, tensors, rows, unforced, outcomes, .. } = island;
            work(&mut Island { bodies, tensors, rows, blocks }, unforced, &mut outcomes[0]);
            self = behind;
        }
    }

    /// The first `count` islands, at least one, and the others.
    fn split(self, count: usize) -> (Self, Self) {
        let at = self.spans[count - 1];
        let (n, m) = (at.bodies - self.start.bodies, at.rows - self.start.rows);
        let (bodies, right_bodies) = self.bodies.split_at_mut(n);
        let (rows, right_rows) = self.rows.split_at_mut(m);
        let (tensors, right_tensors) = self.tensors.split_at(n);
        let (unforced, right_unforced) = self.unforced.split_at(n);
        let (blocks, right_blocks) = self.blocks.split_at(at.blocks - self.start.blocks);
        let (spans, right_spans) = self.spans.split_at(count);
        let (outcomes, right_outcomes) = self.outcomes.split_at_mut(count);
        let left = Pieces { start: self.start, spans, blocks, bodies, tensors, unforced, rows, outcomes };
        let right = Pieces {
            start: at,
            spans: right_spans,
            blocks: right_blocks,
            bodies: right_bodies,
            tensors: right_tensors,
            unforced: right_unforced,
            rows: right_rows,
            outcomes: right_outcomes,
        };
        (left, right)
    }
}
