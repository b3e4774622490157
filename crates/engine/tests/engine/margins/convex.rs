//! Convex bodies as corners, faces and edges, and how far two of them are apart: by separating axes, and by nothing of
//! the engine's.

use std::f64::consts::FRAC_PI_4;

use granule_engine::prelude::*;

/// A convex body in its body axes.
#[derive(Clone, Debug)]
pub(crate) struct Convex {
    corners: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
    /// Direction of its length where it is slender.
    axis: Option<DVec3>,
}

impl Convex {
    /// The hull of triangles over `corners`.
    fn of_triangles(corners: Vec<DVec3>, triangles: &[[u32; 3]]) -> Self {
        let corner = |i: u32| corners[i as usize];
        let (mut normals, mut edges) = (Vec::new(), Vec::new());
        for [a, b, c] in triangles.iter().copied() {
            normals.push((corner(b) - corner(a)).cross(corner(c) - corner(a)).normalize_or_zero());
            edges.extend([(a, b), (b, c), (c, a)].map(|(a, b)| (corner(b) - corner(a)).normalize_or_zero()));
        }
        Convex { normals: lines(&normals), edges: lines(&edges), axis: long_axis(&corners), corners }
    }

    /// A shape's surface, or each triangle of it for a mesh that has no inside.
    pub(crate) fn of(shape: &Shape) -> Vec<Self> {
        let surface = shape.triangulate(8);
        if shape.name() == "capsule" {
            return vec![Self::prism(&surface.vertices)];
        }
        if shape.name() != "mesh" {
            return vec![Self::of_triangles(surface.vertices, &surface.triangles)];
        }
        let triangle = |t: &[u32; 3]| {
            let corners = t.map(|i| surface.vertices[i as usize]).to_vec();
            let mut flat = Self::of_triangles(corners, &[[0, 1, 2]]);
            // In the plane of the triangle its sides are what separates.
            let normal = flat.normals[0];
            let sides: Vec<DVec3> = flat.edges.iter().map(|edge| normal.cross(*edge)).collect();
            flat.normals.extend(sides);
            flat
        };
        surface.triangles.iter().map(triangle).collect()
    }

    /// The prism with eight sides that fills the cylinder of a capsule along z.
    fn prism(surface: &[DVec3]) -> Self {
        let radius = surface.iter().map(|p| p.x.hypot(p.y)).fold(0.0, f64::max);
        let half = surface.iter().map(|p| p.z).fold(0.0, f64::max) - radius;
        let turned = |angle: f64| DQuat::from_rotation_z(angle) * DVec3::X;
        let ring: Vec<DVec3> = (0..8).map(|k| turned(FRAC_PI_4 * f64::from(k))).collect();
        Convex {
            corners: ring.iter().flat_map(|p| [half, -half].map(|z| radius * *p + z * DVec3::Z)).collect(),
            normals: (0..4).map(|k| turned(FRAC_PI_4 * (f64::from(k) + 0.5))).chain([DVec3::Z]).collect(),
            edges: (0..4).map(|k| ring[k + 1] - ring[k]).map(DVec3::normalize).chain([DVec3::Z]).collect(),
            axis: Some(DVec3::Z),
        }
    }

    /// The same, smaller by a `share` in all directions.
    pub(crate) fn shrunk(&self, share: f64) -> Self {
        let middle = self.corners.iter().sum::<DVec3>() / self.corners.len() as f64;
        Convex {
            corners: self.corners.iter().map(|c| middle + (1.0 - share) * (*c - middle)).collect(),
            ..self.clone()
        }
    }

    /// Distance of its farthest corner from its long axis, or from the origin where it has none \[m\].
    fn width(&self) -> f64 {
        let across = |c: &DVec3| self.axis.map_or(c.length(), |axis| c.cross(axis).length());
        self.corners.iter().map(across).fold(0.0, f64::max)
    }

    /// Distance of its farthest corner from the origin of the body axes \[m\].
    pub(crate) fn extent(&self) -> f64 {
        self.corners.iter().map(|c| c.length()).fold(0.0, f64::max)
    }
}

/// The direction in which corners lie, if they are ten times nearer to it than they reach along it.
fn long_axis(corners: &[DVec3]) -> Option<DVec3> {
    let farthest = corners.iter().copied().fold(DVec3::ZERO, |far, c| if c.length() > far.length() { c } else { far });
    let longest = corners
        .iter()
        .copied()
        .fold(DVec3::ZERO, |far, c| if (c - farthest).length() > (far - farthest).length() { c } else { far });
    let axis = (farthest - longest).normalize_or_zero();
    let width = corners.iter().map(|c| c.cross(axis).length()).fold(0.0, f64::max);
    (10.0 * width < farthest.length()).then_some(axis)
}

/// Directions without those that differ in sign and rounding only.
fn lines(directions: &[DVec3]) -> Vec<DVec3> {
    let mut kept: Vec<DVec3> = Vec::new();
    for d in directions {
        if d.length_squared() > 0.5 && kept.iter().all(|k| k.cross(*d).length() > 1e-9) {
            kept.push(*d);
        }
    }
    kept
}

/// Gap of two convex bodies along the axis on which they are farthest apart, and that axis, from `b` to `a`: at most
/// their distance where they are apart, minus their depth where they overlap.
pub(crate) fn gap([a, b]: [&Convex; 2], [pose_a, pose_b]: [&Pose; 2]) -> (f64, DVec3) {
    // In the axes of b, whose corners stay as they are.
    let pose = pose_b.inverse().compose(pose_a);
    let corners: Vec<DVec3> = a.corners.iter().map(|c| pose.transform_point(*c)).collect();
    let edges: Vec<DVec3> = a.edges.iter().map(|e| pose.transform_vector(*e)).collect();
    let crossed = edges.iter().flat_map(|e| b.edges.iter().map(|f| e.cross(*f)));
    let faces = a.normals.iter().map(|n| pose.transform_vector(*n)).chain(b.normals.iter().copied());
    let mut farthest = (f64::NEG_INFINITY, DVec3::ZERO);
    for axis in faces.chain(crossed) {
        let length = axis.length();
        if length < 1e-6 {
            continue;
        }
        let axis = axis / length;
        let range = |corners: &[DVec3]| {
            corners
                .iter()
                .map(|c| c.dot(axis))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let ([low_a, high_a], [low_b, high_b]) = (range(&corners), range(&b.corners));
        for (gap, axis) in [(low_a - high_b, axis), (low_b - high_a, -axis)] {
            if gap > farthest.0 {
                farthest = (gap, axis);
            }
        }
    }
    farthest
}

/// What became of two convex bodies on their way between two poses each, both moving evenly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Deepest overlap on it \[m\].
    pub(crate) depth: f64,
    /// Cosine between the axes that separate them best at its start and at its end, the larger of those seen from each.
    pub(crate) turned: f64,
    /// Largest angle by which one of them turned, without turns about a long axis \[rad\].
    pub(crate) angle: f64,
}

/// Follows two bodies from the first to the second pose of each. `grain` \[m\] is how far surfaces move at most from
/// one look to the next while they are in each other.
pub(crate) fn follow(bodies: [&Convex; 2], poses: [[&Pose; 2]; 2], grain: f64) -> Way {
    let motions = [0, 1].map(|k| EvenMotion::of(bodies[k], poses[k]));
    let moved: f64 = motions.iter().map(EvenMotion::farthest).sum();
    let at = |share: f64| {
        let [a, b] = motions.each_ref().map(|motion| motion.at(share));
        gap(bodies, [&a, &b])
    };
    let (start, end) = (at(0.0), at(1.0));
    let angle = motions.iter().map(|motion| motion.turn.length()).fold(0.0, f64::max);
    // Axes in those of b; in those of a as a turns against b.
    let seen_from_a = |share: f64, axis: DVec3| {
        let [a, b] = motions.each_ref().map(|motion| motion.at(share).rotation);
        a.conjugate() * (b * axis)
    };
    let turned = start.1.dot(end.1).max(seen_from_a(0.0, start.1).dot(seen_from_a(1.0, end.1)));
    let mut way = Way { depth: -start.0.min(end.0), turned, angle };
    let mut share = 0.0;
    while moved > 0.0 && share < 1.0 {
        let now = at(share).0;
        way.depth = way.depth.max(-now);
        // While they are apart they cannot meet before they have moved by their gap.
        share += now.max(grain) / moved;
    }
    way
}

/// An even motion: the turn of a slender body about its own axis goes beside that of the axis.
#[derive(Debug)]
struct EvenMotion {
    from: Pose,
    way: DVec3,
    turn: DVec3,
    twist: DVec3,
    extent: f64,
    width: f64,
}

impl EvenMotion {
    fn of(body: &Convex, [from, to]: [&Pose; 2]) -> Self {
        let turn = match body.axis {
            Some(axis) => DQuat::from_rotation_arc(from.rotation * axis, to.rotation * axis),
            None => to.rotation * from.rotation.conjugate(),
        };
        let twist = (turn * from.rotation).conjugate() * to.rotation;
        EvenMotion {
            from: *from,
            way: to.position - from.position,
            turn: shortest(turn),
            twist: shortest(twist),
            extent: body.extent(),
            width: body.width(),
        }
    }

    /// How far a point of it moves at most \[m\].
    fn farthest(&self) -> f64 {
        self.way.length() + self.turn.length() * self.extent + self.twist.length() * self.width
    }

    fn at(&self, share: f64) -> Pose {
        let [turn, twist] = [self.turn, self.twist].map(|v| DQuat::from_scaled_axis(share * v));
        Pose::new(self.from.position + share * self.way, turn * self.from.rotation * twist)
    }
}

/// The shorter of the two turns that a rotation is \[rad\].
fn shortest(rotation: DQuat) -> DVec3 {
    if rotation.w < 0.0 { (-rotation).to_scaled_axis() } else { rotation.to_scaled_axis() }
}
