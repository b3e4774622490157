//! `granule resolve`: one collision, no time. The contacts of a scene's bodies as they stand are resolved once by an
//! impact law.

use std::fmt::Write;

use granule_model::{BodyId, DVec3, Velocity};
use granule_scene::{BuiltScene, Scene};
use granule_solver::{ContactProblem, Law, Solution, Verdict, judge};
use serde_json::{Value, json};

use crate::args::ResolveArguments;
use crate::console::{note, say};
use crate::error::{CliError, DONE};
use crate::run::find_scene;

/// Gap up to which bodies touch, over the smaller equal-volume radius \[-\].
const TOUCH: f64 = 1e-6;

/// Carries out `granule resolve`.
///
/// # Errors
/// [`CliError`] for a scene that is wrong and for a problem that no law can work with.
pub(crate) fn command(arguments: &ResolveArguments) -> Result<u8, CliError> {
    let scene = find_scene(&arguments.scene)?;
    let BuiltScene { mut simulation, ids, warnings } = scene.build()?;
    let law = chosen(arguments.law.as_deref(), scene.settings.law);
    let problem = simulation.contact_problem(TOUCH)?;
    let labels = ids.iter().map(|id: &BodyId| simulation.label(*id)).collect::<Result<Vec<String>, _>>()?;
    let solution = law.law().resolve(&problem)?;
    if arguments.json {
        say(format_args!("{:#}", as_json(&law, &problem, &solution)))?;
    } else {
        warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
        say(as_text(&scene, &law, &problem, &solution, &labels))?;
    }
    Ok(DONE)
}

/// The law asked for: with the scene's parameters when it is the scene's, else with its own defaults.
fn chosen(name: Option<&str>, of_scene: Law) -> Law {
    let other = name.filter(|name| *name != of_scene.law().name());
    other.and_then(Law::by_name).unwrap_or(of_scene)
}

fn vector(v: DVec3) -> Value {
    json!([v.x, v.y, v.z])
}

fn as_json(law: &Law, problem: &ContactProblem, solution: &Solution) -> Value {
    let bodies = solution.velocities.iter().enumerate();
    let bodies: Vec<Value> = bodies
        .map(|(id, v)| json!({"id": id, "velocity": vector(v.linear), "angular_velocity": vector(v.angular)}))
        .collect();
    let before: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
    let resolution = &solution.resolution;
    let notes: Vec<String> = resolution.notes.iter().map(ToString::to_string).collect();
    let [before, after] = [&before, &solution.velocities].map(|v| problem.momenta(v));
    json!({
        "law": law.law().name(),
        "bodies": bodies,
        "contacts": contacts(problem, solution),
        "energy": {"before": resolution.energy_before, "after": resolution.energy_after},
        "momentum": {"before": vector(before.linear), "after": vector(after.linear)},
        "angular_momentum": {"before": vector(before.angular), "after": vector(after.angular)},
        "resolution": {
            "iterations": resolution.iterations, "rounds": resolution.rounds, "residual": resolution.residual,
            "converged": resolution.converged, "notes": notes,
        },
    })
}

fn contacts(problem: &ContactProblem, solution: &Solution) -> Vec<Value> {
    let answers = solution.impulses.iter().zip(&solution.states).zip(&solution.work_taken);
    let contact = |(c, ((p, state), work)): (&granule_solver::ProblemContact, ((&DVec3, _), &f64))| {
        let p_n = c.normal.dot(*p);
        json!({
            "a": c.a, "b": c.b, "point": vector(c.point), "normal": vector(c.normal), "normal_impulse": p_n,
            "tangential_impulse": vector(*p - c.normal * p_n), "state": state, "work_taken": work,
        })
    };
    problem.contacts.iter().zip(answers).map(contact).collect()
}

fn as_text(scene: &Scene, law: &Law, problem: &ContactProblem, solution: &Solution, labels: &[String]) -> String {
    let mut text = format!("{} resolved by {}\n", scene.name, law.law().name());
    for (label, v) in labels.iter().zip(&solution.velocities) {
        let _ = writeln!(text, "  body {label}: velocity {} m/s, angular velocity {} rad/s", v.linear, v.angular);
    }
    for ((c, p), state) in problem.contacts.iter().zip(&solution.impulses).zip(&solution.states) {
        let (a, b) = (&labels[c.a as usize], c.b.map_or("the world", |b| &labels[b as usize]));
        let p_n = c.normal.dot(*p);
        let p_t = (*p - c.normal * p_n).length();
        let _ = writeln!(text, "  contact {a} - {b}: normal impulse {p_n} N s, tangential {p_t} N s, {state}");
    }
    let r = &solution.resolution;
    let verdict: Verdict = judge(problem, solution);
    let _ = writeln!(text, "  kinetic energy {} J before, {} J after", r.energy_before, r.energy_after);
    let ended = if r.converged { "converged" } else { "NOT converged" };
    let _ = writeln!(text, "  {ended} after {} iterations, residual {:e} m/s", r.iterations, r.residual);
    let _ = writeln!(text, "  largest approach speed left {:e} m/s", verdict.approach_left);
    r.notes.iter().for_each(|n| {
        let _ = writeln!(text, "  note: {n}");
    });
    text.truncate(text.trim_end().len());
    text
}
