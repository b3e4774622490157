//! Convex bodies about to touch: the direction is that of a wider gap, however small the gap has become.
//!
//! A body moved along the direction in which it and another are nearest keeps its nearest points and that direction
//! exactly. So what is found at a gap that is wide to rounding tells what to find at every smaller one, down to touch
//! and, of an overlap too small to be anything but rounding, beyond. Steps that end where bodies touch leave such gaps.

// Written so that NaN is a fault.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::narrow_support::exact::Body;
use crate::narrow_support::pieces::{hull, shrink};
use crate::narrow_support::{Random, touch};
use granule_geometry::Shape;
use granule_model::{ContactPoint, DQuat, DVec3, Pose};

/// Gap at which the direction is known to rounding, over the size.
const WIDE: f64 = 1e-3;
/// Corners this near the highest (share of the size) touch with it.
const LEVEL: f64 = 1e-7;
/// Gaps asked, over the size.
const GAPS: [f64; 13] = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 5e-11, 1e-11, 1e-13, 0.0, -1e-13, -1e-11, -1e-10];
const KINDS: [&str; 4] = ["capsule", "cuboid", "hull", "cylinder"];

fn shape(random: &mut Random, kind: &str) -> Shape {
    let size = shrink(random, 5.0);
    let (thin, flat) = (size * shrink(random, 5.0), size * shrink(random, 5.0));
    let shape = match kind {
        "capsule" => Shape::capsule(size, thin),
        "cuboid" => Shape::cuboid(DVec3::new(size, thin, flat)),
        "hull" => Ok(hull(random, size, 12)),
        _ => Shape::cylinder(size, 2.0 * thin),
    };
    shape.expect("the lengths are valid")
}

/// Any turn, or one that lays axes and faces along each other.
fn turned(random: &mut Random, other: DQuat) -> DQuat {
    match random.next() % 6 {
        0 => other,
        1 => other * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        _ => random.rotation(),
    }
}

/// With what a body touches along a direction.
enum Feature {
    /// A face, an end or what is curved: no other direction is at right angles to it.
    Smooth,
    /// An edge or a rim, and the way it runs.
    Edge(DVec3),
    Corner,
}

fn feature(shape: &Shape, kind: &str, pose: &Pose, outward: DVec3) -> Feature {
    let own = pose.inverse_transform_vector(outward);
    match kind {
        "capsule" => Feature::Smooth,
        "cylinder" if own.z.abs().min(own.x.hypot(own.y)) < LEVEL => Feature::Smooth,
        "cylinder" => Feature::Edge(pose.transform_vector(DVec3::new(-own.y, own.x, 0.0)).normalize()),
        _ => {
            let corners = Body::polyhedron(shape).at(pose).corners;
            let top = corners.iter().map(|c| c.dot(outward)).fold(f64::NEG_INFINITY, f64::max);
            let high: Vec<_> =
                corners.iter().filter(|c| c.dot(outward) >= top - LEVEL * shape.bounding_radius()).collect();
            match high[..] {
                [_] => Feature::Corner,
                [p, q] => Feature::Edge((*q - *p).normalize()),
                _ => Feature::Smooth,
            }
        }
    }
}

/// Whether bodies that touch along a direction do so along no other.
fn is_only(features: [Feature; 2]) -> bool {
    match features {
        [Feature::Smooth, _] | [_, Feature::Smooth] => true,
        [Feature::Edge(one), Feature::Edge(other)] => one.cross(other).length() > 0.03,
        _ => false,
    }
}

fn nearest(points: &[ContactPoint]) -> Option<ContactPoint> {
    points.iter().copied().reduce(|best, next| if next.gap < best.gap { next } else { best })
}

/// Two bodies `WIDE` apart, the direction between them, and their size.
fn apart(random: &mut Random, a: &Shape, b: &Shape) -> Option<([Pose; 2], ContactPoint, f64)> {
    let size = a.bounding_radius() + b.bounding_radius();
    let pb = random.pose(0.1);
    let mut pa = Pose::new(pb.position + 1.1 * size * random.direction(), turned(random, pb.rotation));
    for _ in 0..3 {
        let found = nearest(&touch(a, &pa, b, &pb, 4.0 * size))?;
        pa.position += (WIDE * size - found.gap) * found.normal;
    }
    let found = nearest(&touch(a, &pa, b, &pb, 4.0 * size))?;
    ((found.gap / (WIDE * size) - 1.0).abs() < 1e-6).then_some(([pa, pb], found, size))
}

/// What is the matter with the contacts of bodies moved along `wide.normal` to a gap of `gap`: how far the direction of
/// the nearest, its gap and the directions of others as near are off.
fn off(points: &[ContactPoint], wide: &ContactPoint, gap: f64, size: f64) -> [f64; 3] {
    let Some(found) = nearest(points) else { return [f64::INFINITY; 3] };
    let angle = |c: &ContactPoint| (c.normal - wide.normal).length();
    let as_near = points.iter().filter(|c| c.gap <= gap.max(0.0) + 1e-10 * size).map(angle).fold(0.0, f64::max);
    [angle(&found), (found.gap - gap).abs() / size, as_near]
}

/// Limits of what is off. Measured: 5.6e-9, 6e-11 and 5.6e-9.
const LIMITS: [f64; 3] = [2e-8, 1e-9, 2e-8];

/// Pairs of two kinds.
const PAIRS: u32 = 400;

/// The worst of what is off over the pairs of two kinds.
fn worst_of(random: &mut Random, kinds: [&str; 2]) -> [f64; 3] {
    let (mut worst, mut pairs) = ([0.0_f64; 3], 0);
    while pairs < PAIRS {
        let (a, b) = (shape(random, kinds[0]), shape(random, kinds[1]));
        let Some(([pa, pb], wide, size)) = apart(random, &a, &b) else { continue };
        if !is_only([feature(&a, kinds[0], &pa, -wide.normal), feature(&b, kinds[1], &pb, wide.normal)]) {
            continue;
        }
        pairs += 1;
        for gap in GAPS.map(|gap| gap * size) {
            let moved = Pose::new(pa.position + (gap - wide.gap) * wide.normal, pa.rotation);
            let off = off(&touch(&a, &moved, &b, &pb, 1e-2 * size), &wide, gap, size);
            if (0..3).any(|j| !(off[j] <= LIMITS[j])) {
                println!("{kinds:?} {pairs}: gap {:.1e}, off by {off:?}", gap / size);
            }
            worst = std::array::from_fn(|j| worst[j].max(off[j]));
        }
    }
    worst
}

/// Of rims that met rims, a point at the surface had been told the direction of the side or of the end, whichever, in
/// the place of that of the pair: 152 of 400 pairs of cylinders 1e-10 of their size apart, by up to 0.8. Other
/// directions of cylinders were lost with the difference of the nearest points, by some 1e-5.
#[test]
fn a_direction_stays_as_it_is_down_to_touch() {
    let mut random = Random(0x70C4);
    let mut is_right = true;
    for (i, first) in KINDS.into_iter().enumerate() {
        for second in &KINDS[i..] {
            let worst = worst_of(&mut random, [first, second]);
            println!("{first}, {second}: off by {worst:?}");
            is_right &= (0..3).all(|j| worst[j] <= LIMITS[j]);
        }
    }
    assert!(is_right);
}
