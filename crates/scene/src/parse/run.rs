//! `[run]`, `[law]`, `[drag]` and `[damping]`: how the simulation is run.

use std::ops::Range;

use granule_engine::{Accuracy, Etm, JamResponse, LEAST_SLEEP_TIME, Law, RestCriterion, Settings, Stepping};
use granule_forces::{Damping, Drag};
use granule_integrator::Integrator;
use granule_solver::{EtmWeighted, Lzb, Rbss, RbssForm};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::read::{Item, Table, shown};

const RUN: &[&str] = &[
    "duration",
    "until",
    "time_step",
    "resolved_speed",
    "gravity",
    "sleeping",
    "integrator",
    "stepping",
    "jam",
    "rest",
    "accuracy",
];
const REST: &[&str] = &["speed", "fraction", "by", "energy", "hold"];
const ACCURACY: &[&str] = &[
    "tolerance",
    "sweeps",
    "overlap_bound",
    "drift_budget",
    "drift_budget_of_step",
    "sleep_energy",
    "sleep_time",
    "wake_load",
];
const INTEGRATORS: [&str; 3] = ["symplectic-euler", "midpoint", "rk4"];
const LAWS: &[&str] = &Law::NAMES;
const ETM: &[&str] = &["lambda"];
const ETM_WEIGHTED: &[&str] = &["alpha", "beta"];
const RBSS: &[&str] = &["form"];
const LZB: &[&str] = &["eta"];
const DAMPING: &[&str] = &["linear", "angular"];
const DRAG: &[&str] = &["viscosity", "density", "drag_coefficient", "moment_coefficient"];
/// Most steps of a compression: beyond it the answer no longer changes in double precision.
const MOST_STEPS: u64 = 1_000_000;

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("run", RUN),
    ("rest", REST),
    ("accuracy", ACCURACY),
    ("law.etm", ETM),
    ("law.etm-weighted", ETM_WEIGHTED),
    ("law.rbss", RBSS),
    ("law.lzb", LZB),
    ("drag", DRAG),
    ("damping", DAMPING),
];

/// What `[run]` says.
pub(super) struct Run {
    pub(super) settings: Settings,
    pub(super) rest: RestCriterion,
    pub(super) duration: Option<f64>,
    pub(super) until_rest: bool,
    /// Where `duration` or `until` stands.
    pub(super) timed: Option<Range<usize>>,
    pub(super) span: Range<usize>,
}

pub(super) fn read(root: &Table<'_, '_>) -> Result<Run, SceneError> {
    let defaults = Settings::default();
    let Some(item) = root.get("run") else {
        let rest = RestCriterion::default();
        return Ok(Run { settings: defaults, rest, duration: None, until_rest: false, timed: None, span: root.span() });
    };
    let table = item.table("`[run]`", RUN)?;
    let integrator = |item: Item<'_, '_>| {
        let kinds = [Integrator::SymplecticEuler, Integrator::Midpoint, Integrator::RungeKutta4];
        item.one_of(&INTEGRATORS).map(|i| kinds[i])
    };
    let stepping = |item: Item<'_, '_>| {
        let kinds = [Stepping::Margin, Stepping::Event, Stepping::Touch];
        item.one_of(&["margin", "event", "touch"]).map(|i| kinds[i])
    };
    let jam = |item: Item<'_, '_>| {
        let kinds = [JamResponse::Error, JamResponse::Yield];
        item.one_of(&["error", "yield"]).map(|i| kinds[i])
    };
    let settings = Settings {
        gravity: table.or("gravity", defaults.gravity, Item::vector)?,
        time_step: table.or("time_step", None, time_step)?,
        resolved_speed: resolved_speed(&table)?,
        sleeping: table.or("sleeping", defaults.sleeping, Item::boolean)?,
        integrator: table.or("integrator", defaults.integrator, integrator)?,
        stepping: table.or("stepping", defaults.stepping, stepping)?,
        jam: table.or("jam", defaults.jam, jam)?,
        accuracy: accuracy(&table)?,
        ..defaults
    };
    let until_rest = until(&table)?;
    let duration = table.optional("duration", Item::positive)?;
    if until_rest && duration.is_none() {
        let message = "`until` needs `duration` as the longest time that it may take";
        return Err(table.require("until")?.error(Kind::MissingKey, message));
    }
    let timed = table.get("duration").or(table.get("until")).map(|i| i.span());
    Ok(Run { settings, rest: rest(&table)?, duration, until_rest, timed, span: table.span() })
}

/// A step, or none for the one that the engine chooses.
fn time_step(item: Item<'_, '_>) -> Result<Option<f64>, SceneError> {
    if item.as_text().is_some() {
        return item.one_of(&["auto"]).map(|_| None);
    }
    let step = item.positive()?;
    if step.recip().is_finite() {
        return Ok(Some(step));
    }
    Err(item.out_of_range(shown(step), "at least 1e-307 s, for so many steps a second to be a number"))
}

/// The speed of impacts that the step is to resolve; it has no say in a step that is given.
fn resolved_speed(table: &Table<'_, '_>) -> Result<Option<f64>, SceneError> {
    let Some(item) = table.get("resolved_speed") else { return Ok(None) };
    let speed = item.positive()?;
    if table.or("time_step", None, time_step)?.is_some() {
        let message = "`resolved_speed` is for the step that the engine chooses, but `time_step` gives one";
        return Err(item.error(Kind::Conflict, message).help("leave out one of both, or let `time_step` be \"auto\""));
    }
    Ok(Some(speed))
}

/// Whether the table says `until = "rest"`.
pub(super) fn until(table: &Table<'_, '_>) -> Result<bool, SceneError> {
    Ok(table.optional("until", |i| i.one_of(&["rest"]))?.is_some())
}

fn rest(table: &Table<'_, '_>) -> Result<RestCriterion, SceneError> {
    let defaults = RestCriterion::default();
    let Some(item) = table.get("rest") else { return Ok(defaults) };
    let table = item.table("`[run.rest]`", REST)?;
    Ok(RestCriterion {
        speed: table.or("speed", defaults.speed, Item::positive)?,
        fraction: table.or("fraction", defaults.fraction, |i| i.between(0.0, 1.0))?,
        by_mass: table.or("by", defaults.by_mass, |i| i.one_of(&["number", "mass"]).map(|k| k == 1))?,
        energy: table.or("energy", defaults.energy, Item::positive)?,
        hold: table.or("hold", defaults.hold, Item::not_negative)?,
    })
}

fn accuracy(table: &Table<'_, '_>) -> Result<Accuracy, SceneError> {
    let defaults = Accuracy::default();
    let Some(item) = table.get("accuracy") else { return Ok(defaults) };
    let table = item.table("`[run.accuracy]`", ACCURACY)?;
    let from_zero = |item: Item<'_, '_>| item.between(0.0, 1.0);
    Ok(Accuracy {
        tolerance: table.or("tolerance", defaults.tolerance, Item::share)?,
        sweeps: table.or("sweeps", u64::from(defaults.sweeps), |i| i.integer(20, 100_000))? as u32,
        overlap_bound: table.or("overlap_bound", defaults.overlap_bound, |i| i.between(0.004, 0.1))?,
        drift_budget: table.or("drift_budget", defaults.drift_budget, from_zero)?,
        drift_budget_of_step: table.or("drift_budget_of_step", defaults.drift_budget_of_step, from_zero)?,
        sleep_energy: table.or("sleep_energy", defaults.sleep_energy, Item::share)?,
        sleep_time: table.or("sleep_time", defaults.sleep_time, |i| i.between(LEAST_SLEEP_TIME, 1e6))?,
        wake_load: table.or("wake_load", defaults.wake_load, Item::share)?,
    })
}

pub(super) fn law(root: &Table<'_, '_>) -> Result<Law, SceneError> {
    let Some(item) = root.get("law") else { return Ok(Law::default()) };
    // Names first: a misspelt law should not be called a second one.
    item.table("`[law]`", LAWS)?;
    let (kind, value) = item.tagged("the law", LAWS)?;
    let law = Law::by_name(LAWS[kind]).expect("the names are those of the laws");
    parameters(law, value)
}

/// The law with the parameters of its table.
fn parameters(law: Law, value: Item<'_, '_>) -> Result<Law, SceneError> {
    let steps = |table: &Table<'_, '_>, key, default: u32| {
        table.or(key, u64::from(default), |i| i.integer(1, MOST_STEPS)).map(|steps| steps as u32)
    };
    Ok(match law {
        Law::Etm(law) => {
            let table = value.table("`[law.etm]`", ETM)?;
            Law::Etm(Etm { lambda: steps(&table, "lambda", law.lambda)?, ..law })
        }
        Law::EtmWeighted(law) => {
            let table = value.table("`[law.etm-weighted]`", ETM_WEIGHTED)?;
            Law::EtmWeighted(EtmWeighted {
                alpha: steps(&table, "alpha", law.alpha)?,
                beta: table.or("beta", law.beta, |i| i.between(0.0, 1.0))?,
                ..law
            })
        }
        Law::Rbss(law) => {
            let table = value.table("`[law.rbss]`", RBSS)?;
            let forms = [RbssForm::Cone, RbssForm::Literal];
            let form = table.or("form", law.form, |i| i.one_of(&["cone", "literal"]).map(|k| forms[k]))?;
            Law::Rbss(Rbss { form, ..law })
        }
        Law::Lzb(law) => {
            let table = value.table("`[law.lzb]`", LZB)?;
            Law::Lzb(Lzb { exponent: table.or("eta", law.exponent, |i| i.between(1.0, 3.0))?, ..law })
        }
        without @ (Law::Sqm(_)
        | Law::Smm(_)
        | Law::Qce(_)
        | Law::QceLcp(_)
        | Law::RbssLinear(_)
        | Law::Lcp(_)
        | Law::Gr(_)) => {
            value.table("the law's table", &[])?;
            without
        }
    })
}

pub(super) fn drag(root: &Table<'_, '_>) -> Result<Drag, SceneError> {
    let Some(item) = root.get("drag") else { return Ok(Drag::default()) };
    let table = item.table("`[drag]`", DRAG)?;
    Ok(Drag {
        viscosity: table.or("viscosity", 0.0, Item::not_negative)?,
        density: table.or("density", 0.0, Item::not_negative)?,
        drag_coefficient: table.or("drag_coefficient", 0.0, Item::not_negative)?,
        moment_coefficient: table.or("moment_coefficient", 0.0, Item::not_negative)?,
    })
}

pub(super) fn damping(root: &Table<'_, '_>) -> Result<Damping, SceneError> {
    let Some(item) = root.get("damping") else { return Ok(Damping::default()) };
    let table = item.table("`[damping]`", DAMPING)?;
    Ok(Damping {
        linear: table.or("linear", 0.0, Item::not_negative)?,
        angular: table.or("angular", 0.0, Item::not_negative)?,
    })
}
