//! The energies that the impulses of an island took, by contact and in total; see the head of [`super`].

use granule_model::{DVec3, Velocity};

use super::settings::StageSettings;
use crate::contact::blocks::{self, Set};
use crate::contact::island::{Island, Row, SolverBody};

/// Energy bookkeeping of the impulses of an island.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ledger {
    pub(super) normal: f64,
    pub(super) friction: f64,
    pub(super) driven: f64,
    pub(super) magnitude: f64,
    /// `-sum P.u-`: what the impulses would take if they were infinitesimal, times their size.
    pub(super) approach: f64,
    /// `sum P.(u0 + u+)/2`: the change of E*.
    pub(super) rise: f64,
    /// What of it friction takes, rolling and torsion included: of a body at rest none, where friction that only takes
    /// what gravity gave it in the step seems to work on the kinetic energy.
    pub(super) star_friction: f64,
    /// What of it, and of the energy taken, is the work of driven bodies that carry others round, along arcs instead of
    /// chords: as they ask for.
    pub(super) raised: f64,
    pub(super) carried: f64,
    /// Whether a contact ends the step with more overlap than its allowance.
    pub(super) is_deep: bool,
}

impl Ledger {
    /// Whether the energy asks for more sweeps.
    pub(super) fn keeps_sweeping(&self, settings: &StageSettings, sweeps: u32) -> bool {
        let gained = self.taken() + self.carried < 0.0 || self.gained() > settings.rise;
        (gained && sweeps < settings.most_sweeps) || (self.gained() > settings.trace && sweeps < settings.more_sweeps)
    }

    /// The rise of E* that no driven body may make.
    pub(super) fn gained(&self) -> f64 {
        self.rise - self.raised
    }

    /// Kinetic energy taken from the relative motion \[J\].
    pub(super) fn taken(&self) -> f64 {
        self.normal + self.friction
    }

    /// `-sum P.u+`, from `taken = (approach + departure)/2`. Impulses scaled by s take `s approach - s^2 P.GP/2` with
    /// `P.GP = approach - departure`, which is zero at `s = 2 approach / (approach - departure)`.
    pub(super) fn departure(&self) -> f64 {
        2.0 * self.taken() - self.approach
    }
}

/// The energy that the impulses of the rows took in a step of `dt` \[s\], by contact and in total; `ledgers` is
/// scratch, one for each block.
pub(super) fn ledger(
    island: &mut Island<'_>,
    dt: f64,
    unforced: &[Velocity],
    before: &[Velocity],
    ledgers: &mut [Ledger],
) -> Ledger {
    let Island { bodies, rows, blocks, .. } = island;
    let book = Book { bodies, unforced, before, dt };
    blocks::rows(blocks, &mut rows[..], &mut *ledgers, &|_, rows, ledger| *ledger = book.of(rows));
    let rest = Set::Rest.rows(blocks, rows.len());
    let rest = book.of(&mut rows[rest]);
    ledgers.iter().fold(rest, |sum, ledger| sum + *ledger)
}

/// What the energies are read off.
struct Book<'a> {
    bodies: &'a [SolverBody],
    unforced: &'a [Velocity],
    before: &'a [Velocity],
    dt: f64,
}

impl Book<'_> {
    /// The energies of some rows, and of all of them together.
    fn of(&self, rows: &mut [Row]) -> Ledger {
        rows.iter_mut().fold(Ledger::default(), |sum, row| sum + self.enter(row))
    }

    fn enter(&self, row: &mut Row) -> Ledger {
        let Book { bodies, unforced, before, dt } = self;
        let (u_unforced, u_after) = (row.velocity_at(unforced), row.relative_velocity(bodies));
        let is_held = [row.a, row.b].map(|i| bodies[i as usize].inverse_mass == 0.0);
        row.left = row.normal.dot(u_after);
        row.came = row.normal.dot(if is_held == [false; 2] { u_unforced } else { self.met(row, is_held) });
        let is_deep = row.gap + (row.left + row.normal.dot(row.drift())) * dt < -f64::from(row.allowance);
        let p = row.impulse();
        if p == DVec3::ZERO && row.angular_impulse == DVec3::ZERO {
            (row.normal_work, row.friction_work, row.star_work) = (0.0, 0.0, 0.0);
            return Ledger { is_deep, ..Ledger::default() };
        }
        let (u_before, p_t) = (row.velocity_at(before), row.tangential_impulse);
        let (u, on_star) = (u_before + u_after, u_unforced + u_after);
        let normal = -0.5 * row.normal_impulse * row.normal.dot(u);
        let mut sum = Ledger {
            normal,
            friction: -0.5 * p_t.dot(u),
            approach: -p.dot(u_before),
            rise: 0.5 * p.dot(on_star),
            star_friction: -0.5 * p_t.dot(on_star),
            is_deep,
            ..Ledger::default()
        };
        if row.angular_impulse != DVec3::ZERO {
            self.add_moments(row, &mut sum);
        }
        if is_held != [false; 2] {
            sum.driven = driven_work(row, bodies);
            carry(row, bodies, &mut sum);
        }
        sum.magnitude = normal.abs() + sum.friction.abs();
        (row.normal_work, row.friction_work, row.star_work) = (normal, sum.friction, -sum.rise);
        sum
    }

    /// The velocity with which a contact came into the step, of whose bodies some are held: a driven one strikes with
    /// the velocity that it has now, for one that starts at once hits what touches it.
    fn met(&self, row: &Row, [a, b]: [bool; 2]) -> DVec3 {
        let Book { unforced, before, .. } = self;
        let came = |i: u32, is_held: bool| if is_held { before[i as usize] } else { unforced[i as usize] };
        came(row.a, a).at(row.arm_a) - came(row.b, b).at(row.arm_b)
    }

    /// Adds what rolling and torsional friction took.
    fn add_moments(&self, row: &Row, sum: &mut Ledger) {
        let Book { bodies, unforced, before, .. } = self;
        let (a, b, l) = (row.a as usize, row.b as usize, row.angular_impulse);
        let spin_before = before[a].angular - before[b].angular;
        let spin_after = bodies[a].velocity.angular - bodies[b].velocity.angular;
        let on_star = l.dot(unforced[a].angular - unforced[b].angular + spin_after);
        sum.friction -= 0.5 * l.dot(spin_before + spin_after);
        sum.approach -= l.dot(spin_before);
        sum.rise += 0.5 * on_star;
        sum.star_friction -= 0.5 * on_star;
    }
}

/// Share of a drift along the surfaces that is rounding of its direction, single precision and all.
const ALONG: f64 = 1e-5;

/// Counts that a driven body which turns does not go along chords: its velocity at the end of a step is not that at the
/// ends of the arms, and where it asks for more than a chord it may do work.
fn carry(row: &Row, bodies: &[SolverBody], sum: &mut Ledger) {
    if row.drift == [0.0; 3] || !row.is_carried_round(bodies) {
        return;
    }
    sum.rise += 0.5 * row.impulse().dot(row.arc());
    sum.star_friction -= 0.5 * row.tangential_impulse.dot(row.arc());
    if row.normal.dot(row.drift()) < -ALONG * row.drift().length() {
        let work = |drift: DVec3| row.impulse().dot(drift).abs();
        sum.carried = (-sum.taken()).clamp(0.0, work(row.drift()));
        sum.raised = sum.rise.clamp(0.0, work(row.arc()));
    }
}

impl std::ops::Add for Ledger {
    type Output = Self;

    fn add(self, x: Self) -> Self {
        Ledger {
            normal: self.normal + x.normal,
            friction: self.friction + x.friction,
            driven: self.driven + x.driven,
            magnitude: self.magnitude + x.magnitude,
            approach: self.approach + x.approach,
            rise: self.rise + x.rise,
            star_friction: self.star_friction + x.star_friction,
            raised: self.raised + x.raised,
            carried: self.carried + x.carried,
            is_deep: self.is_deep || x.is_deep,
        }
    }
}

/// Work that a driven body does through the impulse of a row on the kinetic energy \[J\]: its velocity times the
/// impulse on the other body, and its angular velocity times the moments of rolling and torsional friction.
pub fn driven_work(row: &Row, bodies: &[SolverBody]) -> f64 {
    work_at(row, bodies, |body| bodies[body as usize].velocity)
}

/// The same on E*: with the mean of the driven body's velocities before the step (`unforced`) and in it.
///
/// A body that rides on a floor from velocity V0 to V1 takes the impulse `P = m (V1 - V0) + m g dt`; its E* changes by
/// `m (V1^2 - V0^2)/2 + m g V1 dt - (dt/2) m g (V1 - V0) = P (V0 + V1)/2`. Booked with V1 alone, a floor shaken at 60
/// Hz seemed to make energy of nothing, 7e-3 of what had been dissipated. One that turns ends the step with another
/// velocity, see [`RowInput::arc`](crate::RowInput::arc).
pub fn driven_work_on_star(row: &Row, bodies: &[SolverBody], unforced: &[Velocity]) -> f64 {
    let before = work_at(row, bodies, |body| unforced[body as usize]);
    let arc = if row.is_carried_round(bodies) { row.impulse().dot(row.arc()) } else { 0.0 };
    0.5 * (before + driven_work(row, bodies) - arc)
}

/// Impulse of a row times the acceleration towards its axis of the point of a driven body that turns, `|P| |w| |v|`
/// \[W\]: half of it times the length of a step is the work that the arc asks for beside the chord that the body is
/// moved along.
pub fn carried_round(row: &Row, bodies: &[SolverBody]) -> f64 {
    let by = |body: u32, arm: DVec3| {
        let carrier = &bodies[body as usize];
        let velocity = &carrier.velocity;
        if carrier.carries_round() { velocity.angular.length() * velocity.at(arm).length() } else { 0.0 }
    };
    row.impulse().length() * (by(row.a, row.arm_a) + by(row.b, row.arm_b))
}

/// The impulse and the angular impulse of a row times the velocities, as given, of those of its bodies that no impulse
/// moves.
fn work_at(row: &Row, bodies: &[SolverBody], velocity: impl Fn(u32) -> Velocity) -> f64 {
    let (p, l) = (row.impulse(), row.angular_impulse);
    let by = |body: u32, arm: DVec3| {
        if bodies[body as usize].inverse_mass != 0.0 {
            return 0.0;
        }
        let v = velocity(body);
        p.dot(v.at(arm)) + l.dot(v.angular)
    };
    by(row.b, row.arm_b) - by(row.a, row.arm_a)
}
