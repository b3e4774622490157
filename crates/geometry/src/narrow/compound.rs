//! Compounds: every pair of convex parts that is near, without the contacts that lie inside the body.
//!
//! Parts of one body may touch or overlap. A point of one part that is covered by another part of the same body is no
//! point of the body's surface, and a contact on it would push in a direction in which nothing can move; it is dropped.

use std::cell::RefCell;

use granule_model::{Aabb, ContactPoint, DVec3, Pose};

use super::piece_pairs::{Pieces, Seat, are_apart, each_pair_of_pieces};
use super::plane::{Plane, convex_plane};
use super::polytope::face_pair;
use super::tidy::tidy;
use super::wall::convex_wall;
use super::{Side, convex_pair, limit_width, mix};
use crate::drum::Drum;
use crate::geometry::{Geometry, Part};

/// A surface point is covered when the point this share of its part's size further out is inside another part. Coplanar
/// faces of two parts do not cover each other; parts that abut, or nearly so, do.
const COVER: f64 = 1e-4;
/// A probe within this share of the size of a part's boundary is on its border, where rounding must not decide.
const BORDER: f64 = 1e-6;

/// Cosine with the normal of a face from which a direction is that normal.
const ALONG_FACE: f64 = 1.0 - 1e-9;
/// Keys of points along the normal of a face that was not the least way apart are mixed with this.
const FACES: u32 = 0xFACE;
/// Keys of points on a round wall are mixed with this.
const WALL: u32 = 0xD4C1;
/// Keys of points inside a body that hold pieces which nothing else holds are mixed with this.
const WITHIN: u32 = 0x1715;

thread_local! {
    /// Pairs of pieces whose points were turned out to lie inside a body; kept so that a warm step allocates nothing.
    static LOST: RefCell<Vec<Lost>> = const { RefCell::new(Vec::new()) };
}

/// A pair of pieces whose least way apart is no point of the surface.
#[derive(Clone, Copy, Debug)]
struct Lost {
    /// Pieces of A and of B.
    pieces: [u32; 2],
    /// The nearest of the points that were dropped.
    contact: ContactPoint,
}

impl Pieces<'_> {
    /// Of the contacts from `first` on, made by piece `index` as body A, keeps those on the surface of the whole, and
    /// folds `key` into theirs.
    fn keep_surface(&self, index: usize, seat: &Seat, first: usize, key: u32, out: &mut Vec<ContactPoint>) {
        keep_surface(first, out, key, |c| !self.covers_a(index, seat, c));
    }

    /// True when the point of `contact` on piece `index`, as body A, is inside the body.
    fn covers_a(&self, index: usize, seat: &Seat, contact: &ContactPoint) -> bool {
        self.covers(index, seat, contact.point + 0.5 * contact.gap * contact.normal, -contact.normal)
    }

    /// The same as body B.
    fn covers_b(&self, index: usize, seat: &Seat, contact: &ContactPoint) -> bool {
        self.covers(index, seat, contact.point - 0.5 * contact.gap * contact.normal, contact.normal)
    }

    /// True when the surface of piece `index` is perpendicular to `normal` somewhere, for a polyhedron on a face: where
    /// another part covers it there, nothing of the face is left. At an edge or a corner another direction may be a
    /// normal of the whole.
    fn is_face(&self, index: usize, pose: &Pose, normal: DVec3) -> bool {
        let (geometry, pose) = self.get(index, pose);
        let local = pose.inverse_transform_vector(normal).abs();
        match geometry {
            Geometry::Cuboid { .. } => local.max_element() >= ALONG_FACE,
            Geometry::Convex(data) => {
                let local = pose.inverse_transform_vector(normal);
                data.faces.iter().any(|f| f.normal.dot(local).abs() >= ALONG_FACE)
            }
            Geometry::Cylinder(_) => local.z >= ALONG_FACE || local.z * local.z <= 1.0 - ALONG_FACE * ALONG_FACE,
            _ => true,
        }
    }

    /// True when the surface point `point` of piece `index`, outward direction `outward` (world), is inside the body.
    fn covers(&self, index: usize, seat: &Seat, point: DVec3, outward: DVec3) -> bool {
        let Pieces::Many(parts) = self else { return false };
        if parts.len() < 2 {
            return false;
        }
        let size = parts[index].size;
        let (outward, on) = (seat.to_body * outward, seat.to_body * (point - seat.position));
        let (step, slack) = (COVER * size, BORDER * size);
        let probe = on + step * outward;
        parts.iter().enumerate().any(|(other, part)| {
            if other == index || are_apart(&part.bounds, &Aabb::new(probe, probe), slack) {
                return false;
            }
            let local = part.pose.inverse_transform_point(probe);
            let height = height_above(&part.geometry, local);
            if height.abs() > slack {
                return height < 0.0;
            }
            // On the border of what the other part covers. Where the face goes on beyond it, as a face of whatever part
            // (a concave edge of the whole), the point is a surface point; where it does not (the joint of two parts
            // whose sides are flush) it is none. Counting more of them as covered takes away the outermost points of
            // patches: packs of crosses then overlap by up to 5 %. In a corner the probe is on several borders at once,
            // and one way out is enough.
            !any_border(&part.geometry, local, slack, |away| {
                let beyond = on + step * (part.pose.transform_vector(away) - outward);
                parts.iter().any(|p| height_above(&p.geometry, p.pose.inverse_transform_point(beyond)) <= 0.0)
            })
        })
    }
}

/// Calls `visit` with each piece of body A in axes of ground at `pose`, whose normals so stay exactly what they are,
/// and lets it append contacts in these axes; `finish` follows for all from the first on, with the pose of the body.
/// Those on the surface of the whole are kept, and taken to the world.
pub(super) fn pieces_in_axes_of(
    a: Side,
    pose: &Pose,
    out: &mut Vec<ContactPoint>,
    mut visit: impl FnMut(Side, &mut Vec<ContactPoint>),
    finish: impl FnOnce(&Pieces, &Pose, usize, &mut Vec<ContactPoint>),
) {
    let start = out.len();
    let own = Pose::new(pose.inverse_transform_point(a.pose.position), pose.rotation.conjugate() * a.pose.rotation);
    let (pieces, seat) = (Pieces::of(a.geometry), Seat::of(&own));
    for index in 0..pieces.len() {
        let (geometry, piece_pose) = pieces.get(index, &own);
        let first = out.len();
        visit(Side { geometry, pose: &piece_pose }, out);
        limit_width(&mut out[first..], geometry.half_width());
        pieces.keep_surface(index, &seat, first, mix(index as u32, u32::MAX), out);
    }
    finish(&pieces, &own, start, out);
    for contact in &mut out[start..] {
        contact.point = pose.transform_point(contact.point);
        contact.normal = pose.transform_vector(contact.normal);
    }
}

/// Height of `point` (axes of the piece) above the nearest of the piece's faces, negative inside.
fn height_above(geometry: &Geometry, point: DVec3) -> f64 {
    match geometry {
        Geometry::Sphere { radius } => point.length() - radius,
        Geometry::Capsule { radius, half_length } => (point - core(point, *half_length)).length() - radius,
        Geometry::Cuboid { half } => (point.abs() - *half).max_element(),
        Geometry::Convex(data) => {
            data.faces.iter().map(|f| f.normal.dot(point) - f.offset).fold(f64::NEG_INFINITY, f64::max)
        }
        Geometry::Cylinder(cylinder) => cylinder.height(point),
        _ => f64::INFINITY,
    }
}

/// The point of a capsule's axis next to `point`.
fn core(point: DVec3, half_length: f64) -> DVec3 {
    DVec3::new(0.0, 0.0, point.z.clamp(-half_length, half_length))
}

/// True when `wanted` holds for the normal of one of the faces that `point` lies on, to `slack`.
fn any_border(geometry: &Geometry, point: DVec3, slack: f64, wanted: impl Fn(DVec3) -> bool) -> bool {
    match geometry {
        Geometry::Sphere { .. } => wanted(point.normalize_or(DVec3::Z)),
        Geometry::Capsule { half_length, .. } => wanted((point - core(point, *half_length)).normalize_or(DVec3::Z)),
        Geometry::Cuboid { half } => (0..3).any(|axis| {
            let away = DVec3::AXES[axis] * 1f64.copysign(point[axis]);
            (point[axis].abs() - half[axis]).abs() <= slack && wanted(away)
        }),
        Geometry::Convex(data) => {
            data.faces.iter().any(|f| (f.normal.dot(point) - f.offset).abs() <= slack && wanted(f.normal))
        }
        Geometry::Cylinder(cylinder) => {
            cylinder.faces_at(point).into_iter().any(|(normal, height)| height.abs() <= slack && wanted(normal))
        }
        _ => false,
    }
}

/// Two bodies of which at least one is a compound; neither is a mesh, a half-space or a container.
pub(super) fn pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    let start = out.len();
    let pieces = [Pieces::of(a.geometry), Pieces::of(b.geometry)];
    let seats = [Seat::of(a.pose), Seat::of(b.pose)];
    // Most pairs that are looked at do not touch and need no size.
    let size = || pieces[0].size().max(pieces[1].size());
    LOST.with_borrow_mut(|lost| {
        lost.clear();
        each_pair_of_pieces([a, b], &pieces, &seats, margin, |ij, sides| {
            lost.extend(surface_of(ij, sides, ([a, b], &seats), &pieces, margin, out));
        });
        lost.retain(|l| l.contact.gap < 0.0);
        if !lost.is_empty() {
            hold_what_is_lost(lost, &Bodies { sides: [a, b], pieces, slack: COVER * size() }, start, out);
        }
    });
    tidy(out, start, size);
}

/// Appends the points of piece `i` of A and `j` of B that lie on the surfaces of both bodies; what was lost where the
/// nearest lies inside one.
fn surface_of(
    [i, j]: [usize; 2],
    [side_a, side_b]: [Side; 2],
    ([a, b], [seat_a, seat_b]): ([Side; 2], &[Seat; 2]),
    [pieces_a, pieces_b]: &[Pieces; 2],
    margin: f64,
    out: &mut Vec<ContactPoint>,
) -> Option<Lost> {
    let first = out.len();
    piece_pair(side_a, side_b, margin, out);
    let key = mix(i as u32, j as u32);
    let is_surface = |c: &ContactPoint| !pieces_a.covers_a(i, seat_a, c) && !pieces_b.covers_b(j, seat_b, c);
    let nearest = keep_surface(first, out, key, is_surface)?;
    let slack = COVER * pieces_a.size().max(pieces_b.size());
    if out[first..].iter().any(|c| c.gap <= nearest.gap + slack) {
        return None;
    }
    let face_is_covered = pieces_a.is_face(i, a.pose, nearest.normal) && pieces_a.covers_a(i, seat_a, &nearest)
        || pieces_b.is_face(j, b.pose, nearest.normal) && pieces_b.covers_b(j, seat_b, &nearest);
    if !face_is_covered {
        along_faces([side_a, side_b], [margin, nearest.gap, slack], key, is_surface, out);
    }
    Some(Lost { pieces: [i as u32, j as u32], contact: nearest })
}

/// Two bodies made of pieces.
struct Bodies<'a> {
    sides: [Side<'a>; 2],
    pieces: [Pieces<'a>; 2],
    /// Gaps that differ by less are equal \[m\].
    slack: f64,
}

impl Bodies<'_> {
    /// How far the two pieces are apart along `normal`, which points from B to A; negative where they overlap \[m\].
    fn separation(&self, [i, j]: [u32; 2], normal: DVec3) -> f64 {
        let (geometry_a, pose_a) = self.pieces[0].get(i as usize, self.sides[0].pose);
        let (geometry_b, pose_b) = self.pieces[1].get(j as usize, self.sides[1].pose);
        let apart = pose_a.position - pose_b.position;
        apart.dot(normal) - reach(geometry_a, &pose_a, -normal) - reach(geometry_b, &pose_b, normal)
    }

    /// Whether the pieces are apart once they have moved as `contact` asks for.
    fn is_held(&self, lost: &Lost, contact: &ContactPoint) -> bool {
        self.separation(lost.pieces, contact.normal) >= contact.gap - self.slack
    }
}

/// Appends points for pieces that overlap although nothing that was found from `start` on holds them apart.
///
/// The surface of the whole may be touched where no piece of either body has the least way apart from a piece of the
/// other: a corner that went past a hollow edge goes on from piece to piece without any contact. Of the ways apart that
/// lead through a body that is taken first by which all such pieces come apart after the shortest motion.
fn hold_what_is_lost(lost: &mut Vec<Lost>, bodies: &Bodies, start: usize, out: &mut Vec<ContactPoint>) {
    lost.retain(|l| l.contact.gap < -bodies.slack && !out[start..].iter().any(|c| bodies.is_held(l, c)));
    while !lost.is_empty() {
        let motion = |l: &Lost| {
            let least = lost.iter().map(|other| bodies.separation(other.pieces, l.contact.normal));
            least.fold(f64::INFINITY, f64::min)
        };
        let best = lost.iter().map(|l| (motion(l), *l)).reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, best)) = best else { return };
        let [i, j] = best.pieces;
        let feature = mix(mix(mix(i, j), WITHIN), best.contact.feature);
        out.push(ContactPoint { feature, ..best.contact });
        lost.retain(|l| l.pieces != best.pieces && !bodies.is_held(l, &best.contact));
    }
}

/// How far the surface of a convex piece reaches along a unit direction of the world, from its position \[m\].
fn reach(geometry: &Geometry, pose: &Pose, direction: DVec3) -> f64 {
    let local = pose.inverse_transform_vector(direction);
    match geometry {
        Geometry::Sphere { radius } => *radius,
        Geometry::Capsule { radius, half_length } => radius + half_length * local.z.abs(),
        Geometry::Cuboid { half } => half.dot(local.abs()),
        Geometry::Convex(data) => data.vertices.iter().map(|v| v.dot(local)).fold(f64::NEG_INFINITY, f64::max),
        Geometry::Cylinder(cylinder) => cylinder.reach(local),
        _ => f64::INFINITY,
    }
}

/// Appends what two pieces touch along the normal of a face, after the points of their least way apart, `nearest`,
/// turned out to lie inside a body.
///
/// In a hollow edge the rim of one piece where the next goes on is no edge of the whole, but the least way apart may
/// lead over it. What the body touches there is a face, along whose normal it is hardly deeper: the overlap grows by a
/// factor of two up to 60 degrees from it.
fn along_faces(
    [a, b]: [Side; 2],
    [margin, nearest, slack]: [f64; 3],
    key: u32,
    is_surface: impl Fn(&ContactPoint) -> bool,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    let floor = nearest - nearest.abs() - slack;
    face_pair(a, b, margin, [floor, slack], is_surface, out);
    out[first..].iter_mut().for_each(|c| c.feature = mix(mix(key, FACES), c.feature));
    limit_width(&mut out[first..], a.geometry.half_width().min(b.geometry.half_width()));
}

/// Two pieces in either order of rank.
fn piece_pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    let first = out.len();
    if a.rank() <= b.rank() {
        convex_pair(a, b, margin, out);
    } else {
        convex_pair(b, a, margin, out);
        out[first..].iter_mut().for_each(|c| *c = c.swapped());
    }
}

/// Removes the contacts from `first` on that `is_surface` refuses, and folds `parts` into the keys of the others; the
/// nearest of those removed.
fn keep_surface(
    first: usize,
    out: &mut Vec<ContactPoint>,
    parts: u32,
    is_surface: impl Fn(&ContactPoint) -> bool,
) -> Option<ContactPoint> {
    let mut lost: Option<ContactPoint> = None;
    let mut kept = first;
    for index in first..out.len() {
        let contact = out[index];
        if is_surface(&contact) {
            out[kept] = ContactPoint { feature: mix(parts, contact.feature), ..contact };
            kept += 1;
        } else if lost.is_none_or(|nearest| contact.gap < nearest.gap) {
            lost = Some(contact);
        }
    }
    out.truncate(kept);
    lost
}

/// A compound against the round wall of a drum at `ground`.
pub(super) fn against_wall(
    parts: &[Part],
    pose: &Pose,
    drum: &Drum,
    ground: &Pose,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let (pieces, seat) = (Pieces::Many(parts), Seat::of(pose));
    for index in 0..parts.len() {
        let (geometry, piece_pose) = pieces.get(index, pose);
        let first = out.len();
        convex_wall(Side { geometry, pose: &piece_pose }, drum, ground, margin, out);
        pieces.keep_surface(index, &seat, first, mix(index as u32, WALL), out);
    }
    tidy(out, start, || pieces.size());
}

/// A compound against a plane.
pub(super) fn against_plane(parts: &[Part], pose: &Pose, plane: &Plane, margin: f64, out: &mut Vec<ContactPoint>) {
    let start = out.len();
    let (pieces, seat) = (Pieces::Many(parts), Seat::of(pose));
    let seen = plane.seen_from(pose);
    for index in 0..parts.len() {
        if !seen.may_meet(&parts[index].bounds, margin) {
            continue;
        }
        let (geometry, piece_pose) = pieces.get(index, pose);
        let first = out.len();
        convex_plane(Side { geometry, pose: &piece_pose }, plane, margin, out);
        pieces.keep_surface(index, &seat, first, mix(index as u32, u32::MAX), out);
    }
    tidy(out, start, || pieces.size());
}
