//! Drift correction: overlap is taken out of the positions and changes no velocity, as seen by the body.
//!
//! Contacts that overlap by more than [`SLOP`] of their thickness are pushed apart by Gauss-Seidel passes over
//! displacements, each taking [`RELAXATION`] of the excess: with the gap linearised in the displacement `d` and the
//! rotation vector `t` of each body,
//!
//! ```text
//! gap(d, t) = gap_0 + n.(d_A + t_A x r_A - d_B - t_B x r_B),     d_A = n l/m_A,   t_A = I_A^-1 (r_A x n) l
//! ```
//!
//! A step takes at most [`MOST`] of the thickness out of an overlap, which is within the margin in which contacts are
//! known: what is pushed meets its neighbours and is not carried into them. In islands with a contact that is deeper
//! than [`VERY_DEEP`], as bodies may be that were put into each other at the start, all that touches or is near takes
//! part in the passes, and mending takes as many steps as it needs.
//!
//! Full relaxation adds energy in piles, none lets the overlap of a pile grow without bound (both measured on 325
//! cubes).
//!
//! **Energy.** Lifting a pile is work, which no law of mechanics pays for. It is booked, and it is bounded: the upward
//! part of the displacements of an island is scaled so that their work against gravity stays within the budget that the
//! caller gives for it. What moves sideways or down costs nothing and is never held back; when all of it was, a
//! frictionless layer of cubes whose budget was spent pressed its grains into each other sideways until every step had
//! to be divided. What a driven body that turns carries round is moved along chords, `w^2 r dt^2/2` short of the arc in
//! a step; that work is the driven body's, and comes on top of the budget. Without it a ball in the corner of a trough
//! sank by 1.1 % of its radius in 2 s at 0.5 rad/s.
//!
//! A body with unequal moments that is turned takes its angular velocity along: that turns its angular momentum by as
//! little, and its energy stays. With the angular velocity left in the world a frictionless elastic gas of polyhedra
//! gained and lost 1e-5 of a body's energy in each correction, and over a run more than it dissipated.

use glam::DVec2;
use granule_islands::Islands;
use granule_model::{DQuat, DVec3};
use rayon::prelude::*;

use crate::world::account::{Account, stands};
use crate::world::bodies::{Bodies, BodyState, Frames, Table};
use crate::world::contact::Contact;
use crate::world::parallel;

/// Overlap that is left alone, over the thickness: contacts stay contacts. With 1e-3 columns of cubes went on swaying
/// in one of six settled packs, lifted back by every correction; a settled pack overlaps by about this much.
const SLOP: f64 = 2e-3;
/// Share of the excess that a pass takes out.
const RELAXATION: f64 = 0.5;
/// Share of the thickness that a step takes out at most: a quarter of the slack up to which contacts at rest are known.
const MOST: f64 = 5e-3;
/// Overlap over the thickness from which on the passes look at contacts that do not overlap, too.
const VERY_DEEP: f64 = 0.012;
/// Passes in a step.
const PASSES: u32 = 2;
/// How far it is followed that one body stays because another does.
const SPARED: u32 = 3;

/// Displacement of a body.
#[derive(Clone, Copy, Debug, Default)]
struct Shift {
    linear: DVec3,
    angular: DVec3,
}

impl Shift {
    fn is_none(&self) -> bool {
        self.linear == DVec3::ZERO && self.angular == DVec3::ZERO
    }
}

/// Whom the correction may move.
#[derive(Clone, Copy)]
pub(crate) struct May<'a, I> {
    /// Those of the step that has just been made.
    pub(crate) islands: &'a Islands,
    /// What it may spend on each of them \[J\], in their order.
    pub(crate) budgets: I,
    /// Bodies that stay where they are with all that they touch; an empty list names none.
    pub(crate) alone: &'a [bool],
}

/// Scratch of the correction.
#[derive(Debug, Default)]
pub(crate) struct Correction {
    shifts: Vec<Shift>,
    /// Indices of the contacts that overlap too much, with their mobility.
    deep: Vec<(u32, f64)>,
    /// Bodies in islands with a contact that is [`VERY_DEEP`]; empty where there is none.
    mended: Vec<bool>,
}

impl Correction {
    /// Finds the displacements under `gravity` \[m/s2\] and an overlap `bound` \[-\], brings points and gaps of
    /// `contacts` up to date with them, and enters their work in `pending`; [`Correction::apply`] moves the bodies, and
    /// see [`Correction::work`].
    ///
    /// The work in each island is at most its budget. What has been in no island has lost nothing and is not lifted.
    pub(crate) fn find<I: Iterator<Item = f64> + Clone>(
        &mut self,
        bodies: &Bodies<'_>,
        contacts: &mut [Contact],
        (gravity, bound): (DVec3, f64),
        May { islands, budgets, alone }: May<'_, I>,
        pending: &mut [Account],
    ) {
        self.find_mended(bodies, contacts, islands);
        self.find_deep(bodies, contacts, alone);
        if self.deep.is_empty() {
            self.shifts.clear();
            return;
        }
        parallel::fill(&mut self.shifts, bodies.len(), &|_| Shift::default());
        for _ in 0..PASSES {
            self.pass(bodies, contacts);
        }
        self.hold_back(bodies, gravity, islands, budgets.clone());
        if self.spare(bodies, contacts, bound) {
            // What stays lowers nothing any more.
            self.hold_back(bodies, gravity, islands, budgets);
        }
        self.enter(bodies, gravity, islands, pending);
        self.carry(bodies, contacts);
    }

    /// Finds the contacts that take part.
    fn find_deep(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], alone: &[bool]) {
        let Correction { deep, mended, .. } = self;
        let is_mended = |i: u32| mended[i as usize];
        let mends = |c: &Contact| !mended.is_empty() && c.is_near() && (is_mended(c.a) || is_mended(c.b));
        // Most contacts are open, and need no quotient to be told from deep ones.
        let takes_part = |c: &Contact| (c.gap < 0.0 && c.depth() > SLOP) || mends(c);
        let stays = |i: u32| alone.get(i as usize).is_some_and(|alone| *alone);
        let moves =
            |c: &Contact| (bodies.awake(c.a as usize) || bodies.awake(c.b as usize)) && !(stays(c.a) || stays(c.b));
        let found = contacts.iter().enumerate().filter(|(_, c)| takes_part(c) && moves(c));
        deep.clear();
        deep.extend(found.map(|(i, c)| (i as u32, mobility(bodies, c))));
    }

    /// Finds the bodies that take part in mending: those awake in contacts that are very deep, and all of their
    /// islands.
    fn find_mended(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], islands: &Islands) {
        self.mended.clear();
        let depth = |c: &Contact| if c.gap < 0.0 { c.depth() } else { 0.0 };
        if parallel::largest(contacts, &depth) <= VERY_DEEP {
            return;
        }
        self.mended.resize(bodies.len(), false);
        let very_deep = contacts.iter().filter(|c| c.depth() > VERY_DEEP);
        for i in very_deep.flat_map(|c| [c.a, c.b]).filter(|i| bodies.awake(*i as usize)) {
            if !std::mem::replace(&mut self.mended[i as usize], true)
                && let Some(island) = islands.island_of(i).and_then(|island| islands.get(island))
            {
                island.bodies.iter().for_each(|other| self.mended[*other as usize] = true);
            }
        }
    }

    /// Work of the last correction against `gravity` on the bodies that are not of `undone` \[J\]; an empty list names
    /// none.
    pub(crate) fn work(&self, bodies: &Bodies<'_>, gravity: DVec3, undone: &[bool]) -> f64 {
        let work = |i: usize| self.work_on(bodies, gravity, i);
        parallel::sum(0..self.shifts.len(), &|range| range.filter(|i| stands(undone, *i)).map(work).sum::<f64>())
    }

    /// The same on body `i` alone.
    pub(crate) fn work_on(&self, bodies: &Bodies<'_>, gravity: DVec3, i: usize) -> f64 {
        self.shifts.get(i).map_or(0.0, |shift| -bodies.mass[i] * gravity.dot(shift.linear))
    }

    /// Scales what lifts in each island so that the displacements there do at most the work of its budget.
    fn hold_back(
        &mut self,
        bodies: &Bodies<'_>,
        gravity: DVec3,
        islands: &Islands,
        budgets: impl Iterator<Item = f64>,
    ) {
        let up = -gravity.normalize_or_zero();
        for (island, budget) in islands.iter().zip(budgets) {
            let share = self.share(bodies, gravity, island.bodies, budget);
            for i in island.bodies.iter().map(|i| *i as usize) {
                let shift = &mut self.shifts[i].linear;
                *shift -= up * ((1.0 - share) * up.dot(*shift).max(0.0));
            }
        }
        for i in islands.free_bodies().iter().map(|i| *i as usize) {
            let shift = &mut self.shifts[i].linear;
            *shift -= up * up.dot(*shift).max(0.0);
        }
    }

    /// Enters the work in each island in the accounts of its bodies.
    fn enter(&self, bodies: &Bodies<'_>, gravity: DVec3, islands: &Islands, pending: &mut [Account]) {
        for island in islands.iter() {
            let work: f64 = island.bodies.iter().map(|i| self.work_on(bodies, gravity, *i as usize)).sum();
            let each = work.abs() / island.bodies.len() as f64;
            island.bodies.iter().for_each(|i| pending[*i as usize].corrected += each);
        }
    }

    /// Leaves bodies where they are whose shifts would press a contact beyond what a step is judged by: what is not
    /// lifted lies in the way of those that make room below it. Whether there are any.
    fn spare(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], bound: f64) -> bool {
        // A thin body is moved by its contacts with thick ones as well: each goes by its own thickness.
        let farthest = 2.0 * self.farthest(bodies);
        let may = |c: &&Contact| farthest - c.gap > bound * c.thickness;
        for turn in 0..SPARED {
            let mut more = false;
            for c in contacts.iter().filter(may) {
                let after = c.depth() - opening(&self.shifts, bodies, c) / c.thickness;
                if after > c.depth().max(bound) {
                    self.shifts[c.a as usize] = Shift::default();
                    self.shifts[c.b as usize] = Shift::default();
                    more = true;
                }
            }
            if !more {
                return turn > 0;
            }
        }
        true
    }

    /// How far a surface is moved at most \[m\].
    fn farthest(&self, bodies: &Bodies<'_>) -> f64 {
        let way = |(shift, extent): (&Shift, &f64)| {
            let turn = shift.angular.length();
            shift.linear.length() + if turn > 0.0 { turn * extent } else { 0.0 }
        };
        self.shifts.iter().zip(&bodies.table.extent).map(way).fold(0.0, f64::max)
    }

    /// Share of what lifts in an island that its budget pays for.
    fn share(&self, bodies: &Bodies<'_>, gravity: DVec3, island: &[u32], budget: f64) -> f64 {
        let shifts = &self.shifts;
        let sums = parallel::sum(0..island.len(), &|range| {
            let works =
                island[range].iter().map(|i| -bodies.mass[*i as usize] * gravity.dot(shifts[*i as usize].linear));
            works.fold(DVec2::ZERO, |sum, work| sum + DVec2::new(work.max(0.0), work.min(0.0)))
        });
        if sums.x + sums.y <= budget { 1.0 } else { ((budget - sums.y) / sums.x).clamp(0.0, 1.0) }
    }

    fn pass(&mut self, bodies: &Bodies<'_>, contacts: &[Contact]) {
        for (i, k) in &self.deep {
            let c = &contacts[*i as usize];
            let excess = -(c.gap + opening(&self.shifts, bodies, c)) - SLOP * c.thickness;
            let excess = excess.min(MOST * c.thickness / RELAXATION);
            if excess > 0.0 {
                let l = c.normal * (RELAXATION * excess / k);
                push(&mut self.shifts, bodies, c.a, c.point, l);
                push(&mut self.shifts, bodies, c.b, c.point, -l);
            }
        }
    }

    /// Moves contacts with the shifts of their bodies.
    fn carry(&self, bodies: &Bodies<'_>, contacts: &mut [Contact]) {
        let shifts = &self.shifts;
        parallel::for_each(contacts.par_iter_mut(), |c| {
            if [c.a, c.b].iter().all(|i| shifts[*i as usize].is_none()) {
                return;
            }
            let centres = [c.a, c.b].map(|i| {
                let i = i as usize;
                bodies.table.round[i].then(|| bodies.pose[i].position + shifts[i].linear)
            });
            if let [Some(a), Some(b)] = centres {
                let before = [c.a, c.b].map(|i| bodies.pose[i as usize].position);
                return between_balls(c, before, [a, b]);
            }
            let moved = [c.a, c.b].map(|i| shift_at(shifts, bodies, i, c.point));
            c.gap += c.normal.dot(moved[0] - moved[1]);
            // Midway between the two surfaces still: a point that stayed behind would carry its load on a wrong arm.
            c.point += 0.5 * (moved[0] + moved[1]);
            // Of a ball it is where the normal through its centre meets the surface.
            if let [Some(centre), None] | [None, Some(centre)] = centres {
                c.point = centre + c.normal * c.normal.dot(c.point - centre);
            }
        });
    }

    /// Moves the bodies by the displacements that were found last.
    pub(crate) fn apply(&self, table: &Table, bodies: &mut BodyState, frames: &mut Frames) {
        for (i, shift) in self.shifts.iter().enumerate() {
            if !shift.is_none() {
                let pose = &mut bodies.pose[i];
                pose.position += shift.linear;
                pose.rotation = granule_integrator::rotate(pose.rotation, shift.angular);
                let spin = &mut bodies.velocity[i].angular;
                *spin = granule_integrator::rotate(DQuat::IDENTITY, shift.angular) * *spin;
                frames.follow(table, i, pose);
            }
        }
    }
}

/// Brings a contact of two balls up to date whose centres have moved: its normal leads through both. With the normal
/// of before, smooth balls that were pushed past each other began to spin, and faster for as long as they were pushed.
fn between_balls(c: &mut Contact, before: [DVec3; 2], now: [DVec3; 2]) {
    let apart = now[0] - now[1];
    let distance = apart.length();
    if distance > 0.0 {
        let opened = distance - (before[0] - before[1]).length();
        // Half of the gap lies on either side of the point.
        let arm = c.normal.dot(c.point - before[1]) + 0.5 * opened;
        c.normal = apart / distance;
        c.gap += opened;
        c.point = now[1] + c.normal * arm;
    }
}

/// Change of a gap by the shifts.
fn opening(shifts: &[Shift], bodies: &Bodies<'_>, c: &Contact) -> f64 {
    c.normal.dot(shift_at(shifts, bodies, c.a, c.point) - shift_at(shifts, bodies, c.b, c.point))
}

/// Displacement of the point of a body that is at `point` before the shifts \[m\].
fn shift_at(shifts: &[Shift], bodies: &Bodies<'_>, body: u32, point: DVec3) -> DVec3 {
    let s = &shifts[body as usize];
    s.linear + s.angular.cross(point - bodies.pose[body as usize].position)
}

fn push(shifts: &mut [Shift], bodies: &Bodies<'_>, body: u32, point: DVec3, l: DVec3) {
    let i = body as usize;
    if bodies.awake(i) {
        let arm = point - bodies.pose[i].position;
        shifts[i].linear += l * bodies.inverse_mass[i];
        shifts[i].angular += bodies.inverse_inertia[i].mul(arm.cross(l));
    }
}

/// `n.K n` of a contact.
fn mobility(bodies: &Bodies<'_>, c: &Contact) -> f64 {
    let of = |body: u32| {
        let i = body as usize;
        if !bodies.awake(i) {
            return 0.0;
        }
        let lever = (c.point - bodies.pose[i].position).cross(c.normal);
        bodies.inverse_mass[i] + lever.dot(bodies.inverse_inertia[i].mul(lever))
    };
    of(c.a) + of(c.b)
}

#[cfg(test)]
mod tests {
    use granule_model::Pose;

    use super::*;
    use crate::world::accuracy::OVERLAP_BOUND;

    /// Four balls in a row, the first two put into each other: where they are an island by themselves the others, which
    /// are near each other and do not overlap, take no part in mending.
    #[test]
    fn mending_is_the_business_of_an_island() {
        let place = |i: usize| DVec3::X * (i as f64);
        let state = BodyState {
            pose: (0..4).map(|i| Pose { position: place(i), ..Pose::IDENTITY }).collect(),
            velocity: vec![granule_model::Velocity::ZERO; 4],
            asleep: vec![false; 4],
            apart: vec![false; 4],
            ..BodyState::default()
        };
        let table = Table {
            shape: vec![granule_geometry::Shape::sphere(0.5).expect("the radius is valid"); 4],
            dynamic: vec![true; 4],
            inverse_mass: vec![1.0; 4],
            mass: vec![1.0; 4],
            extent: vec![0.5; 4],
            round: vec![true; 4],
            ..Table::default()
        };
        let inverse_inertia = vec![granule_model::InverseInertia::Isotropic(1.0); 4];
        let frames = Frames { inverse_inertia, ..Frames::default() };
        let bodies = state.view(&table, &frames);
        let contact = |a: usize, gap: f64| Contact {
            a: a as u32,
            b: a as u32 + 1,
            feature: 0,
            point: 0.5 * (place(a) + place(a + 1)),
            normal: DVec3::NEG_X,
            gap,
            radius: 0.5,
            thickness: 0.5,
        };
        let taking_part = |pairs: &[(u32, u32)], depth: f64| {
            let mut islands = Islands::default();
            islands.build(4, &[true; 4], pairs);
            let mut contacts = [contact(0, -depth * 0.5), contact(2, 1e-4)];
            let mut correction = Correction::default();
            let budgets = std::iter::repeat_n(f64::INFINITY, islands.len());
            let pending = &mut [Account::default(); 4];
            let may = May { islands: &islands, budgets, alone: &[] };
            correction.find(&bodies, &mut contacts, (DVec3::NEG_Z, OVERLAP_BOUND), may, pending);
            correction.deep.iter().map(|(k, _)| *k).collect::<Vec<_>>()
        };
        let (apart, together) = (&[(0, 1), (2, 3)][..], &[(0, 1), (1, 2), (2, 3)][..]);
        assert_eq!(taking_part(apart, 0.02), [0]);
        assert_eq!(taking_part(together, 0.02), [0, 1]);
        assert_eq!(taking_part(together, 0.01), [0]);
    }

    /// After a shift the contact of two balls is what a search at the new places finds, that of a ball with a block is
    /// on the normal through the centre of the ball.
    #[test]
    fn contacts_of_balls_stay_on_the_normals_through_their_centres() {
        let places = [DVec3::new(0.9, 0.3, 0.0), DVec3::new(0.0, 0.1, -0.2)];
        let shift = |linear: DVec3| Shift { linear, angular: DVec3::new(0.0, 0.02, 0.01) };
        let shifts = vec![shift(DVec3::new(0.01, -0.03, 0.02)), shift(DVec3::new(0.0, 0.02, 0.01))];
        let contact = |[a, b]: [DVec3; 2]| {
            let (apart, radius) = (a - b, 0.45);
            let normal = apart.normalize();
            let gap = apart.length() - 2.0 * radius;
            let point = b + normal * (radius + 0.5 * gap);
            Contact { a: 0, b: 1, feature: 0, point, normal, gap, radius, thickness: radius }
        };
        let state = BodyState {
            pose: places.iter().map(|at| Pose { position: *at, ..Pose::IDENTITY }).collect(),
            ..BodyState::default()
        };
        let carried = |round: [bool; 2]| {
            let (table, frames) = (Table { round: round.to_vec(), ..Table::default() }, Frames::default());
            let mut contacts = [contact(places)];
            let correction = Correction { shifts: shifts.clone(), ..Correction::default() };
            correction.carry(&state.view(&table, &frames), &mut contacts);
            contacts[0]
        };
        let now = [0, 1].map(|i| places[i] + shifts[i].linear);
        let (balls, wanted) = (carried([true; 2]), contact(now));
        assert!((balls.normal - wanted.normal).length() <= 1e-15 && (balls.gap - wanted.gap).abs() <= 1e-15);
        assert!((balls.point - wanted.point).length() <= 1e-15, "{balls:?}");
        for (round, centre) in [([true, false], now[0]), ([false, true], now[1])] {
            let one = carried(round);
            assert_eq!(one.normal, contact(places).normal);
            assert!((one.point - centre).cross(one.normal).length() <= 1e-15, "{one:?}");
        }
        let blocks = carried([false; 2]);
        assert!((blocks.point - now[0]).cross(blocks.normal).length() >= 1e-3, "the test sees nothing");
    }

    /// A needle is moved by 5 mm for a thick neighbour, towards a plate that it nearly touches with a thickness of 0.1
    /// mm. Counted by the thickness, the contact was too far off to be asked: 1.8 % of it was left.
    #[test]
    fn a_thin_contact_is_spared_what_a_thick_one_moves() {
        let state = BodyState { pose: vec![Pose::IDENTITY; 2], ..BodyState::default() };
        let (table, frames) = (Table { extent: vec![1.0; 2], ..Table::default() }, Frames::default());
        let bodies = state.view(&table, &frames);
        let towards = Shift { linear: DVec3::X * -5e-3, angular: DVec3::ZERO };
        for (gap, stays) in [(4e-7, true), (4.9e-3, true), (5.1e-3, false)] {
            let (point, normal) = (DVec3::ZERO, DVec3::NEG_X);
            let contact = Contact { a: 0, b: 1, feature: 0, point, normal, gap, radius: 1.0, thickness: 1e-4 };
            let mut correction = Correction { shifts: vec![Shift::default(), towards], ..Correction::default() };
            assert_eq!(correction.spare(&bodies, &[contact], OVERLAP_BOUND), stays, "gap {gap}");
            assert_eq!(correction.shifts[1].linear == DVec3::ZERO, stays, "gap {gap}");
        }
    }
}
