//! Mass properties against reference values, at every size, and against each other by independent routes.

use granule_geometry::Shape;
use granule_model::{DMat3, DQuat, DVec3, MassProperties, Pose};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

/// One case of `data/reference/r8_mass.json`.
#[derive(Deserialize)]
struct Case {
    name: String,
    density: f64,
    vertices: Option<Vec<f64>>,
    triangles: Option<Vec<u32>>,
    radius: Option<f64>,
    segment_length: Option<f64>,
    volume: f64,
    mass: f64,
    center_of_mass: [f64; 3],
    inertia_about_com: [f64; 9],
    principal_moments: Option<[f64; 3]>,
    rel_tol: f64,
}

impl Case {
    fn vertices(&self, scale: f64) -> Vec<DVec3> {
        self.vertices.as_ref().unwrap().chunks_exact(3).map(|v| scale * DVec3::from_slice(v)).collect()
    }

    fn triangles(&self) -> Vec<[u32; 3]> {
        self.triangles.as_ref().unwrap().chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()
    }

    /// Largest error of `shape`, whose lengths are `scale` times those of the case, relative to the case's values.
    fn error(&self, shape: &Shape, scale: f64) -> f64 {
        let found = shape.mass_properties(self.density).unwrap();
        let s3 = scale * scale * scale;
        let tensor = DMat3::from_cols_array(&self.inertia_about_com);
        let size = (self.volume * 0.75 / std::f64::consts::PI).cbrt();
        let center = found.center / scale - DVec3::from_array(self.center_of_mass);
        let turned = found.inertia_tensor() * (1.0 / (s3 * scale * scale));
        let mut errors = vec![
            (found.volume / s3 / self.volume - 1.0).abs(),
            (found.mass / s3 / self.mass - 1.0).abs(),
            center.length() / size.max(DVec3::from_array(self.center_of_mass).length()),
            largest(&(turned - tensor)) / largest(&tensor),
        ];
        if let Some(moments) = self.principal_moments {
            let mut sorted = found.principal_inertia.to_array();
            sorted.sort_unstable_by(f64::total_cmp);
            errors.extend((0..3).map(|i| (sorted[i] / (s3 * scale * scale) / moments[i] - 1.0).abs()));
        }
        errors.into_iter().fold(0.0, f64::max)
    }
}

fn largest(m: &DMat3) -> f64 {
    m.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max)
}

fn reference() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/reference/r8_mass.json");
    serde_json::from_str::<Reference>(&std::fs::read_to_string(path).unwrap()).unwrap().cases
}

fn case(name: &str) -> Case {
    reference().into_iter().find(|c| c.name == name).unwrap()
}

const SCALES: [f64; 3] = [1e-3, 1.0, 1e2];

#[test]
fn closed_meshes_have_the_exact_properties_at_every_size() {
    let mut seen = 0;
    for case in reference().iter().filter(|c| c.vertices.is_some()) {
        for scale in SCALES {
            let shape = Shape::closed_mesh(&case.vertices(scale), &case.triangles()).unwrap();
            let error = case.error(&shape, scale);
            // Measured at most 1.4e-15.
            assert!(error <= case.rel_tol, "{} at {scale}: {error:e}", case.name);
            seen += 1;
        }
    }
    assert_eq!(seen, 21);
}

#[test]
fn hulls_have_the_exact_properties_at_every_size() {
    for name in ["unit_corner_tetra", "tonon_tetra", "cube_2.4", "box_2_2_1", "hull_20"] {
        let case = case(name);
        for scale in SCALES {
            let error = case.error(&Shape::convex(&case.vertices(scale)).unwrap(), scale);
            // Measured at most 1.3e-15.
            assert!(error <= case.rel_tol, "{name} at {scale}: {error:e}");
        }
    }
}

#[test]
fn round_bodies_and_boxes_have_their_closed_forms() {
    for scale in SCALES {
        let sphere = case("tang_sphere");
        let error = sphere.error(&Shape::sphere(sphere.radius.unwrap() * scale).unwrap(), scale);
        assert!(error <= 1e-13, "sphere at {scale}: {error:e}"); // measured 2e-16
        let rod = case("capsule");
        let shape = Shape::capsule(rod.radius.unwrap() * scale, rod.segment_length.unwrap() * scale).unwrap();
        let error = rod.error(&shape, scale);
        assert!(error <= 1e-13, "capsule at {scale}: {error:e}"); // measured 6e-16
        let (radius, length) = (0.37 * scale, 1.3 * scale);
        let disc = Shape::cylinder(radius, length).unwrap().mass_properties(2.0).unwrap();
        let mass = 2.0 * std::f64::consts::PI * radius * radius * length;
        let across = mass * (3.0 * radius * radius + length * length) / 12.0;
        let moments = DVec3::new(across, across, 0.5 * mass * radius * radius);
        let error = (disc.principal_inertia - moments).abs().max_element() / across + (disc.mass / mass - 1.0).abs();
        assert!(error <= 1e-13, "cylinder at {scale}: {error:e}"); // measured 5e-16
        let cube = case("cube_2.4");
        let error = cube.error(&Shape::cuboid(DVec3::splat(2.4 * scale)).unwrap(), scale);
        assert!(error <= 1e-13, "cube at {scale}: {error:e}"); // measured 4e-16
    }
}

#[test]
fn the_cross_is_exact_by_three_routes() {
    let case = case("tang_cross");
    for scale in SCALES {
        let edge = 1.26 * scale;
        let cross = Shape::cross(edge).unwrap();
        let cube = Shape::cuboid(DVec3::splat(edge)).unwrap();
        let steps = [DVec3::ZERO, DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        let cubes = steps.map(|s| (Pose::from_position(s * edge), cube.clone()));
        let union = Shape::compound(cubes.into()).unwrap();
        let drawn = cross.triangulate(3);
        let mesh = Shape::closed_mesh(&drawn.vertices, &drawn.triangles).unwrap();
        for shape in [&cross, &union, &mesh] {
            let error = case.error(shape, scale);
            assert!(error <= 1e-12, "{error:e}"); // measured 1.6e-15
            // The axes of the cubes are principal axes and stay as they are.
            assert_eq!(shape.mass_properties(1.0).unwrap().principal_rotation, DQuat::IDENTITY);
        }
        assert_eq!((drawn.vertices.len(), drawn.triangles.len()), (32, 60));
    }
}

#[test]
fn compounds_follow_the_parallel_axis_theorem() {
    let case = case("l_shape");
    for scale in SCALES {
        let bar = Shape::cuboid(DVec3::new(0.5, 0.5, 1.5) * scale).unwrap();
        let foot = Shape::cuboid(DVec3::new(1.0, 0.5, 0.5) * scale).unwrap();
        let turn = DQuat::from_xyzw(0.2, 0.4, -0.1, 0.7).normalize();
        // The foot inside a compound of its own, in axes that are turned and moved.
        let inner = Pose::new(DVec3::new(0.1, -0.4, 0.3) * scale, turn);
        let nested = Shape::compound(vec![(inner, foot)]).unwrap();
        let foot_at = l_foot(&case, scale);
        let parts = vec![(l_bar(&case, scale), bar), (foot_at.compose(&inner.inverse()), nested)];
        let error = case.error(&Shape::compound(parts).unwrap(), scale);
        assert!(error <= 1e-12, "{error:e}"); // measured 2e-16
    }
}

/// The cells of the L, read off its vertices: a bar of three cubes along z and two more along x.
fn l_bar(case: &Case, scale: f64) -> Pose {
    let low = case.vertices(scale).into_iter().reduce(DVec3::min).unwrap();
    Pose::from_position(low + DVec3::new(0.25, 0.25, 0.75) * scale)
}

fn l_foot(case: &Case, scale: f64) -> Pose {
    let low = case.vertices(scale).into_iter().reduce(DVec3::min).unwrap();
    Pose::from_position(low + DVec3::new(1.0, 0.25, 0.25) * scale)
}

#[test]
fn frames_put_the_centre_of_mass_at_the_origin() {
    let case = case("hull_20");
    let shape = Shape::convex(&case.vertices(1.0)).unwrap();
    let m = shape.mass_properties(2.0).unwrap();
    assert!(shape.frame().transform_point(m.center).length() <= 1e-15);
    // In body axes the same hull is centred and its tensor diagonal.
    let body = Shape::convex(&shape.triangulate(3).vertices).unwrap().mass_properties(2.0).unwrap();
    assert!(body.center.length() <= 1e-15);
    let off = body.inertia_tensor() - DMat3::from_diagonal(m.principal_inertia);
    assert!(largest(&off) <= 1e-14 * m.principal_inertia.max_element());
}

#[test]
fn a_closed_mesh_that_is_inside_out_is_turned() {
    let case = case("l_shape");
    let inside_out: Vec<_> = case.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let error = case.error(&Shape::closed_mesh(&case.vertices(1.0), &inside_out).unwrap(), 1.0);
    assert!(error <= 1e-12, "{error:e}");
}

fn tensor_error(turned: &MassProperties, plain: &MassProperties, rotation: DQuat) -> f64 {
    let r = DMat3::from_quat(rotation);
    let expected = r * plain.inertia_tensor() * r.transpose();
    largest(&(turned.inertia_tensor() - expected)) / largest(&expected)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    /// Turning and moving a hull turns its tensor and moves its centre, at every size; also for a prism of 12 corners,
    /// a body of revolution to its inertia, whose principal axes across are not defined.
    #[test]
    fn turned_hulls_have_turned_tensors(
        coordinates in prop::collection::vec(-1.0f64..1.0, 36..90),
        q in prop::array::uniform4(-1.0f64..1.0),
        shift in prop::array::uniform3(-3.0f64..3.0),
        prism in any::<bool>())
    {
        let rotation = DQuat::from_array(q);
        prop_assume!(rotation.length() > 0.1);
        let rotation = rotation.normalize();
        let points: Vec<DVec3> = if prism {
            (0..24).map(|i| {
                let (y, x) = libm::sincos(std::f64::consts::TAU * f64::from(i / 2) / 12.0);
                DVec3::new(x, y, if i % 2 == 0 { -0.4 } else { 0.4 })
            }).collect()
        } else {
            coordinates.chunks_exact(3).map(DVec3::from_slice).collect()
        };
        for scale in SCALES {
            let plain: Vec<_> = points.iter().map(|&p| p * scale).collect();
            let turned: Vec<_> = plain.iter().map(|&p| rotation * p + scale * DVec3::from_array(shift)).collect();
            let (plain, turned) = (Shape::convex(&plain).unwrap(), Shape::convex(&turned).unwrap());
            let (a, b) = (plain.mass_properties(2650.0).unwrap(), turned.mass_properties(2650.0).unwrap());
            let center = rotation * a.center + scale * DVec3::from_array(shift);
            // Measured at most 1.2e-15, 6e-16 and 8e-15.
            prop_assert!((a.mass / b.mass - 1.0).abs() <= 1e-12, "{:e}", a.mass / b.mass - 1.0);
            prop_assert!((b.center - center).length() <= 1e-13 * scale, "{:e}", (b.center - center).length() / scale);
            let error = tensor_error(&b, &a, rotation);
            prop_assert!(error <= 1e-12, "{error:e}");
            prop_assert!((plain.equivalent_radius() / turned.equivalent_radius() - 1.0).abs() <= 1e-12);
            prop_assert!((plain.bounding_radius() / turned.bounding_radius() - 1.0).abs() <= 1e-12);
        }
    }
}
