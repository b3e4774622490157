//! Grains against everything that moves, and against planes.
//!
//! The nodes of a grain that lie within the margin of the other body's surface are found by the tree over them; of two
//! grains, those in the slab that the other one reaches into. Of the second grain corners and edges are asked alone
//! where the nodes of the first are finer than what the second's grid resolves. Of these remain: corners and nodes of
//! sharp edges; nodes no neighbour of which is lower, or faces the other surface more, and the rims of flat places; and
//! nodes that come down next when the grain tilts about those. Where the surface is smooth a node only says where to
//! begin: the contact is the point of the contour that is lowest over the other surface. What stands out between two
//! nodes is looked for where the gap falls from both (`valley`). Corners of the other body are
//! asked for in the distances of the grain in turn.
//!
//! Of the points of one side those are kept that are lowest or reach farthest (`reduce`).
//!
//! Where each of them was found is a [`Spot`]. While the bodies hardly move against each other, points are taken at the
//! spots of a search before, and no node is looked for.

mod candidates;
mod corners;
mod facing;
mod look;
mod reduce;
mod refine;
mod spot;
mod valley;

use std::cell::RefCell;

use granule_model::{ContactPoint, DQuat, DVec3, Pose};

use self::candidates::{Foot, Stretch, Workspace};
pub(super) use self::corners::for_each_corner;
use self::corners::for_each_face_at;
use self::facing::Facing;
use self::look::{Look, Which, between, tells_all};
use self::reduce::{merge, reduce};
use self::refine::Touch;
pub(super) use self::spot::leeway as leeway_of;
use super::field::{Contour, Field, Piece};
use super::{Side, Spot, limit_width};
use crate::grain::{GrainData, NEIGHBOURS};

/// Keys of points between two nodes of an edge start here, beyond those of the nodes.
const EDGES: u32 = 1 << 19;
/// Keys of the nodes of the second grain start here, beyond those of the first.
const SECOND: u32 = 1 << 20;
/// Keys of corners of the other body start here.
const CORNERS: u32 = 1 << 21;

/// Cosine between the normals of nodes above which they lie on one face.
const ONE_FACE: f64 = 0.95;

thread_local! {
    /// What a query finds on its way; kept so that a warm step allocates nothing.
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// A grain as body A against a wall that is flat or hollow, with the pose of its axes. Keys start at `key`.
pub(super) fn grain_wall<F: Field>(
    (grain, pose): (&GrainData, &Pose),
    (wall, wall_pose): (&F, &Pose),
    (margin, key): (f64, u32),
    out: &mut Vec<ContactPoint>,
    mark: &mut impl FnMut(Option<Spot>),
) {
    let start = out.len();
    touch((grain, &grain.placed(pose)), (wall, wall_pose), &Look::at_all(margin, grain.bulge, key), out, mark);
    finish(out, start, (grain.half_width, grain.node_spacing), pose.rotation);
}

/// Two grains; `mark` is told the spots of all points, of those too that say what others do; none of a sharp edge.
pub(super) fn grain_grain(
    a: (&GrainData, &Pose),
    b: (&GrainData, &Pose),
    margin: f64,
    out: &mut Vec<ContactPoint>,
    mark: &mut impl FnMut(Option<Spot>),
) {
    let start = out.len();
    let (grains, poses) = ([a.0, b.0], [a.0.placed(a.1), b.0.placed(b.1)]);
    let bulge = a.0.bulge + b.0.bulge;
    let slack = a.0.half_stretch().max(b.0.half_stretch()).max(bulge);
    let Some(slabs) = between(grains, &poses, margin, slack) else { return };
    // The nodes of the smaller one come first, whichever body it is.
    let first = usize::from(comes_first((b.0, b.1), (a.0, a.1)));
    for one in [first, 1 - first] {
        let other = 1 - one;
        let which = if one != first && tells_all(grains[first], grains[one]) { Which::Sharp } else { Which::All };
        let (slab, key) = (slabs[one], SECOND * one as u32);
        let from = out.len();
        let field = Contour(&grains[other].level_set);
        let look = Look { which, slab, margin, slack: bulge, key };
        touch((grains[one], &poses[one]), (&field, &poses[other]), &look, out, mark);
        if one == 1 {
            out[from..].iter_mut().for_each(|c| *c = c.swapped());
        }
    }
    // Keys name the grain by its place in the pair, which stays the same over steps.
    finish(out, start, scale_of([a.0, b.0]), poses[first].rotation);
}

/// The thickness of the thinner of two grains, and the smaller distance of nodes \[m\].
fn scale_of([a, b]: [&GrainData; 2]) -> (f64, f64) {
    (a.half_width.min(b.half_width), a.node_spacing.min(b.node_spacing))
}

/// Two grains at spots of an earlier search.
pub(super) fn grain_grain_at(
    a: (&GrainData, &Pose),
    b: (&GrainData, &Pose),
    (spots, margin, moved): (&[Spot], f64, f64),
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let (grains, poses) = ([a.0, b.0], [a.0.placed(a.1), b.0.placed(b.1)]);
    for one in 0..2 {
        let other = 1 - one;
        let (from, to_field) = (out.len(), relative(&poses[one], &poses[other]));
        let teller = Teller {
            grain: grains[one],
            placed: &poses[one],
            field: &Contour(&grains[other].level_set),
            field_pose: &poses[other],
            to_field: &to_field,
            margin,
            key: SECOND * one as u32,
        };
        let own = spots.iter().filter(|spot| (spot.feature / SECOND) as usize == one);
        out.extend(own.filter_map(|spot| teller.at_spot(spot, moved)));
        if one == 1 {
            out[from..].iter_mut().for_each(|c| *c = c.swapped());
        }
    }
    finish(out, start, scale_of(grains), poses[0].rotation);
}

/// A grain as body A against a wall, at spots of an earlier search.
pub(super) fn grain_wall_at<F: Field>(
    (grain, pose): (&GrainData, &Pose),
    (field, field_pose): (&F, &Pose),
    (spots, margin, moved): (&[Spot], f64, f64),
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let placed = &grain.placed(pose);
    let teller = Teller { grain, placed, field, field_pose, to_field: &relative(placed, field_pose), margin, key: 0 };
    out.extend(spots.iter().filter_map(|spot| teller.at_spot(spot, moved)));
    finish(out, start, (grain.half_width, grain.node_spacing), pose.rotation);
}

/// Whether the nodes of `a` come before those of `b`, the same for both orders of a pair.
fn comes_first((a, pose_a): (&GrainData, &Pose), (b, pose_b): (&GrainData, &Pose)) -> bool {
    let place = |p: &Pose| p.position.to_array();
    let order = a.radius.total_cmp(&b.radius);
    let by_place = || place(pose_a).iter().zip(place(pose_b)).map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne());
    order.then_with(|| by_place().unwrap_or(std::cmp::Ordering::Equal)).is_lt()
}

/// A convex piece as body A against a grain as body B.
pub(super) fn piece_grain(a: Side, (grain, pose): (&GrainData, &Pose), margin: f64, out: &mut Vec<ContactPoint>) {
    let start = out.len();
    let placed = grain.placed(pose);
    touch(
        (grain, &placed),
        (&Piece(a.geometry), a.pose),
        &Look::at_all(margin, 2.0 * grain.bulge, 0),
        out,
        &mut |_| {},
    );
    out[start..].iter_mut().for_each(|c| *c = c.swapped());
    for_each_corner(a.geometry, |number, corner, radius| {
        let at = a.pose.transform_point(corner);
        if let Some(found) = over_grain(grain, &placed, at, radius, margin)
            && let Some((normal, share)) = facing_corner(a, corner, &found, grain.node_spacing)
        {
            let gap = found.gap * share;
            let point = at - (radius + 0.5 * gap) * normal;
            out.push(ContactPoint { feature: CORNERS + number, gap, normal, point, ..found });
        }
    });
    let half_width = a.geometry.half_width().min(grain.half_width);
    finish(out, start, (half_width, grain.node_spacing), pose.rotation);
}

/// The direction that holds a corner of a piece, see [`Facing`].
fn facing_corner(a: Side, corner: DVec3, found: &ContactPoint, arm: f64) -> Option<(DVec3, f64)> {
    let mut facing = Facing::new(a.pose.inverse_transform_vector(found.normal), found.gap, arm);
    for_each_face_at(a.geometry, corner, |face| facing = facing.without(face));
    facing.direction().map(|(direction, share)| (a.pose.transform_vector(direction), share))
}

/// The direction that holds a node of a grain, see [`Facing`]; both directions are in axes of the other body.
fn facing_node(grain: &GrainData, to_field: &Pose, node: u32, touch: &Touch) -> Option<(DVec3, f64)> {
    if !grain.is_sharp(node) {
        return Some((touch.outward, 1.0));
    }
    let mut facing = Facing::new(touch.outward, touch.gap, grain.node_spacing);
    let (mut faces, mut count) = ([DVec3::ZERO; 2], 0);
    for face in grain.around(node).filter(|&j| !grain.is_sharp(j)).map(|j| grain.normal(j)) {
        let is_new = faces[..count.min(2)].iter().all(|known| known.dot(face) < ONE_FACE);
        if is_new {
            if let Some(place) = faces.get_mut(count) {
                *place = face;
            }
            count += 1;
        }
        facing = facing.without(to_field.transform_vector(face));
    }
    // At a corner more faces meet.
    if count == 2 {
        facing = facing.across(faces.map(|face| to_field.transform_vector(face)));
    }
    facing.direction()
}

/// A point of ground, and whether it may hold a body along a direction.
pub(super) struct GroundPoint<F> {
    pub(super) at: DVec3,
    pub(super) name: u32,
    pub(super) holds: F,
}

/// A grain as body A in axes of ground, of which distances and points are known.
pub(super) fn grain_ground<F: Field, H: Fn(DVec3) -> bool>(
    (grain, pose): (&GrainData, &Pose),
    field: &F,
    points: impl Iterator<Item = GroundPoint<H>>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let placed = grain.placed(pose);
    touch((grain, &placed), (field, &Pose::IDENTITY), &Look::at_all(margin, 2.0 * grain.bulge, 0), out, &mut |_| {});
    for GroundPoint { at, name, holds } in points {
        if let Some(found) = over_grain(grain, &placed, at, 0.0, margin)
            && holds(-found.normal)
        {
            out.push(ContactPoint { feature: CORNERS + name % CORNERS, ..found.swapped() });
        }
    }
    finish(out, start, (grain.half_width, grain.node_spacing), pose.rotation);
}

/// The contact of a ball of `radius` about `at`, as body A, with the surface of a grain below it.
fn over_grain(grain: &GrainData, placed: &Pose, at: DVec3, radius: f64, margin: f64) -> Option<ContactPoint> {
    let field = Contour(&grain.level_set);
    let local = placed.inverse_transform_point(at);
    // Written so that NaN gives none.
    let is_near = field.bound(local) <= margin + radius;
    let distance = is_near.then(|| field.exact(local))??;
    let gap = distance.value - radius;
    let normal = placed.transform_vector(distance.outward);
    let point = at - (radius + 0.5 * gap) * normal;
    (gap <= margin).then_some(ContactPoint { point, normal, gap, half_width: f64::INFINITY, feature: 0 })
}

/// A grain as body A in the distances of another body.
struct Teller<'q, F> {
    grain: &'q GrainData,
    placed: &'q Pose,
    field: &'q F,
    field_pose: &'q Pose,
    /// Takes grain axes to those of the field.
    to_field: &'q Pose,
    margin: f64,
    /// Keys start here.
    key: u32,
}

impl<F: Field> Teller<'_, F> {
    /// The contact of a point of the surface found at a node; none beyond the margin and where nothing holds it.
    fn tell(&self, touch: &Touch, node: u32, name: u32) -> Option<ContactPoint> {
        let spare = self.field.spare(self.to_field.transform_point(touch.at), 0.0, touch.outward);
        if touch.gap > self.margin - spare {
            return None;
        }
        let (outward, share) = facing_node(self.grain, self.to_field, node, touch)?;
        let (normal, gap) = (self.field_pose.transform_vector(outward), touch.gap * share);
        let point = self.placed.transform_point(touch.at) - 0.5 * gap * normal;
        Some(ContactPoint { point, normal, gap, half_width: f64::INFINITY, feature: self.key + name })
    }
}

/// Appends where the grain, as body A, comes within the margin of the surface of `field`; `mark` is told the spots, and
/// nothing of a sharp edge.
fn touch<F: Field>(
    (grain, placed): (&GrainData, &Pose),
    (field, field_pose): (&F, &Pose),
    look: &Look,
    out: &mut Vec<ContactPoint>,
    mark: &mut impl FnMut(Option<Spot>),
) {
    let to_field = &relative(placed, field_pose);
    let teller = Teller { grain, placed, field, field_pose, to_field, margin: look.margin, key: look.key };
    let mut push = |touch: &Touch, (node, name): (u32, u32), is_lowest: bool| {
        let contact = teller.tell(touch, node, name);
        if grain.is_sharp(node) {
            mark(None);
        } else if let Some(ContactPoint { feature, .. }) = contact {
            mark(Some(Spot { feature, is_lowest, at: touch.at.as_vec3().to_array() }));
        }
        out.extend(contact);
    };
    WORKSPACE.with_borrow_mut(|work| {
        work.find(grain, to_field, field, look);
        work.lowest(grain, to_field, look.near());
        work.places.clear();
        for hit in &work.lowest {
            let (node, is_lowest) = (hit.node, !grain.is_sharp(hit.node));
            let at = grain.point(node);
            let found = if is_lowest {
                refine::lowest(grain, to_field, field, (at, grain.node_spacing))
            } else {
                refine::corner(to_field, field, at)
            };
            let touch = found.unwrap_or(hit.touch(at));
            work.places.push(touch);
            push(&touch, (node, node), is_lowest);
        }
        work.find_valleys(grain, to_field, look.margin);
        for valley in &work.valleys {
            if valley.is_told(&work.places, grain, look.margin) {
                continue;
            }
            let Some(visit) = refine::Visit::of(grain, to_field, field, valley.at) else { continue };
            let valley = valley.narrowed(&visit);
            if !valley.is_told(&work.places, grain, look.margin)
                && let Some(touch) = refine::lowest(grain, to_field, field, (valley.at, grain.node_spacing))
            {
                work.places.push(touch);
                push(&touch, (valley.node, valley.node), true);
            }
        }
        let name_of = |stretch: &Stretch| EDGES + stretch.from.node * NEIGHBOURS as u32 + stretch.place;
        let start_of = |stretch: &Stretch| stretch.from.touch(grain.point(stretch.from.node));
        work.stretches.retain(|stretch| {
            let found = refine::crossing(grain, to_field, field, (start_of(stretch), grain.point(stretch.to)));
            found.inspect(|touch| push(touch, (stretch.from.node, name_of(stretch)), false)).is_some()
        });
        for end in &work.ends {
            let is_crossed = work.stretches.iter().any(|stretch| name_of(stretch) == name_of(end));
            let end_of = || refine::end_of_edge(grain, to_field, field, start_of(end), grain.point(end.to));
            if let Some(touch) = (!is_crossed).then(end_of).flatten() {
                push(&touch, (end.from.node, name_of(end)), false);
            }
        }
        work.find_feet(grain, to_field);
        for Foot { hit, .. } in &work.feet {
            let at = grain.point(hit.node);
            let touch = refine::corner(to_field, field, at).unwrap_or(hit.touch(at));
            push(&touch, (hit.node, hit.node), false);
        }
    });
}

/// What takes points of the axes at `from` to those at `to`.
fn relative(from: &Pose, to: &Pose) -> Pose {
    Pose::new(to.inverse_transform_point(from.position), (to.rotation.conjugate() * from.rotation).normalize())
}

/// Leaves out what says the same, and notes how thick the bodies are.
pub(super) fn finish(out: &mut Vec<ContactPoint>, start: usize, (half_width, node_spacing): (f64, f64), axes: DQuat) {
    merge(out, start, node_spacing);
    reduce(out, start, node_spacing, [axes * DVec3::X, axes * DVec3::Y]);
    limit_width(&mut out[start..], half_width);
}
