//! Balls over ground on a grid: the places of the ground that are nearest to the middle of a ball among those around.
//!
//! The distance at the middle does not tell them: none is known beyond the band, for a ball that is larger than the
//! band is wide; and where two places are as near, or bumps are no wider than cells, what is interpolated between
//! distances is none. So the ground under the ball is looked over in columns, and from those that are nearer than all
//! around them ways along the surface lead to its nearest places.

use std::cell::Cell;

use granule_levelset::Sample;
use granule_model::{ContactPoint, DVec3};

use super::field::Field;
use super::mix;
use super::outlined::Outlined;
use crate::contour_ground::ContourGround;
use crate::distance::Distance;

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
/// Components of a direction below a half over this count as none.
const SIDES: f64 = 1.3;
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

    /// Pushes the places of the ground within the margin, but for those of the rim.
    pub(super) fn push(&self, field: &Outlined, margin: f64, out: &mut Vec<ContactPoint>) {
        if field.bound(self.middle) > margin + self.radius {
            return;
        }
        let start = out.len();
        let at_middle = field.exact(self.middle);
        // Beside the ground its wall is told by the middle; one in the ground is led out the nearest way.
        let is_beside = !field.ground.is_over(self.middle);
        if let Some(distance) = at_middle.filter(|distance| is_beside || distance.value <= 0.0) {
            if distance.value - self.radius <= margin {
                out.push(self.contact(distance, self.name));
            }
            if distance.value <= 0.0 {
                return;
            }
        }
        let mut distances = COLUMN_DISTANCES.take();
        let columns = Columns::about(self, field.ground, margin);
        let within = self.radius + margin + ASIDE * columns.step;
        columns.for_each_low(self.middle, within, &mut distances, |from| {
            let looks_along = |normal: DVec3| out[start..].iter().any(|known| known.normal.dot(normal) >= ONE_FOOT);
            let Some(from) = on_surface(field.ground, from) else { return };
            let Some(at) = foot(field.ground, self.middle, from) else { return };
            let (value, outward) = ((self.middle - at).length(), (self.middle - at).normalize_or_zero());
            if value > 0.0 && value - self.radius <= margin && !looks_along(outward) {
                let names = (0..).map(|number| mix(mix(mix(FOOT, self.name), side_of(outward)), number));
                let is_free = |name: &u32| out[start..].iter().all(|known| known.feature != *name);
                let name = names.into_iter().find(is_free).unwrap_or_default();
                out.push(self.contact(Distance { value, outward }, name));
            }
        });
        COLUMN_DISTANCES.set(distances);
    }
}

/// Which of 26 sides a direction looks to: a place keeps its name while the ball rolls over it and others come and go.
fn side_of(direction: DVec3) -> u32 {
    let [x, y, z] = (SIDES * direction).round().to_array().map(|part| (part + 1.0) as u32);
    (z * 3 + y) * 3 + x
}

/// Columns of the ground about a ball, at whole multiples of a step from the first corner of the ground.
struct Columns<'a> {
    ground: &'a ContourGround,
    step: f64,
    /// The first column along x and y, and how many there are.
    first: [i64; 2],
    count: [usize; 2],
}

impl<'a> Columns<'a> {
    /// Those up to the margin about a ball, and one more on either side, of which none is a place itself.
    fn about(ball: &Ball, ground: &'a ContourGround, margin: f64) -> Self {
        let (spacing, origin, reach) = (ground.level_set.spacing(), ground.field.bounds().min, ball.radius + margin);
        // Halves and doubles of the spacing, so that columns stay where they are while the ball moves.
        let [fewest, most] = [ball.radius / COLUMNS[0], reach / COLUMNS[1]].map(|step| libm::log2(step / spacing));
        let step = spacing * libm::exp2(0.0_f64.min(fewest.floor()).max(most.ceil()));
        let [low, high] = [-reach, reach].map(|way| [0, 1].map(|axis| (ball.middle[axis] + way - origin[axis]) / step));
        let first = low.map(|place| place.floor() as i64 - 1);
        let count = [0, 1].map(|axis| (high[axis].ceil() as i64 + 2 - first[axis]).max(0) as usize);
        Columns { ground, step, first, count }
    }

    /// The surface in a column; none beyond the outline.
    fn point(&self, [x, y]: [usize; 2]) -> Option<DVec3> {
        let (origin, field) = (self.ground.field.bounds().min, &self.ground.field);
        let x = origin.x + (self.first[0] + x as i64) as f64 * self.step;
        let y = origin.y + (self.first[1] + y as i64) as f64 * self.step;
        field.height_at(x, y).map(|z| DVec3::new(x, y, z))
    }

    /// Calls `visit` with the surface in each column that is no farther than `within` from `middle`, and nearer than
    /// those around it.
    fn for_each_low(&self, middle: DVec3, within: f64, distances: &mut Vec<f64>, mut visit: impl FnMut(DVec3)) {
        let [along_x, along_y] = self.count;
        distances.clear();
        for y in 0..along_y {
            let distance = |x| self.point([x, y]).map_or(f64::INFINITY, |point| (point - middle).length());
            distances.extend((0..along_x).map(distance));
        }
        for y in 1..along_y.saturating_sub(1) {
            for x in 1..along_x.saturating_sub(1) {
                let own = distances[y * along_x + x];
                let is_nearer = |(i, j): (usize, usize)| {
                    let other = distances[(y + j - 1) * along_x + x + i - 1];
                    // Of two alike the first.
                    if (j, i) < (1, 1) { own < other } else { own <= other }
                };
                if own <= within && (0..9).all(|k| is_nearer((k % 3, k / 3))) {
                    self.point([x, y]).into_iter().for_each(&mut visit);
                }
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
        let next = at - value * gradient;
        // On the outline the surface is over or under it.
        at = if ground.is_over(next) { next } else { ground.within(next).with_z(at.z - value / gradient.z) };
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
