//! A mound on a floor: how high it is, and how far from its centre its mass reaches.

use glam::DVec2;

use crate::grain::{Grain, counted, mass_mean, mass_quantile, mean_vector};

/// Share of the mass within the radius of a mound.
const RADIUS_SHARE: f64 = 0.95;

/// A mound at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mound {
    /// Place from which distances count, x and y \[m\].
    pub centre: DVec2,
    /// Height of the highest point of a grain over the floor \[m\].
    pub height: f64,
    /// Horizontal distance from the centre within which 95 % of the mass lies, grains counting with their centres
    /// \[m\].
    pub radius_95: f64,
    /// Slope of the straight cone that has the same mean height and mean distance from the centre \[degrees\]; none
    /// where all mass lies at the centre.
    ///
    /// Of a cone of height H and radius R the mean height is H/4 and the mean distance R/2, so that
    /// `tan = 2 mean height / mean distance`.
    pub mean_slope_deg: Option<f64>,
}

impl Mound {
    /// The mound of `grains` over a floor at the height `floor` \[m\], about `centre` or else the centre of mass. None
    /// without mass.
    pub fn of(grains: &[Grain], centre: Option<DVec2>, floor: f64) -> Option<Self> {
        let grains = counted(grains);
        let mean = mean_vector(&grains, |g| g.centre)?;
        let centre = centre.unwrap_or(mean.truncate());
        let distances = grains.iter().map(|g| (g.centre.truncate().distance(centre), g.mass));
        let slope = 2.0 * (mean.z - floor) / mass_mean(distances.clone())?;
        Some(Mound {
            centre,
            height: grains.iter().map(|g| g.max.z).reduce(f64::max)? - floor,
            radius_95: mass_quantile(distances, RADIUS_SHARE)?,
            mean_slope_deg: slope.is_finite().then(|| libm::atan(slope).to_degrees()),
        })
    }
}
