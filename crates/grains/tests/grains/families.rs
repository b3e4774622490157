//! What every family keeps: closed surfaces, sizes and ratios of sides met, equal bits, no scale.

use granule_grains::{GrainShape, Size, SphereMesh, Surface, describe};

use crate::support::{assert_closed, families, grain};

fn surfaces(mesh: &SphereMesh) -> Vec<(GrainShape, Surface)> {
    let one = |shape: GrainShape| (shape, grain(shape, 3).unwrap().surface(mesh));
    families().into_iter().map(one).collect()
}

#[test]
fn surfaces_are_closed_manifolds_that_face_outwards() {
    for frequency in [1, 2, 5, 16] {
        let mesh = SphereMesh::new(frequency).unwrap();
        assert_eq!(mesh.directions().len(), 10 * (frequency * frequency) as usize + 2);
        surfaces(&mesh).iter().for_each(|(_, surface)| assert_closed(surface));
    }
}

/// Negative control: one triangle turned round, or left out, is found.
#[test]
fn a_surface_that_is_not_closed_is_refused() {
    let mesh = SphereMesh::new(2).unwrap();
    let (vertices, mut triangles) = (mesh.directions().to_vec(), mesh.triangles().to_vec());
    let gone = triangles.pop().unwrap();
    assert!(Surface::new(vertices.clone(), triangles.clone()).is_err());
    triangles.push([gone[0], gone[2], gone[1]]);
    assert!(Surface::new(vertices.clone(), triangles).is_err());
    let inside_out = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(Surface::new(vertices, inside_out).is_err());
}

/// Each vertex lies on the smooth surface, as far out as `radius` says.
#[test]
fn vertices_lie_at_the_radius_of_their_direction() {
    let mesh = SphereMesh::new(6).unwrap();
    let mut worst: f64 = 0.0;
    for shape in families() {
        let grain = grain(shape, 3).unwrap();
        for v in grain.surface(&mesh).vertices() {
            worst = worst.max((grain.radius(v.normalize()) / v.length() - 1.0).abs());
        }
    }
    // 1.3e-15.
    assert!(worst <= 1e-14, "{worst:e}");
}

/// The normal is across the surface: two points close by differ along it by the square of their distance only.
#[test]
fn normals_are_across_the_surface() {
    let mesh = SphereMesh::new(7).unwrap();
    let mut worst: f64 = 0.0;
    for shape in crate::support::smooth() {
        let grain = grain(shape, 3).unwrap();
        for &d in mesh.directions() {
            let normal = grain.normal(d);
            assert!((normal.length() - 1.0).abs() <= 1e-14 && normal.dot(d) > 0.0);
            let point = |d: granule_model::DVec3| d * grain.radius(d);
            let (u, v) = d.any_orthonormal_pair();
            for across in [u, v] {
                let h = 1e-6;
                let tangent = point((d + h * across).normalize()) - point((d - h * across).normalize());
                worst = worst.max(tangent.dot(normal).abs() / tangent.length());
            }
        }
    }
    // 7e-10: h^2 of a third derivative and rounding of 1e-16 over h.
    assert!(worst <= 1e-8, "{worst:e}");
}

#[test]
fn ratios_of_sides_are_those_asked_for() {
    let mesh = SphereMesh::new(16).unwrap();
    let mut worst: f64 = 0.0;
    for (shape, surface) in surfaces(&mesh) {
        let aspect = match shape {
            GrainShape::Harmonic(family) if family.angularity > 0.0 || family.aspect != [1.0, 1.0] => family.aspect,
            GrainShape::Rock(family) => family.aspect,
            _ => continue,
        };
        let measured = describe(&surface);
        let error = (measured.elongation / aspect[0] - 1.0).abs().max((measured.flatness / aspect[1] - 1.0).abs());
        worst = worst.max(error);
    }
    // 4.4e-16.
    assert!(worst <= 1e-13, "{worst:e}");
}

/// On a mesh other than that on which ratios are adjusted they are met up to its resolution, which improves.
#[test]
fn ratios_of_sides_converge_on_other_meshes() {
    let shape = crate::support::harmonic(0.15, 0.0, [0.8, 0.6]);
    let error = |frequency| {
        let mesh = SphereMesh::new(frequency).unwrap();
        let one = |i| {
            let measured = describe(&grain(shape, i).unwrap().surface(&mesh));
            (measured.elongation / 0.8 - 1.0).abs().max((measured.flatness / 0.6 - 1.0).abs())
        };
        (0..10).map(one).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(4), error(32));
    // 1.2 % and 0.09 %.
    assert!(coarse <= 0.03 && fine <= 0.002, "{coarse} {fine}");
}

#[test]
fn sizes_are_those_asked_for_and_shapes_do_not_depend_on_them() {
    let mesh = SphereMesh::new(8).unwrap();
    for (_, surface) in surfaces(&mesh) {
        let unit = surface.clone().resized(Size::EquivalentDiameter(1.0)).unwrap();
        for size in [1e-3, 0.02, 1.0, 100.0] {
            let by_volume = surface.clone().resized(Size::EquivalentDiameter(size)).unwrap();
            assert!((by_volume.equivalent_diameter() / size - 1.0).abs() <= 1e-14);
            let off = |(p, q): (&granule_model::DVec3, &granule_model::DVec3)| (*p / size - *q).length();
            let worst = by_volume.vertices().iter().zip(unit.vertices()).map(off).fold(0.0, f64::max);
            // 1e-15: shapes are up to 10 diameters long.
            assert!(worst <= 1e-14, "{worst:e}");
            let by_sieve = surface.clone().resized(Size::Sieve(size)).unwrap();
            assert!((describe(&by_sieve).sides[1] / size - 1.0).abs() <= 1e-9);
        }
    }
}

#[test]
fn a_grain_is_the_same_whatever_else_is_asked_for() {
    let mesh = SphereMesh::new(16).unwrap();
    for shape in families() {
        let alone = grain(shape, 5).unwrap().surface(&mesh);
        for other in 0..5 {
            let _ = grain(shape, other).unwrap();
        }
        assert_eq!(grain(shape, 5).unwrap().surface(&mesh), alone);
        let random = !matches!(shape, GrainShape::Superquadric(_))
            && !matches!(shape, GrainShape::Harmonic(h) if h.angularity == 0.0);
        assert_eq!(grain(shape, 6).unwrap().surface(&mesh) != alone, random);
        assert_eq!(shape.grain(21, 5).unwrap().surface(&mesh) != alone, random);
    }
}

/// The bits of one grain of each family. They differ if a platform rounds otherwise, or if what is drawn has changed:
/// then every scene made of seeds has other grains, which the changelog has to say.
#[test]
fn grains_have_known_bits() {
    let mesh = SphereMesh::new(16).unwrap();
    let fold = |shape| {
        let surface = grain(shape, 1).unwrap().surface(&mesh).resized(Size::EquivalentDiameter(0.02)).unwrap();
        let bits = surface.vertices().iter().flat_map(|v| v.to_array()).map(f64::to_bits);
        bits.fold(0u64, |hash, bits| (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5))
    };
    use crate::support::{harmonic, rock, superquadric};
    let found = [
        fold(harmonic(0.15, 0.02, [0.8, 0.6])),
        fold(rock(14, 0.6, [0.75, 0.75])),
        fold(superquadric([3.0, 2.0, 1.0], [0.7, 1.3])),
    ];
    assert_eq!(found, [0x3923_c369_a433_a45b, 0x5915_2293_818c_d35e, 0xae49_0d9b_ad6c_a3ec], "{found:#x?}");
}
