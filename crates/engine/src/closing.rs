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

use rayon::prelude::*;

use crate::bodies::Bodies;
use crate::detection::{Carried, Contact, SLACK};
use crate::parallel::{self, Highest};

/// How far a push is followed. 10 000 spheres that rain on each other need 0.13 divided steps a step with two where
/// they land, none with five, as without leaving anything out.
const HOPS: usize = 5;
/// Share of the contacts that must be open for the search to be worth its time, which is a tenth of what their rows
/// would cost. Over 6 s 10 000 spheres take 10 % less time with it, a shaken layer of 6000 a third less.
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

impl Closing {
    /// Leaves out contacts, with what they carried, that cannot close within `dt` \[s\] with the bodies' velocities
    /// now.
    pub(crate) fn leave_out(
        &mut self,
        bodies: &Bodies,
        contacts: &mut Vec<Contact>,
        carried: &mut Vec<Carried>,
        dt: f64,
    ) {
        let open = parallel::count(contacts, &is_open);
        if (open as f64) < WORTH * contacts.len() as f64 {
            return;
        }
        self.find_pushes(bodies, contacts, dt);
        let mut kept = 0;
        for i in 0..contacts.len() {
            if !is_open(&contacts[i]) || self.closes(&self.openings[i]) {
                (contacts[kept], carried[kept]) = (contacts[i], carried[i]);
                kept += 1;
            }
        }
        contacts.truncate(kept);
        carried.truncate(kept);
    }

    /// How hard each body may be pushed.
    fn find_pushes(&mut self, bodies: &Bodies, contacts: &[Contact], dt: f64) {
        let opening = |i: usize| {
            let c = &contacts[i];
            Opening { a: c.a, b: c.b, needs: c.gap.max(0.0) / dt + c.normal_velocity(bodies, &bodies.velocity) }
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
    fn push_on(&mut self, bodies: &Bodies) {
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
    use granule_model::{DVec3, Pose, Velocity};

    use super::*;

    /// Place of ball i of a row.
    fn place(i: usize) -> DVec3 {
        DVec3::X * (1.2 * i as f64)
    }

    /// A row of balls of radius 0.5 m along x, 0.2 m apart, with the given speeds along x.
    fn row(speeds: &[f64]) -> Bodies {
        let count = speeds.len();
        Bodies {
            pose: (0..count).map(|i| Pose { position: place(i), ..Pose::IDENTITY }).collect(),
            velocity: speeds.iter().map(|v| Velocity { linear: DVec3::X * *v, ..Velocity::ZERO }).collect(),
            dynamic: vec![true; count],
            asleep: vec![false; count],
            apart: vec![false; count],
            round: vec![true; count],
            ..Bodies::default()
        }
    }

    /// What stays of the contacts between neighbours in such a row in a step of `dt` \[s\].
    fn kept(speeds: &[f64], dt: f64) -> Vec<(u32, u32)> {
        let (bodies, count) = (row(speeds), speeds.len());
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
        let mut contacts: Vec<_> = (0..count - 1).map(contact).collect();
        let mut carried: Vec<_> = (0..count - 1).map(|i| Carried { normal: i as f64, ..Carried::default() }).collect();
        Closing::default().leave_out(&bodies, &mut contacts, &mut carried, dt);
        assert!(
            contacts.iter().map(|c| f64::from(c.a)).eq(carried.iter().map(|c| c.normal)),
            "each with what it carried"
        );
        contacts.iter().map(|c| (c.a, c.b)).collect()
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
        let left = |mut contacts: Vec<Contact>| {
            let mut carried = vec![Carried::default(); contacts.len()];
            Closing::default().leave_out(&row(&[0.0; 2]), &mut contacts, &mut carried, 0.1);
            contacts.iter().map(|c| c.gap).collect::<Vec<_>>()
        };
        assert_eq!(left(vec![still, open, Contact { gap: 0.9 * SLACK * 0.5, ..still }]), [0.0, 0.9 * SLACK * 0.5]);
        assert_eq!(left(vec![still, still, still, open]).len(), 4);
    }
}
