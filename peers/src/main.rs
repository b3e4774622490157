//! `granule-peers START STEPS_PER_SECOND`: rapier3d-f64 on a start state that `cargo xtask bench --peers` wrote, one
//! thread, its own settings but for the time step and sleep. Prints what a simulated second costs and how far bodies
//! overlapped.

mod overlap;
mod start;

use std::error::Error;
use std::process::ExitCode;

use cpu_time::ProcessTime;
use serde::Serialize;
use start::Start;

/// What is printed.
#[derive(Serialize)]
struct Figures {
    /// Time step \[s\].
    time_step: f64,
    /// Processor time of the stepping per simulated second \[-\].
    cpu_seconds_per_simulated_second: f64,
    /// Largest overlap over the equal-volume radius of a grain, looked at sixty times a second \[-\].
    largest_overlap: f64,
}

/// How often overlaps are looked at \[1/s\].
const LOOKS_PER_SECOND: f64 = 60.0;

fn main() -> ExitCode {
    match figures() {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("granule-peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn figures() -> Result<String, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, steps_per_second] = arguments.as_slice() else {
        return Err("give the file of a start state and the number of steps per second".into());
    };
    let start: Start = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let steps_per_second: f64 = steps_per_second.parse()?;
    if !(steps_per_second.is_finite() && steps_per_second > 0.0) {
        return Err("the number of steps per second must be above 0".into());
    }
    Ok(serde_json::to_string(&run(&start, steps_per_second))?)
}

fn run(start: &Start, steps_per_second: f64) -> Figures {
    let mut world = start.world(steps_per_second.recip());
    let steps = (start.seconds * steps_per_second).ceil() as u64;
    let between_looks = (steps_per_second / LOOKS_PER_SECOND).round().max(1.0) as u64;
    let mut cpu_seconds = 0.0;
    let mut largest: f64 = 0.0;
    for step in 1..=steps {
        let cpu = ProcessTime::now();
        world.step();
        cpu_seconds += cpu.elapsed().as_secs_f64();
        if step % between_looks == 0 || step == steps {
            largest = largest.max(overlap::largest(&world));
        }
    }
    Figures {
        time_step: steps_per_second.recip(),
        cpu_seconds_per_simulated_second: cpu_seconds * steps_per_second / steps.max(1) as f64,
        largest_overlap: largest / start.grain.equivalent_radius(),
    }
}
