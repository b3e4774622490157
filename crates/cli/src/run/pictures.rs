//! The pictures of a run and its film: which states, seen from where, under which names.

use std::path::Path;

use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_model::{Aabb, BodyKind, Pose};
use granule_scene::{OutputPlan, PictureFraming, Pictures, Stage};
use granule_view::{
    Camera, ColourBy, Film, FilmPalette, Framing, RenderOptions, Renderer, draw_caption, has_relief, over_relief,
    save_png,
};
use image::RgbImage;

use super::colours::Colours;
use super::reel::{MEMORY, Reel, State};
use crate::error::CliError;
use crate::results::Results;

/// When the picture of a release is taken, after the removal, in units of sqrt(R/g), R the smallest equal-volume
/// radius: 1.5 s for grains of 3 m, when the front is on its way.
const RELEASING: f64 = 4.0;

/// Name of the film.
pub(crate) const FILM: &str = "film.gif";

/// The film of a run, as it is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilmPlan {
    /// Frames per second of film and of simulated time alike.
    pub(crate) rate: f64,
}

/// Takes the pictures of a run and its film.
///
/// `first` and `final` are those of the first and the last state. With [`Pictures::Stages`] there are also `packed`,
/// the end of a stage after which bodies are removed, `releasing`, soon after that, and one called after each other
/// stage.
///
/// States are kept while the run goes on and drawn when it ends, whatever ended it: only then is it known where bodies
/// went. All pictures show the same part of the world, that of [`Framing`], so that they can be laid on each other. A
/// run that is killed leaves none.
#[derive(Debug)]
pub(crate) struct Album {
    results: Results,
    plan: OutputPlan,
    film: Option<FilmPlan>,
    /// Height of each body in the first state \[m\].
    start_heights: Vec<f64>,
    releasing_at: Option<f64>,
    framing: Framing,
    /// Whether states have a say yet in which part of the world is shown.
    frames_count: bool,
    taken: Vec<(String, State)>,
    reel: Reel,
    remarks: Vec<String>,
}

impl Album {
    /// An album among `results`.
    pub(crate) fn new(results: &Results, plan: OutputPlan, film: Option<FilmPlan>) -> Self {
        Album {
            results: results.clone(),
            plan,
            film,
            start_heights: Vec::new(),
            releasing_at: None,
            framing: Framing::new(),
            frames_count: plan.framing == PictureFraming::Run,
            taken: Vec::new(),
            reel: Reel::new(MEMORY),
            remarks: Vec::new(),
        }
    }

    /// What there is to say about pictures that are missing or unlike what was asked for.
    pub(crate) fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Whether frames are to be given to [`Album::frame`].
    pub(crate) fn films(&self) -> bool {
        self.film.is_some()
    }

    pub(crate) fn begin(&mut self, simulation: &Simulation) {
        let snapshot = simulation.snapshot();
        self.start_heights = snapshot.bodies.iter().map(|b| b.pose.position.z).collect();
        if self.plan.pictures != Pictures::None {
            self.take("first", &snapshot);
        }
    }

    pub(crate) fn stage_begins(&mut self, simulation: &Simulation, stage: &Stage, last: bool) {
        self.frames_count |= last;
        let gravity = simulation.settings().gravity.length();
        if self.plan.pictures == Pictures::Stages && !stage.remove.is_empty() && gravity > 0.0 {
            let radius = simulation.scales().smallest_radius;
            self.releasing_at = Some(simulation.time() + RELEASING * (radius / gravity).sqrt());
        }
    }

    pub(crate) fn step(&mut self, simulation: &Simulation) {
        if self.releasing_at.is_some_and(|time| simulation.time() >= time) {
            self.releasing_at = None;
            self.take("releasing", &simulation.snapshot());
        }
    }

    pub(crate) fn stage_ends(&mut self, simulation: &Simulation, name: &str, removal_follows: bool, last: bool) {
        // A stage may be over before its time for this picture has come.
        if self.releasing_at.take().is_some() {
            self.take("releasing", &simulation.snapshot());
        }
        if self.plan.pictures == Pictures::Stages && !last {
            let name = if removal_follows { "packed".to_owned() } else { file_name(name) };
            self.take(&name, &simulation.snapshot());
        }
    }

    /// Keeps a frame of the film.
    pub(crate) fn frame(&mut self, snapshot: &Snapshot) {
        if self.film.is_some() && drawable(snapshot) {
            self.add_to_framing(snapshot);
            self.reel.offer(snapshot);
        }
    }

    /// Takes the last picture and draws all of them and the film. Each is tried, whatever becomes of the others.
    ///
    /// # Errors
    /// The first [`CliError`], naming the path that cannot be written.
    pub(crate) fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        let mut scene = simulation.snapshot();
        // A run that ended before its last stage shows what holds its end.
        if !std::mem::replace(&mut self.frames_count, true) && drawable(&scene) {
            self.framing.add(&scene);
        }
        if self.plan.pictures != Pictures::None {
            self.take("final", &scene);
        }
        if self.taken.is_empty() && self.reel.states().is_empty() {
            return Ok(());
        }
        let look = self.look(&scene);
        let pictures = self.draw_pictures(&mut scene, &look);
        pictures.and(self.draw_film(&mut scene, &look))
    }

    /// What all pictures have in common.
    fn look(&self, scene: &Snapshot) -> Look {
        let region = self.framing.region();
        let over_relief = over_relief(&self.framing, scene, self.plan.relief, ASPECT);
        Look {
            region,
            camera: over_relief.unwrap_or_else(|| Camera::framing(&region, Camera::default_direction())),
            relief: self.plan.relief,
            colours: Colours::new(self.plan.colour, self.framing.speed_range(), &self.start_heights, scene),
        }
    }

    /// Keeps a state under a name; one that is taken already gets a number.
    fn take(&mut self, name: &str, snapshot: &Snapshot) {
        let same = |(taken, _): &&(String, State)| taken.strip_prefix(name).is_some_and(is_number);
        let count = self.taken.iter().filter(same).count();
        let name = numbered(name, count);
        if !drawable(snapshot) {
            self.remarks.push(format!("there is no picture {name}.png: positions in its state are not finite"));
            return;
        }
        self.add_to_framing(snapshot);
        self.taken.push((name, State::of(snapshot)));
    }

    fn add_to_framing(&mut self, snapshot: &Snapshot) {
        if self.frames_count {
            self.framing.add(snapshot);
        }
    }

    fn draw_pictures(&self, scene: &mut Snapshot, look: &Look) -> Result<(), CliError> {
        let mut renderer = Renderer::new();
        let draw = |(name, state): &(String, State)| {
            state.show_in(scene);
            let mut options = look.options(RenderOptions::default());
            look.colours.set(scene, name == "final", &mut options);
            options.caption = Some(caption(scene, &look.camera, &options));
            let path = self.results.file(&format!("{name}.png"))?;
            Ok(save_png(&path, &renderer.render(scene, &look.camera, &options))?)
        };
        let results: Vec<Result<(), CliError>> = self.taken.iter().map(draw).collect();
        results.into_iter().collect()
    }

    fn draw_film(&mut self, scene: &mut Snapshot, look: &Look) -> Result<(), CliError> {
        let Some(plan) = self.film.filter(|_| !self.reel.states().is_empty()) else { return Ok(()) };
        let every = self.reel.every();
        if every > 1 {
            let memory = MEMORY >> 20;
            let text = format!("film.gif has one frame in {every} of those asked for: more do not fit in {memory} MiB");
            self.remarks.push(text);
        }
        let relief = has_relief(scene, look.relief);
        let mut cinema = Cinema::create(&self.results.file(FILM)?, plan.rate / every as f64, look, relief)?;
        self.reel.states().iter().try_for_each(|state| {
            state.show_in(scene);
            cinema.push(scene)
        })
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
    (0..taken.len()).map(|i| format!("{}.png", numbered(&taken[i], same(i)))).collect()
}

/// The name of a picture of whose name so many were taken before.
fn numbered(name: &str, before: usize) -> String {
    if before == 0 { name.to_owned() } else { format!("{name}-{}", before + 1) }
}

/// Width of pictures and of the film over their height.
const ASPECT: f64 = 16.0 / 9.0;

/// What all pictures of a run and its film have in common.
struct Look {
    region: Aabb,
    camera: Camera,
    relief: Option<bool>,
    colours: Colours,
}

impl Look {
    fn options(&self, size: RenderOptions) -> RenderOptions {
        RenderOptions { region: Some(self.region), relief: self.relief, ..size }
    }
}

/// The film of a run, from one place.
struct Cinema<'a> {
    film: Film,
    look: &'a Look,
    renderer: Renderer,
    options: RenderOptions,
    /// Edge of a pixel in the world, at least \[m\].
    pixel: f64,
    drawn: Option<Drawn>,
}

/// A picture without its caption, and what it shows.
struct Drawn {
    image: RgbImage,
    bodies: Vec<(Pose, bool)>,
    colour_by: ColourBy,
}

/// Width and height of a film over relief, where grains are small.
const RELIEF_FILM: (u32, u32) = (960, 540);

/// Motion since a picture was drawn up to which it is used again, in pixels: root mean square over the bodies, and the
/// largest. In a pile that has come to rest some last grain still rolls; it may go on in small jumps.
const STILL: (f64, f64) = (0.25, 1.5);

impl<'a> Cinema<'a> {
    /// A film at `path`.
    fn create(path: &Path, rate: f64, look: &'a Look, relief: bool) -> Result<Self, CliError> {
        let size = if relief { RELIEF_FILM } else { (640, 360) };
        let (width, height) = size;
        let options = look.options(RenderOptions { width, height, ..RenderOptions::film() });
        let palette = FilmPalette::of(&options, look.colours.all(), relief);
        let film = Film::create(path, width, height, rate, palette)?;
        let pixel = look.region.size().max_element() / f64::from(width.max(height));
        Ok(Cinema { film, look, renderer: Renderer::new(), options, pixel, drawn: None })
    }

    /// Appends a frame. What stands still is drawn once: a pile that comes to rest takes half of many runs.
    fn push(&mut self, snapshot: &Snapshot) -> Result<(), CliError> {
        self.look.colours.set(snapshot, false, &mut self.options);
        let colour_by = self.options.colour_by;
        let drawn = match self.drawn.take() {
            Some(drawn) if drawn.colour_by == colour_by && drawn.shows(snapshot, self.pixel) => drawn,
            _ => Drawn {
                image: self.renderer.render(snapshot, &self.look.camera, &self.options),
                bodies: snapshot.bodies.iter().map(|b| (b.pose, b.present)).collect(),
                colour_by,
            },
        };
        let mut image = drawn.image.clone();
        self.drawn = Some(drawn);
        draw_caption(&mut image, &caption(snapshot, &self.look.camera, &self.options));
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

/// How far a point of a body can be from where it was at `pose` \[m\]: by the way of its centre, and by its turning,
/// for which |q - q0| is half the angle at small angles. Bodies without end turn nothing into sight.
fn largest_motion(body: &BodySnapshot, pose: &Pose) -> f64 {
    let (q, p) = (body.pose.rotation, pose.rotation);
    let turn = 2.0 * (q - p).length().min((q + p).length());
    let extent = if body.shape.is_unbounded() { 0.0 } else { body.shape.bounding_radius() };
    (body.pose.position - pose.position).length() + turn * extent
}

/// The time, and how many of the moving bodies the picture does not show.
fn caption(snapshot: &Snapshot, camera: &Camera, options: &RenderOptions) -> String {
    let aspect = f64::from(options.width) / f64::from(options.height);
    let moving = || snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic);
    let (all, seen) = (moving().count(), moving().filter(|b| camera.sees(b.pose.position, aspect)).count());
    let missing = match (all, all - seen) {
        (0, _) => ", no moving body in the scene".to_owned(),
        (_, 0) => String::new(),
        (all, missing) => format!(", {missing} of {all} bodies out of the picture"),
    };
    format!("t = {:.2} s{missing}", snapshot.time)
}

/// Whether what follows the name of a picture is nothing or a number of ours.
fn is_number(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok())
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
