//! `cargo xtask penalty`: what a simulated second costs beside penalty codes that take the stiffness of rock as it is.
//!
//! A penalty code makes steps of a share of the Rayleigh time, here 10 to 20 %, of a sphere of radius `R`:
//!
//! ```text
//! T_R = pi R sqrt(rho/G) / (0.1631 nu + 0.8766),     G = E / (2 (1 + nu))
//! ```
//!
//! (Li, Xu and Thornton, Powder Technology 160, 2005). For spheres the engine makes steps of `sqrt(R/g)/12`. So the
//! first makes `1/R` steps in a second and the second `1/sqrt(R)`, and the ratio of their costs grows as `1/sqrt(R)`.
//!
//! What a step costs is measured (`data/reference/penalty_codes.json`) and taken to be independent of stiffness and
//! scale: the same pack, scaled in all lengths, has the same contacts, and falls take a time that scales as the
//! engine's step does. The codes ran with soft springs on another machine; a reference program that ran on both
//! translates between the two.

use std::process::ExitCode;

use granule_engine::Scales;
use serde::Deserialize;

/// Gravity \[m/s2\].
const GRAVITY: f64 = 9.8;
/// Shares of the Rayleigh time that a step of a penalty code takes, longest first \[-\].
const SHARES: [f64; 2] = [0.2, 0.1];
/// Diameters of the table \[m\], with their names.
const DIAMETERS: [(f64, &str); 3] = [(3.0, "3 m"), (0.03, "3 cm"), (0.001, "1 mm")];

/// An elastic material.
struct Elastic {
    /// Density \[kg/m3\].
    density: f64,
    /// Young's modulus \[Pa\].
    youngs_modulus: f64,
    /// Poisson's ratio \[-\].
    poisson_ratio: f64,
}

/// Rock: density of the measured scene; stiffness at the lower end of what intact rocks have.
const ROCK: Elastic = Elastic { density: 2650.0, youngs_modulus: 10e9, poisson_ratio: 0.25 };

impl Elastic {
    /// Rayleigh time of a sphere \[s\].
    fn rayleigh_time(&self, radius: f64) -> f64 {
        let shear_modulus = self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio));
        let slowness = (self.density / shear_modulus).sqrt();
        std::f64::consts::PI * radius * slowness / (0.1631 * self.poisson_ratio + 0.8766)
    }
}

/// What was measured.
#[derive(Debug, Deserialize)]
struct Measured {
    penalty: Codes,
    granule: Engine,
}

/// The penalty codes, all on one machine.
#[derive(Debug, Deserialize)]
struct Codes {
    reference_program_cpu_per_second: f64,
    codes: Vec<Code>,
}

/// A penalty code.
#[derive(Debug, Deserialize)]
struct Code {
    name: String,
    steps_per_second: f64,
    cpu_per_second: f64,
}

/// The engine.
#[derive(Debug, Deserialize)]
struct Engine {
    reference_program_cpu_per_second: f64,
    cpu_per_second: f64,
    steps_per_second: f64,
}

impl Measured {
    fn read() -> Result<Self, serde_json::Error> {
        serde_json::from_str(include_str!("../../data/reference/penalty_codes.json"))
    }

    /// Processor time of a step of the engine on the machine of the codes \[s\].
    fn step_cost(&self) -> f64 {
        let machine = self.penalty.reference_program_cpu_per_second / self.granule.reference_program_cpu_per_second;
        machine * self.granule.cpu_per_second / self.granule.steps_per_second
    }

    /// Cost of a simulated second of `code`, over the engine's, for grains of `radius` \[m\] and steps of `share` of
    /// the Rayleigh time \[-\].
    fn ratio(&self, code: &Code, radius: f64, share: f64) -> f64 {
        let step_cost = code.cpu_per_second / code.steps_per_second;
        let penalty = step_cost / (share * ROCK.rayleigh_time(radius));
        let engine = self.step_cost() / engine_step(radius);
        penalty / engine
    }
}

/// Step that the engine chooses for spheres that fall a few diameters \[s\].
fn engine_step(radius: f64) -> f64 {
    let scales = Scales {
        smallest_radius: radius,
        speed: 0.0,
        acceleration: GRAVITY,
        period: f64::INFINITY,
        resolving_step: f64::INFINITY,
        friction: true,
        spheres_only: true,
    };
    scales.time_step()
}

/// Prints the table.
pub(crate) fn run() -> ExitCode {
    match Measured::read() {
        Ok(measured) => {
            table(&measured).iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("penalty: data/reference/penalty_codes.json: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The table in Markdown, line by line.
fn table(measured: &Measured) -> Vec<String> {
    let codes = &measured.penalty.codes;
    let names: String = codes.iter().map(|code| format!(" {} |", code.name)).collect();
    let mut lines =
        vec![format!("| grains | steps/s, penalty | steps/s, granule |{names}"), "|---".repeat(3 + codes.len()) + "|"];
    for (diameter, name) in DIAMETERS {
        let radius = 0.5 * diameter;
        let steps = SHARES.map(|share| 1.0 / (share * ROCK.rayleigh_time(radius)));
        let ratios: String = codes
            .iter()
            .map(|code| format!(" {} |", span(SHARES.map(|share| measured.ratio(code, radius, share)))))
            .collect();
        let own = figure(1.0 / engine_step(radius));
        lines.push(format!("| {name} | {} | {own} |{ratios}", span(steps)));
    }
    lines
}

fn span([from, to]: [f64; 2]) -> String {
    format!("{} to {}", figure(from), figure(to))
}

/// Two significant figures.
fn figure(value: f64) -> String {
    if value < 9.95 {
        return format!("{value:.1}");
    }
    let unit = 10f64.powf((value.log10() - 1.0).floor());
    format!("{:.0}", (value / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        Measured::read().expect("the file is valid")
    }

    #[test]
    fn the_rayleigh_time_of_rock_is_known() {
        // By hand: G = 4 GPa, sqrt(2650/4e9) = 8.1394e-4 s/m, 0.1631/4 + 0.8766 = 0.917375; pi 1.5 m of it is 4.1811
        // ms.
        let time = ROCK.rayleigh_time(1.5);
        assert!((time - 4.1811e-3).abs() <= 1e-7, "{time}");
        // Four times the stiffness halves it.
        let stiff = Elastic { youngs_modulus: 40e9, ..ROCK };
        assert!((stiff.rayleigh_time(1.5) / time - 0.5).abs() <= 1e-15);
    }

    #[test]
    fn the_ratio_grows_as_one_over_the_root_of_the_size() {
        let measured = measured();
        for code in &measured.penalty.codes {
            let at = |radius| measured.ratio(code, radius, 0.1);
            assert!((at(0.015) / at(1.5) - 10.0).abs() <= 1e-9, "{}", code.name);
            assert!((at(1.5) / measured.ratio(code, 1.5, 0.2) - 2.0).abs() <= 1e-12, "{}", code.name);
        }
    }

    #[test]
    fn the_engine_takes_the_step_with_which_it_was_measured() {
        let rate = measured().granule.steps_per_second;
        assert!((1.0 / engine_step(1.5) - rate).abs() <= 0.05, "{rate}");
    }

    #[test]
    fn the_readme_has_this_table() {
        let page = include_str!("../../docs/performance.md");
        for line in table(&measured()) {
            assert!(page.contains(&line), "docs/performance.md lacks the line\n{line}\nof `cargo xtask penalty`");
        }
    }

    #[test]
    fn figures_have_two_places() {
        let cases = [(1.04, "1.0"), (9.96, "10"), (57.4, "57"), (142.3, "140"), (1196.0, "1200"), (3.588e6, "3600000")];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
    }
}
