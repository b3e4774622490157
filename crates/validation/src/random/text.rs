//! A random scene as a scene file, with the files of its meshes beside it.

use std::fmt::Write;

use granule_engine::{JamResponse, Motion};
use granule_model::{BodyKind, DQuat, DVec3, Material, RestitutionSpeed, Velocity};
use granule_solver::Law;

use super::form::Form;
use super::scene::{RandomBody, RandomScene};

/// A scene file and what it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenScene {
    /// The scene, as TOML.
    pub text: String,
    /// Names and texts of the mesh files, to be put beside the scene.
    pub meshes: Vec<(String, String)>,
}

impl RandomScene {
    /// The scene as a file; none for one that changes during the run, which no file can say. `time_step` \[s\] is that
    /// of the run, which says how long the steps last in all. Mesh files begin with `prefix`.
    pub fn written(&self, time_step: f64, prefix: &str) -> Option<WrittenScene> {
        if !self.events.is_empty() {
            return None;
        }
        let mut writer = Writer { prefix, out: WrittenScene { text: String::new(), meshes: Vec::new() } };
        writer.head(self, time_step);
        self.materials.iter().enumerate().for_each(|(i, m)| writer.material(i, m));
        self.bodies.iter().for_each(|b| writer.body(b));
        Some(writer.out)
    }
}

struct Writer<'a> {
    prefix: &'a str,
    out: WrittenScene,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.text.push_str(text);
        self.out.text.push('\n');
    }

    fn head(&mut self, scene: &RandomScene, time_step: f64) {
        self.line(&format!("title = \"random scene {}, {}\"\n\n[run]", scene.seed, scene.family.name()));
        self.line(&format!("duration = {:?}", f64::from(scene.steps) * time_step));
        self.line(&format!("gravity = {}", vector(scene.settings.gravity)));
        if let Some(step) = scene.settings.time_step {
            self.line(&format!("time_step = {step:?}"));
        }
        if scene.settings.jam == JamResponse::Yield {
            self.line("jam = \"yield\"");
        }
        let law = Law::NAMES.into_iter().find(|name| Law::by_name(name) == Some(scene.settings.law));
        if let Some(name) = law.filter(|_| scene.settings.law != Law::default()) {
            self.line(&format!("\n[law.{name}]"));
        }
    }

    fn material(&mut self, i: usize, m: &Material) {
        self.line(&format!("\n[materials.m{i}]\ndensity = {:?}\nrestitution = {:?}", m.density, m.restitution));
        match m.restitution_speed {
            RestitutionSpeed::Given(speed) => self.line(&format!("restitution_speed = {speed:?}")),
            RestitutionSpeed::Natural => self.line("restitution_speed = \"natural\""),
            RestitutionSpeed::Constant => {}
        }
        for (key, value) in [
            ("tangential_restitution", m.tangential_restitution),
            ("static_friction", m.static_friction),
            ("dynamic_friction", m.dynamic_friction),
            ("rolling_friction", m.rolling_friction),
            ("torsional_friction", m.torsional_friction),
        ] {
            self.line(&format!("{key} = {value:?}"));
        }
    }

    fn body(&mut self, body: &RandomBody) {
        let shape = self.shape(&body.form, &body.name);
        self.line(&format!("\n[[body]]\nname = \"{}\"\nkind = \"{}\"", body.name, body.kind.name()));
        self.line(&format!("shape = {shape}\nmaterial = \"m{}\"", body.material));
        self.line(&format!("position = {}", vector(body.pose.position)));
        if body.pose.rotation != DQuat::IDENTITY {
            self.line(&format!("orientation = {}", quaternion(body.pose.rotation)));
        }
        if body.kind == BodyKind::Dynamic && body.velocity != Velocity::ZERO {
            self.line(&format!("velocity = {}", vector(body.velocity.linear)));
            self.line(&format!("angular_velocity = {}", vector(body.velocity.angular)));
        }
        match &body.motion {
            Some(Motion::Constant(v)) => {
                self.line(&format!("velocity = {}", vector(v.linear)));
                self.line(&format!("angular_velocity = {}", vector(v.angular)));
            }
            Some(Motion::Sine { amplitude, frequency, phase }) => {
                let amplitude = vector(*amplitude);
                let sine = format!("amplitude = {amplitude}, frequency = {frequency:?}, phase = {phase:?}");
                self.line(&format!("motion = {{ sine = {{ {sine} }} }}"));
            }
            // No random scene has another motion.
            Some(Motion::Function(_)) | None => {}
        }
    }

    /// The shape as an inline table; a mesh goes to a file named after the body.
    fn shape(&mut self, form: &Form, name: &str) -> String {
        match form {
            Form::Sphere { radius } => format!("{{ sphere = {{ radius = {radius:?} }} }}"),
            Form::Capsule { radius, length } => {
                format!("{{ capsule = {{ radius = {radius:?}, length = {length:?} }} }}")
            }
            Form::Cuboid { size } => format!("{{ cuboid = {{ size = {} }} }}", vector(*size)),
            Form::Convex { vertices } => {
                let points: Vec<String> = vertices.iter().map(|v| vector(*v)).collect();
                format!("{{ convex = {{ vertices = [{}] }} }}", points.join(", "))
            }
            Form::Compound { parts } => {
                let mut list = Vec::new();
                for (i, (pose, form)) in parts.iter().enumerate() {
                    let shape = self.shape(form, &format!("{name}-{i}"));
                    let (position, orientation) = (vector(pose.position), quaternion(pose.rotation));
                    list.push(format!("{{ shape = {shape}, position = {position}, orientation = {orientation} }}"));
                }
                format!("{{ compound = {{ parts = [{}] }} }}", list.join(", "))
            }
            Form::Cross { edge } => format!("{{ cross = {{ edge = {edge:?} }} }}"),
            Form::ClosedMesh { vertices, triangles, .. } => {
                format!("{{ closed-mesh = {{ file = \"{}\" }} }}", self.mesh(name, vertices, triangles))
            }
            Form::HalfSpace { normal } => format!("{{ half-space = {{ normal = {} }} }}", vector(*normal)),
            Form::Container { size } => format!("{{ container = {{ size = {} }} }}", vector(*size)),
            Form::Mesh { vertices, triangles, .. } => {
                format!("{{ mesh = {{ file = \"{}\" }} }}", self.mesh(name, vertices, triangles))
            }
        }
    }

    /// Writes a mesh and returns the name of its file.
    fn mesh(&mut self, name: &str, vertices: &[DVec3], triangles: &[[u32; 3]]) -> String {
        let file = format!("{}-{name}.obj", self.prefix);
        let mut text = String::new();
        for v in vertices {
            let _ = writeln!(text, "v {:?} {:?} {:?}", v.x, v.y, v.z);
        }
        for t in triangles {
            let _ = writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
        }
        self.out.meshes.push((file.clone(), text));
        file
    }
}

fn vector(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

fn quaternion(q: DQuat) -> String {
    format!("[{:?}, {:?}, {:?}, {:?}]", q.x, q.y, q.z, q.w)
}
