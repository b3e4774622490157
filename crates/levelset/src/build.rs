//! Building a grid block by block, in parallel over rows of blocks, with results in their order.
//!
//! Where the distances come from is left to a [`Source`].

use granule_model::{Aabb, DVec3};
use rayon::prelude::*;

use crate::blocks::{Blocks, Directory, EDGE, HALF_DIAGONAL, NODES, Storage, Values, Word};
use crate::error::LevelSetError;
use crate::grid::LevelSet;
use crate::held::Held;
use crate::lattice::{Lattice, check_band};

/// Rows of blocks that are built before their values are put together: bounds the memory beside the grid.
const BATCH: usize = 1024;
/// Distance in cells from nodes of the sides of the grid from which on the sides are all outside: half the diagonal of
/// a square.
const CLEAR: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Where signed distances come from.
pub(crate) trait Source: Sync {
    /// Signed distance at the centre of a block, or a bound of it.
    fn centre(&self, block: [usize; 3], point: DVec3) -> f64;
    /// Signed distances at the nodes of a block, x fastest.
    fn nodes(&self, lattice: &Lattice, block: [usize; 3], out: &mut [f64; NODES]);
}

/// The grid that is to be built.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) lattice: Lattice,
    /// Cells of the band to each side.
    band: f64,
    storage: Storage,
}

impl Plan {
    /// Checks the number of cells of the band.
    pub(crate) fn new(lattice: Lattice, band_cells: u32, storage: Storage) -> Result<Plan, LevelSetError> {
        Ok(Plan { lattice, band: check_band(band_cells)?, storage })
    }

    /// Half the thickness of the band \[m\].
    pub(crate) fn band(&self) -> f64 {
        self.band * self.lattice.spacing
    }
}

/// What a row of blocks gave.
struct Row {
    words: Vec<Word>,
    values: Values,
    seen: Seen,
}

/// What was seen of the distances.
#[derive(Clone, Copy)]
struct Seen {
    lowest: f64,
    highest: f64,
    /// Lowest distance at the sides of the grid.
    lowest_at_sides: f64,
}

impl Seen {
    const NOTHING: Seen = Seen { lowest: f64::INFINITY, highest: f64::NEG_INFINITY, lowest_at_sides: f64::INFINITY };

    fn add(&mut self, other: Seen) {
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
        self.lowest_at_sides = self.lowest_at_sides.min(other.lowest_at_sides);
    }

    fn see(&mut self, value: f64, at_side: bool) {
        let at_sides = if at_side { value } else { f64::INFINITY };
        self.add(Seen { lowest: value, highest: value, lowest_at_sides: at_sides });
    }
}

impl LevelSet {
    /// A grid of a function that is a signed distance in metres, negative inside.
    ///
    /// The grid covers `bounds`, with a node on its faces where the extent is a whole number of cells, and one more
    /// layer of nodes around. `spacing` is in metres; values are held within `band_cells` (2 to 1024) cells of the
    /// surface. The function must not change by more than the way between two points: blocks far from the surface are
    /// told by the distance at their centre. It may be called at points up to four cells outside of `bounds`.
    ///
    /// # Errors
    ///
    /// [`LevelSetError`] for lengths that are not finite or not positive, a grid of more than 2^32 nodes, a distance
    /// that is not finite, and where nothing is inside or nothing outside.
    pub fn from_function(
        bounds: Aabb,
        spacing: f64,
        band_cells: u32,
        storage: Storage,
        distance: impl Fn(DVec3) -> f64 + Sync,
    ) -> Result<LevelSet, LevelSetError> {
        let lattice = Lattice::around(bounds, spacing)?;
        build(&Plan::new(lattice, band_cells, storage)?, 0.0, &Function(distance))
    }
}

struct Function<F>(F);

impl<F: Fn(DVec3) -> f64 + Sync> Source for Function<F> {
    fn centre(&self, _: [usize; 3], point: DVec3) -> f64 {
        (self.0)(point)
    }

    fn nodes(&self, lattice: &Lattice, block: [usize; 3], out: &mut [f64; NODES]) {
        for_nodes(lattice, block, |at, point| out[at] = (self.0)(point));
    }
}

/// Calls `visit` with the position in the block and the place of each of its nodes.
pub(crate) fn for_nodes(lattice: &Lattice, block: [usize; 3], mut visit: impl FnMut(usize, DVec3)) {
    for at in 0..NODES {
        let local = [at % EDGE, at / EDGE % EDGE, at / (EDGE * EDGE)];
        visit(at, lattice.point(std::array::from_fn(|axis| (block[axis] * EDGE + local[axis]) as f64)));
    }
}

/// The grid of a source, whose values may be off by `allowance` \[m\].
pub(crate) fn build(plan: &Plan, allowance: f64, source: &impl Source) -> Result<LevelSet, LevelSetError> {
    let count = Blocks::counts(&plan.lattice);
    let mut words = Vec::with_capacity(count.iter().product());
    let mut values = Values::new(plan.storage, plan.band);
    let mut seen = Seen::NOTHING;
    let mut held = 0;
    let rows = count[1] * count[2];
    for first in (0..rows).step_by(BATCH) {
        let batch = (first..rows.min(first + BATCH)).into_par_iter();
        let built: Vec<_> = batch.map(|row| build_row(plan, source, [row % count[1], row / count[1]])).collect();
        // Errors are looked for in order: which one is told must not depend on the threads.
        for row in built {
            let row = row?;
            words.extend(row.words.iter().map(|word| word.shifted(held)));
            held += row.words.iter().filter(|word| word.read().is_ok()).count();
            values.append(&row.values);
            seen.add(row.seen);
        }
    }
    values.shrink();
    match () {
        () if seen.lowest >= 0.0 => Err(LevelSetError::NoInside),
        () if seen.highest <= 0.0 => Err(LevelSetError::NoOutside),
        () => Ok(LevelSet {
            confined: seen.lowest_at_sides > CLEAR * plan.lattice.spacing,
            lattice: plan.lattice,
            held: Held::of_blocks(&plan.lattice, Blocks { directory: Directory { count, words }, values }, held),
            band: plan.band(),
            allowance: allowance + plan.storage.rounding(plan.band()),
            deepest: seen.lowest,
        }),
    }
}

/// The blocks at `y`, `z` of the directory.
fn build_row(plan: &Plan, source: &impl Source, [y, z]: [usize; 2]) -> Result<Row, LevelSetError> {
    let lattice = &plan.lattice;
    let count = Blocks::counts(lattice)[0];
    let mut row =
        Row { words: Vec::with_capacity(count), values: Values::new(plan.storage, plan.band), seen: Seen::NOTHING };
    let mut held = 0;
    let mut nodes = [0.0; NODES];
    for block in (0..count).map(|x| [x, y, z]) {
        let point = Blocks::centre(lattice, block);
        let centre = checked(source.centre(block, point), point)?;
        let mut near = false;
        if centre.abs() <= HALF_DIAGONAL * lattice.spacing + plan.band() {
            source.nodes(lattice, block, &mut nodes);
            near = see_nodes(plan, block, &nodes, &mut row.seen)?;
        } else {
            row.seen.see(centre, at_sides(lattice, block));
        }
        if near {
            row.values.push(&nodes.map(|value| value / lattice.spacing), plan.band);
            row.words.push(Word::held(held));
            held += 1;
        } else {
            row.words.push(Word::far(centre / lattice.spacing));
        }
    }
    Ok(row)
}

/// Whether a node of the block is in the band.
fn see_nodes(plan: &Plan, block: [usize; 3], nodes: &[f64; NODES], seen: &mut Seen) -> Result<bool, LevelSetError> {
    let lattice = &plan.lattice;
    let side = at_sides(lattice, block);
    let mut near = false;
    for (at, &value) in nodes.iter().enumerate() {
        let local = [at % EDGE, at / EDGE % EDGE, at / (EDGE * EDGE)];
        let node: [usize; 3] = std::array::from_fn(|axis| block[axis] * EDGE + local[axis]);
        checked(value, lattice.point(node.map(|i| i as f64)))?;
        if (0..3).all(|axis| node[axis] < lattice.nodes[axis]) {
            near |= value.abs() < plan.band();
            seen.see(value, side && (0..3).any(|axis| node[axis] == 0 || node[axis] + 1 == lattice.nodes[axis]));
        }
    }
    Ok(near)
}

/// Whether the block has nodes at the sides of the grid.
fn at_sides(lattice: &Lattice, block: [usize; 3]) -> bool {
    (0..3).any(|axis| block[axis] == 0 || (block[axis] + 1) * EDGE >= lattice.nodes[axis])
}

fn checked(value: f64, point: DVec3) -> Result<f64, LevelSetError> {
    if value.is_finite() { Ok(value) } else { Err(LevelSetError::DistanceNotFinite { point, value }) }
}
