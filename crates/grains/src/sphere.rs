//! The unit sphere as a mesh of nearly equal triangles: a subdivided icosahedron.
//!
//! Each face of the icosahedron is cut into `frequency^2` triangles of one size, whose corners are then moved to the
//! sphere. Triangles at the middle of a face come out 1.9 times as large as at its corners, edges 1.4 times as long.
//!
//! Coordinates of an icosahedron are 0, 1 or the golden ratio, with signs. Those of every corner are therefore
//! `(i + j phi) / frequency` with whole `i` and `j`: corners that faces share are recognised exactly, and the mesh has
//! its mirror planes, those of the axes, to the last bit.

use std::collections::BTreeMap;

use granule_model::DVec3;

use crate::error::{GrainError, count_in_range};

/// Largest number of parts of an edge: 163 842 directions.
const LARGEST_FREQUENCY: u32 = 128;
/// `(1 + sqrt 5) / 2`.
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

/// A corner before it is moved to the sphere: `x, y, z` each as whole ones and whole golden ratios.
type Corner = [i32; 6];

/// Directions that are spread evenly over the sphere, and triangles between them.
#[derive(Clone, Debug)]
pub struct SphereMesh {
    frequency: u32,
    directions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl SphereMesh {
    /// The icosahedron whose edges are cut into `frequency` parts, 1 to 128: `10 frequency^2 + 2` directions and
    /// `20 frequency^2` triangles. Even frequencies have directions along the axes.
    pub fn new(frequency: u32) -> Result<Self, GrainError> {
        count_in_range("the frequency of a sphere mesh", frequency as usize, 1, LARGEST_FREQUENCY as usize)?;
        let mut builder = Builder { numbers: BTreeMap::new(), directions: Vec::new(), triangles: Vec::new() };
        for face in icosahedron() {
            builder.add_face(face, frequency as i32);
        }
        Ok(SphereMesh { frequency, directions: builder.directions, triangles: builder.triangles })
    }

    /// The coarsest mesh of even frequency with at least `vertices` directions; at most 163 842.
    pub fn with_vertices(vertices: usize) -> Result<Self, GrainError> {
        let enough = |f: &u32| 10 * (*f as usize).pow(2) + 2 >= vertices;
        let most = 10 * (LARGEST_FREQUENCY as usize).pow(2) + 2;
        count_in_range("the number of vertices", vertices, 1, most)?;
        SphereMesh::new((2..=LARGEST_FREQUENCY).step_by(2).find(enough).unwrap_or(LARGEST_FREQUENCY))
    }

    /// Parts of an edge of the icosahedron.
    pub fn frequency(&self) -> u32 {
        self.frequency
    }

    /// Unit vectors.
    pub fn directions(&self) -> &[DVec3] {
        &self.directions
    }

    /// Triangles of indices of directions, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

struct Builder {
    numbers: BTreeMap<Corner, u32>,
    directions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    /// Adds the triangles of one face; corner `(i, j)` is `i` steps along the second and `j` along the third corner.
    fn add_face(&mut self, [a, b, c]: [Corner; 3], n: i32) {
        let row = |j: i32, builder: &mut Builder| -> Vec<u32> {
            let corner = |i| std::array::from_fn(|k| (n - i - j) * a[k] + i * b[k] + j * c[k]);
            (0..=n - j).map(|i| builder.number(corner(i))).collect()
        };
        let mut below = row(0, self);
        for j in 1..=n {
            let above = row(j, self);
            for i in 0..above.len() {
                self.triangles.push([below[i], below[i + 1], above[i]]);
                if i + 1 < above.len() {
                    self.triangles.push([below[i + 1], above[i + 1], above[i]]);
                }
            }
            below = above;
        }
    }

    fn number(&mut self, corner: Corner) -> u32 {
        let next = self.directions.len() as u32;
        let number = *self.numbers.entry(corner).or_insert(next);
        if number == next {
            self.directions.push(position(corner).normalize());
        }
        number
    }
}

fn position(corner: Corner) -> DVec3 {
    let [x, i, y, j, z, k] = corner.map(f64::from);
    DVec3::new(x + i * GOLDEN_RATIO, y + j * GOLDEN_RATIO, z + k * GOLDEN_RATIO)
}

/// The 20 faces of the icosahedron with corners `(0, +-1, +-phi)` and their cyclic exchanges.
fn icosahedron() -> Vec<[Corner; 3]> {
    let mut corners: Vec<Corner> = Vec::new();
    for one in [1, -1] {
        for golden in [1, -1] {
            corners.extend([[0, 0, one, 0, 0, golden], [one, 0, 0, golden, 0, 0], [0, golden, 0, 0, one, 0]]);
        }
    }
    // Edges are 2 long, the next distance is 3.2.
    let joined = |a: Corner, b: Corner| position(a).distance_squared(position(b)) < 5.0;
    let mut faces = Vec::new();
    for (i, &a) in corners.iter().enumerate() {
        for (j, &b) in corners.iter().enumerate().skip(i + 1) {
            for &c in &corners[j + 1..] {
                if joined(a, b) && joined(b, c) && joined(c, a) {
                    let outward = position(a).dot(position(b).cross(position(c))) > 0.0;
                    faces.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    faces
}
