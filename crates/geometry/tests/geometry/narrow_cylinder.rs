//! Cylinders against every convex piece: the smallest gap is the distance or the least translation, proved without a
//! measure of its own.
//!
//! Along any direction the gap between the extents of two convex bodies is at most their distance. So a contact whose
//! gap is that of the extents along its normal, and whose two surface points are points of the two bodies, gives the
//! distance: the first bounds it from below, the second from above. Of bodies that overlap no direction may be found
//! along which they overlap less.

// Written so that NaN is a fault.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::narrow_support::exact::Body;
use crate::narrow_support::pieces::{cuboid, hull, shrink};
use crate::narrow_support::{Random, check_form, lowest, same_points, scaled, swapped, touch};
use granule_geometry::Shape;
use granule_model::{ContactPoint, DVec3, Pose};

/// A body of the test: a cylinder, or one of the measure.
enum Form {
    Cylinder { radius: f64, half_length: f64 },
    Other(Body),
}

struct Piece {
    shape: Shape,
    form: Form,
}

impl Piece {
    fn cylinder(radius: f64, length: f64) -> Piece {
        let shape = Shape::cylinder(radius, length).expect("the lengths are valid");
        Piece { shape, form: Form::Cylinder { radius, half_length: 0.5 * length } }
    }

    /// A cylinder, disc or rod of aspect up to 30.
    fn any_cylinder(random: &mut Random) -> Piece {
        let (size, thin) = (shrink(random, 10.0), shrink(random, 30.0));
        match random.next() % 3 {
            0 => Piece::cylinder(size, 2.0 * size * thin),
            1 => Piece::cylinder(size * thin, 2.0 * size),
            _ => Piece::cylinder(size, 2.0 * size),
        }
    }

    fn polyhedron(shape: Shape) -> Piece {
        Piece { form: Form::Other(Body::polyhedron(&shape)), shape }
    }

    fn any(random: &mut Random, kind: u64) -> Piece {
        let size = shrink(random, 10.0);
        match kind {
            0 => Piece {
                shape: Shape::sphere(size).expect("the radius is valid"),
                form: Form::Other(Body::round(size, 0.0)),
            },
            1 => {
                let half = size * shrink(random, 10.0);
                let shape = Shape::capsule(size, 2.0 * half).expect("the lengths are valid");
                Piece { shape, form: Form::Other(Body::round(size, half)) }
            }
            2 => Piece::polyhedron(cuboid(random, size)),
            3 => {
                let count = 4 + random.next() % 20;
                Piece::polyhedron(hull(random, size, count))
            }
            _ => Piece::any_cylinder(random),
        }
    }

    fn reach(&self, pose: &Pose, direction: DVec3) -> f64 {
        match &self.form {
            Form::Cylinder { radius, half_length } => {
                let own = pose.inverse_transform_vector(direction);
                pose.position.dot(direction) + radius * own.x.hypot(own.y) + half_length * own.z.abs()
            }
            Form::Other(body) => body.at(pose).reach(direction),
        }
    }

    /// Height of `point` above the surface, at most its distance from it.
    fn height(&self, pose: &Pose, point: DVec3) -> f64 {
        match &self.form {
            Form::Cylinder { radius, half_length } => {
                let own = pose.inverse_transform_point(point);
                (own.x.hypot(own.y) - radius).max(own.z.abs() - half_length)
            }
            Form::Other(body) => body.at(pose).height(point),
        }
    }
}

fn separation(a: &Piece, pa: &Pose, b: &Piece, pb: &Pose, direction: DVec3) -> f64 {
    -a.reach(pa, -direction) - b.reach(pb, direction)
}

/// The largest separation found from many directions, each made better as long as that works.
fn largest_separation(random: &mut Random, a: &Piece, pa: &Pose, b: &Piece, pb: &Pose) -> f64 {
    let along = |n: DVec3| separation(a, pa, b, pb, n);
    let mut starts: Vec<_> = (0..60).map(|_| random.direction()).map(|n| (along(n), n)).collect();
    starts.sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = f64::NEG_INFINITY;
    for &(mut level, mut n) in &starts[..3] {
        let mut step = 0.3;
        while step > 1e-6 {
            let better = (0..8).map(|_| (n + step * random.direction()).normalize()).find(|m| along(*m) > level);
            match better {
                Some(m) => (level, n) = (along(m), m),
                None => step *= 0.5,
            }
        }
        best = best.max(level);
    }
    best
}

/// Poses with a gap of about `gap` along some direction.
fn placed(random: &mut Random, a: &Piece, b: &Piece, gap: f64) -> [Pose; 2] {
    let (mut pa, mut pb) = (random.pose(1.0), random.pose(0.1));
    // Half of them exactly aligned in one way or another.
    if random.next().is_multiple_of(2) {
        pb.rotation = pa.rotation;
        if random.next().is_multiple_of(2) {
            pa.rotation *= granule_model::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        }
    }
    let normal = random.direction();
    let apart = separation(a, &pa, b, &pb, normal);
    pa.position += (gap.abs() - apart) * normal;
    let size = a.shape.bounding_radius() + b.shape.bounding_radius();
    if let Some(nearest) =
        touch(&a.shape, &pa, &b.shape, &pb, 10.0 * size).iter().min_by(|c, d| c.gap.total_cmp(&d.gap))
    {
        pa.position += (gap - nearest.gap) * nearest.normal;
    }
    [pa, pb]
}

/// Share of the size to which points lie on their surfaces or below them. Measured: 6.5e-9, for rims across edges.
const SURFACE: f64 = 2e-8;
/// Share of the size to which a gap is right. Measured: 2.1e-10, at corners of the clip that touch by its slack.
const TOLERANCE: f64 = 1e-9;

#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    overlapping: usize,
    worst_normal: f64,
    worst_surface: f64,
    worst_depth: f64,
    worst_swap: f64,
    points: usize,
    faults: usize,
}

impl Tally {
    fn fault(&mut self, text: impl FnOnce() -> String) {
        self.faults += 1;
        if self.faults <= 20 {
            println!("{}", text());
        }
    }

    fn pair(&mut self, random: &mut Random, a: &Piece, b: &Piece, [pa, pb]: [&Pose; 2], case: &str) {
        let size = a.shape.bounding_radius() + b.shape.bounding_radius();
        let all = touch(&a.shape, pa, &b.shape, pb, 10.0 * size);
        check_form(&all, 10.0 * size);
        self.pairs += 1;
        self.points += all.len();
        let Some(nearest) = all.iter().min_by(|c, d| c.gap.total_cmp(&d.gap)).copied() else {
            return self.fault(|| format!("{case}: nothing"));
        };
        // Of points that are as near, those beside the way may have directions of their own.
        let as_near = all.iter().filter(|c| c.gap <= nearest.gap + 0.1 * TOLERANCE * size);
        let extents = as_near.map(|c| separation(a, pa, b, pb, c.normal)).fold(f64::NEG_INFINITY, f64::max);
        let normal = (extents - nearest.gap).abs() / size;
        self.worst_normal = self.worst_normal.max(normal);
        if !(normal <= TOLERANCE) {
            self.fault(|| format!("{case}: gap {:e}, but {extents:e} along the normal; size {size:e}", nearest.gap));
        }
        if nearest.gap < 0.0 {
            self.overlapping += 1;
            let other = largest_separation(random, a, pa, b, pb);
            let depth = (other - nearest.gap) / size;
            self.worst_depth = self.worst_depth.max(depth);
            if !(depth <= TOLERANCE) {
                self.fault(|| format!("{case}: overlap {:e}, but {other:e} is possible; size {size:e}", nearest.gap));
            }
        }
        for c in &all {
            let half = 0.5 * c.gap * c.normal;
            let height = a.height(pa, c.point + half).max(b.height(pb, c.point - half)) / size;
            self.worst_surface = self.worst_surface.max(height);
            if !(height <= SURFACE) {
                self.fault(|| format!("{case}: {c:?} is off by {height:e}; size {size:e}"));
            }
        }
        self.arguments(a, b, [pa, pb], &all, nearest, size, case);
    }

    /// Margin, order of the bodies and scale change nothing.
    #[allow(clippy::too_many_arguments)]
    fn arguments(
        &mut self,
        a: &Piece,
        b: &Piece,
        [pa, pb]: [&Pose; 2],
        all: &[ContactPoint],
        nearest: ContactPoint,
        size: f64,
        case: &str,
    ) {
        for margin in [1.001 * nearest.gap.abs() + 1e-6 * size, 0.1 * size] {
            let points = touch(&a.shape, pa, &b.shape, pb, margin);
            check_form(&points, margin);
            let is_in = |c: &&ContactPoint| c.gap <= margin - TOLERANCE * size;
            let expected: Vec<_> = all.iter().filter(is_in).copied().collect();
            let found: Vec<_> = points.iter().filter(is_in).copied().collect();
            if !same_points(&expected, &found, size, 1e-7 * size) {
                self.fault(|| format!("{case} margin {margin:e}: {found:?} of {expected:?}"));
            }
        }
        let back = touch(&b.shape, pb, &a.shape, pa, 10.0 * size);
        let error = (lowest(&back).unwrap_or(f64::INFINITY) - nearest.gap).abs() / size;
        self.worst_swap = self.worst_swap.max(error);
        if !(error <= TOLERANCE) {
            self.fault(|| format!("{case}: swapped {back:?}, {all:?}"));
        }
        if a.shape.name() != b.shape.name() && swapped(&back) != all {
            self.fault(|| format!("{case}: swapped {back:?}, {all:?}"));
        }
    }
}

#[test]
fn the_smallest_gap_is_the_distance_or_the_least_translation() {
    let mut random = Random(0xC71);
    let mut tallies = Vec::new();
    for kind in 0..5 {
        let mut tally = Tally::default();
        for case in 0..250 {
            let (a, b) = (Piece::any(&mut random, kind), Piece::any_cylinder(&mut random));
            let half_width = a.shape.half_width().min(b.shape.half_width());
            let gap = match random.next() % 3 {
                0 => -0.02 * half_width * shrink(&mut random, 1e4),
                1 => 0.1 * half_width * shrink(&mut random, 1e6),
                _ => random.range(0.0, 1.0),
            };
            let [pa, pb] = placed(&mut random, &a, &b, gap);
            tally.pair(&mut random, &a, &b, [&pa, &pb], &format!("{} {case} gap {gap:e}", a.shape.name()));
        }
        println!("{kind} {tally:#?}");
        tallies.push(tally);
    }
    assert!(tallies.iter().all(|t| t.faults == 0 && t.overlapping > 60), "{tallies:?}");
}

#[test]
fn a_power_of_two_scales_the_answer_exactly() {
    let mut random = Random(0xC72);
    for (case, factor) in (0..200).flat_map(|case| [1.0 / 1024.0, 128.0].map(|factor| (case, factor))) {
        let (half, length) = (random.range(0.1, 1.0), random.range(0.1, 2.0));
        let (radius, edge) = (random.range(0.1, 1.0), DVec3::new(0.4, 0.9, 0.3));
        let make = |f: f64| {
            let valid = "the lengths are valid";
            let first = Shape::cylinder(half * f, length * f).expect(valid);
            let second = if case % 2 == 0 { Shape::cuboid(edge * f) } else { Shape::cylinder(radius * f, 0.5 * f) };
            (first, second.expect(valid))
        };
        let (pa, pb) = (random.pose(0.6), random.pose(0.6));
        let ((a, b), (c, d)) = (make(1.0), make(factor));
        let one = touch(&a, &pa, &b, &pb, 1.0);
        let other = touch(&c, &scaled(&pa, factor), &d, &scaled(&pb, factor), factor);
        assert_eq!(one.len(), other.len());
        for (p, q) in one.iter().zip(&other) {
            assert_eq!((p.gap * factor, p.normal, p.point * factor), (q.gap, q.normal, q.point), "{case}");
            assert_eq!(p.feature, q.feature);
        }
    }
}
