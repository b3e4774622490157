//! The smallest gap of convex pieces of any form is their distance or their depth, whatever the margin.
//!
//! Features of both bodies (corner, edge or face) are laid against each other at a known gap, exactly or slightly tilted, and the
//! answer at every margin is held against a measure of its own.

mod narrow_support;

use granule_geometry::Shape;
use granule_model::{ContactPoint, DQuat, DVec3, Pose};
use narrow_support::exact::{Body, separation, signed_distance};
use narrow_support::{Random, check_form, lowest, touch};

/// A piece of a body: the shape, and the same for the measure.
struct Piece {
    shape: Shape,
    body: Body,
    half_width: f64,
}

impl Piece {
    fn polyhedron(shape: Shape) -> Self {
        Piece { body: Body::polyhedron(&shape), half_width: shape.half_width(), shape }
    }
}

/// A power of `base` between 1 and 1/`base`.
fn shrink(random: &mut Random, base: f64) -> f64 {
    libm::pow(base, -random.range(0.0, 1.0))
}

/// A cuboid, plate or rod of aspect up to 100.
fn cuboid(random: &mut Random, size: f64) -> Shape {
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
fn hull(random: &mut Random, size: f64, count: u64) -> Shape {
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
fn piece(random: &mut Random) -> Piece {
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
fn placed(random: &mut Random, a: &Body, b: &Body, gap: f64) -> [Pose; 2] {
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

/// What was found over many pairs.
#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    /// Smallest gap, over the size.
    worst_gap: f64,
    /// Deepest overlap reported of bodies that do not overlap so much, over the half width.
    worst_overlap: f64,
    /// Separation along the normal less the smallest gap, over the size.
    worst_normal: f64,
    /// Height of the points of a contact above the surfaces that they are on, over the size.
    worst_surface: f64,
    wrong_gap: usize,
    missing: usize,
    phantom: usize,
    margin_bound: usize,
    swap: usize,
    wrong_normal: usize,
    off_surface: usize,
}

/// Share of the size to which the gap is right. Measured: 1.7e-9, at the tip of needles, where slack of the clip beside an edge is more
/// beyond the tip; for balls and capsules 4e-14.
const TOLERANCE: f64 = 2e-9;
/// Share of the size to which the gap is the separation along the normal. Measured: 2e-8, for edges parallel to 1e-8.
const NORMAL: f64 = 4e-8;
/// The same for two capsules, which lie side by side up to this angle. Measured: 5.8e-7.
const SIDE_BY_SIDE: f64 = 1e-6;
/// Rounding of a coordinate of order 1.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Tally {
    fn pair(&mut self, a: (&Shape, &Body), b: (&Shape, &Body), [pa, pb]: [&Pose; 2], half_width: f64, case: usize) {
        let (in_world, other) = (a.1.at(pa), b.1.at(pb));
        let size = a.1.extent() + b.1.extent();
        let exact = signed_distance(&in_world, &other);
        let slack = TOLERANCE * size;
        self.pairs += 1;
        let all = touch(a.0, pa, b.0, pb, 10.0 * size);
        let shares = [0.0, 0.09, 0.5, 0.999, 1.001, 1.4, 3.0];
        let margins =
            shares.iter().map(|s| s * exact.abs()).chain([1e-6 * size, 1e-3 * size, 0.1 * size, size, 10.0 * size]);
        for margin in margins {
            let points = touch(a.0, pa, b.0, pb, margin);
            check_form(&points, margin);
            self.one(&points, exact, margin, size, half_width, case);
            if !same_within(&points, &all, margin, slack) {
                self.margin_bound += 1;
                self.say(case, &format!("margin {margin:e} of {size:e}, exact {exact:e}: {points:?} of {all:?}"));
            }
            let back = touch(b.0, pb, a.0, pa, margin);
            let edge = (exact - margin).abs() <= slack;
            let (one, two) = (lowest(&points).unwrap_or(f64::INFINITY), lowest(&back).unwrap_or(f64::INFINITY));
            if !(edge || one == two || (one - two).abs() <= slack) {
                self.swap += 1;
                self.say(case, &format!("swapped {one:e} {two:e}, exact {exact:e}"));
            }
        }
        let Some(ContactPoint { gap, normal, .. }) = all.iter().min_by(|c, d| c.gap.total_cmp(&d.gap)) else { return };
        let error = (separation(&in_world, &other, *normal) - gap).abs() / size;
        self.worst_normal = self.worst_normal.max(error);
        // The direction between points that are near is known to rounding over their distance.
        let known = if exact > 0.0 { ROUNDING * (1.0 + size) / (exact + in_world.radius + other.radius) } else { 0.0 };
        let are_capsules = in_world.corners.len().max(other.corners.len()) == 2;
        if error > known + if are_capsules { SIDE_BY_SIDE } else { NORMAL } {
            self.wrong_normal += 1;
            self.say(case, &format!("normal {error:e} gap {gap:e} exact {exact:e} size {size:e}"));
        }
        for c in &all {
            let half = 0.5 * c.gap * c.normal;
            let height = in_world.height(c.point + half).max(other.height(c.point - half)) / size;
            self.worst_surface = self.worst_surface.max(height);
            if height > 2.0 * TOLERANCE {
                self.off_surface += 1;
                self.say(case, &format!("height {height:e} of {c:?} exact {exact:e} size {size:e}"));
            }
        }
    }

    fn one(&mut self, points: &[ContactPoint], exact: f64, margin: f64, size: f64, half_width: f64, case: usize) {
        let slack = TOLERANCE * size;
        match lowest(points) {
            Some(gap) => {
                self.worst_gap = self.worst_gap.max((gap - exact).abs() / size);
                self.worst_overlap = self.worst_overlap.max((exact.min(0.0) - gap) / half_width);
                if exact > 0.0 && gap < -slack {
                    self.phantom += 1;
                    self.say(case, &format!("phantom {gap:e} for {exact:e} at margin {margin:e}"));
                } else if (gap - exact).abs() > slack {
                    self.wrong_gap += 1;
                    self.say(case, &format!("gap {gap:e} for {exact:e} at margin {margin:e} size {size:e}"));
                }
            }
            None if exact < margin - slack => {
                self.missing += 1;
                self.say(case, &format!("missing {exact:e} at margin {margin:e}"));
            }
            None => {}
        }
    }

    fn faults(&self) -> usize {
        self.wrong_gap
            + self.missing
            + self.phantom
            + self.margin_bound
            + self.swap
            + self.wrong_normal
            + self.off_surface
    }

    fn say(&self, case: usize, text: &str) {
        if self.faults() <= 40 {
            println!("{case}: {text}");
        }
    }
}

/// The points of a small margin are those of a large one that lie within it, to `slack` at its border.
fn same_within(points: &[ContactPoint], all: &[ContactPoint], margin: f64, slack: f64) -> bool {
    let near = |c: &ContactPoint, d: &ContactPoint| {
        (c.point - d.point).length() <= slack
            && (c.gap - d.gap).abs() <= slack
            && (c.normal - d.normal).length() <= 1e-9
    };
    points.iter().all(|c| all.iter().any(|d| near(c, d)))
        && all.iter().filter(|c| c.gap <= margin - slack).all(|c| points.iter().any(|d| near(c, d)))
}

/// A gap between a hundredth of the half width of overlap and half the size.
fn gap(random: &mut Random, half_width: f64, size: f64) -> f64 {
    match random.next() % 4 {
        0 => -0.01 * half_width * random.range(0.0, 1.0),
        1 => 0.1 * half_width * shrink(random, 1e4),
        2 => 0.5 * size * shrink(random, 1e6),
        _ => 0.5 * size * random.range(0.0, 1.0),
    }
}

#[test]
fn the_smallest_gap_of_polyhedra_is_their_distance_whatever_the_margin() {
    let mut random = Random(71);
    let mut tally = Tally::default();
    for case in 0..6000 {
        let (a, b) = (piece(&mut random), piece(&mut random));
        let half_width = a.half_width.min(b.half_width);
        let gap = gap(&mut random, half_width, a.body.extent() + b.body.extent());
        let [pa, pb] = placed(&mut random, &a.body, &b.body, gap);
        tally.pair((&a.shape, &a.body), (&b.shape, &b.body), [&pa, &pb], half_width, case);
    }
    println!("{tally:#?}");
    assert_eq!(tally.faults(), 0);
}

#[test]
fn balls_and_capsules_are_as_far_from_polyhedra_as_their_cores_less_the_radius() {
    let mut random = Random(72);
    let mut tally = Tally::default();
    for case in 0..4000_usize {
        let a = round(&mut random);
        let b = if case.is_multiple_of(4) { round(&mut random) } else { piece(&mut random) };
        let half_width = a.half_width.min(b.half_width);
        let gap = gap(&mut random, half_width, a.body.extent() + b.body.extent());
        let [pa, pb] = placed(&mut random, &a.body, &b.body, gap);
        tally.pair((&a.shape, &a.body), (&b.shape, &b.body), [&pa, &pb], half_width, case);
    }
    println!("{tally:#?}");
    assert_eq!(tally.faults(), 0);
}

/// A ball or a capsule up to 60 radii long.
fn round(random: &mut Random) -> Piece {
    let size = shrink(random, 30.0);
    let (radius, length) =
        (0.5 * size * shrink(random, 30.0), if random.next().is_multiple_of(3) { 0.0 } else { size });
    let shape = if length > 0.0 { Shape::capsule(radius, length) } else { Shape::sphere(radius) };
    Piece { shape: shape.expect("the sizes are valid"), body: Body::round(radius, 0.5 * length), half_width: radius }
}

/// Bodies of several pieces that are apart are as far apart as the nearest two of their pieces.
#[test]
fn compounds_are_as_far_apart_as_their_nearest_pieces() {
    let mut random = Random(73);
    let (mut met, mut worst) = (0, 0.0_f64);
    for case in 0..1500 {
        let [a, b] = [(); 2].map(|()| parts(&mut random));
        let [whole_a, whole_b] = [&a, &b].map(|parts| {
            // Parts are given by their own axes, pieces by their body axes.
            let part = |(pose, piece): &(Pose, Piece)| (pose.compose(&piece.shape.frame()), piece.shape.clone());
            Shape::compound(parts.iter().map(part).collect()).expect("the parts are valid")
        });
        let (first, second) = (&a[0], &b[0]);
        let size = first.1.body.extent() + second.1.body.extent();
        let gap = gap(&mut random, first.1.half_width.min(second.1.half_width), size).abs();
        let [pa, pb] = placed(&mut random, &first.1.body, &second.1.body, gap);
        // The piece's own axes are at these poses; those of the body follow.
        let own = |pose: &Pose, part: &Pose| pose.compose(&part.inverse());
        let (pa, pb) = (own(&pa, &first.0), own(&pb, &second.0));
        let world = |pose: &Pose, parts: &[(Pose, Piece)]| -> Vec<Body> {
            parts.iter().map(|(at, piece)| piece.body.at(&pose.compose(at))).collect()
        };
        let (bodies_a, bodies_b) = (world(&pa, &a), world(&pb, &b));
        let pairs = bodies_a.iter().flat_map(|x| bodies_b.iter().map(move |y| signed_distance(x, y)));
        let exact = pairs.fold(f64::INFINITY, f64::min);
        let size = bodies_a.iter().chain(&bodies_b).map(Body::extent).sum::<f64>();
        if exact < 0.0 {
            continue;
        }
        let (pose_a, pose_b) = (own(&pa, &whole_a.frame()), own(&pb, &whole_b.frame()));
        let all = touch(&whole_a, &pose_a, &whole_b, &pose_b, 10.0 * size);
        for share in [0.0, 0.09, 0.5, 0.999, 1.001, 1.4, 3.0, 1e6] {
            let margin = (share * exact).min(10.0 * size);
            let points = touch(&whole_a, &pose_a, &whole_b, &pose_b, margin);
            check_form(&points, margin);
            assert!(same_within(&points, &all, margin, 1e-6 * size), "{case} {share} {points:?} {all:?}");
            match lowest(&points) {
                Some(found) => {
                    met += 1;
                    worst = worst.max((found - exact).abs() / size);
                    assert!((found - exact).abs() <= TOLERANCE * size, "{case} {share}: {found:e} for {exact:e}");
                }
                None => assert!(exact >= margin - TOLERANCE * size, "{case} {share}: missing {exact:e}"),
            }
        }
    }
    println!("answers {met}, worst {worst:e}");
    assert!(met > 2000, "{met}");
}

/// A cross, or two to four pieces near each other.
fn parts(random: &mut Random) -> Vec<(Pose, Piece)> {
    let size = shrink(random, 10.0);
    if random.next().is_multiple_of(3) {
        return DVec3::AXES
            .map(|axis| Shape::cuboid((DVec3::ONE + 2.0 * axis) * size).expect("the size is valid"))
            .map(|shape| (Pose::IDENTITY, Piece::polyhedron(shape)))
            .into();
    }
    let count = 2 + random.next() % 3;
    (0..count)
        .map(|_| {
            let piece = if random.next().is_multiple_of(4) { round(random) } else { piece(random) };
            (random.pose(0.3), piece)
        })
        .collect()
}
