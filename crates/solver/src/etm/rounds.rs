//! The rounds of ETM over an island: compress, lose, release, again.
//!
//! **Energy.** With `W` the sum of the stored energies and `D` what friction and stage II have taken, the kinetic energy is its
//! value at the start (of bodies and stores together) less `W + D`, exactly. A finite step can make friction do work, so that D
//! shrinks. It may, as long as `W + D >= 0`; and where D is below zero, no contact gives back more than `W + D`. So kinetic energy
//! never exceeds what was there, for any lambda.

use granule_model::DVec3;

use crate::approach::Approaches;
use crate::island::Island;

use super::impulse::{Mobilities, impulse, normal_work, releasing_impulse, without_noise};
use super::release::ReleaseReport;

/// How rounds run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSettings {
    /// Steps of a compression.
    pub(super) lambda: u32,
    /// Approach speeds up to this are none \[m/s\].
    pub(super) threshold: f64,
    /// Separation speed that a contact's energy must be able to make, else it is dissipated \[m/s\].
    pub(super) lift: f64,
    /// Rounds with restitution.
    pub(super) max_rounds: u32,
    /// Sliding speeds up to this are none \[m/s\].
    pub(super) sliding: f64,
    /// Step of the first round \[m/s\].
    pub(super) first_step: f64,
}

/// Impulses per contact of a stage I, and passes of a stage III, in units of lambda, before they are cut short. Met cases need a
/// tenth of it; it is there so that no input can hang the program.
const CAP: u64 = 1000;

/// Scratch memory of the rounds; kept from step to step so that a warm step allocates nothing.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Stored energy by contact \[J\].
    pub(super) stored: Vec<f64>,
    /// Sum of `stored` \[J\].
    held: f64,
    /// Energy that is gone for good \[J\]: taken by friction or by stage II.
    gone: f64,
    approaches: Approaches,
    mobilities: Mobilities,
    /// Contacts with stored energy, ascending.
    loaded: Vec<u32>,
}

impl Workspace {
    /// Sizes the scratch for an island; `takes_part` says of each row whether it touches.
    pub(super) fn prepare(&mut self, island: &Island<'_>, takes_part: impl Fn(usize) -> bool) {
        let rows = island.rows.len();
        self.stored.clear();
        self.stored.resize(rows, 0.0);
        self.held = 0.0;
        self.gone = 0.0;
        self.approaches.prepare(island, takes_part);
        self.mobilities.clear(rows);
    }

    /// The largest approach speed of an active contact \[m/s\].
    pub(super) fn largest_approach(&self, island: &Island<'_>) -> f64 {
        self.approaches.largest(island)
    }

    /// The energy that contact i may give back: what it stores, less what friction has put in that nothing else covers.
    fn claim(&mut self, i: usize) -> f64 {
        let covered = (self.held + self.gone).max(0.0);
        if self.gone < 0.0 && self.stored[i] > covered {
            let cut = self.stored[i] - covered;
            self.stored[i] = covered;
            self.held -= cut;
            self.gone += cut;
        }
        self.stored[i]
    }

    /// Applies `p` at a row and books it.
    fn hit(&mut self, island: &mut Island<'_>, i: usize, p: DVec3) {
        let row = &mut island.rows[i];
        let p_n = row.normal.dot(p);
        row.normal_impulse += p_n;
        row.tangential_impulse += p - row.normal * p_n;
        let row = island.rows[i];
        row.apply(island.bodies, island.tensors, p);
    }
}

/// Runs rounds until nothing approaches; contacts may already hold stored energy.
pub(super) fn run(ws: &mut Workspace, island: &mut Island<'_>, settings: &RoundSettings) -> ReleaseReport {
    let mut report = ReleaseReport { converged: true, ..ReleaseReport::default() };
    let mut step = settings.first_step;
    loop {
        // A stage that was cut short would be so in every round to come: 36 million impulses for two balls of 1 : 1e6.
        let forced = report.rounds >= settings.max_rounds || !report.converged;
        compress(ws, island, settings, step, &mut report);
        lose(ws, island, settings.lift, forced, &mut report);
        if forced {
            report.forced = true;
            break;
        }
        release(ws, island, settings, step, &mut report);
        report.rounds += 1;
        let approach = ws.largest_approach(island);
        if approach <= settings.threshold {
            break;
        }
        step = approach / f64::from(settings.lambda);
    }
    report.residual = ws.largest_approach(island);
    report
}

/// Stage I: the worst contact first, until no contact approaches.
fn compress(
    ws: &mut Workspace,
    island: &mut Island<'_>,
    settings: &RoundSettings,
    step: f64,
    report: &mut ReleaseReport,
) {
    ws.held = ws.stored.iter().sum();
    ws.approaches.fill(island, settings.threshold, step * f64::from(settings.lambda));
    let cap = CAP * u64::from(settings.lambda) * island.rows.len() as u64;
    let mut spent = 0;
    while let Some((i, u)) = ws.approaches.worst(island) {
        if spent >= cap {
            report.converged = false;
            break;
        }
        spent += 1;
        let m = ws.mobilities.get(island, i);
        let row = island.rows[i];
        let u = without_noise(u, row.normal, settings.sliding);
        let u_n = row.normal.dot(u);
        let x = step.min(-u_n);
        let (p, friction) = impulse(&row, &m, u, x, (ws.gone + ws.held).max(0.0));
        let work = normal_work(u_n, x, row.normal.dot(p));
        ws.stored[i] -= work;
        ws.held -= work;
        ws.gone -= friction;
        report.compressed -= work;
        ws.hit(island, i, p);
        ws.approaches.refresh(island, row.a, row.b);
    }
    report.impulses += spent;
}

/// Stage II: Stronge's hypothesis; `forced` is the end by e = 0.
fn lose(ws: &mut Workspace, island: &Island<'_>, lift: f64, forced: bool, report: &mut ReleaseReport) {
    ws.loaded.clear();
    for (i, stored) in ws.stored.iter_mut().enumerate() {
        if *stored == 0.0 {
            continue;
        }
        let row = &island.rows[i];
        report.stored += *stored;
        let before = *stored;
        *stored *= row.restitution * row.restitution;
        if forced || 2.0 * *stored * row.k_normal <= lift * lift {
            *stored = 0.0;
        } else {
            ws.loaded.push(i as u32);
        }
        ws.gone += before - *stored;
    }
    ws.held = ws.stored.iter().sum();
}

/// Stage III: contacts in order give back their energy, one step each, until all is spent.
fn release(
    ws: &mut Workspace,
    island: &mut Island<'_>,
    settings: &RoundSettings,
    step: f64,
    report: &mut ReleaseReport,
) {
    let mut loaded = std::mem::take(&mut ws.loaded);
    let cap = CAP * u64::from(settings.lambda);
    let mut passes = 0;
    while !loaded.is_empty() {
        if passes >= cap {
            report.converged = false;
            break;
        }
        passes += 1;
        loaded.retain(|i| {
            let i = *i as usize;
            let m = ws.mobilities.get(island, i);
            let row = island.rows[i];
            let u = without_noise(row.relative_velocity(island.bodies), row.normal, settings.sliding);
            let stored = ws.claim(i);
            let done = releasing_impulse(&row, &m, u, step, stored, (ws.held + ws.gone - stored).max(0.0));
            report.released += stored - done.left;
            ws.held -= stored - done.left;
            ws.stored[i] = done.left;
            ws.gone -= done.friction;
            ws.hit(island, i, done.impulse);
            report.impulses += 1;
            done.left > 0.0
        });
    }
    // What a capped stage could not give back is lost, not carried into the next round.
    loaded.iter().for_each(|i| ws.gone += std::mem::take(&mut ws.stored[*i as usize]));
    loaded.clear();
    ws.loaded = loaded;
}
