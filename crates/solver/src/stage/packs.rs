//! The contacts of an island, in classes and in packs of four: what the sweeps go through.
//!
//! No two contacts of a class share a body that can move ([`super::colour`]), so contacts of a class can be updated side by side: four
//! at a time in the lanes of a pack. The order of updates is that of the classes; packs of a class may come in any order
//! without changing a bit of the result.
//!
//! Impulses are kept in units of velocity, `s = k P`, so that an update multiplies by no effective mass before it applies the
//! change: `s_n = k_n P_n`, `s_t = k_t P_t`, and the cone is `|s_t| <= (mu k_t / k_n) s_n`.
//!
//! Packs of their own for the contacts of spheres, with half of the cross products, were tried and brought nothing: the time goes into
//! fetching and putting back the velocities of eight bodies. So these are kept four numbers side by side, and turned into lanes
//! and back in the registers.

use granule_model::{DMat3, DVec3, Velocity};

use rayon::prelude::*;

use super::Ledger;
use super::colour::Colours;
use super::lanes::{LANES, Lanes, Lanes3};
use crate::blocks::{self, Set};
use crate::island::{Island, Row, SolverBody, largest_eigenvalue};

/// A body as the sweeps see it: velocity and angular velocity, behind them 1/m and 1/I as in [`SolverBody`].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct LaneBody {
    pub(super) linear: [f64; 4],
    pub(super) angular: [f64; 4],
}

impl LaneBody {
    fn new(body: &SolverBody) -> Self {
        let with = |v: DVec3, inverse: f64| [v.x, v.y, v.z, inverse];
        LaneBody {
            linear: with(body.velocity.linear, body.inverse_mass),
            angular: with(body.velocity.angular, body.inverse_inertia()),
        }
    }

    pub(super) fn velocity(&self) -> Velocity {
        let first = |v: [f64; 4]| DVec3::new(v[0], v[1], v[2]);
        Velocity { linear: first(self.linear), angular: first(self.angular) }
    }
}

/// Four contacts that share no body that can move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pack {
    pub(super) a: [u32; LANES],
    pub(super) b: [u32; LANES],
    /// Row of each lane, counted from the first of its block; [`NONE`] where a lane is empty.
    pub(super) row: [u32; LANES],
    /// Whether a body of the pack has a tensor of inertia.
    pub(super) general: bool,
    pub(super) normal: Lanes3,
    pub(super) arm_a: Lanes3,
    pub(super) arm_b: Lanes3,
    /// What a change of the normal velocity by one does to the sliding velocity \[-\].
    pub(super) coupling: Lanes3,
    /// Effective masses \[kg\].
    pub(super) mass_normal: Lanes,
    pub(super) mass_tangent: Lanes,
    pub(super) bias: Lanes,
    /// `mu k_t / k_n`, static and dynamic \[-\].
    pub(super) static_cone: Lanes,
    pub(super) dynamic_cone: Lanes,
    /// Impulses \[m/s\].
    pub(super) normal_impulse: Lanes,
    pub(super) tangential_impulse: Lanes3,
}

/// Rolling and torsional friction of a pack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    /// Inverse of the angular mobility about the normal, and of its largest eigenvalue in the tangent plane \[kg m2\].
    pub(super) inertia_normal: Lanes,
    pub(super) inertia_tangent: Lanes,
    /// Largest moment over the normal impulse in units of velocity \[kg m\].
    pub(super) torsional_arm: Lanes,
    pub(super) rolling_arm: Lanes,
    /// Surface speed that a moment makes \[1/(kg m)\].
    pub(super) surface_mobility: Lanes,
    /// Angular impulse \[N m s\].
    pub(super) impulse: Lanes3,
}

/// Marks an empty lane.
const NONE: u32 = u32::MAX;

/// The packs of an island with the bodies that they act on; the memory is kept.
#[derive(Debug, Default)]
pub struct Packs {
    pub(super) bodies: Vec<LaneBody>,
    /// Those of each block; there may be more than the island has blocks.
    pub(super) of_blocks: Vec<BlockPacks>,
    pub(super) rest: PackList,
}

/// The packs of a block.
#[derive(Debug, Default)]
pub(super) struct BlockPacks {
    pub(super) inside: PackList,
    pub(super) across: PackList,
    pub(super) ledger: Ledger,
}

/// The packs of one set of contacts.
#[derive(Debug, Default)]
pub(super) struct PackList {
    /// Class after class.
    pub(super) packs: Vec<Pack>,
    /// One for each pack where a contact of the set resists rolling or torsion, else empty.
    pub(super) turning: Vec<Turning>,
    /// Largest change of a relative velocity in the last pass \[m/s\].
    pub(super) largest: f64,
    colours: Colours,
}

impl Packs {
    /// Lays out the island with the impulses that its rows start from.
    pub(super) fn load(&mut self, island: &Island<'_>) {
        self.bodies.clear();
        self.bodies.extend(island.bodies.iter().map(LaneBody::new));
        let count = island.blocks.len();
        if self.of_blocks.len() < count {
            self.of_blocks.resize_with(count, BlockPacks::default);
        }
        self.of_blocks[..count].par_iter_mut().enumerate().for_each(|(k, of)| {
            let first = Set::Inside(k).rows(island.blocks, island.rows.len()).start;
            of.inside.load(island, Set::Inside(k), first);
            of.across.load(island, Set::Across(k), first);
        });
        self.rest.load(island, Set::Rest, 0);
    }

    /// Hands velocities and impulses back to the island.
    pub(super) fn store(&mut self, island: &mut Island<'_>) {
        let Island { bodies, rows, blocks, .. } = island;
        let Packs { bodies: swept, of_blocks, rest } = self;
        let hand_back = |bodies: &mut [SolverBody], swept: &[LaneBody]| {
            bodies.iter_mut().zip(swept).for_each(|(body, swept)| body.velocity = swept.velocity());
        };
        if blocks.is_empty() {
            hand_back(bodies, swept);
        } else {
            let work = |_: usize, (bodies, swept): (&mut [SolverBody], &[LaneBody]), _: &mut BlockPacks| {
                hand_back(bodies, swept);
            };
            blocks::inside(blocks, (&mut bodies[..], &swept[..]), of_blocks, &work);
        }
        blocks::rows(blocks, &mut rows[..], of_blocks, &|_, rows, of: &mut BlockPacks| {
            of.inside.store(rows);
            of.across.store(rows);
        });
        rest.store(rows);
    }
}

impl PackList {
    /// Lays out a set of contacts; bodies are counted from the first that the set may touch, rows from `first_row`.
    fn load(&mut self, island: &Island<'_>, set: Set, first_row: usize) {
        self.packs.clear();
        self.turning.clear();
        let of_set = set.rows(island.blocks, island.rows.len());
        if of_set.is_empty() {
            return;
        }
        let bodies = set.bodies(island.blocks, island.bodies.len());
        let base = Base { body: bodies.start as u32, row: (of_set.start - first_row) as u32 };
        let rows = &island.rows[of_set];
        let movable = |i: u32| (island.bodies[i as usize].inverse_mass > 0.0).then(|| i - base.body);
        self.colours.sort(bodies.len(), rows.iter().map(|row| [movable(row.a), movable(row.b)]));
        let turning = rows.iter().any(|r| r.rolling_arm > 0.0 || r.torsional_arm > 0.0);
        for index in self.colours.classes().flat_map(|class| class.chunks(LANES)) {
            let rows = Rows::new(index, rows);
            self.packs.push(Pack::new(index, &rows, island, base));
            if turning {
                self.turning.push(Turning::new(&rows, island));
            }
        }
    }

    /// Hands impulses back to the rows.
    fn store(&self, rows: &mut [Row]) {
        for (k, pack) in self.packs.iter().enumerate() {
            for lane in (0..LANES).filter(|lane| pack.row[*lane] != NONE) {
                let row = &mut rows[pack.row[lane] as usize];
                row.normal_impulse = pack.normal_impulse.0[lane] * row.mass_normal;
                row.tangential_impulse = pack.tangential_impulse.lane(lane) * row.mass_tangent;
                if let Some(turning) = self.turning.get(k) {
                    row.angular_impulse = turning.impulse.lane(lane);
                }
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
struct Rows<'a> {
    rows: [&'a Row; LANES],
    /// Empty lanes, which stand before the others. They repeat the row of the last lane, with no normal and no masses, and so do
    /// nothing: what they put back of its bodies is overwritten by what that lane does.
    empty: usize,
}

impl<'a> Rows<'a> {
    fn new(index: &[u32], rows: &'a [Row]) -> Self {
        let empty = LANES - index.len();
        let last = index[index.len() - 1];
        let row = |lane: usize| &rows[lane.checked_sub(empty).map_or(last, |k| index[k]) as usize];
        Rows { rows: std::array::from_fn(row), empty }
    }

    /// A number of each row, zero in empty lanes.
    #[inline(always)]
    fn or_zero(&self, f: impl Fn(&Row) -> f64) -> Lanes {
        Lanes::from_fn(|lane| if lane >= self.empty { f(self.rows[lane]) } else { 0.0 })
    }

    /// A vector of each row.
    #[inline(always)]
    fn vector(&self, f: impl Fn(&Row) -> DVec3) -> Lanes3 {
        Lanes3::from_array(self.rows.map(f))
    }

    /// The same, zero in empty lanes.
    #[inline(always)]
    fn vector_or_zero(&self, f: impl Fn(&Row) -> DVec3) -> Lanes3 {
        Lanes3::from_array(std::array::from_fn(
            |lane| if lane >= self.empty { f(self.rows[lane]) } else { DVec3::ZERO },
        ))
    }
}

impl Pack {
    fn new(index: &[u32], rows: &Rows<'_>, island: &Island<'_>, base: Base) -> Self {
        let of = |i: u32| &island.bodies[i as usize];
        let row = |lane: usize| lane.checked_sub(rows.empty).map_or(NONE, |k| base.row + index[k]);
        Pack {
            a: rows.rows.map(|r| r.a - base.body),
            b: rows.rows.map(|r| r.b - base.body),
            row: std::array::from_fn(row),
            general: rows.rows.iter().any(|r| of(r.a).is_general() || of(r.b).is_general()),
            normal: rows.vector_or_zero(|r| r.normal),
            arm_a: rows.vector(|r| r.arm_a),
            arm_b: rows.vector(|r| r.arm_b),
            coupling: rows.vector(|r| r.coupling * r.mass_normal),
            mass_normal: rows.or_zero(|r| r.mass_normal),
            mass_tangent: rows.or_zero(|r| r.mass_tangent),
            bias: rows.or_zero(|r| r.bias),
            static_cone: rows.or_zero(|r| r.static_friction * r.k_tangent * r.mass_normal),
            dynamic_cone: rows.or_zero(|r| r.dynamic_friction * r.k_tangent * r.mass_normal),
            normal_impulse: rows.or_zero(|r| r.normal_impulse * r.k_normal),
            tangential_impulse: rows.vector_or_zero(|r| r.tangential_impulse * r.k_tangent),
        }
    }
}

impl Turning {
    fn new(rows: &Rows<'_>, island: &Island<'_>) -> Self {
        let mobilities = |r: &Row| angular_mobilities(r, island.bodies, island.tensors);
        Turning {
            inertia_normal: rows.or_zero(|r| inverse(mobilities(r)[0])),
            inertia_tangent: rows.or_zero(|r| inverse(mobilities(r)[1])),
            torsional_arm: rows.or_zero(|r| r.torsional_arm * r.mass_normal),
            rolling_arm: rows.or_zero(|r| r.rolling_arm * r.mass_normal),
            surface_mobility: rows.or_zero(|r| mobilities(r)[1] * lever(r)),
            impulse: rows.vector_or_zero(|r| r.angular_impulse),
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
