//! What the contacts of two level-set grains cost: a pair that touches, and one that is near.

use std::time::Instant;

use granule_geometry::{GrainOptions, Shape, contacts};
use granule_model::{DQuat, DVec3, Pose};

fn main() {
    for nodes in [500, 2500] {
        let start = Instant::now();
        let ball = Shape::sphere(0.05).and_then(|ball| {
            let surface = ball.triangulate(48);
            Shape::level_set_mesh(&surface.vertices, &surface.triangles, &GrainOptions { spacing: 0.005, nodes })
        });
        let ball = ball.expect("the grid resolves it");
        println!("{nodes} nodes, made in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        for (what, gap) in [("touching", 0.0), ("near", 0.005), ("apart", 0.02)] {
            let mut out = Vec::new();
            let (count, start) = (2000, Instant::now());
            let mut found = 0;
            for i in 0..count {
                let turn = DQuat::from_rotation_z(f64::from(i) * 0.01) * DQuat::from_rotation_x(f64::from(i) * 0.003);
                let place = turn * DVec3::X * (0.1 + gap);
                out.clear();
                contacts(&ball, &Pose::new(place, turn), &ball, &Pose::IDENTITY, 0.006, &mut out);
                found += out.len();
            }
            let each = start.elapsed().as_secs_f64() / f64::from(count);
            println!("{what}: {:.1} us a pair, {:.2} contacts", each * 1e6, found as f64 / f64::from(count));
        }
        let start = Instant::now();
        let mut sum = 0.0;
        for i in 0..2000 {
            let turn = DQuat::from_rotation_z(f64::from(i) * 0.01) * DQuat::from_rotation_x(f64::from(i) * 0.003);
            sum += ball.aabb(&Pose::new(DVec3::ZERO, turn)).max.x;
        }
        println!("box: {:.2} us ({:.3})", start.elapsed().as_secs_f64() / 2000.0 * 1e6, sum / 2000.0);
    }
}
