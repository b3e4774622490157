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
//! **A face that turns.** What lies on the face of a body F at the place x has moved away from it after the step by
//! `(dt^2/2) a` beside what the stage sees, with
//!
//! ```text
//! a = w x (w x (x - x_own)) - w_F x (w_F x (x - x_F)),     n.a + 2 (w_F x n).s   along the normal n of the face,
//! ```
//!
//! where s is the velocity of the feature against the face: a slope that turns is met earlier or later by what passes
//! over it. The sum is the second derivative of the gap, for corners, and for balls and capsules, for which x is their
//! centre or the place on their axis. Along the face these roll: the place c at which they touch goes on with
//! `c' = v + w x (x - x_own) - R w_F x n`, and what they slide by changes by `w x (c' - v) - w_F x (c' - v_F)`. That is
//! none for a ball on a face that stands still, `-w^2 d` for a plate that rocks on a ball at d from its middle, and
//! keeps a ball that rolls on a turntable on its circle.
//!
//! **Which contacts.** Of corners, capsules and balls with faces: of cuboids, hulls, half-spaces, containers. Facets of
//! meshes and height fields count as faces, but what slides over those that turn comes from one to the next and is
//! never let nearer. Edges that cross have the first line only, and only where they stick, but in large islands, see
//! below. Cylinders, grains and curved ground are left as they are: of first order.
//!
//! **In a flight** ([`Part`](crate::step::part::Part)) bodies come with the velocities of its start, and move with the
//! mean of those at its ends. What acts in all of it acts half-way: at the arms, and along the normal, to which the
//! contact has turned in half of the time ([`halfway`]). The gap changes by the mean velocity there, to second order,
//! and a corner that sticks has none: it does no work. With the arms of the start it did `P.a dt/2`: the plate gained
//! 0.25 of 2240 J in a step.
//!
//! **Where it is told.** Where a driven body that turns carries others; in islands of fewer than [`FEW`] contacts;
//! and in those of fewer than [`MANY`] of what turns on flat faces that do not move. With those of large islands
//! packs of cubes took 1.2 times the time, with as many steps divided (39 instead of 36 of 250): that corners stay
//! short of the linear gap is not why they are. It is edges that cross, of which one turns by 0.1 rad in the step: they
//! come together by 0.5 to 1.7 % of the thickness more than their points do, and faces that turn towards a corner.
//! Where that is visible they are told of it, along the normal ([`come_together`]).
//!
//! **Work of driven bodies.** What lies on a wheel comes into the next step with `+drift` and leaves with `-drift`, as
//! above. What meets it for the first time, or in a flight from touch to touch, does not come with the drift: there the
//! velocity of the wheel at the end is that at the ends of the arms less the drift, and its work is told by that
//! ([`RowInput::arc`](granule_solver::RowInput::arc)).

use granule_geometry::{Flatness, Rounding};
use granule_model::{DVec3, Velocity};

use crate::world::bodies::Bodies;
use crate::world::contact::{Contact, Halfway};

/// What the relative velocity of the features at a contact changes by in a time `share` \[s\] because bodies turn with
/// these velocities, beside that of the points at the ends of the arms \[m/s\].
pub(crate) fn drift(bodies: &Bodies<'_>, c: &Contact, velocity: &[Velocity], share: f64) -> DVec3 {
    let turning = Turning { bodies, velocity, angle: EXACT };
    let (a, b) = (c.a as usize, c.b as usize);
    if turning.spin(a) == DVec3::ZERO && turning.spin(b) == DVec3::ZERO {
        return DVec3::ZERO;
    }
    turning.on_faces(c).unwrap_or_else(|| turning.edges(c, a, b, share)) * share
}

/// Where a contact is after a `time` \[s\], half of a flight, of bodies with these velocities. The feature goes with
/// the body that has a corner, or a rounded end, on a face of the other, with which the normal turns.
pub(crate) fn halfway(bodies: &Bodies<'_>, c: &Contact, velocity: &[Velocity], time: f64) -> Halfway {
    let turning = Turning { bodies, velocity, angle: EXACT };
    let (a, b) = (c.a as usize, c.b as usize);
    let on_face = |tip: usize, face: usize, normal: DVec3| {
        let (place, rounding, _) = turning.feature(&Contact { normal, ..*c }, tip, face)?;
        let radius = match rounding {
            Rounding::Sharp => 0.0,
            Rounding::Radius(radius) => radius,
        };
        let moves = turning.moves(tip, face, place, radius, normal);
        let arms = [a, b].map(|i| (moves - velocity[i].linear) * time);
        Some(Halfway { arms, normal: (c.normal + turning.spin(face).cross(c.normal) * time).normalize() })
    };
    let found = (on_face(a, b, c.normal), on_face(b, a, -c.normal));
    turning.of_pair(c, found, Halfway::mean).unwrap_or_else(|| {
        let arm = |i: usize| turning.spin(i).cross(c.point - bodies.pose[i].position) * time;
        let sticks = turning.edges(c, a, b, time) != DVec3::ZERO;
        Halfway { arms: if sticks { [arm(a), arm(b)] } else { [DVec3::ZERO; 2] }, normal: c.normal }
    })
}

/// How far the velocities of the bodies of a contact lie behind their poses: by half of the last step \[s\].
pub(crate) fn lag(bodies: &Bodies<'_>, c: &Contact) -> f64 {
    let moved = [c.a, c.b].map(|i| i as usize).into_iter().find(|i| bodies.dynamic[*i]);
    moved.map_or(0.0, |i| bodies.lag(i))
}

/// Difference of the spins of what turns and what rides on it, over the first: a cube that hops on a turntable without
/// friction does not turn with it, and is met by it all the same.
const WITH: f64 = 1.5;

/// Whether one of the bodies of a contact is not moved by forces and turns, and the other one with it, by no more in a
/// time `dt` \[s\] than can be followed. What spins otherwise, by more than that turns, passes it: boxes that tumbled
/// between plates lost up to 82 % of their energy where one plate turned by 1e-9 rad/s.
pub(crate) fn is_carried_round(bodies: &Bodies<'_>, c: &Contact, velocity: &[Velocity], dt: f64) -> bool {
    let turns = |i: usize| turn_of(bodies, velocity, i, dt);
    let spin = |i: usize| velocity[i].angular;
    let rides = |i: usize, on: usize| bodies.round[i] || (spin(i) - spin(on)).length() <= WITH * spin(on).length();
    let carries =
        |on: usize, i: usize| !bodies.dynamic[on] && turns(on) > 0.0 && turns(on).max(turns(i)) <= FAR && rides(i, on);
    carries(c.a as usize, c.b as usize) || carries(c.b as usize, c.a as usize)
}

/// Way that bodies slide, over the thickness of the contact, beyond which an edge may have passed. The narrow side of a
/// thin bar, taken for a plane, threw balls that it passed at 0.1 mm.
const SLIDES: f64 = 0.25;

/// Whether the bodies of a contact are at one place of each other for a time `dt` \[s\].
pub(crate) fn stays(bodies: &Bodies<'_>, c: &Contact, velocity: &[Velocity], dt: f64) -> bool {
    c.speed(bodies.pose, velocity) * dt <= SLIDES * c.thickness
}

/// By how much a body turns in a time `dt` \[s\] \[rad\]; a ball looks the same however it turns.
pub(crate) fn turn_of(bodies: &Bodies<'_>, velocity: &[Velocity], i: usize, dt: f64) -> f64 {
    if bodies.round[i] { 0.0 } else { velocity[i].angular.length() * dt }
}

/// Contacts of an island from which on bodies that turn on each other are not told.
const FEW: usize = 100;
/// Contacts of an island from which on nobody is told but who is carried round.
const MANY: usize = 1000;

/// Turn in a part beyond which the second derivative says nothing of where a body comes to \[rad\].
pub(crate) const FAR: f64 = 0.5;

/// Whether a contact in an island of `count` is asked what its bodies do because they turn in a time `dt` \[s\], if it
/// carries nobody round.
pub(crate) fn is_told(bodies: &Bodies<'_>, c: &Contact, velocity: &[Velocity], count: usize, dt: f64) -> bool {
    if count >= MANY {
        return false;
    }
    let (a, b) = (c.a as usize, c.b as usize);
    let turned = turn_of(bodies, velocity, a, dt).max(turn_of(bodies, velocity, b, dt));
    let is_still = |i: usize, normal: DVec3| {
        let along = || bodies.shape[i].flatness_along(bodies.pose[i].inverse_transform_vector(normal), EXACT);
        !bodies.dynamic[i] && velocity[i] == Velocity::ZERO && along() != Flatness::None
    };
    let is_few = || count < FEW || is_still(b, c.normal) || is_still(a, -c.normal);
    turned > 0.0 && turned <= FAR && is_few()
}

/// Turn in a step from which on contacts in large islands are asked how they come together \[rad\].
const VISIBLE: f64 = 0.02;

/// The velocity along the normal with which the features of a contact come together within a step of `dt` \[s\], in an
/// island of `count` of which nobody else is told, beside that of the points at the ends of the arms \[m/s\]: at most
/// zero, and zero where it brings them nearer by no more than `least` \[m\].
pub(crate) fn come_together(
    bodies: &Bodies<'_>,
    c: &Contact,
    velocity: &[Velocity],
    count: usize,
    [dt, least]: [f64; 2],
) -> f64 {
    let turns = |i: u32| turn_of(bodies, velocity, i as usize, dt);
    let turned = turns(c.a).max(turns(c.b));
    if count < MANY || !(VISIBLE..=FAR).contains(&turned) {
        return 0.0;
    }
    let closes = Turning { bodies, velocity, angle: CORRECTED }.along_normal(c) * 0.5 * dt;
    if closes * dt < -least { closes } else { 0.0 }
}

/// Sine of the angle between edges below which they are no crossing: the normal turns by more than the bodies do by its
/// inverse.
const CROSS: f64 = 0.1;

/// Angle within which a normal is that of a face \[rad\].
const EXACT: f64 = 1e-6;
/// The same where bodies may have been turned by the drift correction, with which normals do not turn.
const CORRECTED: f64 = 5e-3;

/// The bodies and the velocities with which they turn.
struct Turning<'a> {
    bodies: &'a Bodies<'a>,
    velocity: &'a [Velocity],
    /// Angle within which a normal is that of a face, or across an edge \[rad\].
    angle: f64,
}

impl Turning<'_> {
    /// What is found with A as the body that touches a face, and with B. Of faces on each other that of the one that is
    /// moved by forces where the other is not, else the `mean`.
    fn of_pair<T>(&self, c: &Contact, found: (Option<T>, Option<T>), mean: impl Fn(T, T) -> T) -> Option<T> {
        let dynamic = &self.bodies.dynamic;
        match found {
            (Some(of_a), Some(of_b)) => Some(match (dynamic[c.a as usize], dynamic[c.b as usize]) {
                (true, false) => of_a,
                (false, true) => of_b,
                _ => mean(of_a, of_b),
            }),
            (of_a, of_b) => of_a.or(of_b),
        }
    }

    /// Angular velocity of a body; a ball looks the same however it turns \[rad/s\].
    fn spin(&self, i: usize) -> DVec3 {
        if self.bodies.round[i] { DVec3::ZERO } else { self.velocity[i].angular }
    }

    /// Acceleration of a place that is fixed to a body, by its turning \[m/s2\].
    fn turned(&self, i: usize, place: DVec3) -> DVec3 {
        let spin = self.spin(i);
        spin.cross(spin.cross(place - self.bodies.pose[i].position))
    }

    /// Velocity of a place that is fixed to a body \[m/s\].
    fn moved(&self, i: usize, place: DVec3) -> DVec3 {
        self.velocity[i].linear + self.spin(i).cross(place - self.bodies.pose[i].position)
    }

    /// How a body is rounded where it looks along the `normal`.
    fn rounding(&self, i: usize, normal: DVec3) -> Option<Rounding> {
        let bodies = self.bodies;
        bodies.shape[i].rounding_along(bodies.pose[i].inverse_transform_vector(normal))
    }

    /// The corner of body `tip` at the contact, or the middle of its rounded end, with how it is rounded and how flat
    /// body `face` is there; the normal leads to the tip. None where that one is not flat.
    fn feature(&self, c: &Contact, tip: usize, face: usize) -> Option<(DVec3, Rounding, Flatness)> {
        let bodies = self.bodies;
        let rounding = self.rounding(tip, -c.normal)?;
        let normal = bodies.pose[face].inverse_transform_vector(c.normal);
        let flatness = bodies.shape[face].flatness_along(normal, self.angle);
        if flatness == Flatness::None {
            return None;
        }
        // The point of a contact lies midway between the surfaces.
        let surface = c.point + c.normal * (0.5 * c.gap);
        let place = match rounding {
            Rounding::Sharp => surface,
            Rounding::Radius(radius) => surface + c.normal * radius,
        };
        Some((place, rounding, flatness))
    }

    /// Acceleration of the features of A against those of B, where one of the bodies is flat at the contact \[m/s2\].
    fn on_faces(&self, c: &Contact) -> Option<DVec3> {
        let (a, b) = (c.a as usize, c.b as usize);
        let of_a = self.tip_on_face(c, a, b);
        let of_b = self.tip_on_face(&Contact { normal: -c.normal, ..*c }, b, a).map(|x| -x);
        self.of_pair(c, (of_a, of_b), |of_a, of_b| (of_a + of_b) * 0.5)
    }

    /// Acceleration of the feature of body `tip` at the contact against body `face`, where that one is flat there; the
    /// normal leads to the tip \[m/s2\].
    fn tip_on_face(&self, c: &Contact, tip: usize, face: usize) -> Option<DVec3> {
        let (place, rounding, flatness) = self.feature(c, tip, face)?;
        let acceleration = self.turned(tip, place) - self.turned(face, place);
        let passing = self.moved(tip, place) - self.moved(face, place);
        let normal = c.normal.dot(acceleration) + 2.0 * self.spin(face).cross(c.normal).dot(passing);
        // What slides over facets comes from one to the next: it is never let nearer.
        let gives_way = flatness == Flatness::Facets && self.spin(face) != DVec3::ZERO;
        let normal = if gives_way { normal.min(0.0) } else { normal };
        let along = match rounding {
            Rounding::Sharp => acceleration,
            Rounding::Radius(radius) => {
                let velocity = self.velocity;
                let moves = self.moves(tip, face, place, radius, c.normal);
                let by = |i: usize| velocity[i].angular.cross(moves - velocity[i].linear);
                by(tip) - by(face)
            }
        };
        Some(along + c.normal * (normal - c.normal.dot(along)))
    }

    /// Second derivative of the gap of a contact, beside that of the points at the ends of the arms \[m/s2\]; zero
    /// where it is not known.
    fn along_normal(&self, c: &Contact) -> f64 {
        self.on_faces(c).map_or_else(|| self.across_edges(c), |acceleration| c.normal.dot(acceleration))
    }

    /// The same at edges that cross; zero where none do.
    ///
    /// With the edges `e` and the normal `n = N/|N|`, `N = e_A x e_B`, the gap between the places `x` at which they are
    /// nearest is `n.(x_A - x_B)`. Its second derivative is, since `n'` is across what lies between the two,
    ///
    /// ```text
    /// n.(a_A - a_B) + 2 n'.(v_A - v_B) - gap |n'|^2,     n' = (N' - n n.N')/|N|,
    ///                                                    N' = (w_A x e_A) x e_B + e_A x (w_B x e_B)
    /// ```
    fn across_edges(&self, c: &Contact) -> f64 {
        let (a, b, n) = (c.a as usize, c.b as usize, c.normal);
        let (Some(of_a), Some(of_b)) = (self.edge(a, -n), self.edge(b, n)) else { return 0.0 };
        let across = of_a.cross(of_b);
        let size = across.length();
        if size < CROSS {
            return 0.0;
        }
        let turns = self.spin(a).cross(of_a).cross(of_b) + of_a.cross(self.spin(b).cross(of_b));
        let turns = turns * (across.dot(n).signum() / size);
        let normal_turns = turns - n * n.dot(turns);
        let (at_a, at_b) = (c.point + n * (0.5 * c.gap), c.point - n * (0.5 * c.gap));
        let acceleration = self.turned(a, at_a) - self.turned(b, at_b);
        let passing = self.moved(a, at_a) - self.moved(b, at_b);
        n.dot(acceleration) + 2.0 * normal_turns.dot(passing) - c.gap * normal_turns.length_squared()
    }

    /// Direction of the edge of a body that is outermost along the `normal`.
    fn edge(&self, i: usize, normal: DVec3) -> Option<DVec3> {
        let pose = &self.bodies.pose[i];
        let edge = self.bodies.shape[i].edge_along(pose.inverse_transform_vector(normal), self.angle)?;
        Some(pose.transform_vector(edge))
    }

    /// Velocity of the place at which a body `tip` that is rounded by `radius` \[m\] about a `place` of it touches the
    /// flat body `face`; the normal leads to the tip \[m/s\].
    fn moves(&self, tip: usize, face: usize, place: DVec3, radius: f64, normal: DVec3) -> DVec3 {
        self.moved(tip, place) - self.spin(face).cross(normal) * radius
    }

    /// Acceleration of body `a` against body `b` where edges or corners stick to each other; zero where one slides over
    /// the other, as its normal turns then \[m/s2\].
    fn edges(&self, c: &Contact, a: usize, b: usize, share: f64) -> DVec3 {
        let is_sharp = |i: usize, normal: DVec3| self.rounding(i, normal) == Some(Rounding::Sharp);
        if !is_sharp(a, -c.normal) || !is_sharp(b, c.normal) {
            return DVec3::ZERO;
        }
        let acceleration = self.turned(a, c.point) - self.turned(b, c.point);
        let passing = self.moved(a, c.point) - self.moved(b, c.point);
        if passing.length() <= share * acceleration.length() { acceleration } else { DVec3::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_integrator::rotate;
    use granule_model::{DQuat, Pose};

    use super::*;
    use crate::world::bodies::{BodyState, Frames, Table};

    /// A pose after a time `t` \[s\] of even motion.
    fn moved(pose: &Pose, velocity: &Velocity, t: f64) -> Pose {
        Pose { position: pose.position + velocity.linear * t, rotation: rotate(pose.rotation, velocity.angular * t) }
    }

    /// The nearest contact of two bodies.
    fn nearest(shapes: &[Shape; 2], poses: &[Pose; 2]) -> Contact {
        let mut found = Vec::new();
        granule_geometry::contacts(&shapes[0], &poses[0], &shapes[1], &poses[1], 0.5, &mut found);
        let nearest = found.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).expect("they are near");
        Contact::of((0, 1), nearest, 0.5)
    }

    /// What [`drift`] says of the nearest contact in a time of 1 s, and the second difference over time of its gap and
    /// of the way between the material points at it.
    fn both(shapes: &[Shape; 2], poses: [Pose; 2], velocities: [Velocity; 2]) -> [DVec3; 2] {
        const H: f64 = 1e-4;
        let round = shapes.iter().map(|shape| shape.name() == "sphere").collect();
        let table = Table { dynamic: vec![true; 2], round, shape: shapes.to_vec(), ..Table::default() };
        let state = BodyState { pose: poses.to_vec(), velocity: velocities.to_vec(), ..BodyState::default() };
        let contact = nearest(shapes, &poses);
        let found = drift(&state.view(&table, &Frames::default()), &contact, &velocities, 1.0);
        let later = |t: f64| [0, 1].map(|i| moved(&poses[i], &velocities[i], t));
        let gap = |t: f64| nearest(shapes, &later(t)).gap;
        let way = |t: f64| {
            let [a, b] = [0, 1].map(|i| later(t)[i].transform_point(poses[i].inverse_transform_point(contact.point)));
            a - b
        };
        let normal = (gap(H) - 2.0 * gap(0.0) + gap(-H)) / (H * H);
        let along = (way(H) - way(0.0) * 2.0 + way(-H)) / (H * H);
        let tangential = along - contact.normal * contact.normal.dot(along);
        [found, contact.normal * normal + tangential]
    }

    /// Change of the gap of the nearest contact in a time of 1e-3 s as the velocity says that it has [`halfway`], and
    /// as it is; and what it would be without turning \[m\].
    fn in_a_flight(shapes: &[Shape; 2], poses: [Pose; 2], velocities: [Velocity; 2]) -> [f64; 3] {
        const H: f64 = 1e-3;
        let round = shapes.iter().map(|shape| shape.name() == "sphere").collect();
        let table = Table { dynamic: vec![true, true], round, shape: shapes.to_vec(), ..Table::default() };
        let state = BodyState { pose: poses.to_vec(), velocity: velocities.to_vec(), ..BodyState::default() };
        let contact = nearest(shapes, &poses);
        let Halfway { arms, normal } = halfway(&state.view(&table, &Frames::default()), &contact, &velocities, 0.5 * H);
        let at = |i: usize, arm: DVec3| velocities[i].at(contact.point - poses[i].position + arm);
        let later = [0, 1].map(|i| moved(&poses[i], &velocities[i], H));
        [
            H * normal.dot(at(0, arms[0]) - at(1, arms[1])),
            nearest(shapes, &later).gap - contact.gap,
            H * contact.normal.dot(at(0, DVec3::ZERO) - at(1, DVec3::ZERO)),
        ]
    }

    /// What [`drift`] says along the surfaces of the nearest contact in a time of 1 s, and by what the relative
    /// velocity at the place of touch changes in that time; the bodies stay in touch.
    fn along(shapes: &[Shape; 2], poses: [Pose; 2], mut velocities: [Velocity; 2]) -> [DVec3; 2] {
        const H: f64 = 1e-5;
        let apart = nearest(shapes, &poses);
        let closes = apart.normal * apart.normal_velocity(&poses, &velocities);
        velocities[0].linear -= closes;
        let round = shapes.iter().map(|shape| shape.name() == "sphere").collect();
        let table = Table { dynamic: vec![true; 2], round, shape: shapes.to_vec(), ..Table::default() };
        let state = BodyState { pose: poses.to_vec(), velocity: velocities.to_vec(), ..BodyState::default() };
        let contact = nearest(shapes, &poses);
        let found = drift(&state.view(&table, &Frames::default()), &contact, &velocities, 1.0);
        let slides = |t: f64| {
            let later = [0, 1].map(|i| moved(&poses[i], &velocities[i], t));
            let point = nearest(shapes, &later).point;
            let [a, b] = [0, 1].map(|i| velocities[i].at(point - later[i].position));
            a - b
        };
        let should = (slides(H) - slides(-H)) / (2.0 * H);
        [found, should].map(|x| x - contact.normal * contact.normal.dot(x))
    }

    fn cuboid(size: DVec3) -> Shape {
        Shape::cuboid(size).expect("the size is valid")
    }

    /// A spin about all axes \[rad/s\].
    const SPIN: DVec3 = DVec3::new(0.7, -0.4, 0.9);
    /// Another one.
    const OTHER: DVec3 = DVec3::new(-0.5, 0.8, 0.3);

    /// The way in which a body of 1 m stands on a corner.
    fn on_a_corner() -> DQuat {
        DQuat::from_rotation_x(0.5) * DQuat::from_rotation_y(0.4)
    }

    /// A tip by the middle of the top of a block, both turned by `turn` and moving, in both orders; what is found
    /// and what it should be.
    fn tip_on_block<T>(
        tip: &Shape,
        block: &Shape,
        turn: DQuat,
        find: fn(&[Shape; 2], [Pose; 2], [Velocity; 2]) -> T,
    ) -> [T; 2] {
        let frame = Pose::new(DVec3::new(0.3, -2.0, 1.0), turn);
        let place = |position: DVec3, rotation: DQuat| frame.compose(&Pose::new(position, rotation));
        let apart = 1e-7 - tip.aabb(&Pose::new(DVec3::ZERO, on_a_corner())).min.z;
        let above = place(DVec3::new(0.2, 0.1, apart), on_a_corner());
        let below = place(DVec3::Z * -0.5, DQuat::IDENTITY);
        let of_tip = Velocity { linear: DVec3::new(0.3, 0.2, -0.5), angular: SPIN };
        let of_block = Velocity { linear: DVec3::new(-0.2, 0.4, 0.1), angular: OTHER };
        let (tip, block) = (tip.clone(), block.clone());
        [
            find(&[tip.clone(), block.clone()], [above, below], [of_tip, of_block]),
            find(&[block, tip], [below, above], [of_block, of_tip]),
        ]
    }

    /// Corners, capsules and balls on faces that turn: the gap and the way along the face are those of the motion.
    /// Measured: within 2e-7 of it. Half-way through a flight of 1e-3 s the velocity says what the gap changes by, to
    /// (measured) 4e-4 of what turning does to it, 9e-3 where that is next to nothing.
    #[test]
    fn tips_on_moving_faces_come_nearer_as_they_do() {
        let block = cuboid(DVec3::new(4.0, 4.0, 1.0));
        let sides = [-1.0, 1.0];
        let corners = sides.map(|x| sides.map(|y| sides.map(|z| DVec3::new(2.0 * x, 2.0 * y, 0.5 * z))));
        let corners = corners.as_flattened().as_flattened();
        let hull = Shape::convex(corners).expect("the corners are valid");
        let tips = [
            (cuboid(DVec3::ONE), true),
            (Shape::capsule(0.2, 0.6).expect("it is valid"), false),
            (Shape::sphere(0.5).expect("it is valid"), false),
        ];
        for (tip, sticks) in tips {
            for face in [&block, &hull] {
                for turn in [DQuat::IDENTITY, DQuat::from_rotation_y(2.0) * DQuat::from_rotation_x(0.3)] {
                    for [found, should] in tip_on_block(&tip, face, turn, both) {
                        let normal = turn * DVec3::Z;
                        let [found, should] =
                            if sticks { [found, should] } else { [found, should].map(|x| normal * normal.dot(x)) };
                        let error = (found - should).length();
                        println!("{} on {}: {found:.6} for {should:.6}, {error:.1e}", tip.name(), face.name());
                        assert!(error <= 2e-6 * should.length(), "{} on {}", tip.name(), face.name());
                        assert!(should.length() > 0.01, "there is something to find");
                    }
                    for [found, should] in tip_on_block(&tip, face, turn, along).into_iter().filter(|_| !sticks) {
                        let error = (found - should).length();
                        println!("{} along {}: {found:.6} for {should:.6}, {error:.1e}", tip.name(), face.name());
                        assert!(error <= 1e-5 * should.length(), "{} along {}", tip.name(), face.name());
                    }
                    for [found, should, straight] in tip_on_block(&tip, face, turn, in_a_flight) {
                        let (error, turned) = ((found - should).abs(), (straight - should).abs());
                        println!("{} on {}, half-way: {error:.1e} m of {turned:.1e} m", tip.name(), face.name());
                        assert!(error <= 1e-2 * turned, "{} on {}: {error:e} m", tip.name(), face.name());
                    }
                }
            }
        }
    }

    /// What a cube on a triangle 10 m below the axis about which it turns at 1 rad/s asks for along the normal in 1 s;
    /// the cube rides on it, or stays where it is in the world.
    fn on_a_wheel(rides: bool) -> f64 {
        let rim = |x: f64, y: f64| DVec3::new(x, y, -10.0);
        let wall = Shape::mesh(&[rim(-3.0, -3.0), rim(3.0, -3.0), rim(0.0, 3.0)], &[[0, 1, 2]]).expect("it is valid");
        let shapes = [cuboid(DVec3::ONE), wall];
        let poses = [Pose::from_position(DVec3::Z * -9.5), Pose::IDENTITY];
        let wheel = Velocity { linear: DVec3::ZERO, angular: DVec3::NEG_Y };
        let cube = if rides { Velocity { linear: wheel.at(poses[0].position), ..wheel } } else { Velocity::ZERO };
        let table =
            Table { dynamic: vec![true, false], round: vec![false; 2], shape: shapes.to_vec(), ..Table::default() };
        let state = BodyState { pose: poses.to_vec(), ..BodyState::default() };
        let contact = nearest(&shapes, &poses);
        let found = drift(&state.view(&table, &Frames::default()), &contact, &[cube, wheel], 1.0);
        contact.normal.dot(found)
    }

    /// What rides on a wheel has the acceleration of its centre, 9.5 m from the axis; what the wheel passes under is
    /// not let in between its facets, though a plane would give way by 10 m/s2.
    #[test]
    fn facets_carry_and_do_not_give_way() {
        let [rides, stays] = [true, false].map(on_a_wheel);
        println!("rides {rides}, stays {stays}");
        assert!((rides + 9.5).abs() <= 1e-12);
        assert_eq!(stays, 0.0);
    }

    /// Edges that cross, sliding as they may: the gap changes as is said. Measured: within 1.2e-7 of it.
    #[test]
    fn edges_come_together_as_they_turn() {
        const H: f64 = 1e-4;
        let sides = [-1.0, 1.0];
        let corners = sides.map(|x| sides.map(|y| sides.map(|z| DVec3::new(0.25 * x, y, 0.25 * z))));
        let hull = Shape::convex(corners.as_flattened().as_flattened()).expect("the corners are valid");
        let shapes = [cuboid(DVec3::new(2.0, 0.5, 0.5)), hull];
        let roll = |axis: DVec3| DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_4 + 0.1);
        let tilt = DQuat::from_rotation_z(0.3);
        let frame = Pose::new(DVec3::new(0.3, -2.0, 1.0), DQuat::from_rotation_y(2.0) * DQuat::from_rotation_x(0.3));
        for gap in [1e-9, 0.02] {
            // Heights of the edges of both over the middles of their bodies.
            let of_a = (roll(DVec3::X) * DVec3::new(0.0, 0.25, 0.25)).z;
            let of_b = (roll(DVec3::Y) * DVec3::new(-0.25, 0.0, 0.25)).z;
            let place = |position: DVec3, rotation: DQuat| frame.compose(&Pose::new(position, rotation));
            let poses = [
                place(DVec3::new(0.1, 0.2, of_a + of_b + gap), tilt * roll(DVec3::X)),
                place(DVec3::ZERO, roll(DVec3::Y)),
            ];
            let velocities = [
                Velocity { linear: DVec3::new(0.3, 0.2, -0.5), angular: SPIN },
                Velocity { linear: DVec3::new(-0.2, 0.4, 0.1), angular: OTHER },
            ];
            let table =
                Table { dynamic: vec![true; 2], round: vec![false; 2], shape: shapes.to_vec(), ..Table::default() };
            let state = BodyState { pose: poses.to_vec(), ..BodyState::default() };
            let contact = nearest(&shapes, &poses);
            let frames = Frames::default();
            let bodies = state.view(&table, &frames);
            let found = Turning { bodies: &bodies, velocity: &velocities, angle: EXACT }.along_normal(&contact);
            let gap_at = |t: f64| nearest(&shapes, &[0, 1].map(|i| moved(&poses[i], &velocities[i], t))).gap;
            let should = (gap_at(H) - 2.0 * gap_at(0.0) + gap_at(-H)) / (H * H);
            println!("edges at {:e}: {found} for {should}", contact.gap);
            assert!((found - should).abs() <= 1e-6 * should.abs() && should.abs() > 0.1);
        }
    }

    /// Only in large islands, of what turns visibly, and towards each other; also where the correction turned a body.
    #[test]
    fn who_is_told_of_coming_together() {
        let block = cuboid(DVec3::new(4.0, 4.0, 1.0));
        let shapes = [cuboid(DVec3::ONE), block];
        let apart = 1e-7 - shapes[0].aabb(&Pose::new(DVec3::ZERO, on_a_corner())).min.z;
        let table = Table { dynamic: vec![true; 2], round: vec![false; 2], shape: shapes.to_vec(), ..Table::default() };
        let told_beyond = |count: usize, [of_tip, of_block]: [f64; 2], corrected: f64, least: f64| {
            let velocities = [of_tip, of_block].map(|spin| Velocity { linear: DVec3::ZERO, angular: DVec3::X * spin });
            let turned = Pose::new(DVec3::Z * -0.5, DQuat::from_rotation_y(corrected));
            let poses = [Pose::new(DVec3::new(0.0, 0.0, apart), on_a_corner()), Pose::from_position(DVec3::Z * -0.5)];
            let contact = nearest(&shapes, &poses);
            let state = BodyState { pose: vec![poses[0], turned], ..BodyState::default() };
            come_together(&state.view(&table, &Frames::default()), &contact, &velocities, count, [0.1, least])
        };
        let told = |count: usize, spin: f64, corrected: f64| told_beyond(count, [0.0, spin], corrected, 1e-6);
        let closes = told(MANY, 1.0, 0.0);
        // The face is 0.5 m from the axis about which it turns at 1 rad/s, for 0.1 s.
        assert!((closes + 0.5 * 0.5 * 0.1).abs() <= 1e-6, "{closes}");
        assert!((told(MANY, 1.0, 2e-3) - closes).abs() <= 0.01 * closes.abs());
        assert_eq!([told(MANY - 1, 1.0, 0.0), told(MANY, 0.1, 0.0), told(MANY, 1.0, 0.1)], [0.0; 3]);
        // The corner leaves the face as it turns away, and 2.5 mm are less than the least.
        assert_eq!([told_beyond(MANY, [1.0, 0.0], 0.0, 1e-6), told_beyond(MANY, [0.0, 1.0], 0.0, 2.6e-3)], [0.0; 2]);
    }

    /// Edges that cross: where they stick the way between them is that of the motion, where one slides nothing is said.
    #[test]
    fn edges_are_told_where_they_stick() {
        let shapes = [cuboid(DVec3::new(2.0, 0.5, 0.5)), cuboid(DVec3::new(0.5, 2.0, 0.5))];
        let roll = |axis: DVec3| DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_4);
        let height = 0.5f64.sqrt() + 1e-9;
        let poses = [Pose::new(DVec3::Z * height, roll(DVec3::X)), Pose::new(DVec3::ZERO, roll(DVec3::Y))];
        let point = nearest(&shapes, &poses).point;
        let at = |i: usize, angular: DVec3| Velocity { linear: -angular.cross(point - poses[i].position), angular };
        let stick = [at(0, SPIN), at(1, OTHER)];
        let [found, should] = both(&shapes, poses, stick);
        println!("edges: {found} for {should}");
        assert!((found - should).length() <= 2e-6 * should.length());
        let slide = [Velocity { linear: stick[0].linear + DVec3::X * 5.0, ..stick[0] }, stick[1]];
        assert_eq!(both(&shapes, poses, slide)[0], DVec3::ZERO);
    }
}
