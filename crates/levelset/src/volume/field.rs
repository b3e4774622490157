//! Values of a volume as a function of space: negative inside, interpolated between the centres of voxels.

use granule_model::{Aabb, DVec3};

use super::{Inside, Volume, label};
use crate::error::LevelSetError;
use crate::kernel::Cubic;
use crate::lattice::check_length;
use crate::limits::MOST_DENSE_NODES;

/// Distance from the centre of a voxel, over its edge, that is rounding.
const CENTRE: f64 = 1e-6;

/// Most steps to a foot: each leaves the share of the distance over the radius of curvature, at most a half or so.
const STEPS: usize = 40;
/// Length of a step over the edge of a voxel at which a foot is found.
const ARRIVED: f64 = 1e-6;

/// Values that are negative inside, at the centres of voxels.
pub(super) struct Levels {
    size: [usize; 3],
    voxel: f64,
    /// Centre of the first voxel \[m\].
    first: DVec3,
    values: Vec<f32>,
    /// Lowest and highest voxel inside.
    inside: [[usize; 3]; 2],
}

impl Levels {
    /// Checks a volume and takes its values relative to the threshold.
    pub(super) fn new(volume: &Volume, inside: Inside) -> Result<Levels, LevelSetError> {
        check(volume, inside)?;
        let values: Vec<f32> = match inside {
            Inside::Above(threshold) => volume.values.iter().map(|v| threshold - v).collect(),
            Inside::Below(threshold) => volume.values.iter().map(|v| v - threshold).collect(),
            Inside::Label(label) => label::levels(volume, label),
        };
        if values.iter().all(|v| *v < 0.0) {
            return Err(LevelSetError::NoOutside);
        }
        let [x, y, _] = volume.size;
        let mut range = [volume.size, [0; 3]];
        for at in (0..values.len()).filter(|&at| values[at] < 0.0) {
            let voxel = [at % x, at / x % y, at / (x * y)];
            range = std::array::from_fn(|end| {
                std::array::from_fn(|axis| {
                    let (so_far, own) = (range[end][axis], voxel[axis]);
                    if end == 0 { so_far.min(own) } else { so_far.max(own) }
                })
            });
        }
        if range[0][0] == x {
            return Err(LevelSetError::NoInside);
        }
        let first = volume.origin + DVec3::splat(0.5 * volume.voxel);
        Ok(Levels { size: volume.size, voxel: volume.voxel, first, values, inside: range })
    }

    /// A box around the solid, whose faces go through centres of voxels.
    pub(super) fn bounds(&self) -> Aabb {
        let [low, high] = self.inside.map(|voxel| DVec3::from_array(voxel.map(|i| i as f64)));
        Aabb::new(self.first + (low - DVec3::ONE) * self.voxel, self.first + (high + DVec3::ONE) * self.voxel)
    }

    /// The value at a point, by tricubic interpolation: at the centre of a voxel, its own.
    pub(super) fn at(&self, p: DVec3) -> f32 {
        let place = (p - self.first) / self.voxel;
        let nearest = place.round();
        if (place - nearest).abs().max_element() <= CENTRE {
            return self.voxel(nearest.as_i64vec3().to_array(), [1; 3]) as f32;
        }
        self.smooth(p).0 as f32
    }

    /// The point nearest to `p` where the interpolated values vanish, looked for from `start`; none where the way does
    /// not end within a voxel of there, as at edges.
    ///
    /// Steps along the gradient to where values vanish and across it towards `p`: D. L. Chopp, "Some improvements of
    /// the fast marching method", SIAM J. Sci. Comput. 23 (2001) 230-244.
    pub(super) fn foot(&self, p: DVec3, start: DVec3) -> Option<DVec3> {
        let mut at = start;
        for _ in 0..STEPS {
            let (value, gradient) = self.smooth(at);
            let square = gradient.length_squared();
            let off = p - at;
            let step = off - gradient * ((off.dot(gradient) + value) / square);
            at += step;
            // Written so that NaN, of a gradient that vanishes, is too far.
            let is_near = (at - start).length_squared() <= self.voxel * self.voxel;
            if !is_near {
                return None;
            }
            if step.length_squared() <= ARRIVED * ARRIVED * self.voxel * self.voxel {
                return Some(at);
            }
        }
        None
    }

    /// Value and gradient \[1/m\] at a point, by tricubic interpolation.
    fn smooth(&self, p: DVec3) -> (f64, DVec3) {
        let place = (p - self.first) / self.voxel;
        let low = place.floor();
        let nodes = std::array::from_fn(|z| {
            std::array::from_fn(|y| {
                std::array::from_fn(|x| self.voxel(low.as_i64vec3().to_array(), [x as i64, y as i64, z as i64]))
            })
        });
        let (value, gradient) = Cubic::interpolate(&nodes, place - low);
        (value, gradient / self.voxel)
    }

    /// The value of the voxel one less than `step` from `low`. Beyond the volume it is that of the nearest voxel, with
    /// the sign of what is outside.
    fn voxel(&self, low: [i64; 3], step: [i64; 3]) -> f64 {
        let place: [i64; 3] = std::array::from_fn(|axis| low[axis].saturating_add(step[axis] - 1));
        let [x, y, z]: [usize; 3] =
            std::array::from_fn(|axis| place[axis].clamp(0, self.size[axis] as i64 - 1) as usize);
        let value = f64::from(self.values[(z * self.size[1] + y) * self.size[0] + x]);
        let beyond = [x, y, z].map(|i| i as i64) != place;
        if beyond { value.abs() } else { value }
    }
}

fn check(volume: &Volume, inside: Inside) -> Result<(), LevelSetError> {
    let Volume { size, voxel, origin, values } = volume;
    check_length("the edge of a voxel", *voxel)?;
    let (Inside::Above(level) | Inside::Below(level) | Inside::Label(level)) = inside;
    let numbers = [("the threshold or label", f64::from(level))];
    for (what, value) in numbers.into_iter().chain(origin.to_array().map(|x| ("the origin of the volume", x))) {
        if !value.is_finite() {
            return Err(LevelSetError::NotFinite { what, value });
        }
    }
    let voxels = size.iter().map(|n| *n as f64).product::<f64>();
    if voxels > MOST_DENSE_NODES {
        return Err(LevelSetError::TooLarge { nodes: voxels, most: MOST_DENSE_NODES, spacing: *voxel });
    }
    if voxels < 1.0 || voxels != values.len() as f64 {
        return Err(LevelSetError::VolumeSize { size: *size, values: values.len() });
    }
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        let voxel = [at % size[0], at / size[0] % size[1], at / (size[0] * size[1])];
        return Err(LevelSetError::VoxelNotFinite { voxel, value: values[at] });
    }
    Ok(())
}
