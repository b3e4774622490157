//! How far bodies are inside each other, from their poses alone: the engine's own contact points may be some steps old.

use rapier3d_f64::parry::query::contact;
use rapier3d_f64::prelude::*;

/// Depth of the deepest pair that the engine knows \[m\]; 0 where nothing overlaps.
pub(crate) fn largest(world: &PhysicsWorld) -> f64 {
    world.contact_pairs().map(|pair| depth(world, pair)).fold(0.0, f64::max)
}

fn depth(world: &PhysicsWorld, pair: &ContactPair) -> f64 {
    let (Some(a), Some(b)) = (world.colliders.get(pair.collider1), world.colliders.get(pair.collider2)) else {
        return 0.0;
    };
    let others = parts(b);
    let depth_of = |(pose, shape): &(Pose, SharedShape)| {
        let depths = others.iter().map(|(other_pose, other)| depth_of_convex(pose, shape, other_pose, other));
        depths.fold(0.0, f64::max)
    };
    parts(a).iter().map(depth_of).fold(0.0, f64::max)
}

/// The convex parts of a collider in the world. Compounds are taken apart, because the query for a half-space and a
/// compound measures to the compound's far side.
fn parts(collider: &Collider) -> Vec<(Pose, SharedShape)> {
    let pose = *collider.position();
    match collider.shape().as_compound() {
        Some(compound) => compound.shapes().iter().map(|(local, shape)| (pose * *local, shape.clone())).collect(),
        None => vec![(pose, collider.shared_shape().clone())],
    }
}

fn depth_of_convex(pose: &Pose, shape: &SharedShape, other_pose: &Pose, other: &SharedShape) -> f64 {
    let found = contact(pose, &**shape, other_pose, &**other, 0.0);
    // Pairs of shapes that it does not know do not occur.
    found.ok().flatten().map_or(0.0, |contact| -contact.dist)
}
