//! The start state, as `xtask/src/bench/peers.rs` writes it, and the world that it becomes.

use rapier3d_f64::prelude::*;
use serde::Deserialize;

/// A start state. All units are SI.
#[derive(Debug, Deserialize)]
pub(crate) struct Start {
    /// Simulated time.
    pub(crate) seconds: f64,
    gravity: [f64; 3],
    density: f64,
    restitution: f64,
    friction: f64,
    /// The shape of every body.
    pub(crate) grain: Grain,
    planes: Vec<Plane>,
    bodies: Vec<Body>,
}

/// The shape of the bodies.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Grain {
    /// A ball.
    Sphere { radius: f64 },
    /// A box with its full edge lengths.
    Cuboid { size: [f64; 3] },
    /// Seven cubes.
    Cross { edge: f64 },
}

/// What is behind the plane through `point` is solid; `normal` points out of it.
#[derive(Debug, Deserialize)]
struct Plane {
    normal: [f64; 3],
    point: [f64; 3],
}

/// A body: its centre, orientation (x, y, z, w) and velocity.
#[derive(Debug, Deserialize)]
struct Body {
    position: [f64; 3],
    orientation: [f64; 4],
    velocity: [f64; 3],
}

impl Start {
    /// The world before its first step of `time_step` \[s\]. Bodies do not sleep: those of the other engine do not
    /// either.
    pub(crate) fn world(&self, time_step: f64) -> PhysicsWorld {
        let mut world = PhysicsWorld::new();
        world.gravity = vector(self.gravity);
        world.integration_parameters.dt = time_step;
        for plane in &self.planes {
            let solid = ColliderBuilder::new(SharedShape::halfspace(vector(plane.normal)));
            world.insert(RigidBodyBuilder::fixed().translation(vector(plane.point)), self.surfaced(solid));
        }
        for body in &self.bodies {
            let [x, y, z, w] = body.orientation;
            let pose = Pose::from_parts(vector(body.position), Rotation::from_xyzw(x, y, z, w).normalize());
            let dynamic = RigidBodyBuilder::dynamic().pose(pose).linvel(vector(body.velocity)).can_sleep(false);
            world.insert(dynamic, self.surfaced(self.grain.collider(self.density)));
        }
        world
    }

    fn surfaced(&self, collider: ColliderBuilder) -> ColliderBuilder {
        collider.friction(self.friction).restitution(self.restitution)
    }
}

impl Grain {
    fn collider(self, density: f64) -> ColliderBuilder {
        match self {
            Grain::Sphere { radius } => ColliderBuilder::ball(radius).density(density),
            Grain::Cuboid { size: [x, y, z] } => ColliderBuilder::cuboid(0.5 * x, 0.5 * y, 0.5 * z).density(density),
            Grain::Cross { edge } => cross(edge, density),
        }
    }

    /// Radius of the ball of as large a volume \[m\].
    pub(crate) fn equivalent_radius(self) -> f64 {
        let volume = match self {
            Grain::Sphere { radius } => return radius,
            Grain::Cuboid { size: [x, y, z] } => x * y * z,
            Grain::Cross { edge } => 7.0 * edge.powi(3),
        };
        (0.75 * volume / std::f64::consts::PI).cbrt()
    }
}

/// Three bars of three cubes' length, as granule's contacts see a cross; mass and moments are those of the seven cubes.
fn cross(edge: f64, density: f64) -> ColliderBuilder {
    let bar = |axis: usize| {
        let half = [0, 1, 2].map(|i| if i == axis { 1.5 * edge } else { 0.5 * edge });
        (Pose::identity(), SharedShape::cuboid(half[0], half[1], half[2]))
    };
    let cube = density * edge.powi(3);
    // Seven cubes about their own centres, and four of them an edge away from each axis.
    let moment = (7.0 / 6.0 + 4.0) * cube * edge * edge;
    let properties = MassProperties::new(Vector::ZERO, 7.0 * cube, Vector::splat(moment));
    ColliderBuilder::compound(vec![bar(0), bar(1), bar(2)]).mass_properties(properties)
}

fn vector([x, y, z]: [f64; 3]) -> Vector {
    Vector::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(grain: &str) -> Start {
        let text = format!(
            "{{\"seconds\": 1, \"gravity\": [0, 0, -9.8], \"density\": 2650, \"restitution\": 0.3, \"friction\": 0.3, \
             \"grain\": {grain}, \"planes\": [{{\"normal\": [0, 0, 1], \"point\": [0, 0, 0]}}], \"bodies\": \
             [{{\"position\": [0, 0, 1.49], \"orientation\": [0, 0, 0, 1], \"velocity\": [0, 0, 0]}}]}}"
        );
        serde_json::from_str(&text).expect("the form of the file")
    }

    #[test]
    fn a_cross_has_the_mass_of_seven_cubes() {
        let world = start("{\"cross\": {\"edge\": 1.0}}").world(0.01);
        let (_, body) = world.rigid_bodies().find(|(_, body)| body.is_dynamic()).expect("the cross");
        assert!((body.mass() / (7.0 * 2650.0) - 1.0).abs() <= 1e-12, "{}", body.mass());
    }

    #[test]
    fn overlap_is_the_depth_in_the_floor() {
        for grain in [
            "{\"sphere\": {\"radius\": 1.5}}",
            "{\"cuboid\": {\"size\": [1.0, 2.0, 3.0]}}",
            "{\"cross\": {\"edge\": 1.0}}",
        ] {
            let mut world = start(grain).world(1e-6);
            world.step();
            let found = crate::overlap::largest(&world);
            assert!((found - 0.01).abs() <= 1e-4, "{grain}: {found}");
        }
    }
}
