//! Grains: solids whose surface is the zero contour of signed distances on a grid, with nodes spread over it.
//!
//! The nodes find contacts, the contour says where they are: a body that touches by its nodes alone would roll like a
//! wheel without a rim. A tree over the nodes lets a query visit those near the other body only.
//!
//! Everything is in *grain axes*: origin in the centre of mass, along the axes of the grid. How a grain is made stands
//! in `build_grain`, contacts in `narrow`.

mod hull;
mod near;
mod reach;
mod tree;

use granule_levelset::{LevelSet, Node};
use granule_model::{DQuat, DVec3, Pose};

pub(crate) use self::hull::{Hull, Separation, separation};
use self::near::neighbours_of;
pub(crate) use self::near::{NEIGHBOURS, NO_NODE};
pub(crate) use self::tree::{Cluster, clusters};

/// A level-set grain.
#[derive(Debug)]
pub(crate) struct GrainData {
    /// Signed distances, in grain axes.
    pub(crate) level_set: LevelSet,
    /// Turns grain axes to body axes.
    pub(crate) axes: DQuat,
    /// Deepest point inside \[m\].
    pub(crate) half_width: f64,
    /// Largest distance of a node from the origin \[m\].
    pub(crate) radius: f64,
    /// Mean distance of neighbouring nodes \[m\].
    pub(crate) node_spacing: f64,
    /// How far the surface stands out between nodes \[m\].
    pub(crate) bulge: f64,
    /// How far the surface stands out between nodes, also where these are so few that they look different ways \[m\].
    pub(crate) hidden: f64,
    /// How far the surface reaches along any direction.
    pub(crate) hull: Hull,
    /// Nodes in the order of the tree, in single precision: 6e-8 of the grain's size.
    points: Vec<[f32; 3]>,
    /// Outward normals of the nodes, 3e-5 to each component.
    normals: Vec<[i16; 3]>,
    /// A bit for each node: whether it is at a corner or on a sharp edge.
    sharp: Vec<u64>,
    /// Those that are.
    pub(crate) sharp_nodes: Vec<u32>,
    /// Nodes around each node.
    neighbours: Vec<[u16; NEIGHBOURS]>,
    /// Spheres around runs of nodes, parents before children.
    pub(crate) tree: Vec<Cluster>,
}

impl GrainData {
    /// A grain with the given contour and nodes on it, both in grain axes; at most `u16::MAX` nodes.
    pub(crate) fn new(level_set: LevelSet, nodes: &[Node], axes: DQuat) -> Self {
        let points: Vec<DVec3> = nodes.iter().map(|node| node.point).collect();
        let (order, tree) = clusters(&points);
        let ordered: Vec<&Node> = order.iter().map(|&i| &nodes[i as usize]).collect();
        let points: Vec<DVec3> = ordered.iter().map(|node| node.point).collect();
        let (neighbours, node_spacing) = neighbours_of(&ordered);
        let [bulge, hidden] = bulges_of(&level_set, &ordered, &neighbours);
        let mut grain = GrainData {
            axes,
            bulge,
            hidden,
            hull: Hull::default(),
            half_width: -level_set.deepest(),
            radius: points.iter().map(|p| p.length()).fold(0.0, f64::max),
            node_spacing,
            normals: ordered.iter().map(|node| packed(node.normal)).collect(),
            sharp: bits(ordered.iter().map(|node| node.sharp)),
            sharp_nodes: (0..).zip(&ordered).filter(|(_, node)| node.sharp).map(|(i, _)| i).collect(),
            points: points.iter().map(|p| p.as_vec3().to_array()).collect(),
            neighbours,
            tree,
            level_set,
        };
        grain.hull = Hull::new(|w| {
            let length = w.length();
            length * (grain.farthest(w / length) + bulge)
        });
        grain
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Node `i` \[m\].
    #[inline]
    pub(crate) fn point(&self, i: u32) -> DVec3 {
        let [x, y, z] = self.points[i as usize];
        DVec3::new(f64::from(x), f64::from(y), f64::from(z))
    }

    /// Node `i` as it is stored \[m\].
    #[inline]
    pub(crate) fn single(&self, i: u32) -> [f32; 3] {
        self.points[i as usize]
    }

    /// Outward normal at node `i`, a unit vector to 3e-5.
    pub(crate) fn normal(&self, i: u32) -> DVec3 {
        DVec3::from_array(self.normals[i as usize].map(|c| f64::from(c) / UNIT))
    }

    /// Whether node `i` is a corner or lies on a sharp edge.
    pub(crate) fn is_sharp(&self, i: u32) -> bool {
        self.sharp[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// By how much lower a sharp edge may be over another surface than at the nodes on either side \[m\]; zero for a
    /// grain without such edges.
    pub(crate) fn half_stretch(&self) -> f64 {
        if self.sharp_nodes.is_empty() { 0.0 } else { 0.5 * self.node_spacing }
    }

    /// The nodes around node `i`.
    pub(crate) fn around(&self, i: u32) -> impl Iterator<Item = u32> + '_ {
        self.neighbours[i as usize].iter().take_while(|&&j| j != NO_NODE).map(|&j| u32::from(j))
    }

    /// All nodes.
    pub(crate) fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        (0..self.len() as u32).map(|i| self.point(i))
    }

    /// The contour as triangles, in body axes.
    pub(crate) fn surface(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let granule_levelset::Surface { mut vertices, triangles } = self.level_set.surface(1);
        vertices.iter_mut().for_each(|v| *v = self.axes * *v);
        (vertices, triangles)
    }

    /// The pose of the grain axes of a body at `pose`.
    pub(crate) fn placed(&self, pose: &Pose) -> Pose {
        Pose::new(pose.position, pose.rotation * self.axes)
    }
}

/// Most nodes of a grain: their numbers have 16 bits, of which one value stands for none.
pub(crate) const MOST_NODES: usize = 65_000;

/// Cosine between the normals of two nodes below which an edge lies between them, which has nodes of its own.
const SAME_SIDE: f64 = 0.8;

/// Share of a squared distance by which rounding may change it.
const SAME_PLACE: f64 = 1e-9;

/// Largest depth below the contour of the middle between two neighbours: of those that look the same way, and of those
/// between which no third one lies, whichever way they look where no edge is near. Few nodes on a round grain and those
/// of a rough one look different ways, and none of them finds what stands out between.
fn bulges_of(level_set: &LevelSet, nodes: &[&Node], neighbours: &[[u16; NEIGHBOURS]]) -> [f64; 2] {
    let [mut bulge, mut hidden] = [0.0_f64; 2];
    for (node, around) in nodes.iter().zip(neighbours) {
        let around = || around.iter().take_while(|&&j| j != NO_NODE).map(|&j| nodes[usize::from(j)]);
        let at_edge = node.sharp || around().any(|other| other.sharp);
        for other in around() {
            let same_side = node.normal.dot(other.normal) >= SAME_SIDE;
            if !same_side && at_edge {
                continue;
            }
            let middle = 0.5 * (node.point + other.point);
            let depth = level_set.sample(middle).map_or(0.0, |sample| -sample.value);
            if same_side {
                bulge = bulge.max(depth);
            }
            // Node and middle are half the way between the two apart.
            let half = node.point.distance_squared(middle);
            if depth > hidden && around().all(|third| third.point.distance_squared(middle) >= half * (1.0 - SAME_PLACE))
            {
                hidden = depth;
            }
        }
    }
    [bulge, hidden]
}

/// A bit for each item, 64 in a word.
fn bits(items: impl ExactSizeIterator<Item = bool>) -> Vec<u64> {
    let mut words = vec![0; items.len().div_ceil(64)];
    items.enumerate().for_each(|(i, is_set)| words[i / 64] |= u64::from(is_set) << (i % 64));
    words
}

/// What a component of one is in packed normals.
const UNIT: f64 = 32767.0;

fn packed(normal: DVec3) -> [i16; 3] {
    normal.to_array().map(|c| (c * UNIT).round() as i16)
}
