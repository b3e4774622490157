//! Cases that need time: the engine steps. The law is a parameter everywhere.

mod circle;
mod gas;
mod stack;

use granule_solver::Law;

use crate::error::Found;
use crate::report::Findings;

pub(super) use circle::run as four_balls;
pub(super) use gas::run as elastic_spheres;
pub(super) use stack::run as stacked_spheres;

/// The findings of every law in turn.
fn by_law<T>(
    laws: &[&'static str],
    case: impl Fn(Law) -> Found<T>,
    mut take: impl FnMut(&mut Findings, &'static str, T),
) -> Found<Findings> {
    let mut findings = Findings::default();
    for name in laws {
        let law = Law::by_name(name).expect("the cases name laws that there are");
        take(&mut findings, name, case(law)?);
    }
    Ok(findings)
}
