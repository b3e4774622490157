//! Contacts that cannot close in the coming step, and are left out of it.
//!
//! Detection lists what may meet by the speeds of bodies: it does not know yet what drives and forces will make of
//! them, nor in which direction a neighbour moves. Of grains that fly side by side it lists most, and each would cost
//! what a touching contact does. Once the velocities of the step are known, two things can close a gap in it:
//!
//! * the relative velocity `-u_n` with which the bodies come;
//! * a *push*: bodies that are hit in this step move by it in this step. A plastic hit makes no body faster than the
//!   approach `-u_n - gap/dt` that it stops, and what is pushed pushes its neighbours no harder. Pushes are followed to
//!   [`HOPS`] neighbours.
//!
//! A contact is left out when `gap > (push_a + push_b - u_n) dt` and it is further open than the slack of the
//! detection, so that contacts at rest stay. That is a prediction, not a promise, and nothing rests on it: a pair that
//! meets all the same is met as it is by the next step, with its approach, and a step in which it overlaps too much is
//! undone like any other.

use std::sync::Arc;

use rayon::prelude::*;

use crate::contacts::search::Known;
use crate::world::bodies::Bodies;
use crate::world::contact::{Carried, Contact, Contacts, SLACK, is_roomy};
use crate::world::parallel::{self, Highest};

/// How far a push is followed. Found by trial: `docs/experiments/detection.md`.
const HOPS: usize = 5;
/// Share of the contacts that must be open for the search to be worth its time, which is a tenth of what their rows
/// would cost.
const WORTH: f64 = 0.3;
/// How much faster than its centre a corner of a body may move after a hit, over that of a sphere.
const CORNERS: f64 = 2.0;

/// What it takes to close a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Opening {
    a: u32,
    b: u32,
    /// Push that closes it within the step \[m/s\]; negative where it closes by itself.
    needs: f64,
}

/// Finds contacts that cannot close; the memory is kept.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    openings: Vec<Opening>,
    /// How fast a hit may push each body \[m/s\].
    push: Highest,
    pushed_on: Highest,
}

/// The contacts with which a part of a step is made: those that may close, or all.
#[derive(Debug, Default)]
pub(crate) struct Active {
    all: Arc<Contacts>,
    /// Those that may close, where others are left out, with what they carried; filled before it is read.
    closing: Vec<Contact>,
    closing_carried: Vec<Carried>,
    is_cut: bool,
    /// What they carry in the part that is under way, once it is solved; empty before.
    carrying: Vec<Carried>,
}

impl Active {
    /// Takes all contacts of a state; nothing is solved yet.
    pub(crate) fn take(&mut self, all: &Arc<Contacts>) {
        self.all.clone_from(all);
        self.is_cut = false;
        self.carrying.clear();
    }

    /// Gives back memory where there is much more than was needed last.
    pub(crate) fn trim(&mut self) {
        if is_roomy(&self.closing) {
            self.closing = Vec::new();
            self.closing_carried = Vec::new();
        }
    }

    /// All contacts of the state, those left out of the part included.
    pub(crate) fn all(&self) -> &Contacts {
        &self.all
    }

    /// The contacts of the part.
    pub(crate) fn contacts(&self) -> &[Contact] {
        if self.is_cut { &self.closing } else { &self.all.list }
    }

    /// What they carried in the step before.
    pub(crate) fn carried(&self) -> &[Carried] {
        if self.is_cut { &self.closing_carried } else { &self.all.carried }
    }

    /// The list to be filled with what each contact carries once the part is solved, and what it carried before.
    pub(crate) fn impulses(&mut self) -> (&mut Vec<Carried>, &[Carried]) {
        let carried = if self.is_cut { &self.closing_carried } else { &self.all.carried };
        (&mut self.carrying, carried)
    }

    /// What a search after the part starts from: its impulses, or those of the step before where it is not solved.
    pub(crate) fn known(&self) -> Known<'_> {
        let carried = if self.carrying.is_empty() { self.carried() } else { &self.carrying };
        Known { contacts: self.contacts(), carried, searched: &self.all.searched, sights: &self.all.sights }
    }
}

impl Closing {
    /// Phase `closing`: leaves out contacts, with what they carried, that cannot close within `dt` \[s\] with the
    /// bodies' velocities now.
    pub(crate) fn leave_out(&mut self, bodies: &Bodies<'_>, active: &mut Active, dt: f64) {
        let Active { all, closing, closing_carried, is_cut, .. } = active;
        let open = parallel::count(&all.list, &is_open);
        if (open as f64) < WORTH * all.list.len() as f64 {
            return;
        }
        self.find_pushes(bodies, &all.list, dt);
        closing.clear();
        closing_carried.clear();
        for (i, contact) in all.list.iter().enumerate() {
            if !is_open(contact) || self.closes(&self.openings[i]) {
                closing.push(*contact);
                closing_carried.push(all.carried[i]);
            }
        }
        *is_cut = true;
    }

    /// How hard each body may be pushed.
    fn find_pushes(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], dt: f64) {
        let opening = |i: usize| {
            let c = &contacts[i];
            Opening { a: c.a, b: c.b, needs: c.gap.max(0.0) / dt + c.normal_velocity(bodies.pose, bodies.velocity) }
        };
        parallel::fill(&mut self.openings, contacts.len(), &opening);
        self.push.fill(bodies.len(), &|_| 0.0);
        let Closing { openings, push, .. } = &*self;
        parallel::for_each(openings.par_iter(), |o| {
            if o.needs >= 0.0 {
                return;
            }
            for i in [o.a, o.b].map(|i| i as usize).into_iter().filter(|i| bodies.awake(*i)) {
                push.raise(i, if bodies.round[i] { -o.needs } else { -CORNERS * o.needs });
            }
        });
        for _ in 0..HOPS {
            self.push_on(bodies);
        }
    }

    /// Pushes the neighbours of what is pushed.
    fn push_on(&mut self, bodies: &Bodies<'_>) {
        let push = &self.push;
        self.pushed_on.fill(bodies.len(), &|i| push.get(i));
        let Closing { openings, push, pushed_on } = &*self;
        parallel::for_each(openings.par_iter(), |o| {
            if self.closes(o) {
                for (from, to) in [(o.a, o.b), (o.b, o.a)].map(|(from, to)| (from as usize, to as usize)) {
                    if bodies.awake(to) {
                        pushed_on.raise(to, push.get(from));
                    }
                }
            }
        });
        std::mem::swap(&mut self.push, &mut self.pushed_on);
    }

    fn closes(&self, opening: &Opening) -> bool {
        opening.needs <= self.push.get(opening.a as usize) + self.push.get(opening.b as usize)
    }
}

fn is_open(contact: &Contact) -> bool {
    contact.gap > SLACK * contact.radius
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::{DVec3, Pose, Velocity};

    use super::*;
    use crate::world::bodies::{BodyState, Frames, Table};

    /// Place of ball i of a row.
    fn place(i: usize) -> DVec3 {
        DVec3::X * (1.2 * i as f64)
    }

    /// A row of balls of radius 0.5 m along x, 0.2 m apart, with the given speeds along x.
    fn row(speeds: &[f64]) -> (Table, BodyState) {
        let count = speeds.len();
        let bodies = BodyState {
            pose: (0..count).map(|i| Pose { position: place(i), ..Pose::IDENTITY }).collect(),
            velocity: speeds.iter().map(|v| Velocity { linear: DVec3::X * *v, ..Velocity::ZERO }).collect(),
            asleep: vec![false; count],
            apart: vec![false; count],
            ..BodyState::default()
        };
        let balls = vec![Shape::sphere(0.5).expect("the radius is valid"); count];
        (Table { dynamic: vec![true; count], round: vec![true; count], shape: balls, ..Table::default() }, bodies)
    }

    /// What is left of contacts in such a row in a step of `dt` \[s\].
    fn left(speeds: &[f64], list: Vec<Contact>, dt: f64) -> Active {
        let (table, bodies) = row(speeds);
        let carried = (0..list.len()).map(|i| Carried { normal: i as f64, ..Carried::default() }).collect();
        let mut active = Active::default();
        active.take(&Arc::new(Contacts { list, carried, ..Contacts::default() }));
        Closing::default().leave_out(&bodies.view(&table, &Frames::default()), &mut active, dt);
        active
    }

    /// What stays of the contacts between neighbours in such a row in a step of `dt` \[s\].
    fn kept(speeds: &[f64], dt: f64) -> Vec<(u32, u32)> {
        let contact = |a: usize| Contact {
            a: a as u32,
            b: a as u32 + 1,
            feature: 0,
            point: 0.5 * (place(a) + place(a + 1)),
            normal: -DVec3::X,
            gap: 0.2,
            radius: 0.5,
            thickness: 0.5,
        };
        let active = left(speeds, (0..speeds.len() - 1).map(contact).collect(), dt);
        let (contacts, carried) = (active.contacts(), active.carried());
        assert!(
            contacts.iter().map(|c| f64::from(c.a)).eq(carried.iter().map(|c| c.normal)),
            "each with what it carried"
        );
        contacts.iter().map(Contact::pair).collect()
    }

    #[test]
    fn bodies_that_fly_side_by_side_have_no_contact() {
        assert_eq!(kept(&[30.0; 5], 0.1), []);
        assert_eq!(kept(&[30.0, 30.5, 31.0, 40.0], 0.1), [], "nor do those that part");
        assert_eq!(kept(&[3.0, 1.1, 1.0], 0.1), [], "nor those too far apart for the step");
    }

    #[test]
    fn what_is_hit_pushes_on_as_far_as_pushes_are_followed() {
        let mut speeds = [0.0; 12];
        speeds[0] = 10.0;
        let reached = kept(&speeds, 0.1);
        assert_eq!(reached[..3], [(0, 1), (1, 2), (2, 3)], "ten metres a second close five gaps in a step");
        assert_eq!(reached.len(), HOPS + 2);
        assert_eq!(kept(&speeds, 0.03), [(0, 1)], "what is stopped is pushed by what was left of the approach only");
        assert_eq!(kept(&speeds, 0.01), []);
    }

    #[test]
    fn contacts_at_rest_stay_and_few_open_ones_are_not_worth_a_search() {
        let still = Contact {
            a: 0,
            b: 1,
            feature: 0,
            point: DVec3::ZERO,
            normal: DVec3::X,
            gap: 0.0,
            radius: 0.5,
            thickness: 0.5,
        };
        let open = Contact { gap: 0.2, ..still };
        let gaps = |contacts: Vec<Contact>| {
            left(&[0.0; 2], contacts, 0.1).contacts().iter().map(|c| c.gap).collect::<Vec<_>>()
        };
        assert_eq!(gaps(vec![still, open, Contact { gap: 0.9 * SLACK * 0.5, ..still }]), [0.0, 0.9 * SLACK * 0.5]);
        assert_eq!(gaps(vec![still, still, still, open]).len(), 4);
    }
}
