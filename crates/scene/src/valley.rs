//! The terrain of the avalanche scene: a torrent valley that runs out on a plane, made from numbers.
//!
//! x points downslope. From west to east: a catchment like an amphitheatre, a valley at a steady angle with a winding
//! stream bed between ridges, and a plane, joined by an arc. Roughness is value noise from a seed; it fades towards the
//! plane, which is a plane to the last digit. Own design, after no place.

use std::f64::consts::TAU;

use crate::data_file::DataFileError;
use crate::raster::Raster;

/// What the valley is like. Lengths \[m\], angles \[deg\].
#[derive(Clone, Debug, PartialEq)]
pub struct Valley {
    /// Cells along x and y.
    pub cells: [usize; 2],
    /// Size of a cell.
    pub cell: f64,
    /// Angle of the valley's axis below the horizontal, 0 to 60 and above that of the plane.
    pub slope: f64,
    /// Angle of the plane below the horizontal, downhill along x.
    pub plane: f64,
    /// Where the valley's axis would meet the plane without the arc between them, along x.
    pub toe: f64,
    /// Radius of the arc between the valley's axis and the plane, in the vertical.
    pub arc_radius: f64,
    /// Centre of the catchment.
    pub bowl_centre: [f64; 2],
    /// Radius of the catchment's bowl in plan.
    pub bowl_radius: f64,
    /// How deep the bowl is hollowed out at its centre: its upper half gets steeper, its lower half flatter.
    pub bowl_depth: f64,
    /// Amplitudes and wavelengths of the two waves along which the stream bed winds.
    pub bends: [[f64; 2]; 2],
    /// Depth of the stream bed below the valley floor.
    pub bed_depth: f64,
    /// Half the width of the stream bed.
    pub bed_half_width: f64,
    /// Height of the ridges above the valley floor.
    pub ridge_height: f64,
    /// Distance of the stream bed at which the flanks have reached 63 % of their height, in the valley.
    pub flank_width: f64,
    /// The same in the catchment.
    pub catchment_width: f64,
    /// Length over which the ridges fade away on either side of the toe. The bed and all roughness fade over the same
    /// length above it, so that nothing is cut into the plane.
    pub fade: f64,
    /// Largest unevenness of the flanks, of all wavelengths together.
    pub roughness: f64,
    /// Distance of the places between which the longest waves vary; it is halved with each octave.
    pub roughness_length: f64,
    /// Share of the roughness that the stream bed and the bowl have.
    pub bed_roughness: f64,
    /// Seed of the roughness.
    pub seed: u64,
}

/// A stream bed of 300 m on a slope of 25 degrees that runs out on a horizontal plane.
impl Default for Valley {
    fn default() -> Self {
        Valley {
            cells: [480, 160],
            cell: 1.0,
            slope: 25.0,
            plane: 0.0,
            toe: 326.0,
            arc_radius: 80.0,
            bowl_centre: [46.0, 80.0],
            bowl_radius: 38.0,
            bowl_depth: 4.5,
            bends: [[11.0, 150.0], [4.0, 67.0]],
            bed_depth: 3.5,
            bed_half_width: 9.0,
            ridge_height: 27.0,
            flank_width: 38.0,
            catchment_width: 62.0,
            fade: 45.0,
            roughness: 6.0,
            roughness_length: 48.0,
            bed_roughness: 0.08,
            seed: 20,
        }
    }
}

/// Octaves of the roughness.
const OCTAVES: i32 = 4;
/// Amplitude of an octave over that of the one before, of twice the wavelength.
const GAIN: f64 = 0.4;
/// Heights are whole multiples of this \[m\], so that they are short in a text.
const RESOLUTION: f64 = 0.01;

impl Valley {
    /// Files of `data/terrain` and the valleys that they hold.
    pub fn packaged() -> [(&'static str, Valley); 2] {
        let flat = Valley::default();
        let slope = Valley { plane: 3.0, ..Valley::default() };
        [("valley-flat.asc", flat), ("valley-slope.asc", slope)]
    }

    /// The heights; 0 is the plane at the eastern edge.
    ///
    /// # Errors
    /// [`DataFileError`] for a grid that no raster has.
    pub fn raster(&self) -> Result<Raster, DataFileError> {
        let [columns, rows] = self.cells;
        let height = |i: usize| {
            let [x, y] = [i % columns, i / columns].map(|k| (k as f64 + 0.5) * self.cell);
            ((self.height(x, y) / RESOLUTION).round() * RESOLUTION) as f32
        };
        let heights = (0..columns.saturating_mul(rows).min(crate::raster::MOST_CELLS)).map(height).collect();
        Raster::new(self.cells, [self.cell; 2], [0.0; 2], heights)
    }

    /// Length of the stream bed in plan from the middle of the bowl to the toe \[m\].
    pub fn bed_length(&self) -> f64 {
        let (start, steps) = (self.bowl_centre[0], 1000);
        let step = (self.toe - start) / f64::from(steps);
        let lengths = (0..steps).map(|i| libm::hypot(1.0, self.bed(start + (f64::from(i) + 0.5) * step)[1]) * step);
        lengths.sum()
    }

    /// Height at a place \[m\], before rounding.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let ridges = smooth((self.toe + self.fade - x) / (2.0 * self.fade));
        let uneven_here = smooth((self.toe - x) / self.fade);
        let [middle, direction] = self.bed(x);
        let across = (y - middle) / libm::hypot(1.0, direction);
        let bowl = self.bowl(x, y);
        // The valley narrows below the catchment.
        let narrow = smooth((x - self.bowl_centre[0]) / (2.0 * self.bowl_radius));
        let width = self.catchment_width + narrow * (self.flank_width - self.catchment_width);
        let flank = 1.0 - libm::exp(-(across / width) * (across / width));
        let ridge = self.ridge_height * (1.0 + 0.25 * self.noise(x / (2.0 * self.roughness_length), y / 400.0, 90));
        let bed = self.bed_depth * hollow(across / self.bed_half_width) * narrow;
        let uneven = self.bed_roughness + (1.0 - self.bed_roughness) * flank.sqrt() * (1.0 - bowl);
        let rough = self.roughness * uneven * self.rough(x, y);
        self.profile(x) - self.bowl_depth * bowl + ridges * ridge * flank + uneven_here * (rough - bed)
    }

    /// Height of the valley's axis: a straight slope, an arc, a straight slope.
    fn profile(&self, x: f64) -> f64 {
        let [above, below] = [self.slope, self.plane].map(f64::to_radians);
        let [fall, plane] = [above, below].map(libm::tan);
        let tangent = self.arc_radius * libm::tan(0.5 * (above - below));
        let [start, end] = [self.toe - tangent * libm::cos(above), self.toe + tangent * libm::cos(below)];
        let toe = plane * (self.cells[0] as f64 * self.cell - self.toe);
        if x >= end {
            return toe - plane * (x - self.toe);
        }
        if x <= start {
            return toe + fall * (self.toe - x);
        }
        let middle = start + self.arc_radius * libm::sin(above);
        let sine = (middle - x) / self.arc_radius;
        let centre = toe + fall * (self.toe - start) + self.arc_radius * libm::cos(above);
        centre - self.arc_radius * (1.0 - sine * sine).sqrt()
    }

    /// Where the stream bed lies along y, and its slope in plan.
    fn bed(&self, x: f64) -> [f64; 2] {
        let past = (x - self.bowl_centre[0]) / (1.5 * self.bowl_radius);
        let (grown, growth) = (smooth(past), smooth_slope(past) / (1.5 * self.bowl_radius));
        let mut bed = [self.bowl_centre[1], 0.0];
        for [amplitude, wavelength] in self.bends {
            let phase = TAU * (x - self.bowl_centre[0]) / wavelength;
            let (sine, cosine) = (libm::sin(phase), libm::cos(phase));
            bed[0] += amplitude * grown * sine;
            bed[1] += amplitude * (grown * cosine * TAU / wavelength + growth * sine);
        }
        bed
    }

    /// 1 in the middle of the bowl, 0 outside, without an edge.
    fn bowl(&self, x: f64, y: f64) -> f64 {
        hollow(libm::hypot(x - self.bowl_centre[0], y - self.bowl_centre[1]) / self.bowl_radius)
    }

    /// Unevenness between -1 and 1.
    fn rough(&self, x: f64, y: f64) -> f64 {
        let (mut sum, mut weight, mut all) = (0.0, 1.0, 0.0);
        for octave in 0..OCTAVES {
            let scale = f64::from(1 << octave);
            let length = self.roughness_length / scale;
            sum += self.noise(x / length, y / length, octave as u64) * weight;
            all += weight;
            weight *= GAIN;
        }
        sum / all
    }

    /// Value noise: a number from -1 to 1 at each whole place, smoothly joined between.
    fn noise(&self, x: f64, y: f64, layer: u64) -> f64 {
        let (column, row) = (x.floor(), y.floor());
        let value = |i: f64, j: f64| {
            let [i, j] = [column + i, row + j].map(|k| (k as i64) as u64);
            let mixed = scramble(scramble(scramble(self.seed ^ layer << 32) ^ i) ^ j);
            (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (u, v) = (smooth(x - column), smooth(y - row));
        let along = |j: f64| value(0.0, j) * (1.0 - u) + value(1.0, j) * u;
        along(0.0) * (1.0 - v) + along(1.0) * v
    }
}

/// From 0 to 1 between 0 and 1, with two derivatives that vanish at both ends.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

fn smooth_slope(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    30.0 * t * t * (1.0 - t) * (1.0 - t)
}

/// 1 at 0 and 0 beyond 1 either way.
fn hollow(t: f64) -> f64 {
    let t = 1.0 - t * t;
    if t > 0.0 { t * t } else { 0.0 }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn scramble(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
