//! Every cause for which a shape is refused, with its own error; and hostile input never panics.

use granule_geometry::{Shape, ShapeError};
use granule_model::{DQuat, DVec3, Pose};
use proptest::prelude::*;

const TETRAHEDRON: [DVec3; 4] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

#[test]
fn dimensions_are_named() {
    assert_eq!(Shape::sphere(-1.0).unwrap_err(), ShapeError::NotPositive { what: "radius", value: -1.0 });
    assert_eq!(Shape::sphere(0.0).unwrap_err(), ShapeError::NotPositive { what: "radius", value: 0.0 });
    assert!(matches!(Shape::sphere(f64::NAN).unwrap_err(), ShapeError::NotFinite { what: "radius", .. }));
    assert!(matches!(Shape::sphere(1e30).unwrap_err(), ShapeError::OutOfRange { what: "radius", .. }));
    assert!(matches!(Shape::capsule(1.0, 0.0).unwrap_err(), ShapeError::NotPositive { what: "length", .. }));
    let size = DVec3::new(1.0, -2.0, 1.0);
    assert_eq!(Shape::cuboid(size).unwrap_err(), ShapeError::NotPositive { what: "size along y", value: -2.0 });
    assert!(matches!(Shape::container(size).unwrap_err(), ShapeError::NotPositive { what: "size along y", .. }));
    assert!(Shape::cross(f64::INFINITY).is_err());
    assert_eq!(Shape::half_space(DVec3::ZERO).unwrap_err(), ShapeError::ZeroNormal);
    assert!(Shape::half_space(DVec3::new(0.0, f64::NAN, 1.0)).is_err());
    assert!(Shape::half_space(DVec3::splat(1e-300)).is_ok());
}

#[test]
fn degenerate_hulls_are_named() {
    assert_eq!(Shape::convex(&TETRAHEDRON[..3]).unwrap_err(), ShapeError::FlatHull { vertices: 3 });
    let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.5, 0.5, 1e-9)];
    assert_eq!(Shape::convex(&flat).unwrap_err(), ShapeError::FlatHull { vertices: 5 });
    assert_eq!(Shape::convex(&[]).unwrap_err(), ShapeError::FlatHull { vertices: 0 });
    let nan = [DVec3::ZERO, DVec3::X, DVec3::new(f64::NAN, 0.0, 0.0), DVec3::Z];
    assert!(matches!(Shape::convex(&nan).unwrap_err(), ShapeError::VertexNotFinite { vertex: 2, .. }));
}

#[test]
fn bad_closed_meshes_are_named() {
    assert!(Shape::closed_mesh(&TETRAHEDRON, &FACES).is_ok());
    let open = Shape::closed_mesh(&TETRAHEDRON, &FACES[..3]).unwrap_err();
    assert!(
        matches!(open, ShapeError::OpenEdge { triangle: 1, from: 1, to: 3, start: DVec3::X, end: DVec3::Z }),
        "{open:?}"
    );
    assert!(open.to_string().contains("from vertex 1 at"), "{open}");
    let mut turned = FACES;
    turned[3].swap(0, 1);
    let error = Shape::closed_mesh(&TETRAHEDRON, &turned).unwrap_err();
    assert!(matches!(error, ShapeError::InconsistentOrientation { second: 3, .. }), "{error:?}");
    // A triangle and its back: closed, but nothing inside.
    let back = [[0, 1, 2], [0, 2, 1]];
    assert_eq!(Shape::closed_mesh(&TETRAHEDRON, &back).unwrap_err(), ShapeError::NoVolume);
    assert!(matches!(
        Shape::closed_mesh(&TETRAHEDRON, &[[0, 1, 9]]).unwrap_err(),
        ShapeError::IndexOutOfRange { triangle: 0, index: 9, vertices: 4 }
    ));
}

#[test]
fn surfaces_that_contradict_themselves_are_named() {
    assert!(Shape::mesh(&TETRAHEDRON, &FACES[..3]).is_ok());
    // A soup of loose triangles names its own vertices.
    let mut turned = FACES;
    turned[2].swap(0, 1);
    let error = Shape::mesh(&TETRAHEDRON, &turned).unwrap_err();
    assert!(matches!(error, ShapeError::InconsistentOrientation { first: 0, second: 2, from: 0, to: 2 }), "{error:?}");
    let soup: Vec<_> = turned.iter().flatten().map(|&i| TETRAHEDRON[i as usize]).collect();
    let loose: Vec<_> = (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let error = Shape::mesh(&soup, &loose).unwrap_err();
    assert!(matches!(error, ShapeError::InconsistentOrientation { first: 0, second: 2, from: 0, to: 1 }), "{error:?}");
    // Three triangles at one edge, as where a wall stands on a floor, have no common way to run.
    let fin = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NEG_Y, DVec3::Z];
    assert!(Shape::mesh(&corners, &fin).is_ok());
}

#[test]
fn a_closed_surface_looks_outward() {
    let inside_out = FACES.map(|[a, b, c]| [a, c, b]);
    let volume = |triangles: &[[u32; 3]]| {
        let surface = Shape::mesh(&TETRAHEDRON, triangles).unwrap().triangulate(3);
        let part = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
            a.dot(b.cross(c)) / 6.0
        };
        surface.triangles.iter().map(part).sum::<f64>()
    };
    assert!((volume(&FACES) - 1.0 / 6.0).abs() <= 1e-15 && (volume(&inside_out) - 1.0 / 6.0).abs() <= 1e-15);
}

#[test]
fn a_soup_of_loose_triangles_is_closed_and_names_its_own_vertices() {
    let soup: Vec<_> = FACES.iter().flatten().map(|&i| TETRAHEDRON[i as usize]).collect();
    let faces: Vec<[u32; 3]> = (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    assert!(Shape::closed_mesh(&soup, &faces).is_ok());
    let open = Shape::closed_mesh(&soup, &faces[..3]).unwrap_err();
    assert!(matches!(open, ShapeError::OpenEdge { triangle: 0, from: 1, to: 2, .. }), "{open:?}");
}

#[test]
fn bad_compounds_are_named() {
    assert_eq!(Shape::compound(vec![]).unwrap_err(), ShapeError::EmptyCompound);
    let ball = Shape::sphere(1.0).unwrap();
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let parts = vec![(Pose::IDENTITY, ball.clone()), (Pose::IDENTITY, plane)];
    assert_eq!(Shape::compound(parts).unwrap_err(), ShapeError::PartWithoutVolume { part: 1, name: "half-space" });
    let nowhere = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(Shape::compound(vec![(nowhere, ball)]).unwrap_err(), ShapeError::PartPose { part: 0 });
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-2i32..3).prop_map(f64::from),
        4 => -1.0f64..1.0,
        1 => prop::sample::select(vec![0.0, -0.0, 1e-300, 1e300, 1e12, 1e-12, f64::NAN, f64::INFINITY, 1e-7, 5e-324]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn hostile_input_gives_a_shape_or_an_error(
        numbers in prop::collection::vec(coordinate(), 3..60),
        corners in prop::collection::vec(0u32..18, 3..60))
    {
        let vertices: Vec<_> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
        let triangles: Vec<[u32; 3]> = corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        let tried = [
            Shape::sphere(numbers[0]),
            Shape::capsule(numbers[0], numbers[1]),
            Shape::cuboid(vertices[0]),
            Shape::half_space(vertices[0]),
            Shape::container(vertices[0]),
            Shape::cross(numbers[0]),
            Shape::convex(&vertices),
            Shape::mesh(&vertices, &triangles),
            Shape::closed_mesh(&vertices, &triangles),
        ];
        for shape in tried.into_iter().flatten() {
            if let Some(mass) = shape.mass_properties(1000.0) {
                prop_assert!(mass.mass > 0.0 && mass.mass.is_finite(), "{}: {mass:?}", shape.name());
                prop_assert!(mass.principal_inertia.min_element() > 0.0, "{}: {mass:?}", shape.name());
                prop_assert!(mass.principal_inertia.is_finite() && shape.frame().is_finite(), "{}", shape.name());
            }
            let _ = shape.highest_point(&Pose::IDENTITY, [-0.5, -0.5], [0.5, 0.5]);
            let _ = (shape.surface(), shape.triangulate(0), shape.aabb(&Pose::IDENTITY));
        }
    }
}
