//! A snapshot as rays see it: solid things, and thin things that are seen through.
//!
//! Solid are all grains, floors that are seen from above, and obstacles that hide no grains. Thin are walls, obstacles
//! between the camera and the grains, and lines along edges. Only solid things cast shadows.

use granule_engine::{BodySnapshot, Snapshot};
use granule_geometry::{Primitive, Surface};
use granule_model::{Aabb, BodyKind, DVec3};

use std::sync::{Arc, OnceLock};

use crate::bvh::Bvh;
use crate::camera::Lens;
use crate::colour::{self, Colour};
use crate::contour::{Contour, Sides};
use crate::intersect::{Element, Ray};
use crate::model::{Instance, Models, Solid};
use crate::region::scene_region;
use crate::relief::{LastRelief, Relief, reliefs};
use crate::render::{ColourBy, RenderOptions};
use crate::walls::{clip_polygon, clip_segment, crease_edges, plane_polygon};

/// An obstacle that hides more than this share of the grains is drawn as glass.
const HIDING_SHARE: f64 = 0.02;
/// Grains that are asked whether the camera sees them.
const ASKED_GRAINS: usize = 200;
/// A panel whose normal rises by more than this is a floor: solid, with shadows on it.
const FLOOR_RISE: f64 = 0.5;
/// Half the width of a line in pixels at the distance of the region.
const LINE_HALF_WIDTH: f64 = 0.55;
/// Secondary rays start this far off the surface, over the size of the region: above the rounding of hit points (1e-14
/// of it), below anything that is seen.
const LIFT: f64 = 1e-9;
/// Reach of ambient occlusion in mean radii of the grains: beyond it, neighbours do not darken.
const OCCLUSION_REACH: f64 = 4.0;

/// What a solid element looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin {
    /// Body that the element belongs to: neighbouring pixels of one body share their light.
    pub(crate) body: u32,
    pub(crate) albedo: Colour,
    /// Whether it is ground that is drawn as relief, which has a colour of its own.
    pub(crate) relief: bool,
    /// Whether it belongs to a static body.
    pub(crate) fixed: bool,
}

/// What a thin element looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thin {
    /// A wall of the container.
    Panel,
    /// An obstacle before the grains.
    Glass,
    /// An edge.
    Line,
}

/// Everything that a picture shows.
pub(crate) struct World {
    pub(crate) solids: Vec<Solid>,
    /// Of all `solids`, once a ray needs it.
    hierarchy: OnceLock<Bvh<Solid>>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) relief: Option<Relief>,
    pub(crate) thin: Bvh<Solid>,
    pub(crate) thin_solids: Vec<Solid>,
    pub(crate) thin_kinds: Vec<Thin>,
    /// Distance by which secondary rays leave their surface \[m\].
    pub(crate) lift: f64,
    /// Length of ambient-occlusion rays \[m\].
    pub(crate) occlusion_reach: f64,
}

struct Builder {
    region: Aabb,
    eye: DVec3,
    line_radius: f64,
    solid: Vec<Solid>,
    skins: Vec<Skin>,
    thin: Vec<Solid>,
    kinds: Vec<Thin>,
}

impl World {
    /// `models` are those of this run; they grow by what they lack. `relief` is that of the last picture.
    pub(crate) fn new(
        snapshot: &Snapshot,
        lens: &Lens,
        options: &RenderOptions,
        models: &mut Models,
        relief: &mut LastRelief,
    ) -> World {
        let region = options.region.unwrap_or_else(|| scene_region(snapshot));
        let eye = lens.eye();
        let scale = if region.is_finite() { region.size().length() } else { 1.0 };
        let distance = if region.is_finite() { (region.center() - eye).length() } else { 1.0 };
        let mut builder = Builder {
            region,
            eye,
            line_radius: LINE_HALF_WIDTH * distance * lens.pixel_tangent(),
            solid: Vec::new(),
            skins: Vec::new(),
            thin: Vec::new(),
            kinds: Vec::new(),
        };
        let grounds = reliefs(snapshot, options.relief);
        let near = nearest_distance(&region, eye);
        let mut solids = |index: usize, body: &BodySnapshot| {
            // Ground is never coarse: it has no size of its own in the picture.
            let pixels = match body.kind {
                BodyKind::Dynamic => 2.0 * body.shape.bounding_radius() / (near * lens.pixel_tangent()),
                BodyKind::Static | BodyKind::Driven => f64::INFINITY,
            };
            body_solids(index, body, pixels, models)
        };
        let hiding = hiding_obstacles(snapshot, eye, &grounds, &mut solids);
        for (index, body) in snapshot.bodies.iter().enumerate().filter(|(_, b)| b.present) {
            let in_relief = grounds.contains(&index);
            let fixed = body.kind == BodyKind::Static;
            let skin =
                Skin { body: index as u32, albedo: albedo(index, body, &region, options), relief: in_relief, fixed };
            if body.shape.is_unbounded() {
                builder.add_panels(body, skin);
            } else if hiding.contains(&index) {
                builder.add_glass(body);
            } else if let Some(cover) = builder.cover(body) {
                builder.add_cut(body, skin, &cover);
            } else {
                builder.solid.extend(solids(index, body));
                builder.skins.resize(builder.solid.len(), skin);
            }
        }
        let relief = relief.of(builder.grounds(), lens);
        World {
            solids: builder.solid,
            hierarchy: OnceLock::new(),
            skins: builder.skins,
            relief,
            thin: Bvh::new(&builder.thin),
            thin_solids: builder.thin,
            thin_kinds: builder.kinds,
            lift: LIFT * (scale + distance),
            occlusion_reach: OCCLUSION_REACH * mean_radius(snapshot).unwrap_or(0.1 * scale),
        }
    }

    /// All solid things as rays meet them.
    pub(crate) fn solid(&self) -> &Bvh<Solid> {
        self.hierarchy.get_or_init(|| Bvh::new(&self.solids))
    }
}

fn mean_radius(snapshot: &Snapshot) -> Option<f64> {
    let radii =
        snapshot.bodies.iter().filter(|b| b.present).map(|b| b.shape.equivalent_radius()).filter(|r| r.is_finite());
    let (sum, count) = radii.fold((0.0, 0.0), |(s, n), r| (s + r, n + 1.0));
    (count > 0.0).then(|| sum / count)
}

fn albedo(index: usize, body: &BodySnapshot, region: &Aabb, options: &RenderOptions) -> Colour {
    if body.kind != BodyKind::Dynamic {
        return colour::from_srgb(colour::STATIC_BODY);
    }
    let (low, high) = options.scale_range(region);
    let share = |value: f64| if high > low { (value - low) / (high - low) } else { 0.0 };
    match options.colour_by {
        ColourBy::Body => colour::body_hue(index as u32),
        ColourBy::Speed => colour::scale(share(body.velocity.linear.length())),
        ColourBy::Height => colour::scale(share(body.pose.position.z)),
        ColourBy::StartHeight => {
            colour::band(share(options.start_heights.get(index).copied().unwrap_or(body.pose.position.z)))
        }
    }
}

/// Distance of the eye from the nearest point of the region; of what is shown nothing that counts is nearer.
fn nearest_distance(region: &Aabb, eye: DVec3) -> f64 {
    if region.is_finite() { (eye - eye.clamp(region.min, region.max)).length() } else { 0.0 }
}

/// A bounded body, no finer than a body `pixels` wide needs: balls, capsules and level sets as
/// they are, others by their models.
fn body_solids(index: usize, body: &BodySnapshot, pixels: f64, models: &mut Models) -> Vec<Solid> {
    if matches!(body.shape.name(), "sphere" | "capsule") {
        let mut solids = Vec::new();
        body_elements(body, |element| solids.push(Solid::Element(element)));
        return solids;
    }
    if let Some(contour) = Contour::new(&body.shape, &body.pose) {
        return vec![Solid::Contour(contour.into())];
    }
    let model = models.of(index, body, pixels);
    vec![Solid::Instance(Arc::new(Instance::new(model, body.pose)))]
}

/// Elements of a bounded body in world coordinates.
fn body_elements(body: &BodySnapshot, mut add: impl FnMut(Element)) {
    let place = |p: DVec3| body.pose.transform_point(p);
    for primitive in body.shape.surface() {
        match primitive {
            Primitive::Sphere { center, radius } => add(Element::Sphere { center: place(center), radius }),
            Primitive::Capsule { start, end, radius } => {
                add(Element::Capsule { start: place(start), end: place(end), radius });
            }
            Primitive::Triangles(surface) => {
                let vertices: Vec<DVec3> = surface.vertices.iter().map(|&v| place(v)).collect();
                for t in &surface.triangles {
                    let [a, b, c] = t.map(|i| vertices[i as usize]);
                    add(Element::triangle(a, b, c));
                }
            }
            Primitive::Plane { .. } => {}
        }
    }
}

/// Adds the part of a triangle that lies in `cover`; other elements as they are.
fn add_below(element: Element, cover: Option<&Aabb>, out: &mut Vec<Solid>) {
    let (Some(cover), Element::Triangle { corner, edge_1, edge_2 }) = (cover, element) else {
        out.push(Solid::Element(element));
        return;
    };
    let polygon = clip_polygon(vec![corner, corner + edge_1, corner + edge_2], cover);
    let fan = (1..polygon.len().saturating_sub(1)).map(|i| Element::triangle(polygon[0], polygon[i], polygon[i + 1]));
    out.extend(fan.map(Solid::Element));
}

/// Places of the bounded bodies without mass that stand between `eye` and a good share of the grains, ascending.
/// Ground that is drawn as relief hides what it hides.
fn hiding_obstacles(
    snapshot: &Snapshot,
    eye: DVec3,
    grounds: &[usize],
    solids: &mut impl FnMut(usize, &BodySnapshot) -> Vec<Solid>,
) -> Vec<usize> {
    let mut elements = Vec::new();
    let mut owners: Vec<usize> = Vec::new();
    let present = || snapshot.bodies.iter().enumerate().filter(|(_, b)| b.present);
    let solid_obstacle = |b: &BodySnapshot| b.kind != BodyKind::Dynamic && !b.shape.is_unbounded();
    for (index, body) in present().filter(|(i, b)| solid_obstacle(b) && !grounds.contains(i)) {
        elements.extend(solids(index, body));
        owners.resize(elements.len(), index);
    }
    let grains: Vec<DVec3> =
        present().filter(|(_, b)| b.kind == BodyKind::Dynamic).map(|(_, b)| b.pose.position).collect();
    if elements.is_empty() || grains.is_empty() {
        return Vec::new();
    }
    let bvh = Bvh::new(&elements);
    let every = grains.len().div_ceil(ASKED_GRAINS);
    let mut hidden = Vec::new();
    let mut asked = 0;
    for &grain in grains.iter().step_by(every) {
        asked += 1;
        let to_grain = grain - eye;
        let Some(direction) = to_grain.try_normalize() else { continue };
        let mut before = Vec::new();
        bvh.all(&Ray::new(eye, direction), 0.0, to_grain.length(), |hit| before.push(owners[hit.element as usize]));
        before.sort_unstable();
        before.dedup();
        hidden.extend(before);
    }
    hidden.sort_unstable();
    let many = |same: &&[usize]| same.len() as f64 > HIDING_SHARE * f64::from(asked);
    hidden.chunk_by(|a, b| a == b).filter(many).map(|same| same[0]).collect()
}

impl Builder {
    /// Adds the part of an obstacle that lies in `cover`, open where it is cut.
    fn add_cut(&mut self, body: &BodySnapshot, skin: Skin, cover: &Aabb) {
        if let Some(contour) = Contour::new(&body.shape, &body.pose) {
            self.solid.push(Solid::Contour(contour.cut(Some(cover)).into()));
        } else {
            body_elements(body, |element| add_below(element, Some(cover), &mut self.solid));
        }
        self.skins.resize(self.solid.len(), skin);
    }

    /// What is drawn as relief.
    fn grounds(&self) -> Vec<Solid> {
        let grounds = self.solid.iter().zip(&self.skins).filter(|(_, skin)| skin.relief);
        grounds.map(|(solid, _)| solid.clone()).collect()
    }

    fn add_glass(&mut self, body: &BodySnapshot) {
        let cover = self.cover(body);
        if let Some(contour) = Contour::new(&body.shape, &body.pose) {
            // The side that is seen first, and the one behind it.
            let contour = contour.cut(cover.as_ref());
            let behind = contour.clone().of_sides(Sides::Far);
            self.thin.extend([contour, behind].map(|side| Solid::Contour(side.into())));
            self.kinds.resize(self.thin.len(), Thin::Glass);
            return;
        }
        body_elements(body, |element| add_below(element, cover.as_ref(), &mut self.thin));
        self.kinds.resize(self.thin.len(), Thin::Glass);
        for primitive in body.shape.surface() {
            if let Primitive::Triangles(surface) = primitive {
                self.add_edges(body, &surface, cover.as_ref());
                if cover.is_some() {
                    self.add_rim(body, &surface, cover.as_ref());
                }
            }
        }
    }

    /// Where an obstacle that rises above the region is cut: a dividing wall may be many times as high as the grains.
    /// Ground and vessels of triangles keep their form: a hill that is cut flat is another hill.
    fn cover(&self, body: &BodySnapshot) -> Option<Aabb> {
        let own = body.shape.aabb(&body.pose);
        let is_ground = body.shape.is_ground() || body.shape.name().ends_with("mesh");
        let cuttable = body.kind != BodyKind::Dynamic && !is_ground;
        let above = cuttable && self.region.is_finite() && own.max.z > self.region.max.z;
        above.then(|| Aabb::new(own.min, own.max.with_z(self.region.max.z)).union(&Aabb::new(own.min, own.min)))
    }

    /// Half-spaces and containers, cut to the region.
    fn add_panels(&mut self, body: &BodySnapshot, skin: Skin) {
        if !self.region.is_finite() {
            return;
        }
        for primitive in body.shape.surface() {
            match primitive {
                Primitive::Plane { normal, offset } => {
                    let point = body.pose.transform_point(normal * offset);
                    let normal = body.pose.transform_vector(normal);
                    let polygon = plane_polygon(point, normal, &self.region);
                    for (i, &p) in polygon.iter().enumerate() {
                        self.add_line(p, polygon[(i + 1) % polygon.len()]);
                    }
                    self.add_panel(&polygon, normal, skin);
                }
                Primitive::Triangles(surface) => {
                    for t in &surface.triangles {
                        let corners = t.map(|i| body.pose.transform_point(surface.vertices[i as usize]));
                        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                        self.add_panel(&clip_polygon(corners.to_vec(), &self.region), normal, skin);
                    }
                    let region = self.region;
                    self.add_edges(body, &surface, Some(&region));
                    self.add_rim(body, &surface, Some(&region));
                }
                Primitive::Sphere { .. } | Primitive::Capsule { .. } => {}
            }
        }
    }

    /// A polygon that is seen only from the side its normal points to.
    fn add_panel(&mut self, polygon: &[DVec3], normal: DVec3, skin: Skin) {
        let Some(&first) = polygon.first() else { return };
        if normal.dot(self.eye - first) <= 0.0 {
            return;
        }
        let fan = (1..polygon.len().saturating_sub(1)).map(|i| Element::triangle(first, polygon[i], polygon[i + 1]));
        if normal.z > FLOOR_RISE {
            self.solid.extend(fan.map(Solid::Element));
            self.skins.resize(self.solid.len(), Skin { albedo: colour::from_srgb(colour::GROUND), ..skin });
        } else {
            self.thin.extend(fan.map(Solid::Element));
            self.kinds.resize(self.thin.len(), Thin::Panel);
        }
    }

    fn add_edges(&mut self, body: &BodySnapshot, surface: &Surface, cut: Option<&Aabb>) {
        for (a, b) in crease_edges(surface) {
            self.add_cut_line(body.pose.transform_point(a), body.pose.transform_point(b), cut);
        }
    }

    fn add_cut_line(&mut self, a: DVec3, b: DVec3, cut: Option<&Aabb>) {
        let part = match cut {
            Some(region) => clip_segment(a, b, region),
            None => Some((a, b)),
        };
        if let Some((a, b)) = part {
            self.add_line(a, b);
        }
    }

    /// Where walls are cut by the top of the region: a line around, so that the box looks closed.
    fn add_rim(&mut self, body: &BodySnapshot, surface: &Surface, cut: Option<&Aabb>) {
        let top = self.region.max.z;
        for t in &surface.triangles {
            let corners = t.map(|i| body.pose.transform_point(surface.vertices[i as usize]));
            let crossings: Vec<DVec3> = (0..3)
                .filter_map(|i| {
                    let (p, q) = (corners[i], corners[(i + 1) % 3]);
                    let crosses = (p.z < top) != (q.z < top);
                    crosses.then(|| p.lerp(q, (top - p.z) / (q.z - p.z)))
                })
                .collect();
            if let [a, b] = crossings[..] {
                self.add_cut_line(a, b, cut);
            }
        }
    }

    fn add_line(&mut self, start: DVec3, end: DVec3) {
        self.thin.push(Solid::Element(Element::Capsule { start, end, radius: self.line_radius }));
        self.kinds.push(Thin::Line);
    }
}
