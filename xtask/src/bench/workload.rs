//! The workloads: which scene, under which law, until when.

use granule_engine::Law;
use granule_scene::{Scene, SceneError, packaged};

/// Packaged scenes in which grains fall from a grid and settle; the workloads of a run without a choice.
pub(crate) const SETTLING: [&str; 4] =
    ["settle-spheres-540", "settle-spheres-10000", "settle-cubes-325", "settle-crosses-325"];
/// The packaged scene that is poured under any law: its workloads are called after it and the law.
const POURED: &str = "pour-spheres-100";
/// Name for all workloads of [`POURED`] together.
const POUR: &str = "pour";
/// Simulated time of a settling workload \[s\].
const SECONDS: f64 = 6.0;

/// When a workload ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// After so much simulated time \[s\].
    After(f64),
    /// At rest, or after so much simulated time \[s\].
    Rest(f64),
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
}

impl Workload {
    fn settling(scene: &'static str) -> Self {
        Workload { name: scene.to_owned(), scene, law: None }
    }

    fn poured(law: &'static str) -> Self {
        Workload { name: format!("{POURED}-{law}"), scene: POURED, law: Some(law) }
    }

    /// The law that the rows side by side are told apart by; none for a workload that has only one.
    pub(crate) fn law(&self) -> Option<&'static str> {
        self.law
    }

    /// The scene with its law, and when it ends.
    pub(crate) fn scene(&self) -> Result<(Scene, End), SceneError> {
        let mut scene = packaged(self.scene)?;
        let Some(law) = self.law.and_then(Law::by_name) else { return Ok((scene, End::After(SECONDS))) };
        scene.settings.law = law;
        let limit = scene.stages()?.iter().map(|stage| stage.limit).sum();
        Ok((scene, End::Rest(limit)))
    }
}

/// All workloads in the order in which they run.
fn all() -> Vec<Workload> {
    let poured = Law::NAMES.into_iter().map(Workload::poured);
    SETTLING.into_iter().map(Workload::settling).chain(poured).collect()
}

/// What may be asked for, in words.
pub(crate) fn known() -> String {
    format!("{}, {POURED}-LAW by the name of any impact law, and `{POUR}` for all of these", SETTLING.join(", "))
}

/// The workloads asked for by name or group, in their own order; the settling ones without a choice. The error is the
/// first name that is neither.
pub(crate) fn chosen(only: &[String]) -> Result<Vec<Workload>, String> {
    let workloads = all();
    if only.is_empty() {
        return Ok(workloads.into_iter().filter(|w| w.law.is_none()).collect());
    }
    let means = |name: &str, w: &Workload| name == w.name || (name == POUR && w.law.is_some());
    if let Some(unknown) = only.iter().find(|name| !workloads.iter().any(|w| means(name, w))) {
        return Err(unknown.clone());
    }
    Ok(workloads.into_iter().filter(|w| only.iter().any(|name| means(name, w))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    fn chosen_names(text: &str) -> Vec<String> {
        chosen(&names(text)).expect("known").into_iter().map(|w| w.name).collect()
    }

    #[test]
    fn workloads_are_packaged_scenes_and_others_are_refused() {
        for workload in all() {
            let (scene, end) = workload.scene().expect(&workload.name);
            match workload.law() {
                None => assert_eq!(end, End::After(6.0)),
                Some(law) => assert_eq!((scene.settings.law.law().name(), end), (law, End::Rest(20.0))),
            }
        }
        assert_eq!(chosen(&names("settle-spheres-540,pears")), Err("pears".to_owned()));
    }

    #[test]
    fn names_and_groups_choose_in_the_order_of_the_workloads() {
        assert_eq!(chosen_names("settle-crosses-325,settle-spheres-540"), ["settle-spheres-540", "settle-crosses-325"]);
        assert_eq!(
            chosen_names("pour-spheres-100-qce,pour-spheres-100-sqm"),
            ["pour-spheres-100-sqm", "pour-spheres-100-qce"]
        );
        assert_eq!(chosen_names("pour").len(), 11);
        assert_eq!(chosen_names("pour,settle-spheres-540,pour-spheres-100-etm").len(), 12);
        // Without a choice only what takes minutes and tells about the engine, not about a law.
        assert!(chosen(&[]).expect("all").iter().map(|w| w.name.as_str()).eq(SETTLING));
    }
}
