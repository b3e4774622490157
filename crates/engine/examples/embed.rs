//! A pile in forty lines: build, add bodies, run until everything is at rest, read the result.
//!
//! `cargo run --release -p granule-engine --example embed`

use granule_engine::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut simulation = Simulation::new(Settings::default())?;
    let rock = simulation.add_material(Material {
        density: 2650.0,
        restitution: 0.3,
        static_friction: 0.5,
        dynamic_friction: 0.5,
        // Without it a ball may spin on the spot for ever.
        torsional_friction: 0.05,
        ..Material::default()
    })?;

    let tray = Shape::container(DVec3::new(3.0, 3.0, 1.0))?;
    simulation.add_body(BodyDescription::fixed(tray, rock, DVec3::ZERO))?;
    let (ball, cube, cross) = (Shape::sphere(0.2)?, Shape::cuboid(DVec3::new(0.3, 0.4, 0.3))?, Shape::cross(0.14)?);
    let mut grains = Vec::new();
    for i in 0..36 {
        let shape = [&ball, &cube, &cross][i % 3].clone();
        let place = DVec3::new(0.6 + 0.55 * (i % 4) as f64, 0.6 + 0.55 * (i / 4 % 4) as f64, 0.5 + 0.035 * i as f64);
        grains.push(simulation.add_body(BodyDescription::dynamic(shape, rock, place))?);
    }

    while !simulation.at_rest() && simulation.time() < 60.0 {
        let report = simulation.step()?;
        if report.step % 100 == 0 {
            println!("{:6.2} s  {:4} contacts  {:.3e} J", report.time, report.touching, report.energy.kinetic);
        }
    }

    let mut highest = 0.0f64;
    for grain in &grains {
        highest = highest.max(simulation.pose(*grain)?.position.z);
    }
    println!("at rest: {}, after {:.2} s in {} steps", simulation.at_rest(), simulation.time(), simulation.steps());
    println!("highest centre {highest:.3} m, largest overlap {:.4} of a radius", simulation.largest_overlap());
    Ok(())
}
