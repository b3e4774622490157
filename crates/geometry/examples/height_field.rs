//! What a height field costs: memory of ten million cells, and the time in which a body of ten cells is met, for
//! rasters from a hundred thousand cells on.

use std::time::Instant;

use granule_geometry::{HeightField, Shape, contacts};
use granule_model::{DVec3, Pose};

/// Queries that are timed.
const QUERIES: u32 = 2000;

fn main() {
    println!(
        "cells, MB, seconds to build, ns a query of a box of 10 cells 100 m above, of a ball and of a cuboid on it"
    );
    for [columns, rows] in [[400, 250], [1000, 1000], [4000, 2500]] {
        let height = |k: usize| {
            let (x, y) = ((k % columns) as f32, (k / columns) as f32);
            200.0 * libm::sinf(0.003 * x) * libm::cosf(0.002 * y) + 0.3 * libm::sinf(0.7 * x + 0.2 * y)
        };
        let heights: Vec<f32> = (0..columns * rows).map(height).collect();
        let start = Instant::now();
        let field = HeightField::new(columns, rows, [1.0; 2], &heights).expect("the heights are finite");
        let build = start.elapsed().as_secs_f64();
        let megabytes = field.bytes() as f64 / 1e6;
        let ground = Shape::height_field(field);
        let ball = Shape::sphere(5.0).expect("the radius is valid");
        let cuboid = Shape::cuboid(DVec3::splat(10.0)).expect("the size is valid");
        let bodies = [(&ball, 100.0), (&ball, 5.5), (&cuboid, 5.5)];
        let times = bodies.map(|(body, height)| time(&ground, &ground, body, height));
        println!("{:>8} {megabytes:6.2} {build:5.2} {times:6.0?}", columns * rows);
        if columns * rows <= 100_000 {
            let surface = ground.triangulate(3);
            let mesh = Shape::mesh(&surface.vertices, &surface.triangles).expect("the triangles are valid");
            let times = bodies.map(|(body, height)| time(&ground, &mesh, body, height));
            println!("the same as a mesh:   {times:6.0?}");
        }
    }
}

/// Mean time in which contacts of `body`, `height` above the ground `field`, are found with `ground`, the same or a
/// mesh of it \[ns\].
fn time(field: &Shape, ground: &Shape, body: &Shape, height: f64) -> f64 {
    let field = field.as_height_field().expect("it is a height field");
    let mut out = Vec::new();
    let start = Instant::now();
    for k in 0..QUERIES {
        let [x, y] = [field.columns(), field.rows()]
            .map(|n| 20.0 + f64::from(k * 7919 % QUERIES) / f64::from(QUERIES) * (n as f64 - 40.0));
        let top = field.height_at(x, y).expect("within the outline");
        out.clear();
        contacts(body, &Pose::from_position(DVec3::new(x, y, top + height)), ground, &Pose::IDENTITY, 0.1, &mut out);
    }
    start.elapsed().as_secs_f64() / f64::from(QUERIES) * 1e9
}
