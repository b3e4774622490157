//! The time that each phase takes, and its tracing span.

use std::time::Instant;

use tracing::span::EnteredSpan;
use tracing::{Span, trace_span};

use crate::book::report::{Phase, PhaseSeconds};

/// Times the phases and opens a tracing span of the same name for each.
pub(crate) struct Clock {
    pub(crate) seconds: PhaseSeconds,
    current: Option<(Phase, Instant, EnteredSpan)>,
    is_silent: bool,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Clock { seconds: PhaseSeconds::default(), current: None, is_silent: false }
    }

    /// One that times nothing, for what happens within a phase that another clock times.
    pub(crate) fn silent() -> Self {
        Clock { is_silent: true, ..Self::start() }
    }

    /// Ends the phase that runs, if any, and begins `phase`.
    pub(crate) fn enter(&mut self, phase: Phase) {
        if self.is_silent {
            return;
        }
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
        Phase::Forces => trace_span!("forces"),
        Phase::Closing => trace_span!("closing"),
        Phase::Islands => trace_span!("islands"),
        Phase::Contact => trace_span!("contact"),
        Phase::Impact => trace_span!("impact"),
        Phase::Release => trace_span!("release"),
        Phase::Advance => trace_span!("advance"),
        Phase::Broadphase => trace_span!("broadphase"),
        Phase::Narrowphase => trace_span!("narrowphase"),
        Phase::Correct => trace_span!("correct"),
        Phase::Judge => trace_span!("judge"),
        Phase::Observe => trace_span!("observe"),
    }
}
