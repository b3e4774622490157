//! Marching tetrahedra: each cell in six around its diagonal (H. Freudenthal 1942, H. W. Kuhn 1960), so that
//! neighbouring cells divide their common face alike. A tetrahedron is crossed in a triangle or in two.

use granule_model::DVec3;
use rayon::prelude::*;

/// Tetrahedra of a cell by their corners, bit 0, 1, 2 for x, y, z: right-handed.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 5, 1, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 6, 4, 7]];
/// Even permutations of the four corners, by which corners are inside: those inside come first.
const ORDERS: [[usize; 4]; 16] = [
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [0, 1, 2, 3],
    [2, 0, 1, 3],
    [0, 2, 3, 1],
    [1, 2, 0, 3],
    [0, 1, 2, 3],
    [3, 0, 2, 1],
    [0, 3, 1, 2],
    [1, 3, 2, 0],
    [0, 3, 1, 2],
    [2, 3, 0, 1],
    [0, 2, 3, 1],
    [1, 3, 2, 0],
    [0, 1, 2, 3],
];
/// A crossing: number of the lower node of its edge times 8, plus the direction of the edge by its bits.
pub(crate) type Key = u64;

/// Nodes with values, of which some are negative.
pub(crate) trait Field: Sync {
    /// Nodes along each axis.
    fn count(&self) -> [usize; 3];
    /// Value at a node.
    fn value(&self, node: [usize; 3]) -> f64;
    /// Place of a node.
    fn point(&self, node: [usize; 3]) -> DVec3;
}

/// Appends the triangles of the cell above the node `low`.
pub(crate) fn cross(field: &impl Field, low: [usize; 3], found: &mut Vec<[Key; 3]>) {
    let corner = |bits: usize| std::array::from_fn(|axis| low[axis] + (bits >> axis & 1));
    let inside: [bool; 8] = std::array::from_fn(|bits| field.value(corner(bits)) < 0.0);
    if inside.iter().all(|i| *i == inside[0]) {
        return;
    }
    let count = field.count();
    for tetrahedron in TETRAHEDRA {
        let mask = (0..4).filter(|&i| inside[tetrahedron[i]]).fold(0, |mask, i| mask | 1 << i);
        let [i, j, k, l] = ORDERS[mask].map(|i| tetrahedron[i]);
        let key = |a: usize, b: usize| key(count, corner(a & b), a ^ b);
        match mask.count_ones() {
            1 => found.push([key(i, j), key(i, k), key(i, l)]),
            2 => found.extend([[key(i, k), key(i, l), key(j, l)], [key(i, k), key(j, l), key(j, k)]]),
            3 => found.push([key(l, i), key(l, j), key(l, k)]),
            _ => {}
        }
    }
}

fn key(count: [usize; 3], [x, y, z]: [usize; 3], direction: usize) -> Key {
    (((z * count[1] + y) * count[0] + x) * 8 + direction) as Key
}

/// Vertices and triangles of what was found. Crossings keep a share `clear` of their edge from its ends: at a node
/// where the value is zero all of them would be one point.
pub(crate) fn assemble(field: &impl Field, found: &[[Key; 3]], clear: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut keys: Vec<Key> = found.iter().flatten().copied().collect();
    keys.par_sort_unstable();
    keys.dedup();
    let index = |key: Key| keys.binary_search(&key).unwrap_or(0) as u32;
    let triangles = found.par_iter().map(|t| t.map(index)).collect();
    (keys.par_iter().map(|key| crossing(field, *key, clear)).collect(), triangles)
}

/// Place of a crossing, from the values at the ends of its edge.
fn crossing(field: &impl Field, key: Key, clear: f64) -> DVec3 {
    let (node, direction) = (key as usize / 8, key as usize % 8);
    let [x, y, _] = field.count();
    let low = [node % x, node / x % y, node / (x * y)];
    let high = std::array::from_fn(|axis| low[axis] + (direction >> axis & 1));
    let (a, b) = (field.value(low), field.value(high));
    let share = if a.is_finite() && b.is_finite() { (a / (a - b)).clamp(clear, 1.0 - clear) } else { 0.5 };
    field.point(low).lerp(field.point(high), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tetrahedra_and_orders_are_right_handed() {
        let place = |bits: usize| DVec3::from_array(std::array::from_fn(|axis| (bits >> axis & 1) as f64));
        for corners in TETRAHEDRA {
            for order in ORDERS {
                let [a, b, c, d] = order.map(|i| place(corners[i]));
                assert_eq!((b - a).cross(c - a).dot(d - a), 1.0, "{corners:?} {order:?}");
            }
        }
        for (mask, order) in ORDERS.iter().enumerate() {
            let inside = order.map(|i| mask >> i & 1 == 1);
            assert!(inside.is_sorted_by(|a, b| a >= b), "{mask} {order:?}");
        }
    }
}
