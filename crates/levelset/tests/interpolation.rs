//! Values and gradients of grids of functions against exact distances: orders under refinement, storage, continuity.

mod shapes;

use granule_levelset::{LevelSet, Sample, Storage};
use granule_model::DVec3;
use shapes::{Random, Shape, cube, mean_order};

/// Spacings of the refinements, over the size of the shape.
const SPACINGS: [f64; 4] = [0.1, 0.05, 0.025, 0.0125];

/// Errors of value \[m\] and gradient \[-\], largest and root mean square.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    value: [f64; 2],
    gradient: [f64; 2],
}

/// Errors at random points within half a cell of the surface.
fn errors(shape: &Shape, spacing: f64, ask: fn(&LevelSet, DVec3) -> Option<Sample>) -> Errors {
    let set = LevelSet::from_function(cube(1.3), spacing, 4, Storage::F32, |p| shape.distance(p)).unwrap();
    let mut random = Random(7);
    let mut errors = Errors::default();
    let mut count = 0.0;
    while count < 4000.0 {
        let p = shape.near_surface(&mut random, 0.5 * spacing);
        let sample = ask(&set, p).expect("half a cell from the surface is in a band of four");
        let value = (sample.value - shape.distance(p)).abs();
        let gradient = (sample.gradient - shape.gradient(p)).length();
        errors.value = [errors.value[0].max(value), errors.value[1] + value * value];
        errors.gradient = [errors.gradient[0].max(gradient), errors.gradient[1] + gradient * gradient];
        count += 1.0;
    }
    errors.value[1] = (errors.value[1] / count).sqrt();
    errors.gradient[1] = (errors.gradient[1] / count).sqrt();
    errors
}

/// Measured orders of the root mean square and the largest error: value, then gradient.
fn orders(name: &str, shape: &Shape, ask: fn(&LevelSet, DVec3) -> Option<Sample>) -> [[f64; 2]; 2] {
    let table = SPACINGS.map(|spacing| errors(shape, spacing, ask));
    for (h, e) in SPACINGS.iter().zip(&table) {
        println!(
            "{name} {h:7} value {:.2e} {:.2e}  gradient {:.2e} {:.2e}",
            e.value[0], e.value[1], e.gradient[0], e.gradient[1]
        );
    }
    let of = |pick: fn(&Errors) -> f64| mean_order(&table.iter().map(pick).collect::<Vec<_>>());
    let orders = [[of(|e| e.value[0]), of(|e| e.value[1])], [of(|e| e.gradient[0]), of(|e| e.gradient[1])]];
    println!("{name} orders {orders:.2?}");
    orders
}

#[test]
fn trilinear_values_are_of_second_order_and_gradients_of_first() {
    for (name, shape) in [("sphere", Shape::Sphere), ("torus", Shape::Torus)] {
        let [value, gradient] = orders(name, &shape, LevelSet::sample);
        // Measured 2.00 to 2.06 and 1.00 to 1.08.
        assert!(value.iter().all(|&order| order >= 1.9), "{value:?}");
        assert!(gradient.iter().all(|&order| order >= 0.9), "{gradient:?}");
    }
}

#[test]
fn tricubic_values_are_of_third_order_and_gradients_of_second() {
    for (name, shape) in [("sphere", Shape::Sphere), ("torus", Shape::Torus)] {
        let [value, gradient] = orders(name, &shape, LevelSet::smooth);
        // Measured 3.01 to 3.18 and 2.01 to 2.11.
        assert!(value.iter().all(|&order| order >= 2.7), "{value:?}");
        assert!(gradient.iter().all(|&order| order >= 1.9), "{gradient:?}");
    }
}
