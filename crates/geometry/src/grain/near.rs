//! Which nodes lie around a node on the surface.

use granule_levelset::Node;
use granule_model::{Aabb, DVec3};

/// Nodes that are kept around each node: those of a hexagonal pattern, and two for irregular ones.
pub(crate) const NEIGHBOURS: usize = 8;
/// Stands for no node.
pub(crate) const NO_NODE: u16 = u16::MAX;

/// Nodes farther than this many mean distances are not around a node, although no nearer ones are.
const FARTHEST: f64 = 2.5;

/// For each node those around it, nearest first, and the mean distance of nodes \[m\].
pub(crate) fn neighbours_of(nodes: &[&Node]) -> (Vec<[u16; NEIGHBOURS]>, f64) {
    let bins = Bins::new(nodes);
    let mut found = Vec::new();
    let near: Vec<Vec<(f64, u16)>> = (0..nodes.len())
        .map(|i| {
            bins.near(nodes, i, &mut found);
            found.iter().take(NEIGHBOURS).copied().collect()
        })
        .collect();
    let nearest = near.iter().filter_map(|n| n.first()).map(|n| n.0.sqrt());
    let spacing = nearest.sum::<f64>() / nodes.len().max(1) as f64;
    let farthest = FARTHEST * FARTHEST * spacing * spacing;
    let packed = |n: &Vec<(f64, u16)>| {
        let mut around = [NO_NODE; NEIGHBOURS];
        let within = n.iter().take_while(|(squared, _)| *squared <= farthest);
        around.iter_mut().zip(within).for_each(|(place, (_, j))| *place = *j);
        around
    };
    (near.iter().map(packed).collect(), spacing)
}

/// Nodes sorted into cubes, so that those near a place are found without asking all.
struct Bins {
    origin: DVec3,
    edge: f64,
    count: [usize; 3],
    /// Where the nodes of each cube begin in `nodes`.
    start: Vec<u32>,
    nodes: Vec<u16>,
}

/// Nodes in a cube, in the mean over those on the surface of a ball.
const IN_CUBE: f64 = 4.0;

impl Bins {
    fn new(nodes: &[&Node]) -> Self {
        let bounds = Aabb::from_points(nodes.iter().map(|node| node.point));
        let size = bounds.size();
        // A ball of diameter d has pi d2 of surface in d2 / edge2 times pi cubes, or so.
        let extent = size.max_element();
        let edge = extent * (IN_CUBE / (3.0 * nodes.len().max(1) as f64)).sqrt();
        let count = size.to_array().map(|s| if edge > 0.0 { (s / edge) as usize + 1 } else { 1 });
        let mut bins = Bins {
            origin: bounds.min,
            edge,
            count,
            start: vec![0; count.iter().product::<usize>() + 1],
            nodes: vec![],
        };
        let cubes: Vec<usize> = nodes.iter().map(|node| bins.index(bins.cube(node.point))).collect();
        cubes.iter().for_each(|&cube| bins.start[cube + 1] += 1);
        for cube in 1..bins.start.len() {
            bins.start[cube] += bins.start[cube - 1];
        }
        let mut place = bins.start.clone();
        bins.nodes = vec![0; nodes.len()];
        for (i, &cube) in cubes.iter().enumerate() {
            bins.nodes[place[cube] as usize] = i as u16;
            place[cube] += 1;
        }
        bins
    }

    fn cube(&self, point: DVec3) -> [usize; 3] {
        std::array::from_fn(|axis| {
            let share = (point[axis] - self.origin[axis]) / self.edge;
            if share > 0.0 { (share as usize).min(self.count[axis] - 1) } else { 0 }
        })
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.count[0] * (y + self.count[1] * z)
    }

    /// Fills `found` with the squared distances and numbers of the nodes near node `i`, nearest first.
    fn near(&self, nodes: &[&Node], i: usize, found: &mut Vec<(f64, u16)>) {
        let centre = self.cube(nodes[i].point);
        for rings in 1..=3 {
            found.clear();
            let range =
                |axis: usize| centre[axis].saturating_sub(rings)..=(centre[axis] + rings).min(self.count[axis] - 1);
            for z in range(2) {
                for y in range(1) {
                    for x in range(0) {
                        let cube = self.index([x, y, z]);
                        let of_cube = &self.nodes[self.start[cube] as usize..self.start[cube + 1] as usize];
                        for &j in of_cube.iter().filter(|&&j| usize::from(j) != i) {
                            let apart = nodes[usize::from(j)].point - nodes[i].point;
                            // What looks the other way lies on the far side of a thin place.
                            if nodes[usize::from(j)].normal.dot(nodes[i].normal) >= 0.0 || nodes[i].sharp {
                                found.push((apart.length_squared(), j));
                            }
                        }
                    }
                }
            }
            let reach = rings as f64 * self.edge;
            if found.iter().filter(|(squared, _)| *squared <= reach * reach).count() >= NEIGHBOURS {
                break;
            }
        }
        found.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    }
}
