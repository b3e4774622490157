//! Start grids: bodies in layers over a rectangle of the floor.

use granule_engine::{BodyDescription, MaterialId};
use granule_geometry::Shape;
use granule_model::{DQuat, DVec3, Pose, Velocity};

use granule_grains::Random;

use crate::graded::Graded;

/// How the layers of a grid lie over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// All alike: n x m places above each other.
    Straight,
    /// n x m and (n - 1) x (m - 1) places in turn, those of the smaller layers over the gaps of the larger.
    Staggered,
}

/// Share of a pitch by which the last column may lack room: lengths that fit exactly in decimals may miss in binary.
const ROUNDING: f64 = 1e-12;

/// Places over a rectangle of the floor, layer by layer upwards, rows along x.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) corner: [f64; 2],
    pub(crate) size: [f64; 2],
    pub(crate) pitch: [f64; 2],
    pub(crate) layer_height: f64,
    pub(crate) first_layer: f64,
    pub(crate) pattern: Pattern,
}

impl Grid {
    /// Number of places along x and y of a large layer such that everything within `reach` \[m\] of each is over the
    /// rectangle; none where the pattern has no place.
    pub(crate) fn columns(&self, reach: f64) -> Option<[usize; 2]> {
        let along = |axis: usize| {
            let free = self.size[axis] - 2.0 * reach;
            // A cast of a number too large for the type gives the largest; negative and NaN give 0.
            if free >= 0.0 { (free / self.pitch[axis] * (1.0 + ROUNDING)) as usize + 1 } else { 0 }
        };
        let columns = [along(0), along(1)];
        let fewest = if self.pattern == Pattern::Staggered { 2 } else { 1 };
        columns.iter().all(|n| (fewest..=1_000_000).contains(n)).then_some(columns)
    }

    /// Places in the layer with the given number.
    pub(crate) fn layer_size(&self, columns: [usize; 2], layer: usize) -> usize {
        let [n, m] = self.layer_columns(columns, layer);
        n * m
    }

    fn layer_columns(&self, columns: [usize; 2], layer: usize) -> [usize; 2] {
        let fewer = usize::from(self.pattern == Pattern::Staggered && layer % 2 == 1);
        columns.map(|n| n - fewer)
    }

    /// The places of all layers, without end.
    pub(crate) fn places(&self, columns: [usize; 2]) -> impl Iterator<Item = DVec3> + '_ {
        (0..).flat_map(move |layer| {
            let here = self.layer_columns(columns, layer);
            let start: [f64; 2] = std::array::from_fn(|axis| {
                self.corner[axis] + 0.5 * (self.size[axis] - (here[axis] - 1) as f64 * self.pitch[axis])
            });
            let z = self.first_layer + layer as f64 * self.layer_height;
            (0..here[0] * here[1]).map(move |i| {
                let (column, row) = ((i % here[0]) as f64, (i / here[0]) as f64);
                DVec3::new(start[0] + column * self.pitch[0], start[1] + row * self.pitch[1], z)
            })
        })
    }
}

/// Where the bodies of a fill start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Layout {
    /// All places alike.
    Even(Grid),
    /// Layers of bodies of like size.
    Graded(Graded),
}

/// A grid with what is put on its places.
pub(crate) struct Filling {
    pub(crate) layout: Layout,
    /// The body whose surface heights count from; none for the world's zero.
    pub(crate) ground: Option<BodyDescription>,
    pub(crate) name: String,
    /// Shapes of the bodies, one after the other and then from the first again; at least one.
    pub(crate) shapes: Vec<Shape>,
    pub(crate) material: MaterialId,
    pub(crate) count: usize,
    /// Each coordinate is moved by up to this either way \[m\].
    pub(crate) jitter: f64,
    pub(crate) random_orientation: bool,
    /// Common velocity \[m/s\].
    pub(crate) velocity: DVec3,
    /// Speed in a direction drawn for each body \[m/s\].
    pub(crate) random_speed: f64,
    pub(crate) seed: u64,
}

impl Filling {
    /// Largest distance of a body's surface from its place \[m\].
    pub(crate) fn reach(&self) -> f64 {
        self.shapes.iter().map(Shape::bounding_radius).fold(0.0, f64::max) + self.jitter
    }

    /// The places of the bodies, on an even grid with `columns`. Over ground each is lifted by the highest point of the
    /// ground within reach of the body, so that none starts in it however steep it is.
    ///
    /// # Errors
    /// The first place that the ground does not reach below.
    pub(crate) fn places(&self, columns: [usize; 2]) -> Result<Vec<DVec3>, DVec3> {
        let reach = self.reach();
        // A shape is asked in its body axes, which lie in its own where mass properties say.
        let pose = self.ground.as_ref().map_or(Pose::IDENTITY, |ground| {
            ground.shape.mass_properties(1.0).map_or(ground.pose, |m| ground.pose.compose(&m.principal_frame()))
        });
        let lifted = |place: DVec3| {
            let Some(ground) = &self.ground else { return Ok(place) };
            let [min, max] = [-reach, reach].map(|r| [place.x + r, place.y + r]);
            let highest = ground.shape.highest_point(&pose, min, max).ok_or(place)?;
            Ok(place + DVec3::Z * highest.z)
        };
        match &self.layout {
            Layout::Even(grid) => grid.places(columns).take(self.count).map(lifted).collect(),
            Layout::Graded(graded) => {
                let reach = |i: usize| self.shapes[i % self.shapes.len()].bounding_radius() + self.jitter;
                let reaches: Vec<f64> = (0..self.count).map(reach).collect();
                graded.places(&reaches, self.seed).into_iter().map(lifted).collect()
            }
        }
    }

    /// The bodies, on `places`. Centres of mass lie on the places, whatever the shape's own
    /// origin. For each body three numbers are drawn for the jitter, then the orientation, then the direction.
    pub(crate) fn bodies(&self, places: Vec<DVec3>) -> impl Iterator<Item = BodyDescription> + '_ {
        let mut random = Random::new(self.seed);
        places.into_iter().enumerate().map(move |(i, place)| {
            let shape = &self.shapes[i % self.shapes.len()];
            let center = shape.mass_properties(1.0).map_or(DVec3::ZERO, |m| m.center);
            let place = place + self.jitter * random.cube();
            let rotation = if self.random_orientation { random.rotation() } else { DQuat::IDENTITY };
            let linear = match self.random_speed {
                0.0 => self.velocity,
                speed => self.velocity + speed * random.direction(),
            };
            BodyDescription {
                name: if self.name.is_empty() { String::new() } else { format!("{}-{}", self.name, i + 1) },
                pose: Pose::new(place - rotation * center, rotation),
                velocity: Velocity { linear, angular: DVec3::ZERO },
                ..BodyDescription::dynamic(shape.clone(), self.material, place)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(pattern: Pattern) -> Grid {
        Grid { corner: [1.0, 2.0], size: [10.0, 7.0], pitch: [3.0, 2.0], layer_height: 1.5, first_layer: 0.5, pattern }
    }

    #[test]
    fn straight_layers_are_centred_and_alike() {
        let grid = grid(Pattern::Straight);
        let columns = grid.columns(0.5).expect("there is room");
        assert_eq!(columns, [4, 4]);
        let places: Vec<_> = grid.places(columns).take(17).collect();
        // Along x the places fill the width exactly, along y half a metre is left on either side.
        assert_eq!(places[0], DVec3::new(1.5, 2.5, 0.5));
        assert_eq!(places[15], DVec3::new(10.5, 8.5, 0.5));
        assert_eq!(places[16], DVec3::new(1.5, 2.5, 2.0));
    }

    #[test]
    fn staggered_layers_lie_over_the_gaps() {
        let grid = grid(Pattern::Staggered);
        let columns = grid.columns(0.5).expect("there is room");
        assert_eq!([grid.layer_size(columns, 0), grid.layer_size(columns, 1)], [16, 9]);
        let places: Vec<_> = grid.places(columns).take(26).collect();
        assert_eq!(places[16], DVec3::new(3.0, 3.5, 2.0));
        assert_eq!(places[25], DVec3::new(1.5, 2.5, 3.5));
    }

    #[test]
    fn a_rectangle_without_room_has_no_columns() {
        assert_eq!(grid(Pattern::Straight).columns(3.6), None);
        assert_eq!(grid(Pattern::Straight).columns(f64::INFINITY), None);
        assert_eq!(grid(Pattern::Staggered).columns(3.0), None, "one column cannot be staggered");
    }
}
