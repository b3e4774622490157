//! Crushed rock: convex polyhedra with flat faces, cut from the full by random planes.
//!
//! Every plane is tangent to a sphere about the origin. Without irregularity all spheres are one and the planes lie as
//! evenly around it as drawing the best of many directions makes them: a rounded block. With irregularity the planes
//! are drawn as they come and lie at distances between a half and one: faces of all sizes, wedges, sharp corners. A
//! plane is refused unless it cuts cleanly (`polyhedron.rs`); planes are drawn until the polyhedron has the faces asked
//! for. Once the rock is bounded and has a dozen faces, further planes only chip its corners and edges, or they would
//! cut away more faces than they make: full irregularity ended at some 30. One of spikes, which no plane bounds within
//! a cube of 5 across, is begun anew. The ratios of sides are then given by a linear map (`fit.rs`), under which planes
//! stay planes.

use std::f64::consts::PI;

use granule_model::DVec3;

use crate::axes::Moments;
use crate::error::{GrainError, check_aspect, count_in_range, in_range};
use crate::fit::fit;
use crate::polyhedron::Polyhedron;
use crate::random::Random;
use crate::surface::Surface;

/// Fewest and most faces.
const FACES: [usize; 2] = [6, 40];
/// Nothing of the raw rock, whose inscribed sphere is 1 at most, lies beyond this cube.
const BOX: f64 = 2.5;
/// Shortest edge and nearest corner beside a cut, in units of the raw rock.
const CLEAN: f64 = 0.03;
/// How far distances of planes spread below 1 at full irregularity.
const SPREAD: f64 = 0.5;
/// Directions among which the one farthest from all faces is taken, without irregularity.
const CANDIDATES: f64 = 30.0;
/// Faces from which on planes chip, and the deepest chip.
const CHIPPED_FROM: usize = 12;
/// See [`CHIPPED_FROM`].
const CHIP: f64 = 0.25;
/// Polyhedra begun before giving up, and planes drawn for each per face.
const TRIES: usize = 256;
/// See [`TRIES`].
const PLANES_PER_FACE: usize = 20;

/// A family of angular fragments of rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rock {
    /// Number of faces, 6 to 40, met exactly; fragments of rock have some 8 to 30.
    pub faces: usize,
    /// Elongation `b / a` and flatness `c / b` of the box along the principal axes, 0.1 to 1 each, met to rounding.
    pub aspect: [f64; 2],
    /// From 0, a block with faces alike, to 1, fragments with faces of all sizes.
    pub irregularity: f64,
}

impl Default for Rock {
    /// Crushed stone.
    fn default() -> Self {
        Rock { faces: 14, aspect: [0.75, 0.75], irregularity: 0.6 }
    }
}

impl Rock {
    /// Refuses parameters beyond their ranges.
    pub(crate) fn check(&self) -> Result<(), GrainError> {
        count_in_range("the number of faces", self.faces, FACES[0], FACES[1])?;
        check_aspect(self.aspect)?;
        in_range("irregularity", self.irregularity, 0.0, 1.0)
    }

    /// The rock whose planes are drawn from `random`.
    pub(crate) fn grain(&self, random: &mut Random) -> Result<RockGrain, GrainError> {
        self.check()?;
        let raw = (0..TRIES).find_map(|_| self.raw(random));
        raw.map(|raw| RockGrain::new(raw, self.aspect)).ok_or(GrainError::NoRock { faces: self.faces, tries: TRIES })
    }

    /// A polyhedron with the faces asked for; none if planes enough were drawn without it.
    fn raw(&self, random: &mut Random) -> Option<Polyhedron> {
        let mut rock = Polyhedron::cube(BOX);
        for _ in 0..PLANES_PER_FACE * self.faces {
            let normal = self.direction(&rock, random);
            let mut offset = 1.0 - SPREAD * self.irregularity * random.unit();
            if rock.faces.len() >= CHIPPED_FROM && rock.faces.iter().all(|f| !f.of_box) {
                let depth = CHIP * (1.0 - self.irregularity * random.unit());
                offset = offset.max(rock.support(normal) - depth);
            }
            if let Some(cut) = rock.cut(normal, offset, CLEAN) {
                rock = cut;
                let ours = rock.faces.iter().filter(|f| !f.of_box).count();
                if ours == self.faces {
                    break;
                }
            }
        }
        (rock.faces.len() == self.faces && rock.faces.iter().all(|f| !f.of_box)).then_some(rock)
    }

    /// Of some random directions the one farthest from the normals of all faces cut so far.
    fn direction(&self, rock: &Polyhedron, random: &mut Random) -> DVec3 {
        let count = 1 + (CANDIDATES * (1.0 - self.irregularity)) as usize;
        let nearest = |d: DVec3| {
            rock.faces.iter().filter(|f| !f.of_box).map(|f| f.normal.dot(d)).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut best = random.direction();
        for _ in 1..count {
            let other = random.direction();
            if nearest(other) < nearest(best) {
                best = other;
            }
        }
        best
    }
}

/// One rock: a convex polyhedron with the volume of the unit sphere and its centre of mass at the origin.
#[derive(Clone, Debug)]
pub struct RockGrain {
    polyhedron: Polyhedron,
}

impl RockGrain {
    fn new(mut raw: Polyhedron, aspect: [f64; 2]) -> Self {
        let triangles = raw.triangles();
        let center = Moments::new(&raw.vertices, &triangles).center;
        let map = fit(&raw.vertices, &triangles, aspect);
        let inverse = map.inverse().transpose();
        raw.vertices.iter_mut().for_each(|v| *v = map * (*v - center));
        for face in &mut raw.faces {
            face.normal = (inverse * face.normal).normalize();
            let sum: f64 = face.corners.iter().map(|&i| raw.vertices[i as usize].dot(face.normal)).sum();
            face.offset = sum / face.corners.len() as f64;
        }
        RockGrain { polyhedron: raw }
    }

    /// Corners; their convex hull is the rock.
    pub fn vertices(&self) -> &[DVec3] {
        &self.polyhedron.vertices
    }

    /// Faces as polygons of indices of corners, counter-clockwise seen from outside.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.polyhedron.faces.iter().map(|f| f.corners.as_slice())
    }

    /// Distance from the origin to the surface in the direction of the unit vector `direction`.
    pub fn radius(&self, direction: DVec3) -> f64 {
        1.0 / self.nearest(direction).1
    }

    /// Outward unit normal of the face in the direction of the unit vector `direction`.
    pub fn normal(&self, direction: DVec3) -> DVec3 {
        self.nearest(direction).0
    }

    /// The face that a ray from the origin leaves through: its normal and the inverse of the distance.
    fn nearest(&self, direction: DVec3) -> (DVec3, f64) {
        let mut found = (direction, f64::NEG_INFINITY);
        for face in &self.polyhedron.faces {
            let inverse = face.normal.dot(direction) / face.offset;
            if inverse > found.1 {
                found = (face.normal, inverse);
            }
        }
        found
    }

    /// Volume: that of the unit sphere.
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI
    }

    /// The exact surface, faces as fans of triangles.
    pub fn surface(&self) -> Surface {
        Surface::closed(self.polyhedron.vertices.clone(), self.polyhedron.triangles())
    }
}
