//! The time that each phase takes, and its tracing span.

use std::time::Instant;

use tracing::span::EnteredSpan;
use tracing::{Span, trace_span};

use crate::report::Phase;

/// Times the phases and opens a tracing span of the same name for each.
pub(crate) struct Clock {
    pub(crate) seconds: [f64; 10],
    current: Option<(Phase, Instant, EnteredSpan)>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Clock { seconds: [0.0; 10], current: None }
    }

    /// Ends the phase that runs, if any, and begins `phase`.
    pub(crate) fn enter(&mut self, phase: Phase) {
        self.leave();
        self.current = Some((phase, Instant::now(), span_of(phase).entered()));
    }

    /// Ends the phase that runs.
    pub(crate) fn leave(&mut self) {
        if let Some((phase, since, _span)) = self.current.take() {
            self.seconds[phase as usize] += since.elapsed().as_secs_f64();
        }
    }
}

/// Tracing wants the name of a span at compile time.
fn span_of(phase: Phase) -> Span {
    match phase {
        Phase::Drive => trace_span!("drive"),
        Phase::Broadphase => trace_span!("broadphase"),
        Phase::Narrowphase => trace_span!("narrowphase"),
        Phase::Islands => trace_span!("islands"),
        Phase::Impact => trace_span!("impact"),
        Phase::Forces => trace_span!("forces"),
        Phase::Contact => trace_span!("contact"),
        Phase::Advance => trace_span!("advance"),
        Phase::Release => trace_span!("release"),
        Phase::Observe => trace_span!("observe"),
    }
}
