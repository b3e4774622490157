//! Contacts of bodies that went through each other or through a mesh within a step: nothing at the poses after it tells
//! of them.

use granule_broadphase::PairList;
use granule_geometry::passage;
use granule_model::{Pose, Velocity};

use crate::contacts::reach::way_moved;
use crate::world::bodies::Bodies;
use crate::world::contact::{Contact, Contacts};
use crate::world::parallel;

/// Bodies that may go through each other, and those that did.
#[derive(Debug, Default)]
pub(crate) struct Crossings {
    /// How far the surface of each body moves in the step \[m\]; empty where none moves far.
    ways: Vec<f64>,
    found: Vec<Contact>,
}

impl Crossings {
    /// Forgets the part before.
    pub(crate) fn begin(&mut self) {
        self.ways.clear();
        self.found.clear();
    }

    /// Whether a body may move further within `dt` \[s\] than its thinnest piece is thick by half, so that it could
    /// come through another one.
    pub(crate) fn may_cross(&mut self, bodies: &Bodies<'_>, transport: &[Velocity], dt: f64) -> bool {
        let way = |i: usize| way_moved(bodies, transport, i, dt);
        let far = |range: std::ops::Range<usize>| range.filter(|i| way(*i) > bodies.half_width[*i]).count();
        if parallel::sum(0..bodies.len(), &far) == 0 {
            return false;
        }
        parallel::fill(&mut self.ways, bodies.len(), &way);
        true
    }

    /// Finds the contacts of convex bodies that went through each other since their poses were `before`, after the move
    /// and before the pairs are looked for anew: those that may meet in the step are known. There are none where no
    /// body moves far, and none of bodies of `alone`, which met others on their way; an empty list names none.
    pub(crate) fn find(&mut self, bodies: &Bodies<'_>, pairs: &PairList, before: &[Pose], alone: &[bool]) {
        let ways = &self.ways;
        if ways.is_empty() {
            return;
        }
        let crosses = |(a, b): &(u32, u32)| {
            let [i, j] = [*a as usize, *b as usize];
            let moves = bodies.awake(i) || bodies.awake(j);
            let is_left_out = bodies.apart[i] || bodies.apart[j] || (bodies.round[i] && bodies.round[j]);
            // What has no width has no inside either.
            if !moves
                || is_left_out
                || is_one_of(alone, [i, j])
                || ways[i] + ways[j] <= bodies.half_width[i] + bodies.half_width[j]
            {
                return None;
            }
            let poses = |i: usize| [&before[i], &bodies.pose[i]];
            let point = passage(&bodies.shape[i], poses(i), &bodies.shape[j], poses(j))?;
            Some(Contact::of((*a, *b), &point, bodies.radius[i].min(bodies.radius[j])))
        };
        self.found.extend(pairs.pairs().iter().filter_map(crosses));
    }

    /// Adds them to the contacts of the poses now.
    pub(crate) fn add_to(&mut self, contacts: &mut Contacts) {
        self.found.drain(..).for_each(|contact| contacts.insert(contact));
    }
}

/// Adds the contacts of bodies that went through a mesh since their poses were `before`: on the other side of a
/// surface without inside a body lies like any other. Not of bodies of `alone`, as in [`Crossings::find`].
pub(crate) fn add_passages(
    bodies: &Bodies<'_>,
    pairs: &PairList,
    before: &[Pose],
    alone: &[bool],
    contacts: &mut Contacts,
) {
    let is_mesh = |i: u32| bodies.meshes.binary_search(&i).is_ok();
    for (a, b) in pairs.pairs() {
        let moves = bodies.awake(*a as usize) || bodies.awake(*b as usize);
        if !moves || !(is_mesh(*a) || is_mesh(*b)) {
            continue;
        }
        let [i, j] = [*a as usize, *b as usize];
        if is_one_of(alone, [i, j]) {
            continue;
        }
        let poses = |i: usize| [&before[i], &bodies.pose[i]];
        if let Some(p) = passage(&bodies.shape[i], poses(i), &bodies.shape[j], poses(j)) {
            let contact = Contact::of((*a, *b), &p, bodies.radius[i].min(bodies.radius[j]));
            contacts.insert(contact);
        }
    }
}

fn is_one_of(list: &[bool], bodies: [usize; 2]) -> bool {
    bodies.iter().any(|i| list.get(*i).is_some_and(|is_in| *is_in))
}

#[cfg(test)]
mod tests {
    use granule_broadphase::{BroadPhase, BroadPhaseInput};
    use granule_geometry::Shape;
    use granule_model::{DVec3, Material};

    use super::*;
    use crate::interface::simulation::Simulation;
    use crate::world::description::{BodyDescription, Settings};

    /// A sheet that has come to the other side of another one went through it, unless it was followed on its way there.
    #[test]
    fn who_was_followed_on_its_way_went_through_nobody() {
        let mut simulation = Simulation::new(Settings::default()).expect("settings are valid");
        let rock = simulation.add_material(Material::default()).expect("the material is valid");
        let sheet = Shape::cuboid(DVec3::new(0.01, 1.0, 1.0)).expect("the size is valid");
        for x in [0.2, 0.0] {
            let mut body = BodyDescription::dynamic(sheet.clone(), rock, x * DVec3::X);
            body.velocity.linear = 50.0 * x * DVec3::X;
            simulation.add_body(body).expect("the body is valid");
        }
        let bodies = simulation.state.bodies.view(&simulation.catalogue.bodies, &simulation.scratch.frames);
        let before = [-0.2, 0.0].map(|x| Pose { position: x * DVec3::X, ..bodies.pose[0] });
        let mut pairs = PairList::default();
        let input = BroadPhaseInput {
            boxes: bodies.boxes,
            movable: &bodies.movable,
            present: &bodies.present,
            round: &bodies.round,
            origin: DVec3::ZERO,
        };
        BroadPhase::default().rebuild(&mut pairs, &input, &[1.0; 2], &[0.0; 2]);
        let found = |alone: &[bool]| {
            let mut crossings = Crossings::default();
            assert!(crossings.may_cross(&bodies, bodies.velocity, 0.04));
            crossings.find(&bodies, &pairs, &before, alone);
            crossings.found.len()
        };
        assert_eq!([&[][..], &[true, false], &[false, true]].map(found), [1, 0, 0]);
    }
}
