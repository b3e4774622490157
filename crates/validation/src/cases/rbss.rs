//! RBSS, cone form: table 5.1 of the thesis, its clusters, irregular clusters.

use granule_model::{DMat3, DVec3, Velocity};
use granule_solver::rbss::residual;
use granule_solver::{ContactProblem, ImpactLaw, Rbss, RbssForm, RbssLinear, Solution, judge};

use crate::compare::{Worst, difference, largest, resolve};
use crate::error::{Found, present};
use crate::reference::thesis::{Answer, Cluster, Thesis};
use crate::report::{Findings, Line};

/// Table 5.1 as printed: normal and tangential impulse of the binary collisions 1 to 4 \[N s\].
const TABLE_5_1: [[f64; 2]; 4] = [
    [1.3805333130, 0.2070799969],
    [1.3334927811, 0.2000239172],
    [1.1955769198, 0.1793365380],
    [0.9761844673, 0.1464276701],
];

/// Relative tolerance of the table: half a unit of its last digit is 5e-10 of the smallest impulse.
const DIGITS: f64 = 1e-9;

pub(super) fn form(form: RbssForm) -> Rbss {
    Rbss { form, ..Rbss::default() }
}

pub(super) fn binary() -> Found<Findings> {
    Ok(binary_lines(&Thesis::load()?, &TABLE_5_1)?.into())
}

fn binary_lines(thesis: &Thesis, printed: &[[f64; 2]]) -> Found<Vec<Line>> {
    let (cone, literal, linear) = (form(RbssForm::Cone), form(RbssForm::Literal), RbssLinear::default());
    let laws: [(&str, &dyn ImpactLaw); 3] = [("cone", &cone), ("literal", &literal), ("linear", &linear)];
    let mut lines = Vec::new();
    for (i, printed) in printed.iter().enumerate() {
        let case = thesis.cluster(&format!("binary_{}", i + 1))?;
        let table = present(case.thesis_table_5_1, format!("table 5.1 of {}", case.name))?;
        let problem = case.problem();
        for (name, law) in laws {
            let [normal, tangential] = impulse_parts(&problem, &resolve(law, &problem)?);
            let head = format!("{} {name}", case.name);
            // Measured 2.4e-10: the table's rounding.
            lines.push(Line::relative(format!("{head}: normal impulse [N s]"), printed[0], normal, DIGITS));
            lines.push(Line::relative(format!("{head}: tangential impulse [N s]"), printed[1], tangential, DIGITS));
            let off = largest([normal / table.normal - 1.0, tangential / table.tangential - 1.0].map(f64::abs));
            lines.push(Line::deviation(
                format!("{head}: impulses against independent code, relative [-]"),
                off,
                DIGITS,
            ));
        }
    }
    Ok(lines)
}

/// Normal and tangential part of the first impulse \[N s\].
fn impulse_parts(problem: &ContactProblem, solution: &Solution) -> [f64; 2] {
    let (n, p) = (problem.contacts[0].normal, solution.impulses[0]);
    [n.dot(p), (p - n * n.dot(p)).length()]
}

/// Adds the differences of velocities, spins and impulses to the reference, each with its tolerance.
pub(super) fn add_misses(worst: &mut Worst, name: &str, problem: &ContactProblem, found: &Solution, answer: &Answer) {
    let (ours, theirs) = (&found.velocities, answer.velocities());
    let part = |v: &[Velocity], take: fn(&Velocity) -> DVec3| -> Vec<Velocity> {
        v.iter().map(|v| Velocity { linear: take(v), angular: DVec3::ZERO }).collect()
    };
    let off = |take| difference(&part(ours, take), &part(&theirs, take));
    worst.add(&format!("{name}, velocity [m/s]"), off(|v| v.linear), answer.abs_tol_velocity);
    worst.add(&format!("{name}, angular velocity [rad/s]"), off(|v| v.angular), answer.abs_tol_angular_velocity);
    // The two largest clusters state no impulses.
    let stated = (&answer.normal_impulse, answer.tangential_impulses(), answer.abs_tol_impulse);
    if let (Some(normal), Some(tangential), Some(tolerance)) = stated {
        let stated = problem.contacts.iter().zip(normal).zip(tangential).map(|((c, n), t)| c.normal * *n + t);
        let off = largest(found.impulses.iter().zip(stated).map(|(p, q)| (*p - q).abs().max_element()));
        worst.add(&format!("{name}, impulse [N s]"), off, tolerance);
    }
}

/// What every answer must keep, whatever the reference says.
#[derive(Default)]
pub(super) struct Soundness {
    residual: Worst,
    momentum: Worst,
    velocities: Worst,
    pull: Worst,
    gain: Worst,
    ledger: Worst,
}

impl Soundness {
    pub(super) fn add(&mut self, name: &str, problem: &ContactProblem, solution: &Solution, form: RbssForm) {
        let verdict = judge(problem, solution);
        let lost = verdict.energy_before - verdict.energy_after;
        let taken: f64 = solution.work_taken.iter().sum();
        let converged = if solution.resolution.converged { residual(problem, solution, form) } else { f64::INFINITY };
        // Measured 5.1e-15.
        self.residual.add(name, converged, 1e-9);
        // Measured 1.8e-16.
        self.momentum.add(name, largest([verdict.momentum_error, verdict.angular_momentum_error]), 1e-12);
        self.velocities.add(name, verdict.velocity_error, 1e-12);
        self.pull.add(name, verdict.pull, 0.0);
        self.gain.add(name, largest([-lost / verdict.energy_before]), 1e-12);
        self.ledger.add(name, ((taken - lost) / verdict.energy_before).abs(), 1e-12);
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        vec![
            self.residual.line("residual of the law's equations [m/s]"),
            self.momentum.line("momentum and angular momentum, relative [-]"),
            self.velocities.line("velocities against those of the impulses, relative [-]"),
            self.pull.line("pull over the largest impulse [-]"),
            self.gain.line("energy gained, relative [-]"),
            self.ledger.line("work of the contacts against energy lost, relative [-]"),
        ]
    }
}

fn is_irregular(cluster: &Cluster) -> bool {
    cluster.name.starts_with("cluster_")
}

pub(super) fn clusters() -> Found<Findings> {
    let thesis = Thesis::load()?;
    let regular: Vec<&Cluster> = thesis.cases.iter().filter(|c| !is_irregular(c)).collect();
    let mut lines = cone_lines(&regular, 46)?;
    lines.extend(symmetry_lines(&thesis)?);
    Ok(lines.into())
}

pub(super) fn irregular() -> Found<Findings> {
    let thesis = Thesis::load()?;
    let irregular: Vec<&Cluster> = thesis.cases.iter().filter(|c| is_irregular(c)).collect();
    Ok(cone_lines(&irregular, 4)?.into())
}

/// The family that a cluster belongs to: its name without its number.
fn family(name: &str) -> &str {
    let word = name.rsplit_once('_').map_or(name, |(family, _)| family);
    if name.starts_with("cluster_") { name } else { word }
}

fn cone_lines(clusters: &[&Cluster], expected: usize) -> Found<Vec<Line>> {
    let mut families: Vec<(&str, Worst)> = Vec::new();
    let (mut sound, mut energy) = (Soundness::default(), Worst::default());
    let (mut stated, mut same) = (0, 0);
    for case in clusters {
        let problem = case.problem();
        let solution = resolve(&form(RbssForm::Cone), &problem)?;
        sound.add(&case.name, &problem, &solution, RbssForm::Cone);
        let family = family(&case.name);
        if families.last().is_none_or(|(last, _)| *last != family) {
            families.push((family, Worst::default()));
        }
        if let Some((_, worst)) = families.last_mut() {
            add_misses(worst, &case.name, &problem, &solution, &case.cone);
        }
        if let Some(states) = case.cone.states() {
            stated += 1;
            same += usize::from(states == solution.states);
        }
        let off = (solution.resolution.energy_after / case.cone.kinetic_energy_after - 1.0).abs();
        energy.add(&case.name, off, 1e-9);
    }
    let mut lines = vec![Line::count("clusters resolved", expected, clusters.len())];
    // Measured 3.3e-6 of the tolerances, which are 1e-9 to 1e-7.
    lines.extend(families.iter().map(|(name, worst)| worst.line(format!("{name}: velocities and impulses"))));
    lines.push(energy.line("kinetic energy after, relative [-]"));
    lines.push(Line::count("clusters whose contacts stick, slip and open as stated", stated, same));
    lines.extend(sound.lines());
    Ok(lines)
}

/// Smallest difference of one answer, mapped and renumbered in any way, to another.
fn distance_under(map: &DMat3, here: &[Velocity], there: &[Velocity]) -> f64 {
    let mut free: Vec<usize> = (0..there.len()).collect();
    let mut most = 0.0f64;
    for v in here {
        let image = Velocity { linear: *map * v.linear, angular: *map * v.angular * map.determinant() };
        let off = |j: &usize| difference(&[image], &[there[*j]]);
        let Some(place) = (0..free.len()).min_by(|i, j| off(&free[*i]).total_cmp(&off(&free[*j]))) else {
            return f64::INFINITY;
        };
        most = largest([most, off(&free.swap_remove(place))]);
    }
    most
}

/// Clusters that are turned or mirrored copies of each other have turned and mirrored answers.
fn symmetry_lines(thesis: &Thesis) -> Found<Vec<Line>> {
    let velocities = |name: &str| -> Found<Vec<Velocity>> {
        Ok(resolve(&form(RbssForm::Cone), &thesis.cluster(name)?.problem())?.velocities)
    };
    let (s, c) = (0.75f64.sqrt(), -0.5);
    let third = DMat3::from_cols(DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0), DVec3::Z);
    let mirror = DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0));
    let least =
        |x: &[Velocity], y: &[Velocity]| distance_under(&third, x, y).min(distance_under(&third.transpose(), x, y));
    let [eight, nine, ten] = [velocities("quaternary_8")?, velocities("quaternary_9")?, velocities("quaternary_10")?];
    let turned = largest([least(&eight, &nine), least(&nine, &ten), least(&ten, &eight)]);
    let [three, four] = [velocities("heptenary_3")?, velocities("heptenary_4")?];
    let mirrored = distance_under(&mirror, &three, &four);
    let wrong = [
        distance_under(&DMat3::IDENTITY, &three, &four),
        distance_under(&mirror, &eight, &nine),
        distance_under(&DMat3::IDENTITY, &eight, &nine),
    ];
    Ok(vec![
        // Measured 1.7e-14 and 1.2e-14, over spins of some 10 rad/s.
        Line::deviation("quaternary 8, 9, 10: turned by thirds of a circle [m/s, rad/s]", turned, 1e-11),
        Line::deviation("heptenary 3, 4: mirrored [m/s, rad/s]", mirrored, 1e-11),
        Line::at_least(
            "control: the same without a map or with a wrong one [m/s, rad/s]",
            0.01,
            wrong.into_iter().fold(f64::INFINITY, f64::min),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use granule_model::Coefficients;
    use granule_solver::Etm;

    use super::*;
    use crate::reference::problem::with_coefficients;

    #[test]
    fn a_wrong_digit_of_the_table_is_refused() {
        let thesis = Thesis::load().expect("readable");
        let mut printed = TABLE_5_1;
        printed[2][1] += 1e-9;
        let lines = binary_lines(&thesis, &printed).expect("resolved");
        let failed: Vec<&str> = lines.iter().filter(|l| !l.passed()).map(|l| l.quantity.as_str()).collect();
        assert_eq!(failed.len(), 3, "{failed:?}");
        assert!(failed.iter().all(|q| q.starts_with("binary_3") && q.contains("tangential")), "{failed:?}");
    }

    #[test]
    fn a_wrong_reference_is_refused() {
        let mut thesis = Thesis::load().expect("readable");
        let place = thesis.cases.iter().position(|c| c.name == "ternary_7").expect("there");
        thesis.cases[place].cone.velocity[4] += 1e-6;
        thesis.cases[place].cone.kinetic_energy_after *= 1.0 + 1e-6;
        let lines = cone_lines(&[&thesis.cases[place]], 1).expect("resolved");
        let failed = lines.iter().filter(|l| !l.passed()).count();
        assert_eq!(failed, 2, "{lines:#?}");
    }

    /// A wrong coefficient.
    type Change = fn(&mut Coefficients);

    #[test]
    fn a_coefficient_that_is_a_millionth_off_is_seen() {
        let thesis = Thesis::load().expect("readable");
        let changes: [(&str, Change); 4] = [
            ("quaternary_6", |k| k.restitution += 1e-6),
            ("quaternary_6", |k| (k.static_friction, k.dynamic_friction) = (0.150_001, 0.150_001)),
            ("spin_binary", |k| k.tangential_restitution += 1e-6),
            ("static_dynamic_binary_slip", |k| k.dynamic_friction += 1e-6),
        ];
        for (name, change) in changes {
            let case = thesis.cluster(name).expect("there");
            for (changed, passes) in [(case.problem(), true), (with_coefficients(&case.problem(), change), false)] {
                let mut worst = Worst::default();
                let solution = resolve(&form(RbssForm::Cone), &changed).expect("resolved");
                add_misses(&mut worst, name, &changed, &solution, &case.cone);
                assert_eq!(worst.line("x").passed(), passes, "{name}: {worst:?}");
            }
        }
    }

    #[test]
    fn wrong_answers_leave_a_residual() {
        let thesis = Thesis::load().expect("readable");
        let problem = thesis.cluster("quaternary_6").expect("there").problem();
        let right = resolve(&form(RbssForm::Cone), &problem).expect("resolved");
        let left = |s: &Solution| residual(&problem, s, RbssForm::Cone);
        assert!(left(&right) <= 1e-14);
        let changed = |change: &dyn Fn(usize, DVec3) -> DVec3| {
            let impulses = right.impulses.iter().enumerate().map(|(i, p)| change(i, *p)).collect();
            left(&Solution { impulses, ..right.clone() })
        };
        let normal = |i: usize| problem.contacts[i].normal;
        let flat = |i: usize, p: DVec3| p - normal(i) * normal(i).dot(p);
        assert!(changed(&|_, p| p * (1.0 + 1e-8)) > 1e-9, "stronger");
        assert!(changed(&|i, p| p + normal(i).cross(p) * 1e-7) > 1e-9, "turned");
        assert!(changed(&|i, p| p - flat(i, p) * 1e-7) > 1e-9, "less friction");
        assert!(changed(&|i, p| p - flat(i, p) * 2.0) > 1e-1, "friction that drives");
        assert!(changed(&|i, p| if i == 3 { normal(3) * 1e-7 } else { p }) > 1e-9, "an open contact pushes");
        assert!(changed(&|i, p| if i == 0 { DVec3::ZERO } else { p }) > 1e-1, "a contact left out");
        assert!(changed(&|_, p| p * f64::NAN).is_nan(), "no numbers");
        assert_eq!(left(&Solution { impulses: Vec::new(), ..right.clone() }), f64::INFINITY);
        assert!(left(&resolve(&Etm::default(), &problem).expect("resolved")) > 1e-2, "another law");
    }
}
