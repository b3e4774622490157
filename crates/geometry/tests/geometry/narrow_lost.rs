//! Contacts that were lost: surfaces that touch, or are about to, and that no point held.

use crate::narrow_support::touch;
use granule_geometry::Shape;
use granule_model::{ContactPoint, DQuat, DVec3, Pose};

fn points(all: &[[f64; 3]]) -> Vec<DVec3> {
    all.iter().map(|p| DVec3::from_array(*p)).collect()
}

/// The contact whose point is next to `place` \[m\] of the plane, and how far from it.
fn next_to(contacts: &[ContactPoint], place: DVec3) -> Option<(f64, &ContactPoint)> {
    let nearest = contacts.iter().map(|c| ((c.point - place).length(), c));
    nearest.reduce(|best, next| if next.0 < best.0 { next } else { best })
}

/// A boat with a bow and a stern that rise from its flat bottom by less than the margin: seen before it pitches, not
/// after.
#[test]
fn a_hull_knows_every_corner_near_a_surface_of_any_kind() {
    let bottom = [[-0.3, -0.1, 0.0], [0.3, -0.1, 0.0], [0.3, 0.1, 0.0], [-0.3, 0.1, 0.0]];
    let ends = [[1.0, 0.0, 0.004], [-1.0, 0.0, 0.006]];
    let deck = [[0.0, 0.0, 0.1]];
    let corners = points(&[&bottom[..], &ends[..], &deck[..]].concat());
    let boat = Shape::convex(&corners).expect("a hull");
    let (vertices, triangles) =
        (points(&[[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [3.0, 3.0, 0.0], [-3.0, 3.0, 0.0]]), [[0_u32, 1, 2], [0, 2, 3]]);
    let slab =
        points(&(0..8).map(|i| [[-3.0, 3.0][i & 1], [-3.0, 3.0][i >> 1 & 1], [-1.0, 0.0][i >> 2]]).collect::<Vec<_>>());
    let grounds = [
        (Shape::half_space(DVec3::Z).expect("a plane"), Pose::IDENTITY),
        (Shape::mesh(&vertices, &triangles).expect("a floor"), Pose::IDENTITY),
        (Shape::cuboid(DVec3::new(6.0, 6.0, 1.0)).expect("a slab"), Pose::from_position(DVec3::Z * -0.5)),
        (Shape::convex(&slab).expect("a slab"), Pose::from_position(DVec3::Z * -0.5)),
    ];
    for pitch in [0.0, 1e-3, -2e-3] {
        let own = Pose::new(DVec3::Z * 0.002, DQuat::from_rotation_y(pitch));
        let pose = own.compose(&boat.frame().inverse());
        for (ground, at) in &grounds {
            let found = touch(&boat, &pose, ground, at, 0.02);
            for corner in &corners[..6] {
                let place = own.transform_point(*corner);
                let (away, contact) = next_to(&found, place).expect("a contact");
                // The point lies midway between corner and ground. Measured 5e-17 and 2e-17.
                assert!((away - 0.5 * place.z.abs()).abs() <= 1e-14, "{} {pitch} {place} {found:?}", ground.name());
                assert!((contact.gap - place.z).abs() <= 1e-14, "{} {pitch} {place} {found:?}", ground.name());
            }
        }
    }
}

/// Where two parts meet in a hollow edge, each ends; the corner of a body that reaches into it lies on a face of
/// either, not on the rim.
#[test]
fn a_corner_in_a_hollow_edge_is_held_by_both_of_its_faces() {
    let cuboid = |size: [f64; 3]| Shape::cuboid(DVec3::from_array(size)).expect("a box");
    let parts = vec![
        (Pose::from_position(DVec3::new(1.0, 0.15, 0.5)), cuboid([2.0, 0.3, 1.0])),
        (Pose::from_position(DVec3::new(0.15, 0.95, 0.5)), cuboid([0.3, 1.3, 1.0])),
    ];
    let angle = Shape::compound(parts).expect("the parts are valid");
    let at = angle.frame().inverse();
    // A wedge whose tip is a line along z: its lower side falls by `slope` towards the inside of the upright part.
    for (slope, sharp) in [(0.0, 0.5), (0.3, 0.5), (1.0, 1.5)] {
        let tip = [[0.0, 0.0], [1.0, slope + sharp], [1.0 - 0.5 * slope, slope + sharp + 0.5], [0.2 * slope, 0.4]];
        let corners: Vec<_> = tip.iter().flat_map(|[x, y]| [0.2, 0.8].map(|z| DVec3::new(*x, *y, z))).collect();
        let wedge = Shape::convex(&corners).expect("a wedge");
        for depth in [1e-5, 1e-4, 1e-3, 5e-3] {
            for above in [-1e-5, 0.0, 1e-6, 1e-4, 1e-3] {
                let own = Pose::from_position(DVec3::new(0.3 - depth, 0.3 + above, 0.0));
                let found = touch(&wedge, &own.compose(&wedge.frame().inverse()), &angle, &at, 0.05);
                let deepest = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
                // As deep as the face along x, or less by what a turn of the way out gives, never lost.
                assert!(
                    (-depth - 2e-5..=-0.5 * depth).contains(&deepest),
                    "{slope} {depth} {above}: {deepest:e} {found:?}"
                );
            }
        }
    }
}

/// Two poses of a needle in the hollow edge of an angle, a small motion apart.
#[test]
fn a_needle_in_a_hollow_edge_does_not_overlap_all_at_once() {
    let needle = Shape::convex(&points(&[
        [-0.2837394300359682, -0.22909933855121467, 0.04000347747636078],
        [-2.407160399006152, 0.038624611682160984, -0.033932191363499904],
        [-2.4480197370170225, 0.05586231890568482, -0.01820355132401792],
        [1.0800715371707883, -0.1023976682588565, -0.013558252395440284],
        [0.7319550783425319, 0.026693967147110382, 0.06506700123032766],
        [0.7971646163174889, 0.2333444440919539, 0.0227694350624216],
        [1.8297633543076353, -0.059119458012670816, -0.06817875812501319],
    ]))
    .expect("a hull");
    let (long, thick, wide, high) = (1.9789770150653887, 0.3227377820124116, 1.6553317428102856, 0.6293230015008723);
    let outline = [[0.0, 0.0], [long, 0.0], [long, thick], [thick, thick], [thick, wide], [0.0, wide]];
    let corner = |z: f64| outline.map(|[x, y]| DVec3::new(x, y, z));
    let vertices: Vec<_> = corner(0.0).into_iter().chain(corner(high)).collect();
    let triangles = [
        [3, 5, 4],
        [3, 0, 5],
        [3, 1, 0],
        [3, 2, 1],
        [9, 10, 11],
        [9, 11, 6],
        [9, 6, 7],
        [9, 7, 8],
        [0, 1, 7],
        [0, 7, 6],
        [1, 2, 8],
        [1, 8, 7],
        [2, 3, 9],
        [2, 9, 8],
        [3, 4, 10],
        [3, 10, 9],
        [4, 5, 11],
        [4, 11, 10],
        [5, 0, 6],
        [5, 6, 11],
    ];
    let angle = Shape::closed_mesh(&vertices, &triangles).expect("a closed surface");
    let pose = |p: [f64; 3], q: [f64; 4]| Pose::new(DVec3::from_array(p), DQuat::from_array(q));
    let before = [
        pose(
            [3.8969680019617248, 2.436828249414228, 6.389966309998165],
            [-0.04949720761354959, 0.1058730045162365, -0.7142040108411521, 0.6901112694715088],
        ),
        pose(
            [4.168519197984492, 4.75662198616621, 6.192481813239539],
            [0.851142566532861, -0.13895287527647723, 0.008190795258162313, -0.5061435969774711],
        ),
    ];
    let after = [
        pose(
            [3.8967106220401644, 2.4368631093143147, 6.389881279162368],
            [-0.04945993790973241, 0.10585655634588213, -0.7142367837754899, 0.6900825463106574],
        ),
        pose(
            [4.168498618300396, 4.756651264040092, 6.192495965852534],
            [0.8511301098662253, -0.13894809182959086, 0.008179750051129165, -0.5061660355507115],
        ),
    ];
    let deepest = [before, after].map(|[a, b]| {
        let found = touch(&needle, &a, &angle, &b, 0.0678);
        found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
    });
    // By separating axes of the bars: the tip is 5.669e-3 and 5.650e-3 inside the face of the upright.
    assert!((deepest[0] + 5.6686e-3).abs() <= 3e-5 && (deepest[1] + 5.6499e-3).abs() <= 1e-6, "{deepest:?}");
}
