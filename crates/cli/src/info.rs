//! `granule info`: what a scene contains, and the time step with what to expect of it.

use std::fmt::Write;

use granule_engine::{BodySnapshot, Scales, Simulation, TIME_STEP_RULE};
use granule_model::{BodyKind, Coefficients, Material};
use granule_scene::Scene;
use serde_json::{Value, json};

use crate::args::InfoArguments;
use crate::console::{note, say};
use crate::error::{CliError, DONE};
use crate::run::{domain, domain_text, find_scene};

/// Bodies of one kind and shape.
#[derive(Debug)]
struct Group {
    kind: BodyKind,
    shape: &'static str,
    count: usize,
    /// Smallest and largest mass \[kg\]; zero for bodies without.
    mass: (f64, f64),
    total_mass: f64,
    /// Smallest and largest equal-volume radius \[m\].
    radius: (f64, f64),
}

/// Carries out `granule info`.
///
/// # Errors
/// [`CliError::Scene`] for a scene that is wrong.
pub(crate) fn command(arguments: &InfoArguments) -> Result<u8, CliError> {
    let scene = find_scene(&arguments.scene)?;
    let built = scene.build()?;
    let groups = group(&built.simulation.snapshot().bodies);
    if arguments.json {
        let facts = as_json(&scene, &built.simulation, &groups, &built.warnings);
        say(format_args!("{facts:#}"))?;
    } else {
        built.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
        say(as_text(&scene, &built.simulation, &groups))?;
    }
    Ok(DONE)
}

/// The bodies by kind and shape, in the order in which each group appears first.
fn group(bodies: &[BodySnapshot]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for body in bodies {
        let (kind, shape) = (body.kind, body.shape.name());
        let radius = body.shape.equivalent_radius();
        let range = |(low, high): (f64, f64), x: f64| (low.min(x), high.max(x));
        match groups.iter_mut().find(|g| (g.kind, g.shape) == (kind, shape)) {
            Some(g) => {
                g.count += 1;
                g.total_mass += body.mass;
                (g.mass, g.radius) = (range(g.mass, body.mass), range(g.radius, radius));
            }
            None => groups.push(Group {
                kind,
                shape,
                count: 1,
                mass: (body.mass, body.mass),
                total_mass: body.mass,
                radius: (radius, radius),
            }),
        }
    }
    groups
}

/// Materials that bodies have, with the name of the unnamed ones.
fn materials(scene: &Scene) -> impl Iterator<Item = (&str, &Material)> {
    scene.materials.iter().map(|(name, material)| (if name.is_empty() { "(inline)" } else { name.as_str() }, material))
}

fn as_text(scene: &Scene, simulation: &Simulation, groups: &[Group]) -> String {
    let mut text = format!("scene {}", scene.name);
    if !scene.title.is_empty() {
        let _ = write!(text, ": {}", scene.title);
    }
    text.push_str("\n\nbodies\n");
    for g in groups {
        let _ = write!(text, "  {:>7} {:<8} {:<12}", g.count, g.kind.name(), g.shape);
        if g.total_mass > 0.0 {
            let (mass, radius) = (range_text(g.mass), range_text(g.radius));
            let _ = write!(text, "{mass} kg each, {} kg together, equal-volume radius {radius} m", short(g.total_mass));
        }
        text.push('\n');
    }
    text.push_str("\nmaterials\n");
    for (name, m) in materials(scene) {
        let _ = writeln!(text, "  {name}: density {} kg/m3, {}", m.density, coefficients_text(&Coefficients::of(m)));
    }
    text.push_str(&pairs_text(scene));
    if let Some(domain) = domain(scene) {
        let _ = writeln!(text, "\ndomain {}", domain_text(&domain));
    }
    text.push_str(&stages_text(scene));
    text.push_str(&step_text(scene, simulation));
    text
}

/// Pairs of materials that do not follow the mixing rule, with the names of both.
fn pairs(scene: &Scene) -> impl Iterator<Item = ([&str; 2], &Coefficients)> {
    scene.pairs.iter().map(|(a, b, c)| ([a, b].map(|id| scene.materials[id.index()].0.as_str()), c))
}

fn pairs_text(scene: &Scene) -> String {
    if scene.pairs.is_empty() {
        return String::new();
    }
    let mut text = "\npairs of materials\n".to_owned();
    for ([a, b], c) in pairs(scene) {
        let _ = writeln!(text, "  {a} and {b}: {}", coefficients_text(c));
    }
    text
}

fn coefficients_text(c: &Coefficients) -> String {
    format!(
        "restitution {} (tangential {}), friction {} static {} dynamic {} rolling {} torsional, stiffness {}",
        c.restitution,
        c.tangential_restitution,
        c.static_friction,
        c.dynamic_friction,
        c.rolling_friction,
        c.torsional_friction,
        c.stiffness
    )
}

/// An object with the coefficients as further entries.
fn with_coefficients(mut told: Value, c: &Coefficients) -> Value {
    for (key, value) in [
        ("restitution", c.restitution),
        ("tangential_restitution", c.tangential_restitution),
        ("static_friction", c.static_friction),
        ("dynamic_friction", c.dynamic_friction),
        ("rolling_friction", c.rolling_friction),
        ("torsional_friction", c.torsional_friction),
        ("stiffness", c.stiffness),
    ] {
        told[key] = json!(value);
    }
    told
}

fn stages_text(scene: &Scene) -> String {
    let Ok(stages) = scene.stages() else { return "\nthe scene does not say how long it runs\n".to_owned() };
    let mut text = "\nstages\n".to_owned();
    for stage in stages {
        let until = if stage.until_rest { "until at rest, at most " } else { "" };
        let _ = write!(text, "  {}: {until}{} s", stage.name, stage.limit);
        if !stage.remove.is_empty() {
            let _ = write!(text, ", after removing {}", stage.remove.join(", "));
        }
        text.push('\n');
    }
    text
}

fn step_text(scene: &Scene, simulation: &Simulation) -> String {
    let (dt, scales) = (simulation.time_step(), simulation.scales());
    let mut text = format!("\ntime step {:.6e} s, {:.1} steps a second\n", dt, dt.recip());
    let _ = writeln!(text, "  {}", rule_text(scene, &scales));
    let _ = writeln!(text, "  decided by: {}", simulation.time_step_decided_by());
    if scales.smallest_radius.is_finite() {
        let _ = writeln!(text, "  fastest speed to expect {} m/s", short(scales.speed));
        let _ = writeln!(text, "  displacement per step over the smallest radius {:.3}", scales.displacement(dt));
        let bound = scene.settings.accuracy.overlap_bound;
        let _ = writeln!(text, "  {}", overlap_text(&scales, dt, bound));
        text.push_str(&impacts_text(simulation));
        let bound = 100.0 * bound;
        let _ = writeln!(text, "  steps in which an overlap grows beyond {bound:.1} % are divided");
    }
    text.truncate(text.trim_end().len());
    text
}

/// From which speed on impacts surely get their restitution; empty where all do or none has any.
fn impacts_text(simulation: &Simulation) -> String {
    let Some([together, two]) = resolved_speeds(simulation).filter(|[together, _]| *together > 0.0) else {
        return String::new();
    };
    let [all, few] = [together, two].map(short);
    let among =
        if few == all { String::new() } else { format!(", from {few} m/s on where no more than two that move meet") };
    format!("  impacts get their restitution from {all} m/s on{among}; slower ones may be stopped as a load is\n")
}

/// Slowest impacts that the step resolves \[m/s\]: among all bodies that can move, and among two of them; none where
/// nothing gives anything back.
fn resolved_speeds(simulation: &Simulation) -> Option<[f64; 2]> {
    let (dt, restitution) = (simulation.time_step(), simulation.least_restitution()?);
    let movable = simulation.dynamic_count();
    Some([movable, movable.min(2)].map(|movable| simulation.resolved_speed(dt, restitution, movable)))
}

/// What overlap to expect; of a given step that is too long for the bound to be kept by dividing, that it is not known.
fn overlap_text(scales: &Scales, dt: f64, bound: f64) -> String {
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let linearised = scales.linearised_overlap(dt);
    if linearised <= bound {
        return format!("overlap to expect over the smallest radius {}", percent(linearised));
    }
    let (bound, undivided) = (percent(bound), percent(linearised));
    format!(
        "overlap to expect over the smallest radius {bound} where dividing the steps suffices, up to {undivided} where it does not"
    )
}

fn rule_text(scene: &Scene, scales: &Scales) -> String {
    match scene.settings.time_step {
        Some(_) => format!("given by the scene; the rule would choose {:.6e} s", scales.time_step()),
        None => format!("chosen: {TIME_STEP_RULE}"),
    }
}

fn as_json(scene: &Scene, simulation: &Simulation, groups: &[Group], warnings: &[String]) -> Value {
    let bodies = groups.iter().map(|g| {
        json!({
            "kind": g.kind.name(), "shape": g.shape, "count": g.count,
            "mass_min": g.mass.0, "mass_max": g.mass.1, "mass_total": g.total_mass,
            "radius_min": finite(g.radius.0), "radius_max": finite(g.radius.1),
        })
    });
    let materials = materials(scene)
        .map(|(name, m)| with_coefficients(json!({ "name": name, "density": m.density }), &Coefficients::of(m)));
    let pairs = pairs(scene).map(|(names, c)| with_coefficients(json!({ "materials": names }), c));
    let stages = scene
        .stages()
        .unwrap_or_default()
        .iter()
        .map(|s| json!({ "name": s.name, "remove": s.remove, "until_rest": s.until_rest, "limit": s.limit }));
    let (dt, scales, resolved) = (simulation.time_step(), simulation.scales(), resolved_speeds(simulation));
    json!({
        "scene": scene.name,
        "title": scene.title,
        "bodies": bodies.collect::<Vec<_>>(),
        "materials": materials.collect::<Vec<_>>(),
        "pairs": pairs.collect::<Vec<_>>(),
        "stages": stages.collect::<Vec<_>>(),
        "gravity": scene.settings.gravity.to_array(),
        "domain": domain(scene),
        "time_step": dt,
        "time_step_decided_by": simulation.time_step_decided_by(),
        "time_step_given": scene.settings.time_step.is_some(),
        "time_step_by_rule": finite(scales.time_step()),
        "resolved_speed": resolved.map(|[together, _]| finite(together)),
        "resolved_speed_of_two": resolved.map(|[_, two]| finite(two)),
        "resolved_speed_asked": scene.settings.resolved_speed,
        "smallest_radius": finite(scales.smallest_radius),
        "fastest_speed": finite(scales.speed),
        "largest_acceleration": finite(scales.acceleration),
        "displacement_per_step": finite(scales.displacement(dt)),
        "expected_overlap": finite(scales.expected_overlap(dt, scene.settings.accuracy.overlap_bound)),
        "undivided_overlap": finite(scales.linearised_overlap(dt)),
        "overlap_bound": scene.settings.accuracy.overlap_bound,
        "warnings": warnings,
    })
}

/// A number that JSON can hold, or null.
fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

fn range_text((low, high): (f64, f64)) -> String {
    if low == high { short(low) } else { format!("{} to {}", short(low), short(high)) }
}

/// A number to four digits.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x:.4}") } else { format!("{x:.4e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_at_every_scale() {
        assert_eq!(short(37463.2), "37463.2000");
        assert_eq!(short(1.4e-6), "1.4000e-6");
        assert_eq!(range_text((1.0, 1.0)), "1.0000");
    }
}
