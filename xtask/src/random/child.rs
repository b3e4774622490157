//! One scene in a process of its own.

use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use granule_validation::random::{Bounds, FaultKind, RandomScene, Report, run_watched};

/// Processor time of the process over that of the run's bound at which it stops itself: the judge's own work is in it.
const PROCESS_SHARE: f64 = 1.5;
/// Time by the clock after which a process is killed that did not stop itself, over the same: on a busy machine it runs
/// slowly.
const KILL_SHARE: f64 = 30.0;
/// How often a scene with a slow step is run again.
const REPEATS: u32 = 2;
/// How often both are looked at.
const PERIOD: Duration = Duration::from_millis(5);

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

fn print(report: &Report) -> ExitCode {
    match serde_json::to_string(report) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("random: {error}");
            ExitCode::from(2)
        }
    }
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

/// The report of the scene of `seed`, run in a process of its own. Where a step was too slow the scene is run again:
/// the same steps do the same work, so what is slow once is the machine's doing.
pub(super) fn watched(seed: u64) -> Report {
    let is_slow = |report: &Report| report.faults(&Bounds::default()).iter().any(|f| f.kind == FaultKind::SlowStep);
    let over_median = |report: &Report| report.slowest_step / report.median_step;
    let mut best = watched_once(seed);
    for _ in 0..REPEATS {
        if !is_slow(&best) {
            break;
        }
        let again = watched_once(seed);
        if over_median(&again) < over_median(&best) {
            best = again;
        }
    }
    best
}

fn watched_once(seed: u64) -> Report {
    let limit = Duration::from_secs_f64(KILL_SHARE * Bounds::default().seconds);
    let failed = |why: String| Report { error: Some(why), ..Report::new(&RandomScene::new(seed)) };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(error.to_string()),
    };
    let mut command = Command::new(program);
    command.args(["random", "--child"]).arg(seed.to_string()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = match command.spawn() {
        Ok(process) => process,
        Err(error) => return failed(error.to_string()),
    };
    if !ends(&mut process, limit) {
        let _ = process.kill();
        let _ = process.wait();
        return Report { stopped: true, seconds: f64::NAN, ..Report::new(&RandomScene::new(seed)) };
    }
    let mut text = String::new();
    if let Some(mut out) = process.stdout.take() {
        let _ = out.read_to_string(&mut text);
    }
    serde_json::from_str(&text).unwrap_or_else(|_| failed(complaint(&mut process)))
}

/// Whether a process ends within `limit` by the clock.
fn ends(process: &mut Child, limit: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < limit {
        if !matches!(process.try_wait(), Ok(None)) {
            return true;
        }
        sleep(PERIOD);
    }
    false
}

/// What a process that printed no report said.
fn complaint(process: &mut Child) -> String {
    let mut text = String::new();
    if let Some(mut out) = process.stderr.take() {
        let _ = out.read_to_string(&mut text);
    }
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no report").to_owned();
    let message = text.lines().filter(|line| !line.trim().is_empty()).nth(1).unwrap_or_default();
    format!("{line} {message}")
}
