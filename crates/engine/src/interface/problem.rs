//! Bodies and contacts as an impact law sees them.

use std::cmp::Ordering;
use std::sync::Arc;

use granule_model::DVec3;
use granule_solver::ContactProblem;

use crate::interface::simulation::Simulation;
use crate::islands::impact::{problem_body, problem_contact};
use crate::world::contact::Ahead;
use crate::world::contact::Contact;
use crate::world::error::EngineError;

impl Simulation {
    /// The contacts of the bodies as they stand, those with a gap of at most `touch` times the smaller equal-volume
    /// radius, as a problem for an impact law. Bodies have the order in which they were added; static ones are among
    /// them, and one that sleeps moves like any other. Contacts have the order of their bodies, those of one pair go
    /// round the normal (see `go_round`): the answers of some laws hang on it, and it should not be that of a kernel.
    ///
    /// # Errors
    /// [`EngineError::Setting`] when `touch` is not a number.
    pub fn contact_problem(&mut self, touch: f64) -> Result<ContactProblem, EngineError> {
        if touch.is_nan() {
            return Err(EngineError::Setting { field: "touch", value: touch, expected: "a number" });
        }
        let contacts = if self.state.detected.is_stale {
            let dt = self.time_step();
            self.contacts_now(Ahead { dt, speed_gain: 0.0 })
        } else {
            Arc::clone(&self.state.detected.contacts)
        };
        let (bodies, pairs) = (&self.bodies(), &self.catalogue.pairs);
        let mut touching: Vec<Contact> = contacts.list.clone();
        touching.retain(|c| c.gap <= touch * c.radius);
        touching.chunk_by_mut(|x, y| x.pair() == y.pair()).for_each(go_round);
        Ok(ContactProblem {
            bodies: (0..bodies.len()).map(|i| problem_body(bodies, i, bodies.velocity[i], bodies.dynamic[i])).collect(),
            contacts: touching.iter().map(|c| problem_contact(bodies, pairs, c, bodies.velocity)).collect(),
        })
    }
}

/// Difference of two coordinates that is rounding, over the extent of a pair's contacts.
const SAME: f64 = 1e-9;

/// Orders the contacts of one pair: the point of least x first (of these that of least y, then z), then
/// counterclockwise seen from above, where above is the side of the contacts' plane to which z grows; in an upright
/// plane y, then x.
fn go_round(contacts: &mut [Contact]) {
    let [first, _, ..] = contacts else { return };
    let n = first.normal;
    let grows = [n.z, n.y, n.x].into_iter().find(|x| x.abs() > SAME).unwrap_or(1.0);
    let up = n * grows.signum();
    let centre = contacts.iter().map(|c| c.point).sum::<DVec3>() / contacts.len() as f64;
    let extent = contacts.iter().map(|c| c.point.distance(centre)).fold(0.0, f64::max);
    let by_place = |x: &DVec3, y: &DVec3| {
        let apart = (x - y).to_array().into_iter().find(|d| d.abs() > SAME * extent);
        apart.map_or(Ordering::Equal, |d| d.total_cmp(&0.0))
    };
    let start = contacts.iter().map(|c| c.point).min_by(by_place).unwrap_or(centre) - centre;
    // Grows with the angle from the start, from 0 to 4.
    let turn = |c: &Contact| {
        let arm = c.point - centre;
        let (x, y) = (start.dot(arm), up.dot(start.cross(arm)));
        let y = if y.abs() > SAME * extent * extent { y } else { 0.0 };
        let share = if x == 0.0 && y == 0.0 { 1.0 } else { x / (x.abs() + y.abs()) };
        if y >= 0.0 { 1.0 - share } else { 3.0 + share }
    };
    contacts.sort_by(|x, y| turn(x).total_cmp(&turn(y)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contacts(points: &[DVec3], normal: DVec3) -> Vec<Contact> {
        let contact = |point: &DVec3| Contact {
            a: 0,
            b: 1,
            feature: 0,
            point: *point,
            normal,
            gap: 0.0,
            radius: 1.0,
            thickness: 1.0,
        };
        points.iter().map(contact).collect()
    }

    /// The corners of a face, in any order that a kernel may find them in and off by rounding, go round from the same
    /// corner.
    #[test]
    fn the_corners_of_a_face_go_round_from_the_least() {
        let corners = [[0.0, -1.0, 0.5], [1.0, -1.0, 0.5], [1.0, 1.0, 0.5], [0.0, 1.0, 0.5]].map(DVec3::from_array);
        for normal in [DVec3::Z, -DVec3::Z] {
            for shift in 0..4 {
                for reversed in [false, true] {
                    let mut points: Vec<DVec3> = (0..4).map(|k| corners[(k + shift) % 4]).collect();
                    if reversed {
                        points.swap(1, 2);
                    }
                    points[0].x += 1e-13;
                    let mut found = contacts(&points, normal);
                    go_round(&mut found);
                    let off = found.iter().zip(&corners).map(|(c, p)| c.point.distance(*p));
                    assert!(off.fold(0.0, f64::max) <= 1e-12, "{shift} {reversed}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn fewer_points_and_upright_planes_have_an_order_too() {
        let mut pair = contacts(&[DVec3::X, -DVec3::X], DVec3::Z);
        go_round(&mut pair);
        assert_eq!([pair[0].point, pair[1].point], [-DVec3::X, DVec3::X]);
        let mut one = contacts(&[DVec3::Y], DVec3::Z);
        go_round(&mut one);
        assert_eq!(one[0].point, DVec3::Y);
        // Seen from the side to which y grows, where x grows to the left.
        let corners = [[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0]].map(DVec3::from_array);
        let mut wall = contacts(&[corners[2], corners[0], corners[3], corners[1]], DVec3::Y);
        go_round(&mut wall);
        assert_eq!(wall.iter().map(|c| c.point).collect::<Vec<_>>(), corners);
    }
}
