//! The cases by name: what is resolved, by which law, and against which numbers it is held.
//!
//! A case reads its reference, resolves, and gives lines and plots. Each module also has negative controls: the same
//! comparison with a wrong coefficient, a wrong law or a wrong reference must fail.

mod boxes;
mod boxes_frictionless;
mod chains;
mod disturbance;
mod etm_single;
mod matrix;
mod racks;
mod rbss;
mod rbss_forms;
mod runs;
mod spin;

use crate::conformance;
use crate::error::Found;
use crate::report::{Findings, Report};

/// A reference case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Stable name.
    pub name: &'static str,
    /// What it is and where it comes from.
    pub about: &'static str,
    run: fn() -> Found<Findings>,
}

impl Case {
    /// Runs the case; an error ends it and counts as a failure.
    pub fn run(&self) -> Report {
        let Case { name, about, run } = *self;
        match run() {
            Ok(Findings { lines, plots }) => Report { name, about, lines, plots, error: None },
            Err(error) => Report { name, about, lines: Vec::new(), plots: Vec::new(), error: Some(error) },
        }
    }

    /// The [`stem`](crate::Plot::stem)s of the plots that the case may have, known before it is run.
    pub fn plots(&self) -> &'static [&'static str] {
        match self.name {
            "etm-single" => &["etm-collision"],
            "chains" => &["three-ball-chain-a", "three-ball-chain-b", "three-ball-chain-c"],
            "cradle-disturbed" => &["cradle-disturbed"],
            "four-balls" => &["four-balls", "four-balls-paths"],
            "box-spin" => &["box-spin", "velocity-error"],
            "stacked-spheres" => &["stacked-spheres"],
            "elastic-spheres" => &["energy-error"],
            _ => &[],
        }
    }

    /// The case called `name`.
    pub fn by_name(name: &str) -> Option<Case> {
        CASES.into_iter().find(|case| case.name == name)
    }
}

const fn case(name: &'static str, about: &'static str, run: fn() -> Found<Findings>) -> Case {
    Case { name, about, run }
}

/// All cases, in the order in which they are run.
pub const CASES: [Case; 18] = [
    case("rbss-binary", "two spheres: thesis 2005, table 5.1", rbss::binary),
    case("rbss-clusters", "clusters of 2 to 8 spheres: thesis 2005, section 5.1", rbss::clusters),
    case("rbss-irregular", "irregular clusters of 6, 13 and 30 spheres, by independent code", rbss::irregular),
    case("rbss-literal", "the thesis' equations as printed, all clusters", rbss_forms::literal),
    case("rbss-linear", "RBSS with tangents held, thesis 2005, appendix A.1", rbss_forms::linear),
    case("etm-single", "ETM, one contact: Tang 2014, section 7.1, Fig. 6", etm_single::run),
    case("chains", "three balls in a chain: Zhang 2015, section 5.1, Fig. 4", chains::three_balls),
    case("cradles", "cradles and tapered chains: Zhang 2015, section 5.2", chains::cradles),
    case("cradle-disturbed", "cradle under disturbance: Zhang 2015, section 5.5, Fig. 12", disturbance::run),
    case("pool-break", "racks of 6 and 15 balls: Zhang 2015, section 5.2, Fig. 5", racks::pool),
    case("four-balls", "four balls: Zhang 2015, section 5.2, Fig. 7", runs::four_balls),
    case(
        "boxes",
        "boxes on four contacts, by SQM, SMM, ETM and weighted ETM: Tang 2014, sections 7.2 and 7.3",
        boxes::run,
    ),
    case("boxes-frictionless", "the same boxes by complementarity and compliant contacts", boxes_frictionless::run),
    case("box-spin", "spin of a box that lands flat, against lambda: Tang 2014, section 7.3, Figs. 7 and 8", spin::run),
    case("matrix", "the conformance matrix by independent code, laws without friction", matrix::run),
    case("conformance", "every law against every desideratum: Zhang 2015, table 1", conformance::run),
    case("stacked-spheres", "three stacked spheres: Tan 2024, Fig. 2", runs::stacked_spheres),
    case("elastic-spheres", "energy of 540 and 1080 elastic spheres: Tang 2014, Fig. 9", runs::elastic_spheres),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit_for_files() {
        let mut names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        assert!(names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CASES.len());
        assert!(Case::by_name("boxes").is_some() && Case::by_name("box").is_none());
    }
}
