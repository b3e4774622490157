//! The impacts of a vibrated layer, period by period: time, contacts and iterations of the scene's law, as Table 2 of
//! Zhang et al. 2015.
//!
//! ```text
//! cargo run --release -p granule-scene --example vibrated_layer -- \
//!     [6000|60000] [first period] [last period] [threads] [law] [friction] [steps per period]
//! ```
//!
//! Law, friction and step are the scene's unless they are given.

use std::error::Error;

use granule_engine::{Law, Phase, StepReport};
use granule_scene::{Scene, packaged};

/// Frequency of the floor in the packaged scenes \[Hz\].
const FREQUENCY: f64 = 25.2;

/// Sums over the steps of the periods that count.
#[derive(Default)]
struct Sums {
    steps: u32,
    busy: u32,
    impact: f64,
    phases: [f64; Phase::ALL.len()],
    touching: f64,
    hits: f64,
    iterations: Vec<u64>,
    clusters: u64,
    fallbacks: u64,
}

impl Sums {
    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.impact += report.seconds[Phase::Impact as usize];
        self.phases.iter_mut().zip(report.seconds).for_each(|(sum, x)| *sum += x);
        self.touching += report.touching as f64;
        self.clusters += u64::from(report.resolved);
        self.fallbacks += u64::from(report.fallbacks);
        if report.hits > 0 {
            self.busy += 1;
            self.hits += f64::from(report.hits);
            self.iterations.push(report.impact_iterations);
        }
    }

    fn print(&self) {
        let (steps, busy) = (f64::from(self.steps), f64::from(self.busy));
        let total: u64 = self.iterations.iter().sum();
        println!("steps                        {:>12}", self.steps);
        println!("steps with impacts           {:>12}", self.busy);
        println!("time of impacts per step     {:>12.4} s", self.impact / steps);
        println!("  per step with impacts      {:>12.4} s", self.impact / busy);
        println!("time of the whole step       {:>12.4} s", self.phases.iter().sum::<f64>() / steps);
        for (phase, seconds) in Phase::ALL.iter().zip(self.phases) {
            println!("  {:<27}{:>12.4} s", phase.name(), seconds / steps);
        }
        println!("touching contacts per step   {:>12.0}", self.touching / steps);
        println!("hit contacts per busy step   {:>12.0}", self.hits / busy);
        println!("clusters per step            {:>12.0}", self.clusters as f64 / steps);
        println!("clusters refused             {:>12}", self.fallbacks);
        println!("iterations, mean             {:>12.1}", total as f64 / busy);
        println!("iterations, most             {:>12}", self.iterations.iter().max().copied().unwrap_or(0));
        println!("iterations, least            {:>12}", self.iterations.iter().min().copied().unwrap_or(0));
        println!("ns per contact and iteration {:>12.3}", 1e9 * self.impact / (self.touching / steps * total as f64));
    }
}

/// Puts law, friction and steps per period of the command line in place of the scene's.
fn change(scene: &mut Scene, arguments: &[String]) -> Result<(), Box<dyn Error>> {
    if let Some(name) = arguments.first() {
        scene.settings.law =
            Law::by_name(name).ok_or_else(|| format!("`{name}` is no law; laws are those of scenes"))?;
    }
    if let Some(friction) = arguments.get(1) {
        let friction: f64 = friction.parse()?;
        for (_, material) in &mut scene.materials {
            (material.static_friction, material.dynamic_friction) = (friction, friction);
        }
    }
    if let Some(steps) = arguments.get(2) {
        scene.settings.time_step = Some(1.0 / (FREQUENCY * steps.parse::<f64>()?));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u32| arguments.get(i).map_or(Ok(default), |text| text.parse::<u32>());
    let (grains, first, last, threads) = (number(0, 6000)?, number(1, 20)?, number(2, 30)?, number(3, 1)?);
    let mut scene = packaged(&format!("vibrated-layer-{grains}"))?;
    change(&mut scene, arguments.get(4..).unwrap_or_default())?;
    rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global()?;
    let mut simulation = scene.build()?.simulation;
    let mut sums = Sums::default();
    for period in 0..last {
        let mut of_period = 0.0;
        while simulation.time() * FREQUENCY < f64::from(period + 1) {
            let report = simulation.step()?;
            of_period += report.seconds.iter().sum::<f64>();
            if period >= first {
                sums.add(&report);
            }
        }
        let overlap = 100.0 * simulation.largest_overlap();
        println!("period {:>3}: {of_period:.2} s, largest overlap so far {overlap:.2} %", period + 1);
    }
    sums.print();
    Ok(())
}
