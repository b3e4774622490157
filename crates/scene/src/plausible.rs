//! What a scene says that is allowed but hardly meant: units mixed up, a digit too many, bodies that start inside each
//! other.
//!
//! Nothing here is refused: each finding becomes one sentence with the value, the usual range and the name of what has
//! it. Several findings of one kind about one material or shape make one sentence, which counts the rest. Whether and
//! where the sentences are shown is left to the programs.

use std::fmt::Display;
use std::ops::RangeInclusive;

use granule_engine::{BodyDescription, EngineError, Motion, Simulation, StartOverlap};
use granule_model::{BodyKind, DVec3, Material};

use crate::scene::Scene;

/// Densities of what grains are made of \[kg/m3\]: from foams to osmium, which has 22 590.
const DENSITY: RangeInclusive<f64> = 10.0..=25_000.0;
/// Numbers that are the density of a solid or of water in g/cm3.
const DENSITY_IN_GRAMS: RangeInclusive<f64> = 0.5..=25.0;
/// Speed \[m/s\] above which grains shatter or melt and are not rigid.
const SPEED: f64 = 1000.0;
/// Gravity \[m/s2\]: a hundred times that of the Earth, as in a geotechnical centrifuge.
const GRAVITY: f64 = 1000.0;
/// Gravity of the Earth \[m/s2\].
const EARTH: f64 = 9.81;
/// Angle by which a floor or gravity may lean where an angle of repose is measured \[degrees\]: a few hundredths of
/// what is measured.
const LEAN: f64 = 0.5;
/// From where on a plane that leans is a wall \[degrees\].
const STEEP: f64 = 60.0;
/// Coefficients of friction: those of rough rock and rubber are below.
const FRICTION: f64 = 2.0;
/// Simulated time \[s\]: four months.
const DURATION: f64 = 1e7;
/// Steps of a run: of one body they take a quarter of an hour, of a thousand a month.
const STEPS: f64 = 1e9;
/// How much shorter and longer than by the engine's rule a given step may be.
const STEP_SHORTER: f64 = 1000.0;
const STEP_LONGER: f64 = 3.0;
/// Ratio of the largest to the smallest dynamic body.
const SIZES: f64 = 1000.0;

/// How far the surface of a grain may stand out between its nodes, over its equal-volume radius. Of 300 pebbles with
/// 500 nodes, the default, the worst has 0.050; with 150, which sink in by 0.028, it is 0.084.
const HIDDEN: f64 = 0.06;

/// The sentences about `scene`, which became `simulation` with `overlaps` at its start.
pub(crate) fn warnings(
    scene: &Scene,
    simulation: &Simulation,
    overlaps: &[StartOverlap],
) -> Result<Vec<String>, EngineError> {
    let mut found = densities(scene);
    found.extend(frictions(scene));
    found.extend(speeds(scene));
    found.extend(gravity(scene));
    found.extend(repose(scene));
    found.extend(sizes(scene));
    found.extend(nodes(scene));
    found.extend(time_step(scene, simulation));
    found.extend(run_length(scene, simulation));
    found.extend(start(simulation, overlaps)?);
    Ok(found)
}

/// One finding for each material or shape: the worst, and how many more there are.
struct Odd {
    /// The material or shape that sentences are counted by.
    group: String,
    /// What has the value.
    what: String,
    value: f64,
    others: usize,
}

/// The findings `(group, what, value)` by groups, in the order in which each group appears first; the largest value of
/// each.
fn by_group(found: impl Iterator<Item = (String, String, f64)>) -> Vec<Odd> {
    let mut list: Vec<Odd> = Vec::new();
    for (group, what, value) in found {
        match list.iter_mut().find(|odd| odd.group == group) {
            Some(odd) => {
                odd.others += 1;
                if value > odd.value {
                    (odd.what, odd.value) = (what, value);
                }
            }
            None => list.push(Odd { group, what, value, others: 0 }),
        }
    }
    list
}

/// A clause that counts the findings beside the one that is named.
fn rest(others: usize, what: &str) -> String {
    if others == 0 { String::new() } else { format!(", and so it is with {others} more {what}") }
}

/// Only where a density gives a body its mass: that of a wall has no effect.
fn densities(scene: &Scene) -> Vec<String> {
    let weighs = |i: usize| {
        let by_density = |b: &&BodyDescription| b.kind == BodyKind::Dynamic && b.mass.is_none();
        scene.bodies.iter().filter(by_density).any(|b| b.material.index() == i)
    };
    let odd = scene.materials.iter().enumerate().filter(|(i, (_, m))| !DENSITY.contains(&m.density) && weighs(*i));
    let odd = by_group(odd.map(|(_, (name, m))| (name.clone(), material_label(name), m.density)));
    let sentence = |odd: Odd| {
        let Odd { what, value, others, .. } = odd;
        let (low, high) = (short(*DENSITY.start()), short(*DENSITY.end()));
        let text = format!("`density` of {what} is {} kg/m3, usual are {low} to {high} kg/m3", short(value));
        let grams = !DENSITY.contains(&value) && DENSITY_IN_GRAMS.contains(&value);
        let hint =
            if grams { format!(": in g/cm3 it would be {} kg/m3", short(1000.0 * value)) } else { String::new() };
        format!("{text}{hint}{}", rest(others, "inline materials"))
    };
    odd.into_iter().map(sentence).collect()
}

fn material_label(name: &str) -> String {
    if name.is_empty() { "an inline material".to_owned() } else { format!("material `{name}`") }
}

fn frictions(scene: &Scene) -> Vec<String> {
    let keys = |m: &Material| {
        [
            ("static_friction", m.static_friction),
            ("rolling_friction", m.rolling_friction),
            ("torsional_friction", m.torsional_friction),
        ]
    };
    let of_materials = scene.materials.iter().flat_map(|(name, m)| {
        keys(m).map(|(key, value)| (format!("{key} {name}"), format!("`{key}` of {}", material_label(name)), value))
    });
    let of_pairs = scene.pairs.iter().flat_map(|(a, b, c)| {
        let [a, b] = [a, b].map(|id| scene.materials[id.index()].0.as_str());
        let mixed = [
            ("static_friction", c.static_friction),
            ("rolling_friction", c.rolling_friction),
            ("torsional_friction", c.torsional_friction),
        ];
        let what = move |key| format!("`{key}` of the pair of `{a}` and `{b}`");
        mixed.map(|(key, value)| (format!("{key} {a} {b}"), what(key), value))
    });
    let odd = by_group(of_materials.chain(of_pairs).filter(|(_, _, value)| *value > FRICTION));
    let sentence = |Odd { what, value, others, .. }: Odd| {
        format!("{what} is {}, usual are 0 to {FRICTION}{}", short(value), rest(others, "inline materials"))
    };
    odd.into_iter().map(sentence).collect()
}

/// Speeds at the start and those of driven bodies, by kind and shape.
fn speeds(scene: &Scene) -> Vec<String> {
    let fast = scene.bodies.iter().enumerate().filter_map(|(i, body)| {
        let (key, speed) = speed(body);
        let group = format!("{key} of {} bodies of the shape {}", body.kind.name(), body.shape.name());
        (speed > SPEED).then(|| (group, format!("`{key}` of body {}", label(scene, i)), speed))
    });
    let sentence = |Odd { what, value, others, .. }: Odd| {
        format!(
            "{what} makes {} m/s, usual are 0 to {} m/s{}",
            short(value),
            short(SPEED),
            rest(others, "bodies of its shape")
        )
    };
    by_group(fast).into_iter().map(sentence).collect()
}

/// The largest speed of a body's points by what the scene says \[m/s\], with the key that says it.
fn speed(body: &BodyDescription) -> (&'static str, f64) {
    let reach = if body.shape.is_unbounded() { 0.0 } else { body.shape.bounding_radius() };
    let (key, linear, angular) = match &body.motion {
        Some(Motion::Constant(v)) => ("motion", v.linear.length(), v.angular.length() * reach),
        Some(Motion::Sine { amplitude, frequency, .. }) => {
            ("motion", std::f64::consts::TAU * frequency * amplitude.length(), 0.0)
        }
        Some(Motion::Function(_)) => ("motion", 0.0, 0.0),
        None => ("velocity", body.velocity.linear.length(), body.velocity.angular.length() * reach),
    };
    if key == "velocity" && angular > linear { ("angular_velocity", angular) } else { (key, linear.max(angular)) }
}

fn gravity(scene: &Scene) -> Option<String> {
    let gravity = scene.settings.gravity;
    if gravity.length() > GRAVITY {
        return Some(format!("`gravity` is {} m/s2, usual are 0 to {} m/s2", short(gravity.length()), short(GRAVITY)));
    }
    let earth = short(EARTH);
    let text = || format!("`gravity` points upwards with {} m/s2, usual is -{earth} m/s2 along z", short(gravity.z));
    (gravity.z > 0.0).then(text)
}

/// What an angle of repose is measured from, where that is not the horizontal: gravity that leans, a plane below the
/// grains that does.
fn repose(scene: &Scene) -> Vec<String> {
    let (Some(plan), gravity) = (scene.measure.repose, scene.settings.gravity) else { return Vec::new() };
    let mut found = Vec::new();
    let lean = (-gravity).angle_between(DVec3::Z).to_degrees();
    if gravity == DVec3::ZERO {
        found.push("`[measure.repose]` without gravity measures no angle of repose".to_owned());
    } else if lean > LEAN {
        found.push(format!(
            "`gravity` leans by {} degrees, and `[measure.repose]` measures angles from the plane of x and y, usual are up to {LEAN} degrees",
            short(lean)
        ));
    }
    let middle = [0, 1].map(|axis| 0.5 * (plan.floor.min[axis] + plan.floor.max[axis]));
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| b.kind != BodyKind::Dynamic) {
        let planes = body.shape.half_spaces();
        let over = body.shape.highest_point(&body.pose, middle, middle).is_some();
        let leans = |(normal, _): &(DVec3, f64)| (body.pose.rotation * *normal).angle_between(DVec3::Z).to_degrees();
        let floor = planes.iter().map(leans).filter(|lean| *lean < STEEP).reduce(f64::min);
        if let Some(lean) = floor.filter(|lean| over && *lean > LEAN) {
            found.push(format!(
                "body {}, over which `[measure.repose]` measures, leans by {} degrees, and angles are measured from the plane of x and y, \
                 usual are up to {LEAN} degrees",
                label(scene, i),
                short(lean)
            ));
        }
    }
    found
}

/// One body far smaller than the others makes every step as short as its own.
fn sizes(scene: &Scene) -> Option<String> {
    let dynamic = || scene.bodies.iter().enumerate().filter(|(_, b)| b.kind == BodyKind::Dynamic);
    let radius = |b: &BodyDescription| b.shape.equivalent_radius();
    let (small, s) = dynamic().min_by(|a, b| radius(a.1).total_cmp(&radius(b.1)))?;
    let (large, l) = dynamic().max_by(|a, b| radius(a.1).total_cmp(&radius(b.1)))?;
    let ratio = radius(l) / radius(s);
    if ratio <= SIZES {
        return None;
    }
    let others = dynamic().filter(|(_, b)| radius(l) > SIZES * radius(b)).count() - 1;
    let (small, large) = (label(scene, small), label(scene, large));
    let counted = if others == 0 { String::new() } else { format!(" (and {others} more that are as small)") };
    Some(format!(
        "`shape` of body {small}{counted} has an equal-volume radius of {} m and that of body {large} one of {} m, {} : 1, \
         usual are up to {} : 1",
        short(radius(s)),
        short(radius(l)),
        short(ratio),
        short(SIZES)
    ))
}

/// What stands out between the nodes of level-set grains, which find their contacts: of few nodes, or of rough forms.
fn nodes(scene: &Scene) -> Option<String> {
    let hidden = |body: &BodyDescription| Some(body.shape.hidden_between_nodes()? / body.shape.equivalent_radius());
    let dynamic = scene.bodies.iter().enumerate().filter(|(_, b)| b.kind == BodyKind::Dynamic);
    let found: Vec<_> =
        dynamic.filter_map(|(i, b)| Some((i, hidden(b)?))).filter(|(_, share)| *share > HIDDEN).collect();
    let (worst, share) = found.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = found.len() - 1;
    let counted = if others == 0 { String::new() } else { format!(" (and {others} more above {} %)", 100.0 * HIDDEN) };
    Some(format!(
        "`nodes` of body {}{counted} leave {:.1} % of its radius standing out between them, and it may sink in by as much, \
         usual are up to {} %: give more `nodes`",
        label(scene, worst),
        100.0 * share,
        100.0 * HIDDEN
    ))
}

/// The step by the engine's rule, where there is something that it is made for \[s\].
fn rule(simulation: &Simulation) -> Option<f64> {
    let scales = simulation.scales();
    let moves = scales.acceleration > 0.0 || scales.speed > 0.0 || scales.period.is_finite();
    (scales.smallest_radius.is_finite() && moves).then(|| scales.time_step())
}

fn time_step(scene: &Scene, simulation: &Simulation) -> Option<String> {
    let (step, rule) = (scene.settings.time_step?, rule(simulation)?);
    let given = format!("`time_step` is {} s", short(step));
    if step * STEP_SHORTER < rule {
        let steps =
            run_seconds(scene).map_or(String::new(), |s| format!(": the run takes up to {} steps", short(s / step)));
        let least = short(rule / STEP_SHORTER);
        return Some(format!("{given}, usual is {} s by the engine's rule, or at least {least} s{steps}", short(rule)));
    }
    if step <= STEP_LONGER * rule {
        return None;
    }
    let (usual, most) = (short(rule), short(STEP_LONGER * rule));
    let overlap = simulation.scales().linearised_overlap(step);
    let bound = 100.0 * scene.settings.accuracy.overlap_bound;
    let expect = if 100.0 * overlap > bound {
        format!("overlaps beyond {bound:.1} % of the radius are to be expected where dividing the steps does not help")
    } else {
        format!("overlaps of {:.2} % of the radius are to be expected", 100.0 * overlap)
    };
    Some(format!("{given}, usual is {usual} s by the engine's rule, or at most {most} s: {expect}"))
}

/// Longest simulated time of the run \[s\], where the scene says one.
fn run_seconds(scene: &Scene) -> Option<f64> {
    Some(scene.stages().ok()?.iter().map(|stage| stage.limit).sum())
}

fn run_length(scene: &Scene, simulation: &Simulation) -> Option<String> {
    let seconds = run_seconds(scene)?;
    let step = simulation.time_step();
    let steps = seconds / step;
    // A step that is far too short has been told with what follows from it.
    let told = scene.settings.time_step.is_some_and(|step| rule(simulation).is_some_and(|r| step * STEP_SHORTER < r));
    let too_many = steps > STEPS && !told;
    let key = if scene.stages().ok()?.len() == 1 { "the run" } else { "the stages together" };
    let takes = format!("{} steps of {} s, usual are up to {}", short(steps), short(step), short(STEPS));
    let lasts =
        format!("`duration` or `limit` of {key} is {} s, usual are up to {} s", short(seconds), short(DURATION));
    match (seconds > DURATION, too_many) {
        (true, true) => Some(format!("{lasts}, and takes up to {takes}")),
        (true, false) => Some(lasts),
        (false, true) => {
            Some(format!("`duration` or `limit` of {key} is {} s, which takes up to {takes}", short(seconds)))
        }
        (false, false) => None,
    }
}

/// All pairs that overlap at the start in one sentence, by the pair that is deepest over its radius.
fn start(simulation: &Simulation, overlaps: &[StartOverlap]) -> Result<Option<String>, EngineError> {
    let Some(deepest) = overlaps.iter().max_by(|a, b| a.relative.total_cmp(&b.relative)) else { return Ok(None) };
    let (a, b) = (simulation.label(deepest.a)?, simulation.label(deepest.b)?);
    let (depth, percent) = (short(deepest.depth), 100.0 * deepest.relative);
    let others = overlaps.len() - 1;
    let rest = if others == 0 { String::new() } else { format!(", and {others} more pairs overlap less") };
    Ok(Some(format!(
        "bodies {a} and {b} overlap at the start by {depth} m, {percent:.1} % of the smaller radius{rest}"
    )))
}

/// A body of the scene as the engine calls it.
pub(crate) fn label(scene: &Scene, i: usize) -> String {
    let name = &scene.bodies[i].name;
    if name.is_empty() { format!("number {i} (from 0)") } else { format!("`{name}`") }
}

/// A number to four digits, with an exponent where it would be long.
fn short(x: f64) -> impl Display {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_four_digits_at_every_scale() {
        let texts = [2650.0, 2.65, 1.0 / 3.0, 1e-9, 123_456_789.0, 0.0].map(|x| short(x).to_string());
        assert_eq!(texts, ["2650", "2.65", "0.3333", "1e-9", "1.235e8", "0"]);
    }
}
