//! Surfaces for pictures: primitives for a ray caster, triangles for files.

use std::collections::BTreeMap;

use granule_model::DVec3;

use crate::convex::ConvexData;
use crate::cylinder::Cylinder;
use crate::drum::Drum;
use crate::geometry::{Container, Geometry};
use crate::height_field::HeightField;

/// A piece of a shape's surface in body axes, for pictures.
#[derive(Clone, Debug)]
pub enum Primitive {
    /// A ball.
    Sphere {
        /// Its centre \[m\].
        center: DVec3,
        /// Its radius \[m\].
        radius: f64,
    },
    /// All points within `radius` of the segment.
    Capsule {
        /// Start of the segment \[m\].
        start: DVec3,
        /// End of the segment \[m\].
        end: DVec3,
        /// Distance of the surface from the segment \[m\].
        radius: f64,
    },
    /// Flat triangles, counter-clockwise seen from outside.
    Triangles(Surface),
    /// All points with `normal . p <= offset` are solid.
    Plane {
        /// Outward unit normal.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal \[m\].
        offset: f64,
    },
}

/// Triangles over shared vertices, in body axes.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Vertices \[m\].
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The surface with all vertices in a cell of a lattice as one, in their mean; cells have edges of `cell` \[m\],
    /// and their corners lie on the origin.
    ///
    /// What becomes a line or a point is left out, and of triangles with the same corners all but one.
    pub fn clustered(&self, cell: f64) -> Surface {
        let place = |v: &DVec3| (*v / cell).floor().to_array().map(|x| x as i64);
        let mut sums: BTreeMap<[i64; 3], (u32, DVec3, f64)> = BTreeMap::new();
        for vertex in &self.vertices {
            let next = sums.len() as u32;
            let entry = sums.entry(place(vertex)).or_insert((next, DVec3::ZERO, 0.0));
            (entry.1, entry.2) = (entry.1 + *vertex, entry.2 + 1.0);
        }
        let mut vertices = vec![DVec3::ZERO; sums.len()];
        sums.values().for_each(|(i, sum, count)| vertices[*i as usize] = *sum / *count);
        let name = |i: u32| sums.get(&place(&self.vertices[i as usize])).map_or(0, |entry| entry.0);
        let mut triangles: Vec<[u32; 3]> = self.triangles.iter().map(|t| t.map(name)).collect();
        triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        triangles.iter_mut().for_each(|t| {
            let least = (0..3).min_by_key(|&i| t[i]).unwrap_or(0);
            t.rotate_left(least);
        });
        triangles.sort_unstable();
        triangles.dedup();
        // Few are left of many, and who draws keeps them for each of its bodies.
        triangles.shrink_to_fit();
        Surface { vertices, triangles }
    }

    /// Appends the triangles of `other`.
    fn append(&mut self, other: Surface) {
        let shift = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.into_iter().map(|t| t.map(|i| i + shift)));
    }

    /// Flat faces as fans of triangles.
    fn from_faces<'a>(vertices: Vec<DVec3>, faces: impl IntoIterator<Item = &'a [u32]>) -> Surface {
        let mut triangles = Vec::new();
        for face in faces {
            triangles.extend((1..face.len() - 1).map(|i| [face[0], face[i], face[i + 1]]));
        }
        Surface { vertices, triangles }
    }
}

/// Sides of a cylinder or drum in pictures.
const AROUND: u32 = 96;

/// Primitives of `geometry` in the axes that `place` maps to.
pub(crate) fn primitives(geometry: &Geometry, place: &dyn Fn(DVec3) -> DVec3, out: &mut Vec<Primitive>) {
    match geometry {
        Geometry::Sphere { radius } => out.push(Primitive::Sphere { center: place(DVec3::ZERO), radius: *radius }),
        Geometry::Capsule { radius, half_length } => out.push(Primitive::Capsule {
            start: place(DVec3::NEG_Z * *half_length),
            end: place(DVec3::Z * *half_length),
            radius: *radius,
        }),
        Geometry::HalfSpace { normal } => out.push(Primitive::Plane { normal: *normal, offset: 0.0 }),
        Geometry::Compound(parts) => {
            for part in parts {
                primitives(&part.geometry, &|p| place(part.pose.transform_point(p)), out);
            }
        }
        other => {
            let mut surface = triangles(other, AROUND);
            surface.vertices.iter_mut().for_each(|v| *v = place(*v));
            out.push(Primitive::Triangles(surface));
        }
    }
}

/// Triangles of `geometry`; round surfaces with `segments` (at least 3) around.
pub(crate) fn triangles(geometry: &Geometry, segments: u32) -> Surface {
    match geometry {
        Geometry::Sphere { radius } => round(*radius, 0.0, segments),
        Geometry::Capsule { radius, half_length } => round(*radius, *half_length, segments),
        Geometry::Cuboid { half } => cuboid(*half),
        Geometry::Convex(data) => convex(data),
        Geometry::Grain(data) => {
            let (vertices, triangles) = data.surface();
            Surface { vertices, triangles }
        }
        Geometry::Cylinder(data) => cylinder(data, segments),
        Geometry::Compound(parts) => {
            let mut whole = Surface::default();
            for part in parts {
                let mut piece = triangles(&part.geometry, segments);
                piece.vertices.iter_mut().for_each(|v| *v = part.pose.transform_point(*v));
                whole.append(piece);
            }
            whole
        }
        Geometry::HalfSpace { .. } => Surface::default(),
        Geometry::Mesh(data) => Surface { vertices: data.vertices.clone(), triangles: data.triangles.clone() },
        Geometry::HeightField(field) => of_field(field),
        Geometry::ContourGround(ground) => of_field(&ground.field),
        Geometry::Container(data) => container(data),
        Geometry::Drum(drum) => inside_of_drum(drum, segments),
    }
}

/// Corners of a centred box; bit 0, 1, 2 of the index says whether x, y, z is positive.
pub(crate) fn cuboid_corners(half: DVec3) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    })
}

/// Faces of [`cuboid_corners`], counter-clockwise seen from outside: low x, high x, low y, high y, low z, high z.
pub(crate) const CUBOID_FACES: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

fn cuboid(half: DVec3) -> Surface {
    Surface::from_faces(cuboid_corners(half).into(), CUBOID_FACES.iter().map(|f| &f[..]))
}

fn convex(data: &ConvexData) -> Surface {
    Surface::from_faces(data.vertices.clone(), (0..data.faces.len()).map(|f| data.face_loop(f)))
}

/// The floor and the walls up to the height of the box, seen from inside.
fn container(data: &Container) -> Surface {
    let half = 0.5 * data.size;
    let vertices = cuboid_corners(half).map(|v| v + half).into();
    let mut inside = Surface::from_faces(vertices, CUBOID_FACES[..5].iter().map(|f| &f[..]));
    inside.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    inside
}

/// A prism whose edges lie on the side of the cylinder.
pub(crate) fn cylinder(data: &Cylinder, segments: u32) -> Surface {
    prism(data.radius, [-data.half_length, data.half_length], segments)
}

/// A prism about the z axis from `low` to `high`: vertices of the low end, then of the high one.
fn prism(radius: f64, [low, high]: [f64; 2], segments: u32) -> Surface {
    let around = segments.max(3);
    let ring = |z: f64| {
        (0..around).map(move |i| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(around));
            DVec3::new(radius * cos, radius * sin, z)
        })
    };
    let vertices = ring(low).chain(ring(high)).collect();
    let mut faces: Vec<Vec<u32>> = vec![(0..around).rev().collect(), (around..2 * around).collect()];
    faces.extend((0..around).map(|i| vec![i, (i + 1) % around, around + (i + 1) % around, around + i]));
    Surface::from_faces(vertices, faces.iter().map(|f| &f[..]))
}

/// The wall and the ends of a drum, seen from inside; an open one up to the height at which it is drawn.
fn inside_of_drum(drum: &Drum, segments: u32) -> Surface {
    let around = segments.max(3) as usize;
    let mut inside = prism(drum.radius, [drum.low, drum.drawn_to], segments);
    if drum.is_open() {
        // The fan of the low end comes first, then that of the high one.
        inside.triangles.drain(around - 2..2 * (around - 2));
    }
    inside.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    inside
}

/// A capsule on the z axis, or a ball for `half_length` 0, as rings of vertices between two poles.
fn round(radius: f64, half_length: f64, segments: u32) -> Surface {
    let around = segments.max(3);
    // An even number of bands, so that there is an equator, where the cylinder goes in.
    let bands = 2 * (around / 4).max(1);
    let mut vertices = vec![DVec3::new(0.0, 0.0, -half_length - radius)];
    let mut rings = 0;
    for band in 1..bands {
        let (rise, reach) = libm::sincos(std::f64::consts::PI * (f64::from(band) / f64::from(bands) - 0.5));
        let equator = 2 * band == bands;
        let shifts: &[f64] = match () {
            () if equator && half_length > 0.0 => &[-1.0, 1.0],
            () if equator => &[0.0],
            () if 2 * band < bands => &[-1.0],
            () => &[1.0],
        };
        for shift in shifts {
            rings += 1;
            let z = radius * rise + shift * half_length;
            vertices.extend((0..around).map(|i| {
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(around));
                DVec3::new(radius * reach * cos, radius * reach * sin, z)
            }));
        }
    }
    vertices.push(DVec3::new(0.0, 0.0, half_length + radius));
    Surface { triangles: ring_triangles(around, rings), vertices }
}

/// Triangles between a south pole (vertex 0), rings of `around` vertices, and a north pole (last vertex).
fn ring_triangles(around: u32, rings: u32) -> Vec<[u32; 3]> {
    let at = |ring: u32, i: u32| 1 + ring * around + i % around;
    let north = 1 + rings * around;
    let mut triangles = Vec::new();
    for i in 0..around {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        for ring in 0..rings - 1 {
            let [a, b, c, d] = [at(ring, i), at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([at(rings - 1, i), at(rings - 1, i + 1), north]);
    }
    triangles
}

/// The outer surface of seven cubes of edge `c`: 32 vertices, 30 squares, closed.
pub(crate) fn cross_surface(c: f64) -> Surface {
    let in_cross = |cell: [i32; 3]| cell.iter().filter(|&&i| i != 1).count() <= 1;
    let mut surface = lattice_surface([3, 3, 3], in_cross);
    surface.vertices.iter_mut().for_each(|v| *v = (*v - DVec3::splat(1.5)) * c);
    surface
}

/// The surface between filled and empty unit cells of a lattice of the given size; all beyond is empty.
pub(crate) fn lattice_surface(size: [i32; 3], filled: impl Fn([i32; 3]) -> bool) -> Surface {
    let [nx, ny, nz] = size;
    let filled = |cell: [i32; 3]| cell.iter().zip(size).all(|(&i, n)| (0..n).contains(&i)) && filled(cell);
    let mut squares: Vec<[[i32; 3]; 4]> = Vec::new();
    for cell in (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / (nx * ny)]).filter(|&cell| filled(cell)) {
        for (face, corners) in CUBOID_FACES.iter().enumerate() {
            let mut beyond = cell;
            beyond[face / 2] += if face % 2 == 1 { 1 } else { -1 };
            if !filled(beyond) {
                squares.push(corners.map(|k| std::array::from_fn(|axis| cell[axis] + (k as i32 >> axis & 1))));
            }
        }
    }
    let mut lattice: Vec<[i32; 3]> = squares.iter().flatten().copied().collect();
    lattice.sort_unstable();
    lattice.dedup();
    let index = |p: &[i32; 3]| lattice.partition_point(|q| q < p) as u32;
    let faces: Vec<[u32; 4]> = squares.iter().map(|s| std::array::from_fn(|k| index(&s[k]))).collect();
    let vertices = lattice.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
    Surface::from_faces(vertices, faces.iter().map(|f| &f[..]))
}

fn of_field(field: &HeightField) -> Surface {
    let (vertices, triangles) = field.all_triangles();
    Surface { vertices, triangles }
}
