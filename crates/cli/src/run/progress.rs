//! How far a run has come: a bar on a terminal, a line every few seconds elsewhere, nothing when asked to be quiet. All
//! of it on standard error.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use granule_engine::{Simulation, StepReport};
use granule_scene::Scene;
use indicatif::{ProgressBar, ProgressStyle};

use super::pace::Pace;
use super::runner::{Event, Observer, Plan};
use crate::console::note;
use crate::error::CliError;

/// How often the bar moves.
const BAR_PERIOD: Duration = Duration::from_millis(100);
/// How often a line is printed.
const LINE_PERIOD: Duration = Duration::from_secs(5);
/// Parts of the bar.
const PARTS: u64 = 1000;

enum Display {
    Quiet,
    Bar(ProgressBar),
    Lines,
}

/// The progress of one run.
pub(crate) struct Progress {
    display: Display,
    title: String,
    /// Longest simulated time that the run may take \[s\].
    limit: f64,
    /// Whether the run may end before its limit.
    until_rest: bool,
    stage: String,
    began: Instant,
    pace: Pace,
    /// When something was shown last; the steps made since then, and what the engine took for them \[s\].
    shown: Instant,
    since_steps: u64,
    stepping: f64,
    contacts: usize,
}

impl Progress {
    pub(crate) fn new(quiet: bool, scene: &Scene, plan: &Plan) -> Self {
        let display = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Display::Quiet,
            (false, true) => Display::Bar(bar()),
            (false, false) => Display::Lines,
        };
        let now = Instant::now();
        Progress {
            display,
            title: scene.name.clone(),
            limit: plan.limit(),
            until_rest: plan.until_rest(),
            stage: String::new(),
            began: now,
            pace: Pace::default(),
            shown: now,
            since_steps: 0,
            stepping: 0.0,
            contacts: 0,
        }
    }

    fn step(&mut self, simulation: &Simulation, report: &StepReport) {
        self.since_steps += 1;
        // The time between two steps holds the drawing of pictures as well.
        self.stepping += report.seconds.iter().sum::<f64>();
        self.contacts = report.touching;
        let period = match self.display {
            Display::Quiet => return,
            Display::Bar(_) => BAR_PERIOD,
            Display::Lines => LINE_PERIOD,
        };
        let now = Instant::now();
        if now - self.shown < period {
            return;
        }
        let milliseconds = 1e3 * self.stepping / self.since_steps as f64;
        self.pace.mark((now - self.began).as_secs_f64(), simulation.time());
        let text = self.text(simulation, milliseconds);
        self.shown = now;
        (self.since_steps, self.stepping) = (0, 0.0);
        match &self.display {
            Display::Bar(bar) => {
                bar.set_position((PARTS as f64 * simulation.time() / self.limit) as u64);
                bar.set_message(text);
            }
            Display::Lines => note(format_args!("{}: {text}", self.title)),
            Display::Quiet => {}
        }
    }

    fn text(&self, simulation: &Simulation, milliseconds: f64) -> String {
        let (time, bodies) = (simulation.time(), simulation.dynamic_count());
        let mut text = format!(
            "{}: {} s, {bodies} bodies, {} contacts, {milliseconds:.2} ms/step",
            self.stage,
            time_text(time, self.limit, self.until_rest),
            self.contacts,
        );
        let left = self.pace.time_for(self.limit - time);
        let bound = if self.until_rest { "at most about " } else { "about " };
        // Writing to a String cannot fail.
        let _ = write!(text, ", {bound}{} left", duration_text(left));
        text
    }

    fn end(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn observe(&mut self, simulation: &Simulation, event: &Event<'_>) -> Result<(), CliError> {
        match event {
            Event::Begin => (self.began, self.shown) = (Instant::now(), Instant::now()),
            Event::StageBegins { stage, .. } => self.stage.clone_from(&stage.name),
            Event::Step(report) => self.step(simulation, report),
            Event::StageEnds { .. } => {}
            Event::End => self.end(),
        }
        Ok(())
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(PARTS);
    // The template is fixed and valid; the plain style would do as well.
    if let Ok(style) = ProgressStyle::with_template("[{bar:24}] {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// From where on times are shown with an exponent \[s\].
const LONG: f64 = 1e10;

/// How much of the simulated time is over: to a hundredth of the limit's leading digit, the limit to a ten-thousandth.
fn time_text(time: f64, limit: f64, until_rest: bool) -> String {
    let leading = limit.log10().floor();
    let digits = if leading.is_finite() { (2.0 - leading).clamp(2.0, 300.0) as usize } else { 2 };
    let limit = if limit < LONG {
        let limit = format!("{limit:.0$}", digits + 2);
        limit.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{limit:e}")
    };
    format!("{time:.digits$} of {}{limit}", if until_rest { "at most " } else { "" })
}

/// A length of time in the units that people use.
pub(crate) fn duration_text(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown time".to_owned();
    }
    if seconds >= LONG {
        return format!("{:.1e} h", seconds / 3600.0);
    }
    let whole = seconds.ceil() as u64;
    match whole {
        0..=99 => format!("{whole} s"),
        100..=5999 => format!("{} min", whole.div_ceil(60)),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_limit_is_shown_with_the_digits_that_it_has() {
        for (time, limit, text) in [
            (0.03, 0.05, "0.0300 of 0.05"),
            (0.003, 0.0125, "0.0030 of 0.0125"),
            (1.234, 6.0, "1.23 of 6"),
            (1.0, 12.5, "1.00 of 12.5"),
            (250.0, 100_000.0, "250.00 of 100000"),
            (2e-7, 0.1 + 0.2, "0.000 of 0.3"),
            (2.5e-7, 1e-6, "0.00000025 of 0.000001"),
            (2.0, 1e300, "2.00 of 1e300"),
        ] {
            assert_eq!(time_text(time, limit, false), text);
        }
        assert_eq!(time_text(1.0, 60.0, true), "1.00 of at most 60");
    }

    #[test]
    fn durations_are_short_to_read() {
        for (seconds, text) in [(0.0, "0 s"), (41.2, "42 s"), (120.0, "2 min"), (7200.0, "2.0 h")] {
            assert_eq!(duration_text(seconds), text);
        }
        assert_eq!(duration_text(f64::INFINITY), "unknown time");
        assert_eq!(duration_text(3.6e300), "1.0e297 h");
    }
}
