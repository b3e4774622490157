//! Writes scenes, runs the program on them, reads its results back and judges them against bounds.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::path::Path;
use std::process::Command;

use glam::{DQuat, DVec3};
use serde_json::Value;

/// How far sleeping may move a body, over the radius of the sphere that has its mass.
const AGREE: f64 = 1e-6;

/// A scene under construction: the text of its file and the meshes beside it.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    text: String,
    meshes: Vec<(String, String)>,
}

impl Scene {
    /// A scene whose `[run]` table has the given lines and which writes the summary and the final state only.
    pub(crate) fn new(run: &str) -> Self {
        Scene::with_ledger(run, 0)
    }

    /// As [`Scene::new`], with a row of `energy.csv` every so many steps.
    pub(crate) fn with_ledger(run: &str, every: u32) -> Self {
        let output = format!("vtk = false\npictures = \"none\"\nenergy_every = {every}");
        Scene { text: format!("[run]\n{run}\n[output]\n{output}\n"), meshes: Vec::new() }
    }

    /// A scene that is written already.
    pub(crate) fn from_text(text: String) -> Self {
        Scene { text, meshes: Vec::new() }
    }

    /// Adds lines of the file.
    pub(crate) fn add(&mut self, lines: impl AsRef<str>) {
        self.text.push_str(lines.as_ref());
        self.text.push('\n');
    }

    /// Adds a material of density 2650 kg/m3.
    pub(crate) fn material(&mut self, name: &str, restitution: f64, friction: f64) {
        self.add(format!(
            "[materials.{name}]\ndensity = 2650.0\nrestitution = {restitution:?}\nstatic_friction = {friction:?}"
        ));
    }

    /// Adds a table `[[pair]]` with the given lines.
    pub(crate) fn pair(&mut self, a: &str, b: &str, lines: &str) {
        self.add(format!("[[pair]]\nmaterials = [\"{a}\", \"{b}\"]\n{lines}"));
    }

    /// Adds a body.
    pub(crate) fn body(&mut self, body: &Body) {
        let Body { name, kind, shape, material, at, orientation: q, velocity, angular_velocity, more } = body;
        self.add(format!(
            "[[body]]\nname = \"{name}\"\nkind = \"{kind}\"\nshape = {{ {shape} }}\nmaterial = \"{material}\"\n\
             position = {}\norientation = {:?}\n{more}",
            vector(*at),
            q.to_array(),
        ));
        if *velocity != DVec3::ZERO || *angular_velocity != DVec3::ZERO {
            self.add(format!("velocity = {}\nangular_velocity = {}", vector(*velocity), vector(*angular_velocity)));
        }
    }

    /// Puts a mesh beside the scene.
    pub(crate) fn mesh(&mut self, file: &str, stl: String) {
        self.meshes.push((file.to_owned(), stl));
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Runs the scene as it is written, and without sleeping; returns the first, which must agree with the second to
    /// [`AGREE`]. For scenes that have one answer.
    pub(crate) fn run(&self) -> Results {
        let [with, without] = self.run_both();
        for (name, body) in with.bodies() {
            let other = without.body(name);
            let distance = (body.at - other.at).length();
            let bound = AGREE * body.radius();
            assert!(distance <= bound, "{name}: {distance:.3e} m of {bound:.3e} m by sleeping, in\n{}", self.text);
        }
        with
    }

    /// Runs the scene as it is written, and without sleeping.
    pub(crate) fn run_both(&self) -> [Results; 2] {
        assert!(!self.text.contains("\nsleeping"), "the scene says itself whether it sleeps");
        [self, &self.with_run("sleeping = false")].map(|scene| scene.run_with(1))
    }

    /// The scene with a line more in its table `[run]`.
    pub(crate) fn with_run(&self, line: &str) -> Scene {
        let text = self.text.replacen("[run]\n", &format!("[run]\n{line}\n"), 1);
        assert_ne!(text, self.text, "a scene without [run]");
        Scene { text, meshes: self.meshes.clone() }
    }

    /// Runs the scene as it is written.
    pub(crate) fn run_with(&self, threads: u32) -> Results {
        let folder = tempfile::tempdir().expect("a folder for the test");
        std::fs::write(folder.path().join("scene.toml"), &self.text).expect("written");
        for (file, stl) in &self.meshes {
            std::fs::write(folder.path().join(file), stl).expect("written");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_granule"));
        let threads = threads.to_string();
        command.args(["run", "scene.toml", "--out", "out", "--quiet", "--threads", &threads]);
        let ended = command.current_dir(folder.path()).output().expect("the program starts");
        let message = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{}\n{message}\n{}", ended.status, self.text);
        Results::read(&folder.path().join("out"))
    }
}

/// A body of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    /// The inside of the shape's table.
    pub(crate) shape: String,
    pub(crate) material: String,
    pub(crate) at: DVec3,
    pub(crate) orientation: DQuat,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    /// Further lines.
    pub(crate) more: String,
}

impl Body {
    /// A dynamic body at rest.
    pub(crate) fn new(
        name: impl Into<String>,
        shape: impl Into<String>,
        material: impl Into<String>,
        at: DVec3,
    ) -> Self {
        Body {
            name: name.into(),
            kind: "dynamic",
            shape: shape.into(),
            material: material.into(),
            at,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            more: String::new(),
        }
    }
}

/// A vector as TOML.
pub(crate) fn vector(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// The inside of a cuboid's table.
pub(crate) fn cuboid(size: DVec3) -> String {
    format!("cuboid.size = {}", vector(size))
}

/// The inside of a sphere's table.
pub(crate) fn sphere(radius: f64) -> String {
    format!("sphere.radius = {radius:?}")
}

/// A rotation by `angle` about the y axis, without leaving rounding in the other parts.
pub(crate) fn about_y(angle: f64) -> DQuat {
    DQuat::from_xyzw(0.0, libm::sin(0.5 * angle), 0.0, libm::cos(0.5 * angle))
}

/// The kinds of ground on which an experiment is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    HalfSpace,
    Cuboid,
    Mesh,
}

impl Ground {
    pub(crate) const ALL: [Ground; 3] = [Ground::HalfSpace, Ground::Cuboid, Ground::Mesh];

    /// Adds a static `ground` of the material `ground`: a plane through the origin that falls by `slope` radians
    /// towards x; cuboid and mesh reach `reach` from the origin either way.
    pub(crate) fn add_to(self, scene: &mut Scene, slope: f64, reach: f64) {
        let turn = about_y(slope);
        let mut body = Body::new("ground", "half-space.normal = [0.0, 0.0, 1.0]", "ground", DVec3::ZERO);
        (body.kind, body.orientation) = ("static", turn);
        match self {
            Ground::HalfSpace => {}
            Ground::Cuboid => {
                body.shape = cuboid(DVec3::new(2.0 * reach, 2.0 * reach, reach));
                body.at = turn * DVec3::new(0.0, 0.0, -0.5 * reach);
            }
            Ground::Mesh => {
                body.shape = "mesh.file = \"ground.stl\"".to_owned();
                scene.mesh("ground.stl", plane_mesh(reach));
            }
        }
        scene.body(&body);
    }
}

/// A plane z = 0 in uneven triangles, some of them slender, so that bodies lie across their edges.
fn plane_mesh(reach: f64) -> String {
    const CELLS: usize = 12;
    // A cubic stretches the grid; no line of it passes through the origin, where bodies start.
    let line = |i: usize, bend: f64| {
        let t = 2.0 * i as f64 / CELLS as f64 - 1.0;
        reach * (t + bend * t * (1.0 - t * t) + 0.03 * (1.0 - t * t))
    };
    let corner = |i: usize, j: usize| DVec3::new(line(i, 0.2), line(j, -0.3), 0.0);
    let mut triangles = Vec::new();
    for (i, j) in (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j))) {
        let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
        if (i + j) % 2 == 0 {
            triangles.extend([[a, b, c], [a, c, d]]);
        } else {
            triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    stl(&triangles)
}

/// Triangles as an STL file in text form.
pub(crate) fn stl(triangles: &[[DVec3; 3]]) -> String {
    let mut text = String::from("solid s\n");
    for corners in triangles {
        text.push_str("facet normal 0 0 0\nouter loop\n");
        for p in corners {
            writeln!(text, "vertex {:e} {:e} {:e}", p.x, p.y, p.z).expect("a string takes it");
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid s\n");
    text
}

/// A row of `final_state.csv`.
#[derive(Clone, Debug)]
pub(crate) struct Final {
    pub(crate) mass: f64,
    pub(crate) at: DVec3,
    pub(crate) orientation: DQuat,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
}

impl Final {
    /// Radius of the sphere of 2650 kg/m3 that has its mass \[m\]; zero for bodies without one.
    fn radius(&self) -> f64 {
        (0.75 * self.mass / (2650.0 * std::f64::consts::PI)).cbrt()
    }
}

/// What a run left.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) summary: Value,
    /// By name; bodies without one by number.
    bodies: BTreeMap<String, Final>,
    ledger: Vec<BTreeMap<String, f64>>,
}

impl Results {
    fn read(folder: &Path) -> Self {
        let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        let summary = serde_json::from_str(&text("summary.json")).expect("JSON");
        let bodies = text("final_state.csv").lines().skip(1).map(body_of).collect();
        let ledger = if folder.join("energy.csv").is_file() { ledger_of(&text("energy.csv")) } else { Vec::new() };
        Results { summary, bodies, ledger }
    }

    /// The final state of a body.
    pub(crate) fn body(&self, name: &str) -> &Final {
        self.bodies.get(name).unwrap_or_else(|| panic!("no body {name}"))
    }

    /// The final states of all bodies.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = (&str, &Final)> {
        self.bodies.iter().map(|(name, body)| (name.as_str(), body))
    }

    /// A number of the summary, by a path such as `/energy/start`.
    pub(crate) fn number(&self, path: &str) -> f64 {
        self.summary.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {path}: {}", self.summary))
    }

    /// Change of a column of `energy.csv` over the run.
    pub(crate) fn change(&self, name: &str) -> f64 {
        let column = self.column(name);
        column[column.len() - 1] - column[0]
    }

    /// Writes another number into the last row of a column of `energy.csv`, as a fault of the ledger would.
    pub(crate) fn plant(&mut self, column: &str, change: impl Fn(f64) -> f64) {
        let row = self.ledger.last_mut().expect("the scene writes energy.csv");
        let value = row.get_mut(column).expect("a column");
        *value = change(*value);
    }

    /// A column of `energy.csv`.
    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        assert!(!self.ledger.is_empty(), "the scene writes no energy.csv");
        self.ledger.iter().map(|row| row[name]).collect()
    }
}

fn body_of(line: &str) -> (String, Final) {
    let fields: Vec<&str> = line.split(',').collect();
    let n: Vec<f64> = fields[4..].iter().map(|f| f.parse().expect("a number")).collect();
    let triple = |i: usize| DVec3::new(n[i], n[i + 1], n[i + 2]);
    let body = Final {
        mass: n[0],
        at: triple(1),
        orientation: DQuat::from_xyzw(n[4], n[5], n[6], n[7]),
        velocity: triple(8),
        angular_velocity: triple(11),
    };
    let name = if fields[1].is_empty() { fields[0] } else { fields[1] };
    (name.to_owned(), body)
}

fn ledger_of(text: &str) -> Vec<BTreeMap<String, f64>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let row = |line: &str| {
        let values = line.split(',').map(|f| f.parse().expect("a number"));
        names.iter().map(|n| (*n).to_owned()).zip(values).collect()
    };
    lines.map(row).collect()
}

/// A file of `data/reference`.
pub(crate) fn reference(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// A number of a reference case.
pub(crate) fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("no number {key}: {case}"))
}

/// An array of numbers of a reference case.
pub(crate) fn numbers(case: &Value, key: &str) -> Vec<f64> {
    let list = case[key].as_array().unwrap_or_else(|| panic!("no array {key}: {case}"));
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

/// Collects measured values with their bounds, so that a failure shows all cases that miss and a pass, with
/// `--nocapture`, how near the worst came.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    misses: Vec<String>,
    worst: BTreeMap<String, (f64, String)>,
}

impl Judge {
    /// Judges that `measured` is at most `bound`; NaN misses.
    pub(crate) fn at_most(&mut self, what: &str, case: impl Display, measured: f64, bound: f64) {
        let line = format!("{what}: {measured:.3e} of {bound:.3e}, {case}");
        let share = measured / bound;
        let within = measured <= bound;
        if !within {
            self.misses.push(line.clone());
        }
        let worst = self.worst.entry(what.to_owned()).or_insert((f64::NEG_INFINITY, String::new()));
        if share > worst.0 || share.is_nan() {
            *worst = (share, line);
        }
    }

    /// What missed its bound, a line each: for tests of a judgement.
    pub(crate) fn missed(&self) -> &[String] {
        &self.misses
    }

    /// Fails if anything missed its bound.
    pub(crate) fn finish(self) {
        for (share, line) in self.worst.values() {
            println!("worst {:6.2} % {line}", 100.0 * share);
        }
        assert!(!self.worst.is_empty(), "nothing was judged");
        assert!(self.misses.is_empty(), "{} missed:\n{}", self.misses.len(), self.misses.join("\n"));
    }
}
