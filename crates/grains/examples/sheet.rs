//! A sheet of grains as a Wavefront OBJ on standard output, one row for each family, to be looked at in any viewer:
//! `cargo run --release -p granule-grains --example sheet -- 7 > sheet.obj`, where 7 is the seed.
//!
//! The measures of each grain stand in the comment above it.

use granule_grains::{GrainError, GrainShape, Harmonic, Rock, Size, SphereMesh, Superquadric, Surface, describe};
use granule_model::DVec3;

/// Grains in a row, and the distance between two, in diameters.
const COLUMNS: u64 = 6;
const PITCH: f64 = 1.8;

fn main() -> Result<(), GrainError> {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let mesh = SphereMesh::new(16)?;
    let mut first = 1;
    for (row, (name, shape)) in families().into_iter().enumerate() {
        for column in 0..COLUMNS {
            let surface = shape.grain(seed, column)?.surface(&mesh).resized(Size::EquivalentDiameter(1.0))?;
            let place = PITCH * DVec3::new(column as f64, -(row as f64), 0.0);
            print_object(&format!("{name}-{column}"), &surface, place, first);
            first += surface.vertices().len();
        }
    }
    Ok(())
}

fn families() -> Vec<(&'static str, GrainShape)> {
    let bumps =
        |angularity, roughness, aspect| GrainShape::Harmonic(Harmonic { aspect, angularity, roughness, degree: 15 });
    let rock = |faces, irregularity| GrainShape::Rock(Rock { faces, irregularity, aspect: [0.75, 0.75] });
    vec![
        ("pebble", bumps(0.07, 0.01, [0.8, 0.6])),
        ("sand", bumps(0.15, 0.02, [0.8, 0.8])),
        ("clinker", bumps(0.4, 0.05, [0.8, 0.8])),
        ("block", rock(10, 0.2)),
        ("stone", rock(14, 0.6)),
        ("splinter", rock(12, 1.0)),
        ("lens", GrainShape::Superquadric(Superquadric { half_axes: [1.0, 0.8, 0.4], exponents: [0.8, 1.0] })),
    ]
}

fn print_object(name: &str, surface: &Surface, place: DVec3, first: usize) {
    let measured = describe(surface);
    println!(
        "# elongation {:.3}, flatness {:.3}, sphericity {:.3}, regularity {:.3}",
        measured.elongation, measured.flatness, measured.sphericity, measured.regularity
    );
    println!("o {name}");
    for v in surface.vertices() {
        let p = *v + place;
        println!("v {} {} {}", p.x, p.y, p.z);
    }
    for t in surface.triangles() {
        let [a, b, c] = t.map(|i| i as usize + first);
        println!("f {a} {b} {c}");
    }
}
