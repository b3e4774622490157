//! One scene in a process of its own.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use cpu_time::ProcessTime;
use granule_validation::random::{Bounds, RandomScene, Report, again_if_slow, run_watched};

use crate::seeds::{Ended, PERIOD, apart, print};

/// Processor time of the process over that of the run's bound at which it stops itself: the judge's own work is in it.
const PROCESS_SHARE: f64 = 1.5;
/// Time by the clock after which a process is killed that did not stop itself, over the same: on a busy machine it runs
/// slowly.
const KILL_SHARE: f64 = 30.0;

/// Runs the scene of `seed` in this process and prints its report as JSON.
pub(super) fn run(seed: u64) -> ExitCode {
    let bounds = Bounds::default();
    let scene = RandomScene::new(seed);
    let steps = Arc::new(AtomicU32::new(0));
    stop_when_stuck(Report::new(&scene), Arc::clone(&steps), PROCESS_SHARE * bounds.seconds);
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool,
        Err(error) => {
            eprintln!("random: {error}");
            return ExitCode::from(2);
        }
    };
    let report = pool.install(|| run_watched(&scene, &bounds, |made| steps.store(made, Ordering::Relaxed)));
    print(&report)
}

/// Ends the process with a report of its own when it has used up `seconds` of processor time: a step did not end.
fn stop_when_stuck(mut report: Report, steps: Arc<AtomicU32>, seconds: f64) {
    let start = ProcessTime::now();
    std::thread::spawn(move || {
        while start.elapsed().as_secs_f64() < seconds {
            sleep(PERIOD);
        }
        report.steps = steps.load(Ordering::Relaxed);
        (report.stopped, report.seconds) = (true, seconds);
        print(&report);
        std::process::exit(0);
    });
}

/// The report of the scene of `seed`, run in a process of its own, again where a step was too slow.
pub(super) fn watched(seed: u64) -> Report {
    again_if_slow(&Bounds::default(), || watched_once(seed))
}

fn watched_once(seed: u64) -> Report {
    let limit = Duration::from_secs_f64(KILL_SHARE * Bounds::default().seconds);
    let report = || Report::new(&RandomScene::new(seed));
    let failed = |why: String| Report { error: Some(why), ..report() };
    match apart(&["random", "--child", &seed.to_string()], limit) {
        Ended::Printed(text, complaint) => serde_json::from_str(&text).unwrap_or_else(|_| failed(complaint)),
        Ended::Killed => Report { stopped: true, seconds: f64::NAN, ..report() },
        Ended::Unstarted(why) => failed(why),
    }
}
