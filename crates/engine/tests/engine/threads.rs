//! No bit of the state depends on the number of threads: small islands, large ones in blocks, of every kind of shape,
//! with sleepers, and in steps that are divided.

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Edge of a cell of the lattice \[m\]; each body is 1 m wide, so that neighbours are in reach of each other from the
/// start.
const CELL: f64 = 1.001;

fn cube() -> Shape {
    Shape::cuboid(DVec3::ONE).expect("the size is valid")
}

fn cross() -> Shape {
    Shape::cross(1.0 / 3.0).expect("the edge is valid")
}

/// A cube whose corners are cut off in the middles of its edges: it meets its neighbours with six square faces.
fn hull() -> Shape {
    let ends = [-0.5, 0.5];
    let corners = ends.into_iter().flat_map(|a| ends.map(|b| (a, b)));
    let vertices: Vec<DVec3> =
        corners.flat_map(|(a, b)| [DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a), DVec3::new(0.0, a, b)]).collect();
    Shape::convex(&vertices).expect("the vertices are valid")
}

fn sphere() -> Shape {
    Shape::sphere(0.5).expect("the radius is valid")
}

/// A simulation on a floor at z = 0 with a lattice of `size` bodies that take the `shapes` in turn.
fn lattice(settings: Settings, size: [usize; 3], shapes: &[Shape], speed: impl Fn(usize) -> Velocity) -> Simulation {
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(ROCK).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    for i in 0..size.iter().product() {
        let cell = [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])].map(|k| k as f64);
        let place = CELL * DVec3::from_array(cell) + DVec3::Z * (0.5 * CELL);
        // No shape keeps to a row or a layer.
        let shape = &shapes[(i * 7 + i / size[0] * 3) % shapes.len()];
        let mut body = BodyDescription::dynamic(shape.clone(), rock, place);
        body.velocity = speed(i);
        simulation.add_body(body).expect("the body is valid");
    }
    simulation
}

/// Velocities without a pattern: up to `linear` \[m/s\] along an axis and `angular` \[rad/s\] about it.
fn stirred(linear: f64, angular: f64) -> impl Fn(usize) -> Velocity {
    move |i| {
        let wave = |k: f64| libm::sin(k * i as f64);
        Velocity {
            linear: linear * DVec3::new(wave(0.7), wave(1.1), wave(1.3)),
            angular: angular * DVec3::new(wave(1.7), wave(1.9), wave(2.3)),
        }
    }
}

fn settings(hertz: f64) -> Settings {
    Settings { time_step: Some(1.0 / hertz), ..Settings::default() }
}

/// What `run` gives with one thread, which it must give with each of the `others`, too.
fn the_same<R: PartialEq + std::fmt::Debug + Send>(others: &[usize], run: impl Fn() -> R + Sync) -> R {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made");
        pool.install(&run)
    };
    let one = with(1);
    for threads in others {
        assert_eq!(one, with(*threads), "one and {threads} threads");
    }
    one
}

fn steps(simulation: &mut Simulation, count: usize) -> Vec<StepReport> {
    (0..count).map(|_| simulation.step().expect("the run stays finite")).collect()
}

/// 10 000 spheres in touch, stirred: one island in blocks, with hits and friction across their borders.
#[test]
fn many_spheres() {
    let (_, island, hits) = the_same(&[2, 3, 4, 8], || {
        let mut simulation = lattice(settings(60.0), [50, 20, 10], &[sphere()], stirred(2.0, 0.0));
        let reports = steps(&mut simulation, 6);
        assert!(reports.iter().all(|r| r.forced == 0));
        let island = reports.iter().map(|r| r.largest_island).min();
        (simulation.state_hash(), island, reports.iter().map(|r| r.hits).sum::<u32>())
    });
    assert!(island > Some(20_000) && hits > 10_000, "island of {island:?} contacts, {hits} hits");
}

/// Cubes, crosses, and all shapes mixed: each one island in blocks and in single precision, stirred.
#[test]
fn many_bodies_with_edges() {
    let mixed = [sphere(), cube(), cross(), hull()];
    for (what, shapes) in [("cubes", &[cube()][..]), ("crosses", &[cross()][..]), ("mixed", &mixed[..])] {
        let (_, island, hits) = the_same(&[2, 3, 4], || {
            let mut simulation = lattice(settings(60.0), [12, 12, 8], shapes, stirred(1.0, 1.0));
            let reports = steps(&mut simulation, 4);
            let island = reports.iter().map(|r| r.largest_island).min();
            (simulation.state_hash(), island, reports.iter().map(|r| r.hits).sum::<u32>())
        });
        println!("{what}: island of {island:?} contacts, {hits} hits");
        assert!(island > Some(4096) && hits > 1000, "{what}: island of {island:?} contacts, {hits} hits");
    }
}

/// Until the first body sleeps, and ten steps on, in which more fall asleep and others wake.
#[test]
fn with_sleepers() {
    let mixed = [cube(), cross(), hull()];
    let (_, awake, island, count) = the_same(&[2, 3, 4], || {
        // The bodies at the top are thrown, so that one part rests before the other.
        let throw = stirred(3.0, 3.0);
        let speed = |i: usize| if i >= 640 && i.is_multiple_of(5) { throw(i) } else { Velocity::ZERO };
        let mut simulation = lattice(settings(60.0), [16, 10, 5], &mixed, speed);
        let island = simulation.step().expect("the run stays finite").largest_island;
        let mut awake = Vec::new();
        while awake.last().is_none_or(|n| *n == 800) {
            awake.push(simulation.step().expect("the run stays finite").awake);
            assert!(simulation.time() < 4.0, "nobody sleeps");
        }
        awake.extend(steps(&mut simulation, 10).iter().map(|r| r.awake));
        (simulation.state_hash(), awake[awake.len() - 11..].to_vec(), island, awake.len())
    });
    println!("island of {island} contacts, after {count} steps {awake:?} awake");
    assert!(island > 4096 && awake[0] < 800, "island of {island} contacts, {awake:?} awake");
}

/// Steps that must be divided and parts of the world that go back alone.
#[test]
fn in_divided_steps() {
    let mixed = [cube(), cross(), hull()];
    let (_, undone, island) = the_same(&[2, 3, 4], || {
        let mut simulation = lattice(settings(30.0), [12, 12, 8], &mixed, stirred(6.0, 12.0));
        let reports = steps(&mut simulation, 4);
        let undone: u32 = reports.iter().map(|r| r.undone).sum();
        (simulation.state_hash(), undone, reports.iter().map(|r| r.largest_island).max())
    });
    println!("{undone} undone, island of {island:?} contacts");
    assert!(undone > 0 && island > Some(4096), "{undone} undone, island of {island:?} contacts");
}

/// Negative control: the comparison fails for what depends on the number of threads.
#[test]
#[should_panic(expected = "one and 2 threads")]
fn a_dependence_on_the_threads_is_seen() {
    the_same(&[2], || {
        let push = 1e-15 * rayon::current_num_threads() as f64;
        let mut simulation = lattice(settings(60.0), [2, 2, 1], &[cube()], move |_| Velocity {
            linear: DVec3::X * push,
            ..Velocity::ZERO
        });
        steps(&mut simulation, 1);
        simulation.state_hash()
    });
}
