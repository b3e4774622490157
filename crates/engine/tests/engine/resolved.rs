//! Which impacts a step resolves: the speed from which on restitution applies, as stated and as measured by balls that
//! fall and fly against walls; and the step that is chosen for a speed that is asked for.

use granule_engine::prelude::*;
use granule_engine::{Stepping, Warning};

use crate::support::ROCK;

const GRAVITY: f64 = 9.8;
/// Radii of the balls \[m\].
const RADII: [f64; 3] = [1e-3, 0.1, 10.0];
/// Steps over sqrt(R/g): about that of the rule, longer and shorter.
const STEPS: [f64; 3] = [1.0 / 12.0, 0.2, 0.01];

/// A ball of the given radius with its lowest point `gap` above a floor, or beside a wall, at `speed` towards it.
struct Throw {
    stepping: Stepping,
    radius: f64,
    dt: f64,
    restitution: f64,
    /// Where the floor faces.
    up: DVec3,
    gap: f64,
    speed: f64,
}

impl Throw {
    fn simulation(&self, settings: Settings) -> (Simulation, BodyId) {
        let settings = Settings { stepping: self.stepping, sleeping: false, ..settings };
        let mut simulation = Simulation::new(settings).expect("settings are valid");
        let material = Material { restitution: self.restitution, static_friction: 0.0, dynamic_friction: 0.0, ..ROCK };
        let rock = simulation.add_material(material).expect("the material is valid");
        let floor = Shape::half_space(self.up).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
        let ball = Shape::sphere(self.radius).expect("the radius is valid");
        let mut ball = BodyDescription::dynamic(ball, rock, (self.radius + self.gap) * self.up);
        ball.velocity.linear = -self.speed * self.up;
        let ball = simulation.add_body(ball).expect("the ball is valid");
        (simulation, ball)
    }

    fn with_step(&self) -> (Simulation, BodyId) {
        self.simulation(Settings { time_step: Some(self.dt), ..Settings::default() })
    }

    /// Whether an impact is told within eight steps.
    fn is_told(&self) -> bool {
        let (mut simulation, _) = self.with_step();
        (0..8).any(|_| simulation.step().expect("the step is made").hits > 0)
    }

    /// Speed away from the floor after eight steps \[m/s\].
    fn speed_after(&self) -> f64 {
        let (mut simulation, ball) = self.with_step();
        for _ in 0..8 {
            simulation.step().expect("the step is made");
        }
        simulation.velocity(ball).expect("it is there").linear.dot(self.up)
    }

    /// The same that falls and meets the floor at `speed`, at the share `phase` of the way of a step of symplectic
    /// Euler; it begins some steps before. In units of g dt and g dt^2 that step begins with the velocity v, and
    /// `V^2 = (v + 1/2)^2 + 2 G` over the gap `G = phase (v + 1)`.
    fn falls(self, speed: f64, phase: f64) -> Throw {
        let unit = GRAVITY * self.dt;
        if self.stepping == Stepping::Event {
            // Flights are exact.
            let gap = phase * speed * self.dt;
            return Throw { gap, speed: (speed * speed - 2.0 * GRAVITY * gap).sqrt(), ..self };
        }
        let (linear, target) = (1.0 + 2.0 * phase, speed / unit);
        let constant = 0.25 + 2.0 * phase - target * target;
        let v = 0.5 * ((linear * linear - 4.0 * constant).sqrt() - linear);
        let steps = v.floor().clamp(1.0, 3.0) as u32;
        let way: f64 = (0..steps).map(|k| v - f64::from(k)).sum();
        let gap = (phase * (v + 1.0) + way) * unit * self.dt;
        Throw { gap, speed: (v - f64::from(steps)) * unit, ..self }
    }
}

fn ball(stepping: Stepping, radius: f64, dt: f64, restitution: f64) -> Throw {
    Throw { stepping, radius, dt, restitution, up: DVec3::Z, gap: 0.5 * radius, speed: 0.0 }
}

/// Relative difference.
fn off(value: f64, expected: f64) -> f64 {
    (value / expected - 1.0).abs()
}

/// The speed between `low` and `high` from which on `holds`.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..14 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// The stated speed for a throw \[m/s\].
fn stated(throw: &Throw) -> f64 {
    throw.with_step().0.resolved_speed(throw.dt, throw.restitution, 1)
}

/// Wherever within a step a ball that falls meets the floor, it gets its restitution from the stated speed on, and at
/// the worst place from no lower one. Measured: from 0.972 to 1.000 of it on at the
/// worst of the places tried.
#[test]
fn what_falls_faster_than_stated_bounces() {
    for (radius, share) in RADII.into_iter().flat_map(|r| STEPS.map(|share| (r, share))) {
        for (stepping, e) in
            [Stepping::Margin, Stepping::Event].into_iter().flat_map(|s| [0.1, 0.5, 0.9].map(|e| (s, e)))
        {
            let throw = || ball(stepping, radius, share * (radius / GRAVITY).sqrt(), e);
            let stated = stated(&throw());
            let from = |phase: f64| bisect(0.5 * stated, 1.5 * stated, |v| throw().falls(v, phase).is_told());
            let worst = [0.01, 0.3, 0.7, 0.999].map(from).into_iter().fold(0.0, f64::max) / stated;
            assert!((0.97..=1.0 + 1e-3).contains(&worst), "{stepping:?}, R {radius} m, {share}, e {e}: {worst}");
        }
    }
}

/// What flies against a wall is not helped by gravity: by margins it is told from 4 g dt on at the worst place, from 2
/// at the best; by touch it is lifted from g dt/8 on. Measured: 0.99 of 4 g dt at the worst of the places tried, and
/// 1.000 of `g dt/(8 e)`. Both are less than what is stated for all directions.
#[test]
fn what_flies_against_a_wall_bounces_from_lower_speeds_on() {
    for (radius, share) in RADII.into_iter().flat_map(|r| STEPS.map(|share| (r, share))) {
        let dt = share * (radius / GRAVITY).sqrt();
        for (stepping, e, expected) in [(Stepping::Margin, 0.9, 4.0), (Stepping::Touch, 0.05, 0.125 / 0.05)] {
            let (throw, expected) =
                (|| Throw { up: DVec3::X, ..ball(stepping, radius, dt, e) }, expected * GRAVITY * dt);
            let bounces = |speed: f64, phase: f64| {
                let gap = (2.0 + phase) * speed * dt;
                Throw { speed, gap, ..throw() }.speed_after() > 0.1 * e * speed
            };
            let from = |phase: f64| bisect(0.3 * expected, 1.5 * expected, |v| bounces(v, phase));
            let worst = [0.01, 0.3, 0.7, 0.999].map(from).into_iter().fold(0.0, f64::max) / expected;
            assert!((0.97..=1.0 + 1e-3).contains(&worst), "{stepping:?}, R {radius} m, {share}, e {e}: {worst}");
            assert!(expected < stated(&throw()), "{stepping:?}, R {radius} m, {share}, e {e}");
        }
    }
}

/// What a ball comes to that is dropped by `height`: its height above the floor at the start and after each step with
/// an impact, by its energy \[m\]; and the speed that its steps resolve \[m/s\].
fn bounces(throw: &Throw, settings: Settings, impacts: usize) -> (Vec<f64>, f64) {
    let (mut simulation, _) = throw.simulation(settings);
    let dt = simulation.time_step();
    let resolved = simulation.resolved_speed(dt, throw.restitution, 1);
    let weight = GRAVITY * ROCK.density * 4.0 / 3.0 * std::f64::consts::PI * throw.radius.powi(3);
    // The parabola on which the steps lie has that much more than E*.
    let beyond = GRAVITY * dt * dt / 8.0;
    let (mut heights, mut quiet) = (vec![throw.gap], 0);
    while heights.len() <= impacts && quiet < 2000 {
        let report = simulation.step().expect("the step is made");
        assert_eq!(report.dt, dt, "the step stays");
        quiet = if report.hits > 0 { 0 } else { quiet + 1 };
        if report.hits > 0 {
            heights.push(report.energy.star / weight - throw.radius + beyond);
        }
    }
    (heights, resolved)
}

/// By touch a ball bounces on exactly down to the stated speed, and at some place within a step not below. Measured:
/// the first impact that is not given back exactly has at most 0.915 of it.
#[test]
fn bounces_by_touch_end_at_the_stated_speed() {
    for radius in RADII {
        let mut worst: f64 = 0.0;
        for k in 0..240 {
            let throw =
                Throw { gap: radius * (0.5 + 0.003_25 * f64::from(k)), ..ball(Stepping::Touch, radius, 0.0, 0.9) };
            let settings = Settings { time_step: Some(0.1 * (radius / GRAVITY).sqrt()), ..Settings::default() };
            let (heights, resolved) = bounces(&throw, settings, 200);
            let speed = |k: usize| (2.0 * GRAVITY * heights[0]).sqrt() * throw.restitution.powi(k as i32);
            let is_exact = |k: usize| off(heights[k], speed(k).powi(2) / (2.0 * GRAVITY)) < 1e-3;
            let exact = (1..heights.len()).take_while(|k| is_exact(*k)).count();
            worst = worst.max(speed(exact) / resolved);
        }
        assert!((0.9..=1.0).contains(&worst), "R {radius} m: {worst}");
    }
}

/// A ball with e = 0.9 that is dropped by 20 R, with the step that resolves a speed.
struct Series {
    /// Heights of the rises over `20 R e^(2k)`, less 1.
    off: Vec<f64>,
    /// Speed of the impact before each of them over the one asked for \[-\].
    speed: Vec<f64>,
    /// Sum of g dt over the speed of all impacts up to it.
    first_order: Vec<f64>,
}

impl Series {
    fn of(stepping: Stepping, radius: f64, asked: f64) -> Series {
        let throw = Throw { gap: 20.0 * radius, ..ball(stepping, radius, 0.0, 0.9) };
        let asked = asked * (GRAVITY * radius).sqrt();
        let settings = Settings { resolved_speed: Some(asked), ..Settings::default() };
        let (heights, resolved) = bounces(&throw, settings, 100);
        assert!((resolved / asked - 1.0).abs() <= 1e-12, "the step resolves {resolved} m/s of {asked}");
        let dt = throw.simulation(settings).0.time_step();
        let speed = |k: i32| (2.0 * GRAVITY * heights[0]).sqrt() * 0.9_f64.powi(k);
        let impacts = 0..heights.len() as i32 - 1;
        let sum = |sum: &mut f64, k: i32| {
            *sum += GRAVITY * dt / speed(k);
            Some(*sum)
        };
        Series {
            off: impacts.clone().map(|k| heights[k as usize + 1] / (heights[0] * 0.81_f64.powi(k + 1)) - 1.0).collect(),
            speed: impacts.clone().map(|k| speed(k) / asked).collect(),
            first_order: impacts.scan(0.0, sum).collect(),
        }
    }

    /// Impacts faster than so many times the speed asked for.
    fn faster_than(&self, times: f64) -> usize {
        self.speed.iter().take_while(|speed| **speed > times).count()
    }
}

/// By touch a ball bounces as the exact series down to the speed that is asked for. Measured over 46 impacts: off by
/// 4.1e-8 at most, as balls arrive at gaps of 1e-10 R.
#[test]
fn a_ball_bounces_by_touch_as_the_exact_series_down_to_the_speed_asked_for() {
    for radius in RADII {
        let series = Series::of(Stepping::Touch, radius, 0.05);
        let impacts = series.faster_than(1.0);
        assert_eq!(impacts, 46, "R {radius} m");
        let worst = series.off[..impacts].iter().fold(0.0, |worst: f64, off| worst.max(off.abs()));
        assert!(worst <= 2e-7, "R {radius} m: off by {worst:e}");
    }
}

/// By margins each impact of the speed v takes about g dt/v of the height, and at most twice as much. Measured down to
/// four times the speed asked for: 0.77 to 1.53 times the sum, 0.44 of the height at the last one.
#[test]
fn a_ball_bounces_by_margins_as_the_series_to_first_order() {
    for radius in RADII {
        let series = Series::of(Stepping::Margin, radius, 0.05);
        let impacts = series.faster_than(4.0);
        assert!(impacts >= 33, "R {radius} m: {impacts} impacts");
        for k in 0..impacts {
            let share = -series.off[k] / series.first_order[k];
            assert!((0.5..=2.0).contains(&share), "R {radius} m: {share} of g dt/v at impact {}", k + 1);
        }
    }
}

/// Three balls over a floor, with the restitution of the floor's material and of theirs.
fn scene(settings: Settings, restitution: [f64; 2]) -> Simulation {
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let [of_floor, of_balls] = restitution
        .map(|restitution| simulation.add_material(Material { restitution, ..ROCK }).expect("the material is valid"));
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, of_floor, DVec3::ZERO)).expect("the floor is valid");
    for k in 0..3 {
        let ball = Shape::sphere(0.1).expect("the radius is valid");
        let ball = BodyDescription::dynamic(ball, of_balls, DVec3::new(0.5 * f64::from(k), 0.0, 0.2));
        simulation.add_body(ball).expect("the ball is valid");
    }
    simulation
}

/// The step follows a speed that is asked for where it is the shortest, and what changes that speed: the least
/// restitution of what may meet. It says so.
#[test]
fn the_chosen_step_resolves_the_speed_asked_for() {
    let asked = |speed: f64| Settings { resolved_speed: Some(speed), ..Settings::default() };
    let rule = scene(Settings::default(), [0.5, 0.5]).time_step();
    assert_eq!(scene(asked(100.0), [0.5, 0.5]).time_step(), rule, "the rule is shorter");
    for stepping in [Stepping::Margin, Stepping::Event, Stepping::Touch] {
        // Floors meet no floors: 0.05 is mixed to 0.2.
        for (restitution, least) in [([0.5, 0.5], 0.5), ([0.05, 0.8], 0.2)] {
            let mut simulation = scene(Settings { stepping, ..asked(0.01) }, restitution);
            let found = simulation.least_restitution().expect("it bounces");
            assert!(off(found, least) <= 1e-12, "{found}");
            let dt = simulation.time_step();
            let resolved = simulation.resolved_speed(dt, found, 3);
            assert!(dt < rule && off(resolved, 0.01) <= 1e-12, "{stepping:?}: {dt} s resolve {resolved} m/s");
            let sentence = simulation.time_step_decided_by();
            assert!(sentence.starts_with("The slowest impact to resolve, 0.01 m/s at a restitution of"), "{sentence}");
            assert_eq!(simulation.step().expect("the step is made").dt, dt);
        }
    }
    let without = scene(asked(0.01), [0.0, 0.5]);
    assert_eq!(without.least_restitution(), Some(0.5), "balls meet balls");
    assert_eq!(scene(asked(0.01), [0.5, 0.0]).time_step(), rule, "nothing gives anything back");
    let weightless = scene(Settings { gravity: DVec3::ZERO, ..asked(0.01) }, [0.5, 0.5]);
    assert_eq!((weightless.time_step(), weightless.resolved_speed(0.1, 0.5, 1)), (1.0 / 60.0, 0.0));
}

/// A step that was chosen is not kept where the speed asked for has come to need a shorter one, be it by little.
#[test]
fn a_chosen_step_follows_the_restitution() {
    let mut simulation = scene(Settings { resolved_speed: Some(0.01), ..Settings::default() }, [0.2, 0.2]);
    let before = simulation.step().expect("the step is made").dt;
    let [floor, balls] = [0, 1].map(MaterialId::nth);
    let less = Coefficients { restitution: 0.17, ..Coefficients::of(&ROCK) };
    simulation.set_pair(floor, balls, less).expect("the pair is valid");
    let after = simulation.step().expect("the step is made").dt;
    assert!(after < before && after > 0.8 * before, "{before} s, then {after} s");
    assert!(off(simulation.resolved_speed(after, 0.17, 3), 0.01) <= 1e-12);
}

#[test]
fn speeds_that_cannot_be_resolved_are_refused() {
    for (speed, time_step, words) in [
        (0.0, None, "a finite speed above 0 m/s"),
        (-1.0, None, "a finite speed above 0 m/s"),
        (f64::NAN, None, "a finite speed above 0 m/s"),
        (f64::INFINITY, None, "a finite speed above 0 m/s"),
        (0.01, Some(0.001), "left out where `time_step` is given"),
    ] {
        let settings = Settings { resolved_speed: Some(speed), time_step, ..Settings::default() };
        let error = Simulation::new(settings).map(|_| ()).expect_err("it is refused").to_string();
        assert!(error.contains("resolved_speed") && error.contains(words), "{error}");
    }
}

/// A rod of 1 m that turns at 60 rad/s beside a ball.
fn whirling(stepping: Stepping, time_step: Option<f64>) -> Simulation {
    let settings = Settings { stepping, gravity: DVec3::ZERO, time_step, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(Material::default()).expect("the material is valid");
    let rod = Shape::cuboid(DVec3::new(1.0, 0.02, 0.02)).expect("the size is valid");
    let mut rod = BodyDescription::dynamic(rod, rock, DVec3::ZERO);
    rod.name = "rod".to_owned();
    rod.velocity.angular = 60.0 * DVec3::Z;
    simulation.add_body(rod).expect("the body is valid");
    // Near, and never met.
    let ball = Shape::sphere(0.1).expect("the radius is valid");
    simulation.add_body(BodyDescription::dynamic(ball, rock, 0.15 * DVec3::Z)).expect("the body is valid");
    simulation
}

/// What turns far in a step beside others is told by name, once; the automatic step turns nothing so far, and few
/// bodies that step from touch to touch are followed on the way.
#[test]
fn a_body_that_turns_far_in_a_step_is_told() {
    let mut simulation = whirling(Stepping::Margin, Some(1.0 / 60.0));
    for _ in 0..5 {
        simulation.step().expect("the step is made");
    }
    let warnings = simulation.warnings();
    let [Warning::Turned(turn)] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!((turn.angle - 1.0).abs() < 1e-9 && (turn.time - 1.0 / 60.0).abs() < 1e-12, "{turn:?}");
    assert!(warnings[0].to_string().contains("`rod` turned by 1.00 rad"), "{}", warnings[0]);
    for (stepping, time_step) in [(Stepping::Margin, None), (Stepping::Touch, Some(1.0 / 60.0))] {
        let mut simulation = whirling(stepping, time_step);
        while simulation.time() < 0.1 {
            simulation.step().expect("the step is made");
        }
        assert_eq!(simulation.warnings(), []);
    }
}

/// Steps that give nothing back in impacts that are not slow are told of, with the speed; those of the engine are not.
#[test]
fn steps_that_resolve_too_little_are_told() {
    for (time_step, is_told) in [(Some(0.05), true), (None, false)] {
        let mut simulation =
            Simulation::new(Settings { time_step, ..Settings::default() }).expect("settings are valid");
        let rock = simulation.add_material(Material::default()).expect("the material is valid");
        let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the body is valid");
        let ball = Shape::sphere(0.1).expect("the radius is valid");
        for i in 0..4 {
            let place = DVec3::new(f64::from(i), 0.0, 0.2);
            simulation.add_body(BodyDescription::dynamic(ball.clone(), rock, place)).expect("the body is valid");
        }
        simulation.step().expect("the step is made");
        let warnings = simulation.warnings();
        let told = matches!(warnings.as_slice(), [Warning::SlowImpacts { height, .. }] if *height > 0.1);
        assert_eq!((told, warnings.is_empty()), (is_told, !is_told), "{warnings:?}");
    }
}
