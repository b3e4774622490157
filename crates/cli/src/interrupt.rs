//! Requests to end: Ctrl-C (SIGINT), SIGTERM and, on Unix, SIGHUP. The first asks the running command to stop after its
//! step and to write what it has, the second ends at once. Signals within half a second are one request: who ends a
//! process and its group (coreutils' `timeout`, batch systems) sends two.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Once};

use signal_hook::consts::signal::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::console::note;
use crate::error::SIGNALLED;

static RECEIVED: LazyLock<Received> = LazyLock::new(Received::default);
static INSTALL: Once = Once::new();

/// What signal handlers leave; they may do no more than set flags.
#[derive(Default)]
struct Received {
    any: Arc<AtomicBool>,
    number: Arc<AtomicUsize>,
}

/// From now on a signal is a request. Where the system offers no handler, it keeps ending the program at once.
pub(crate) fn listen() {
    INSTALL.call_once(|| {
        let signals = signals();
        for signal in &signals {
            if let Err(error) = RECEIVED.catch(*signal) {
                note(format_args!("warning: signal {signal} will end the program without results: {error}"));
            }
        }
        announce(signals);
    });
}

/// Whether someone has asked to stop.
pub(crate) fn requested() -> bool {
    RECEIVED.any.load(Ordering::SeqCst)
}

/// The exit code of a command that was asked to stop: 128 + the number of the signal, as shells have it.
pub(crate) fn exit_code() -> u8 {
    // A command may have ended before the thread that waits for signals had its turn.
    tell();
    let number = u8::try_from(RECEIVED.number.load(Ordering::SeqCst)).unwrap_or_default();
    SIGNALLED.saturating_add(number)
}

/// Says once that the signal was heard.
fn tell() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| note("stopping after this step (once more: at once, without results)"));
}

impl Received {
    fn catch(&self, signal: i32) -> std::io::Result<()> {
        // In this order: whoever finds `any` set finds the number too.
        #[cfg(not(unix))]
        flag::register_conditional_shutdown(signal, i32::from(SIGNALLED) + signal, Arc::clone(&self.any))?;
        flag::register_usize(signal, Arc::clone(&self.number), usize::try_from(signal).unwrap_or_default())?;
        flag::register(signal, Arc::clone(&self.any))?;
        Ok(())
    }
}

#[cfg(unix)]
fn signals() -> Vec<i32> {
    use signal_hook::consts::signal::SIGHUP;
    // `nohup` starts a program that is to go on when its terminal closes.
    if is_ignored(SIGHUP) { vec![SIGINT, SIGTERM] } else { vec![SIGINT, SIGTERM, SIGHUP] }
}

#[cfg(not(unix))]
fn signals() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}

/// Whether the program was started with `signal` ignored, by the mask that Linux shows; other systems are taken not to.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}

/// Time within which signals are one request.
#[cfg(unix)]
const ONE_REQUEST: std::time::Duration = std::time::Duration::from_millis(500);

/// Answers the first signal at once, for the step that it has to wait for may be long, and ends the program with the
/// second.
#[cfg(unix)]
fn announce(signals: Vec<i32>) {
    let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) else { return };
    std::thread::spawn(move || {
        let mut first = None;
        for signal in &mut signals {
            let first = *first.get_or_insert_with(std::time::Instant::now);
            tell();
            if first.elapsed() > ONE_REQUEST {
                signal_hook::low_level::exit(i32::from(SIGNALLED) + signal);
            }
        }
    });
}

/// Other systems have no safe way to wait for a signal; there the second one ends the program in its handler.
#[cfg(not(unix))]
fn announce(_: Vec<i32>) {}
