//! The number of each cell of the conformance matrix.

use granule_model::{DVec3, Velocity};
use granule_solver::{ContactProblem, Desideratum, ImpactLaw, Solution, Verdict, judge};

use super::problems::{clusters, flat_box, mirrored, mirrored_cluster};
use crate::balls::{cradle, equal_chain, rack, rack_twin};
use crate::compare::{along_x, apart, difference, largest, resolve};
use crate::error::Found;
use crate::reference::chains::Hertz;

/// Random clusters beside their mirror image.
const MIRRORED: u64 = 200;

/// A measured cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// The number; NaN where nothing could be measured.
    pub(crate) value: f64,
    /// Problems resolved.
    problems: usize,
    /// Problems left out because the law reports that it did not converge.
    left_out: usize,
}

impl Cell {
    /// What to say of the problems left out; none where there are none.
    pub(crate) fn left_out_note(&self) -> Option<String> {
        let Cell { problems, left_out, .. } = self;
        (*left_out > 0).then(|| format!("{left_out} of {problems} problems left out: the law did not converge"))
    }

    fn new() -> Self {
        Cell::default()
    }

    /// Takes in the value of one more problem, or that the law did not converge.
    fn add(&mut self, value: Option<f64>) {
        self.problems += 1;
        match value {
            Some(value) => self.value = largest([self.value, value]),
            None => self.left_out += 1,
        }
    }

    fn done(self) -> Self {
        if self.problems == self.left_out { Cell { value: f64::NAN, ..self } } else { self }
    }
}

/// What is measured for a cell, with its unit.
pub(crate) fn quantity(of: Desideratum) -> &'static str {
    match of {
        Desideratum::BreakAway => "separation of the last ball of a cradle [-]",
        Desideratum::Symmetry => "asymmetry [-]",
        Desideratum::Kinetic => "energy gained [-]",
        Desideratum::Momentum => "momentum changed [-]",
        Desideratum::OneSided => "pull over the largest impulse [-]",
        Desideratum::Wave => "rms from Hertz contacts [-]",
    }
}

/// The bound of a cell.
pub(crate) fn limit(of: Desideratum) -> f64 {
    match of {
        Desideratum::BreakAway => 1e-3,
        Desideratum::Symmetry | Desideratum::Kinetic => 1e-9,
        Desideratum::Momentum => 1e-11,
        Desideratum::OneSided => 1e-10,
        Desideratum::Wave => 0.15,
    }
}

/// Measures a cell.
pub(crate) fn measure(law: &dyn ImpactLaw, of: Desideratum) -> Found<Cell> {
    let single = |value| Cell { value, problems: 1, left_out: 0 };
    match of {
        Desideratum::BreakAway => Ok(single(break_away(law)?)),
        Desideratum::Symmetry => symmetry(law),
        Desideratum::Kinetic => kinetic(law),
        Desideratum::Momentum => judged(law, &all(), |v| largest([v.momentum_error, v.angular_momentum_error])),
        Desideratum::OneSided => judged(law, &all(), |v| v.pull),
        Desideratum::Wave => Ok(single(wave(law)?)),
    }
}

/// The answer, where the law says that it is one.
fn answer(law: &dyn ImpactLaw, problem: &ContactProblem) -> Found<Option<Solution>> {
    let solution = resolve(law, problem)?;
    Ok(solution.resolution.converged.then_some(solution))
}

fn break_away(law: &dyn ImpactLaw) -> Found<f64> {
    let after = along_x(&resolve(law, &cradle(5))?);
    Ok(after[4] - after[3])
}

/// Asymmetry of a cradle of five that is hit at both ends \[m/s\], by balls of 1 m/s.
pub(crate) fn two_ends(law: &dyn ImpactLaw) -> Found<f64> {
    let after = along_x(&resolve(law, &equal_chain(&[1.0, 0.0, 0.0, 0.0, -1.0]))?);
    Ok(largest((0..5).map(|i| (after[i] + after[4 - i]).abs())))
}

/// Difference of a rack to its mirror image \[m/s\], hit at 1 m/s.
pub(crate) fn rack_mirror(law: &dyn ImpactLaw) -> Found<f64> {
    let after = resolve(law, &rack(|i, _| i))?.velocities;
    let image = |i: usize| after[rack_twin(i)].linear * DVec3::new(1.0, -1.0, 1.0);
    Ok(largest((0..after.len()).map(|i| (after[i].linear - image(i)).abs().max_element())))
}

/// Difference between the answers for three orders of the same contacts \[m/s\].
fn rack_order(law: &dyn ImpactLaw) -> Found<f64> {
    let straight = resolve(law, &rack(|i, _| i))?.velocities;
    let reversed = resolve(law, &rack(|i, n| n - 1 - i))?.velocities;
    let mixed = resolve(law, &rack(|i, n| (7 * i) % n))?.velocities;
    Ok(largest([difference(&straight, &reversed), difference(&straight, &mixed)]))
}

/// Difference of a cluster to its mirror image beside it, over the largest velocity before or after.
fn cluster_mirror(law: &dyn ImpactLaw, problem: &ContactProblem) -> Found<Option<f64>> {
    let Some(solution) = answer(law, problem)? else { return Ok(None) };
    let (here, there) = solution.velocities.split_at(solution.velocities.len() / 2);
    let image: Vec<Velocity> = here.iter().map(mirrored).collect();
    let speed = |v: &Velocity| v.linear.length().max(v.angular.length());
    let scale = largest(problem.bodies.iter().map(|b| speed(&b.velocity)).chain(image.iter().map(speed)));
    Ok(Some(difference(&image, there) / scale))
}

fn symmetry(law: &dyn ImpactLaw) -> Found<Cell> {
    let mut cell = Cell::new();
    for value in [two_ends(law)?, rack_mirror(law)?, rack_order(law)?] {
        cell.add(Some(value));
    }
    for seed in 0..MIRRORED {
        cell.add(cluster_mirror(law, &mirrored_cluster(seed))?);
    }
    Ok(cell.done())
}

/// Problems without friction and with e = 1, where energy must be kept exactly.
fn elastic() -> Vec<ContactProblem> {
    vec![
        cradle(5),
        equal_chain(&[1.0, 0.0, 0.0, 0.0, -1.0]),
        equal_chain(&[0.5, 0.0, -1.0]),
        rack(|i, _| i),
        flat_box(0.0),
    ]
}

fn all() -> Vec<ContactProblem> {
    elastic().into_iter().chain([0.1, 0.5, 1.0].map(flat_box)).chain(clusters()).collect()
}

fn judged(law: &dyn ImpactLaw, problems: &[ContactProblem], number: fn(&Verdict) -> f64) -> Found<Cell> {
    let mut cell = Cell::new();
    for problem in problems {
        // Also of answers that did not converge: momentum, energy and the sign of impulses ask for no solution.
        cell.add(Some(number(&judge(problem, &resolve(law, problem)?))));
    }
    Ok(cell.done())
}

fn kinetic(law: &dyn ImpactLaw) -> Found<Cell> {
    let gain = |v: &Verdict| v.energy_after / v.energy_before - 1.0;
    let gained = judged(law, &all(), gain)?;
    let kept = judged(law, &elastic(), |v| (v.energy_after / v.energy_before - 1.0).abs())?;
    Ok(Cell { value: largest([gained.value, kept.value]), ..gained })
}

/// Root mean square deviation of the three-ball chain from Hertz contacts \[m/s\]; balls come with up to 1 m/s.
pub(crate) fn wave(law: &dyn ImpactLaw) -> Found<f64> {
    let hertz = Hertz::load()?;
    let mut after = Vec::new();
    for before in hertz.velocity_before.chunks(3) {
        after.extend(along_x(&resolve(law, &equal_chain(before))?));
    }
    if apart(&after, &hertz.hertz_ode).is_infinite() {
        return Ok(f64::NAN);
    }
    let squares: f64 = after.iter().zip(&hertz.hertz_ode).map(|(v, w)| (v - w) * (v - w)).sum();
    Ok((squares / after.len() as f64).sqrt())
}
