//! Scenes of rock on ground: what they begin with, a raster beside them, and how deep bodies sink in.

use std::fmt::Write as _;

use granule_engine::Simulation;

/// Settings, a material for all, and the ground, of which the shape is left to be said.
pub(crate) const HEAD: &str = r#"
[run]
duration = 3.0

[materials.rock]
density = 2650.0
restitution = 0.3
static_friction = 0.5

[[body]]
name = "ground"
kind = "static"
material = "rock"
position = [0.0, 0.0, 0.0]
"#;

/// A raster of 40 x 40 cells of half a metre of these heights \[m\].
pub(crate) fn raster(height: impl Fn(f64, f64) -> f64) -> String {
    let mut text = String::from("ncols 40\nnrows 40\nxllcorner 0\nyllcorner 0\ncellsize 0.5\n");
    for row in 0..40_u32 {
        for column in 0..40_u32 {
            let (x, y) = (0.5 * f64::from(column) + 0.25, 19.75 - 0.5 * f64::from(row));
            let _ = write!(text, "{:.5} ", height(x, y));
        }
        text.push('\n');
    }
    text
}

/// Runs as long as it `goes_on`; the largest overlap of all steps, over the radius. E* rises in no step by more than
/// 2e-4 of what lifts all bodies by `radius` \[m\].
pub(crate) fn worst(simulation: &mut Simulation, radius: f64, goes_on: impl Fn(&Simulation) -> bool) -> f64 {
    let lift = 9.81 * simulation.momenta().mass * radius;
    let (mut worst, mut rise) = (0.0_f64, 0.0_f64);
    while goes_on(simulation) {
        let report = simulation.step().expect("the run stays finite");
        worst = worst.max(simulation.largest_overlap());
        rise = rise.max(report.energy.rises / lift);
    }
    println!("E* rises by {rise:.1e}");
    // Measured: 9.7e-5.
    assert!(rise <= 2e-4, "E* rises by {rise}");
    worst
}
