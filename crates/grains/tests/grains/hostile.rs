//! Parameters that no grain has, and the ends of those that one has.

use granule_grains::{GrainError, GrainShape, Harmonic, Size, SizeDistribution, SphereMesh, Surface};
use granule_model::DVec3;

use crate::support::{grain, harmonic, rock, superquadric};

const HOSTILE: [f64; 7] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300, -1e-300, 3.0];

#[test]
fn hostile_parameters_are_errors_that_name_them() {
    let refused = |shape: GrainShape, what: &str| {
        let error = grain(shape, 0).err();
        assert_eq!(format!("{:?}", shape.check().err()), format!("{error:?}"));
        assert!(
            matches!(&error, Some(GrainError::OutOfRange { what: named, .. }) if named.contains(what)),
            "{error:?}"
        );
    };
    for x in HOSTILE {
        refused(harmonic(x, 0.0, [0.8, 0.8]), "angularity");
        refused(harmonic(0.1, x, [0.8, 0.8]), "roughness");
        refused(harmonic(0.1, 0.0, [x, 0.8]), "elongation");
        refused(harmonic(0.1, 0.0, [0.8, x]), "flatness");
        refused(rock(14, x, [0.8, 0.8]), "irregularity");
        refused(rock(14, 0.5, [x, 0.8]), "elongation");
        refused(superquadric([1.0; 3], [x, 1.0]), "e1");
        refused(superquadric([1.0; 3], [1.0, x]), "e2");
        if x != 3.0 {
            refused(superquadric([1.0, x, 1.0], [1.0, 1.0]), "half axis");
        }
    }
    refused(harmonic(0.1, 0.0, [0.0, 0.8]), "elongation");
    refused(superquadric([1.0, 1.0, 1e-4], [1.0, 1.0]), "ratio");
}

#[test]
fn hostile_counts_are_errors() {
    let count = |shape| matches!(grain(shape, 0), Err(GrainError::Count { .. }));
    assert!(
        count(rock(0, 0.5, [0.8, 0.8])) && count(rock(5, 0.5, [0.8, 0.8])) && count(rock(usize::MAX, 0.5, [0.8, 0.8]))
    );
    for degree in [0, 1, 16, usize::MAX] {
        assert!(count(GrainShape::Harmonic(Harmonic { degree, ..Harmonic::default() })));
    }
    let smooth = GrainShape::Harmonic(Harmonic { degree: 8, ..Harmonic::default() });
    assert!(matches!(grain(smooth, 0), Err(GrainError::RoughnessBeyondDegree { degree: 8 })));
    assert!(SphereMesh::new(0).is_err() && SphereMesh::new(129).is_err() && SphereMesh::new(u32::MAX).is_err());
    assert!(SphereMesh::with_vertices(0).is_err() && SphereMesh::with_vertices(usize::MAX).is_err());
}

#[test]
fn hostile_surfaces_and_sizes_are_errors() {
    let mesh = SphereMesh::new(2).unwrap();
    let sphere = || mesh.directions().to_vec();
    let triangles = || mesh.triangles().to_vec();
    for x in [f64::NAN, f64::INFINITY, 1e300] {
        let mut vertices = sphere();
        vertices[4].y = x;
        assert_eq!(Surface::new(vertices, triangles()), Err(GrainError::VertexNotFinite { vertex: 4 }));
    }
    let named = Surface::new(sphere()[..10].to_vec(), triangles());
    assert!(matches!(named, Err(GrainError::IndexOutOfRange { vertices: 10, .. })));
    assert_eq!(Surface::new(Vec::new(), Vec::new()), Err(GrainError::NoVolume));
    assert_eq!(Surface::new(vec![DVec3::ONE; sphere().len()], triangles()), Err(GrainError::NoVolume));
    let flat = sphere().iter().map(|v| DVec3::new(v.x, v.y, 0.0)).collect();
    assert!(Surface::new(flat, triangles()).is_err());
    let good = Surface::new(sphere(), triangles()).unwrap();
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
        assert!(good.clone().resized(Size::Sieve(size)).is_err());
        assert!(good.clone().resized(Size::EquivalentDiameter(size)).is_err());
        assert!(SizeDistribution::Fixed(size).sampler().is_err());
    }
}
