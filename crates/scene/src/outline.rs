//! Where a scene ends that gives no `[domain]`: ground of finite extent has an edge, and what goes over it only falls.
//!
//! The domain is the box of all static and driven bodies, and of all others where they start. A face is closed where
//! gravity has no component back through it: so nothing leaves that would fly back, whatever way gravity points. Faces
//! that gravity points to lie deeper by [`DEPTH`], for what hangs below the lowest point of the ground.

use granule_engine::{BodyDescription, Domain, Leaving, Motion};
use granule_model::{Aabb, BodyKind, DVec3};

/// How much deeper than everything the domain reaches, over the diagonal of the box of everything.
const DEPTH: f64 = 0.1;

/// The domain of a scene without one, where it has ground; none where nothing says where it ends: a half-space, a
/// container or a drum, a driven body that moves on and on, no gravity.
pub(crate) fn domain(bodies: &[BodyDescription], gravity: DVec3) -> Option<Domain> {
    let is_ground = |body: &BodyDescription| body.kind == BodyKind::Static && body.shape.is_ground();
    if gravity == DVec3::ZERO || !bodies.iter().any(is_ground) {
        return None;
    }
    let mut bounds = Aabb::EMPTY;
    for body in bodies {
        bounds = bounds.union(&reach(body)?);
    }
    let deeper = DEPTH * bounds.size().length();
    let (mut min, mut max) = (bounds.min, bounds.max);
    for axis in 0..3 {
        match gravity[axis] {
            g if g < 0.0 => (min[axis], max[axis]) = (min[axis] - deeper, f64::INFINITY),
            g if g > 0.0 => (min[axis], max[axis]) = (f64::NEG_INFINITY, max[axis] + deeper),
            _ => {}
        }
    }
    Some(Domain { min, max, leaving: Leaving::Remove })
}

/// The box that a body fills at the start, and that a driven one ever fills; none where it has no bound.
fn reach(body: &BodyDescription) -> Option<Aabb> {
    let pose = body.pose.compose(&body.shape.frame().inverse());
    if body.kind != BodyKind::Dynamic && body.shape.is_unbounded() {
        return None;
    }
    let here = body.shape.aabb(&pose);
    if body.kind != BodyKind::Driven {
        return Some(here);
    }
    match body.motion.clone().unwrap_or(Motion::Constant(body.velocity)) {
        Motion::Constant(velocity) if velocity.linear != DVec3::ZERO => None,
        Motion::Constant(velocity) if velocity.angular != DVec3::ZERO => {
            // It turns about the origin of its own axes.
            let arm = (pose.position - body.pose.position).length() + body.shape.bounding_radius();
            let around = Aabb::new(body.pose.position, body.pose.position).padded(arm);
            Some(around)
        }
        Motion::Constant(_) => Some(here),
        Motion::Sine { amplitude, phase, .. } => {
            let start = libm::sin(phase);
            let ends = [1.0, -1.0].map(|sine| here.shifted(amplitude * (sine - start)));
            Some(here.union(&ends[0]).union(&ends[1]))
        }
        Motion::Function(_) => None,
    }
}
