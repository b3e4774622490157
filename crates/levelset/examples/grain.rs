//! Time to build what a grain needs: its grid, its surface as triangles, nodes on it.
//!
//! `cargo run --release -p granule-levelset --example grain`

use std::time::Instant;

use granule_levelset::{LevelSet, Storage, surface_nodes};
use granule_model::{Aabb, DVec3};

/// A rounded lump about one metre in size.
fn lump(p: DVec3) -> f64 {
    let bumps = 0.06 * libm::sin(5.0 * p.x) * libm::sin(4.0 * p.y) * libm::sin(6.0 * p.z);
    0.8 * ((p * DVec3::new(1.0, 1.3, 1.6)).length() / 1.3 - 0.45 + bumps)
}

/// Prints the least of several times.
fn time<T>(name: &str, make: impl Fn() -> T) -> T {
    let once = || {
        let start = Instant::now();
        let made = make();
        (start.elapsed().as_secs_f64() * 1e3, made)
    };
    let all: Vec<_> = (0..20).map(|_| once()).collect();
    let least = all.iter().map(|(ms, _)| *ms).fold(f64::INFINITY, f64::min);
    println!("{name}: {least:.2} ms");
    all.into_iter().next_back().expect("twenty").1
}

fn main() {
    let bounds = Aabb::new(DVec3::splat(-0.75), DVec3::splat(0.75));
    let set = time("grid", || LevelSet::from_function(bounds, 0.04, 4, Storage::F32, lump).expect("a lump"));
    println!("    {} bytes", set.bytes());
    let surface = time("surface", || set.surface(1));
    println!("    {} triangles", surface.triangles.len());
    let nodes = time("2500 nodes", || surface_nodes(&surface.vertices, &surface.triangles, 2500).expect("a surface"));
    println!("    {} nodes, {} of them sharp", nodes.len(), nodes.iter().filter(|node| node.sharp).count());
    let (vertices, triangles) = (&surface.vertices, &surface.triangles);
    let again =
        time("grid of its mesh", || LevelSet::from_mesh(vertices, triangles, 0.04, 4, Storage::F32).expect("a solid"));
    println!("    {} bytes", again.bytes());
}
