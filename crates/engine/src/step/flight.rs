//! Free flight: who falls as gravity alone has it, with all that hangs together with it.
//!
//! Steps of `h` pass through the points of the exact parabola, with velocities that lag by `g h/2`. A body in flight
//! whose step changes from `h_0` to `h` keeps to its parabola if its velocity changes by `g (h_0 - h)/2`; one that
//! makes its first step has the velocity that it was given if `h_0` is zero. What lies on something that does not fall
//! keeps its velocity: at rest it does not lag. What follows for the books is left to [`observe`](crate::step::observe)
//! and [`few`](crate::step::few).

use granule_islands::Islands;
use granule_model::DVec3;

use crate::contacts::closing::Active;
use crate::world::bodies::Bodies;
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Carried, Contact, Contacts};

/// Whether bodies in flight keep to their parabolas in whole parts: not where fields or drag act as well.
pub(crate) fn keeps_parabolas(catalogue: &Catalogue) -> bool {
    let settings = &catalogue.settings;
    settings.stepping.resolves_touches() && catalogue.fields.is_empty() && !settings.resists()
}

/// Whether a body awake makes its first step.
pub(crate) fn any_begins(bodies: &Bodies<'_>) -> bool {
    (0..bodies.len()).any(|i| begins(bodies, i))
}

/// Whether a contact carried more than rounding presses on one of its bodies that falls. For velocities that are told:
/// where parts of steps took it for nothing, twice as many of 150 balls of 10:1 in size rolled on after 4 s.
fn has_carried(bodies: &Bodies<'_>, c: &Contact, carried: &Carried, gravity: DVec3) -> bool {
    let masses = [c.a, c.b].map(|i| i as usize).into_iter().filter(|i| bodies.awake(*i)).map(|i| bodies.mass[i]);
    carried.normal > 0.0 && carried.normal > ALONG * gravity.length() * masses.fold(f64::INFINITY, f64::min)
}

fn begins(bodies: &Bodies<'_>, i: usize) -> bool {
    bodies.step[i] < 0.0 && bodies.awake(i)
}

/// Sine of the slope against gravity up to which what touches a wall falls along it, and share of the weight up to
/// which what a contact carried is rounding, where velocities are told \[-\].
const ALONG: f64 = 1e-6;

/// The bodies in free flight, by dense index.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    flies: Vec<bool>,
    awake: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    islands: Islands,
    /// Islands of which a body leans on one that does not fall.
    held: Vec<bool>,
}

impl Flights {
    /// Lets no body be known to fly.
    pub(crate) fn clear(&mut self) {
        self.flies.clear();
    }

    /// Whether a body was found to fly.
    pub(crate) fn flies(&self, i: usize) -> bool {
        self.flies.get(i).is_some_and(|flies| *flies)
    }

    /// Finds the bodies awake that neither lean on what does not fall nor hang together with one that does, for steps
    /// of `dt` \[s\]. Bodies hang together where a contact carried something, or is near touch and slower than what
    /// gravity does in a step: what lies on level sets touches at other nodes from step to step, which have carried
    /// nothing. They lean where gravity presses them on, and not where it draws them along.
    ///
    /// What makes its first step hangs together with what it comes to touch in it, as if that did not fall: its step
    /// takes the contact as a whole, and one that lags from the start would leave what it comes to touch. Balls that
    /// began 1 mm above a floor gained 5 % of their fall. So does what touches a driven body that turns, and may ride
    /// on it.
    pub(crate) fn find(&mut self, bodies: &Bodies<'_>, contacts: &Contacts, gravity: DVec3, dt: f64) {
        self.find_awake(bodies);
        let Flights { awake, pairs, .. } = self;
        let (slow, least) = (gravity.length() * dt, ALONG * gravity.length());
        // How gravity presses one on the other where that does not fall; below zero it draws them apart.
        let pull = |c: &Contact| match (awake[c.a as usize], awake[c.b as usize]) {
            (true, false) => -c.normal.dot(gravity),
            (false, true) => c.normal.dot(gravity),
            _ => c.normal.dot(gravity).abs(),
        };
        let is_first = |c: &Contact| begins(bodies, c.a as usize) || begins(bodies, c.b as usize);
        let turns = |i: u32| !awake[i as usize] && bodies.velocity[i as usize].angular != DVec3::ZERO;
        let hangs = |c: &Contact, carried: &Carried| {
            let (speed, pull) = (c.normal_velocity(bodies.pose, bodies.velocity), pull(c));
            if is_first(c) {
                let closes = c.gap.max(0.0) + dt * (speed - 0.5 * dt * pull) < -0.5 * dt * dt * least;
                return closes || c.touches() && (turns(c.a) || turns(c.b));
            }
            let is_pressed = awake[c.a as usize] == awake[c.b as usize] || pull > least;
            carried.normal > 0.0 || c.is_near() && is_pressed && speed.abs() <= slow
        };
        pairs.clear();
        let all = contacts.list.iter().zip(&contacts.carried);
        pairs.extend(all.filter(|(c, carried)| hangs(c, carried)).map(|(c, _)| c.pair()));
        self.find_held(bodies.len());
    }

    /// Finds the bodies awake that flew in the part that was made last, and fly on: neither its contacts, but for those
    /// of bodies that were `alone`, nor those that bodies have now carried anything.
    pub(crate) fn find_after(
        &mut self,
        bodies: &Bodies<'_>,
        (contacts, made): (&Contacts, &Active),
        alone: &[bool],
        gravity: DVec3,
    ) {
        self.find_awake(bodies);
        let Flights { pairs, .. } = self;
        let is_alone = |i: u32| alone.get(i as usize).is_some_and(|alone| *alone);
        let carries = |(c, of): (&Contact, &Carried)| has_carried(bodies, c, of, gravity).then_some(c.pair());
        pairs.clear();
        pairs.extend(contacts.list.iter().zip(&contacts.carried).filter_map(carries));
        let made = made.known();
        pairs.extend(
            made.contacts.iter().zip(made.carried).filter_map(carries).filter(|(a, b)| !is_alone(*a) && !is_alone(*b)),
        );
        self.find_held(bodies.len());
    }

    fn find_awake(&mut self, bodies: &Bodies<'_>) {
        self.awake.clear();
        self.awake.extend((0..bodies.len()).map(|i| bodies.awake(i)));
    }

    /// Lets fly who is awake and does not hang together with what does not fall.
    fn find_held(&mut self, count: usize) {
        let Flights { flies, awake, pairs, islands, held } = self;
        islands.build(count, awake, pairs);
        held.clear();
        held.resize(islands.len(), false);
        for (a, b) in pairs.iter().filter(|(a, b)| awake[*a as usize] != awake[*b as usize]) {
            if let Some(k) = islands.island_of(*a).or(islands.island_of(*b)) {
                held[k] = true;
            }
        }
        flies.clear();
        flies.extend((0..count).map(|i| awake[i] && islands.island_of(i as u32).is_none_or(|k| !held[k])));
    }
}
