//! Two boxes: signed distance against independent routes, resting contacts, symmetry.

use crate::narrow_support::{Random, check_form, lowest, same_points, swapped, touch};
use granule_geometry::Shape;
use granule_model::{DMat3, DQuat, DVec3, Pose};

struct Block {
    half: DVec3,
    pose: Pose,
}

impl Block {
    fn corners(&self) -> Vec<DVec3> {
        (0..8)
            .map(|i| {
                let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                self.pose.transform_point(self.half * DVec3::new(sign(0), sign(1), sign(2)))
            })
            .collect()
    }

    fn edges(&self) -> Vec<[DVec3; 2]> {
        let corners = self.corners();
        (0..3)
            .flat_map(|axis| (0..8_usize).filter(move |i| i >> axis & 1 == 0).map(move |i| (i, i | 1 << axis)))
            .map(|(i, j)| [corners[i], corners[j]])
            .collect()
    }

    /// Distance of a point; zero inside.
    fn distance(&self, p: DVec3) -> f64 {
        let local = self.pose.inverse_transform_point(p);
        (local - local.clamp(-self.half, self.half)).length()
    }
}

/// Separation along `axis` by projecting all corners.
fn separation(a: &[DVec3], b: &[DVec3], axis: DVec3) -> f64 {
    let span = |points: &[DVec3]| {
        points.iter().map(|p| p.dot(axis)).fold((f64::INFINITY, f64::NEG_INFINITY), |s, h| (s.0.min(h), s.1.max(h)))
    };
    let ((a0, a1), (b0, b1)) = (span(a), span(b));
    (a0 - b1).max(b0 - a1)
}

fn segment_distance(p: [DVec3; 2], q: [DVec3; 2]) -> f64 {
    let to_segment = |x: DVec3, s: [DVec3; 2]| {
        let d = s[1] - s[0];
        (x - s[0] - ((x - s[0]).dot(d) / d.length_squared()).clamp(0.0, 1.0) * d).length()
    };
    let mut best = f64::INFINITY;
    for x in p {
        best = best.min(to_segment(x, q));
    }
    for x in q {
        best = best.min(to_segment(x, p));
    }
    let (d, e, w) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let n = d.cross(e);
    if n.length_squared() > 0.0 {
        let s = -e.cross(n).dot(w) / n.length_squared();
        let t = -d.cross(n).dot(w) / n.length_squared();
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = best.min((w + s * d - t * e).length());
        }
    }
    best
}

/// Signed distance of two boxes: all corner projections on fifteen axes, or all corner-box and edge-edge distances.
fn signed_distance(a: &Block, b: &Block) -> f64 {
    let (ca, cb) = (a.corners(), b.corners());
    let (ra, rb) = (DMat3::from_quat(a.pose.rotation), DMat3::from_quat(b.pose.rotation));
    let mut axes = vec![];
    for i in 0..3 {
        axes.extend([ra.col(i), rb.col(i)]);
        for j in 0..3 {
            axes.extend(ra.col(i).cross(rb.col(j)).try_normalize());
        }
    }
    let best = axes.iter().map(|&n| separation(&ca, &cb, n)).fold(f64::NEG_INFINITY, f64::max);
    if best <= 0.0 {
        return best;
    }
    let mut least = f64::INFINITY;
    ca.iter().for_each(|&p| least = least.min(b.distance(p)));
    cb.iter().for_each(|&p| least = least.min(a.distance(p)));
    for e in a.edges() {
        for f in b.edges() {
            least = least.min(segment_distance(e, f));
        }
    }
    least
}

#[test]
fn lowest_gap_is_the_signed_distance() {
    let mut random = Random(1);
    let (mut over, mut apart, mut worst) = (0, 0, 0.0_f64);
    for _ in 0..20_000 {
        let block = |random: &mut Random| Block {
            half: DVec3::from_array([0; 3].map(|_| random.range(0.2, 1.0))),
            pose: random.pose(1.1),
        };
        let (a, b) = (block(&mut random), block(&mut random));
        let size = a.half.length() + b.half.length();
        let expected = signed_distance(&a, &b);
        if expected.abs() > 0.1 * size {
            continue;
        }
        let (sa, sb) = (Shape::cuboid(2.0 * a.half).unwrap(), Shape::cuboid(2.0 * b.half).unwrap());
        let margin = 0.1 * size;
        let points = touch(&sa, &a.pose, &sb, &b.pose, margin);
        check_form(&points, margin);
        let gap = lowest(&points).unwrap_or_else(|| panic!("lost at {expected}: {:?} {:?}", a.pose, b.pose));
        // Measured: at most 6e-16 of the size.
        worst = worst.max((gap - expected).abs() / size);
        assert!((gap - expected).abs() <= 1e-9 * size, "{gap} for {expected}, {:?} {:?}", a.pose, b.pose);
        // The gap is the distance between a point of each surface.
        for c in &points {
            let (on_a, on_b) = (c.point + 0.5 * c.gap * c.normal, c.point - 0.5 * c.gap * c.normal);
            assert!(a.distance(on_a) <= 2e-9 * size && b.distance(on_b) <= 2e-9 * size, "{c:?}");
        }
        let back = swapped(&touch(&sb, &b.pose, &sa, &a.pose, margin));
        assert!(same_points(&points, &back, size, 1e-9 * size), "{points:?} against {back:?}");
        if expected > 0.0 { apart += 1 } else { over += 1 }
    }
    println!("overlapping {over}, apart {apart}, worst {worst:e}");
    assert!(over > 1000 && apart > 1000, "{over} {apart}");
}

#[test]
fn a_box_flat_on_a_box_has_four_equal_gaps() {
    let small = Shape::cuboid(DVec3::splat(2.0)).unwrap();
    let large = Shape::cuboid(DVec3::new(5.0, 5.0, 1.0)).unwrap();
    for (turn, gap) in [(0.0, -0.01), (0.3, 0.0), (0.3, 0.05), (0.785, -0.01)] {
        let pose = Pose::new(DVec3::new(0.2, 0.1, 1.5 + gap), DQuat::from_rotation_z(turn));
        let points = touch(&small, &pose, &large, &Pose::IDENTITY, 0.1);
        assert_eq!(points.len(), 4, "{points:?}");
        for c in &points {
            // Measured: at most 3e-16.
            assert!((c.gap - gap).abs() <= 1e-14 && (c.normal - DVec3::Z).length() <= 1e-14, "{c:?}");
        }
    }
}

#[test]
fn an_octagon_of_turned_squares_keeps_all_corners() {
    let cube = Shape::cuboid(DVec3::splat(2.0)).unwrap();
    let pose = Pose::new(DVec3::new(0.0, 0.0, 1.99), DQuat::from_rotation_z(0.5));
    assert_eq!(touch(&cube, &pose, &cube, &Pose::IDENTITY, 0.1).len(), 8);
}

#[test]
fn aligned_stacks_keep_their_keys_when_nudged() {
    let cube = Shape::cuboid(DVec3::splat(2.4)).unwrap();
    let keys = |pose: &Pose| {
        let mut keys: Vec<_> = touch(&cube, pose, &cube, &Pose::IDENTITY, 0.1).iter().map(|c| c.feature).collect();
        keys.sort_unstable();
        keys
    };
    let first = keys(&Pose::from_position(DVec3::new(0.0, 0.0, 2.39)));
    assert_eq!(first.len(), 4);
    let mut random = Random(5);
    for _ in 0..200 {
        let q = DQuat::from_scaled_axis(random.vector(1e-10));
        let pose = Pose::new(DVec3::new(0.0, 0.0, 2.39) + random.vector(1e-10), q);
        assert_eq!(keys(&pose), first);
    }
}

#[test]
fn parallel_edges_that_are_nearest_give_both_ends() {
    let cube = Shape::cuboid(DVec3::splat(2.0)).unwrap();
    let pose = Pose::from_position(DVec3::new(2.3, 2.4, 0.5));
    let points = touch(&cube, &pose, &cube, &Pose::IDENTITY, 1.0);
    assert_eq!(points.len(), 2);
    for c in &points {
        assert!((c.gap - 0.5).abs() <= 1e-12 && (c.normal - DVec3::new(0.6, 0.8, 0.0)).length() <= 1e-12, "{c:?}");
    }
    assert!((points[0].point.z - points[1].point.z).abs() >= 1.5 - 1e-12);
}
