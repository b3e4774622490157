//! Ctrl-C: the first asks the running command to stop after its step and to write what it has, the second ends at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::console::note;
use crate::error::INTERRUPTED;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static INSTALL: Once = Once::new();

/// From now on Ctrl-C is a request. Where the system offers no handler, Ctrl-C keeps ending the program at once.
pub(crate) fn listen() {
    INSTALL.call_once(|| {
        let handler = || {
            if REQUESTED.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(INTERRUPTED));
            }
            note("stopping after this step (Ctrl-C again: at once, without results)");
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            note(format_args!("warning: Ctrl-C will end the program without results: {error}"));
        }
    });
}

/// Whether the user has asked to stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}
