//! A closed surface of triangles, its volume and area, and what its size means.

use std::f64::consts::PI;

use granule_model::{Aabb, DVec3};

use crate::axes::{Moments, extents};
use crate::error::{GrainError, in_range};
use crate::limits::{LONGEST, SHORTEST};

/// Volume over the cube of the size below which it is rounding: a surface without thickness.
const THINNEST: f64 = 1e-13;

/// What the size of a grain is the length of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Diameter of the sphere of equal volume \[m\].
    EquivalentDiameter(f64),
    /// The middle side of the box along the principal axes \[m\]: the opening that a grain passes lengthwise.
    ///
    /// Square openings let flat grains pass on the diagonal, down to 0.71 of this side; that is not accounted for.
    Sieve(f64),
}

impl Size {
    /// The length itself \[m\].
    pub fn length(self) -> f64 {
        match self {
            Size::EquivalentDiameter(length) | Size::Sieve(length) => length,
        }
    }
}

/// A closed surface: every edge belongs to two triangles, in opposite directions; outside is where triangles are
/// counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// A surface of other origin, to be measured or resized; refused unless it is finite, closed and faces outwards.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GrainError> {
        let beyond = |v: &DVec3| v.to_array().iter().any(|x| !x.is_finite() || x.abs() > LONGEST);
        if let Some(vertex) = vertices.iter().position(beyond) {
            return Err(GrainError::VertexNotFinite { vertex });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices.len()) {
                return Err(GrainError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
            }
        }
        check_closed(&triangles)?;
        let surface = Surface { vertices, triangles };
        let size = Aabb::from_points(surface.vertices.iter().copied()).size().max_element();
        // Written so that a NaN is refused as well.
        if surface.volume() > THINNEST * size * size * size { Ok(surface) } else { Err(GrainError::NoVolume) }
    }

    /// A surface that is closed by how it was made.
    pub(crate) fn closed(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Surface { vertices, triangles }
    }

    /// Corners \[m\].
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Triangles of indices of corners, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Corners and triangles.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.vertices, self.triangles)
    }

    /// Volume enclosed \[m3\].
    pub fn volume(&self) -> f64 {
        Moments::new(&self.vertices, &self.triangles).volume
    }

    /// Area \[m2\].
    pub fn area(&self) -> f64 {
        let twice = |t: &[u32; 3]| {
            let [p, q, r] = t.map(|i| self.vertices[i as usize]);
            (q - p).cross(r - p).length()
        };
        0.5 * self.triangles.iter().map(twice).sum::<f64>()
    }

    /// Diameter of the sphere of equal volume \[m\].
    pub fn equivalent_diameter(&self) -> f64 {
        libm::cbrt(6.0 / PI * self.volume())
    }

    /// Largest distance of a corner from the centre of mass \[m\].
    pub fn reach(&self) -> f64 {
        let center = Moments::new(&self.vertices, &self.triangles).center;
        self.vertices.iter().map(|v| v.distance(center)).fold(0.0, f64::max)
    }

    /// Sides of the box along the principal axes of inertia, longest first \[m\].
    pub(crate) fn sides(&self) -> [f64; 3] {
        let axes = Moments::new(&self.vertices, &self.triangles).axes();
        let mut sides = extents(self.vertices.iter().copied(), &axes).to_array();
        sides.sort_by(|x, y| y.total_cmp(x));
        sides
    }

    /// The same shape, scaled about the origin to the size asked; sizes from 1e-12 m to 1e12 m.
    ///
    /// It is the surface of triangles that has the size, to rounding, not the smooth shape it was taken from.
    pub fn resized(mut self, size: Size) -> Result<Self, GrainError> {
        in_range("the size of a grain", size.length(), SHORTEST, LONGEST)?;
        let now = match size {
            Size::EquivalentDiameter(_) => self.equivalent_diameter(),
            Size::Sieve(_) => self.sides()[1],
        };
        let scale = size.length() / now;
        self.vertices.iter_mut().for_each(|v| *v *= scale);
        Ok(self)
    }
}

/// Refuses edges without exactly one opposite.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), GrainError> {
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    let broken = |i: usize| {
        let [a, b] = edges[i];
        a == b || (i > 0 && edges[i - 1] == edges[i]) || edges.binary_search(&[b, a]).is_err()
    };
    match (0..edges.len()).find(|&i| broken(i)) {
        None => Ok(()),
        Some(i) => Err(GrainError::NotClosed { from: edges[i][0], to: edges[i][1] }),
    }
}
