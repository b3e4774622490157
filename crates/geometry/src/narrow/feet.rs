//! Balls over ground on a grid: the places of the ground that are nearest to the middle of a ball among those around.
//!
//! Over flat and gently bent ground the distance at the middle tells the nearest place. Two cases tell nothing: a
//! middle beyond the band, of a ball that is larger than the band is wide, and one that is as near to two sides of a
//! hollow, where what is interpolated between their distances is none. So the ground under the ball is looked over in
//! columns; from those that are nearer than all around them ways along the surface lead to its nearest places.

use std::cell::Cell;

use granule_levelset::Sample;
use granule_model::{ContactPoint, DVec3};

use super::field::Field;
use super::mix;
use super::outlined::Outlined;
use crate::contour_ground::ContourGround;
use crate::distance::Distance;

/// Length of the gradient from which on a distance is that of the nearest place.
const STEADY: f64 = 0.999;
/// Cosine between the normals of two places where a ball touches ground, below which they are two.
const ONE_FOOT: f64 = 0.99;
/// Sine of the angle between the way to the middle of a ball and the normal at a place where it touches.
const AT_FOOT: f64 = 1e-4;
/// Steps to such a place, at most.
const STEPS_TO_FOOT: usize = 24;
/// Steps onto the surface, and the distance from it, over the spacing of the grid, that ends them.
const STEPS_TO_SURFACE: usize = 4;
const ON_SURFACE: f64 = 1e-6;
/// A step along the surface below this many spacings leads no nearer: at a kink.
const SHORTEST: f64 = 1e-3;
/// Columns across the radius of a ball at least, and across radius and margin at most; between, those of the grid.
const COLUMNS: [f64; 2] = [2.0, 64.0];
/// Distance of columns up to which a nearest place may lie aside of its column, on steep ground.
const ASIDE: f64 = 2.0;
/// Names of places are mixed with this.
const FOOT: u32 = 17;

thread_local! {
    /// Distances of columns; kept so that a warm step allocates nothing.
    static COLUMN_DISTANCES: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// A ball in axes of the ground, and the name of its contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) middle: DVec3,
    pub(super) radius: f64,
    pub(super) name: u32,
}

impl Ball {
    /// The contact with what is at this distance from its middle.
    fn contact(&self, Distance { value, outward }: Distance, feature: u32) -> ContactPoint {
        let gap = value - self.radius;
        let point = self.middle - (self.radius + 0.5 * gap) * outward;
        ContactPoint { point, normal: outward, gap, half_width: f64::INFINITY, feature }
    }

    /// Pushes the places of the ground within the margin. Whether these are all: where the distance at the middle is
    /// not known the rim has to be asked.
    pub(super) fn push(&self, field: &Outlined, margin: f64, out: &mut Vec<ContactPoint>) -> bool {
        if field.bound(self.middle) > margin + self.radius {
            return true;
        }
        let start = out.len();
        // A middle in the ground is led out the nearest way.
        let is_told = |(distance, slope): &(Distance, f64)| *slope >= STEADY || distance.value <= 0.0;
        let nearest = field.sloped(self.middle).filter(is_told).map(|(distance, _)| distance);
        if let Some(distance) = nearest {
            if distance.value - self.radius <= margin {
                out.push(self.contact(distance, self.name));
            }
            if distance.value - self.radius > margin || distance.value <= 0.0 {
                return true;
            }
        }
        let mut number = 0;
        let mut distances = COLUMN_DISTANCES.take();
        for_each_low(self, field.ground, margin, &mut distances, |from| {
            let looks_along = |normal: DVec3| out[start..].iter().any(|known| known.normal.dot(normal) >= ONE_FOOT);
            let Some(from) = on_surface(field.ground, from) else { return };
            if looks_along(from.normal) {
                return;
            }
            let Some(at) = foot(field.ground, self.middle, from) else { return };
            let (value, outward) = ((self.middle - at).length(), (self.middle - at).normalize_or_zero());
            if value > 0.0 && value - self.radius <= margin && !looks_along(outward) {
                out.push(self.contact(Distance { value, outward }, mix(mix(FOOT, self.name), number)));
                number += 1;
            }
        });
        COLUMN_DISTANCES.set(distances);
        nearest.is_some()
    }
}

/// Calls `visit` with the surface of the ground in each column that is nearer to the middle of the ball than those
/// around it, and may be within the margin.
fn for_each_low(
    ball: &Ball,
    ground: &ContourGround,
    margin: f64,
    distances: &mut Vec<f64>,
    mut visit: impl FnMut(DVec3),
) {
    let spacing = ground.level_set.spacing();
    // Halves and doubles of the spacing, so that columns stay where they are while the ball moves.
    let reach = ball.radius + margin;
    let [fewest, most] = [ball.radius / COLUMNS[0], reach / COLUMNS[1]].map(|step| libm::log2(step / spacing));
    let step = spacing * libm::exp2(0.0_f64.min(fewest.floor()).max(most.ceil()));
    let origin = ground.field.bounds().min;
    let [low, high] = [-reach, reach].map(|way| [0, 1].map(|axis| (ball.middle[axis] + way - origin[axis]) / step));
    // One more on either side, of which none is a place itself.
    let first = low.map(|place| place.floor() as i64 - 1);
    let count = [0, 1].map(|axis| (high[axis].ceil() as i64 + 2 - first[axis]).max(0) as usize);
    let at = |x: usize, y: usize| {
        let [x, y] = [(first[0] + x as i64) as f64 * step + origin.x, (first[1] + y as i64) as f64 * step + origin.y];
        ground.field.height_at(x, y).map(|z| DVec3::new(x, y, z))
    };
    distances.clear();
    for y in 0..count[1] {
        distances.extend((0..count[0]).map(|x| at(x, y).map_or(f64::INFINITY, |p| (p - ball.middle).length())));
    }
    let within = ball.radius + margin + ASIDE * step;
    for y in 1..count[1].saturating_sub(1) {
        for x in 1..count[0].saturating_sub(1) {
            let own = distances[y * count[0] + x];
            let is_low = |(i, j): (usize, usize)| {
                let other = distances[(y + j - 1) * count[0] + x + i - 1];
                // Of two alike the first.
                if (j, i) < (1, 1) { own < other } else { own <= other }
            };
            let around = (0..9).map(|k| (k % 3, k / 3));
            if own <= within
                && around.into_iter().all(is_low)
                && let Some(point) = at(x, y)
            {
                visit(point);
            }
        }
    }
}

/// A point of the surface with its outward normal.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: DVec3,
    normal: DVec3,
}

/// The point of the surface that the distances about `at` lead to; none beyond the outline.
fn on_surface(ground: &ContourGround, mut at: DVec3) -> Option<Place> {
    let mut normal = DVec3::Z;
    for _ in 0..STEPS_TO_SURFACE {
        let Sample { value, gradient } = ground.level_set.contour(at)?;
        at -= value * gradient;
        normal = gradient;
        if value.abs() <= ON_SURFACE * ground.level_set.spacing() {
            break;
        }
    }
    ground.is_over(at).then_some(Place { at, normal })
}

/// The point of the surface near `from` that is nearest to `middle` among those around; none where the middle is not
/// over the surface there.
fn foot(ground: &ContourGround, middle: DVec3, from: Place) -> Option<DVec3> {
    let (mut place, mut share) = (from, 1.0);
    for _ in 0..STEPS_TO_FOOT {
        let apart = middle - place.at;
        let over = apart.dot(place.normal);
        if over <= 0.0 {
            return None;
        }
        let aside = apart - over * place.normal;
        if aside.length_squared() <= AT_FOOT * AT_FOOT * apart.length_squared() {
            break;
        }
        // Where the surface bends away a step of the whole way leads too far.
        let next = on_surface(ground, place.at + share * aside);
        if let Some(next) = next.filter(|next| (middle - next.at).length_squared() < apart.length_squared()) {
            (place, share) = (next, f64::min(2.0 * share, 1.0));
        } else {
            share *= 0.5;
            if share * aside.length() < SHORTEST * ground.level_set.spacing() {
                break;
            }
        }
    }
    Some(place.at)
}
