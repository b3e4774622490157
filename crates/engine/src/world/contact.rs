//! A contact, and all contacts of the current poses with what they carry.
//!
//! **One owner of impulses.** What a contact carried in the last step stands beside it in [`Contacts`], which the state
//! holds; a search for contacts makes new [`Contacts`] and hands on to each what its forerunner of the same pair and
//! feature carried ([`inherit`]). Nobody else keeps impulses from step to step, so giving back a state gives back them.

use granule_model::{ContactPoint, DVec3, Pose, Velocity};
use rayon::prelude::*;
use serde::Serialize;

use crate::world::sights::Sights;

/// A contact of the current poses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Contact {
    /// Dense index of body A, the lower one.
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) feature: u32,
    pub(crate) point: DVec3,
    pub(crate) normal: DVec3,
    pub(crate) gap: f64,
    /// Smaller of the two equal-volume radii: the scale of overlap as it is told \[m\].
    pub(crate) radius: f64,
    /// The smaller of `radius` and half the width of the thinner piece that touches: the scale by which overlap is
    /// judged \[m\].
    pub(crate) thickness: f64,
}

/// The mean force that a contact carries over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Carried {
    /// \[N\]
    pub(crate) normal: f64,
    /// \[N\]
    pub(crate) tangential: DVec3,
}

impl Carried {
    /// That times `scale`: with the length of a step its impulse \[N s\].
    pub(crate) fn scaled(self, scale: f64) -> Self {
        Carried { normal: scale * self.normal, tangential: self.tangential * scale }
    }

    /// As one vector, on A of a contact with this normal \[N\].
    pub(crate) fn along(&self, normal: DVec3) -> DVec3 {
        normal * self.normal + self.tangential
    }
}

/// What a contact asks for because its bodies turn, and what driven ones do by it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turned {
    /// See [`RowInput::drift`](granule_solver::RowInput::drift) \[m/s\].
    pub(crate) drift: DVec3,
    /// See [`RowInput::arc`](granule_solver::RowInput::arc): of a contact that did not carry in the last step, and of
    /// one that did \[-\].
    pub(crate) arcs: [f64; 2],
    /// Whether a driven body that turns carries one of its bodies.
    pub(crate) rides: bool,
    /// Where the impulse acts, if that is not where the contact is.
    pub(crate) halfway: Option<Halfway>,
}

/// Where a contact is half-way through a flight: by what the arms of A and B have turned \[m\], and the normal \[-\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halfway {
    pub(crate) arms: [DVec3; 2],
    pub(crate) normal: DVec3,
}

impl Halfway {
    /// The mean of both.
    pub(crate) fn mean(self, other: Halfway) -> Halfway {
        let arms = [0, 1].map(|i| (self.arms[i] + other.arms[i]) * 0.5);
        Halfway { arms, normal: (self.normal + other.normal).normalize() }
    }
}

/// Margin beyond the distance that can be covered, over the thickness: keeps a resting contact in the list while it
/// hovers around touch.
pub(crate) const SLACK: f64 = 0.02;

impl Contact {
    /// Gap up to which a contact counts as touching in counts and in sleep, over its thickness. Position passes leave
    /// gaps of a tenth of it.
    const TOUCH: f64 = 1e-2;

    /// A point of a pair of bodies, the smaller of equal-volume radius `radius` \[m\].
    pub(crate) fn of((a, b): (u32, u32), p: &ContactPoint, radius: f64) -> Self {
        let ContactPoint { point, normal, gap, feature, half_width } = *p;
        Contact { a, b, feature, point, normal, gap, radius, thickness: radius.min(half_width) }
    }

    /// Its two bodies.
    pub(crate) fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    /// Velocity of A against B along the normal for the given poses and velocities of all bodies \[m/s\]; negative
    /// while approaching.
    pub(crate) fn normal_velocity(&self, pose: &[Pose], velocity: &[Velocity]) -> f64 {
        let at = |i: u32| velocity[i as usize].at(self.point - pose[i as usize].position);
        self.normal.dot(at(self.a) - at(self.b))
    }

    /// Relative velocity of its bodies at the point \[m/s\].
    pub(crate) fn speed(&self, pose: &[Pose], velocity: &[Velocity]) -> f64 {
        let at = |i: u32| velocity[i as usize].at(self.point - pose[i as usize].position);
        (at(self.a) - at(self.b)).length()
    }

    pub(crate) fn touches(&self) -> bool {
        self.gap <= Self::TOUCH * self.thickness
    }

    /// Whether it touches or is about to.
    pub(crate) fn is_near(&self) -> bool {
        self.gap <= SLACK * self.thickness
    }

    /// Overlap over the thickness \[-\]; negative where the bodies are apart.
    pub(crate) fn depth(&self) -> f64 {
        -self.gap / self.thickness
    }
}

/// What a step may bring: its length \[s\], and the speed that forces and drives add in it \[m/s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Ahead {
    pub(crate) dt: f64,
    pub(crate) speed_gain: f64,
}

impl Ahead {
    /// A step of `dt` \[s\] under gravity \[m/s2\]; twice what gravity adds, for forces beside it.
    pub(crate) fn under(gravity: DVec3, dt: f64) -> Self {
        Ahead { dt, speed_gain: 2.0 * gravity.length() * dt }
    }
}

/// The contacts of the current poses, with what they carried in the last step and how far they were looked for.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Contacts {
    /// In the order of their pairs.
    pub(crate) list: Vec<Contact>,
    /// What their forerunners carried in the last step, for each of them.
    pub(crate) carried: Vec<Carried>,
    /// The step for which they were looked for, and the velocity of each body \[m/s\].
    pub(crate) ahead: Ahead,
    pub(crate) velocity: Vec<Velocity>,
    /// How far a change of its velocity may carry the surface of each body; of a ball how far it may come in all \[m\].
    pub(crate) reach: Vec<f64>,
    /// Reach with which the contacts of each body were looked for while it was awake last \[m\].
    pub(crate) searched: Vec<f64>,
    /// How the crowd moved, relative to which distances count \[m/s\].
    pub(crate) crowd: DVec3,
    /// Where the contacts of pairs were found that hardly move.
    pub(crate) sights: Sights,
}

impl Clone for Contacts {
    fn clone(&self) -> Self {
        let mut copy = Contacts::default();
        copy.clone_from(self);
        copy
    }

    /// As what is derived would not, it keeps the buffers.
    fn clone_from(&mut self, other: &Self) {
        let Contacts { list, carried, ahead, velocity, reach, searched, crowd, sights } = other;
        (self.ahead, self.crowd) = (*ahead, *crowd);
        self.list.clone_from(list);
        self.carried.clone_from(carried);
        self.velocity.clone_from(velocity);
        self.reach.clone_from(reach);
        self.searched.clone_from(searched);
        self.sights.clone_from(sights);
    }
}

/// Whether a list has room for more than half as many contacts again as there are: of crosses that fall into a heap
/// 9000 were listed in one step, and 3000 at its end.
pub(crate) fn is_roomy(list: &Vec<Contact>) -> bool {
    2 * list.capacity() > 3 * list.len()
}

impl Contacts {
    /// Adds a contact that carried nothing before, where its pair belongs.
    pub(crate) fn insert(&mut self, contact: Contact) {
        let place = self.list.partition_point(|c| c.pair() <= contact.pair());
        self.list.insert(place, contact);
        self.carried.insert(place, Carried::default());
    }

    /// Drops the contacts of pairs for which `keep` does not hold, with what they carry and where they were found.
    pub(crate) fn retain(&mut self, keep: impl Fn((u32, u32)) -> bool) {
        let sights = std::mem::take(&mut self.sights);
        self.sights.join(&sights, &Sights::default(), &keep);
        let mut kept = 0;
        for k in 0..self.list.len() {
            if keep(self.list[k].pair()) {
                (self.list[kept], self.carried[kept]) = (self.list[k], self.carried[k]);
                kept += 1;
            }
        }
        self.list.truncate(kept);
        self.carried.truncate(kept);
    }
}

/// Overlap of a pair in a list in pair order, over its thickness: the deepest of its contacts, 0 or more \[-\].
pub(crate) fn depth_of_pair(contacts: &[Contact], pair: (u32, u32)) -> f64 {
    let first = contacts.partition_point(|c| c.pair() < pair);
    let of_pair = contacts[first..].iter().take_while(|c| c.pair() == pair);
    of_pair.map(Contact::depth).fold(0.0, f64::max)
}

/// Contacts to which a task hands on what was carried.
const INHERITED: usize = 4096;

/// Hands what was carried on from the contacts `previous` to those between the same features of the same pairs. All
/// lists are in pair order; `carried` has the length of `contacts`.
pub(crate) fn inherit(previous: &[Contact], before: &[Carried], contacts: &[Contact], carried: &mut [Carried]) {
    if contacts.len() > INHERITED {
        let pieces = contacts.par_chunks(INHERITED).zip(carried.par_chunks_mut(INHERITED));
        pieces.for_each(|(contacts, carried)| inherit_in_order(previous, before, contacts, carried));
    } else {
        inherit_in_order(previous, before, contacts, carried);
    }
}

fn inherit_in_order(previous: &[Contact], before: &[Carried], contacts: &[Contact], carried: &mut [Carried]) {
    let Some(first) = contacts.first() else { return };
    let mut start = previous.partition_point(|p| p.pair() < first.pair());
    for (contact, carried) in contacts.iter().zip(carried) {
        let pair = contact.pair();
        while start < previous.len() && previous[start].pair() < pair {
            start += 1;
        }
        let same_pair = previous[start..].iter().zip(&before[start..]).take_while(|(p, _)| p.pair() == pair);
        let same = same_pair.into_iter().find(|(p, _)| p.feature == contact.feature);
        *carried = same.map_or(Carried::default(), |(_, c)| *c);
    }
}
