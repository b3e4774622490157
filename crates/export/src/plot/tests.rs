//! Tests of all figures: what they draw, and what they refuse.

use super::*;
use crate::energy::EnergyRow;
use axes::{energy_unit, thinned, tick};

fn energy_rows() -> Vec<EnergyRow> {
    (0..3000)
        .map(|i| {
            let time = f64::from(i) * 0.01;
            let lost = 3e6 * (1.0 - (-time / 4.0).exp());
            let kinetic = 1.2e6 * (time / 3.0) * (-time / 2.0).exp();
            EnergyRow {
                time,
                kinetic,
                potential: 5e6 - lost - kinetic,
                energy_star: 5e6 - lost,
                dissipated_impact: 0.6 * lost,
                dissipated_friction: 0.3 * lost,
                dissipated_contact: 0.1 * lost,
                ..EnergyRow::default()
            }
        })
        .collect()
}

fn repose() -> ReposeFigure {
    let shape = |name: &str, top: f64, error: f64, stated| ShapeSeries {
        name: name.into(),
        points: (0..7)
            .map(|i| {
                let friction = 0.1 * f64::from(i);
                FrictionPoint {
                    friction,
                    mean: 4.0 + top * (1.0 - (-6.0 * friction).exp()),
                    error,
                    spread: 2.0 * error,
                }
            })
            .collect(),
        stated_errors: Some(stated),
        left_out: usize::from(name == "crosses"),
    };
    ReposeFigure {
        title: "Angle of repose".into(),
        spread_label: "absolute error".into(),
        source: "Tang 2014".into(),
        shapes: vec![
            shape("spheres", 10.0, 0.8, (0.0255, 0.8)),
            shape("cubes", 18.0, 2.0, (1.29, 3.17)),
            shape("crosses", 26.0, 5.0, (1.2, 12.89)),
        ],
    }
}

fn profile() -> ProfileFigure {
    let strips = (0..8)
        .map(|s| {
            let lift = 0.2 * f64::from(s % 3);
            let height = |x: f64| 10.0 - 0.24 * x;
            let points = (0..16).map(|i| 1.3 + 2.6 * f64::from(i)).map(|x| (x, (height(x) + lift).max(3.0))).collect();
            ProfileStrip { points, line: Some([(4.0, height(4.0) + lift), (29.0, height(29.0) + lift)]) }
        })
        .collect();
    ProfileFigure { title: "Profile".into(), strips, verdict: "slope: 13.5\u{b0} \u{b1} 0.7\u{b0}".into() }
}

/// Saves the figure and returns its SVG and how many different colours the PNG has.
fn save(figure: &impl Figure) -> (String, usize) {
    let folder = tempfile::tempdir().expect("folder");
    let [svg, png] = save_figure(&folder.path().join("plot.v1"), figure).expect("drawn");
    assert_eq!(svg.file_name().expect("name"), "plot.v1.svg");
    let image = image::open(png).expect("a PNG").to_rgb8();
    assert_eq!(image.dimensions(), figure.size());
    let colours: std::collections::BTreeSet<_> = image.pixels().map(|p| p.0).collect();
    (fs::read_to_string(svg).expect("text"), colours.len())
}

#[test]
fn figures_name_their_quantities_with_units_and_have_every_line() {
    let figure =
        EnergyFigure { title: "Energy".into(), rows: energy_rows(), events: vec![(6.0, "wall removed".into())] };
    let (svg, colours) = save(&figure);
    for text in ["time [s]", "energy [MJ]", "lost to friction", "E*", "wall removed at 6.00 s"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(colours > 8, "{colours}");
    let (svg, _) = save(&repose());
    for text in
        ["coefficient of friction [-]", "angle of repose [\u{b0}]", "crosses (1 run left out: no slope)", "Tang 2014"]
    {
        assert!(svg.contains(text), "{text}");
    }
    let (svg, _) = save(&profile());
    for text in ["height [m]", "13.5\u{b0} \u{b1} 0.7\u{b0}"] {
        assert!(svg.contains(text), "{text}");
    }
    let series = vec![Series { name: "one".into(), points: vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)] }];
    let lines = LineFigure { title: String::new(), x_label: "t [s]".into(), y_label: "v [m/s]".into(), series };
    assert!(save(&lines).0.contains("v [m/s]"));
}

#[test]
fn a_figure_without_a_finite_point_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("folder");
    let stem = folder.path().join("empty");
    let series = vec![Series { name: "none".into(), points: vec![(0.0, f64::NAN)] }];
    let lines = LineFigure { title: String::new(), x_label: "x".into(), y_label: "y".into(), series };
    for error in [
        save_figure(&stem, &lines).expect_err("refused"),
        save_figure(&stem, &ProfileFigure::default()).expect_err("refused"),
        save_figure(&stem, &EnergyFigure { title: "e".into(), rows: vec![], events: vec![] }).expect_err("refused"),
        save_figure(&stem, &ReposeFigure { shapes: vec![], ..repose() }).expect_err("refused"),
    ] {
        assert!(error.to_string().contains("empty.svg"), "{error}");
    }
    assert!(!folder.path().join("empty.svg").exists());
}

#[test]
fn constant_and_single_values_are_drawn() {
    let series = vec![Series { name: "flat".into(), points: vec![(1.0, 5.0)] }];
    let figure = LineFigure { title: "t".into(), x_label: "x".into(), y_label: "y".into(), series };
    save(&figure);
    save(&EnergyFigure { title: "rest".into(), rows: vec![EnergyRow::default(); 2], events: vec![] });
}

#[test]
fn thinning_keeps_ends_and_extremes() {
    let points: Vec<(f64, f64)> =
        (0..100_000).map(|i| (f64::from(i), if i == 54_321 { 9.0 } else { f64::from(i % 7) })).collect();
    let kept = thinned(&points);
    assert!(kept.len() <= 702 && kept.contains(&(54_321.0, 9.0)), "{}", kept.len());
    assert_eq!((kept[0].0, kept[kept.len() - 1].0), (0.0, 99_999.0));
    assert!(kept.windows(2).all(|w| w[0].0 < w[1].0));
}

#[test]
fn numbers_on_axes_are_short() {
    for (value, step, text) in [
        (0.30000000000000004, 0.1, "0.3"),
        (-2.0, 1.0, "\u{2212}2"),
        (-1e-17, 0.05, "0"),
        (1250.0, 250.0, "1250"),
        (0.025, 0.005, "0.025"),
    ] {
        assert_eq!(tick(value, step), text);
    }
    assert_eq!(energy_unit(3.2e6).1, "MJ");
    assert_eq!(energy_unit(0.5).1, "mJ");
}

#[test]
fn no_two_series_of_a_figure_share_a_colour() {
    let colours: Vec<_> = (0..200).map(axes::colour).collect();
    for (i, one) in colours.iter().enumerate() {
        assert!(!colours[..i].contains(one), "series {i}");
    }
    // Those that a reader must tell apart: eight strips, eight energies. Measured: 59 at least.
    let apart = |a: RGBColor, b: RGBColor| {
        let parts = [(a.0, b.0), (a.1, b.1), (a.2, b.2)];
        parts.map(|(x, y)| (f64::from(x) - f64::from(y)).powi(2)).iter().sum::<f64>().sqrt()
    };
    for (i, one) in colours[..8].iter().enumerate() {
        assert!(colours[..i].iter().all(|other| apart(*one, *other) > 50.0), "series {i}");
    }
}

/// A mound of thickness on 30 by 12 cells, with its outline as a box.
fn deposit() -> DepositFigure {
    let thickness = |i: usize| {
        let (x, y) = ((i % 30) as f64 - 14.5, (i / 30) as f64 - 5.5);
        (2.0 - 0.01 * x * x - 0.06 * y * y).max(0.0)
    };
    DepositFigure {
        title: "deposit".into(),
        cell: 2.0,
        lower_left: (100.0, -12.0),
        columns: 30,
        thickness: (0..360).map(thickness).collect(),
        outline: ("outline".into(), vec![vec![(110.0, -8.0), (150.0, -8.0), (150.0, 8.0), (110.0, -8.0)]]),
        contours: ("levels".into(), Vec::new()),
        ground: ("ground".into(), vec![vec![(100.0, 0.0), (160.0, 1.0)]]),
    }
}

#[test]
fn maps_panels_and_budgets_are_drawn_and_refuse_what_is_empty() {
    let map = deposit();
    let text = svg_text(&map).expect("drawn");
    // Legend entries of what is there, no other, and the largest thickness beside the bar: 1.9825 m.
    assert!(["outline", "ground", "1.98 m"].iter().all(|name| text.contains(name)), "{text:.500}");
    assert!(!text.contains("levels"), "lines that are not there are not named");
    assert!(DepositFigure { thickness: vec![0.0; 360], ..map.clone() }.problem().is_some());
    assert!(DepositFigure::default().problem().is_some());

    let line = |name: &str| Series { name: name.into(), points: vec![(0.0, 1.0), (1.0, 3.0), (2.0, f64::NAN)] };
    let panels = vec![("speed [m/s]".to_owned(), vec![line("front"), line("centre")])];
    let panels = PanelsFigure { title: "front".into(), x_label: "time [s]".into(), panels };
    assert!(svg_text(&panels).expect("drawn").contains("centre"));
    assert!(PanelsFigure { panels: Vec::new(), ..panels }.problem().is_some());

    let budget = BudgetFigure { title: "budget".into(), rows: energy_rows() };
    let text = svg_text(&budget).expect("drawn");
    assert!(text.contains("lost to friction") && !text.contains("drag"), "losses that are none are not named");
    assert!(BudgetFigure { rows: Vec::new(), ..budget }.problem().is_some());
}
