//! The pictures of a run and its film: which states, seen from where, under which names.

use std::path::Path;

use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_model::{Aabb, Pose};
use granule_scene::{Pictures, Stage};
use granule_view::{Camera, Film, FilmPalette, RenderOptions, draw_caption, render, save_png, scene_region};
use image::RgbImage;

use crate::error::CliError;
use crate::results::Results;

/// When the picture of a release is taken, after the removal, in units of sqrt(R/g), R the smallest equal-volume radius:
/// 1.5 s for grains of 3 m, when the front is on its way.
const RELEASING: f64 = 4.0;

/// Takes the pictures of a run.
///
/// `first` and `final` are those of the first and the last state. With [`Pictures::Stages`] there are also `packed`, the end
/// of a stage after which bodies are removed, `releasing`, soon after that, and one called after each other stage. From the
/// second on, all show the same part of the world, so that they can be laid on each other.
#[derive(Debug)]
pub(crate) struct Album {
    results: Results,
    plan: Pictures,
    removed: Vec<String>,
    region: Option<Aabb>,
    releasing_at: Option<f64>,
    taken: Vec<String>,
}

impl Album {
    /// An album among `results`; the bodies called `removed` are those that do not stay.
    pub(crate) fn new(results: &Results, plan: Pictures, removed: Vec<String>) -> Self {
        Album { results: results.clone(), plan, removed, region: None, releasing_at: None, taken: Vec::new() }
    }

    pub(crate) fn begin(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.plan == Pictures::None {
            return Ok(());
        }
        let snapshot = simulation.snapshot();
        self.take("first", &snapshot, lasting_region(&snapshot, &self.removed))
    }

    pub(crate) fn stage_begins(&mut self, simulation: &Simulation, stage: &Stage) {
        let gravity = simulation.settings().gravity.length();
        if self.plan == Pictures::Stages && !stage.remove.is_empty() && gravity > 0.0 {
            let radius = simulation.scales().smallest_radius;
            self.releasing_at = Some(simulation.time() + RELEASING * (radius / gravity).sqrt());
        }
    }

    pub(crate) fn step(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.releasing_at.is_none_or(|time| simulation.time() < time) {
            return Ok(());
        }
        self.releasing_at = None;
        self.take_in_common("releasing", &simulation.snapshot())
    }

    pub(crate) fn stage_ends(
        &mut self,
        simulation: &Simulation,
        name: &str,
        removal_follows: bool,
        last: bool,
    ) -> Result<(), CliError> {
        // A stage may be over before its time for this picture has come.
        if self.releasing_at.take().is_some() {
            self.take_in_common("releasing", &simulation.snapshot())?;
        }
        if self.plan != Pictures::Stages || last {
            return Ok(());
        }
        let name = if removal_follows { "packed".to_owned() } else { file_name(name) };
        self.take_in_common(&name, &simulation.snapshot())
    }

    pub(crate) fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.plan == Pictures::None {
            return Ok(());
        }
        self.take_in_common("final", &simulation.snapshot())
    }

    fn take_in_common(&mut self, name: &str, snapshot: &Snapshot) -> Result<(), CliError> {
        let region = *self.region.get_or_insert_with(|| lasting_region(snapshot, &self.removed));
        self.take(name, snapshot, region)
    }

    /// Draws and saves a picture; a name that is taken already gets a number.
    fn take(&mut self, name: &str, snapshot: &Snapshot, region: Aabb) -> Result<(), CliError> {
        if !drawable(snapshot) {
            return Ok(());
        }
        let same = self.taken.iter().filter(|taken| *taken == name).count();
        self.taken.push(name.to_owned());
        let path = self.results.file(&numbered(name, same))?;
        let options =
            RenderOptions { region: Some(region), caption: Some(time_text(snapshot)), ..RenderOptions::default() };
        let camera = Camera::framing(&region, Camera::default_direction());
        Ok(save_png(&path, &render(snapshot, &camera, &options))?)
    }
}

/// Names of the pictures that a run through `stages` may take.
pub(crate) fn names(plan: Pictures, stages: &[Stage]) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    if plan == Pictures::Stages {
        for (stage, next) in stages.iter().zip(stages.iter().skip(1).map(Some).chain([None])) {
            if !stage.remove.is_empty() {
                taken.push("releasing".to_owned());
            }
            if let Some(next) = next {
                taken.push(if next.remove.is_empty() { file_name(&stage.name) } else { "packed".to_owned() });
            }
        }
    }
    if plan != Pictures::None {
        taken.extend(["first", "final"].map(str::to_owned));
    }
    let same = |i: usize| taken[..i].iter().filter(|name| **name == taken[i]).count();
    (0..taken.len()).map(|i| numbered(&taken[i], same(i))).collect()
}

/// The file of a picture of whose name so many were taken before.
fn numbered(name: &str, before: usize) -> String {
    if before == 0 { format!("{name}.png") } else { format!("{name}-{}.png", before + 1) }
}

/// The part of the world to show: the grains and the walls around them, without those that will be taken away, so that
/// there is room for what is released.
fn lasting_region(snapshot: &Snapshot, removed: &[String]) -> Aabb {
    let mut lasting = snapshot.clone();
    for body in lasting.bodies.iter_mut().filter(|b| removed.contains(&b.name)) {
        body.present = false;
    }
    scene_region(&lasting)
}

/// The film of a run, from one place.
pub(crate) struct Cinema {
    film: Film,
    camera: Camera,
    options: RenderOptions,
    /// Edge of a pixel in the world, at least \[m\].
    pixel: f64,
    drawn: Option<Drawn>,
}

/// A picture without its caption, and what it shows.
struct Drawn {
    image: RgbImage,
    bodies: Vec<(Pose, bool)>,
}

/// Motion since a picture was drawn up to which it is used again, in pixels: root mean square over the bodies, and the largest.
/// In a pile that has come to rest some last grain still rolls; it may go on in small jumps.
const STILL: (f64, f64) = (0.25, 1.5);

impl Cinema {
    /// A film at `path`, from a place where the first state is in sight; see [`Album::new`].
    pub(crate) fn create(path: &Path, first: &Snapshot, rate: f64, removed: &[String]) -> Result<Self, CliError> {
        let region = lasting_region(first, removed);
        let options = RenderOptions { region: Some(region), ..RenderOptions::film() };
        let palette = FilmPalette::new(&options);
        let film = Film::create(path, options.width, options.height, rate, palette)?;
        let pixel = region.size().max_element() / f64::from(options.width.max(options.height));
        let camera = Camera::framing(&region, Camera::default_direction());
        Ok(Cinema { film, camera, options, pixel, drawn: None })
    }

    /// Appends a frame. What stands still is drawn once: a pile that comes to rest takes half of many runs.
    pub(crate) fn push(&mut self, snapshot: &Snapshot) -> Result<(), CliError> {
        if !drawable(snapshot) {
            return Ok(());
        }
        let drawn = match self.drawn.take() {
            Some(drawn) if drawn.shows(snapshot, self.pixel) => drawn,
            _ => Drawn {
                image: render(snapshot, &self.camera, &self.options),
                bodies: snapshot.bodies.iter().map(|b| (b.pose, b.present)).collect(),
            },
        };
        let mut image = drawn.image.clone();
        self.drawn = Some(drawn);
        draw_caption(&mut image, &time_text(snapshot));
        Ok(self.film.push(&image)?)
    }
}

impl Drawn {
    /// Whether the picture passes for one of `snapshot`.
    fn shows(&self, snapshot: &Snapshot, pixel: f64) -> bool {
        let same_bodies = self.bodies.len() == snapshot.bodies.len()
            && snapshot.bodies.iter().zip(&self.bodies).all(|(b, (_, present))| b.present == *present);
        let (mut count, mut squares, mut largest) = (0u32, 0.0, 0.0f64);
        for (body, (pose, _)) in snapshot.bodies.iter().zip(&self.bodies).filter(|(b, _)| b.present) {
            let motion = largest_motion(body, pose);
            count += 1;
            squares += motion * motion;
            largest = largest.max(motion);
        }
        let rms = (squares / f64::from(count.max(1))).sqrt();
        same_bodies && rms <= STILL.0 * pixel && largest <= STILL.1 * pixel
    }
}

/// How far a point of a body can be from where it was at `pose` \[m\]: by the way of its centre, and by its turning, for
/// which |q - q0| is half the angle at small angles. Bodies without end turn nothing into sight.
fn largest_motion(body: &BodySnapshot, pose: &Pose) -> f64 {
    let (q, p) = (body.pose.rotation, pose.rotation);
    let turn = 2.0 * (q - p).length().min((q + p).length());
    let extent = if body.shape.is_unbounded() { 0.0 } else { body.shape.bounding_radius() };
    (body.pose.position - pose.position).length() + turn * extent
}

fn time_text(snapshot: &Snapshot) -> String {
    format!("t = {:.2} s", snapshot.time)
}

/// A state that the engine gave up has no place in a picture.
fn drawable(snapshot: &Snapshot) -> bool {
    snapshot.bodies.iter().all(|b| b.pose.is_finite())
}

/// The name of a stage as one of a file: what could be a path or an option becomes a dash.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    let text: String = name.chars().map(plain).collect();
    let reserved = ["first", "packed", "releasing", "final"].contains(&text.as_str());
    if reserved || text.trim_matches('-').is_empty() { format!("stage-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_stages_make_harmless_names_of_files() {
        assert_eq!(file_name("settle"), "settle");
        assert_eq!(file_name("../../etc"), "------etc");
        assert_eq!(file_name("final"), "stage-final");
        assert_eq!(file_name(""), "stage-");
    }
}
