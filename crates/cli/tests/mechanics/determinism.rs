//! The same scene gives the same bits: twice, with one and two threads, in every build, and from one version to the
//! next.

use glam::DVec3;

use crate::support::{Body, Results, Scene, reference, stl, vector};

/// Spheres, cubes, crosses, capsules and hulls fall on a bumpy mesh that a driven paddle sweeps over: one second.
fn zoo() -> Scene {
    let mut scene = Scene::new("duration = 1.0\ntime_step = 0.004");
    scene.add(
        "[materials.ground]\ndensity = 2650.0\nrestitution = 0.4\nstatic_friction = 0.5\ndynamic_friction = 0.4\n\
         rolling_friction = 0.01\ntorsional_friction = 0.01",
    );
    let mut floor = Body::new("floor", "mesh.file = \"bumps.stl\"", "ground", DVec3::ZERO);
    floor.kind = "static";
    scene.body(&floor);
    scene.mesh("bumps.stl", bumps());
    let mut paddle = Body::new("paddle", "cuboid.size = [3.0, 0.2, 0.6]", "ground", DVec3::new(2.0, 2.0, 0.5));
    (paddle.kind, paddle.angular_velocity) = ("driven", DVec3::Z * 2.0);
    scene.body(&paddle);
    let hull = "convex.vertices = [[0.2, 0.0, -0.1], [-0.1, 0.2, -0.1], [-0.1, -0.2, -0.1], [0.1, 0.1, 0.2], [-0.15, 0.0, 0.15]]";
    let shapes = [
        ("sphere", "sphere.radius = 0.2"),
        ("cube", "cuboid.size = [0.35, 0.35, 0.35]"),
        ("cross", "cross.edge = 0.15"),
        ("capsule", "capsule = { radius = 0.12, length = 0.25 }"),
        ("hull", hull),
    ];
    for (i, (name, shape)) in shapes.into_iter().enumerate() {
        let layer = 1.1 + 0.6 * i as f64;
        scene.add(format!(
            "[[fill]]\nname = \"{name}\"\nshape = {{ {shape} }}\nmaterial = \"ground\"\ncount = 9\njitter = 0.05\n\
             orientation = \"random\"\nvelocity = [0.0, 0.0, -2.0]\nseed = {i}\n[fill.grid]\ncorner = [1.0, 1.0]\n\
             size = [2.0, 2.0]\npitch = 0.6\nfirst_layer = {layer:?}"
        ));
    }
    scene
}

/// A floor of 4 m by 4 m in triangles of which every other corner is raised, with a rim.
fn bumps() -> String {
    const CELLS: usize = 8;
    let corner = |i: usize, j: usize| {
        let rim = i == 0 || j == 0 || i == CELLS || j == CELLS;
        let height = if rim { 1.0 } else { 0.125 * ((i * 3 + j * 5) % 4) as f64 * 0.5 };
        DVec3::new(0.5 * i as f64, 0.5 * j as f64, height)
    };
    let cells = (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j)));
    let triangles: Vec<_> = cells
        .flat_map(|(i, j)| {
            let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
            [[a, b, c], [a, c, d]]
        })
        .collect();
    stl(&triangles)
}

/// 1440 spheres, cubes and hulls in touch, layer by layer, stirred: one island that is swept in blocks and in single
/// precision, a few steps long. What is small, as the scene above, takes other paths through the solver.
fn heap() -> Scene {
    let mut scene = Scene::with_ledger("duration = 0.05\ntime_step = 0.005", 1);
    scene.material("ground", 0.4, 0.5);
    let mut floor = Body::new("floor", "half-space.normal = [0.0, 0.0, 1.0]", "ground", DVec3::ZERO);
    floor.kind = "static";
    scene.body(&floor);
    // A cube whose corners are cut off in the middles of its edges.
    let ends = [-0.05, 0.05];
    let corners = ends.into_iter().flat_map(|a| ends.map(|b| (a, b)));
    let vertices: Vec<String> = corners
        .flat_map(|(a, b)| [DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a), DVec3::new(0.0, a, b)])
        .map(vector)
        .collect();
    let hull = format!("convex.vertices = [{}]", vertices.join(", "));
    let shapes = ["sphere.radius = 0.05", "cuboid.size = [0.1, 0.1, 0.1]", &hull];
    for layer in 0..HEAP[2] {
        let ([columns, rows, _], height) = (HEAP.map(|n| 0.1 * n as f64 + 0.15), 0.05 + 0.1 * layer as f64);
        scene.add(format!(
            "[[fill]]\nname = \"layer-{layer}\"\nshape = {{ {} }}\nmaterial = \"ground\"\ncount = {}\nrandom_speed = 0.5\n\
             seed = {layer}\n[fill.grid]\nsize = [{columns:?}, {rows:?}]\npitch = 0.1\nfirst_layer = {height:?}",
            shapes[layer % shapes.len()],
            HEAP[0] * HEAP[1],
        ));
    }
    scene
}

/// Bodies of the heap along each axis.
const HEAP: [usize; 3] = [12, 12, 10];

fn hash(results: &Results) -> String {
    results.summary["state_hash"].as_str().expect("a hash").to_owned()
}

/// Two runs, with one and with two threads, agree in the hash and in every digit of the final state.
#[test]
fn runs_and_threads_give_the_same_bits() {
    let scene = zoo();
    let [first, again, two] = [scene.run_with(1), scene.run_with(1), scene.run_with(2)];
    assert_eq!(first.number("/bodies"), 47.0);
    assert_eq!(two.number("/threads"), 2.0);
    assert_eq!(hash(&first), hash(&again), "two runs");
    assert_eq!(hash(&first), hash(&two), "one and two threads");
    for ((name, a), (_, b)) in first.bodies().zip(two.bodies()) {
        let same = a.at == b.at
            && a.orientation == b.orientation
            && a.velocity == b.velocity
            && a.angular_velocity == b.angular_velocity;
        assert!(same, "{name}: {a:?}\n{b:?}");
    }
}

/// Negative control: a change in the last bit of one place changes the hash.
#[test]
fn the_hash_sees_the_last_bit() {
    let ball = |x: f64| {
        let mut scene = Scene::new("duration = 0.1\ntime_step = 0.01");
        scene.material("ground", 0.4, 0.5);
        scene.body(&Body::new("ball", "sphere.radius = 0.5", "ground", DVec3::X * x));
        hash(&scene.run_with(1))
    };
    assert_eq!(ball(1.0), ball(1.0));
    assert_ne!(ball(1.0), ball(1.0f64.next_up()));
}

/// The heap takes the paths that are for large islands: blocks and single precision from 1000 contacts on, preparation
/// on all threads from 4096.
#[test]
fn the_heap_is_one_large_island() {
    let scene = granule_scene::Scene::parse(heap().text(), "heap", std::path::Path::new(".")).expect("a valid scene");
    let mut simulation = scene.build().expect("a valid scene").simulation;
    for step in 0..10 {
        let report = simulation.step().expect("the run stays finite");
        // Measured: 17 600 to 22 900.
        assert!(report.largest_island > 4096, "island of {} contacts in step {step}", report.largest_island);
    }
}

/// One to four threads agree on the heap.
#[test]
fn threads_give_the_same_bits_in_a_large_island() {
    let one = hash(&heap().run_with(1));
    for threads in 2..=4 {
        assert_eq!(one, hash(&heap().run_with(threads)), "one and {threads} threads");
    }
}

/// Judges the hash of a scene against the one in `data/reference/golden_hashes.json`: the same on every machine, in dev
/// and release builds.
fn judge_hash(name: &str, found: &str) {
    let file = reference(include_str!("../../../../data/reference/golden_hashes.json"));
    let golden = file[name].as_str().unwrap_or_else(|| panic!("no hash of {name:?} is minted; found {found:?}"));
    assert_eq!(
        found, golden,
        "\nThe state at the end differs in at least one bit from the golden one.\n\
         Judge: was a change of trajectories intended (a law, a tolerance, the order of a sum)? If not, something became\n\
         dependent on the machine, the build or chance: compare `cargo test` with `cargo test --release`, and run this test\n\
         several times; `final_state.csv` of both shows which body differs first.\n\
         Re-mint, when the change was intended and every other test of this suite passes in dev and release: write\n\
         \"{name}\": \"{found}\" into data/reference/golden_hashes.json and say in the changelog that results change."
    );
}

#[test]
fn the_golden_hash_is_met() {
    let results = zoo().run_with(1);
    assert!(results.number("/energy/dissipated_impact") > 0.0 && results.number("/energy/work_driven") != 0.0);
    judge_hash("zoo", &hash(&results));
}

#[test]
fn the_golden_hash_of_a_large_island_is_met() {
    let results = heap().run_with(1);
    assert_eq!(results.number("/bodies"), 1.0 + HEAP.iter().product::<usize>() as f64);
    assert!(results.number("/energy/dissipated_impact") > 0.0 && results.number("/energy/dissipated_friction") > 0.0);
    judge_hash("heap", &hash(&results));
}

/// Negative control: the judgement refuses another hash, and a name without one.
#[test]
fn another_hash_is_refused() {
    for name in ["zoo", "heap", "nothing"] {
        let refused = std::panic::catch_unwind(|| judge_hash(name, "0123456789abcdef"));
        assert!(refused.is_err(), "{name}");
    }
}
