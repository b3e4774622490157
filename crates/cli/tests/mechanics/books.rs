//! The energy book of every packaged scene closes, row by row: each loss is summed where it arises.
//!
//! Measured: off by 1e-13 of what was dissipated at most, in gases that lose nothing of their energy.

#[path = "../../../scene/tests/scene/few_grains/mod.rs"]
mod few_grains;

use few_grains::with_few_grains;
use granule_scene::packaged_names;

/// Bodies times steps of a scene.
const WORK: usize = 150_000;
const MOST_STEPS: usize = 400;

#[test]
fn the_book_of_every_packaged_scene_closes() {
    let mut divided = 0;
    for name in packaged_names() {
        let scene = with_few_grains(name);
        let mut simulation = scene.build().expect("it is sound").simulation;
        let steps = (WORK / simulation.body_count()).clamp(2, MOST_STEPS);
        for _ in 0..steps {
            divided += u32::from(simulation.step().expect("the run stays finite").substeps > 1);
        }
        let last = simulation.step().expect("the run stays finite").energy;
        let audit = simulation.audit();
        let put_in = audit.driven_work + audit.field_work + audit.net_correction_work();
        let lost = audit.dissipated_impact
            + audit.dissipated_friction
            + audit.dissipated_contact
            + audit.dissipated_drag
            + audit.dissipated_sleep;
        let left = last.star - audit.start - put_in - audit.step_change - audit.scheme_change + lost;
        // Where nothing is lost, as in elastic gases, rounding of the energy itself is what is left.
        let scale = audit.dissipated.max(1e-3 * audit.start.abs());
        println!("{name}: {steps} steps, off by {:e}, {:e} by the column", left / scale, audit.imbalance / scale);
        assert!(left.abs() <= 1e-9 * scale && audit.imbalance.abs() <= 1e-9 * scale, "{name}: off by {left:e} J");
    }
    assert!(divided > 0, "no step was divided");
}
