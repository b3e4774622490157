//! The eight kinds of form that bodies have.

use granule_model::{DQuat, DVec3, Pose};
use granule_solver::samples::Random;

use crate::random::form::Form;

/// Kinds of form.
pub(super) const KINDS: usize = 8;

/// A form of kind `kind` with lengths up to `aspect` times each other, of equal-volume radius `radius` \[m\].
pub(super) fn draw(random: &mut Random, kind: usize, aspect: f64, radius: f64) -> Form {
    // A hull of few random points may be flat to rounding: a ball stands in, which no seed has shown yet.
    let form = unscaled(random, kind, aspect);
    let own = form.shape().map(|shape| shape.equivalent_radius());
    own.map_or(Form::Sphere { radius }, |own| form.scaled(radius / own))
}

fn unscaled(random: &mut Random, kind: usize, aspect: f64) -> Form {
    match kind {
        0 => Form::Sphere { radius: 1.0 },
        1 => Form::Capsule { radius: 1.0, length: 2.0 * (random.log_between(1.1, aspect.max(1.2)) - 1.0) },
        2 => Form::Cuboid { size: DVec3::new(1.0, random.log_between(1.0, aspect), random.log_between(1.0, aspect)) },
        3 => hull(random, aspect),
        4 => compound(random, aspect),
        5 => Form::Cross { edge: 1.0 },
        6 if random.chance(0.5) => angle_prism(random, aspect),
        6 => closed_hull(random, aspect),
        _ => thin(random, aspect),
    }
}

/// Points near an ellipsoid.
fn hull(random: &mut Random, aspect: f64) -> Form {
    let axes = DVec3::new(1.0, random.log_between(1.0 / aspect, 1.0), random.log_between(1.0 / aspect, 1.0));
    let count = 5 + random.below(16);
    Form::Convex { vertices: (0..count).map(|_| random.direction() * axes * random.between(0.8, 1.0)).collect() }
}

/// Two to four parts in a chain, each near the end of the one before.
fn compound(random: &mut Random, aspect: f64) -> Form {
    let slim = aspect.min(5.0);
    let count = 2 + random.below(3);
    let mut parts: Vec<(Pose, Form)> = Vec::new();
    let mut at = DVec3::ZERO;
    for _ in 0..count {
        let kind = [0, 1, 2, 3][random.below(4)];
        let radius = random.between(0.5, 1.0);
        let form = draw(random, kind, slim, radius);
        parts.push((Pose::new(at, random.rotation()), form));
        at += random.direction() * radius * random.between(0.8, 1.6);
    }
    Form::Compound { parts }
}

/// A prism over the letter L: the simplest solid that is not convex.
fn angle_prism(random: &mut Random, aspect: f64) -> Form {
    let (long, wide) = (1.0, random.between(0.5, 1.0));
    let thick = random.log_between(1.0 / aspect, 0.4).min(0.4);
    let deep = random.log_between(1.0 / aspect, 1.0);
    let outline =
        [[0.0, 0.0], [long, 0.0], [long, thick], [thick, thick], [thick, wide], [0.0, wide]].map(|[x, y]| (x, y));
    let at = |z: f64| outline.map(|(x, y)| DVec3::new(x, y, z));
    let vertices = [at(0.0), at(deep)].concat();
    // All of the outline is seen from the inner corner.
    let fan = [[3, 4, 5], [3, 5, 0], [3, 0, 1], [3, 1, 2]];
    let mut triangles: Vec<[u32; 3]> = fan.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    triangles.extend(fan.map(|t| t.map(|i| i + 6)));
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    let bar = |x: f64, y: f64| {
        let size = DVec3::new(x, y, deep);
        (Pose::new(0.5 * size, DQuat::IDENTITY), Form::Cuboid { size })
    };
    Form::ClosedMesh { vertices, triangles, parts: vec![bar(long, thick), bar(thick, wide)] }
}

/// A hull given by its triangles.
fn closed_hull(random: &mut Random, aspect: f64) -> Form {
    let hull = hull(random, aspect);
    let Ok(shape) = hull.shape() else { return hull };
    let surface = shape.triangulate(3);
    let parts = vec![(Pose::IDENTITY, Form::Convex { vertices: surface.vertices.clone() })];
    Form::ClosedMesh { vertices: surface.vertices, triangles: surface.triangles, parts }
}

/// A plate, a rod, or a sharp tetrahedron.
fn thin(random: &mut Random, aspect: f64) -> Form {
    let thin = 1.0 / aspect.max(5.0);
    match random.below(4) {
        0 => Form::Cuboid { size: DVec3::new(1.0, random.between(0.5, 1.0), thin) },
        1 => Form::Cuboid { size: DVec3::new(1.0, thin, thin) },
        2 => {
            let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y * thin, z * thin);
            let skew = random.between(-0.5, 0.5);
            let vertices = vec![
                corner(0.0, -1.0, -0.6),
                corner(skew, 1.0, -0.6),
                corner(0.0, 0.0, 1.2),
                corner(2.0, random.unit(), 0.0),
            ];
            Form::Convex { vertices }
        }
        _ => {
            let corners = [[1.0, 0.0], [-0.5, 0.87], [-0.5, -0.87]];
            let mut vertices = corners.map(|[x, y]| DVec3::new(x, y * random.between(0.3, 1.0), 0.0)).to_vec();
            vertices.push(DVec3::new(0.1, 0.0, thin));
            Form::Convex { vertices }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A form that the engine refuses would become a ball and test nothing.
    #[test]
    fn every_kind_builds_at_the_size_asked_for_and_its_parts_fill_the_solid() {
        let random = &mut Random::new(3);
        for n in 0..400 {
            let kind = n % KINDS;
            let aspect = random.log_between(1.0, 50.0);
            let form = draw(random, kind, aspect, 0.1);
            assert!(kind == 0 || !matches!(form, Form::Sphere { .. }), "kind {kind} was refused");
            let shape = form.shape().expect("a form that was drawn");
            assert!((shape.equivalent_radius() - 0.1).abs() <= 1e-9);
            let volume = |s: &granule_geometry::Shape| s.mass_properties(1.0).expect("a solid").mass;
            let parts = form.parts().expect("parts of a form");
            assert!(parts.iter().all(|p| p.half_width > 0.0 && p.half_width <= 0.12), "kind {kind}");
            if kind == 3 || (kind == 6 && parts.len() == 1) {
                let filled: f64 = parts.iter().map(|p| volume(&p.shape)).sum();
                assert!((filled / volume(&shape) - 1.0).abs() <= 1e-6, "kind {kind}");
            }
        }
    }
}
