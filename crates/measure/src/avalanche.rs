//! A rock avalanche: where its front is, how far it ran out, and how far it fell.
//!
//! Lengths along the ground are coordinates along one horizontal direction, which the caller gives as a unit vector.
//! The front of the mass is given in three ways: the farthest surface point of any grain, and the coordinates up to
//! which 95 % and 50 % of the mass lie, grains counting with their centres. The angle between the top of the source and
//! the toe is the Fahrboeschung of Heim (1932), its tangent H/L.

use glam::DVec2;

use crate::grain::{Grain, counted, mass_mean, mass_quantile, mean_vector};
use crate::sum::Sum;

/// Share of the mass behind the front that single grains do not move.
pub const FRONT_SHARE: f64 = 0.95;

/// An avalanche at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AvalancheState {
    /// Number of grains.
    pub grains: usize,
    /// Their mass \[kg\].
    pub mass: f64,
    /// Farthest surface point \[m\].
    pub front: f64,
    /// Coordinate up to which 95 % of the mass lies \[m\].
    pub front_95: f64,
    /// Coordinate up to which half of the mass lies \[m\].
    pub front_50: f64,
    /// Centre of mass \[m\].
    pub centre: glam::DVec3,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: glam::DVec3,
    /// Mean speed of the grains, weighted by mass \[m/s\].
    pub mean_speed: f64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Share of the mass that is slower than the speed of what counts as stopped \[-\].
    pub stopped: f64,
}

impl AvalancheState {
    /// The state of `grains` along `direction`, a unit vector; slower than `speed` \[m/s\] counts as stopped. None
    /// without mass.
    pub fn of(grains: &[Grain], direction: DVec2, speed: f64) -> Option<Self> {
        let grains = counted(grains);
        let speeds = grains.iter().map(|g| (g.velocity.length(), g.mass));
        Some(AvalancheState {
            grains: grains.len(),
            mass: grains.iter().map(|g| g.mass).collect::<Sum>().value(),
            front: grains.iter().map(|g| g.reach).reduce(f64::max)?,
            front_95: front_by_mass(&grains, direction, FRONT_SHARE)?,
            front_50: front_by_mass(&grains, direction, 0.5)?,
            centre: mean_vector(&grains, |g| g.centre)?,
            velocity: mean_vector(&grains, |g| g.velocity)?,
            mean_speed: mass_mean(speeds.clone())?,
            kinetic_energy: grains.iter().map(|g| g.kinetic_energy).collect::<Sum>().value(),
            stopped: mass_mean(speeds.map(|(v, mass)| (if v < speed { 1.0 } else { 0.0 }, mass)))?,
        })
    }
}

/// Coordinate along `direction` up to which `share` of the mass lies.
fn front_by_mass(grains: &[Grain], direction: DVec2, share: f64) -> Option<f64> {
    mass_quantile(grains.iter().map(|g| (g.centre.truncate().dot(direction), g.mass)), share)
}

/// How far an avalanche ran and fell between two instants. Positive is downslope and downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runout {
    /// Way of the front of the farthest grain \[m\].
    pub farthest: f64,
    /// Way of the front of 95 % of the mass \[m\].
    pub mass_95: f64,
    /// Way of the front of half of the mass \[m\].
    pub mass_50: f64,
    /// Way of the centre of mass along the direction, and how far it fell.
    pub centre: Descent,
    /// From the top of the source to the toe: the highest point of the mass at the start, and the farthest at the end
    /// with the lowest point of its grain.
    pub whole: Descent,
}

impl Runout {
    /// Between `start` and `end`, the same grains at two instants, along `direction`, a unit vector. None without mass.
    ///
    /// The place of the highest point is that of its grain's centre. Of grains that are equally high the one farthest
    /// back counts, of grains that reach equally far the lowest.
    pub fn between(start: &[Grain], end: &[Grain], direction: DVec2) -> Option<Self> {
        let (start, end) = (counted(start), counted(end));
        let front = |grains: &[Grain]| grains.iter().map(|g| g.reach).reduce(f64::max);
        let ways = |share| Some(front_by_mass(&end, direction, share)? - front_by_mass(&start, direction, share)?);
        let fallen = mean_vector(&start, |g| g.centre)? - mean_vector(&end, |g| g.centre)?;
        let place = |g: &Grain| g.centre.truncate().dot(direction);
        let higher = |a: &&Grain, b: &&Grain| a.max.z.total_cmp(&b.max.z).then(place(b).total_cmp(&place(a)));
        let farther = |a: &&Grain, b: &&Grain| a.reach.total_cmp(&b.reach).then(b.min.z.total_cmp(&a.min.z));
        let (top, toe) = (start.iter().max_by(higher)?, end.iter().max_by(farther)?);
        Some(Runout {
            farthest: front(&end)? - front(&start)?,
            mass_95: ways(FRONT_SHARE)?,
            mass_50: ways(0.5)?,
            centre: Descent { height: fallen.z, length: -fallen.truncate().dot(direction) },
            whole: Descent { height: top.max.z - toe.min.z, length: toe.reach - place(top) },
        })
    }
}

/// A way down: H and L.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descent {
    /// Difference of heights, positive downwards \[m\].
    pub height: f64,
    /// Horizontal length along the direction \[m\].
    pub length: f64,
}

impl Descent {
    /// H/L \[-\]; none where the way does not lead along the direction, by more than rounding.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.height / self.length;
        (self.length > 0.0 && ratio.is_finite()).then_some(ratio)
    }

    /// Angle below the horizontal \[degrees\]; none where there is no ratio.
    pub fn angle_deg(&self) -> Option<f64> {
        self.ratio().map(|ratio| libm::atan(ratio).to_degrees())
    }
}

/// Speed of the front from `before` to `now`, the same grains `seconds` apart: of the farthest surface point, and of
/// the front of 95 % of the mass \[m/s\]. None without mass or time.
pub fn front_speeds(before: &[Grain], now: &[Grain], direction: DVec2, seconds: f64) -> Option<[f64; 2]> {
    let way = Runout::between(before, now, direction)?;
    let speeds = [way.farthest / seconds, way.mass_95 / seconds];
    (seconds > 0.0 && speeds.iter().all(|v| v.is_finite())).then_some(speeds)
}
