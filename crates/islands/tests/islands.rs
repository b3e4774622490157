//! The islands against small graphs written out by hand and against a flood fill.

use granule_islands::Islands;
use proptest::prelude::*;

type Listed = Vec<(Vec<u32>, Vec<u32>)>;

fn listed(islands: &Islands) -> Listed {
    islands.iter().map(|i| (i.bodies.to_vec(), i.contacts.to_vec())).collect()
}

/// Floods from the smallest body that has a contact and is not yet wet, looking through every contact each time.
fn flood(dynamic: &[bool], pairs: &[(u32, u32)]) -> Listed {
    let mut wet = vec![false; dynamic.len()];
    let mut out = Vec::new();
    for seed in 0..dynamic.len() as u32 {
        let touched = pairs.iter().any(|&(a, b)| a == seed || b == seed);
        if !dynamic[seed as usize] || wet[seed as usize] || !touched {
            continue;
        }
        let mut bodies = vec![seed];
        wet[seed as usize] = true;
        let mut next = 0;
        while next < bodies.len() {
            for &(a, b) in pairs {
                for (from, to) in [(a, b), (b, a)] {
                    if from == bodies[next] && dynamic[to as usize] && !wet[to as usize] {
                        wet[to as usize] = true;
                        bodies.push(to);
                    }
                }
            }
            next += 1;
        }
        bodies.sort_unstable();
        let inside = |&c: &u32| {
            let (a, b) = pairs[c as usize];
            bodies.contains(&a) || bodies.contains(&b)
        };
        let contacts = (0..pairs.len() as u32).filter(inside).collect();
        out.push((bodies, contacts));
    }
    out
}

#[test]
fn a_static_floor_does_not_join_what_lies_on_it() {
    let dynamic = [false, true, true, true, true, true];
    let pairs = [(0, 4), (1, 0), (5, 4), (1, 2), (0, 0), (0, 2)];
    let mut islands = Islands::default();
    islands.build(6, &dynamic, &pairs);
    assert_eq!(listed(&islands), vec![(vec![1, 2], vec![1, 3, 5]), (vec![4, 5], vec![0, 2])]);
    assert_eq!(islands.free_bodies(), [3]);
    assert_eq!(islands.loose_contacts(), [4]);
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6].map(|b| islands.island_of(b)),
        [None, Some(0), Some(0), None, Some(1), Some(1), None]
    );
    assert_eq!(islands.get(1).map(|i| i.bodies.to_vec()), Some(vec![4, 5]));
    assert_eq!(islands.get(2), None);
    // Negative control: a floor that could move joins all of it.
    islands.build(6, &[true; 6], &pairs);
    assert_eq!(islands.len(), 1);
    assert_eq!(islands.loose_contacts(), [] as [u32; 0]);
}

#[test]
fn nothing_gives_nothing() {
    let mut islands = Islands::default();
    assert!(islands.is_empty());
    islands.build(0, &[], &[]);
    assert!(islands.is_empty() && islands.free_bodies().is_empty());
    islands.build(3, &[true, false, true], &[]);
    assert!(islands.is_empty());
    assert_eq!(islands.free_bodies(), [0, 2]);
}

#[test]
fn a_long_chain_in_the_worst_order_is_one_island() {
    let count = 100_000u32;
    let pairs: Vec<_> = (1..count).rev().map(|i| (i, i - 1)).collect();
    let mut islands = Islands::default();
    islands.build(count as usize, &vec![true; count as usize], &pairs);
    assert_eq!(islands.len(), 1);
    let island = islands.get(0).expect("there is one island");
    assert!(island.bodies.iter().copied().eq(0..count) && island.contacts.iter().copied().eq(0..count - 1));
}

fn graph() -> impl Strategy<Value = (Vec<bool>, Vec<(u32, u32)>)> {
    (1usize..40).prop_flat_map(|n| {
        let body = 0..n as u32;
        (prop::collection::vec(prop::bool::weighted(0.8), n), prop::collection::vec((body.clone(), body), 0..50))
    })
}

proptest! {
    #[test]
    fn islands_are_what_a_flood_fill_finds(graphs in prop::collection::vec(graph(), 1..4)) {
        // One object for all of them: nothing may be left over from the build before.
        let mut islands = Islands::default();
        for (dynamic, pairs) in &graphs {
            islands.build(dynamic.len(), dynamic, pairs);
            prop_assert_eq!(listed(&islands), flood(dynamic, pairs));
            for (index, island) in islands.iter().enumerate() {
                prop_assert!(island.bodies.iter().all(|&b| islands.island_of(b) == Some(index)));
            }
            let placed = islands.iter().map(|i| i.bodies.len()).sum::<usize>() + islands.free_bodies().len();
            prop_assert_eq!(placed, dynamic.iter().filter(|d| **d).count());
        }
    }

    #[test]
    fn the_order_of_the_contacts_changes_no_island((dynamic, pairs) in graph()) {
        let mut forward = Islands::default();
        forward.build(dynamic.len(), &dynamic, &pairs);
        let reversed: Vec<_> = pairs.iter().rev().map(|&(a, b)| (b, a)).collect();
        let mut backward = Islands::default();
        backward.build(dynamic.len(), &dynamic, &reversed);
        let bodies = |i: &Islands| i.iter().map(|i| i.bodies.to_vec()).collect::<Vec<_>>();
        prop_assert_eq!(bodies(&forward), bodies(&backward));
    }
}
