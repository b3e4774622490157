//! The point of a triangle that is nearest to a point, and whether it is a corner, on an edge or in the face.

use granule_model::DVec3;

/// What part of a triangle the nearest point is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Corner 0, 1 or 2.
    Corner(usize),
    /// The edge from this corner to the next.
    Edge(usize),
    /// The face.
    Face,
}

/// The nearest point of the triangle, and where it is. The regions of C. Ericson, Real-Time Collision Detection (2005),
/// section 5.1.5.
pub(crate) fn closest_point(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Feature) {
    let (ab, ac) = (b - a, c - a);
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    let (along, back) = (d4 - d3, d5 - d6);
    if va <= 0.0 && along >= 0.0 && back >= 0.0 {
        return (b + (c - b) * (along / (along + back)), Feature::Edge(1));
    }
    let sum = va + vb + vc;
    (a + ab * (vb / sum) + ac * (vc / sum), Feature::Face)
}

/// The point of the triangle with the given corners, in either order, that is nearest to `point` \[m\].
pub fn nearest_on_triangle(point: DVec3, corners: [DVec3; 3]) -> DVec3 {
    closest_point(point, corners).0
}
