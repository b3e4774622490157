//! The flame chart of a run: when each phase of each step began and how long it took.
//!
//! The file is an array of trace events as JSON, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` open
//! as it is. Each span of the engine is one complete event (`"ph": "X"`) with its begin `ts` and its length `dur` in
//! microseconds; viewers nest events of a thread by their times. Format: "Trace Event Format", Google, section
//! "Complete Events".
//!
//! Only the thread that steps is listened to: the engine opens its spans there and nowhere else.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tracing::span::Id;
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::error::CliError;
use crate::log;

/// A flame chart that is being written. Ends with [`finish`](Profile::finish).
pub(crate) struct Profile {
    path: PathBuf,
    chart: Arc<Mutex<Chart<BufWriter<File>>>>,
    _listening: DefaultGuard,
}

impl Profile {
    /// Opens the file, and its folder if need be, and listens to this thread from now on.
    ///
    /// # Errors
    /// [`CliError::Argument`] naming a file that cannot be written, or that holds something else than a chart and is
    /// not to be replaced by force.
    pub(crate) fn begin(path: &Path, force: bool) -> Result<Self, CliError> {
        let refused = |error| CliError::Argument(format!("cannot write the profile {}: {error}", path.display()));
        if !force && holds_something_else(path) {
            let path = path.display();
            return Err(CliError::Argument(format!(
                "the profile {path} would replace a file that is no profile: name another one, or give --force"
            )));
        }
        let file = create(path).map_err(refused)?;
        let chart = Arc::new(Mutex::new(Chart::new(BufWriter::new(file)).map_err(refused)?));
        let subscriber = tracing_subscriber::registry().with(Listener(Arc::clone(&chart))).with(log::layer());
        let listening = tracing::dispatcher::set_default(&Dispatch::new(subscriber));
        Ok(Profile { path: path.to_path_buf(), chart, _listening: listening })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`CliError::Write`] with the first thing that could not be written, now or earlier.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        lock(&self.chart).end().map_err(|source| CliError::Write { path: self.path, source })
    }
}

/// Whether there is a file that does not begin as charts do, which is also how one begins that was not finished.
fn holds_something_else(path: &Path) -> bool {
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let mut head = Vec::new();
    let mut read = || File::open(path)?.take(HEAD.len() as u64).read_to_end(&mut head);
    is_file && (read().is_err() || !HEAD.starts_with(&head))
}

/// How every chart begins.
const HEAD: &[u8] = b"[\n{\"name\":\"";

fn create(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    File::create(path)
}

/// A chart stays usable whatever became of a thread that held it: each event is written as a whole.
fn lock<W>(chart: &Mutex<Chart<W>>) -> MutexGuard<'_, Chart<W>> {
    chart.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The writing side: trace events, one a line.
struct Chart<W> {
    to: W,
    start: Instant,
    separator: &'static str,
    /// The first failure; nothing is written after it.
    failure: Option<std::io::Error>,
}

impl<W: Write> Chart<W> {
    /// Begins the array; times count from now.
    fn new(mut to: W) -> std::io::Result<Self> {
        to.write_all(b"[")?;
        to.flush()?;
        Ok(Chart { to, start: Instant::now(), separator: "\n", failure: None })
    }

    /// Writes that span `name` was entered from `begin` to `end`.
    fn event(&mut self, name: &str, begin: Instant, end: Instant) {
        if self.failure.is_some() {
            return;
        }
        let since_start = |instant: Instant| instant.saturating_duration_since(self.start).as_nanos();
        // The length is the difference of what is written, so that whatever lies within another event does so in the
        // file.
        let (begin, end) = (since_start(begin), since_start(end));
        let (at, length) = (Microseconds(begin), Microseconds(end - begin));
        // Names of spans are identifiers of ours, without anything that JSON would have to escape.
        let written = writeln_event(&mut self.to, self.separator, name, at, length);
        self.failure = written.err();
        self.separator = ",\n";
    }

    /// Ends the array.
    fn end(&mut self) -> std::io::Result<()> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        self.to.write_all(b"\n]\n")?;
        self.to.flush()
    }
}

fn writeln_event(
    to: &mut impl Write,
    separator: &str,
    name: &str,
    at: Microseconds,
    length: Microseconds,
) -> std::io::Result<()> {
    write!(to, "{separator}{{\"name\":\"{name}\",\"ph\":\"X\",\"ts\":{at},\"dur\":{length},\"pid\":1,\"tid\":1}}")
}

/// Nanoseconds, written as microseconds without rounding.
#[derive(Clone, Copy, Debug)]
struct Microseconds(u128);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

thread_local! {
    /// When the spans that are open on this thread were entered, outermost first.
    static ENTERED: RefCell<Vec<Instant>> = const { RefCell::new(Vec::new()) };
}

/// The listening side: a layer that times each stay in a span.
struct Listener<W>(Arc<Mutex<Chart<W>>>);

impl<S, W> Layer<S> for Listener<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Write + Send + 'static,
{
    fn on_enter(&self, _: &Id, _: Context<'_, S>) {
        ENTERED.with_borrow_mut(|entered| entered.push(Instant::now()));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let end = Instant::now();
        let begin = ENTERED.with_borrow_mut(Vec::pop);
        if let (Some(begin), Some(span)) = (begin, context.span(id)) {
            lock(&self.0).event(span.name(), begin, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn chart() -> Chart<Vec<u8>> {
        Chart::new(Vec::new()).expect("memory can be written")
    }

    fn parsed(mut chart: Chart<Vec<u8>>) -> Value {
        chart.end().expect("memory can be written");
        serde_json::from_slice(&chart.to).expect("the chart is JSON")
    }

    #[test]
    fn a_chart_without_events_is_an_empty_array() {
        assert_eq!(parsed(chart()), json!([]));
    }

    #[test]
    fn times_are_microseconds_and_lose_nothing() {
        let mut chart = chart();
        let at = |nanoseconds| chart.start + Duration::from_nanos(nanoseconds);
        let (a, b, c) = (at(1_002_003), at(1_002_010), at(5_000_000_000));
        chart.event("inner", a, b);
        chart.event("outer", a, c);
        let event =
            |name: &str, ts: f64, dur: f64| json!({"name": name, "ph": "X", "ts": ts, "dur": dur, "pid": 1, "tid": 1});
        assert_eq!(parsed(chart), json!([event("inner", 1002.003, 0.007), event("outer", 1002.003, 4_998_997.997)]));
    }

    /// Takes the first `left` writes and refuses the others.
    struct Full {
        left: usize,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.left = self.left.checked_sub(1).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_cannot_be_written_is_told_at_the_end() {
        assert!(Chart::new(Full { left: 0 }).is_err());
        let mut chart = Chart::new(Full { left: 1 }).expect("the first write is taken");
        let start = chart.start;
        chart.event("step", start, start);
        chart.event("step", start, start);
        assert_eq!(chart.end().expect_err("the second write is refused").kind(), std::io::ErrorKind::StorageFull);
    }
}
