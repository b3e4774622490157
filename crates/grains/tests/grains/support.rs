//! Families to test with and checks that any surface has to pass.

use granule_grains::{Grain, GrainError, GrainShape, Harmonic, Rock, Superquadric, Surface};

pub(crate) fn harmonic(angularity: f64, roughness: f64, aspect: [f64; 2]) -> GrainShape {
    GrainShape::Harmonic(Harmonic { aspect, angularity, roughness, degree: 15 })
}

pub(crate) fn rock(faces: usize, irregularity: f64, aspect: [f64; 2]) -> GrainShape {
    GrainShape::Rock(Rock { faces, aspect, irregularity })
}

pub(crate) fn superquadric(half_axes: [f64; 3], exponents: [f64; 2]) -> GrainShape {
    GrainShape::Superquadric(Superquadric { half_axes, exponents })
}

pub(crate) fn grain(shape: GrainShape, index: u64) -> Result<Grain, GrainError> {
    shape.grain(20, index)
}

/// Families from the middle and from the ends of the ranges.
pub(crate) fn families() -> Vec<GrainShape> {
    let mut all = Vec::new();
    for aspect in [[1.0, 1.0], [0.75, 0.6], [0.1, 1.0], [1.0, 0.1], [0.1, 0.1]] {
        all.extend([(0.0, 0.0), (0.15, 0.02), (0.5, 0.2)].map(|(a, r)| harmonic(a, r, aspect)));
        all.extend([(6, 0.0), (14, 0.6), (40, 0.0), (40, 1.0)].map(|(n, i)| rock(n, i, aspect)));
    }
    for exponents in [[1.0, 1.0], [0.1, 0.1], [2.0, 2.0], [0.1, 2.0], [2.0, 0.1], [0.6, 1.3]] {
        all.push(superquadric([0.03, 0.02, 0.01], exponents));
        all.push(superquadric([1.0, 1e-3, 1.0], exponents));
    }
    all
}

/// Closed by its own words: `Surface::new` refuses what is open, does not face outwards or has no volume.
pub(crate) fn assert_closed(surface: &Surface) {
    let (vertices, triangles) = surface.clone().into_parts();
    // Euler: one piece without handles.
    assert_eq!(vertices.len() + triangles.len(), triangles.len() * 3 / 2 + 2);
    let again = Surface::new(vertices, triangles);
    assert!(again.is_ok(), "{again:?}");
}

/// Families whose surface has a tangent plane everywhere that differences can find.
pub(crate) fn smooth() -> Vec<GrainShape> {
    vec![
        harmonic(0.0, 0.0, [0.5, 0.5]),
        harmonic(0.2, 0.05, [0.75, 0.6]),
        harmonic(0.5, 0.2, [1.0, 1.0]),
        superquadric([0.03, 0.02, 0.01], [1.0, 1.0]),
        superquadric([0.03, 0.02, 0.01], [0.6, 0.8]),
    ]
}
