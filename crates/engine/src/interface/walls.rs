//! What presses on static and driven bodies, summed over the steps of a period.
//!
//! Bodies awake press with the impulses of each step. Sleepers keep the forces with which they fell asleep, which do
//! not balance ([`Simulation::contacts`]); as long as the same bodies sleep, their balance is the same in every step.
//! So what sleepers press with is summed apart, and the balance takes its place where it has been made: for all the
//! steps since a body last fell asleep or woke. It is made at the end of a period and not in each step, at once where
//! nothing is awake, else when nobody has fallen asleep or woken for some steps ([`CALM`]): in a pack that settles
//! somebody does in most steps, and a balance costs as much as many of them.

use granule_model::{DVec3, Velocity};

use crate::interface::simulation::Simulation;
use crate::step::balance::is_kept;
use crate::world::error::EngineError;
use crate::world::load::{Load, Told};

/// Steps in a row in which nobody fell asleep or woke, after which sleepers are balanced beside bodies awake.
const CALM: u32 = 200;
/// Change of what draws and presses on a sleeper, over all of it, that asks for a new balance of the same sleepers; and
/// the steps that are made before it at least, but for a last balance.
const CHANGE: f64 = 1e-6;
const LASTS: u32 = 1000;

/// A force \[N\] or impulse \[N s\] on each body, and its moment about the origin of the body's own axes.
type Loads = Vec<(DVec3, DVec3)>;

/// What contacts do to static and driven bodies, summed over steps: [`Simulation::add_to_wall_loads`] after each of
/// them, and [`Simulation::take_wall_loads`] at the end of a period.
#[derive(Clone, Debug, Default)]
pub struct WallLoads {
    /// Time of the steps since the loads were taken \[s\].
    seconds: f64,
    /// Impulses in these steps, but for `kept`.
    sum: Loads,
    /// Those of sleepers in the steps since the same bodies sleep, and the time of these steps \[s\].
    kept: Loads,
    kept_seconds: f64,
    sleepers: Sleepers,
    balance: Option<Balance>,
}

/// Who slept after the last step that was added.
#[derive(Clone, Debug, Default)]
struct Sleepers {
    asleep: Vec<bool>,
    /// Contacts between bodies of which none is awake.
    contacts: usize,
    /// Number of the step.
    step: u64,
    /// Steps in a row after which the same slept.
    calm: u32,
}

/// What sleepers press with, balanced.
#[derive(Clone, Debug)]
struct Balance {
    /// Steps before it in which the same slept.
    calm: u32,
    /// Accelerations by gravity, fields and what bodies awake press with.
    drawn: Vec<Velocity>,
    /// Forces on walls.
    forces: Loads,
}

impl WallLoads {
    /// Adds the sum that was kept apart: balanced where a balance was made for the same sleepers.
    fn settle(&mut self) {
        let (kept, seconds) = match &self.balance {
            Some(balance) => (&balance.forces, self.kept_seconds),
            None => (&self.kept, 1.0),
        };
        for (sum, kept) in self.sum.iter_mut().zip(kept) {
            *sum = (sum.0 + seconds * kept.0, sum.1 + seconds * kept.1);
        }
        self.kept.fill((DVec3::ZERO, DVec3::ZERO));
        self.kept_seconds = 0.0;
    }
}

impl Simulation {
    /// Adds the last step to `walls`, which are to be given every step, before anything else is done.
    ///
    /// # Errors
    /// As [`Simulation::contacts`].
    pub fn add_to_wall_loads(&self, walls: &mut WallLoads) -> Result<(), EngineError> {
        let told = self.told()?;
        let kept = |load: &&Load| is_kept(&self.catalogue, &self.state, &load.contact);
        let contacts = told.loads.iter().filter(kept).count();
        if !walls.sleepers.are_still(&self.state.bodies.asleep, contacts, self.steps()) {
            walls.settle();
            walls.balance = None;
        }
        let count = self.catalogue.bodies.len();
        [&mut walls.sum, &mut walls.kept].into_iter().for_each(|loads| loads.resize(count, Default::default()));
        for load in &told.loads {
            let into = if kept(&load) { &mut walls.kept } else { &mut walls.sum };
            self.press_on_walls(load, 1.0, into);
        }
        walls.seconds += told.dt;
        walls.kept_seconds += told.dt;
        Ok(())
    }

    /// Mean force \[N\] of all contacts on each body ever added that is static or driven, and mean torque about the
    /// origin of its own axes \[N m\], over the steps since they were taken before; zero for the others.
    ///
    /// Sleepers press with forces that balance where the same bodies have slept for 200 steps or nothing is awake, with
    /// `balanced` also where they have not, and beside bodies awake for what those press with at the end. Before that
    /// they press with the forces with which they fell asleep, which may be off by some thousandths of the weight that
    /// a wall carries.
    ///
    /// # Errors
    /// As [`Simulation::contacts`].
    pub fn take_wall_loads(&self, walls: &mut WallLoads, balanced: bool) -> Result<Vec<(DVec3, DVec3)>, EngineError> {
        let told = self.told()?;
        let is_last = walls.sleepers.step == self.steps();
        if is_last && (balanced || walls.sleepers.calm >= CALM || !self.is_any_awake()) {
            self.balance_walls(told, walls, balanced);
        }
        walls.settle();
        let seconds = std::mem::take(&mut walls.seconds);
        let mean = |(force, torque): &(DVec3, DVec3)| (*force / seconds, *torque / seconds);
        let means = if seconds > 0.0 { walls.sum.iter().map(mean).collect() } else { Vec::new() };
        walls.sum.fill((DVec3::ZERO, DVec3::ZERO));
        Ok(means)
    }

    fn is_any_awake(&self) -> bool {
        (0..self.catalogue.bodies.len()).any(|i| self.state.bodies.awake(&self.catalogue.bodies, i))
    }

    /// Balances sleepers, unless that was done for what draws and presses on them now or, without `again`, lately.
    fn balance_walls(&self, told: &Told, walls: &mut WallLoads, again: bool) {
        let calm = walls.sleepers.calm;
        if !again && walls.balance.as_ref().is_some_and(|known| calm < known.calm.saturating_add(LASTS)) {
            return;
        }
        let velocities = self.pressed(told);
        let by_time = |v: &Velocity| Velocity { linear: v.linear / told.dt, angular: v.angular / told.dt };
        let drawn: Vec<Velocity> = velocities.velocities().iter().map(by_time).collect();
        if walls.balance.as_ref().is_some_and(|known| self.is_as_drawn(&drawn, &known.drawn)) {
            return;
        }
        let mut forces = vec![(DVec3::ZERO, DVec3::ZERO); self.catalogue.bodies.len()];
        for load in self.told_balanced(told).iter().filter(|load| is_kept(&self.catalogue, &self.state, &load.contact))
        {
            self.press_on_walls(load, told.dt.recip(), &mut forces);
        }
        walls.balance = Some(Balance { calm, drawn, forces });
    }

    /// Whether what draws on each sleeper is what it was.
    fn is_as_drawn(&self, now: &[Velocity], before: &[Velocity]) -> bool {
        let (table, gravity) = (&self.catalogue.bodies, self.catalogue.gravity().length());
        let is_same = |i: usize| {
            let (now, before) = (&now[i], &before[i]);
            let turn = table.radius[i] * (now.angular - before.angular).length();
            let change = (now.linear - before.linear).length() + turn;
            change <= CHANGE * (gravity + now.linear.length())
        };
        now.len() == before.len() && (0..now.len()).all(|i| !self.state.bodies.asleep[i] || is_same(i))
    }

    /// Adds `factor` times what a contact does to static and driven bodies.
    fn press_on_walls(&self, load: &Load, factor: f64, loads: &mut [(DVec3, DVec3)]) {
        let (table, bodies) = (&self.catalogue.bodies, &self.state.bodies);
        let ends = [(load.contact.a as usize, factor), (load.contact.b as usize, -factor)];
        for (i, factor) in ends.into_iter().filter(|(i, _)| !table.dynamic[*i] && table.present[*i]) {
            let origin = bodies.pose[i].compose(&table.shape[i].frame()).position;
            loads[i].0 += factor * load.impulse;
            loads[i].1 += factor * ((load.contact.point - origin).cross(load.impulse) + load.couple);
        }
    }
}

impl Sleepers {
    /// Whether the same sleep as after the step before; notes who does.
    fn are_still(&mut self, asleep: &[bool], contacts: usize, step: u64) -> bool {
        let are_same = (self.step + 1, self.contacts) == (step, contacts) && self.asleep == asleep;
        self.calm = if are_same { self.calm.saturating_add(1) } else { 0 };
        self.asleep.clear();
        self.asleep.extend_from_slice(asleep);
        (self.contacts, self.step) = (contacts, step);
        are_same
    }
}
