//! Start places for bodies of many sizes: layers of bodies of like size, each as dense as its largest body allows.
//!
//! On a grid of one pitch every body takes the room of the largest. Bodies of 1:3 in diameter so start twice to three
//! times as high as they need to, and fall as deep. The order of the layers is drawn: a fill that were sorted by size
//! would stay so.

use granule_grains::Random;
use granule_model::DVec3;

/// Share of its size by which a body has more room than it needs: bodies that touch at the start would be contacts.
const ROOM: f64 = 1.01;

/// A rectangle of the floor over which layers of different pitch lie.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Graded {
    pub(crate) corner: [f64; 2],
    pub(crate) size: [f64; 2],
    /// Height below the first layer \[m\].
    pub(crate) first_layer: f64,
}

/// A layer: its bodies, the largest first, and half the room of each \[m\].
struct Layer<'a> {
    bodies: &'a [usize],
    columns: [usize; 2],
    half: f64,
}

impl Graded {
    /// Whether a body that reaches so far has room in a layer of its own \[m\].
    pub(crate) fn has_room(&self, reach: f64) -> bool {
        self.columns(ROOM * reach).iter().all(|n| *n >= 1)
    }

    /// Places of bodies that reach as far as `reaches` say \[m\], in their order; each must have room.
    pub(crate) fn places(&self, reaches: &[f64], seed: u64) -> Vec<DVec3> {
        let mut by_size: Vec<usize> = (0..reaches.len()).collect();
        by_size.sort_by(|i, j| reaches[*j].total_cmp(&reaches[*i]));
        let mut places = vec![DVec3::ZERO; reaches.len()];
        let mut height = self.first_layer;
        for Layer { bodies, columns, half } in shuffled(self.layers(&by_size, reaches), seed) {
            let pitch = [0, 1].map(|axis| self.size[axis] / columns[axis] as f64);
            for (i, body) in bodies.iter().enumerate() {
                let (column, row) = (i % columns[0], i / columns[0]);
                let along = |axis: usize, k: usize| self.corner[axis] + (k as f64 + 0.5) * pitch[axis];
                places[*body] = DVec3::new(along(0, column), along(1, row), height + half);
            }
            height += 2.0 * half;
        }
        places
    }

    /// Layers from the largest bodies to the smallest.
    fn layers<'a>(&self, mut by_size: &'a [usize], reaches: &[f64]) -> Vec<Layer<'a>> {
        let mut layers = Vec::new();
        while let Some(largest) = by_size.first() {
            let half = ROOM * reaches[*largest];
            let columns = self.columns(half).map(|n| n.max(1));
            let (bodies, left) = by_size.split_at((columns[0] * columns[1]).min(by_size.len()));
            layers.push(Layer { bodies, columns, half });
            by_size = left;
        }
        layers
    }

    fn columns(&self, half: f64) -> [usize; 2] {
        // A cast of NaN gives none.
        self.size.map(|size| (size / (2.0 * half)) as usize)
    }
}

/// In an order that is drawn (R. Durstenfeld, Communications of the ACM 7, 1964).
fn shuffled<T>(mut items: Vec<T>, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    for i in (1..items.len()).rev() {
        items.swap(i, (random.unit() * (i + 1) as f64) as usize);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(count: u32) -> Vec<f64> {
        (1..=count).map(|i| 0.05 + 0.1 * libm::fmod(f64::from(i) * 0.618_034, 1.0)).collect()
    }

    /// Bodies lie over the rectangle and apart, in far less height than on a grid of one pitch, and unsorted.
    #[test]
    fn layers_of_like_size_take_little_room() {
        let graded = Graded { corner: [1.0, -2.0], size: [1.2, 1.5], first_layer: 0.3 };
        let reaches = reaches(600);
        let places = graded.places(&reaches, 5);
        for (i, (p, reach)) in places.iter().zip(&reaches).enumerate() {
            assert!(p.x - reach >= 1.0 && p.x + reach <= 2.2 && p.y - reach >= -2.0 && p.y + reach <= -0.5, "{p}");
            assert!(p.z - reach >= 0.3);
            for (q, other) in places[..i].iter().zip(&reaches) {
                assert!((*p - *q).length() >= reach + other, "{p} {q}");
            }
        }
        let top = places.iter().map(|p| p.z).fold(0.0, f64::max);
        // One pitch of 0.3 m: 4 by 5 places a layer, 30 layers, 9 m. Measured 4.60 m.
        assert!(top <= 4.7, "{top}");
        let mean = |low: bool| {
            let half = reaches.iter().zip(&places).filter(|(_, p)| (p.z < 0.5 * top) == low);
            let (sum, count) = half.fold((0.0, 0.0), |(sum, count), (r, _)| (sum + r, count + 1.0));
            sum / count
        };
        // Sorted by size they would differ by 0.05. Measured 0.0014.
        assert!((mean(true) - mean(false)).abs() <= 0.02, "{} {}", mean(true), mean(false));
        assert_ne!(places, graded.places(&reaches, 6), "the order of layers is drawn");
        assert_eq!(places, graded.places(&reaches, 5));
    }

    #[test]
    fn what_is_wider_than_the_rectangle_has_no_room() {
        let graded = Graded { corner: [0.0; 2], size: [1.0, 0.5], first_layer: 0.0 };
        assert!(graded.has_room(0.2) && !graded.has_room(0.25) && !graded.has_room(f64::NAN));
    }
}
