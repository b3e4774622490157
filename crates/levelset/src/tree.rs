//! A tree of boxes over triangles, for the triangle that is nearest to a point.

use granule_model::{Aabb, DVec3};

use crate::closest::{Feature, closest_point};

/// Most triangles of a leaf.
const LEAF: usize = 4;
/// Levels of the tree: each halves its triangles, and indices have 32 bits.
const DEPTH: usize = 40;

/// Triangles in boxes.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Corners of the triangles, those of a leaf together.
    corners: Vec<[DVec3; 3]>,
    /// Index of each as it was given.
    given: Vec<u32>,
}

struct Node {
    bounds: Aabb,
    /// First triangle of a leaf, or the second child: the first one follows its parent.
    at: usize,
    /// Triangles of a leaf; 0 for a node with children.
    count: usize,
}

/// The nearest triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Its index as given.
    pub(crate) triangle: usize,
    /// Its place in the tree, a hint for points nearby.
    pub(crate) place: usize,
    /// The nearest point.
    pub(crate) point: DVec3,
    /// The part of the triangle that it is on.
    pub(crate) feature: Feature,
    /// Square of the distance.
    pub(crate) square: f64,
}

impl Tree {
    /// A tree over at least one triangle with finite corners.
    pub(crate) fn new(corners: &[[DVec3; 3]]) -> Tree {
        let mut order: Vec<(DVec3, u32)> =
            corners.iter().zip(0..).map(|(&[a, b, c], index)| ((a + b + c) / 3.0, index)).collect();
        let mut nodes = Vec::new();
        split(corners, &mut order, 0, &mut nodes);
        let given: Vec<u32> = order.into_iter().map(|(_, index)| index).collect();
        Tree { nodes, corners: given.iter().map(|&i| corners[i as usize]).collect(), given }
    }

    /// The triangle nearest to `p` among those closer than the root of `square`.
    pub(crate) fn nearest(&self, p: DVec3, square: f64) -> Option<Nearest> {
        self.search(p, square, None)
    }

    /// The triangle nearest to `p`, found sooner where the one at `place` in the tree is near.
    pub(crate) fn nearest_from(&self, p: DVec3, place: usize) -> Option<Nearest> {
        let hint = self.corners.get(place).map(|_| self.at(p, place));
        self.search(p, hint.map_or(f64::INFINITY, |hint| hint.square), hint)
    }

    fn at(&self, p: DVec3, place: usize) -> Nearest {
        let (point, feature) = closest_point(p, self.corners[place]);
        Nearest { triangle: self.given[place] as usize, place, point, feature, square: (p - point).length_squared() }
    }

    fn search(&self, p: DVec3, square: f64, mut best: Option<Nearest>) -> Option<Nearest> {
        let mut least = square;
        let mut stack = [(0, 0.0); DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (index, away) = stack[height];
            if away >= least {
                continue;
            }
            let node: &Node = &self.nodes[index];
            for at in node.at..node.at + node.count {
                let found = self.at(p, at);
                if found.square < least {
                    least = found.square;
                    best = Some(found);
                }
            }
            if node.count == 0 {
                let children = [index + 1, node.at].map(|child| (child, square_away(&self.nodes[child].bounds, p)));
                let near_first = children[0].1 <= children[1].1;
                stack[height] = children[usize::from(near_first)];
                stack[height + 1] = children[usize::from(!near_first)];
                height += 2;
            }
        }
        best
    }
}

/// Square of the distance of a point from a box.
fn square_away(bounds: &Aabb, p: DVec3) -> f64 {
    (p - p.clamp(bounds.min, bounds.max)).length_squared()
}

/// Appends the node of `order`, whose first entry is triangle number `first`, and all below it.
fn split(corners: &[[DVec3; 3]], order: &mut [(DVec3, u32)], first: usize, nodes: &mut Vec<Node>) {
    let bounds = Aabb::from_points(order.iter().flat_map(|&(_, index)| corners[index as usize]));
    let own = nodes.len();
    nodes.push(Node { bounds, at: first, count: order.len() });
    if order.len() <= LEAF {
        return;
    }
    let middles = Aabb::from_points(order.iter().map(|&(middle, _)| middle)).size();
    let axis = if middles.x >= middles.y.max(middles.z) { 0 } else { 2 - usize::from(middles.y >= middles.z) };
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (low, high) = order.split_at_mut(half);
    split(corners, low, first, nodes);
    nodes[own].at = nodes.len();
    nodes[own].count = 0;
    split(corners, high, first + half, nodes);
}
