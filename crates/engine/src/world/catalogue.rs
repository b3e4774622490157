//! What a step only reads: settings, materials, force fields, and what each body is.
//!
//! It changes between steps, when the embedding program adds, removes or sets something.

use std::sync::Arc;

use granule_forces::{BodyView, Force, ForceField};
use granule_geometry::Shape;
use granule_model::{Aabb, DVec3, Material, Pose, Velocity};

use crate::world::bodies::Table;
use crate::world::description::Settings;
use crate::world::pairs::Pairs;

/// A force field of the embedding program; see [`Simulation::add_force_field`](crate::Simulation::add_force_field).
pub type SharedForceField = Arc<dyn ForceField>;

/// What a step only reads.
pub(crate) struct Catalogue {
    pub(crate) settings: Settings,
    pub(crate) materials: Vec<Material>,
    /// What holds between two materials.
    pub(crate) pairs: Arc<Pairs>,
    pub(crate) fields: Vec<SharedForceField>,
    pub(crate) bodies: Table,
    /// How far the scene reaches.
    pub(crate) extent: SceneExtent,
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue")
            .field("settings", &self.settings)
            .field("bodies", &self.bodies)
            .finish_non_exhaustive()
    }
}

/// How far a scene reaches, by what was added to it.
#[derive(Debug)]
pub(crate) struct SceneExtent {
    /// Box of all finite bodies, each where it was added \[m\].
    pub(crate) start: Aabb,
    /// Static and driven bodies of finite size, and the planes of the others.
    pub(crate) obstacles: Vec<usize>,
    pub(crate) planes: Vec<Plane>,
}

/// A plane of an unbounded body, in its body axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) body: usize,
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
}

impl Default for SceneExtent {
    fn default() -> Self {
        SceneExtent { start: Aabb::EMPTY, obstacles: Vec::new(), planes: Vec::new() }
    }
}

impl SceneExtent {
    /// Notes a body that is being added with the given box.
    pub(crate) fn note(&mut self, body: usize, shape: &Shape, bounds: &Aabb, is_dynamic: bool) {
        if bounds.is_finite() {
            self.start = self.start.union(bounds);
            if !is_dynamic {
                self.obstacles.push(body);
            }
        }
        let planes = shape.half_spaces().into_iter().map(|(normal, offset)| Plane { body, normal, offset });
        self.planes.extend(planes);
    }

    /// Diagonal of the box of all finite bodies \[m\].
    pub(crate) fn diagonal(&self) -> f64 {
        self.start.size().length()
    }
}

impl Catalogue {
    /// Of a simulation without bodies.
    pub(crate) fn new(settings: Settings, simulation: u64) -> Self {
        Catalogue {
            pairs: Arc::new(Pairs::new(settings.gravity.length())),
            settings,
            materials: Vec::new(),
            fields: Vec::new(),
            bodies: Table { simulation, ..Table::default() },
            extent: SceneExtent::default(),
        }
    }

    /// Makes this the catalogue of the bodies `of` another one, in that order, which is ascending; the steps of them
    /// are made alike. How far the scene reaches, which no step asks, is left out.
    pub(crate) fn take(&mut self, whole: &Catalogue, of: &[u32]) {
        let Catalogue { settings, materials: _, pairs, fields, bodies, extent: _ } = self;
        *settings = whole.settings;
        pairs.clone_from(&whole.pairs);
        fields.clone_from(&whole.fields);
        bodies.take(&whole.bodies, of);
    }

    /// Gravity \[m/s2\].
    pub(crate) fn gravity(&self) -> DVec3 {
        self.settings.gravity
    }

    /// Unit vector against gravity; z without gravity.
    pub(crate) fn up(&self) -> DVec3 {
        (-self.settings.gravity).try_normalize().unwrap_or(DVec3::Z)
    }

    /// Sum of the force fields on body `i` in the given state at `time` \[s\].
    pub(crate) fn field_force(&self, i: usize, pose: &Pose, velocity: &Velocity, time: f64) -> Force {
        let view = BodyView {
            index: self.bodies.number(i),
            id: self.bodies.id(i),
            pose: *pose,
            velocity: *velocity,
            mass: self.bodies.mass[i],
            time,
        };
        self.fields.iter().map(|field| field.force(&view)).sum()
    }
}
