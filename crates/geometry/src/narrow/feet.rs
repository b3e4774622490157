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
/// Distance from a nearest place, over the spacing, at which the way to the middle is outside of the ground.
const BESIDE: f64 = 0.2;
/// Slope from which on the surface between columns is looked at.
const STEEP: f64 = 0.5;
/// Components of a direction below a half over this count as none.
const SIDES: f64 = 1.3;
/// Names of places are mixed with this.
const FOOT: u32 = 17;

thread_local! {
    /// Heights of columns and distances; kept so that a warm step allocates nothing.
    static OF_COLUMNS: Cell<[Vec<f64>; 2]> = const { Cell::new([Vec::new(), Vec::new()]) };
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
        let mut push_foot = |from: DVec3| {
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
        };
        let mut room = OF_COLUMNS.take();
        let columns = Columns::about(self, field.ground, margin);
        let within = self.radius + margin + ASIDE * columns.step;
        columns.for_each_low(self.middle, within, &mut room, &mut push_foot);
        // A narrow place may lead to none of the columns beside it.
        if let Some(Distance { value, outward }) = at_middle.filter(|_| !is_beside) {
            push_foot(self.middle - value * outward);
        }
        OF_COLUMNS.set(room);
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

    /// Where a column stands along x and y, at no height.
    fn place(&self, [x, y]: [usize; 2]) -> DVec3 {
        let origin = self.ground.field.bounds().min;
        let along = |axis: usize, i: usize| origin[axis] + (self.first[axis] + i as i64) as f64 * self.step;
        DVec3::new(along(0, x), along(1, y), 0.0)
    }

    /// The surface in a column or, where it is steep, half way to the columns beside it, where that is nearest to
    /// `middle`; none beyond the outline. Of a wall between two columns either is only the foot or the top.
    fn nearest(&self, [x, y]: [usize; 2], heights: &[f64], middle: DVec3) -> Option<DVec3> {
        let point = |x: usize, y: usize| {
            let is_known = x < self.count[0] && y < self.count[1];
            let height = if is_known { heights[y * self.count[0] + x] } else { f64::NEG_INFINITY };
            (height > f64::NEG_INFINITY).then(|| self.place([x, y]).with_z(height))
        };
        let own = point(x, y)?;
        let mut nearest = own;
        for [x, y] in [[x.wrapping_sub(1), y], [x + 1, y], [x, y.wrapping_sub(1)], [x, y + 1]] {
            let Some(way) = point(x, y).map(|other| other - own).filter(|way| way.z.abs() > STEEP * self.step) else {
                continue;
            };
            let share = (middle - own).dot(way) / way.length_squared();
            let at = own + share.clamp(0.0, 0.5) * way;
            if (middle - at).length_squared() < (middle - nearest).length_squared() {
                nearest = at;
            }
        }
        Some(nearest)
    }

    /// Calls `visit` with the surface in each column that is no farther than `within` from `middle`, and nearer than
    /// those around it.
    fn for_each_low(
        &self,
        middle: DVec3,
        within: f64,
        [heights, distances]: &mut [Vec<f64>; 2],
        visit: &mut impl FnMut(DVec3),
    ) {
        let [along_x, along_y] = self.count;
        heights.clear();
        heights.extend((0..along_x * along_y).map(|k| {
            let DVec3 { x, y, .. } = self.place([k % along_x, k / along_x]);
            self.ground.field.height_at(x, y).unwrap_or(f64::NEG_INFINITY)
        }));
        distances.clear();
        distances.extend((0..heights.len()).map(|k| {
            let nearest = self.nearest([k % along_x, k / along_x], heights, middle);
            nearest.map_or(f64::INFINITY, |point| (point - middle).length())
        }));
        let inner = |count: usize| 1..count.saturating_sub(1);
        for [x, y] in inner(along_y).flat_map(|y| inner(along_x).map(move |x| [x, y])) {
            let own = distances[y * along_x + x];
            let is_nearer = |(i, j): (usize, usize)| {
                let other = distances[(y + j - 1) * along_x + x + i - 1];
                // Of two alike the first.
                if (j, i) < (1, 1) { own < other } else { own <= other }
            };
            if own <= within && (0..9).all(|k| is_nearer((k % 3, k / 3))) {
                self.nearest([x, y], heights, middle).into_iter().for_each(&mut *visit);
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
        let aside = apart - apart.dot(place.normal) * place.normal;
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
    // From a place on a far flank the way to the middle leads through the ground; at the crest of a narrow one it does
    // not, though the normal may be that of either flank.
    let apart = middle - place.at;
    let beside = place.at + apart.clamp_length_max(BESIDE * ground.level_set.spacing());
    ground.level_set.contour(beside).is_some_and(|sample| sample.value > 0.0).then_some(place.at)
}
