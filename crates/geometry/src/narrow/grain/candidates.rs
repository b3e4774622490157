//! Which nodes of a grain are within the margin of a surface, and which of them may touch it.

use granule_model::{DVec3, Pose};

use super::look::{Look, Slab, Which};
use super::refine::Touch;
use super::valley::Valley;
use crate::distance::Distance;
use crate::grain::GrainData;
use crate::narrow::field::{Field, Search};

/// Spheres of more nodes are not asked for in the distances of the other body where a slab tells near from far.
const ASKED: usize = 16;
/// Gaps that differ by less than this share of the distance of nodes are equal: above the rounding of stored distances.
/// From the lowest node of a ball of n to the next they differ by `sqrt(pi / n)` of it, 0.007 for the most that there
/// may be.
const LEVEL: f64 = 1e-3;
/// Share of the distance of nodes by which the next node of an edge is higher where the edge leaves a face.
const LEAVES: f64 = 0.1;
/// Cosine between the normals of contacts above which they belong to one place.
const SAME_PLACE: f64 = 0.9;
/// Cosine between the normal of a node and the direction to the other surface above which the lowest point may be
/// beside it.
pub(super) const FACES: f64 = 0.8;
/// A node nearer to a contact than this many distances of nodes is part of it.
const APART: f64 = 2.0;
/// Range of the height over distance times angle between the surfaces, within which a surface is as round as a ball
/// (0.5).
///
/// A ball rolls over such nodes and never stands on them. Below, the surface is flat and then bends away; above, it
/// comes back, like the far foot of a body that leans on the near one: there it comes down as the body tilts.
const ROUND: std::ops::Range<f64> = 0.3..0.75;

/// A node within the margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) node: u32,
    /// Distance of the other surface \[m\].
    pub(super) gap: f64,
    /// Outward direction of the other body, in its axes.
    pub(super) outward: DVec3,
}

impl Hit {
    /// The node as a point of the surface, at `at` in grain axes.
    pub(super) fn touch(&self, at: DVec3) -> Touch {
        Touch { at, gap: self.gap, outward: self.outward }
    }
}

/// A stretch of a sharp edge, from a node within the margin to one that is higher.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) from: Hit,
    /// Which of the nodes around the first the second is.
    pub(super) place: u32,
    pub(super) to: u32,
}

/// Sectors round a place in which feet are looked for.
const SECTORS: usize = 16;
/// More feet than this are thinned out to those of the sectors: where bodies are fast the margin holds hundreds.
const MOST_FEET: usize = 32;

/// A node that comes down when the grain tilts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) hit: Hit,
    /// Angle by which the grain tilts until then \[rad\].
    tilt: f64,
    /// Its distance from the place, along the other surface \[m\].
    arm: f64,
    /// Which place the grain tilts about, and in which sector round it the node is.
    place: usize,
    sector: usize,
}

/// Memory of a query.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) hits: Vec<Hit>,
    /// Which hit each node is, and the slope of the gap at each hit along the surface, in grain axes \[-\].
    pub(super) index: Vec<u32>,
    pub(super) slopes: Vec<DVec3>,
    /// Gap of each node, infinite for those beyond the margin.
    gaps: Vec<f64>,
    /// Cosine between the normal of each node and the direction to the other surface; -1 for those beyond.
    facing: Vec<f64>,
    pub(super) lowest: Vec<Hit>,
    /// Where edges leave the other surface between two nodes.
    pub(super) ends: Vec<Stretch>,
    /// Where the other body's edges may cross those of the grain between two nodes.
    pub(super) stretches: Vec<Stretch>,
    /// Points of the surface to which the lowest nodes lead.
    pub(super) places: Vec<Touch>,
    /// Valleys that none of these tells of.
    pub(super) valleys: Vec<Valley>,
    pub(super) feet: Vec<Foot>,
    /// Of each sector round each place the node that comes down first and the outermost.
    sectors: Vec<[Option<Foot>; 2]>,
}

impl Workspace {
    /// Finds the nodes within margin and slack of the surface, and those of sharp edges between which the other body's
    /// may come as near; `to_field` takes grain axes to those of the field.
    pub(super) fn find<F: Field>(&mut self, grain: &GrainData, to_field: &Pose, field: &F, look: &Look) {
        let Look { which, slab, .. } = look;
        let near = look.near();
        let margin = near + grain.half_stretch();
        self.hits.clear();
        let search = field.search(to_field);
        if *which == Which::Sharp {
            return grain.sharp_nodes.iter().for_each(|&node| self.ask(grain, &search, slab, node, margin));
        }
        let mut index = 0;
        while let Some(cluster) = grain.tree.get(index) {
            let (centre, radius) = (cluster.centre(), cluster.radius());
            let is_asked = !slab.is_thin() || cluster.nodes().len() <= ASKED;
            if !(slab.holds(centre, radius) && (!is_asked || search.is_near(centre, radius, margin))) {
                index = cluster.skip();
                continue;
            }
            index += 1;
            if cluster.skip() == index {
                cluster.nodes().for_each(|node| {
                    let margin = if grain.is_sharp(node) { margin } else { near };
                    self.ask(grain, &search, slab, node, margin);
                });
            }
        }
    }

    /// Keeps a node that is within the margin.
    fn ask(&mut self, grain: &GrainData, search: &impl Search, slab: &Slab, node: u32, margin: f64) {
        if slab.holds(grain.point(node), 0.0)
            && let Some(Distance { value, outward }) = search.within(grain.single(node), margin)
        {
            self.hits.push(Hit { node, gap: value, outward });
        }
    }

    /// Of the nodes found within `near`: corners, those on sharp edges, the lowest of each place and those that face
    /// the other surface most; and where edges leave.
    pub(super) fn lowest(&mut self, grain: &GrainData, to_field: &Pose, near: f64) {
        let Workspace { hits, gaps, facing, lowest, ends, stretches, .. } = self;
        gaps.resize(gaps.len().max(grain.len()), f64::INFINITY);
        facing.resize(gaps.len(), -1.0);
        for hit in &*hits {
            gaps[hit.node as usize] = hit.gap;
            let down = to_field.inverse_transform_vector(-hit.outward);
            facing[hit.node as usize] = grain.normal(hit.node).dot(down);
        }
        lowest.clear();
        let begins =
            |hit: &&Hit| grain.is_sharp(hit.node) || is_lowest(grain, hit, gaps) || faces_most(grain, hit.node, facing);
        lowest.extend(hits.iter().filter(|hit| hit.gap <= near).filter(begins));
        stretches.clear();
        for hit in hits.iter().filter(|hit| grain.is_sharp(hit.node)) {
            let crossed = |stretch: &Stretch| may_be_crossed(grain, to_field, stretch, gaps, near);
            stretches.extend(stretches_from(grain, hit).filter(crossed));
        }
        ends.clear();
        for hit in lowest.iter().filter(|hit| grain.is_sharp(hit.node)) {
            let high = hit.gap + LEAVES * grain.node_spacing;
            ends.extend(stretches_from(grain, hit).filter(|end| gaps[end.to as usize] >= high));
        }
        for hit in &*hits {
            gaps[hit.node as usize] = f64::INFINITY;
            facing[hit.node as usize] = -1.0;
        }
    }

    /// Finds the nodes that meet the other surface next when the grain tilts about one of `places`, which is not flat
    /// there. Of many, those that come down first and the outermost in each sector round each place.
    pub(super) fn find_feet(&mut self, grain: &GrainData, to_field: &Pose) {
        let Workspace { hits, places, feet, sectors, .. } = self;
        feet.clear();
        let smooth = hits.iter().filter(|hit| !grain.is_sharp(hit.node));
        feet.extend(smooth.filter_map(|hit| foot(grain, to_field, hit, places)));
        if feet.len() <= MOST_FEET {
            return;
        }
        sectors.clear();
        sectors.resize(SECTORS * places.len(), [None; 2]);
        for foot in &*feet {
            let [first, outermost] = &mut sectors[SECTORS * foot.place + foot.sector];
            if first.is_none_or(|first: Foot| foot.tilt < first.tilt) {
                *first = Some(*foot);
            }
            if outermost.is_none_or(|outermost: Foot| foot.arm > outermost.arm) {
                *outermost = Some(*foot);
            }
        }
        feet.clear();
        feet.extend(sectors.iter().flatten().flatten());
    }
}

/// The stretches from a node of a sharp edge.
fn stretches_from<'a>(grain: &'a GrainData, from: &'a Hit) -> impl Iterator<Item = Stretch> + 'a {
    let sharp = grain.around(from.node).enumerate().filter(|(_, j)| grain.is_sharp(*j));
    sharp.map(|(place, to)| Stretch { from: *from, place: place as u32, to })
}

/// Whether the gap falls from a node to a higher one, and is within `near` before it comes there.
fn may_be_crossed(grain: &GrainData, to_field: &Pose, stretch: &Stretch, gaps: &[f64], near: f64) -> bool {
    let Stretch { from, to, .. } = *stretch;
    let towards = to_field.inverse_transform_vector(from.outward);
    let falls = -towards.dot(grain.point(to) - grain.point(from.node));
    let is_higher = (gaps[to as usize], to) > (from.gap, from.node);
    is_higher && falls > LEVEL * grain.node_spacing && from.gap - falls <= near
}

/// Whether no neighbour is lower, and some are higher: inside a flat place none is.
fn is_lowest(grain: &GrainData, hit: &Hit, gaps: &[f64]) -> bool {
    let level = LEVEL * grain.node_spacing;
    let mut rises = false;
    for neighbour in grain.around(hit.node) {
        let rise = gaps[neighbour as usize] - hit.gap;
        if rise < -level {
            return false;
        }
        rises |= rise > level;
    }
    rises
}

/// Whether no neighbour faces the other surface as directly: between nodes beside it the surface may be lower, where it
/// is narrower than their distance.
fn faces_most(grain: &GrainData, node: u32, facing: &[f64]) -> bool {
    let own = facing[node as usize];
    own > FACES && grain.around(node).all(|neighbour| facing[neighbour as usize] < own)
}

/// A node that meets the other surface next when the grain tilts about the place nearest to it; none beside a place,
/// and where the grain rolls round.
fn foot(grain: &GrainData, to_field: &Pose, hit: &Hit, places: &[Touch]) -> Option<Foot> {
    let at = grain.point(hit.node);
    let mut nearest: Option<(usize, DVec3, f64)> = None;
    for (index, place) in places.iter().enumerate().filter(|(_, p)| p.outward.dot(hit.outward) >= SAME_PLACE) {
        let apart = to_field.transform_vector(at - place.at);
        let aside = apart - apart.dot(place.outward) * place.outward;
        let arm = aside.length();
        if arm <= APART * grain.node_spacing {
            return None;
        }
        if nearest.is_none_or(|(_, _, least)| arm < least) {
            nearest = Some((index, aside, arm));
        }
    }
    let (index, aside, arm) = nearest?;
    let tilt = (hit.gap - places[index].gap) / arm;
    let slope = to_field.transform_vector(grain.normal(hit.node)).cross(hit.outward).length();
    let is_foot = !ROUND.contains(&(tilt / slope));
    is_foot.then(|| Foot { hit: *hit, tilt, arm, place: index, sector: sector(places[index].outward, aside) })
}

/// Which sector round `axis` a direction perpendicular to it lies in.
fn sector(axis: DVec3, aside: DVec3) -> usize {
    let (u, v) = axis.any_orthonormal_pair();
    let (x, y) = (aside.dot(u), aside.dot(v));
    let (short, long) = (x.abs().min(y.abs()), x.abs().max(y.abs()));
    // Each eighth is cut in half at the tangent of pi / 8.
    let is_outer = short > (std::f64::consts::SQRT_2 - 1.0) * long;
    let eighth = usize::from(x < 0.0) | usize::from(y < 0.0) << 1 | usize::from(x.abs() < y.abs()) << 2;
    eighth | usize::from(is_outer) << 3
}
