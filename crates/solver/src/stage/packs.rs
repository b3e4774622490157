//! The contacts of an island, in classes and in packs: what the sweeps go through.
//!
//! No two contacts of a class share a body that can move ([`super::colour`]), so contacts of a class can be updated
//! side by side: as many at a time as a pack has lanes. The order of updates is that of the classes; packs of a class
//! may come in any order without changing a bit of the result.
//!
//! Impulses are kept in units of velocity, `s = k P`, so that an update multiplies by no effective mass before it
//! applies the change: `s_n = k_n P_n`, `s_t = k_t P_t`, and the cone is `|s_t| <= (mu k_t / k_n) s_n`. All else is in
//! the units of [`super::units`].
//!
//! Packs of their own for the contacts of spheres, with half of the cross products, were tried and brought nothing: the
//! time goes into fetching and putting back the velocities of the bodies. So these are kept four numbers side by side,
//! and turned into lanes and back in the registers.

use granule_model::{DMat3, DVec3};

use rayon::prelude::*;

use super::body::{Columns, LaneBody};
use super::colour::Colours;
use super::lanes::{Lanes, Lanes3};
use super::motion::{Change, Direction, Motion, Turn};
use super::real::Real;
use super::units::Units;
use crate::contact::blocks::{self, Set};
use crate::contact::island::{Island, Row, SolverBody, largest_eigenvalue};
use crate::contact::memory::make_room;

/// The inverse tensor of a body, also of one that has the same moment about every axis.
fn columns<T: Real>(body: &SolverBody, tensor: &DMat3, units: &Units) -> Columns<T> {
    let tensor = if body.is_general() { *tensor } else { DMat3::from_diagonal(DVec3::splat(body.inverse_inertia())) };
    [tensor.x_axis, tensor.y_axis, tensor.z_axis].map(|v| {
        let v = v * units.inertia();
        [v.x, v.y, v.z, 0.0].map(T::nearest)
    })
}

/// Contacts that share no body that can move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pack<T, const L: usize> {
    pub(super) a: [u32; L],
    pub(super) b: [u32; L],
    /// Row of each lane, counted from the first of its block; [`NONE`] where a lane is empty.
    pub(super) row: [u32; L],
    /// Whether a body of the pack has a tensor of inertia.
    pub(super) general: bool,
    pub(super) normal: Lanes3<T, L>,
    pub(super) arm_a: Lanes3<T, L>,
    pub(super) arm_b: Lanes3<T, L>,
    /// What a change of the normal velocity by one does to the sliding velocity \[-\].
    pub(super) coupling: Lanes3<T, L>,
    /// Effective masses \[mass\].
    pub(super) mass_normal: Lanes<T, L>,
    pub(super) mass_tangent: Lanes<T, L>,
    pub(super) bias: Lanes<T, L>,
    /// `mu k_t / k_n`, static and dynamic \[-\].
    pub(super) static_cone: Lanes<T, L>,
    pub(super) dynamic_cone: Lanes<T, L>,
    /// Impulses \[speed\].
    pub(super) normal_impulse: Lanes<T, L>,
    pub(super) tangential_impulse: Lanes3<T, L>,
}

/// Rolling and torsional friction of a pack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning<T, const L: usize> {
    /// Inverse of the angular mobility about the normal, and of its largest eigenvalue in the tangent plane \[mass
    /// length2\].
    pub(super) inertia_normal: Lanes<T, L>,
    pub(super) inertia_tangent: Lanes<T, L>,
    /// Largest moment over the normal impulse in units of velocity \[mass length\].
    pub(super) torsional_arm: Lanes<T, L>,
    pub(super) rolling_arm: Lanes<T, L>,
    /// Surface speed that a moment makes \[1/(mass length)\].
    pub(super) surface_mobility: Lanes<T, L>,
    /// Angular impulse \[mass speed length\].
    pub(super) impulse: Lanes3<T, L>,
}

/// How near to its cone, over its size, an impulse is that was put on it: rounding in single precision.
const ON_CONE: f64 = 1e-6;

/// Marks an empty lane.
const NONE: u32 = u32::MAX;

/// The packs of an island with the bodies that they act on; the memory is kept.
#[derive(Debug)]
pub(super) struct Swept<T: Real, const L: usize> {
    pub(super) bodies: Vec<LaneBody<T>>,
    /// Inverse tensors of inertia, where a body of the island has one.
    pub(super) tensors: Vec<Columns<T>>,
    /// Those of each block; there may be more than the island has blocks.
    pub(super) of_blocks: Vec<BlockPacks<T, L>>,
    pub(super) rest: PackList<T, L>,
    pub(super) units: Units,
    pub(super) radii: Radii,
    /// Whether masses differ by more than [`LIKE_MASSES`].
    masses_differ: bool,
    /// What of a normal velocity's distance from its aim an update takes away \[-\].
    pub(super) relaxation: T,
    /// Largest changes in the last pass.
    pub(super) last: Change,
    pub(super) motion: Motion<T>,
}

impl<T: Real, const L: usize> Default for Swept<T, L> {
    fn default() -> Self {
        let (bodies, tensors, of_blocks) = (Vec::new(), Vec::new(), Vec::new());
        let (rest, units, motion) = (PackList::default(), Units::default(), Motion::default());
        let (radii, last) = (Radii::default(), Change::default());
        let relaxation = T::nearest(1.0);
        let masses_differ = false;
        Swept { bodies, tensors, of_blocks, rest, units, radii, masses_differ, relaxation, last, motion }
    }
}

/// Radii of the contacts of an island \[m\].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Radii {
    pub(super) smallest: f64,
    largest: f64,
}

impl Radii {
    fn of(island: &Island<'_>) -> Self {
        let start = Radii { smallest: f64::INFINITY, largest: 0.0 };
        let join =
            |r: Radii, row: &Row| Radii { smallest: r.smallest.min(row.radius), largest: r.largest.max(row.radius) };
        island.rows.iter().fold(start, join)
    }

    /// Whether one stands for all.
    pub(super) fn are_alike(&self) -> bool {
        self.largest <= ALIKE * self.smallest
    }
}

/// Ratio of radii up to which they are alike.
const ALIKE: f64 = 1.01;

/// Ratio of masses up to which bodies of like radii pass on what they are given.
const LIKE_MASSES: f64 = 100.0;

/// Whether masses of bodies that can move differ by more than [`LIKE_MASSES`].
fn masses_differ(bodies: &[SolverBody]) -> bool {
    let movable = bodies.iter().map(|body| body.inverse_mass).filter(|x| *x > 0.0);
    let (least, most) = movable.fold((f64::INFINITY, 0.0), |(least, most), x| (x.min(least), x.max(most)));
    most > LIKE_MASSES * least
}

/// The packs of a block.
#[derive(Debug)]
pub(super) struct BlockPacks<T, const L: usize> {
    pub(super) inside: PackList<T, L>,
    pub(super) across: PackList<T, L>,
}

impl<T, const L: usize> Default for BlockPacks<T, L> {
    fn default() -> Self {
        BlockPacks { inside: PackList::default(), across: PackList::default() }
    }
}

/// The packs of one set of contacts.
#[derive(Debug)]
pub(super) struct PackList<T, const L: usize> {
    /// Class after class.
    pub(super) packs: Vec<Pack<T, L>>,
    /// One for each pack where a contact of the set resists rolling or torsion, else empty.
    pub(super) turning: Vec<Turning<T, L>>,
    /// First axis of each contact's box, one for each pack where friction is bounded by boxes, else empty.
    pub(super) axes: Vec<Lanes3<T, L>>,
    /// [`Row::drift`] of each contact, one for each pack where one of the set drifts, else empty.
    pub(super) drifts: Vec<Lanes3<T, L>>,
    /// One for each pack where sweeps are steps of a conjugate gradient method, else empty.
    pub(super) directions: Vec<Direction<T, L>>,
    /// One for each of `turning` then.
    pub(super) turns: Vec<Turn<T, L>>,
    /// The island's smallest radius over that of each contact, one for each pack where radii differ, else empty.
    pub(super) shares: Vec<Lanes<T, L>>,
    /// Largest changes in the last pass.
    pub(super) largest: Change,
    colours: Colours,
}

impl<T, const L: usize> Default for PackList<T, L> {
    fn default() -> Self {
        let (packs, turning, axes, directions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (shares, largest, colours) = (Vec::new(), Change::default(), Colours::default());
        PackList { packs, turning, axes, drifts: Vec::new(), directions, turns: Vec::new(), shares, largest, colours }
    }
}

impl<T: Real, const L: usize> Swept<T, L> {
    /// Lays out the island with the impulses that its rows start from.
    pub(super) fn load(&mut self, island: &Island<'_>, units: Units) {
        self.units = units;
        self.relaxation = T::nearest(1.0);
        self.radii = Radii::of(island);
        self.masses_differ = masses_differ(island.bodies);
        self.load_bodies(island);
        let (count, radii) = (island.blocks.len(), self.radii);
        if self.of_blocks.len() < count {
            self.of_blocks.resize_with(count, BlockPacks::default);
        }
        self.of_blocks[..count].par_iter_mut().enumerate().for_each(|(k, of)| {
            let first = Set::Inside(k).rows(island.blocks, island.rows.len()).start;
            of.inside.load(island, Set::Inside(k), first, &units, &radii);
            of.across.load(island, Set::Across(k), first, &units, &radii);
        });
        self.rest.load(island, Set::Rest, 0, &units, &radii);
    }

    /// Whether contacts of the island differ in their radii, or bodies in their masses.
    pub(super) fn are_unlike(&self) -> bool {
        !self.radii.are_alike() || self.masses_differ
    }

    /// Takes up the velocities of the island.
    pub(super) fn load_bodies(&mut self, island: &Island<'_>) {
        let units = self.units;
        self.bodies.clear();
        make_room(&mut self.bodies, island.bodies.len());
        self.bodies.extend(island.bodies.iter().map(|body| LaneBody::of(body, &units)));
        self.tensors.clear();
        if island.bodies.iter().any(SolverBody::is_general) {
            let pairs = island.bodies.iter().zip(island.tensors);
            self.tensors.extend(pairs.map(|(body, tensor)| columns(body, tensor, &units)));
        }
    }

    /// Holds contacts that slide by dynamic friction from now on, also where static friction would hold them.
    pub(super) fn let_slide(&mut self) {
        for BlockPacks { inside, across } in &mut self.of_blocks {
            inside.let_slide();
            across.let_slide();
        }
        self.rest.let_slide();
    }

    /// Hands velocities back to the island.
    pub(super) fn store_velocities(&mut self, island: &mut Island<'_>) {
        let Swept { bodies: swept, of_blocks, units, .. } = self;
        let Island { bodies, blocks, .. } = island;
        let hand_back = |bodies: &mut [SolverBody], swept: &[LaneBody<T>]| {
            bodies.iter_mut().zip(swept).for_each(|(body, swept)| body.velocity = swept.velocity(units));
        };
        if blocks.is_empty() {
            hand_back(bodies, swept);
            return;
        }
        let work = |_: usize, (bodies, swept): (&mut [SolverBody], &[LaneBody<T>]), _: &mut BlockPacks<T, L>| {
            hand_back(bodies, swept);
        };
        blocks::inside(blocks, (&mut bodies[..], &swept[..]), &mut of_blocks[..blocks.len()], &work);
    }

    /// Hands impulses back to the island, and each row that has its own to `finish`.
    pub(super) fn store_impulses(&mut self, island: &mut Island<'_>, finish: impl Fn(&mut Row) + Sync) {
        let Swept { of_blocks, rest, units, .. } = self;
        let Island { rows, blocks, .. } = island;
        let of_blocks = &mut of_blocks[..blocks.len()];
        blocks::rows(blocks, &mut rows[..], of_blocks, &|_, rows, of: &mut BlockPacks<T, L>| {
            of.inside.store(rows, units, &finish);
            of.across.store(rows, units, &finish);
        });
        rest.store(rows, units, &finish);
    }
}

impl<T: Real, const L: usize> PackList<T, L> {
    /// Lays out a set of contacts; bodies are counted from the first that the set may touch, rows from `first_row`.
    fn load(&mut self, island: &Island<'_>, set: Set, first_row: usize, units: &Units, radii: &Radii) {
        self.packs.clear();
        self.shares.clear();
        self.largest = Change::default();
        self.turning.clear();
        self.axes.clear();
        self.drifts.clear();
        let of_set = set.rows(island.blocks, island.rows.len());
        if of_set.is_empty() {
            return;
        }
        let bodies = set.bodies(island.blocks, island.bodies.len());
        let base = Base { body: bodies.start as u32, row: (of_set.start - first_row) as u32 };
        let rows = &island.rows[of_set];
        let movable = |i: u32| (island.bodies[i as usize].inverse_mass > 0.0).then(|| i - base.body);
        self.colours.sort(bodies.len(), rows.iter().map(|row| [movable(row.a), movable(row.b)]));
        make_room(&mut self.packs, self.colours.classes().map(|class| class.len().div_ceil(L)).sum());
        let turning = rows.iter().any(|r| r.rolling_arm > 0.0 || r.torsional_arm > 0.0);
        let drifting = rows.iter().any(|r| r.drift != [0.0; 3]);
        for index in self.colours.classes().flat_map(|class| class.chunks(L)) {
            let rows = Rows::new(index, rows);
            self.packs.push(Pack::new(index, &rows, island, base, units));
            if turning {
                self.turning.push(Turning::new(&rows, island, units));
            }
            if drifting {
                self.drifts.push(rows.vector_or_zero(|r| r.drift() * (1.0 / units.speed)));
            }
            if !radii.are_alike() {
                self.shares.push(rows.or_zero(|row| radii.smallest / row.radius));
            }
        }
    }

    /// A contact that slid in the last sweep was put on the dynamic cone, to rounding.
    fn let_slide(&mut self) {
        for pack in &mut self.packs {
            for lane in 0..L {
                let limit = (pack.dynamic_cone.0[lane] * pack.normal_impulse.0[lane]).double();
                let slides = (pack.tangential_impulse.lane(lane).length() - limit).abs() <= ON_CONE * limit;
                if slides {
                    pack.static_cone.0[lane] = pack.dynamic_cone.0[lane];
                }
            }
        }
    }

    /// Bounds friction by boxes along the given axis of each row and the one across it.
    pub(super) fn set_axes(&mut self, axes: &[DVec3]) {
        let of_lane = |row: u32| if row == NONE { DVec3::ZERO } else { axes[row as usize] };
        self.axes.clear();
        self.axes.extend(self.packs.iter().map(|pack| Lanes3::from_fn(|lane| of_lane(pack.row[lane]))));
    }

    /// Hands impulses back to the rows.
    fn store(&self, rows: &mut [Row], units: &Units, finish: &impl Fn(&mut Row)) {
        for (k, pack) in self.packs.iter().enumerate() {
            for lane in (0..L).filter(|lane| pack.row[*lane] != NONE) {
                let row = &mut rows[pack.row[lane] as usize];
                row.normal_impulse = pack.normal_impulse.0[lane].double() * units.speed * row.mass_normal;
                row.tangential_impulse = pack.tangential_impulse.lane(lane) * units.speed * row.mass_tangent;
                if let Some(turning) = self.turning.get(k) {
                    row.angular_impulse = turning.impulse.lane(lane) * units.moment();
                }
                finish(row);
            }
        }
    }
}

/// Where bodies and rows of a set are counted from.
#[derive(Clone, Copy, Debug)]
struct Base {
    body: u32,
    row: u32,
}

/// The rows of a pack.
struct Rows<'a, const L: usize> {
    rows: [&'a Row; L],
    /// Empty lanes, which stand before the others. They repeat the row of the last lane, with no normal and no masses,
    /// and so do nothing: what they put back of its bodies is overwritten by what that lane does.
    empty: usize,
}

impl<'a, const L: usize> Rows<'a, L> {
    fn new(index: &[u32], rows: &'a [Row]) -> Self {
        let empty = L - index.len();
        let last = index[index.len() - 1];
        let row = |lane: usize| &rows[lane.checked_sub(empty).map_or(last, |k| index[k]) as usize];
        Rows { rows: std::array::from_fn(row), empty }
    }

    /// A number of each row, zero in empty lanes.
    #[inline(always)]
    fn or_zero<T: Real>(&self, f: impl Fn(&Row) -> f64) -> Lanes<T, L> {
        Lanes::from_fn(|lane| T::nearest(if lane >= self.empty { f(self.rows[lane]) } else { 0.0 }))
    }

    /// A vector of each row.
    #[inline(always)]
    fn vector<T: Real>(&self, f: impl Fn(&Row) -> DVec3) -> Lanes3<T, L> {
        Lanes3::from_fn(|lane| f(self.rows[lane]))
    }

    /// The same, zero in empty lanes.
    #[inline(always)]
    fn vector_or_zero<T: Real>(&self, f: impl Fn(&Row) -> DVec3) -> Lanes3<T, L> {
        Lanes3::from_fn(|lane| if lane >= self.empty { f(self.rows[lane]) } else { DVec3::ZERO })
    }
}

impl<T: Real, const L: usize> Pack<T, L> {
    fn new(index: &[u32], rows: &Rows<'_, L>, island: &Island<'_>, base: Base, units: &Units) -> Self {
        let of = |i: u32| &island.bodies[i as usize];
        let row = |lane: usize| lane.checked_sub(rows.empty).map_or(NONE, |k| base.row + index[k]);
        let (per_length, per_mass, per_speed) = (1.0 / units.length, 1.0 / units.mass, 1.0 / units.speed);
        Pack {
            a: rows.rows.map(|r| r.a - base.body),
            b: rows.rows.map(|r| r.b - base.body),
            row: std::array::from_fn(row),
            general: rows.rows.iter().any(|r| of(r.a).is_general() || of(r.b).is_general()),
            normal: rows.vector_or_zero(|r| r.normal),
            arm_a: rows.vector(|r| r.arm_a * per_length),
            arm_b: rows.vector(|r| r.arm_b * per_length),
            coupling: rows.vector(|r| r.coupling * r.mass_normal),
            mass_normal: rows.or_zero(|r| r.mass_normal * per_mass),
            mass_tangent: rows.or_zero(|r| r.mass_tangent * per_mass),
            bias: rows.or_zero(|r| r.bias * per_speed),
            static_cone: rows.or_zero(|r| r.static_friction * r.k_tangent * r.mass_normal),
            dynamic_cone: rows.or_zero(|r| r.dynamic_friction * r.k_tangent * r.mass_normal),
            normal_impulse: rows.or_zero(|r| r.normal_impulse * r.k_normal * per_speed),
            tangential_impulse: rows.vector_or_zero(|r| r.tangential_impulse * r.k_tangent * per_speed),
        }
    }
}

impl<T: Real, const L: usize> Turning<T, L> {
    fn new(rows: &Rows<'_, L>, island: &Island<'_>, units: &Units) -> Self {
        let mobilities = |r: &Row| angular_mobilities(r, island.bodies, island.tensors);
        let (per_inertia, per_arm) = (1.0 / units.inertia(), 1.0 / (units.mass * units.length));
        Turning {
            inertia_normal: rows.or_zero(|r| inverse(mobilities(r)[0]) * per_inertia),
            inertia_tangent: rows.or_zero(|r| inverse(mobilities(r)[1]) * per_inertia),
            torsional_arm: rows.or_zero(|r| r.torsional_arm * r.mass_normal * per_arm),
            rolling_arm: rows.or_zero(|r| r.rolling_arm * r.mass_normal * per_arm),
            surface_mobility: rows.or_zero(|r| mobilities(r)[1] * lever(r) / per_arm),
            impulse: rows.vector_or_zero(|r| r.angular_impulse * (1.0 / units.moment())),
        }
    }
}

/// Lever that makes a surface speed of a spin \[m\].
fn lever(row: &Row) -> f64 {
    row.arm_a.length().min(row.arm_b.length()).max(row.rolling_arm.max(row.torsional_arm))
}

/// 1/x, and zero where nothing turns.
fn inverse(x: f64) -> f64 {
    if x > 0.0 { x.recip() } else { 0.0 }
}

/// Angular mobility about the normal, and its largest eigenvalue in the tangent plane \[1/(kg m2)\].
fn angular_mobilities(row: &Row, bodies: &[SolverBody], tensors: &[DMat3]) -> [f64; 2] {
    let n = row.normal;
    let t = n.any_orthonormal_vector();
    let s = n.cross(t);
    let [m_n, m_t, m_s] = [n, t, s].map(|axis| row.angular_mobility(bodies, tensors, axis));
    [n.dot(m_n), largest_eigenvalue(t.dot(m_t), s.dot(m_t), s.dot(m_s))]
}
