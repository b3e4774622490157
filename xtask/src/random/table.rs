//! What is printed of the runs: failures as they come, then counts and largest values.

use std::fs::File;
use std::io::Write;

use granule_validation::random::{Bounds, Family, FaultKind, Report};

/// The table of a call.
pub(super) struct Table {
    bounds: Bounds,
    detailed: bool,
    rows: Option<File>,
    reports: Vec<Report>,
}

impl Table {
    /// An empty one; `detailed` prints all that is known of every scene; a line for each goes to `rows`.
    pub(super) fn new(bounds: Bounds, detailed: bool, rows: Option<File>) -> Self {
        println!("{:>8}  {:6}  {:11}  {:>10}  where", "seed", "family", "fault", "value");
        Table { bounds, detailed, rows, reports: Vec::new() }
    }

    /// Adds a run and prints what is wrong with it.
    pub(super) fn add(&mut self, report: Report) {
        if self.detailed {
            println!("{report:#?}");
        }
        if let Some(file) = &mut self.rows {
            let written = serde_json::to_string(&report).map(|text| writeln!(file, "{text}"));
            if !matches!(written, Ok(Ok(()))) {
                eprintln!("random: cannot write the row of seed {}", report.seed);
            }
        }
        if !report.is_thrown_away(&self.bounds) {
            for fault in report.faults(&self.bounds) {
                let (family, kind) = (report.family.name(), fault.kind.name());
                println!("{:8}  {family:6}  {kind:11}  {:10.2e}  {}", report.seed, fault.value, fault.note);
            }
        }
        self.reports.push(report);
    }

    /// All runs, in the order in which they ended.
    pub(super) fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Runs that count.
    fn counted(&self) -> impl Iterator<Item = &Report> {
        self.reports.iter().filter(|r| !r.is_thrown_away(&self.bounds))
    }

    /// Whether no run that counts has a fault, and there is one that counts.
    pub(super) fn passed(&self) -> bool {
        self.counted().next().is_some() && self.counted().all(|r| r.faults(&self.bounds).is_empty())
    }

    /// Prints counts and largest values.
    pub(super) fn finish(&self) {
        let names = FaultKind::ALL.map(|kind| format!("{:>11}", kind.name())).join("  ");
        println!("\n{:6}  {:>6}  {:>6}  {:>6}  {names}", "family", "scenes", "thrown", "failed");
        for family in Family::ALL {
            self.row(family.name(), &|r| r.family == family);
        }
        self.row("all", &|_| true);
        self.largest();
    }

    fn row(&self, name: &str, member: &dyn Fn(&Report) -> bool) {
        let all = self.reports.iter().filter(|r| member(r)).count();
        let counted: Vec<_> = self.counted().filter(|r| member(r)).collect();
        let faults: Vec<_> = counted.iter().map(|r| r.faults(&self.bounds)).collect();
        let failed = faults.iter().filter(|f| !f.is_empty()).count();
        let of = |kind| faults.iter().filter(|f| f.iter().any(|f| f.kind == kind)).count();
        let counts = FaultKind::ALL.map(|kind| format!("{:11}", of(kind))).join("  ");
        println!("{name:6}  {all:6}  {:6}  {failed:6}  {counts}", all - counted.len());
    }

    fn largest(&self) {
        println!("\nlargest values of the scenes that count:");
        let line = |name: &str, value: &dyn Fn(&Report) -> f64| {
            let largest = self.counted().max_by(|a, b| value(a).total_cmp(&value(b)));
            if let Some(report) = largest {
                println!("  {name:45} {:10.3e}  seed {}", value(report), report.seed);
            }
        };
        line("overlap over h", &|r| r.overlap_thin);
        line("overlap over h of bodies that are apart", &|r| r.phantom);
        line("overlap over h, by the engine", &|r| r.overlap_thin_engine);
        line("overlap over the radius, by the engine", &|r| r.overlap);
        line("energy gained over dissipated, in one step", &|r| r.energy_gained);
        line("energy gained over dissipated, sum of all", &|r| r.energy_gained_sum);
        line("gap over h that holds what jams", &|r| r.jam_gap);
        line("momentum lost or gained over sum |m v|", &|r| r.momentum);
        line("slowest step over the median", &|r| if r.steps > 0 { r.slowest_step / r.median_step } else { 0.0 });
        line("slowest step [s]", &|r| r.slowest_step);
        line("processor time of a run [s]", &|r| r.seconds);
        let substeps: u64 = self.counted().map(|r| r.substeps).sum();
        let undone: u64 = self.counted().map(|r| r.undone).sum();
        let steps: u64 = self.counted().map(|r| u64::from(r.steps)).sum();
        let seconds: f64 = self.counted().map(|r| r.seconds).sum();
        let jams = self.counted().filter(|r| r.jam.is_some()).count();
        let (yielding, stops) = self.counted().filter(|r| r.stops > 0).fold((0, 0), |(n, s), r| (n + 1, s + r.stops));
        println!("  {jams} runs ended by a jam; {yielding} in which driven bodies stood, {stops} times in all");
        println!("  {steps} steps in {substeps} parts, {undone} undone; {seconds:.1} s of processor time");
    }
}
