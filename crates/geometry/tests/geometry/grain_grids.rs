//! Grids of level-set grains that are too fine or too coarse, and how much of a grain its nodes do not see.

use granule_geometry::{GrainOptions, Shape, ShapeError};
use granule_model::DVec3;

fn level_set(shape: &Shape, spacing: f64, nodes: usize) -> Result<Shape, ShapeError> {
    Shape::level_set_of(shape, &GrainOptions { spacing, nodes })
}

/// A grid that would be built for minutes is refused at once, with a spacing that is not.
#[test]
fn a_grid_of_too_many_points_names_a_spacing_that_does() {
    let mesh = Shape::sphere(0.3).expect("valid").triangulate(32);
    let rod = Shape::cuboid(DVec3::new(1.0, 0.01, 0.01)).expect("valid");
    let of_mesh =
        |spacing| Shape::level_set_mesh(&mesh.vertices, &mesh.triangles, &GrainOptions { spacing, nodes: 100 });
    for error in [of_mesh(0.0005), level_set(&rod, 1e-5, 100), level_set(&rod, 1e-11, 100)] {
        let error = error.expect_err("too many points");
        let ShapeError::TooFine { needed, most, .. } = error else { panic!("{error}") };
        assert!(error.to_string().contains("1e8: take a spacing of "), "{error}");
        // By the volume of the box alone the spacing could be no smaller than this.
        let box_volume = if needed > 1e-3 { 0.6_f64.powi(3) } else { 1e-4 };
        assert!(needed >= (box_volume / most).cbrt() && needed <= 2.0 * (box_volume / most).cbrt(), "{error}");
    }
    // The spacing that is named for a small solid of the same form is taken.
    let ShapeError::TooFine { needed, .. } = level_set(&rod, 1e-5, 100).expect_err("too many points") else { return };
    level_set(&rod, needed, 100).expect("the spacing that the message names");
}

/// The message names how thick the grain is and a spacing with which it can be made, whether the grid has seen any of
/// it or not.
#[test]
fn a_grid_that_does_not_resolve_a_grain_names_one_that_does() {
    let plate = Shape::cuboid(DVec3::new(5e-3, 5e-3, 1e-3)).expect("valid");
    for spacing in [4e-3, 1.1e-3, 4e-4] {
        let error = level_set(&plate, spacing, 100).expect_err("too coarse");
        let ShapeError::TooThin { thickness, needed, .. } = error else { panic!("{error}") };
        assert!((thickness / 1e-3 - 1.0).abs() < 0.3, "{error}");
        assert!((1e-4..2.5e-4).contains(&needed), "{error}");
        level_set(&plate, needed, 100).unwrap_or_else(|e| panic!("{e} after {error}"));
    }
}

/// Of a ball with an even hexagonal pattern of nodes: an eighth of the squared distance of neighbours over the radius,
/// pi / sqrt 3 radii over their number. Irregular patterns leave up to three times as much, measured.
#[test]
fn what_nodes_do_not_see_falls_with_their_number() {
    let ball = Shape::sphere(0.5).expect("valid");
    let hidden = |nodes| level_set(&ball, 0.025, nodes).expect("valid").hidden_between_nodes().expect("a grain") / 0.5;
    let found: Vec<f64> = [12, 50, 150, 500, 2500].map(hidden).to_vec();
    println!("hidden of the radius: {found:?}");
    assert!(found.windows(2).all(|pair| pair[1] < pair[0]), "{found:?}");
    // An icosahedron, the best pattern of twelve, leaves 0.149.
    assert!((0.149..0.3).contains(&found[0]), "{found:?}");
    for (nodes, hidden) in [(150.0, found[2]), (500.0, found[3])] {
        let even = std::f64::consts::PI / 3.0_f64.sqrt() / nodes;
        assert!((0.8 * even..4.0 * even).contains(&hidden), "{nodes}: {hidden}, {even}");
    }
    // A few nodes see all of what is flat between edges.
    let cube = Shape::cuboid(DVec3::ONE).expect("valid");
    let cube = level_set(&cube, 0.025, 30).expect("valid");
    assert!(cube.hidden_between_nodes().is_some_and(|hidden| hidden < 0.005), "{:?}", cube.hidden_between_nodes());
    assert_eq!(ball.hidden_between_nodes(), None);
}
