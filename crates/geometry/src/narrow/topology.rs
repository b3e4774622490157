//! Faces, loops and edges of the convex pieces, in the form of the general kernel.

use granule_model::DVec3;

use crate::convex::{Edge, Face};

/// Which corners make which faces and edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Topology<'a> {
    pub(super) faces: &'a [Face],
    /// Corners of all faces, counter-clockwise seen from outside.
    pub(super) loops: &'a [u32],
    pub(super) edges: &'a [Edge],
}

impl<'a> Topology<'a> {
    /// Corners of `face`.
    pub(super) fn face_loop(&self, face: usize) -> &'a [u32] {
        let f = &self.faces[face];
        &self.loops[f.start as usize..(f.start + f.len) as usize]
    }
}

/// No face: the other side of the rim of something flat.
pub(super) const NONE: u32 = u32::MAX;

/// What has no corners.
pub(super) const NOTHING: Topology<'static> = Topology { faces: &[], loops: &[], edges: &[] };

/// A segment between corners 0 and 1.
pub(super) const SEGMENT: Topology<'static> =
    Topology { faces: &[], loops: &[], edges: &[Edge { vertices: [0, 1], faces: [NONE, NONE] }] };

/// A box: bit k of a corner's number says on which side along axis k it lies. Face `2 k + s` is the one of axis k, low
/// or high side; offsets are not set.
pub(super) const CUBE: Topology<'static> = Topology { faces: &CUBE_FACES, loops: &CUBE_LOOPS, edges: &CUBE_EDGES };

/// One triangle, its front and its back; the normals of the faces are not set.
pub(super) const TRIANGLE: Topology<'static> = Topology {
    faces: &[
        Face { normal: DVec3::Z, offset: 0.0, start: 0, len: 3 },
        Face { normal: DVec3::NEG_Z, offset: 0.0, start: 3, len: 3 },
    ],
    loops: &[0, 1, 2, 0, 2, 1],
    edges: &[
        Edge { vertices: [0, 1], faces: [0, 1] },
        Edge { vertices: [1, 2], faces: [0, 1] },
        Edge { vertices: [0, 2], faces: [1, 0] },
    ],
};

/// Corner `index` of the cube from -1 to 1.
pub(super) fn cube_corner(index: u32) -> DVec3 {
    let sign = |bit: u32| if index >> bit & 1 == 1 { 1.0 } else { -1.0 };
    DVec3::new(sign(0), sign(1), sign(2))
}

const CUBE_FACES: [Face; 6] = {
    const fn face(normal: DVec3, start: u32) -> Face {
        Face { normal, offset: 0.0, start, len: 4 }
    }
    [
        face(DVec3::NEG_X, 0),
        face(DVec3::X, 4),
        face(DVec3::NEG_Y, 8),
        face(DVec3::Y, 12),
        face(DVec3::NEG_Z, 16),
        face(DVec3::Z, 20),
    ]
};

const CUBE_LOOPS: [u32; 24] = {
    let mut loops = [0; 24];
    let mut axis = 0;
    while axis < 3 {
        let (e1, e2) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let turn = [e1 | e2, e2, 0, e1];
        let mut k = 0;
        while k < 4 {
            loops[8 * axis + k] = turn[3 - k];
            loops[8 * axis + 4 + k] = turn[k] | 1 << axis;
            k += 1;
        }
        axis += 1;
    }
    loops
};

const CUBE_EDGES: [Edge; 12] = {
    let mut edges = [Edge { vertices: [0, 0], faces: [0, 0] }; 12];
    let mut index = 0;
    while index < 12 {
        let axis = index / 4;
        let (e1, e2) = ((axis + 1) % 3, (axis + 2) % 3);
        let (s1, s2) = (index & 1, index >> 1 & 1);
        let low = (s1 << e1 | s2 << e2) as u32;
        edges[index] = Edge { vertices: [low, low | 1 << axis], faces: [(2 * e1 + s1) as u32, (2 * e2 + s2) as u32] };
        index += 1;
    }
    edges
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_is_closed_and_its_faces_look_outward() {
        for (f, face) in CUBE.faces.iter().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|k| cube_corner(CUBE.face_loop(f)[k]));
            assert_eq!((b - a).cross(c - b).normalize(), face.normal);
            assert!(CUBE.face_loop(f).iter().all(|&v| cube_corner(v).dot(face.normal) == 1.0));
        }
        for edge in CUBE.edges {
            for f in edge.faces {
                assert!(edge.vertices.iter().all(|v| CUBE.face_loop(f as usize).contains(v)), "{edge:?}");
            }
        }
    }
}
