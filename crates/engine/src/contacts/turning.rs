//! What a contact asks for because its bodies turn within the step.
//!
//! The contact stage asks of the points at the ends of the arms that they do not come nearer, and that they stick, with
//! the velocities of the step and the arms of its start. In the step of `dt` the arms turn on: the corner of a body at
//! the arm r with the angular velocity w comes to
//!
//! ```text
//! dt (v + w x r) + (dt^2/2) w x (w x r)
//! ```
//!
//! so that one that was asked for no motion leaves its place by the second term, and what it leans on does work. A
//! plate of 2 m that tips over an edge that sticks gained 0.98 J of 1228 J so, at 83 steps a second, and 1.43, 0.31,
//! 0.075 J at 60, 240, 960. The stage is told of it as a *drift* `(dt/2) w x (w x r)` of the relative velocity
//! ([`RowInput::drift`](granule_solver::RowInput::drift)): with `u + drift = 0` the corner is where it was, and since
//! it comes into the next step with `u_0 = +drift` and leaves with `u = -drift`, the work `-P.(u_0 + u)/2` is none.
//!
//! **Which contacts.** Those of a corner or of a capsule with a flat face of a body that does not move, whose normal
//! does not turn then. Of a capsule r leads to its axis, as its surface rolls, and nothing is asked along the face; of
//! a ball it is zero.
//! What moves on both sides, edges that cross, cylinders, grains and curved ground are left as they are: of first
//! order. So are the contacts of large islands, which are swept in single precision and whose bodies hardly turn.

use granule_geometry::Rounding;
use granule_model::{DVec3, Velocity};

use crate::world::bodies::Bodies;
use crate::world::contact::Contact;

/// What the relative velocity of the features at a contact changes by in a time `share` \[s\] because a body turns with
/// these velocities, beside that of the points at the ends of the arms \[m/s\].
pub(crate) fn drift(bodies: &Bodies<'_>, c: &Contact, velocity: &[Velocity], share: f64) -> DVec3 {
    let (a, b) = (c.a as usize, c.b as usize);
    let of_a = corner_on_face(bodies, c, (a, b), velocity);
    let of_b = || corner_on_face(bodies, &Contact { normal: -c.normal, ..*c }, (b, a), velocity).map(|x| -x);
    of_a.or_else(of_b).map_or(DVec3::ZERO, |acceleration| acceleration * share)
}

/// Acceleration of the corner of body `x` that lies at the contact, by its turning, where the other one has a flat face
/// there that does not move; the normal leads to x \[m/s2\].
fn corner_on_face(
    bodies: &Bodies<'_>,
    c: &Contact,
    (x, other): (usize, usize),
    velocity: &[Velocity],
) -> Option<DVec3> {
    let spin = velocity[x].angular;
    let may_turn = bodies.dynamic[x] && !bodies.round[x] && spin != DVec3::ZERO;
    if !may_turn || bodies.dynamic[other] || velocity[other] != Velocity::ZERO {
        return None;
    }
    let rounding = bodies.shape[x].rounding()?;
    if !bodies.shape[other].is_flat_along(bodies.pose[other].inverse_transform_vector(c.normal)) {
        return None;
    }
    // The point of a contact lies midway between the surfaces.
    let surface = c.point + c.normal * (0.5 * c.gap) - bodies.pose[x].position;
    Some(match rounding {
        Rounding::Sharp => spin.cross(spin.cross(surface)),
        Rounding::Radius(radius) => {
            let core = surface + c.normal * radius;
            c.normal * c.normal.dot(spin.cross(spin.cross(core)))
        }
    })
}
