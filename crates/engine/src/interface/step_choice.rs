//! When the time step is chosen, from what, and who decided.
//!
//! The rule is that of `time_step`. It is asked before the first step, and again
//!
//! * before the step after bodies, materials, pairs or force fields were added, removed or set: the step is chosen anew
//!   where the rule then says less than [`SHORTER`] of it or more than [`LONGER`] times it, and stays else. A step that
//!   followed every heap by some per cent would cost the contacts what they carry from step to step;
//! * after every step that the engine chose, with what moves and pulls now: the speeds of bodies that are in a contact
//!   or near one, those of driven bodies by a function, the accelerations by force fields. Where the rule says less
//!   than [`SHORTER`] of the step, or [`TAIL`] of it for bodies that meet, the step is chosen anew, and becomes
//!   shorter. It becomes longer by changes of the first kind only: a pack that comes to rest keeps its step.
//!
//! So a step is a function of the state and of the step before, nothing that an undone attempt did bears on it, and it
//! cannot go up and down by itself. Nothing of it is read from the energy book. A step that the settings give stays.
//!
//! The speed that is watched is `sqrt(v^2 + I w^2/m)`, with I the largest moment: that of the body's energy, which no
//! contact raises above that of the fall without taking it from another body. A body that is in no contact is in no
//! hurry: one that left the scene and falls for ever has no say.

use granule_model::{Aabb, BodyKind, DVec3};

use crate::interface::simulation::Simulation;
use crate::interface::time_step::{Bound, Scales};
use crate::step::drive;
use crate::world::description::Motion;
use crate::world::reductions::smallest_radius;

/// What the rule may say, as shares of the step, while the step stays.
const SHORTER: f64 = 0.8;
const LONGER: f64 = 2.0;
/// The same for the speeds of dynamic bodies that meet. A gas in equilibrium always has a few that are faster than it
/// was made for: of 4096 spheres with the same speed at the start one soon has 2.15 times that, and a step made for it
/// would take twice as many.
const TAIL: f64 = 0.4;

/// A chosen step.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Its length \[s\].
    pub(crate) step: f64,
    /// What decided it, as a sentence.
    pub(crate) decided_by: String,
}

/// Where the speed to expect comes from, with the dense index of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    Nothing,
    Motion(usize),
    Fall(usize),
    Pull(usize),
    Driven(usize),
}

/// The scales with where they come from.
#[derive(Clone, Copy, Debug)]
struct Findings {
    scales: Scales,
    speed_of: Origin,
    /// The body that force fields accelerate most; none where gravity is more.
    pulled: Option<usize>,
    /// The body with the shortest period.
    shaken: Option<usize>,
}

impl Findings {
    fn raise_speed(&mut self, speed: f64, of: Origin) {
        if speed > self.scales.speed {
            (self.scales.speed, self.speed_of) = (speed, of);
        }
    }
}

impl Simulation {
    /// The scales that bear on the time step, as they are now.
    pub fn scales(&self) -> Scales {
        self.findings().scales
    }

    /// The time step: the one set, or the one that the rule chooses \[s\]. What the next [`Simulation::step`] takes.
    pub fn time_step(&self) -> f64 {
        self.catalogue.settings.time_step.or(self.standing_choice()).unwrap_or_else(|| self.next_choice().step)
    }

    /// Slowest impact that surely gets its restitution in steps of `dt` \[s\], wherever within a step it happens
    /// \[m/s\]: the normal speed with which two bodies of that `restitution` \[-\] come at touch, where `movable`
    /// bodies that can move hang together by contacts. A slower one may be stopped as a load is, without restitution.
    ///
    /// It is a multiple of `g dt`: 4.5 times, or 4 times from impact to impact, and 9/8 over the restitution where
    /// steps go from touch to touch and at most two bodies can move. Restitution below a quarter, and force fields, ask
    /// for more. Zero without gravity, infinite without restitution.
    pub fn resolved_speed(&self, dt: f64, restitution: f64, movable: usize) -> f64 {
        if restitution > 0.0 {
            dt * self.slowest_over_dt(restitution, movable, self.scales().acceleration)
        } else {
            f64::INFINITY
        }
    }

    /// What decided the time step, as a sentence: the settings; the smallest body, by name, with the speed or the
    /// acceleration that it is held against; or the motion of a driven body.
    pub fn time_step_decided_by(&self) -> String {
        match self.standing_choice() {
            Some(_) => self.book.step_decided_by.clone(),
            None => self.next_choice().decided_by,
        }
    }

    /// The length that was chosen, where what it was chosen from has not changed \[s\].
    pub(super) fn standing_choice(&self) -> Option<f64> {
        self.state.control.chosen_step.filter(|_| !self.state.control.choice_is_stale)
    }

    /// Chooses the step where none is chosen yet or what it was chosen from has changed; returns it.
    pub(crate) fn choose_time_step(&mut self) -> f64 {
        self.standing_choice().unwrap_or_else(|| {
            let choice = self.next_choice();
            self.state.control.choice_is_stale = false;
            self.take_choice(choice)
        })
    }

    fn take_choice(&mut self, choice: Choice) -> f64 {
        self.state.control.chosen_step = Some(choice.step);
        self.book.step_decided_by = choice.decided_by;
        choice.step
    }

    /// Looks after a step whether what moves and pulls now asks for a shorter one.
    pub(crate) fn review_time_step(&mut self) {
        let Some(step) = self.standing_choice().filter(|_| self.catalogue.settings.time_step.is_none()) else { return };
        let Some(met) = self.outrun(step) else { return };
        let mut found = self.findings();
        for (speed, origin) in met {
            found.raise_speed(speed, origin);
        }
        if found.scales.time_step() < SHORTER * step {
            let choice = self.choice_of(&found);
            self.take_choice(choice);
        }
    }

    /// The choice before the next step.
    fn next_choice(&self) -> Choice {
        if let Some(step) = self.catalogue.settings.time_step {
            return Choice { step, decided_by: "The settings give it.".to_owned() };
        }
        let found = self.findings();
        let wanted = self.choice_of(&found);
        let old = || self.book.step_decided_by.clone();
        match self.state.control.chosen_step {
            Some(step) if found.scales.bound().0 == Bound::Nothing => Choice { step, decided_by: old() },
            Some(step)
                if (SHORTER * step..=LONGER * step).contains(&wanted.step) && step <= found.scales.resolving_step =>
            {
                Choice { step, decided_by: old() }
            }
            _ => wanted,
        }
    }

    fn choice_of(&self, found: &Findings) -> Choice {
        Choice { step: found.scales.time_step(), decided_by: self.sentence(found) }
    }

    /// Where bodies move faster or are pulled harder than a step bears: the fastest of those in contact and of those
    /// driven.
    fn outrun(&self, step: f64) -> Option<[(f64, Origin); 2]> {
        let bodies = &self.bodies();
        let mut now = self.blank();
        // Where nothing moves and nothing pulls any step will do.
        let bears = |scales: &Scales, share: f64| match scales.bound() {
            (Bound::Nothing, _) => true,
            (_, least) => least >= share * step,
        };
        let mut driven = (0.0, Origin::Nothing);
        let mut fastest = 0.0f64;
        for i in 0..bodies.len() {
            if bodies.awake(i) {
                fastest = fastest.max(self.energy_speed(i));
            } else if self.follows_function(i) {
                let speed = self.speed_at_surface(i);
                driven = if speed > driven.0 { (speed, Origin::Driven(i)) } else { driven };
            }
        }
        let mut met = (0.0, Origin::Nothing);
        now.scales.speed = fastest;
        if !bears(&now.scales, TAIL) {
            for c in &self.state.detected.contacts.list {
                for i in [c.a as usize, c.b as usize].into_iter().filter(|i| bodies.awake(*i)) {
                    let speed = self.energy_speed(i);
                    met = if speed > met.0 { (speed, Origin::Motion(i)) } else { met };
                }
            }
        }
        now.scales.speed = met.0;
        let outrun = !bears(&now.scales, TAIL);
        now.scales.speed = driven.0;
        self.find_pull(&mut now, None);
        (outrun || !bears(&now.scales, SHORTER)).then_some([met, driven])
    }

    /// Speed of the energy of a dynamic body \[m/s\].
    fn energy_speed(&self, i: usize) -> f64 {
        let bodies = &self.bodies();
        let v = &bodies.velocity[i];
        let spread = bodies.principal_inertia[i].max_element() * bodies.inverse_mass[i];
        (v.linear.length_squared() + spread * v.angular.length_squared()).sqrt()
    }

    fn follows_function(&self, i: usize) -> bool {
        let bodies = &self.bodies();
        bodies.present[i] && bodies.driven_of(i).is_some_and(|driven| matches!(driven.motion, Motion::Function(_)))
    }

    /// Speed of the fastest point of a body now, of one without end that of its centre \[m/s\].
    fn speed_at_surface(&self, i: usize) -> f64 {
        let bodies = &self.bodies();
        let (v, extent) = (&bodies.velocity[i], bodies.extent[i]);
        v.linear.length() + if extent.is_finite() { v.angular.length() * extent } else { 0.0 }
    }

    /// The scales that hold whatever moves.
    fn blank(&self) -> Findings {
        let bodies = &self.bodies();
        let mut dynamic = (0..bodies.len()).filter(|i| bodies.dynamic[*i]);
        let scales = Scales {
            smallest_radius: smallest_radius(bodies),
            speed: 0.0,
            acceleration: self.catalogue.settings.gravity.length(),
            period: f64::INFINITY,
            resolving_step: f64::INFINITY,
            friction: self.catalogue.pairs.have_friction(),
            spheres_only: dynamic.all(|i| bodies.round[i]),
        };
        Findings { scales, speed_of: Origin::Nothing, pulled: None, shaken: None }
    }

    /// All scales, with where they come from.
    fn findings(&self) -> Findings {
        let bodies = &self.bodies();
        let mut found = self.blank();
        for i in (0..bodies.len()).filter(|i| bodies.dynamic[*i]) {
            let v = &bodies.velocity[i];
            let speed = v.linear.length() + v.angular.length() * bodies.extent[i];
            found.raise_speed(speed, Origin::Motion(i));
        }
        let datum = self.bodies().lowest_point(self.catalogue.up());
        self.find_falls(&mut found, datum);
        self.find_pull(&mut found, Some(self.reach(false)));
        self.find_driven(&mut found);
        found.scales.resolving_step = self.resolving_step(found.scales.acceleration);
        found
    }

    /// The box round all bodies, or round the dynamic ones; where one has no end its origin counts.
    fn reach(&self, dynamic_only: bool) -> Aabb {
        let bodies = &self.bodies();
        let wanted = |i: &usize| if dynamic_only { bodies.dynamic[*i] } else { bodies.present[*i] };
        let boxed = |i: usize| {
            let (Aabb { min, max }, at) = (bodies.boxes[i], bodies.pose[i].position);
            let finite = |x: DVec3| DVec3::select(x.is_finite_mask(), x, at);
            Aabb { min: finite(min), max: finite(max) }
        };
        let join = |x: Aabb, y: Aabb| Aabb { min: x.min.min(y.min), max: x.max.max(y.max) };
        (0..bodies.len()).filter(wanted).map(boxed).reduce(join).unwrap_or(Aabb { min: DVec3::ZERO, max: DVec3::ZERO })
    }

    /// Falls of the dynamic bodies under gravity, to `datum`.
    fn find_falls(&self, found: &mut Findings, datum: f64) {
        let bodies = &self.bodies();
        let (up, gravity) = (self.catalogue.up(), self.catalogue.settings.gravity.length());
        for i in (0..bodies.len()).filter(|i| bodies.dynamic[*i]) {
            let height = bodies.pose[i].position.dot(up) - datum;
            found.raise_speed(self.fall_speed(i, gravity, height), Origin::Fall(i));
        }
    }

    /// Accelerations by force fields, and the falls that they make within `reach`, where it is given.
    fn find_pull(&self, found: &mut Findings, reach: Option<Aabb>) {
        let bodies = &self.bodies();
        if self.catalogue.fields.is_empty() {
            return;
        }
        for i in (0..bodies.len()).filter(|i| bodies.dynamic[*i]) {
            let (pose, velocity) = (&bodies.pose[i], &bodies.velocity[i]);
            let force = self.catalogue.field_force(i, pose, velocity, self.state.time).force;
            let pull = self.catalogue.settings.gravity + force * bodies.inverse_mass[i];
            let acceleration = pull.length();
            // What is not finite is reported by the step.
            if force == DVec3::ZERO || !acceleration.is_finite() || acceleration == 0.0 {
                continue;
            }
            if acceleration > found.scales.acceleration {
                (found.scales.acceleration, found.pulled) = (acceleration, Some(i));
            }
            if let Some(reach) = reach {
                let along = pull / acceleration;
                let far = DVec3::select(along.cmpge(DVec3::ZERO), reach.max, reach.min);
                let speed = self.fall_speed(i, acceleration, along.dot(far - pose.position));
                found.raise_speed(speed, Origin::Pull(i));
            }
        }
    }

    /// Speed with which a body ends a fall through `height` \[m\] under `acceleration`, with drag \[m/s\].
    fn fall_speed(&self, i: usize, acceleration: f64, height: f64) -> f64 {
        let bodies = &self.bodies();
        let free = (2.0 * acceleration * height.max(0.0)).sqrt();
        if free == 0.0 || self.catalogue.settings.drag.is_none() {
            return free;
        }
        free.min(self.catalogue.settings.drag.terminal_speed(bodies.mass[i], bodies.radius[i], acceleration))
    }

    /// Speeds and periods of driven bodies.
    fn find_driven(&self, found: &mut Findings) {
        let bodies = &self.bodies();
        // The step in which a function is looked at: the one of now, or the one without it.
        let span = self.state.control.chosen_step.unwrap_or_else(|| found.scales.time_step());
        let mut reach = None;
        for i in (0..bodies.len()).filter(|i| bodies.kind[*i] == BodyKind::Driven && bodies.present[*i]) {
            let Some(place) = bodies.driven_place(i) else { continue };
            let (driven, clock) = (&bodies.driven[place], &self.state.driven[place]);
            let origin = bodies.pose[i].transform_point(bodies.shape[i].frame().position);
            let extent = bodies.extent[i];
            let arm = if extent.is_finite() {
                extent + origin.distance(bodies.pose[i].position)
            } else {
                let Aabb { min, max } = *reach.get_or_insert_with(|| self.reach(true));
                (min - origin).abs().max((max - origin).abs()).length()
            };
            found.raise_speed(drive::fastest(driven, clock, arm, self.state.time, span), Origin::Driven(i));
            let period = drive::period(&driven.motion);
            if period < found.scales.period {
                (found.scales.period, found.shaken) = (period, Some(i));
            }
        }
    }

    /// What decides, in words.
    fn sentence(&self, found: &Findings) -> String {
        let Findings { scales, .. } = found;
        let label = |i: usize| self.catalogue.bodies.label(i);
        let who = match scales.bound().0 {
            Bound::Nothing if scales.smallest_radius.is_finite() => {
                return "Nothing moves and nothing pulls: it is 1/60 s.".to_owned();
            }
            Bound::Nothing => return "There is no dynamic body: it is 1/60 s.".to_owned(),
            Bound::Period => {
                let body = found.shaken.map(label).unwrap_or_default();
                return format!("The motion of driven body {body}, of period {} s, decides.", short(scales.period));
            }
            Bound::Impact => {
                let [v, e] =
                    [self.catalogue.settings.resolved_speed, self.least_restitution()].map(Option::unwrap_or_default);
                return format!(
                    "The slowest impact to resolve, {} m/s at a restitution of {}, decides.",
                    short(v),
                    short(e)
                );
            }
            Bound::Acceleration => {
                let a = short(scales.acceleration);
                match found.pulled {
                    Some(i) => format!("The pull of the force fields on body {}, {a} m/s2,", label(i)),
                    None => format!("Gravity, {a} m/s2,"),
                }
            }
            Bound::Speed => {
                let v = short(scales.speed);
                match found.speed_of {
                    Origin::Nothing => format!("A speed of {v} m/s"),
                    Origin::Motion(i) => format!("The speed of body {}, {v} m/s,", label(i)),
                    Origin::Fall(i) => format!("The fall of body {}, to {v} m/s,", label(i)),
                    Origin::Pull(i) => format!("The fall of body {} in the force fields, to {v} m/s,", label(i)),
                    Origin::Driven(i) => format!("The motion of driven body {}, up to {v} m/s,", label(i)),
                }
            }
        };
        format!("{who} and {} decide.", self.smallest_in_words(scales.smallest_radius))
    }

    /// The smallest body by name, and how many there are of its size.
    fn smallest_in_words(&self, radius: f64) -> String {
        let bodies = &self.bodies();
        let mut smallest = (0..bodies.len()).filter(|i| bodies.dynamic[*i] && bodies.radius[*i] == radius);
        let first = smallest.next().map(|i| bodies.label(i)).unwrap_or_default();
        let r = short(radius);
        match smallest.count() {
            0 => format!("the smallest body, {first} of equal-volume radius {r} m,"),
            more => format!("the smallest bodies, {first} and {more} more of equal-volume radius {r} m,"),
        }
    }
}

/// A number with four digits.
fn short(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}
