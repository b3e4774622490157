//! Overlaps measured from poses and shapes alone, every body against every other.
//!
//! The engine's own figures know the contacts that it looked for. A contact between a sleeper and a driven body that it
//! did not look for is in none of them, so the judge asks again.
//!
//! Polyhedra are measured by separating axes, of which the engine's kernels know nothing. Where a kernel says that two
//! bodies overlap and an axis shows that they are apart, the contact is a phantom: bodies are pushed by what is not
//! there.
//!
//! Depth is judged over `h`, the smallest of the equal-volume radii of the two bodies and of half the smallest widths
//! of the two convex parts that touch: what is left of a plate that sinks by half its thickness.

use granule_engine::Simulation;
use granule_geometry::{ShapeError, contacts};
use granule_model::{Aabb, BodyId, BodyKind, ContactPoint, DVec3, Pose};

use super::form::{Form, Part};
use super::scene::RandomBody;
use super::solid::{separate, separation};

/// A body that is watched.
#[derive(Debug)]
pub(super) struct Watched {
    /// Its handle.
    pub(super) id: BodyId,
    /// What moves it.
    pub(super) kind: BodyKind,
    /// Whether it was taken away.
    pub(super) removed: bool,
    /// Whether it ever touched another body.
    pub(super) touched: bool,
    /// Name and form for messages.
    pub(super) label: String,
    radius: f64,
    parts: Vec<Part>,
}

impl Watched {
    /// Takes a body under watch.
    ///
    /// # Errors
    /// [`ShapeError`] when the engine refuses a part of it.
    pub(super) fn new(id: BodyId, body: &RandomBody) -> Result<Self, ShapeError> {
        let radius = body.form.shape()?.equivalent_radius();
        let label = format!("{} ({})", body.name, form_name(&body.form));
        let parts = body.form.parts()?;
        Ok(Watched { id, kind: body.kind, removed: false, touched: false, label, radius, parts })
    }
}

/// The kind of form, as in scene files.
pub(super) fn form_name(form: &Form) -> &'static str {
    match form {
        Form::Sphere { .. } => "sphere",
        Form::Capsule { .. } => "capsule",
        Form::Cuboid { .. } => "cuboid",
        Form::Convex { .. } => "convex",
        Form::Compound { .. } => "compound",
        Form::Cross { .. } => "cross",
        Form::ClosedMesh { .. } => "closed-mesh",
        Form::HalfSpace { .. } => "half-space",
        Form::Container { .. } => "container",
        Form::Mesh { .. } => "mesh",
    }
}

/// The deepest of a kind of overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Deepest {
    /// Depth over `h` \[-\].
    pub(super) thin: f64,
    /// The two bodies, by number; meaningful where `thin` is above zero.
    pub(super) pair: [usize; 2],
}

impl Deepest {
    fn raise(&mut self, thin: f64, pair: [usize; 2]) {
        if thin > self.thin {
            *self = Deepest { thin, pair };
        }
    }
}

/// What was seen after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// The deepest overlap.
    pub(super) overlap: Deepest,
    /// The deepest overlap that a kernel reports of bodies that are apart.
    pub(super) phantom: Deepest,
}

/// Where something touches a body, or nearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    /// Unit normal in the world, out of the body.
    pub(super) outward: DVec3,
    /// Gap over `h` \[-\], less the way that is closed in the step to come.
    pub(super) gap: f64,
}

/// Scratch of the measurement: part by part where they are.
#[derive(Debug, Default)]
pub(super) struct Overlaps {
    places: Vec<Vec<(Pose, Aabb)>>,
    boxes: Vec<Aabb>,
    points: Vec<ContactPoint>,
}

impl Overlaps {
    /// The deepest overlaps of dynamic bodies now; notes who touches.
    pub(super) fn look(&mut self, simulation: &Simulation, bodies: &mut [Watched]) -> Seen {
        self.place(simulation, bodies);
        let mut seen = Seen::default();
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let dynamic = bodies[i].kind == BodyKind::Dynamic || bodies[j].kind == BodyKind::Dynamic;
                if dynamic && self.boxes[i].overlaps(&self.boxes[j]) && self.pair(i, j, bodies, &mut seen) {
                    bodies[i].touched = true;
                    bodies[j].touched = true;
                }
            }
        }
        seen
    }

    /// The box that body `i` filled when it was last looked at.
    pub(super) fn bounds(&self, i: usize) -> Aabb {
        self.boxes[i]
    }

    /// All that comes within `most` times `h` of body `i` when gaps up to `way` \[m\] close.
    pub(super) fn touches(
        &mut self,
        simulation: &Simulation,
        bodies: &[Watched],
        i: usize,
        [most, way]: [f64; 2],
    ) -> Vec<Touch> {
        self.place(simulation, bodies);
        let mut touches = Vec::new();
        for j in (0..bodies.len()).filter(|j| *j != i) {
            let radius = bodies[i].radius.min(bodies[j].radius);
            for (a, (pose_a, box_a)) in bodies[i].parts.iter().zip(&self.places[i]) {
                for (b, (pose_b, box_b)) in bodies[j].parts.iter().zip(&self.places[j]) {
                    let h = radius.min(a.half_width).min(b.half_width);
                    let reach = most * h + way;
                    if box_a.padded(reach).overlaps(box_b) {
                        self.points.clear();
                        let first = touches.len();
                        parts_touch((a, pose_a), (b, pose_b), h, reach / h, &mut self.points, &mut touches);
                        touches[first..].iter_mut().for_each(|t| t.gap = (t.gap - way / h).max(t.gap.min(0.0)));
                    }
                }
            }
        }
        touches
    }

    fn place(&mut self, simulation: &Simulation, bodies: &[Watched]) {
        self.places.resize(bodies.len(), Vec::new());
        self.boxes.resize(bodies.len(), Aabb::EMPTY);
        for (i, body) in bodies.iter().enumerate() {
            self.places[i].clear();
            self.boxes[i] = Aabb::EMPTY;
            let Some(own) = simulation.pose(body.id).ok().filter(|p| !body.removed && p.is_finite()) else { continue };
            for part in &body.parts {
                let pose = own.compose(&part.pose);
                let bounds = part.shape.aabb(&pose);
                self.boxes[i] = self.boxes[i].union(&bounds);
                self.places[i].push((pose, bounds));
            }
        }
    }

    /// Looks at a pair of bodies; whether they touch at all.
    fn pair(&mut self, i: usize, j: usize, bodies: &[Watched], seen: &mut Seen) -> bool {
        let radius = bodies[i].radius.min(bodies[j].radius);
        let mut touches = false;
        for (a, (pose_a, box_a)) in bodies[i].parts.iter().zip(&self.places[i]) {
            for (b, (pose_b, box_b)) in bodies[j].parts.iter().zip(&self.places[j]) {
                let h = radius.min(a.half_width).min(b.half_width);
                if !box_a.padded(TOUCH * h).overlaps(box_b) {
                    continue;
                }
                self.points.clear();
                contacts(&a.shape, pose_a, &b.shape, pose_b, TOUCH * h, &mut self.points);
                let reported = self.points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
                let gap = match (&a.solid, &b.solid) {
                    (Some(x), Some(y)) => {
                        let apart = separation(x, pose_a, y, pose_b, TOUCH * h);
                        if apart > 0.0 {
                            seen.phantom.raise(-reported / h, [i, j]);
                        }
                        if x.is_flat() && y.is_flat() { apart } else { apart.max(reported) }
                    }
                    _ => reported,
                };
                touches |= gap <= TOUCH * h;
                seen.overlap.raise(-gap / h, [i, j]);
            }
        }
        touches
    }
}

/// Appends what part B touches of part A, within `most` times `h` \[m\].
///
/// Polyhedra are asked by axes alone. Elsewhere a point of the narrow phase counts, no nearer than an axis shows the
/// parts to be.
fn parts_touch(
    (a, pose_a): (&Part, &Pose),
    (b, pose_b): (&Part, &Pose),
    h: f64,
    most: f64,
    points: &mut Vec<ContactPoint>,
    touches: &mut Vec<Touch>,
) {
    let mut add = |gap: f64, outward: DVec3| {
        if gap <= most * h {
            touches.push(Touch { outward, gap: gap / h });
        }
    };
    let mut apart = f64::NEG_INFINITY;
    if let (Some(x), Some(y)) = (&a.solid, &b.solid) {
        let (gap, outward) = separate(x, pose_a, y, pose_b, most * h);
        if x.is_flat() && y.is_flat() {
            add(gap, outward);
            return;
        }
        apart = gap;
    }
    contacts(&a.shape, pose_a, &b.shape, pose_b, most * h, points);
    points.iter().for_each(|point| add(point.gap.max(apart), -point.normal));
}

/// Gap up to which bodies count as touching, over `h`.
const TOUCH: f64 = 1e-2;

/// A place in `room` where the parts of a form are clear of all bodies by `clearance` \[m\]; none where `pose` is
/// taken.
pub(super) fn is_free(
    parts: &[Part],
    pose: &Pose,
    room: &Aabb,
    clearance: f64,
    simulation: &Simulation,
    bodies: &[Watched],
) -> bool {
    let mut overlaps = Overlaps::default();
    overlaps.place(simulation, bodies);
    parts.iter().all(|part| {
        let at = pose.compose(&part.pose);
        let bounds = part.shape.aabb(&at).padded(clearance);
        let apart = |(other, place): (&Part, &(Pose, Aabb))| {
            !bounds.overlaps(&place.1) || gap(part, &at, other, &place.0, clearance) > clearance
        };
        let others = bodies.iter().zip(&overlaps.places).flat_map(|(body, places)| body.parts.iter().zip(places));
        room.contains(&bounds) && others.into_iter().all(apart)
    })
}

/// A lower bound of the gap of two parts up to `most` \[m\], which it may pass.
pub(super) fn gap(a: &Part, pose_a: &Pose, b: &Part, pose_b: &Pose, most: f64) -> f64 {
    if let (Some(x), Some(y)) = (&a.solid, &b.solid) {
        return separation(x, pose_a, y, pose_b, most);
    }
    let mut points = Vec::new();
    contacts(&a.shape, pose_a, &b.shape, pose_b, most, &mut points);
    points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
}

/// Position that puts the middle of a form's box, turned by `pose`, at `centre`.
pub(super) fn centred(parts: &[Part], pose: &Pose, centre: DVec3) -> (DVec3, DVec3) {
    let bounds = parts.iter().fold(Aabb::EMPTY, |b, p| b.union(&p.shape.aabb(&pose.compose(&p.pose))));
    (pose.position + centre - bounds.center(), bounds.size())
}
