//! Grids of voxel volumes: where values cross a threshold, or around a label.
//!
//! Near the crossing distances are those from where tricubically interpolated values vanish, and, where no point of it
//! is found, as at edges, from triangles through it; further away they are the solution of the Eikonal equation.

mod eikonal;
mod field;
mod label;

use granule_model::DVec3;
use rayon::prelude::*;

use crate::blocks::{EDGE, HALF_DIAGONAL, NODES, Storage};
use crate::build::{Plan, Source, build};
use crate::error::LevelSetError;
use crate::grid::LevelSet;
use crate::lattice::{Lattice, check_band, check_length};
use crate::limits::MOST_DENSE_NODES;
use crate::tetrahedra::{Field, Key, assemble, cross};
use crate::tree::Tree;

use eikonal::Arrivals;
use field::Levels;

/// Values on a regular grid of cubic voxels.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Voxels along x, y, z.
    pub size: [usize; 3],
    /// Edge of a voxel \[m\].
    pub voxel: f64,
    /// Lowest corner of the first voxel \[m\]; its centre is half a voxel further on each axis.
    pub origin: DVec3,
    /// One value for the centre of each voxel, x fastest, then y.
    pub values: Vec<f32>,
}

/// Which voxels of a volume are inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inside {
    /// Those with values above this one; the surface is where interpolated values reach it.
    Above(f32),
    /// Those with values below this one.
    Below(f32),
    /// Those with this value, a label. The surface is that of the labelled voxels after smoothing over some one and a
    /// half voxels: four times with the weights 1, 2, 1 along each axis. It encloses the volume of these voxels, where
    /// they reach no side.
    Label(f32),
}

impl Inside {
    /// Whether a voxel with this value is inside.
    pub fn holds(self, value: f32) -> bool {
        match self {
            Inside::Above(threshold) => value > threshold,
            Inside::Below(threshold) => value < threshold,
            Inside::Label(label) => value == label,
        }
    }
}

impl Volume {
    /// The first voxel inside that lies at a side of the volume, along x, y, z: what is inside may be cut off there.
    pub fn cut_at(&self, inside: Inside) -> Option<[usize; 3]> {
        let [x, y, _] = self.size;
        let voxel = |at: usize| [at % x, at / x % y, at / (x * y)];
        let at_side = |voxel: &[usize; 3]| (0..3).any(|axis| voxel[axis] == 0 || voxel[axis] + 1 == self.size[axis]);
        let held = self.values.iter().enumerate().filter(|(_, value)| inside.holds(**value));
        held.map(|(at, _)| voxel(at)).find(at_side)
    }

    /// The voxel in which a point lies, along x, y, z; the nearest one for a point beside the volume.
    pub fn voxel_at(&self, p: DVec3) -> [usize; 3] {
        let place = ((p - self.origin) / self.voxel).floor().to_array();
        // Negative numbers and NaN become 0.
        std::array::from_fn(|axis| (place[axis] as usize).min(self.size[axis].saturating_sub(1)))
    }
}

/// Share of an edge that a crossing keeps from its ends: enough that no triangle is degenerate.
const CLEAR: f64 = 1e-6;
/// Distance in cells from the crossing within which nodes lie that begin the march: beside a crossed edge, or next to
/// such a node.
const NEAR: f64 = 3.0;
/// Half the spacing: by how much distances may be off where fronts meet.
const ALLOWANCE: f64 = 0.5;

impl LevelSet {
    /// A grid of a solid in a voxel volume.
    ///
    /// `spacing` is in metres and may differ from the voxels; where it is a voxel, nodes are at the centres of voxels.
    /// Beyond the volume is outside. The grid reaches `band_cells` cells beyond the solid. Distances are of second
    /// order in the spacing where values vary smoothly across the surface. [`LevelSet::bound`] allows for half a cell.
    ///
    /// # Errors
    ///
    /// [`LevelSetError`] for a number of values that is not that of the voxels, values or lengths that are not finite,
    /// no voxel inside or none outside, more than 2^29 voxels or nodes, and for the grid what
    /// [`LevelSet::from_function`] refuses.
    pub fn from_volume(
        volume: &Volume,
        inside: Inside,
        spacing: f64,
        band_cells: u32,
        storage: Storage,
    ) -> Result<LevelSet, LevelSetError> {
        check_length("the spacing", spacing)?;
        let reach = (check_band(band_cells)? + 1.0) * spacing;
        let levels = Levels::new(volume, inside)?;
        let lattice = Lattice::around(levels.bounds().padded(reach), spacing)?;
        let nodes = lattice.nodes.iter().map(|n| *n as f64).product();
        if nodes > MOST_DENSE_NODES {
            return Err(LevelSetError::TooLarge { nodes, most: MOST_DENSE_NODES, spacing });
        }
        let plan = Plan::new(lattice, band_cells, storage)?;
        build(&plan, ALLOWANCE * spacing, &Voxels::new(lattice, &levels, f64::from(band_cells))?)
    }
}

/// Distances at all nodes, in cells.
struct Voxels {
    lattice: Lattice,
    /// Values interpolated at the nodes, negative inside.
    levels: Vec<f32>,
    arrivals: Arrivals,
    /// Cells of the band to each side.
    band: f64,
    /// Triangles of the crossing \[m\].
    tree: Tree,
}

impl Voxels {
    fn new(lattice: Lattice, field: &Levels, band: f64) -> Result<Voxels, LevelSetError> {
        let [x, y, z] = lattice.nodes;
        let node = |at: usize| [at % x, at / x % y, at / (x * y)];
        let at_nodes = |at: usize| field.at(lattice.point(node(at).map(|i| i as f64)));
        let levels: Vec<f32> = (0..x * y * z).into_par_iter().map(at_nodes).collect();
        let nodes = Nodes { lattice: &lattice, levels: &levels };
        let slabs: Vec<Vec<[Key; 3]>> = (0..z - 1).into_par_iter().map(|k| nodes.slab(k)).collect();
        let (vertices, triangles) = assemble(&nodes, &slabs.concat(), CLEAR);
        if triangles.is_empty() {
            return Err(LevelSetError::NoInside);
        }
        let corners: Vec<_> = triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
        let tree = Tree::new(&corners);
        let within = NEAR * NEAR * lattice.spacing * lattice.spacing;
        let near = |at: usize| {
            let point = lattice.point(node(at).map(|i| i as f64));
            let Some(found) = tree.nearest(point, within) else { return f64::INFINITY };
            let foot = field.foot(point, found.point).unwrap_or(found.point);
            (foot - point).length() / lattice.spacing
        };
        let arrivals = Arrivals::new(lattice.nodes, &levels, near, [band, band + 2.0 * HALF_DIAGONAL]);
        Ok(Voxels { lattice, levels, arrivals, band, tree })
    }

    /// Index of a node; that of the nearest for one beyond the grid.
    fn index(&self, node: [usize; 3]) -> usize {
        let [x, y, z] = std::array::from_fn(|axis| node[axis].min(self.lattice.nodes[axis] - 1));
        (z * self.lattice.nodes[1] + y) * self.lattice.nodes[0] + x
    }

    /// Distance from the triangles of the crossing \[m\], with the sign of the values at a node.
    fn distance(&self, p: DVec3, node: [usize; 3]) -> f64 {
        let size = self.tree.nearest(p, f64::INFINITY).map_or(f64::NAN, |found| found.square.sqrt());
        if self.levels[self.index(node)] < 0.0 { -size } else { size }
    }
}

impl Source for Voxels {
    fn centre(&self, block: [usize; 3], point: DVec3) -> f64 {
        self.distance(point, block.map(|b| b * EDGE + EDGE / 2))
    }

    fn nodes(&self, lattice: &Lattice, block: [usize; 3], out: &mut [f64; NODES]) {
        for (at, value) in out.iter_mut().enumerate() {
            let local = [at % EDGE, at / EDGE % EDGE, at / (EDGE * EDGE)];
            let node = std::array::from_fn(|axis| block[axis] * EDGE + local[axis]);
            let index = self.index(node);
            let level = self.levels[index];
            // Beyond what was reached is outside, where nobody asks how far: inside it was marched on to here.
            *value = self.arrivals.at(index).unwrap_or(self.band).copysign(f64::from(level)) * lattice.spacing;
        }
    }
}

/// Nodes with the values interpolated there.
struct Nodes<'a> {
    lattice: &'a Lattice,
    levels: &'a [f32],
}

impl Nodes<'_> {
    /// Triangles between two layers of nodes.
    fn slab(&self, z: usize) -> Vec<[Key; 3]> {
        let [nx, ny, _] = self.lattice.nodes;
        let mut found = Vec::new();
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                cross(self, [x, y, z], &mut found);
            }
        }
        found
    }
}

impl Field for Nodes<'_> {
    fn count(&self) -> [usize; 3] {
        self.lattice.nodes
    }

    fn value(&self, [x, y, z]: [usize; 3]) -> f64 {
        f64::from(self.levels[(z * self.lattice.nodes[1] + y) * self.lattice.nodes[0] + x])
    }

    fn point(&self, node: [usize; 3]) -> DVec3 {
        self.lattice.point(node.map(|i| i as f64))
    }
}
