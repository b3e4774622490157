//! The numbers of a whole scene that the search for contacts goes by: reductions over all bodies, in one place.
//!
//! They say how far is looked and how long a list of pairs lives, and where two bodies are seen from; none says what a
//! contact does. The length of a step, the other number of a whole scene, is chosen in `interface::step_choice`. All
//! are sums over fixed pieces ([`parallel`]), the same for any number of threads.

use granule_model::DVec3;

use crate::world::bodies::Bodies;
use crate::world::parallel;

/// Square of the mean velocity over the mean of its square beyond which bodies move together.
const TOGETHER: f64 = 0.5;

/// How most bodies move, where they move together: who lies within reach of whom is then asked relative to them. Zero
/// where they do not. Sleepers count as bodies that do not move: seen from the only one awake, in a long fall, all
/// others would fly past each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crowd {
    /// Mean velocity \[m/s\].
    pub(crate) velocity: DVec3,
    /// Mean place \[m\].
    pub(crate) place: DVec3,
}

impl Crowd {
    pub(crate) fn of(bodies: &Bodies<'_>) -> Self {
        let sums = parallel::sum(0..bodies.len(), &|range| {
            range.filter(|i| is_dynamic(bodies, *i)).fold(Sums::default(), |sum, i| {
                let (velocity, place) = (bodies.velocity[i].linear, bodies.pose[i].position);
                sum + Sums { count: 1.0, velocity, place, speed_squared: velocity.length_squared() }
            })
        });
        let mean = 1.0 / sums.count.max(1.0);
        let (velocity, place) = (sums.velocity * mean, sums.place * mean);
        if velocity.length_squared() > TOGETHER * mean * sums.speed_squared {
            Crowd { velocity, place }
        } else {
            Crowd::default()
        }
    }
}

/// Sums over bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    velocity: DVec3,
    place: DVec3,
    speed_squared: f64,
}

impl std::ops::Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Sums {
            count: self.count + other.count,
            velocity: self.velocity + other.velocity,
            place: self.place + other.place,
            speed_squared: self.speed_squared + other.speed_squared,
        }
    }
}

/// The mean `(mean R^-3)^(-1/3)` of the radii of dynamic bodies, in which the smallest weigh most \[m\].
pub(crate) fn mean_radius(bodies: &Bodies<'_>) -> f64 {
    let inverse_cube = |i: usize| 1.0 / (bodies.radius[i] * bodies.radius[i] * bodies.radius[i]);
    let (all, dynamic) = (0..bodies.len(), |i: &usize| is_dynamic(bodies, *i));
    let sum = parallel::sum(all.clone(), &|range| range.filter(dynamic).map(inverse_cube).sum::<f64>());
    let count = parallel::sum(all, &|range| range.filter(dynamic).count());
    libm::cbrt(count.max(1) as f64 / sum.max(f64::MIN_POSITIVE))
}

/// Smallest equal-volume radius of dynamic bodies \[m\]; infinite where there is none.
pub(crate) fn smallest_radius(bodies: &Bodies<'_>) -> f64 {
    (0..bodies.len()).filter(|i| is_dynamic(bodies, *i)).map(|i| bodies.radius[i]).fold(f64::INFINITY, f64::min)
}

fn is_dynamic(bodies: &Bodies<'_>, i: usize) -> bool {
    bodies.dynamic[i] && bodies.present[i]
}
