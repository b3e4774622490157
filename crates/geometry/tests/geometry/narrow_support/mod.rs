//! What the tests of the narrow phase share: reproducible random numbers, poses, and the contract every pair obeys.
#![allow(dead_code)]

pub(crate) mod exact;
pub(crate) mod pieces;

use granule_geometry::{Shape, contacts};
use granule_model::{ContactPoint, DQuat, DVec3, Pose};

/// A reproducible stream of numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn vector(&mut self, reach: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.range(-reach, reach)))
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        loop {
            let q = [0; 4].map(|_| self.range(-1.0, 1.0));
            let q = DQuat::from_array(q);
            if (0.01..=1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(self.vector(reach), self.rotation())
    }
}

pub(crate) fn touch(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, margin, &mut out);
    out
}

pub(crate) fn lowest(points: &[ContactPoint]) -> Option<f64> {
    points.iter().map(|c| c.gap).reduce(f64::min)
}

/// What holds of every answer: unit normals, gaps within the margin, finite numbers, keys that differ.
pub(crate) fn check_form(points: &[ContactPoint], margin: f64) {
    for (i, c) in points.iter().enumerate() {
        assert!((c.normal.length() - 1.0).abs() <= 1e-12, "{c:?}");
        assert!(c.gap <= margin && c.gap.is_finite() && c.point.is_finite(), "{c:?}");
        assert!(points[..i].iter().all(|d| d.feature != c.feature), "{points:?}");
    }
}

/// Every point of `one` has a partner in `other` within `tolerance` (a length; normals relative to `size`).
pub(crate) fn same_points(one: &[ContactPoint], other: &[ContactPoint], size: f64, tolerance: f64) -> bool {
    let near = |c: &ContactPoint, d: &ContactPoint| {
        (c.point - d.point).length() <= tolerance
            && (c.gap - d.gap).abs() <= tolerance
            && (c.normal - d.normal).length() * size <= tolerance
    };
    let held = |p: &[ContactPoint], q: &[ContactPoint]| p.iter().all(|c| q.iter().any(|d| near(c, d)));
    one.len() == other.len() && held(one, other) && held(other, one)
}

pub(crate) fn swapped(points: &[ContactPoint]) -> Vec<ContactPoint> {
    points.iter().map(|c| c.swapped()).collect()
}

pub(crate) fn moved(pose: &Pose, by: &Pose) -> Pose {
    by.compose(pose)
}

pub(crate) fn scaled(pose: &Pose, factor: f64) -> Pose {
    Pose::new(pose.position * factor, pose.rotation)
}
