//! The log of the engine's phases on standard error, for those who ask for it.

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::console::note;

/// The variable that turns on the log: `error`, `warn`, `info`, `debug` or `trace`.
const VARIABLE: &str = "GRANULE_LOG";

/// Sends tracing events and the times of spans to standard error when the user asks for them; costs nothing otherwise.
pub(crate) fn install() {
    match std::env::var(VARIABLE).map(|level| level.parse::<tracing::Level>().map_err(|_| level)) {
        // A program that embeds this library may have a subscriber already; then that one stays.
        Ok(Ok(_)) => drop(tracing_subscriber::registry().with(layer()).try_init()),
        Ok(Err(level)) => {
            note(format_args!("warning: {VARIABLE} is `{level}`, but must be error, warn, info, debug or trace"));
        }
        Err(_) => {}
    }
}

/// The log as a layer; none where the user did not ask for it.
pub(crate) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>() -> Option<impl Layer<S>> {
    let level: tracing::Level = std::env::var(VARIABLE).ok()?.parse().ok()?;
    let log = tracing_subscriber::fmt::layer()
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_writer(std::io::stderr);
    Some(log.with_filter(LevelFilter::from_level(level)))
}
