//! The workloads: which scene, under which law, for how long.

use granule_engine::{Law, Motion};
use granule_scene::{Scene, SceneError, packaged};

use super::course::{Course, End, Removal};

/// The packaged scene that is poured under any law: its workloads are called after it and the law.
const POURED: &str = "pour-spheres-100";
/// Name for all workloads of [`POURED`] together.
const POUR: &str = "pour";

/// How long a workload runs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Length {
    /// So much simulated time \[s\], whatever the scene's stages say.
    Seconds(f64),
    /// So many periods of the floor that the scene shakes.
    Periods(f64),
    /// The scene's stages, each for so much simulated time \[s\] whether it is at rest or not.
    Stages(&'static [f64]),
    /// Until it is at rest, or for as long as the scene's stages may take.
    Rest,
}

/// Which runs have a workload that nobody asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Choice {
    /// None: it takes long.
    Named,
    /// Every one but a quick one.
    Usual,
    /// Every one.
    Quick,
}

/// A workload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Workload {
    /// Name, as in `--only` and in the rows.
    pub(crate) name: String,
    /// Packaged scene.
    scene: &'static str,
    /// The law in place of the scene's own.
    law: Option<&'static str>,
    length: Length,
    /// Length in a quick run.
    quick: Length,
    choice: Choice,
}

/// The workloads that differ in their scene, in the order in which they run: scene, choice, length, length of a quick
/// run.
const SCENES: [(&str, Choice, Length, Length); 17] = [
    ("settle-spheres-540", Choice::Quick, SETTLE, QUICK_SETTLE),
    ("settle-spheres-1080", Choice::Quick, SETTLE, QUICK_SETTLE),
    ("settle-spheres-10000", Choice::Quick, SETTLE, QUICK_SETTLE),
    ("settle-spheres-100000", Choice::Named, SETTLE, QUICK_SETTLE),
    ("settle-spheres-1000000", Choice::Named, SETTLE, QUICK_SETTLE),
    ("settle-cubes-325", Choice::Quick, SETTLE, QUICK_SETTLE),
    ("settle-cubes-3000", Choice::Usual, SETTLE, QUICK_SETTLE),
    ("settle-cubes-30000", Choice::Named, SETTLE, QUICK_SETTLE),
    ("settle-crosses-325", Choice::Quick, SETTLE, QUICK_SETTLE),
    ("settle-crosses-3000", Choice::Usual, SETTLE, QUICK_SETTLE),
    ("columns-2560", Choice::Usual, COLUMNS, QUICK_COLUMNS),
    ("columns-12800", Choice::Named, COLUMNS, QUICK_COLUMNS),
    ("columns-51200", Choice::Named, COLUMNS, QUICK_COLUMNS),
    ("repose-spheres", Choice::Quick, Length::Stages(&[6.0, 8.0]), Length::Stages(&[4.0, 2.0])),
    ("vibrated-layer-6000", Choice::Named, Length::Periods(5.0), Length::Periods(1.0)),
    ("vibrated-layer-60000", Choice::Named, Length::Periods(5.0), Length::Periods(1.0)),
    ("gas-spheres-4096", Choice::Quick, Length::Seconds(2.0), Length::Seconds(0.5)),
];
/// Grains fall from a grid, the highest for some three seconds, and settle.
const SETTLE: Length = Length::Seconds(6.0);
/// Most have landed, and hardly any is at rest.
const QUICK_SETTLE: Length = Length::Seconds(3.0);

/// Loads have come down to the base of 200 layers, and all is at rest.
const COLUMNS: Length = Length::Seconds(1.0);
const QUICK_COLUMNS: Length = Length::Seconds(0.25);

/// Workloads that are not called after their scene: the divider is taken out at a given time and not at rest.
const RENAMED: [(&str, &str); 1] = [("repose-spheres", "collapse-spheres-540")];

impl Workload {
    fn of_scene((scene, choice, length, quick): (&'static str, Choice, Length, Length)) -> Self {
        let name = RENAMED.iter().find(|(of, _)| *of == scene).map_or(scene, |(_, name)| name);
        Workload { name: name.to_owned(), scene, law: None, length, quick, choice }
    }

    fn poured(law: &'static str) -> Self {
        let (length, choice) = (Length::Rest, Choice::Named);
        Workload { name: format!("{POURED}-{law}"), scene: POURED, law: Some(law), length, quick: length, choice }
    }

    /// The law that the rows side by side are told apart by; none for a workload that has only one.
    pub(crate) fn law(&self) -> Option<&'static str> {
        self.law
    }

    /// The scene with its law, what is taken out of it, and when it ends.
    pub(crate) fn course(&self) -> Result<Course, SceneError> {
        let mut scene = packaged(self.scene)?;
        // Every step is to do all its work, as those of the engine that is compared with do.
        scene.settings.sleeping = false;
        if let Some(law) = self.law.and_then(Law::by_name) {
            scene.settings.law = law;
        }
        let floor_period = floor_period(&scene);
        let (end, removals) = match self.length {
            Length::Seconds(seconds) => (End::After(seconds), Vec::new()),
            // Without a shaken floor a period would be a second; no workload is like that.
            Length::Periods(count) => (End::After(count * floor_period.unwrap_or(1.0)), Vec::new()),
            Length::Stages(lengths) => (End::After(lengths.iter().sum()), removals(&scene, lengths)?),
            Length::Rest => (End::Rest(scene.stages()?.iter().map(|stage| stage.limit).sum()), Vec::new()),
        };
        Ok(Course { scene, end, removals, floor_period })
    }
}

/// What the stages of `scene` take out, if they take `lengths` \[s\].
fn removals(scene: &Scene, lengths: &[f64]) -> Result<Vec<Removal>, SceneError> {
    let mut begin = 0.0;
    let mut removals = Vec::new();
    for (stage, length) in scene.stages()?.iter().zip(lengths) {
        if !stage.remove.is_empty() {
            removals.push(Removal { time: begin, names: stage.remove.clone() });
        }
        begin += length;
    }
    Ok(removals)
}

/// Period of the first body that is shaken \[s\].
fn floor_period(scene: &Scene) -> Option<f64> {
    scene.bodies.iter().find_map(|body| match body.motion {
        Some(Motion::Sine { frequency, .. }) if frequency > 0.0 => Some(frequency.recip()),
        _ => None,
    })
}

/// All workloads in the order in which they run.
fn all() -> Vec<Workload> {
    let poured = Law::NAMES.into_iter().map(Workload::poured);
    SCENES.into_iter().map(Workload::of_scene).chain(poured).collect()
}

/// What may be asked for, in words.
pub(crate) fn known() -> String {
    let names: Vec<String> = all().into_iter().filter(|w| w.law.is_none()).map(|w| w.name).collect();
    format!("{}, {POURED}-LAW by the name of any impact law, and `{POUR}` for all of these", names.join(", "))
}

/// The workloads asked for by name or group, in their own order; without a choice those that take seconds to minutes. A
/// `quick` run has fewer of these and a shorter time for all. The error is the first name that is neither.
pub(crate) fn chosen(only: &[String], quick: bool) -> Result<Vec<Workload>, String> {
    let workloads = all();
    let means = |name: &str, w: &Workload| name == w.name || (name == POUR && w.law.is_some());
    if let Some(unknown) = only.iter().find(|name| !workloads.iter().any(|w| means(name, w))) {
        return Err(unknown.clone());
    }
    let least = if quick { Choice::Quick } else { Choice::Usual };
    let wanted = |w: &Workload| match only {
        [] => w.choice >= least,
        names => names.iter().any(|name| means(name, w)),
    };
    let length = |w: Workload| if quick { Workload { length: w.quick, ..w } } else { w };
    Ok(workloads.into_iter().filter(wanted).map(length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn chosen_names(text: &str, quick: bool) -> Vec<String> {
        chosen(&names(text), quick).expect("known").into_iter().map(|w| w.name).collect()
    }

    fn course(name: &str, quick: bool) -> Course {
        chosen(&names(name), quick).expect("known")[0].course().expect("a packaged scene")
    }

    #[test]
    fn workloads_are_packaged_scenes_and_others_are_refused() {
        // A million bodies are told from a hundred thousand by their number alone.
        for workload in all().into_iter().filter(|w| w.name != "settle-spheres-1000000") {
            let course = workload.course().expect(&workload.name);
            match workload.law() {
                None => assert!(matches!(course.end, End::After(seconds) if seconds > 0.0), "{}", workload.name),
                Some(law) => assert_eq!((course.scene.settings.law.law().name(), course.end), (law, End::Rest(20.0))),
            }
            assert_eq!(course.floor_period.is_some(), matches!(workload.length, Length::Periods(_)));
            assert_eq!(course.removals.is_empty(), !matches!(workload.length, Length::Stages(_)));
        }
        assert_eq!(chosen(&names("settle-spheres-540,pears"), false), Err("pears".to_owned()));
        assert_eq!(chosen(&names("repose-spheres"), true), Err("repose-spheres".to_owned()));
    }

    #[test]
    fn names_and_groups_choose_in_the_order_of_the_workloads() {
        assert_eq!(
            chosen_names("settle-crosses-325,settle-spheres-540", false),
            ["settle-spheres-540", "settle-crosses-325"]
        );
        assert_eq!(
            chosen_names("pour-spheres-100-qce,pour-spheres-100-sqm", false),
            ["pour-spheres-100-sqm", "pour-spheres-100-qce"]
        );
        assert_eq!(chosen_names("pour", false).len(), 11);
        assert_eq!(chosen_names("pour,settle-spheres-540,pour-spheres-100-etm", true).len(), 12);
    }

    #[test]
    fn without_a_choice_nothing_runs_that_takes_long() {
        let usual = chosen_names("", false);
        let quick = chosen_names("", true);
        assert!(usual.iter().any(|name| name == "settle-spheres-10000"));
        for long in ["settle-spheres-100000", "settle-spheres-1000000", "settle-cubes-30000", "columns-51200"] {
            assert!(!usual.iter().any(|name| name == long), "{long}");
            assert_eq!(chosen_names(long, true), [long]);
        }
        assert!(usual.iter().all(|name| !name.starts_with("pour")));
        assert!(quick.len() < usual.len() && quick.iter().all(|name| usual.contains(name)), "{quick:?}");
    }

    #[test]
    fn a_quick_run_is_shorter() {
        for workload in all().into_iter().filter(|w| w.law.is_none() && w.name != "settle-spheres-1000000") {
            let seconds = |quick| match course(&workload.name, quick).end {
                End::After(seconds) | End::Rest(seconds) => seconds,
            };
            assert!(seconds(true) < seconds(false), "{}", workload.name);
        }
    }

    #[test]
    fn the_collapse_loses_its_divider_at_a_given_time() {
        let collapse = course("collapse-spheres-540", false);
        assert_eq!(collapse.removals, [Removal { time: 6.0, names: vec!["wall".to_owned()] }]);
        assert_eq!(collapse.end, End::After(14.0));
        assert_eq!(course("collapse-spheres-540", true).removals[0].time, 4.0);
    }

    #[test]
    fn a_shaken_floor_gives_the_length_of_its_periods() {
        let layer = course("vibrated-layer-6000", false);
        let period = layer.floor_period.expect("the floor is shaken");
        assert!((period * 25.2 - 1.0).abs() <= 1e-15);
        assert_eq!(layer.end, End::After(5.0 * period));
    }
}
