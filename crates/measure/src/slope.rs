//! The angle of repose of a surface that is a slope, and a verdict where it is none.
//!
//! [`ReposeGrid::measure`](crate::ReposeGrid::measure) fits a line to whatever lies on the floor, as Tang 2014 does.
//! Here it is first looked for where the slope begins and ends and whether it is one. Lengths are in grain diameters
//! `d`, so that dust and boulders are judged alike. Definitions, strip by strip, from the high side towards the fall:
//!
//! - **Height**: of the highest surface point over a cell about one `d` long; a bare cell is floor ([`Heights`]).
//! - **Crest**: the most downhill cell whose height is within 0.75 d of the strip's highest.
//! - **Toe**: the first cell after the crest that is at most 1.5 d high; the last cell where there is none.
//! - Both are looked for in means over three cells: single heights scatter by some 0.3 d, and choosing the cell by a
//!   height that is then fitted makes slopes steeper, at 10 degrees by 1.4 and at 5 by 3.3 degrees with one diameter
//!   and no means.
//! - **Line**: least squares through the heights over the centres of the cells from crest to toe; a strip has one from
//!   4 cells on.
//! - **Angle**: the mean over the strips, with the standard error of this mean (of the line itself where there is one
//!   strip).
//! - **Largest step**: between neighbouring cells of any strip, up or down, in `d`.
//!
//! Verdicts in the order in which they are looked for; the first that holds is told, and with any but `slope` there is
//! no angle:
//!
//! - **flowing**: the root mean square of the grains' speeds is above 0.05 sqrt(g d). A pile that slides down has the
//!   angle of repose when it is at rest.
//! - **not-flowed**: less than 5 % of the grains have come beyond where the pile ended before something was taken away
//!   ([`pile_end`]). Not judged where nothing was.
//! - **cliff**: in a quarter of the strips or more the surface drops by more than 4 d over two cell widths, which is 63
//!   degrees, or most of its fall is one step: more than half of it, and more than 1.5 d, between neighbouring cells.
//!   The second rule is for faces that end on a bed of grains; lower steps have fewer than four cells. At half of the
//!   strips 325 cubes passed whose strips had 25 to 69 degrees.
//! - **few-cells**: half of the strips or more have fewer than 4 cells from crest to toe: a level surface, a single
//!   grain, a bare floor.
//! - **bent**: the angles of the upper and the lower halves of the stretches differ by more than 15 degrees and by more
//!   than three standard errors of this difference over the strips.
//!
//! Neighbouring strips share grains where they are narrower than these: they count as so many strips as are one `d`
//! wide. The standard error over strips is that of this one surface. How far packs differ is told by other seeds only.

use serde::{Deserialize, Serialize};

use crate::fit::{FittedLine, mean_and_error};
use crate::heights::Heights;

/// How far below the highest cell of a strip its crest may lie \[d\].
const CREST_DEPTH: f64 = 0.75;
/// Height up to which a cell after the crest is the toe \[d\].
const TOE_HEIGHT: f64 = 1.5;
/// Fewest cells from crest to toe that make a line.
const FEWEST_CELLS: usize = 4;
/// Drop over two cell widths from which there is a cliff \[d\].
const CLIFF_DROP: f64 = 4.0;
/// Drop between neighbouring cells from which half of the fall is a cliff \[d\]: single grains make steps up to 1.4 d.
const STEP_DROP: f64 = 1.5;
/// Share of the fall of a strip that such a step must not exceed.
const STEP_SHARE: f64 = 0.5;
/// Speed of the grains, over sqrt(g d), above which they flow.
const FLOWING: f64 = 0.05;
/// Share of the grains that must have come beyond the end of the pile.
const FLOWED_SHARE: f64 = 0.05;
/// Difference of the angles of the halves from which a profile is bent \[degrees\].
const BENT_DEG: f64 = 15.0;
/// Standard errors by which the halves must differ.
const BENT_ERRORS: f64 = 3.0;
/// Share of the centres that the end of a pile leaves beyond it: single grains that lie apart are not the pile.
const PILE_END_SHARE: f64 = 0.01;

/// What a surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A slope, which has an angle.
    Slope,
    /// The grains are still moving.
    Flowing,
    /// The pile still stands where it was before something was taken away.
    NotFlowed,
    /// It drops steeply.
    Cliff,
    /// Its upper half is steeper or flatter than its lower half.
    Bent,
    /// There is too little of a slope to measure.
    FewCells,
}

impl Verdict {
    /// Every verdict, in the order in which they are looked for; the slope last.
    pub const ALL: [Verdict; 6] =
        [Verdict::Flowing, Verdict::NotFlowed, Verdict::Cliff, Verdict::FewCells, Verdict::Bent, Verdict::Slope];

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Slope => "slope",
            Verdict::Flowing => "flowing",
            Verdict::NotFlowed => "not-flowed",
            Verdict::Cliff => "cliff",
            Verdict::Bent => "bent",
            Verdict::FewCells => "few-cells",
        }
    }

    /// Which verdicts but the slope these names hold, with their numbers: `cliff 3, bent 2`; empty where there is none.
    pub fn tally<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
        let refusals = Self::ALL.into_iter().filter(|verdict| *verdict != Verdict::Slope);
        let counted = refusals.filter_map(|verdict| {
            let count = names.clone().filter(|name| *name == verdict.name()).count();
            (count > 0).then(|| format!("{} {count}", verdict.name()))
        });
        counted.collect::<Vec<_>>().join(", ")
    }

    /// What it says of a surface, as the end of a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Slope => "a slope",
            Verdict::Flowing => "the grains are still moving",
            Verdict::NotFlowed => "hardly a grain lies beyond where the pile ended before",
            Verdict::Cliff => "the surface drops like a cliff",
            Verdict::Bent => "the surface is bent",
            Verdict::FewCells => "too few cells between crest and toe",
        }
    }
}

/// What the grains of a surface have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Share of the grains that came beyond the end of the pile ([`share_beyond`]) \[-\]; `None` where nothing was
    /// taken away.
    pub share_beyond: Option<f64>,
    /// Root mean square of the grains' speeds over sqrt(g d) \[-\]; infinite for what moves without gravity, 0 for what
    /// is at rest.
    pub speed: f64,
}

/// One strip of the floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StripSlope {
    /// Where the stretch begins, the centre of the crest's cell \[m\] along the long side.
    pub from: f64,
    /// Where it ends, the centre of the toe's cell \[m\].
    pub to: f64,
    /// The line of the stretch; `None` for fewer than 4 cells, and in all strips where the surface is no slope.
    pub line: Option<StripLine>,
}

/// The line of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StripLine {
    /// Angle below the horizontal towards the fall \[degrees\].
    pub angle_deg: f64,
    /// Its standard error, for scatter independent from cell to cell \[degrees\].
    pub standard_error_deg: f64,
    /// Share of the scatter of heights that the line explains \[-\].
    pub r2: f64,
    /// Height of the line in the world at `from` \[m\].
    pub height_from: f64,
    /// Height of the line in the world at `to` \[m\].
    pub height_to: f64,
}

/// The angle of a slope; all angles in degrees, below the horizontal towards the fall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlopeAngle {
    /// Mean over the strips that have a line.
    pub angle_deg: f64,
    /// Standard error of this mean over the strips; that of the line where there is one strip.
    pub standard_error_deg: f64,
    /// Mean of the strips' coefficients of determination \[-\].
    pub r2: f64,
    /// Mean angle of the straight way from the surface at the crest to the one at the toe.
    pub toe_to_crest_deg: f64,
}

/// What was found of a surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slope {
    /// What it is.
    pub verdict: Verdict,
    /// Its angle; `None` unless it is a slope.
    pub angle: Option<SlopeAngle>,
    /// Where the crest is along the long side \[m\]: the mean over the strips with 4 cells or more, over all where none
    /// has.
    pub crest: f64,
    /// Where the toe is \[m\], likewise.
    pub toe: f64,
    /// Whether half of the counted strips or more end in a toe; false where the pile leans on what ends the floor.
    pub has_toe: bool,
    /// Largest difference of height between neighbouring cells of a strip \[d\].
    pub largest_step: f64,
    /// The strips in their order across the floor.
    pub strips: Vec<StripSlope>,
}

impl Slope {
    /// Judges and measures a surface of grains with this `diameter` \[m\].
    pub fn of(heights: &Heights, diameter: f64, flow: Flow) -> Slope {
        let strips: Vec<Stretch<'_>> =
            heights.strips().iter().map(|cells| Stretch::of(heights, cells, diameter)).collect();
        let verdict = judge(&strips, diameter, flow);
        let is_slope = verdict == Verdict::Slope;
        let none_has = strips.iter().all(|s| !s.has_line());
        let counted = || strips.iter().filter(move |s| none_has || s.has_line());
        let mean_place = |cell: fn(&Stretch<'_>) -> usize| {
            mean_and_error(counted().map(|s| heights.place(cell(s))).collect::<Vec<_>>().into_iter()).0
        };
        Slope {
            verdict,
            angle: is_slope.then(|| slope_angle(&strips, heights.strip_width() / diameter)).flatten(),
            crest: mean_place(|s| s.crest),
            toe: mean_place(|s| s.toe),
            has_toe: 2 * counted().filter(|s| s.ends_in_toe).count() >= counted().count(),
            largest_step: strips.iter().map(Stretch::largest_step).fold(0.0, f64::max) / diameter,
            strips: strips.iter().map(|s| s.told(is_slope)).collect(),
        }
    }
}

/// One strip from its crest to its toe.
struct Stretch<'a> {
    heights: &'a Heights,
    cells: &'a [f64],
    crest: usize,
    toe: usize,
    /// Whether the surface comes down to the height of a toe there.
    ends_in_toe: bool,
}

impl<'a> Stretch<'a> {
    fn of(heights: &'a Heights, cells: &'a [f64], diameter: f64) -> Self {
        let smooth = means_of_three(cells);
        let highest = smooth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let crest = smooth.iter().rposition(|z| *z >= highest - CREST_DEPTH * diameter).unwrap_or(0);
        let last = cells.len().saturating_sub(1);
        let low = |k: &usize| smooth[*k] <= TOE_HEIGHT * diameter;
        let toe = (crest + 1..cells.len()).find(low);
        Stretch { heights, cells, crest, toe: toe.unwrap_or(last), ends_in_toe: toe.is_some() }
    }

    fn has_line(&self) -> bool {
        self.toe + 1 >= self.crest + FEWEST_CELLS
    }

    /// The line through the cells `from` to `to`, both included; x is the way downhill.
    fn line(&self, from: usize, to: usize) -> Option<FittedLine> {
        let points: Vec<_> = (from..=to).map(|k| (self.heights.way(k), self.cells[k])).collect();
        FittedLine::through(&points)
    }

    /// The line of the stretch, where it is long enough for one.
    fn fitted(&self) -> Option<FittedLine> {
        self.has_line().then(|| self.line(self.crest, self.toe)).flatten()
    }

    /// Angle of the straight way from the surface over one cell to that over another \[degrees\].
    fn straight_deg(&self, from: usize, to: usize) -> f64 {
        let way = self.heights.way(to) - self.heights.way(from);
        libm::atan((self.cells[from] - self.cells[to]) / way).to_degrees()
    }

    /// Largest drop over two cell widths \[m\].
    fn largest_drop(&self) -> f64 {
        self.cells.windows(3).map(|w| w[0] - w[2]).fold(0.0, f64::max)
    }

    /// Whether the stretch drops like a cliff, by far or by one step.
    fn is_cliff(&self, diameter: f64) -> bool {
        self.largest_drop() > CLIFF_DROP * diameter || self.falls_by_one_step(diameter)
    }

    /// Whether most of what lies between the highest and the lowest cell of the stretch is one step between neighbours.
    fn falls_by_one_step(&self, diameter: f64) -> bool {
        let cells = &self.cells[self.crest..=self.toe];
        let drop = cells.windows(2).map(|w| w[0] - w[1]).fold(0.0, f64::max);
        let low = cells.iter().copied().fold(f64::INFINITY, f64::min);
        let high = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.has_line() && drop > STEP_DROP * diameter && drop > STEP_SHARE * (high - low)
    }

    fn largest_step(&self) -> f64 {
        self.cells.windows(2).map(|w| (w[0] - w[1]).abs()).fold(0.0, f64::max)
    }

    /// Angle of the upper half less that of the lower one \[degrees\], and its error as the scatter about the lines
    /// tells it. The cell in the middle belongs to both; a half of two cells has an unbounded error.
    fn bend(&self) -> Option<(f64, f64)> {
        if !self.has_line() {
            return None;
        }
        let cells = self.toe + 1 - self.crest;
        let half = cells.div_ceil(2);
        let part = |from: usize, to: usize| match self.line(from, to) {
            Some(line) => (line.angle_deg(), line.angle_error_deg()),
            None => (self.straight_deg(from, to), f64::INFINITY),
        };
        let (upper, lower) = (part(self.crest, self.crest + half - 1), part(self.toe + 1 - half, self.toe));
        Some((upper.0 - lower.0, libm::hypot(upper.1, lower.1)))
    }

    fn told(&self, with_line: bool) -> StripSlope {
        let (from, to) = (self.heights.place(self.crest), self.heights.place(self.toe));
        let line = self.fitted().filter(|_| with_line).map(|line| {
            let height = |k: usize| self.heights.floor() + line.height + line.slope * self.heights.way(k);
            StripLine {
                angle_deg: line.angle_deg(),
                standard_error_deg: line.angle_error_deg(),
                r2: line.r2,
                height_from: height(self.crest),
                height_to: height(self.toe),
            }
        });
        StripSlope { from, to, line }
    }
}

/// Mean of each height with its neighbours; beyond the ends of a strip the heights of its ends go on.
fn means_of_three(cells: &[f64]) -> Vec<f64> {
    let at = |k: usize| cells[k.min(cells.len() - 1)];
    (0..cells.len()).map(|k| (at(k.saturating_sub(1)) + at(k) + at(k + 1)) / 3.0).collect()
}

fn judge(strips: &[Stretch<'_>], diameter: f64, flow: Flow) -> Verdict {
    let count = |holds: fn(&Stretch<'_>, f64) -> bool| strips.iter().filter(|s| holds(s, diameter)).count();
    let cliffs = count(|s, d| s.is_cliff(d));
    if flow.speed > FLOWING || flow.speed.is_nan() {
        Verdict::Flowing
    } else if flow.share_beyond.is_some_and(|share| share < FLOWED_SHARE) {
        Verdict::NotFlowed
    } else if 4 * cliffs >= strips.len() {
        Verdict::Cliff
    } else if 2 * count(|s, _| !s.has_line()) >= strips.len() {
        Verdict::FewCells
    } else if is_bent(strips) {
        Verdict::Bent
    } else {
        Verdict::Slope
    }
}

fn is_bent(strips: &[Stretch<'_>]) -> bool {
    let bends: Vec<_> = strips.iter().filter_map(Stretch::bend).collect();
    let (bend, error) = match bends.as_slice() {
        [one] => *one,
        many => mean_and_error(many.iter().map(|b| b.0)),
    };
    bend.abs() > BENT_DEG && bend.abs() > BENT_ERRORS * error
}

/// The angle of strips that are `width` diameters wide.
fn slope_angle(strips: &[Stretch<'_>], width: f64) -> Option<SlopeAngle> {
    let lines: Vec<_> = strips.iter().filter_map(|s| Some((s, s.fitted()?))).collect();
    let (angle_deg, error) = mean_and_error(lines.iter().map(|(_, line)| line.angle_deg()));
    let standard_error_deg = match lines.as_slice() {
        [] => return None,
        [(_, line)] => line.angle_error_deg(),
        // Strips that share their grains tell no more than as many as are one diameter wide; two there are at least.
        many => error / width.clamp(2.0 / many.len() as f64, 1.0).sqrt(),
    };
    Some(SlopeAngle {
        angle_deg,
        standard_error_deg,
        r2: mean_and_error(lines.iter().map(|(_, line)| line.r2)).0,
        toe_to_crest_deg: mean_and_error(lines.iter().map(|(s, _)| s.straight_deg(s.crest, s.toe))).0,
    })
}

/// Where a pile ends downhill \[m\]: half a `diameter` \[m\] beyond the centre that has 1 % of the centres beyond it.
///
/// `centers` are coordinates that grow downhill \[m\]; `None` without any.
pub fn pile_end(centers: &[f64], diameter: f64) -> Option<f64> {
    let mut sorted = centers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let beyond = (PILE_END_SHARE * sorted.len() as f64) as usize;
    let last = sorted.len().checked_sub(1 + beyond)?;
    Some(sorted[last] + 0.5 * diameter)
}

/// Share of the `centers`, coordinates that grow downhill \[m\], beyond `end` \[-\]; 0 without any.
pub fn share_beyond(centers: &[f64], end: f64) -> f64 {
    let beyond = centers.iter().filter(|c| **c > end).count();
    if centers.is_empty() { 0.0 } else { beyond as f64 / centers.len() as f64 }
}
