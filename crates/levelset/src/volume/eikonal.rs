//! The distance from a surface as the solution of |grad u| = 1, node after node in the order of their distances.
//!
//! The fast marching method of J. A. Sethian, "Fast marching methods", SIAM Review 41 (1999) 199-235, with differences
//! of second order wherever both nodes that they need are known. Distances are in cells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

/// Layers of nodes next to the surface whose distances are found otherwise, so that differences of second order begin
/// with values of second order.
const LAYERS: usize = 2;

/// Distances of the nodes in a band.
pub(super) struct Arrivals {
    count: [usize; 3],
    /// Distance in cells; infinite where it is not known yet.
    distances: Vec<f32>,
    known: Vec<bool>,
}

impl Arrivals {
    /// Distances up to `most` cells outside and inside from where `levels` change sign; `near` is asked for those of
    /// the nodes next to it.
    pub(super) fn new(
        count: [usize; 3],
        levels: &[f32],
        near: impl Fn(usize) -> f64 + Sync,
        most: [f64; 2],
    ) -> Arrivals {
        let mut all =
            Arrivals { count, distances: vec![f32::INFINITY; levels.len()], known: vec![false; levels.len()] };
        let first: Vec<usize> = all.next_to_surface(levels);
        let distances: Vec<f32> = first.par_iter().map(|&at| near(at) as f32).collect();
        for (&at, distance) in first.iter().zip(distances) {
            all.distances[at] = distance;
            all.known[at] = true;
        }
        all.march(levels, &first, most);
        all
    }

    /// The distance of a node in cells, if it was reached.
    pub(super) fn at(&self, index: usize) -> Option<f64> {
        self.known[index].then(|| f64::from(self.distances[index]))
    }

    /// Nodes with neighbours of the other sign, and further layers around them.
    fn next_to_surface(&self, levels: &[f32]) -> Vec<usize> {
        let parted = |at: usize| around(self.count, at).any(|other| (levels[at] < 0.0) != (levels[other] < 0.0));
        let mut marked: Vec<bool> = (0..levels.len()).into_par_iter().map(parted).collect();
        for _ in 1..LAYERS {
            let more = |at: usize| marked[at] || around(self.count, at).any(|other| marked[other]);
            marked = (0..marked.len()).into_par_iter().map(more).collect();
        }
        (0..marked.len()).filter(|&at| marked[at]).collect()
    }

    /// Makes nodes known in the order of their distances.
    fn march(&mut self, levels: &[f32], first: &[usize], most: [f64; 2]) {
        let mut heap = BinaryHeap::new();
        let reach = |all: &mut Arrivals, heap: &mut BinaryHeap<_>, from: usize| {
            for at in around(all.count, from).filter(|&at| !all.known[at]) {
                let distance = solve(all.count, &all.distances, &all.known, levels, at);
                if distance < all.distances[at] {
                    all.distances[at] = distance;
                    // Of positive numbers the bits are in the order of the numbers.
                    heap.push(Reverse((distance.to_bits(), at)));
                }
            }
        };
        first.iter().for_each(|&at| reach(self, &mut heap, at));
        // Each entry makes a node known or is passed over, and a node is entered at most once for each neighbour.
        while let Some(Reverse((bits, at))) = heap.pop() {
            if self.known[at] || f64::from(f32::from_bits(bits)) >= most[usize::from(levels[at] < 0.0)] {
                continue;
            }
            self.known[at] = true;
            reach(self, &mut heap, at);
        }
    }
}

/// Up to six nodes around one.
fn around(count: [usize; 3], at: usize) -> impl Iterator<Item = usize> {
    let place = place(count, at);
    (0..6).filter_map(move |i| step(count, place, at, i / 2, i % 2 == 1, 1))
}

fn place([x, y, _]: [usize; 3], at: usize) -> [usize; 3] {
    [at % x, at / x % y, at / (x * y)]
}

/// The distance of a node from the known ones around it on the same side of the surface.
fn solve(count: [usize; 3], distances: &[f32], known: &[bool], levels: &[f32], at: usize) -> f32 {
    let place = place(count, at);
    let same = |other: usize| known[other] && (levels[other] < 0.0) == (levels[at] < 0.0);
    let mut terms = [(0.0, f64::INFINITY); 3];
    for (axis, term) in terms.iter_mut().enumerate() {
        for up in [false, true] {
            let known = |steps: usize| step(count, place, at, axis, up, steps).filter(|&other| same(other));
            let Some(near) = known(1).map(|next| f64::from(distances[next])) else { continue };
            let far = known(2).map(|second| f64::from(distances[second])).filter(|far| *far <= near);
            // The slope is (3 u - 4 near + far) / 2, or u - near where there is no second node.
            let found = far.map_or((1.0, near), |far| (2.25, (4.0 * near - far) / 3.0));
            if found.1 < term.1 {
                *term = found;
            }
        }
    }
    solve_quadratic(terms) as f32
}

/// The node `steps` further along an axis, if it is in the grid.
fn step(count: [usize; 3], place: [usize; 3], at: usize, axis: usize, up: bool, steps: usize) -> Option<usize> {
    let stride = steps * count[..axis].iter().product::<usize>();
    match up {
        true if place[axis] + steps < count[axis] => Some(at + stride),
        false if place[axis] >= steps => Some(at - stride),
        _ => None,
    }
}

/// The `u` whose slopes along the axes have squares `weight * (u - from)^2` that add up to 1, without the axes along
/// which it would go down.
fn solve_quadratic(mut terms: [(f64, f64); 3]) -> f64 {
    terms.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut best = f64::INFINITY;
    let (mut weights, mut sum, mut squares) = (0.0, 0.0, -1.0);
    for (weight, from) in terms {
        if from >= best || !from.is_finite() {
            break;
        }
        weights += weight;
        sum += weight * from;
        squares += weight * from * from;
        let root = sum * sum - weights * squares;
        if root < 0.0 {
            break;
        }
        best = (sum + root.sqrt()) / weights;
    }
    best
}
