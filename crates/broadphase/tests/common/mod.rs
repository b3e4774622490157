//! What the tests of the broad phase share: a generator of numbers and the brute-force reference.

use granule_broadphase::BroadPhaseInput;
use granule_model::{Aabb, DVec3};

/// SplitMix64: small, seeded, the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [-1, 1) along each axis.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - DVec3::ONE
    }
}

/// Every pair whose boxes, each grown by its own amount, meet, and the balls in them where both are round; in
/// lexicographic order.
pub(crate) fn brute_force(input: &BroadPhaseInput, grown: impl Fn(usize) -> f64) -> Vec<(u32, u32)> {
    let boxes: Vec<Aabb> = (0..input.boxes.len()).map(|i| input.boxes[i].padded(grown(i))).collect();
    let mut pairs = Vec::new();
    for a in 0..boxes.len() {
        for b in a + 1..boxes.len() {
            let both = input.present[a] && input.present[b];
            let balls_meet = || {
                let radii = 0.5 * (boxes[a].size().x + boxes[b].size().x);
                boxes[a].center().distance(boxes[b].center()) <= radii
            };
            let meet = boxes[a].overlaps(&boxes[b]) && (!(input.round[a] && input.round[b]) || balls_meet());
            if both && (input.movable[a] || input.movable[b]) && meet {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}
