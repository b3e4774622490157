//! Convex pieces of any form, and two of them laid against each other.

use granule_geometry::Shape;
use granule_model::{DQuat, DVec3, Pose};

use super::Random;
use super::exact::Body;

/// A piece of a body: the shape, and the same for the measure.
pub(crate) struct Piece {
    pub(crate) shape: Shape,
    pub(crate) body: Body,
    pub(crate) half_width: f64,
}

impl Piece {
    pub(crate) fn polyhedron(shape: Shape) -> Self {
        Piece { body: Body::polyhedron(&shape), half_width: shape.half_width(), shape }
    }
}

/// A power of `base` between 1 and 1/`base`.
pub(crate) fn shrink(random: &mut Random, base: f64) -> f64 {
    libm::pow(base, -random.range(0.0, 1.0))
}

/// A cuboid, plate or rod of aspect up to 100.
pub(crate) fn cuboid(random: &mut Random, size: f64) -> Shape {
    let aspect = [1.0, 10.0, 100.0][random.next() as usize % 3];
    let thin = shrink(random, aspect);
    let size = match random.next() % 3 {
        0 => DVec3::new(1.0, thin, thin) * size,
        1 => DVec3::new(1.0, 1.0, thin) * size,
        _ => DVec3::new(1.0, shrink(random, aspect), thin) * size,
    };
    Shape::cuboid(size).expect("the size is valid")
}

/// A hull of up to `count` corners, stretched up to a hundredfold along two axes.
pub(crate) fn hull(random: &mut Random, size: f64, count: u64) -> Shape {
    loop {
        let aspect = [1.0, 10.0, 100.0][random.next() as usize % 3];
        let stretch = DVec3::new(1.0, shrink(random, aspect), shrink(random, aspect)) * size;
        let points: Vec<_> = (0..count).map(|_| random.direction() * random.range(0.5, 1.0) * stretch).collect();
        let shape = Shape::convex(&points);
        if let Ok(shape) = shape {
            return shape;
        }
    }
}

/// A polyhedron between 1 and 1/30 large.
pub(crate) fn piece(random: &mut Random) -> Piece {
    let size = shrink(random, 30.0);
    Piece::polyhedron(match random.next() % 3 {
        0 => cuboid(random, size),
        1 => hull(random, size, 4),
        _ => {
            let count = 5 + random.next() % 26;
            hull(random, size, count)
        }
    })
}

/// A corner, edge or face of a body: its corners, and a direction in which nothing reaches farther.
struct Feature {
    corners: Vec<DVec3>,
    outward: DVec3,
}

fn feature(random: &mut Random, body: &Body) -> Feature {
    if body.triangles.is_empty() {
        // A ball, or the end or the side of a capsule.
        let any = random.direction();
        let side = DVec3::new(any.x, any.y, 0.0).normalize_or(DVec3::X);
        return match body.corners[..] {
            [_, _] if random.next().is_multiple_of(2) => Feature { corners: body.corners.clone(), outward: side },
            [low, high] => Feature { corners: vec![if any.z > 0.0 { high } else { low }], outward: any },
            _ => Feature { corners: body.corners.clone(), outward: any },
        };
    }
    let pick = |random: &mut Random, count: usize| random.next() as usize % count;
    let corners: Vec<usize> = match random.next() % 3 {
        0 => vec![pick(random, body.corners.len())],
        1 => body.edges[pick(random, body.edges.len())].to_vec(),
        _ => body.triangles[pick(random, body.triangles.len())].to_vec(),
    };
    let around = body.triangles.iter().zip(&body.normals).filter(|(t, _)| corners.iter().all(|c| t.contains(c)));
    let outward: DVec3 = around.map(|(_, n)| *n * random.range(0.01, 1.0)).sum();
    Feature { corners: corners.iter().map(|&c| body.corners[c]).collect(), outward: outward.normalize() }
}

impl Feature {
    fn point(&self, random: &mut Random) -> DVec3 {
        let weights: Vec<_> = self.corners.iter().map(|_| random.range(0.0, 1.0)).collect();
        let whole: f64 = weights.iter().sum();
        self.corners.iter().zip(&weights).map(|(c, w)| *c * (w / whole)).sum()
    }

    fn along(&self) -> DVec3 {
        if self.corners.len() > 1 {
            (self.corners[1] - self.corners[0]).normalize()
        } else {
            self.outward.any_orthonormal_vector()
        }
    }
}

/// Rotation that takes the unit vectors `from` and `side`, perpendicular to each other, to `to` and `to_side`.
fn turn(from: DVec3, side: DVec3, to: DVec3, to_side: DVec3) -> DQuat {
    let frame = |n: DVec3, s: DVec3| {
        let s = (s - s.dot(n) * n).try_normalize().unwrap_or_else(|| n.any_orthonormal_vector());
        granule_model::DMat3::from_cols(n, s, n.cross(s))
    };
    DQuat::from_mat3(&(frame(to, to_side) * frame(from, side).transpose())).normalize()
}

/// Poses of the two bodies with a feature of each against the other, `gap` apart unless the pair is tilted.
pub(crate) fn placed(random: &mut Random, a: &Body, b: &Body, gap: f64) -> [Pose; 2] {
    let (fa, fb) = (feature(random, a), feature(random, b));
    let (pa, pb) = (fa.point(random), fb.point(random));
    // Parallel features, nearly parallel ones, and any.
    let spin = [0.0, 1e-10, 1e-7, 1e-4, 1e-2, 6.0, 6.0, 6.0][random.next() as usize % 8];
    let spun = DQuat::from_axis_angle(fb.outward, random.range(-0.5, 0.5) * spin) * fb.along();
    let mut rotation = turn(fa.outward, fa.along(), -fb.outward, spun);
    let tilt = [0.0, 0.0, 0.0, 1e-12, 1e-8, 1e-5, 1e-3, 1e-1][random.next() as usize % 8];
    rotation = (DQuat::from_axis_angle(random.direction(), tilt) * rotation).normalize();
    let apart = (gap + a.radius + b.radius) * fb.outward;
    let pose_b = random.pose(1.0);
    [pose_b.compose(&Pose::new(pb + apart - rotation * pa, rotation)), pose_b]
}

/// A ball or a capsule up to 60 radii long.
pub(crate) fn round(random: &mut Random) -> Piece {
    let size = shrink(random, 30.0);
    let (radius, length) =
        (0.5 * size * shrink(random, 30.0), if random.next().is_multiple_of(3) { 0.0 } else { size });
    let shape = if length > 0.0 { Shape::capsule(radius, length) } else { Shape::sphere(radius) };
    Piece { shape: shape.expect("the sizes are valid"), body: Body::round(radius, 0.5 * length), half_width: radius }
}

/// A cuboid, plate or rod up to `aspect` times as long as thick.
pub(crate) fn slab(random: &mut Random, size: f64, aspect: f64) -> Piece {
    let thin = shrink(random, aspect);
    let size = DVec3::new(1.0, if random.next().is_multiple_of(2) { 1.0 } else { thin }, thin) * size;
    Piece::polyhedron(Shape::cuboid(size).expect("the size is valid"))
}

/// A flat hull with nearly level faces: corners about a middle plane, up to fifty times as wide as thick.
pub(crate) fn plate(random: &mut Random, size: f64) -> Piece {
    loop {
        let (thin, count) = (shrink(random, 50.0), 5 + random.next() % 8);
        let round = |random: &mut Random| {
            let any = random.direction();
            DVec3::new(any.x, any.y, 0.0).normalize_or(DVec3::X)
        };
        let points: Vec<_> = (0..count)
            .map(|_| 0.5 * size * (round(random) * random.range(0.3, 1.0) + DVec3::Z * thin * random.range(-1.0, 1.0)))
            .collect();
        if let Ok(shape) = Shape::convex(&points) {
            return Piece::polyhedron(shape);
        }
    }
}

/// A capsule up to thirty radii long.
pub(crate) fn capsule(random: &mut Random, size: f64) -> Piece {
    let radius = 0.3 * size * shrink(random, 10.0);
    let shape = Shape::capsule(radius, size).expect("the sizes are valid");
    Piece { shape, body: Body::round(radius, 0.5 * size), half_width: radius }
}
