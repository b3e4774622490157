//! The angle of repose of a state: takes from it the surface that `granule-measure` judges, and makes figure and
//! summary of the answer.

use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_export::plot::{ProfileFigure, ProfileStrip};
use granule_export::{ReposeAngle, ReposeStrip, ReposeSummary};
use granule_measure::{Fall, Flow, Heights, LongSide, ReposeGrid, Slope, StripSlope};
use granule_model::DVec3;
use granule_scene::ReposePlan;

use super::measure::{ground_level, level_of, median_diameter, particles};

/// The surface of a state and what it is.
#[derive(Clone, Debug)]
pub struct Repose {
    /// Heights in strips of cells of one grain diameter.
    pub heights: Heights,
    /// What the surface is, and its angle.
    pub slope: Slope,
    /// The measure of Tang 2014; none when no strip of its grid has a line.
    pub tang: Option<granule_measure::ReposeAngle>,
}

impl Repose {
    /// Judges and measures a simulation, whose `snapshot` is given so that it is taken once; `pile_end` is what
    /// [`pile_end`] said before bodies were taken away, none where none were. None for a floor without area.
    pub fn of(simulation: &Simulation, snapshot: &Snapshot, plan: &ReposePlan, pile_end: Option<f64>) -> Option<Self> {
        let floor = (plan.floor.min.into(), plan.floor.max.into());
        let mut grid =
            ReposeGrid::with_cells(floor.0, floor.1, plan.long_side, plan.strips, plan.cells_per_strip).ok()?;
        offer_grains(&mut grid, snapshot);
        let tang = grid.measure(plan.fall);
        // Without grains there is no diameter: any gives the answer of a bare floor.
        let diameter = median_diameter(snapshot).unwrap_or((floor.1 - floor.0).max_element());
        let mut fine = Heights::grid(floor, plan.long_side, plan.strips, diameter).ok()?;
        offer_grains(&mut fine, snapshot);
        let heights = Heights::of_grid(&fine, floor_level(snapshot, plan), plan.fall);
        let ways = ways(snapshot, plan);
        let share_beyond = pile_end.filter(|_| !ways.is_empty()).map(|end| granule_measure::share_beyond(&ways, end));
        // A pile at rest by the scene's own criterion is one, though single grains may still roll.
        let energy = simulation.settings().gravity.length() * diameter;
        let speed = if simulation.at_rest() { 0.0 } else { speed(snapshot, plan, energy) };
        let slope = Slope::of(&heights, diameter, Flow { share_beyond, speed });
        Some(Repose { heights, slope, tang })
    }

    /// The answer for `summary.json`.
    pub fn summary(&self) -> ReposeSummary {
        let Slope { verdict, angle, crest, toe, has_toe, largest_step, strips } = &self.slope;
        ReposeSummary {
            verdict: verdict.name().to_owned(),
            angle_deg: angle.map(|a| a.angle_deg),
            standard_error_deg: angle.map(|a| a.standard_error_deg),
            r2: angle.map(|a| a.r2),
            toe_to_crest_deg: angle.map(|a| a.toe_to_crest_deg),
            toe_m: *toe,
            crest_m: *crest,
            has_toe: *has_toe,
            largest_step_diameters: *largest_step,
            strips: strips.iter().map(strip_summary).collect(),
            tang_2014: self.tang.as_ref().map(|t| ReposeAngle {
                mean: t.mean,
                min: t.min,
                max: t.max,
                absolute_error: t.absolute_error,
            }),
        }
    }

    /// The profile with its fitted lines and what it is; none for a bare floor. Without `finished` it has neither lines
    /// nor a verdict.
    pub fn figure(&self, title: String, finished: bool) -> Option<ProfileFigure> {
        let points = |cells: &Vec<f64>| -> Vec<_> {
            cells.iter().enumerate().map(|(k, z)| (self.heights.place(k), z + self.heights.floor())).collect()
        };
        let strip = |(cells, found): (&Vec<f64>, &StripSlope)| ProfileStrip {
            points: points(cells),
            line: found.line.filter(|_| finished).map(|l| [(found.from, l.height_from), (found.to, l.height_to)]),
        };
        let strips: Vec<_> = self.heights.strips().iter().zip(&self.slope.strips).map(strip).collect();
        let bare = self.heights.strips().iter().flatten().all(|z| *z == 0.0);
        let verdict = if finished { self.verdict() } else { "not finished, no angle".to_owned() };
        (!bare).then_some(ProfileFigure { title, strips, verdict })
    }

    fn verdict(&self) -> String {
        match self.slope.angle {
            Some(a) => {
                format!("slope from crest to toe: {:.1}\u{b0} \u{b1} {:.1}\u{b0}", a.angle_deg, a.standard_error_deg)
            }
            None => format!("{}, no angle: {}", self.slope.verdict.name(), self.slope.verdict.meaning()),
        }
    }
}

/// Where the pile of a state ends, as a coordinate that grows downhill \[m\]; none without grains.
pub fn pile_end(snapshot: &Snapshot, plan: &ReposePlan) -> Option<f64> {
    granule_measure::pile_end(&ways(snapshot, plan), median_diameter(snapshot)?)
}

/// The grains' centres, as coordinates that grow downhill \[m\].
fn ways(snapshot: &Snapshot, plan: &ReposePlan) -> Vec<f64> {
    let along = |p: DVec3| match plan.long_side {
        LongSide::X => p.x,
        LongSide::Y => p.y,
    };
    let downhill = match plan.fall {
        Fall::Positive => 1.0,
        Fall::Negative => -1.0,
    };
    particles(snapshot).map(|b| downhill * along(b.pose.position)).collect()
}

/// The grains whose centres lie above or below the floor that is measured.
fn over_floor<'a>(snapshot: &'a Snapshot, plan: &ReposePlan) -> impl Iterator<Item = &'a BodySnapshot> {
    let floor = plan.floor;
    let within = move |axis: usize, at: f64| (floor.min[axis]..=floor.max[axis]).contains(&at);
    particles(snapshot).filter(move |b| within(0, b.pose.position.x) && within(1, b.pose.position.y))
}

/// Root mean square of the speeds of the grains over the floor, over the root of `energy` = g d \[m2/s2\]; infinite
/// where they move without gravity.
fn speed(snapshot: &Snapshot, plan: &ReposePlan, energy: f64) -> f64 {
    let squares = || over_floor(snapshot, plan).map(|b| b.velocity.linear.length_squared());
    let (count, sum) = (squares().count(), squares().sum::<f64>());
    if sum == 0.0 { 0.0 } else { (sum / count as f64 / energy).sqrt() }
}

/// The floor's level \[m\]: as the scene gives it, or the highest point of a static or driven body over the middle of
/// the rectangle that lies below nine tenths of the grains' centres; or else 0.
fn floor_level(snapshot: &Snapshot, plan: &ReposePlan) -> f64 {
    let middle = [0, 1].map(|axis| 0.5 * (plan.floor.min[axis] + plan.floor.max[axis]));
    let lowest = level_of(over_floor(snapshot, plan));
    plan.height.or_else(|| ground_level(snapshot, middle, lowest)).unwrap_or(0.0)
}

/// Offers every cell the highest surface point of all grains above it.
fn offer_grains(grid: &mut ReposeGrid, snapshot: &Snapshot) {
    for body in particles(snapshot) {
        let bounds = body.shape.aabb(&body.pose);
        let cells: Vec<_> = grid.cells_below(bounds.min.truncate(), bounds.max.truncate()).collect();
        for cell in cells {
            let beside = bounds.min.truncate().cmpgt(cell.max).any() || bounds.max.truncate().cmplt(cell.min).any();
            if beside {
                continue;
            }
            if let Some(top) = body.shape.highest_point(&body.pose, cell.min.into(), cell.max.into()) {
                grid.offer_in(cell.index, top);
            }
        }
    }
}

fn strip_summary(strip: &StripSlope) -> ReposeStrip {
    ReposeStrip {
        angle_deg: strip.line.map(|l| l.angle_deg),
        standard_error_deg: strip.line.map(|l| l.standard_error_deg),
        r2: strip.line.map(|l| l.r2),
        from_m: strip.from,
        to_m: strip.to,
    }
}

/// What a run found, in a line for the terminal: the angle, or that there is none and why.
pub fn describe(repose: &ReposeSummary) -> String {
    if let (Some(angle), Some(error)) = (repose.angle_deg, repose.standard_error_deg) {
        let r2 = repose.r2.unwrap_or(f64::NAN);
        let toe = if repose.has_toe { "" } else { "; without a toe: the pile reaches the end of the floor" };
        return format!("{angle:.2} +- {error:.2} degrees (standard error over the strips, R2 {r2:.3}){toe}");
    }
    let known = granule_measure::Verdict::ALL.into_iter().find(|v| v.name() == repose.verdict);
    let meaning = known.map_or("the surface is no slope", granule_measure::Verdict::meaning);
    let tang = repose.tang_2014.map(|t| {
        format!("; a line through everything, as tang_2014, has {:.2} +- {:.2} degrees", t.mean, t.absolute_error)
    });
    format!("none, verdict {}: {meaning}{}", repose.verdict, tang.unwrap_or_default())
}
