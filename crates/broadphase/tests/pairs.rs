//! The kept list against brute force: fresh, over moving sequences, at every scale and number of threads.

mod common;

use common::{Random, brute_force};
use granule_broadphase::{BroadPhase, BroadPhaseInput, PairList};
use granule_model::{Aabb, DVec3};
use proptest::prelude::*;

/// A crowd of boxes that can move; lengths in units of the smallest box's largest half edge.
#[derive(Clone, Default)]
struct Crowd {
    boxes: Vec<Aabb>,
    movable: Vec<bool>,
    present: Vec<bool>,
    round: Vec<bool>,
    reach: Vec<f64>,
}

impl Crowd {
    /// `count` boxes of sizes 1 to `ratio`, the small ones most frequent, half of them round, some of them static,
    /// absent or infinite, in a region that makes a good part of them meet; times `scale`, moved by `offset`.
    fn random(count: usize, ratio: f64, scale: f64, offset: DVec3, seed: u64) -> Crowd {
        let mut random = Random(seed);
        let mut crowd = Crowd::default();
        let region = 1.6 * (count as f64).cbrt() * (1.0 + 0.05 * ratio);
        for i in 0..count {
            let size = ratio * (1.0 / ratio + random.unit() * (1.0 - 1.0 / ratio)).powi(3).max(1.0 / ratio);
            let round = random.unit() < 0.5;
            let half =
                if round { DVec3::splat(size) } else { size * (DVec3::splat(0.6) + 0.4 * random.vector().abs()) };
            let center = region * random.vector();
            let mut bounds = Aabb::new(scale * (center - half) + offset, scale * (center + half) + offset);
            // Few enough of the infinite ones that they do not outnumber all other pairs in a large crowd.
            let kind = if i < 400 { random.bits() % 60 } else { 60 };
            match kind {
                // Half-spaces along z or x, the whole space, nothing.
                0 => {
                    (bounds.min, bounds.max) =
                        (DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, f64::INFINITY, bounds.max.z))
                }
                1 => {
                    (bounds.min, bounds.max) =
                        (DVec3::new(bounds.min.x, f64::NEG_INFINITY, f64::NEG_INFINITY), DVec3::INFINITY)
                }
                2 => bounds = Aabb::EVERYTHING,
                3 => bounds = Aabb::EMPTY,
                _ => {}
            }
            crowd.boxes.push(bounds);
            crowd.round.push(round && kind >= 4);
            crowd.movable.push(random.unit() < 0.75);
            crowd.present.push(random.unit() < 0.9);
            crowd.reach.push(scale * 0.3 * random.unit());
        }
        crowd
    }

    fn input(&self) -> BroadPhaseInput<'_> {
        BroadPhaseInput {
            boxes: &self.boxes,
            movable: &self.movable,
            present: &self.present,
            round: &self.round,
            origin: DVec3::ZERO,
        }
    }

    /// Makes cubes of all bounded boxes, for balls.
    fn become_balls(&mut self) {
        for (bounds, round) in self.boxes.iter_mut().zip(&mut self.round) {
            if bounds.is_finite() {
                let (center, half) = (bounds.center(), 0.5 * bounds.size().x);
                *bounds = Aabb::new(center - half, center + half);
                *round = true;
            }
        }
    }

    /// Moves every body that can move along its own straight line.
    fn shift(&mut self, velocity: &[DVec3]) {
        for i in (0..self.boxes.len()).filter(|&i| self.movable[i]) {
            self.boxes[i] = Aabb::new(self.boxes[i].min + velocity[i], self.boxes[i].max + velocity[i]);
        }
    }
}

/// `EMPTY` meets `EVERYTHING` by comparison of corners alone; the reference must not count that.
fn reference(crowd: &Crowd, padding: f64) -> Vec<(u32, u32)> {
    let mut pairs = brute_force(&crowd.input(), |i| crowd.reach[i] + padding);
    let empty = |i: u32| crowd.boxes[i as usize] == Aabb::EMPTY;
    pairs.retain(|&(a, b)| !empty(a) && !empty(b));
    pairs
}

fn holds_all(kept: &[(u32, u32)], required: &[(u32, u32)]) -> bool {
    required.iter().all(|pair| kept.binary_search(pair).is_ok())
}

fn is_ordered(pairs: &[(u32, u32)]) -> bool {
    pairs.iter().all(|p| p.0 < p.1) && pairs.windows(2).all(|w| w[0] < w[1])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fresh_list_is_what_brute_force_finds(
        count in 0usize..400,
        ratio in prop::sample::select(vec![1.0, 3.0, 30.0, 100.0, 1e6]),
        scale in prop::sample::select(vec![1e-3, 1.0, 100.0]),
        far in prop::sample::select(vec![0.0, 1e3, 1e8]),
        balls in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut crowd = Crowd::random(count, ratio, scale, DVec3::new(far, -0.5 * far, far), seed);
        if balls {
            crowd.become_balls();
        }
        let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
        let padding = 0.2 * scale;
        prop_assert!(broad_phase.update(&mut list, &crowd.input(), &crowd.reach, &vec![padding; crowd.reach.len()]));
        prop_assert!(is_ordered(list.pairs()));
        // Far out, boxes that just touch overlap or not by the order of the sums: 1e8 m from the origin a padding of
        // 0.2 mm is 13 000 steps of rounding.
        let rounding = 8.0 * f64::EPSILON * far;
        prop_assert!(holds_all(list.pairs(), &reference(&crowd, padding - rounding)));
        prop_assert!(holds_all(&reference(&crowd, padding + rounding), list.pairs()));
    }

    #[test]
    fn a_kept_list_holds_every_required_pair(
        ratio in prop::sample::select(vec![1.0, 100.0]),
        scale in prop::sample::select(vec![1e-3, 1.0, 100.0]),
        seed in any::<u64>(),
    ) {
        let mut crowd = Crowd::random(120, ratio, scale, DVec3::ZERO, seed);
        let mut random = Random(!seed);
        let velocity: Vec<_> = (0..120).map(|_| 0.2 * scale * random.vector()).collect();
        let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
        let (mut rebuilt, mut missing_without) = (0, 0);
        let mut first = Vec::new();
        for step in 0..24 {
            match step {
                8 => crowd.present[seed as usize % 120] ^= true,
                12 => crowd.movable[seed as usize % 120] ^= true,
                16 => list.invalidate(),
                _ => {}
            }
            let anew = broad_phase.update(&mut list, &crowd.input(), &crowd.reach, &vec![0.5 * scale; crowd.reach.len()]);
            prop_assert!(anew || !matches!(step, 0 | 8 | 12 | 16));
            rebuilt += usize::from(anew);
            let required = reference(&crowd, 0.0);
            prop_assert!(is_ordered(list.pairs()));
            prop_assert!(holds_all(list.pairs(), &required), "step {}", step);
            prop_assert!(list.pairs().iter().all(|&(a, b)| crowd.present[a as usize] && crowd.present[b as usize]));
            if step == 0 {
                first = list.pairs().to_vec();
            }
            missing_without += usize::from(!holds_all(&first, &required));
            crowd.shift(&velocity);
        }
        // Negative controls: the list is kept for part of the time, and keeping the first one for ever would not do.
        prop_assert!((4..24).contains(&rebuilt), "{} rebuilds", rebuilt);
        prop_assert!(missing_without > 0);
    }
}

#[test]
fn the_list_is_the_same_for_any_number_of_threads() {
    let crowd = Crowd::random(30_000, 100.0, 1.0, DVec3::ZERO, 7);
    let lists = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of a few threads");
        pool.install(|| {
            let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
            broad_phase.update(&mut list, &crowd.input(), &crowd.reach, &vec![0.1; crowd.reach.len()]);
            list.pairs().to_vec()
        })
    });
    assert!(lists[0].len() > 30_000, "{} pairs", lists[0].len());
    assert!(lists[0] == lists[1] && lists[0] == lists[2]);
}

#[test]
fn a_body_flung_far_away_neither_hides_nor_slows_the_rest() {
    let mut crowd = Crowd::random(20_000, 1.0, 1e-3, DVec3::ZERO, 3);
    let mut near = PairList::default();
    crowd.present[0] = false;
    BroadPhase::default().update(&mut near, &crowd.input(), &crowd.reach, &vec![1e-4; crowd.reach.len()]);
    let expected = near.pairs().to_vec();
    crowd.present[0] = true;
    crowd.boxes[0] = Aabb::new(DVec3::splat(-1e12), DVec3::splat(-1e12 + 1e-3));
    crowd.boxes[1] = Aabb::new(DVec3::splat(1e12), DVec3::splat(1e12 + 1e-3));
    let mut far = PairList::default();
    BroadPhase::default().update(&mut far, &crowd.input(), &crowd.reach, &vec![1e-4; crowd.reach.len()]);
    let without = |pairs: &[(u32, u32)]| -> Vec<_> { pairs.iter().copied().filter(|p| p.0 > 1 && p.1 > 1).collect() };
    assert_eq!(without(far.pairs()), without(&expected));
}

#[test]
fn boxes_at_one_point_and_touching_boxes_pair() {
    let point = Aabb::new(DVec3::ONE, DVec3::ONE);
    let unit = |x: f64| Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0));
    let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
    let mut pairs = |boxes: &[Aabb]| {
        let flags = vec![true; boxes.len()];
        let round = vec![false; boxes.len()];
        let input = BroadPhaseInput { boxes, movable: &flags, present: &flags, round: &round, origin: DVec3::ZERO };
        broad_phase.update(&mut list, &input, &vec![0.0; boxes.len()], &vec![0.0; boxes.len()]);
        list.pairs().to_vec()
    };
    assert_eq!(pairs(&[point; 3]), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(pairs(&[unit(0.0), unit(1.0), unit(2.0 + 1e-12)]), [(0, 1)]);
    let huge = Aabb::new(DVec3::splat(-1e308), DVec3::splat(1e308));
    let nan = Aabb::new(DVec3::NAN, DVec3::ONE);
    assert_eq!(pairs(&[unit(0.0), huge, nan, point]), [(0, 1), (0, 3), (1, 3)]);
    assert_eq!(pairs(&[]), []);
}

#[test]
fn bodies_that_stay_and_look_further_ahead_get_a_new_list() {
    let unit = |x: f64| Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0));
    let (boxes, flags) = ([unit(0.0), unit(2.0)], [true; 2]);
    let (round, origin) = ([false; 2], DVec3::ZERO);
    let input = BroadPhaseInput { boxes: &boxes, movable: &flags, present: &flags, round: &round, origin };
    let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
    assert!(broad_phase.update(&mut list, &input, &[0.1; 2], &[0.2; 2]) && list.pairs().is_empty());
    assert!(!broad_phase.update(&mut list, &input, &[0.29; 2], &[0.2; 2]));
    assert!(broad_phase.update(&mut list, &input, &[0.5; 2], &[0.2; 2]));
    assert_eq!(list.pairs(), [(0, 1)]);
}

/// Two balls whose boxes meet at an edge, and one that moves along a diagonal, out of its ball but not out of its box.
#[test]
fn of_round_bodies_the_balls_count() {
    let ball = |x: f64, y: f64| Aabb::new(DVec3::new(x, y, 0.0) - 0.5, DVec3::new(x, y, 0.0) + 0.5);
    let flags = [true; 2];
    let list = |round: [bool; 2], path: &[[f64; 2]]| {
        let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
        path.iter()
            .map(|[x, y]| {
                let boxes = [ball(0.0, 0.0), ball(*x, *y)];
                let origin = DVec3::ZERO;
                let input = BroadPhaseInput { boxes: &boxes, movable: &flags, present: &flags, round: &round, origin };
                let anew = broad_phase.update(&mut list, &input, &[0.0; 2], &[0.1; 2]);
                (anew, list.pairs().len())
            })
            .collect::<Vec<_>>()
    };
    // Boxes with their padding are 1.2 wide: corners that lie 0.95 apart both ways meet, balls 1.34 apart do not.
    let path = [[0.95, 0.95], [0.87, 0.87], [0.8, 0.8]];
    assert_eq!(list([true; 2], &path), [(true, 0), (true, 0), (false, 0)]);
    for round in [[false; 2], [true, false]] {
        assert!(list(round, &path).iter().all(|(_, pairs)| *pairs == 1));
    }
}

#[test]
fn bodies_that_move_along_with_the_origin_keep_their_list() {
    let unit = |x: f64| Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0));
    let flags = [true; 3];
    let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
    let mut update = |at: [f64; 3], origin: f64| {
        let boxes = at.map(unit);
        let origin = DVec3::X * origin;
        let anew = broad_phase.update(
            &mut list,
            &BroadPhaseInput { boxes: &boxes, movable: &flags, present: &flags, round: &[false; 3], origin },
            &[0.0; 3],
            &[0.2, 0.2, 8.0],
        );
        (anew, list.pairs().to_vec())
    };
    assert_eq!(update([0.0, 1.1, 20.0], 0.0), (true, vec![(0, 1)]));
    assert_eq!(update([5.0, 6.1, 20.0], 5.0), (false, vec![(0, 1)]), "the third stays behind, within its padding");
    assert_eq!(update([9.0, 10.1, 20.0], 9.0), (true, vec![(0, 1)]), "and then no more");
    assert_eq!(update([9.0, 10.1, 20.0], 0.0), (true, vec![(0, 1)]), "what stays does not move along");
}

/// 300 boxes of which every seventh is forgotten: the list loses their pairs and is kept.
#[test]
fn a_list_forgets_who_is_gone_and_is_kept() {
    let mut crowd = Crowd::random(300, 3.0, 1.0, DVec3::ZERO, 5);
    let padding = vec![0.1; crowd.reach.len()];
    let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
    assert!(broad_phase.update(&mut list, &crowd.input(), &crowd.reach, &padding));
    let before = list.pairs().to_vec();
    let gone: Vec<u32> = (0..300).step_by(7).collect();
    list.forget(&gone);
    for body in &gone {
        crowd.present[*body as usize] = false;
        crowd.movable[*body as usize] = false;
    }
    assert!(!broad_phase.update(&mut list, &crowd.input(), &crowd.reach, &padding), "the list is kept");
    let stays = |pair: &&(u32, u32)| !pair.0.is_multiple_of(7) && !pair.1.is_multiple_of(7);
    let expected: Vec<_> = before.iter().filter(stays).copied().collect();
    assert!(!expected.is_empty() && expected.len() < before.len());
    assert_eq!(list.pairs(), expected);
    // Control: who goes without a word makes the list anew.
    let other = (0..300).find(|i| i % 7 != 0 && crowd.present[*i]).expect("most are present");
    crowd.present[other] = false;
    assert!(broad_phase.update(&mut list, &crowd.input(), &crowd.reach, &padding));
}
