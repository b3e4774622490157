//! Rough pebbles over a plane: the lowest contact is the lowest point of the surface, also where that lies between
//! nodes on a bump that is narrower than their distance.

mod pebbles;

use granule_geometry::{Shape, contacts};
use granule_model::{DQuat, DVec3, Pose};

use self::pebbles::pebbles;

/// Points of the surface as contacts see it, from those of a picture: a tiny ball is asked how far off each is.
fn surface(grain: &Shape) -> Vec<DVec3> {
    let radius = 1e-4 * grain.equivalent_radius();
    let ball = Shape::sphere(radius).expect("the radius is valid");
    let mut points = grain.triangulate(32).vertices;
    for point in &mut points {
        for _ in 0..5 {
            let mut found = Vec::new();
            let pose = Pose::new(*point, DQuat::IDENTITY);
            contacts(grain, &Pose::IDENTITY, &ball, &pose, 100.0 * radius, &mut found);
            if let Some(touch) = found.iter().min_by(|c, d| c.gap.total_cmp(&d.gap)) {
                *point += (touch.gap + radius) * touch.normal;
            }
        }
    }
    points
}

#[test]
fn the_lowest_point_of_a_rough_pebble_is_found() {
    let scene = pebbles("2.0", 500);
    let plane = Shape::half_space(DVec3::Z).expect("the normal is valid");
    let (mut missed, mut worst, mut asked) = (0, 0.0_f64, 0);
    for grain in &scene.bodies {
        let (surface, radius) = (surface(&grain.shape), grain.shape.equivalent_radius());
        for i in 0..50 {
            let share = |k: f64| libm::fmod(f64::from(i) * k, 1.0) - 0.5;
            let turn = DQuat::from_xyzw(share(0.618_034), share(0.754_878), share(0.569_840), share(0.819_173));
            let turn = turn.normalize();
            let low = surface.iter().map(|v| (turn * *v).z).fold(f64::INFINITY, f64::min);
            let pose = Pose::new(DVec3::Z * (0.01 * radius - low), turn);
            let mut found = Vec::new();
            contacts(&plane, &Pose::IDENTITY, &grain.shape, &pose, 0.05 * radius, &mut found);
            let gap = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            let off = gap / radius - 0.01;
            worst = worst.max(off);
            (missed, asked) = (missed + usize::from(off > 2e-3), asked + 1);
        }
    }
    println!("{missed} of {asked} missed, worst {worst:e}");
    // Measured 6, by up to 5.9e-3, on ridges; with descents that begin at the lowest nodes alone and end where slopes
    // lead to and fro 19, by up to 8.9e-3.
    assert!(missed <= 8, "{missed} of {asked} missed, worst {worst:e}");
}
