//! Surfaces of triangles, meshes and height fields, against bodies made of convex pieces.
//!
//! Every triangle near a piece is met on its own, but only along directions that the *surface* allows there, so that a
//! flat or hollow surface cut into triangles acts as one surface:
//!
//! - inside a triangle, and at flat and hollow edges, the normal is that of the triangle, exactly;
//! - at a ridge, a rim or a peak a direction is allowed when no part of the surface beside it rises along it: then it
//!   lies in the cone of normals of that edge or corner;
//! - a contact that only a neighbour can hold is dropped here, and one that several triangles report is kept once;
//! - where a flat edge cuts a body's face, nothing is reported: the corners of the face say the same.
//!
//! Meshes are two-sided. A piece is held on the side on which it is less deep and has its middle; one so deep that
//! the triangle cannot be the one it touches is not held by it. What is a ridge from one side is a valley from the
//! other.
//!
//! Ground that is solid below ([`Lie`]) holds a piece from above only. One whose middle is in the ground lies against
//! the plane of the triangle over the middle, with all of its corners: it is deep there, and is lifted out.

mod ball;
mod facet;
mod keys;
mod lie;
mod passage;
mod sheet;
mod solid;

use std::cell::RefCell;

use granule_model::{ContactPoint, DVec3, Pose};

use super::Side;
use super::compound::pieces_in_axes_of;
use super::plane::{Plane, convex_plane};
use super::tidy::{drop_twins, separate_keys};
use crate::geometry::Geometry;
use crate::grain::GrainData;
use crate::ground::{Lie, TriangleSurface};
use facet::Facet;
use keys::{count_equal_keys, key_on_plane};
pub(crate) use passage::passage;
pub(super) use passage::{Met, deepest_through};

thread_local! {
    /// Triangles near the piece at hand; kept so that a warm step allocates nothing.
    static NEAR: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// On which sides a surface holds a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    OnBothSides,
    Above,
}

/// A ball, a convex piece or a compound against a surface at `pose`.
pub(super) fn against_triangles(
    a: Side,
    surface: &impl TriangleSurface,
    pose: &Pose,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    pieces_in_axes_of(
        a,
        pose,
        out,
        |a, out| piece(a, surface, margin, out),
        |pieces, own, start, out| {
            drop_twins(out, start, pieces.size());
            count_equal_keys(&mut out[start..], own.rotation);
            separate_keys(&mut out[start..]);
        },
    );
}

/// One convex piece in axes of the surface against the triangles near it.
fn piece<S: TriangleSurface>(a: Side, surface: &S, margin: f64, out: &mut Vec<ContactPoint>) {
    let lie = surface.lie(a.pose.transform_point(middle(a.geometry)));
    if let Geometry::Grain(grain) = a.geometry {
        return grain_piece((grain, a), surface, lie, margin, out);
    }
    let held = match lie {
        Lie::Sheet | Lie::Beside => Held::OnBothSides,
        Lie::Above => Held::Above,
        Lie::Below(triangle) => return lift(a, &Facet::new(surface, triangle), margin, out),
    };
    NEAR.with_borrow_mut(|near| {
        near.clear();
        surface.triangles_near(&crate::bounds::aabb(a.geometry, a.pose).padded(margin), near);
        match a.geometry {
            Geometry::Sphere { radius } => {
                for &t in near.iter() {
                    ball::ball_facet(a.pose.position, *radius, &Facet::new(surface, t), (held, margin), out);
                }
            }
            _ => solid::solid_facets(a, surface, near, (held, margin), out),
        }
    });
}

/// The same for a grain, which is held by the wall below the rim of solid ground as well.
fn grain_piece<S: TriangleSurface>(
    (grain, a): (&GrainData, Side),
    surface: &S,
    lie: Lie,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let held = if lie == Lie::Sheet { Held::OnBothSides } else { Held::Above };
    let mut region = crate::bounds::aabb(a.geometry, a.pose).padded(margin);
    if matches!(lie, Lie::Beside | Lie::Below(_)) {
        // The rim may be anywhere above the wall.
        region.max.z = f64::INFINITY;
    }
    let is_told = NEAR.with_borrow_mut(|near| {
        near.clear();
        surface.triangles_near(&region, near);
        let is_deep = matches!(lie, Lie::Below(_));
        sheet::grain_sheet((grain, a.pose), surface, near, (held, is_deep, margin), out)
    });
    if let Lie::Below(triangle) = lie
        && !is_told
    {
        lift(a, &Facet::new(surface, triangle), margin, out);
    }
}

/// A piece with its middle in the ground, against the plane of the triangle over it.
fn lift<S: TriangleSurface>(a: Side, over: &Facet<S>, margin: f64, out: &mut Vec<ContactPoint>) {
    lift_to(a, (over.corners[0], over.normal), margin, out);
}

/// A piece with its middle in the ground, against the plane through a point of the surface over it.
pub(super) fn lift_to(a: Side, (at, normal): (DVec3, DVec3), margin: f64, out: &mut Vec<ContactPoint>) {
    let first = out.len();
    convex_plane(a, &Plane::new(&Pose::from_position(at), normal, 0.0, 0), margin, out);
    let is_ball = matches!(a.geometry, Geometry::Sphere { .. });
    out[first..].iter_mut().for_each(|c| c.feature = key_on_plane(is_ball, c.feature));
}

/// A point inside a convex piece, in its own axes.
pub(super) fn middle(geometry: &Geometry) -> DVec3 {
    match geometry {
        Geometry::Convex(data) => data.vertices.iter().sum::<DVec3>() / data.vertices.len() as f64,
        _ => DVec3::ZERO,
    }
}
