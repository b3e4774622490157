//! Event stepping: from impact to impact, for up to some thousand bodies.
//!
//! A step of `dt` is cut at its impacts (Tang 2014, section 2; RBSS thesis 2005, section 4.1.1.2.2). The law of the
//! scene resolves what touches and approaches; the bodies then move until the next contact touches, and so on to the
//! end of the step. Between impacts contacts that rest are carried by the contact stage, as in any step, and free
//! motion follows gravity exactly: `x += (v + v')/2 dt`, so that the plain sum of kinetic and potential energy is the
//! one that is kept (E* with dt = 0).
//!
//! **Time of touch.** The time to the first touch is taken from gap, approach speed and the acceleration of gravity
//! between the two bodies. For spheres the gap of straight paths is convex in time, so this time is never too long: the
//! bodies go there, look again, and arrive, with digits doubling, when the gap is below [`ARRIVED`] of the smaller
//! radius. Where it was too long after all (corners that turn) the move is undone and shortened.
//!
//! **Termination.** Contacts slower than a few g dt are no impacts but rest: they are left to the contact stage, and
//! with them the end of every sequence of ever smaller bounces (Zeno). Whoever asks for a step says how many moves it
//! may take, and what becomes of the rest.
//!
//! Nothing between impacts divides a move or tells a jam. Whether contacts were pressed too deep, as by driven bodies
//! or by plates that swing, is told by [`Step::has_sunk`].

use granule_measure::Energies;
use granule_model::DVec3;

use crate::book::report::EnergyReport;
use crate::contacts::reach;
use crate::contacts::turning::turn_of;
use crate::islands::impact::{Impact, ImpactTotals, Standing};
use crate::islands::limits::{BACK, Limits};
use crate::step::attempt::Step;
use crate::step::detect;
use crate::step::part::{Part, Pass, TURNS};
use crate::step::scratch::{Exchange, Name, Scratch, Strayed};
use crate::step::wake;
use crate::world::bodies::Bodies;
use crate::world::contact::Ahead;
use crate::world::contact::{Contact, Contacts};
use crate::world::error::EngineError;
use crate::world::overlap;
use crate::world::pairs::Pairs;
use crate::world::state::State;

/// Gap at which a contact counts as reached, over the smaller radius.
const ARRIVED: f64 = 1e-10;
/// Gap up to which a contact touches in the law's problem, over the smaller radius: as in `granule resolve`.
const TOUCH: f64 = 1e-6;
/// How often a move that went too far is shortened.
const SHORTENINGS: usize = 60;
/// How often by no more than what a contact asks for.
const PATIENT: usize = 4;
/// Cosine between the normals of two contacts of a pair from which on they are at one place of it.
const ALIKE: f64 = 0.99;
/// Share of a step that is not worth a move.
const NOTHING: f64 = 1e-12;
/// Turn of a body of a world in a move \[rad\]: what swings further may pass others, and come back to them, unseen.
const TURN: f64 = 0.3;
/// Moves of a world that end because its bodies turn, at most; what spins faster turns further in each.
const MOST_TURNS: u32 = 64;
/// Speed at which bodies are hit hard, over the slowest of which something is given back.
const HARD: f64 = 16.0;
/// The same over the speed of the fastest at first: with neither gravity nor an end, what collapses comes slower and
/// slower.
const OF_FASTEST: f64 = 0.01;
/// Moves that a hard hit may take: bodies that come obliquely arrive in several.
const EACH: usize = 8;
/// Gap over the thickness up to which a body is squeezed by a driven one and what is behind it.
const SQUEEZED: f64 = 0.1;
/// Where the state before a move is kept, beyond those of divided steps.
pub(crate) const KEPT: usize = 8;

/// Moves that a step from impact to impact may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// At most, and [`EACH`] more for whatever is hit hard ([`HARD`]).
    pub(crate) usual: usize,
    /// In all.
    pub(crate) most: usize,
}

/// How far a step from impact to impact has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// Time that is left of it \[s\]: zero, unless its moves were spent, or a world met an impact that the law refuses.
    pub(crate) left: f64,
    /// Moves that it took.
    pub(crate) moves: usize,
}

impl Step<'_> {
    /// Makes a step of `dt` \[s\], impact after impact, in so many moves at most.
    pub(crate) fn move_by_events(&mut self, dt: f64, budget: Budget) -> Result<Ended, EngineError> {
        let (mut left, mut moves, mut hard, mut turns) = (dt, 0, 0, MOST_TURNS);
        self.find_touching(dt);
        let fastest = self.fastest_approach();
        let refused = self.report.fallbacks;
        // A world has another way to go on where the law has no answer, as in a jam.
        let gives_up =
            |step: &Self| step.catalogue.settings.stepping.resolves_touches() && step.report.fallbacks > refused;
        while left > NOTHING * dt {
            self.find_touching(dt);
            hard += usize::from(self.resolve_touching(dt, fastest));
            let is_spent = moves >= budget.most || moves >= budget.usual + EACH * hard;
            let is_spent = is_spent || moves == budget.usual && self.is_squeezed();
            if is_spent || gives_up(self) {
                return Ok(Ended { left, moves });
            }
            let touch = self.first_touch(left, dt).unwrap_or(left);
            let turn = self.time_to_turn(left, turns);
            if turn < touch {
                turns -= 1;
            } else {
                moves += 1;
            }
            left -= self.fly(touch.min(turn), dt)?;
        }
        Ok(Ended { left: 0.0, moves })
    }

    /// Whether something that is hit came so fast that much is lost if it is stopped with all others, of which the
    /// fastest came with this speed at first \[m/s\].
    fn hits_hard(&self, limits: &Limits, fastest: f64) -> bool {
        let (bodies, list) = (self.bodies(), &self.state.detected.contacts.list);
        let lift = |c: &Contact| limits.hits(c.speed(bodies.pose, bodies.velocity)).lift;
        let hard = |c: &Contact| (HARD * lift(c)).max(OF_FASTEST * fastest);
        let mut hit = list.iter().zip(&self.scratch.exchange.impact.standing).filter(|(_, s)| s.hit);
        hit.any(|(c, _)| -c.normal_velocity(bodies.pose, bodies.velocity) > hard(c))
    }

    /// Whether a body is between a driven one and another: next to both.
    pub(crate) fn is_squeezed(&self) -> bool {
        let (table, list) = (&self.catalogue.bodies, &self.state.detected.contacts.list);
        let next = |c: &Contact| c.gap <= SQUEEZED * c.thickness;
        let other = |c: &Contact, i: u32| if c.a == i { c.b } else { c.a };
        let is_held = |i: u32, by: u32| {
            let mut own = list.iter().filter(|c| (c.a == i || c.b == i) && next(c));
            table.dynamic[i as usize] && own.any(|c| other(c, i) != by)
        };
        let driven = list.iter().flat_map(|c| [(c, c.a, c.b), (c, c.b, c.a)]);
        driven.filter(|(c, by, _)| next(c) && table.is_driven(*by as usize)).any(|(_, by, i)| is_held(i, by))
    }

    /// Speed with which the fastest contact comes \[m/s\].
    fn fastest_approach(&self) -> f64 {
        let bodies = self.bodies();
        let comes = self.state.detected.contacts.list.iter().map(|c| -c.normal_velocity(bodies.pose, bodies.velocity));
        comes.fold(0.0, f64::max)
    }

    /// Bodies that can move.
    pub(crate) fn movable(&self) -> usize {
        self.catalogue.bodies.dynamic.iter().filter(|dynamic| **dynamic).count()
    }

    /// The limits of a step of `dt` \[s\] at its impacts.
    pub(crate) fn limits_at_touch(&self, dt: f64) -> Limits {
        let limits = self.part(dt).limits();
        if self.catalogue.settings.stepping.resolves_touches() { limits.at_touch(self.movable()) } else { limits }
    }

    /// Whether bodies have sunk into each other in the moves since the state kept at `start`: on the way as well as at
    /// the end, as a plate may sink and swing out again.
    pub(crate) fn has_sunk(&self, start: usize) -> bool {
        let at_start = &self.scratch.saved[start].detected.contacts.list;
        let (deepest, accuracy) =
            (at_start.iter().map(Contact::depth).fold(0.0, f64::max), &self.catalogue.settings.accuracy);
        let after = self.report.largest_overlap_thin;
        // A world knows no drift correction: what would creep on below what a step may use up is left to steps that do.
        let creeps = self.scratch.is_of_world() && after > accuracy.overlap_bound && after > deepest;
        creeps || overlap::fails(accuracy, after, deepest, 1.0)
    }

    /// Finds the contacts of the coming step where they are not known.
    pub(crate) fn find_touching(&mut self, dt: f64) {
        if self.state.detected.is_stale {
            let ahead = Ahead::under(self.catalogue.gravity(), dt);
            let mut clock = self.scratch.clock();
            let Scratch { frames, detection, .. } = &mut *self.scratch;
            let State { bodies, detected, .. } = &mut *self.state;
            let bodies = bodies.view(&self.catalogue.bodies, frames);
            detect::look(ahead, &bodies, detected, &mut detection.search, &mut clock);
        }
    }

    /// Resolves what touches and approaches, at once, with the sleepers that take part. Whether something is hit hard,
    /// by the speed of the fastest at first \[m/s\].
    fn resolve_touching(&mut self, dt: f64, fastest: f64) -> bool {
        let (catalogue, part) = (self.catalogue, self.part(dt));
        let limits = self.limits_at_touch(dt);
        self.scratch.sleep.begin_step();
        let State { bodies, rest, detected, .. } = &mut *self.state;
        wake::met(catalogue, &part, bodies, rest, &detected.contacts, &mut self.scratch.sleep);
        if !self.find_impacts(&limits) {
            return false;
        }
        let is_hard = self.hits_hard(&limits, fastest);
        self.count_plain_energy();
        let before = self.datum.energies(&self.bodies());
        for turn in 1.. {
            let totals = self.resolve_impacts(&limits);
            if turn < TURNS && self.wake_struck(&part) {
                self.find_impacts(&limits);
                continue;
            }
            self.state.bodies.velocity.clone_from(&self.scratch.exchange.impact.velocity);
            self.enter_impacts();
            self.report_impacts(&before, &totals);
            break;
        }
        // Bodies that are faster now may reach others.
        self.state.detected.is_stale = true;
        self.find_touching(dt);
        is_hard
    }

    /// From impact to impact the plain energy counts: an ordinary step before left bodies with the length of their own,
    /// by which an impact would change the last term of E*.
    fn count_plain_energy(&mut self) {
        let (table, gravity) = (&self.catalogue.bodies, self.catalogue.gravity());
        let bodies = &mut self.state.bodies;
        for i in (0..table.len()).filter(|i| table.dynamic[*i]) {
            if bodies.step[i] > 0.0 {
                self.report.energy.step_change -= bodies.motion(table, i).step_term(gravity);
                bodies.step[i] = 0.0;
            }
        }
    }

    /// Wakes sleepers against which impacts have thrown others; whether there are any.
    fn wake_struck(&mut self, part: &Part) -> bool {
        let State { bodies, rest, detected, .. } = &mut *self.state;
        if !wake::has_sleepers(self.catalogue, bodies) {
            return false;
        }
        let Scratch { exchange, sleep, .. } = &mut *self.scratch;
        sleep.begin_loads(self.catalogue.bodies.len());
        exchange.active.take(&detected.contacts);
        wake::loaded_more(self.catalogue, part, bodies, rest, exchange, sleep)
    }

    /// Says how each contact stands; whether one is hit.
    fn find_impacts(&mut self, limits: &Limits) -> bool {
        let Scratch { exchange: Exchange { impact, .. }, frames, .. } = &mut *self.scratch;
        let bodies = self.state.bodies.view(&self.catalogue.bodies, frames);
        let contacts = self.state.detected.contacts.list.iter();
        impact.standing.clear();
        impact.standing.extend(contacts.map(|c| standing(c, &bodies, &self.catalogue.pairs, limits)));
        impact.standing.iter().any(|s| s.hit)
    }

    /// Lets the law of the scene resolve what is hit; the velocities after are those of the impact.
    fn resolve_impacts(&mut self, limits: &Limits) -> ImpactTotals {
        let Scratch { exchange: Exchange { impact, .. }, frames, .. } = &mut *self.scratch;
        let Impact { velocity, .. } = impact;
        let bodies = self.state.bodies.view(&self.catalogue.bodies, frames);
        velocity.clear();
        velocity.extend_from_slice(bodies.velocity);
        let (law, contacts) = (&self.catalogue.settings.law, &self.state.detected.contacts.list);
        impact.resolve(law, &bodies, contacts, &self.catalogue.pairs, limits)
    }

    /// Enters the impulses of the impacts that were resolved.
    fn enter_impacts(&mut self) {
        let Scratch { loads, exchange: Exchange { impact, .. }, .. } = &mut *self.scratch;
        let Contacts { list, carried, .. } = &*self.state.detected.contacts;
        loads.enter(
            (list, carried),
            0.0,
            |_| false,
            |loads| {
                impact.given.iter().for_each(|(k, p)| loads[*k as usize].strike(*p));
            },
        );
    }

    /// Enters in the report what impacts did since the energies were `before`.
    fn report_impacts(&mut self, before: &Energies, totals: &ImpactTotals) {
        let now = self.datum.energies(&self.bodies());
        let star_change = now.conserved() - before.conserved() - totals.driven_work;
        self.report.hits += totals.hits;
        self.report.resolved += totals.resolved;
        self.report.substituted += totals.substituted;
        self.report.fallbacks += totals.fallbacks;
        self.report.impact_iterations += totals.iterations;
        let energy = EnergyReport {
            kinetic: now.kinetic(),
            potential: now.potential,
            star: now.conserved(),
            driven_work: totals.driven_work,
            dissipated_impact: totals.normal_work,
            dissipated_friction: totals.friction_work,
            star_change,
            stage_gain: totals.gain,
            impact_error: totals.error,
            ..EnergyReport::default()
        };
        self.report.energy.add(&EnergyReport { imbalance: energy.unexplained(), ..energy });
    }

    /// Time to the first touch within `left` that is an impact \[s\].
    fn first_touch(&self, left: f64, dt: f64) -> Option<f64> {
        let (limits, bodies, gravity) = (self.limits_at_touch(dt), self.bodies(), self.catalogue.gravity());
        let mut first = None;
        for c in &self.state.detected.contacts.list {
            let pull = |i: u32| if bodies.awake(i as usize) { c.normal.dot(gravity) } else { 0.0 };
            let (speed, pull) = (c.normal_velocity(bodies.pose, bodies.velocity), pull(c.a) - pull(c.b));
            // Not quite to the touch: what is passed by rounding would have to be stopped.
            let short = if limits.at_touch { 0.5 * ARRIVED * c.radius } else { 0.0 };
            let fast = limits.hits(c.speed(bodies.pose, bodies.velocity)).fast;
            let time = if has_arrived(c) {
                (limits.resolves_slow && speed > fast).then(|| time_to_return(speed, pull)).flatten()
            } else {
                time_to_close(c.gap - short, speed, pull)
            };
            let Some(time) = time else { continue };
            if time < left && -(speed + pull * time) > fast {
                first = Some(first.map_or(time, |t: f64| t.min(time)));
            }
        }
        first
    }

    /// Time in which a body of a world turns so far that it has to be looked at again, if it may be `turns` times in
    /// the time `left` \[s\].
    fn time_to_turn(&self, left: f64, turns: u32) -> f64 {
        if turns == 0 || !self.scratch.is_of_world() {
            return f64::INFINITY;
        }
        let bodies = self.bodies();
        let awake = (0..bodies.len()).filter(|i| bodies.movable[*i] && !bodies.asleep[*i]);
        let speed = awake.map(|i| turn_of(&bodies, bodies.velocity, i, 1.0)).fold(0.0, f64::max);
        (TURN / speed).max(left / f64::from(turns))
    }

    /// Moves on by `until`, or less where a contact that is an impact would be passed; returns the time made.
    fn fly(&mut self, until: f64, dt: f64) -> Result<f64, EngineError> {
        let mut touching = std::mem::take(&mut self.scratch.touching);
        self.find_staying(&mut touching, dt);
        let flown = self.fly_from(&touching, until, dt);
        self.scratch.touching = touching;
        flown
    }

    /// Lists the contacts that touch, and do not leave fast. They are no impacts any more, or were refused by the step:
    /// the contact stage has them.
    fn find_staying(&self, into: &mut Vec<Name>, dt: f64) {
        let (limits, bodies) = (self.limits_at_touch(dt), self.bodies());
        let leaves = |c: &Contact| {
            let hits = limits.hits(c.speed(bodies.pose, bodies.velocity));
            // Among many who leaves more slowly comes back in the step, and is left to the contact stage.
            let fast = if limits.resolves_slow { hits.fast } else { hits.lift };
            limits.at_touch && c.normal_velocity(bodies.pose, bodies.velocity) > fast
        };
        let staying = self.state.detected.contacts.list.iter().filter(|c| has_arrived(c) && !leaves(c));
        into.clear();
        into.extend(staying.map(|c| Name::of(c, &limits)));
    }

    /// The same from where those of `touching` touch.
    fn fly_from(&mut self, touching: &[Name], until: f64, dt: f64) -> Result<f64, EngineError> {
        let limits = self.limits_at_touch(dt);
        let mut time = until;
        self.save(KEPT);
        for turn in 0..=SHORTENINGS {
            let outcome = self.attempt(&Part { pass: Pass::Flight { horizon: dt }, ..self.part(time) })?;
            let may_shorten = turn < SHORTENINGS && time > NOTHING * dt;
            let passed = may_shorten.then(|| self.passed(touching, &limits, time)).flatten();
            let passed = passed.or_else(|| (may_shorten && self.slides_back(&limits, dt)).then_some(0.5));
            let Some(share) = passed else {
                self.accept(&outcome);
                self.follow(time);
                return Ok(time);
            };
            self.report.undo(&outcome.report);
            self.go_back(KEPT);
            // Where shares are too near to one again and again, larger pieces are taken off.
            time *= if limits.at_touch && turn >= PATIENT { share.powi(4).min(0.5) } else { share };
        }
        Ok(0.0)
    }

    /// Whether a contact slid one way and was held back from the other in the last move: friction that acts along the
    /// mean of both velocities has driven the bodies then, where in truth it slowed them down and held them. A block
    /// that landed on an edge gained 4e-3 of what it had dissipated. For steps of `dt` \[s\].
    fn slides_back(&self, limits: &Limits, dt: f64) -> bool {
        if !limits.resolves_slow {
            return false;
        }
        let driven = self.scratch.exchange.problems.driven_by_friction();
        if driven == 0.0 {
            return false;
        }
        let (table, kept) = (&self.catalogue.bodies, &self.scratch.saved[KEPT].bodies);
        let fall = self.catalogue.gravity().length() * dt;
        let scale = |i: usize| kept.kinetic_energy(table, i) + 0.5 * table.mass[i] * fall * fall;
        let moving = (0..table.len()).filter(|i| table.dynamic[*i]);
        driven > BACK * moving.map(scale).sum::<f64>()
    }

    /// Notes how far a move of `time` \[s\] has carried the bodies of a world.
    fn follow(&mut self, time: f64) {
        let Scratch { strayed: Some(Strayed { from, crowd, needed }), motion, frames, .. } = &mut *self.scratch else {
            return;
        };
        let bodies = self.state.bodies.view(&self.catalogue.bodies, frames);
        for (i, needed) in needed.iter_mut().enumerate().filter(|(i, _)| bodies.dynamic[*i]) {
            *needed += reach::needed(&bodies, i, (&from[i], *crowd), &motion.transport[i], time);
        }
    }

    /// Share of the last move, of `time` \[s\], after which the contact that is passed furthest touched, or one that
    /// was stopped before it did; none where no impact was passed. What swings round may come though it went away at
    /// first.
    fn passed(&self, touching: &[Name], limits: &Limits, time: f64) -> Option<f64> {
        let passed = self.passed_after(touching, limits, time);
        if !limits.at_touch {
            return passed;
        }
        let Scratch { exchange: Exchange { active, problems, .. }, saved, .. } = &*self.scratch;
        let start = &saved[KEPT].bodies;
        let stopped = problems.stopped(limits).filter_map(|(k, row, came)| {
            let contact = &active.contacts()[k as usize];
            // Rows see bodies half-way through the flight: with the mean of what they tell of both ends.
            let speed = contact.normal_velocity(&start.pose, &start.velocity);
            let pull = (came + row.speed_unstopped() - 2.0 * speed) / time;
            let touch = || {
                if has_arrived(contact) { time_to_return(speed, pull) } else { time_to_close(contact.gap, speed, pull) }
            };
            let share = || touch().map_or(1.0, |touch| touch / time).clamp(1e-3, 0.99);
            (!touching.contains(&Name::of(contact, limits))).then(share)
        });
        stopped.chain(passed).reduce(f64::min)
    }

    /// The same of contacts that overlap after the move.
    fn passed_after(&self, touching: &[Name], limits: &Limits, time: f64) -> Option<f64> {
        let bodies = self.bodies();
        let before = &self.scratch.saved[KEPT].detected.contacts.list;
        let mut least = None;
        for c in self.state.detected.contacts.list.iter().filter(|c| c.gap < -ARRIVED * c.radius) {
            let approach = -c.normal_velocity(bodies.pose, bodies.velocity);
            let fast = limits.hits(c.speed(bodies.pose, bodies.velocity)).fast;
            if approach <= fast || touching.contains(&Name::of(c, limits)) {
                continue;
            }
            if limits.at_touch && was_as_deep(before, c) {
                continue;
            }
            // Back by the depth at the speed it has now, and never by nothing or all.
            let moved = approach * time;
            let share = (1.0 + c.gap / moved).clamp(0.1, 1.0 - 1e-9);
            least = Some(least.map_or(share, |s: f64| s.min(share)));
        }
        least
    }
}

impl Name {
    fn of(c: &Contact, limits: &Limits) -> Self {
        Name(c.pair(), if limits.at_touch { c.feature } else { 0 })
    }
}

/// How a contact stands between two moves.
fn standing(c: &Contact, bodies: &Bodies<'_>, pairs: &Pairs, limits: &Limits) -> Standing {
    let approach = -c.normal_velocity(bodies.pose, bodies.velocity);
    let hits = limits.hits(c.speed(bodies.pose, bodies.velocity));
    let touches = c.gap <= TOUCH * c.radius && (bodies.awake(c.a as usize) || bodies.awake(c.b as usize));
    // What gives nothing back is stopped by the contact stage, unless it is to be stopped where it touches.
    let rebounds = || pairs.of(bodies.table, c, bodies.pose, bodies.velocity).restitution * approach > hits.lift;
    let hit = touches && has_arrived(c) && approach > hits.fast && (limits.at_touch || rebounds());
    Standing { touches, hit, impulse: DVec3::ZERO }
}

/// Whether a pair was as deep there in a list `before`, by whatever feature: then no shorter move keeps the contact
/// away.
fn was_as_deep(before: &[Contact], contact: &Contact) -> bool {
    let first = before.partition_point(|c| c.pair() < contact.pair());
    let of_pair = before[first..].iter().take_while(|c| c.pair() == contact.pair());
    let mut there = of_pair.filter(|c| c.normal.dot(contact.normal) > ALIKE);
    there.any(|c| c.gap - ARRIVED * contact.radius <= contact.gap)
}

/// Whether a contact counts as reached.
fn has_arrived(contact: &Contact) -> bool {
    contact.gap <= ARRIVED * contact.radius
}

/// First time at which `gap + speed t + pull t^2 / 2` falls to zero, for a gap above zero.
fn time_to_close(gap: f64, speed: f64, pull: f64) -> Option<f64> {
    let root = speed * speed - 2.0 * pull * gap;
    if root < 0.0 {
        return None;
    }
    // The smaller root, in the form without cancellation.
    let time = 2.0 * gap / (root.sqrt() - speed);
    (time > 0.0 && time.is_finite()).then_some(time)
}

/// Time after which what goes away from touch with `speed` is back there.
fn time_to_return(speed: f64, pull: f64) -> Option<f64> {
    let time = -2.0 * speed / pull;
    (time > 0.0 && time.is_finite()).then_some(time)
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::Material;

    use super::*;
    use crate::interface::simulation::Simulation;
    use crate::world::description::{BodyDescription, Settings, Stepping};

    /// Impacts in a step after one that had to be made as an ordinary one: the length of that step is none of theirs.
    #[test]
    fn impacts_after_an_ordinary_step_keep_the_book_closed() {
        let settings = Settings { stepping: Stepping::Event, ..Settings::default() };
        let mut simulation = Simulation::new(settings).expect("settings are valid");
        let rock = simulation.add_material(Material::default()).expect("the material is valid");
        let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the body is valid");
        let ball = Shape::sphere(0.5).expect("the radius is valid");
        let mut ball = BodyDescription::dynamic(ball, rock, 0.5 * DVec3::Z);
        ball.velocity.linear = -3.0 * DVec3::Z;
        simulation.add_body(ball).expect("the body is valid");
        simulation.state.bodies.step[1] = 0.01;
        let mass = simulation.catalogue.bodies.mass[1];
        let report = simulation.step_by(0.01).expect("the step is made");
        assert_eq!(report.hits, 1);
        let term = 0.5 * 0.01 * mass * 9.8 * 3.0;
        assert!((report.energy.step_change + term).abs() <= 1e-12 * term, "{:e}", report.energy.step_change);
        assert!(report.energy.imbalance.abs() <= 1e-12 * report.energy.dissipated(), "{:e}", report.energy.imbalance);
    }

    #[test]
    fn time_to_close_is_exact() {
        let case = |gap: f64, speed: f64, pull: f64, expected: f64| {
            let time = time_to_close(gap, speed, pull).expect("it closes");
            assert!((time - expected).abs() <= 1e-15 * expected * 4.0, "{time}");
        };
        case(2.0, -4.0, 0.0, 0.5);
        // Dropped from 4.9 m; thrown up with 9.8 m/s from there.
        case(4.9, 0.0, -9.8, 1.0);
        case(4.9, 9.8, -9.8, 1.0 + 2f64.sqrt());
        // Away without pull, and pulled away before it arrives.
        assert_eq!(time_to_close(1.0, 1.0, 0.0), None);
        assert_eq!(time_to_close(1.0, -1.0, 9.8), None);
    }
}
