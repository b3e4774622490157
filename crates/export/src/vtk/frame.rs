//! From a snapshot to the arrays of a file.
//!
//! Bodies share no vertex, so what holds for a body is stored at each of its vertices: colours then stay within bodies,
//! and a sphere needs half as many values as it would per triangle. What does not change from frame to frame
//! (triangles, ids, masses) is compressed once and kept until a body comes or goes.

use std::io;

use granule_engine::{BodySnapshot, Snapshot};
use granule_geometry::{Shape, Surface};
use granule_model::BodyKind;
use rayon::prelude::*;

use super::xml::{Array, Cells, PolyData, write_poly_data};

/// How many of the latest distinct surfaces a new body is compared with before its own is kept: packs have few shapes,
/// and where every body has its own the comparison must not cost more than the surface.
const RECENT_SURFACES: usize = 8;

/// Bodies whose surfaces are made side by side: that of a level-set grain takes 35 ms, and more at a time take memory.
const AT_A_TIME: usize = 64;

/// Triangles and constants of the bodies that are drawn, and their compressed forms.
#[derive(Default)]
pub(crate) struct FrameBuilder {
    surfaces: Vec<Surface>,
    /// Place in `surfaces`, by body.
    surface_of: Vec<usize>,
    /// Which bodies the arrays below hold, with their masses: what makes them valid.
    drawn: Vec<bool>,
    fixed: Option<FixedArrays>,
}

struct FixedArrays {
    connectivity: Array,
    offsets: Array,
    body: Array,
    kind: Array,
    mass: Array,
    point_count: usize,
    polygon_count: usize,
}

impl FrameBuilder {
    /// Writes one `.vtp` file of `snapshot`; round surfaces get `segments` facets around.
    pub(crate) fn write(&mut self, out: &mut impl io::Write, snapshot: &Snapshot, segments: u32) -> io::Result<()> {
        self.add_surfaces(snapshot, segments);
        self.update_fixed(snapshot)?;
        let Some(fixed) = &self.fixed else { return Ok(()) };
        let points = Array::vertices(&self.points(snapshot, fixed.point_count))?;
        let velocity = self.spread(snapshot, |b| b.velocity.linear.to_array().map(|x| x as f32));
        let velocity = Array::float32("velocity", 3, velocity.as_flattened())?;
        let speed = self.spread(snapshot, |b| b.velocity.linear.length() as f32);
        let speed = Array::float32("speed", 1, &speed)?;
        let contacts = self.spread(snapshot, |b| i32::try_from(b.contacts).unwrap_or(i32::MAX));
        let contacts = Array::int32("contact_count", &contacts)?;
        let data = PolyData {
            time: snapshot.time,
            point_count: fixed.point_count,
            cells: Cells::Polygons,
            cell_count: fixed.polygon_count,
            points: &points,
            connectivity: &fixed.connectivity,
            offsets: &fixed.offsets,
            point_data: &[&velocity, &speed, &contacts, &fixed.mass, &fixed.body, &fixed.kind],
            cell_data: &[],
        };
        write_poly_data(out, &data)
    }

    fn add_surfaces(&mut self, snapshot: &Snapshot, segments: u32) {
        let known = self.surface_of.len().min(snapshot.bodies.len());
        for some in snapshot.bodies[known..].chunks(AT_A_TIME) {
            let made: Vec<Surface> = some.par_iter().map(|body| triangles(&body.shape, segments)).collect();
            made.into_iter().for_each(|surface| self.add_surface(surface));
        }
    }

    /// Adds the surface of the next body.
    fn add_surface(&mut self, surface: Surface) {
        let from = self.surfaces.len().saturating_sub(RECENT_SURFACES);
        let same = |s: &Surface| s.vertices == surface.vertices && s.triangles == surface.triangles;
        let known = self.surfaces[from..].iter().position(same).map(|i| from + i);
        self.surface_of.push(known.unwrap_or(self.surfaces.len()));
        if known.is_none() {
            self.surfaces.push(surface);
        }
    }

    fn update_fixed(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let drawn: Vec<bool> = snapshot.bodies.iter().map(|b| b.present).collect();
        if self.fixed.is_some() && self.drawn == drawn {
            return Ok(());
        }
        self.drawn = drawn;
        let mut connectivity = Vec::new();
        let mut point_count = 0;
        for (_, surface) in self.parts(snapshot) {
            let corners = surface.triangles.as_flattened().iter();
            for &corner in corners {
                connectivity.push(index(point_count + corner as usize)?);
            }
            point_count += surface.vertices.len();
        }
        let offsets = (1..=connectivity.len() / 3).map(|i| index(3 * i)).collect::<io::Result<Vec<_>>>()?;
        self.fixed = Some(FixedArrays {
            point_count,
            polygon_count: offsets.len(),
            connectivity: Array::int32("connectivity", &connectivity)?,
            offsets: Array::int32("offsets", &offsets)?,
            body: Array::int32("body", &self.body_ids(snapshot)?)?,
            kind: Array::int32("kind", &self.spread(snapshot, kind_number))?,
            mass: Array::float32("mass", 1, &self.spread(snapshot, |b| b.mass as f32))?,
        });
        Ok(())
    }

    /// The drawn bodies with their surfaces.
    fn parts<'a>(&'a self, snapshot: &'a Snapshot) -> impl Iterator<Item = (&'a BodySnapshot, &'a Surface)> {
        let bodies = snapshot.bodies.iter().zip(&self.surface_of);
        bodies.filter(|(body, _)| body.present).map(|(body, &s)| (body, &self.surfaces[s]))
    }

    fn points(&self, snapshot: &Snapshot, count: usize) -> Vec<f32> {
        let mut points = Vec::with_capacity(3 * count);
        for (body, surface) in self.parts(snapshot) {
            for &vertex in &surface.vertices {
                points.extend(body.pose.transform_point(vertex).to_array().map(|x| x as f32));
            }
        }
        points
    }

    /// One value per body, repeated for each of its vertices.
    fn spread<T: Clone>(&self, snapshot: &Snapshot, value: impl Fn(&BodySnapshot) -> T) -> Vec<T> {
        let parts = self.parts(snapshot);
        parts.flat_map(|(body, surface)| std::iter::repeat_n(value(body), surface.vertices.len())).collect()
    }

    fn body_ids(&self, snapshot: &Snapshot) -> io::Result<Vec<i32>> {
        let mut ids = Vec::new();
        for (id, (body, &surface)) in snapshot.bodies.iter().zip(&self.surface_of).enumerate() {
            if body.present {
                ids.extend(std::iter::repeat_n(index(id)?, self.surfaces[surface].vertices.len()));
            }
        }
        Ok(ids)
    }
}

/// Triangles of `shape` in body axes; none for a half-space, which has no end. Grains of level sets are no finer than
/// round ones: a series of a thousand with all triangles of their grids would take tens of gigabytes.
fn triangles(shape: &Shape, segments: u32) -> Surface {
    let surface = shape.triangulate(segments);
    if shape.name() != GRAIN || surface.vertices.len() <= (segments * segments) as usize {
        return surface;
    }
    surface.clustered(2.0 * shape.bounding_radius() * std::f64::consts::PI / f64::from(segments))
}

/// Name of shapes of grains on grids.
const GRAIN: &str = "level-set";

fn kind_number(body: &BodySnapshot) -> i32 {
    match body.kind {
        BodyKind::Dynamic => 0,
        BodyKind::Static => 1,
        BodyKind::Driven => 2,
    }
}

pub(super) fn index(value: usize) -> io::Result<i32> {
    i32::try_from(value).map_err(|_| io::Error::other("more vertices than a 32-bit index can name"))
}
