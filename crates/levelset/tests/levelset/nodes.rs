//! Nodes on surfaces: their number, spacing, corners, and that they lie on the surface.

use crate::shapes::{HALF, box_mesh, cylinder_mesh, sphere_mesh};
use granule_levelset::{LevelSetError, Node, surface_nodes};
use granule_model::DVec3;

/// Distance of each node from its nearest neighbour: least and mean, over the root of the area per node.
fn spacing(nodes: &[Node], area: f64) -> [f64; 2] {
    let share = (area / nodes.len() as f64).sqrt();
    let nearest = |(i, node): (usize, &Node)| {
        let others = nodes.iter().enumerate().filter(|&(j, _)| j != i);
        others.map(|(_, other)| (node.point - other.point).length()).fold(f64::INFINITY, f64::min) / share
    };
    let all: Vec<f64> = nodes.iter().enumerate().map(nearest).collect();
    [all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().sum::<f64>() / all.len() as f64]
}

#[test]
fn nodes_of_a_sphere_are_even_and_none_is_sharp() {
    let (vertices, triangles) = sphere_mesh(4);
    for count in [100, 1000, 2500] {
        let nodes = surface_nodes(&vertices, &triangles, count).unwrap();
        assert_eq!(nodes.len(), count);
        assert!(nodes.iter().all(|node| !node.sharp));
        let [least, mean] = spacing(&nodes, 4.0 * std::f64::consts::PI);
        // Measured 0.684 to 0.692 and 0.830 to 0.842; a lattice of triangles has 1.07.
        assert!(least >= 0.62 && mean >= 0.8, "{least} {mean}");
        let tilt = nodes.iter().map(|n| n.normal.angle_between(n.point)).fold(0.0, f64::max);
        // Measured 0.0158: a triangle is seen under 0.06.
        assert!(tilt <= 0.03, "{tilt}");
        let uncovered = uncovered(&nodes, &vertices, 4.0 * std::f64::consts::PI);
        // Measured 0.81 to 0.93.
        assert!(uncovered <= 1.0, "{uncovered}");
    }
}

/// Largest distance of a vertex from its nearest node, over the root of the area per node.
fn uncovered(nodes: &[Node], vertices: &[DVec3], area: f64) -> f64 {
    let nearest = |v: &DVec3| nodes.iter().map(|n| (n.point - *v).length()).fold(f64::INFINITY, f64::min);
    vertices.iter().map(nearest).fold(0.0, f64::max) / (area / nodes.len() as f64).sqrt()
}

#[test]
fn a_box_has_its_corners_and_nodes_along_its_edges() {
    for scale in [1e-3, 1.0, 1e2] {
        let (mut vertices, triangles) = box_mesh(HALF);
        vertices.iter_mut().for_each(|v| *v *= scale);
        let nodes = surface_nodes(&vertices, &triangles, 1000).unwrap();
        assert_eq!(nodes.len(), 1000);
        for vertex in &vertices {
            assert_eq!(nodes.iter().filter(|n| n.point == *vertex && n.sharp).count(), 1);
        }
        let area = 8.0 * (HALF.x * HALF.y + HALF.y * HALF.z + HALF.z * HALF.x) * scale * scale;
        let along = 8.0 * HALF.element_sum() * scale / (area / 1000.0).sqrt();
        let sharp = nodes.iter().filter(|n| n.sharp).count();
        // Measured 152 of 155.6.
        assert!((sharp as f64 - along).abs() <= 0.05 * along, "{sharp} {along}");
        let [least, mean] = spacing(&nodes, area);
        // Measured 0.715 and 0.851.
        assert!(least >= 0.62 && mean >= 0.8, "{least} {mean}");
        for node in &nodes {
            // On the surface, and on two faces at once exactly where it is sharp.
            let off = (node.point.abs() / scale - HALF).abs().to_array();
            let faces = off.iter().filter(|d| **d <= 1e-15).count();
            assert!(faces >= 1 && (faces >= 2) == node.sharp, "{node:?}");
            assert!((node.normal.length() - 1.0).abs() <= 1e-15);
            assert!(node.normal.dot(node.point) > 0.0);
        }
    }
}

#[test]
fn rims_are_followed_round() {
    let around = 48;
    let (vertices, triangles) = cylinder_mesh(around);
    let nodes = surface_nodes(&vertices, &triangles, 800).unwrap();
    let sharp: Vec<_> = nodes.iter().filter(|n| n.sharp).collect();
    assert!(sharp.iter().all(|n| (n.point.z.abs() - 0.5).abs() <= 1e-15));
    let area = 4.0 * std::f64::consts::PI;
    let wanted = 4.0 * std::f64::consts::PI / (area / 800.0).sqrt();
    assert!((sharp.len() as f64 - wanted).abs() <= 0.02 * wanted + 1.0, "{} {wanted}", sharp.len());
    let [least, _] = spacing(&nodes, area);
    assert!(least >= 0.62, "{least}"); // measured 0.657
}

#[test]
fn scaled_by_a_power_of_two_the_nodes_are_the_same() {
    let (vertices, triangles) = box_mesh(HALF);
    let scaled: Vec<_> = vertices.iter().map(|v| *v * 0.125).collect();
    let nodes = surface_nodes(&vertices, &triangles, 300).unwrap();
    for (a, b) in nodes.iter().zip(surface_nodes(&scaled, &triangles, 300).unwrap()) {
        assert_eq!((a.point * 0.125, a.normal), (b.point, b.normal));
    }
}

#[test]
fn both_sides_of_a_thin_plate_get_nodes() {
    let (vertices, triangles) = box_mesh(DVec3::new(1.0, 1.0, 0.001));
    let nodes = surface_nodes(&vertices, &triangles, 400).unwrap();
    let above = nodes.iter().filter(|n| !n.sharp && n.normal.z > 0.9).count();
    let below = nodes.iter().filter(|n| !n.sharp && n.normal.z < -0.9).count();
    // Measured 146 and 142.
    assert!(above.abs_diff(below) <= 20, "{above} {below}");
}

#[test]
fn fewer_nodes_than_corners_leave_the_corners_and_bad_input_is_refused() {
    let (vertices, triangles) = box_mesh(HALF);
    assert_eq!(surface_nodes(&vertices, &triangles, 3).unwrap().len(), 8);
    assert_eq!(surface_nodes(&vertices, &triangles, 0).unwrap_err(), LevelSetError::NodeCount { count: 0 });
    assert_eq!(surface_nodes(&vertices, &[], 10).unwrap_err(), LevelSetError::EmptyMesh);
    // Squares of lengths vanish or overflow: an error or nodes, but no panic.
    for scale in [1e-160, 1e-200, 1e150, 1e200] {
        let scaled: Vec<_> = vertices.iter().map(|v| *v * scale).collect();
        assert!(surface_nodes(&scaled, &triangles, 20).map_or(0, |nodes| nodes.len()) <= 20);
    }
    let mut broken = vertices.clone();
    broken[0].x = f64::INFINITY;
    assert!(matches!(surface_nodes(&broken, &triangles, 10), Err(LevelSetError::VertexNotFinite { vertex: 0, .. })));
}
