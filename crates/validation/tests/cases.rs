//! Every reference case passes, by itself and under a name of its own.

use granule_validation::{CASES, Outcome};

fn passes(name: &str) {
    let case = CASES.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"));
    let report = case.run();
    let failed: Vec<_> = report.lines.iter().filter(|line| !line.passed()).collect();
    assert!(report.passed(), "{name}: {:?} {failed:#?}", report.error);
    assert!(report.lines.iter().any(|line| line.outcome == Outcome::Pass), "{name} compares something");
    assert_eq!(report.plots.iter().map(|plot| plot.stem).collect::<Vec<_>>(), case.plots(), "{name}");
    for plot in &report.plots {
        let points = plot.curves.iter().flat_map(|curve| &curve.points);
        assert!(points.into_iter().filter(|p| p.0.is_finite() && p.1.is_finite()).count() > 1, "{}", plot.stem);
    }
}

macro_rules! cases {
    ($($test:ident = $name:literal,)*) => {
        $(#[test] fn $test() { passes($name); })*

        #[test]
        fn every_case_has_its_test() {
            assert_eq!(CASES.map(|case| case.name).as_slice(), &[$($name),*]);
        }
    };
}

cases! {
    rbss_binary = "rbss-binary",
    rbss_clusters = "rbss-clusters",
    rbss_irregular = "rbss-irregular",
    rbss_literal = "rbss-literal",
    rbss_linear = "rbss-linear",
    etm_single = "etm-single",
    chains = "chains",
    cradles = "cradles",
    cradle_disturbed = "cradle-disturbed",
    pool_break = "pool-break",
    four_balls = "four-balls",
    boxes = "boxes",
    boxes_frictionless = "boxes-frictionless",
    box_spin = "box-spin",
    matrix = "matrix",
    conformance = "conformance",
    stacked_spheres = "stacked-spheres",
    elastic_spheres = "elastic-spheres",
}
