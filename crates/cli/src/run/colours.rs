//! What the colours of the bodies say in the pictures of a run, with scales that are the same in all of them.

use granule_engine::{BodySnapshot, Snapshot};
use granule_model::BodyKind;
use granule_scene::PictureColour;
use granule_view::{ColourBy, RenderOptions};

/// A mass moves while any of its bodies is faster than this, over the end of the scale of speed.
const MOVING: f64 = 0.02;

/// The colours of a run.
#[derive(Debug)]
pub(super) struct Colours {
    asked: PictureColour,
    speeds: Option<(f64, f64)>,
    heights: Option<(f64, f64)>,
    start_heights: Vec<f64>,
}

impl Colours {
    /// With the scale of speed of the whole run \[m/s\] and the height of each body of `scene` at its start \[m\].
    pub(super) fn new(
        asked: PictureColour,
        speeds: Option<(f64, f64)>,
        start_heights: &[f64],
        scene: &Snapshot,
    ) -> Self {
        let moving = scene.bodies.iter().zip(start_heights).filter(|(b, _)| b.kind == BodyKind::Dynamic);
        let ends = moving.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (_, &z)| (a.min(z), b.max(z)));
        let heights = (ends.0 < ends.1).then_some(ends);
        Colours { asked, speeds, heights, start_heights: start_heights.to_vec() }
    }

    /// All that colours may say in some picture.
    pub(super) fn all(&self) -> &'static [ColourBy] {
        match self.asked {
            PictureColour::Body => &[ColourBy::Body],
            PictureColour::Speed => &[ColourBy::Speed],
            PictureColour::Height => &[ColourBy::Height],
            PictureColour::StartHeight => &[ColourBy::StartHeight],
            PictureColour::Avalanche => &[ColourBy::Speed, ColourBy::StartHeight],
        }
    }

    /// Sets what the colours say in a picture of `snapshot`.
    pub(super) fn set(&self, snapshot: &Snapshot, last: bool, options: &mut RenderOptions) {
        let colour_by = match self.asked {
            PictureColour::Avalanche if last || !self.moves(snapshot) => ColourBy::StartHeight,
            PictureColour::Avalanche => ColourBy::Speed,
            _ => self.all()[0],
        };
        options.colour_by = colour_by;
        options.range = match colour_by {
            ColourBy::Speed => self.speeds,
            ColourBy::StartHeight => self.heights,
            ColourBy::Body | ColourBy::Height => None,
        };
        if colour_by == ColourBy::StartHeight && options.start_heights.is_empty() {
            options.start_heights.clone_from(&self.start_heights);
        }
    }

    fn moves(&self, snapshot: &Snapshot) -> bool {
        let slow = MOVING * self.speeds.map_or(0.0, |(_, top)| top);
        let moving = |b: &BodySnapshot| b.present && b.kind == BodyKind::Dynamic && b.velocity.linear.length() > slow;
        snapshot.bodies.iter().any(moving)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_engine::{BodyDescription, MaterialId, Settings, Simulation};
    use granule_geometry::Shape;
    use granule_model::{DVec3, Material};

    fn balls(heights: &[f64]) -> Snapshot {
        let mut simulation = Simulation::new(Settings::default()).expect("the defaults are sound");
        simulation.add_material(Material::default()).expect("the default is sound");
        for (i, z) in (0u32..).zip(heights) {
            let ball = Shape::sphere(0.1).expect("a radius");
            let place = DVec3::new(f64::from(i), 0.0, *z);
            simulation.add_body(BodyDescription::dynamic(ball, MaterialId::nth(0), place)).expect("a ball");
        }
        simulation.snapshot()
    }

    #[test]
    fn an_avalanche_shows_speed_while_it_moves_and_its_order_where_it_lies() {
        let mut snapshot = balls(&[2.0, 7.0, 4.0]);
        let colours = Colours::new(PictureColour::Avalanche, Some((0.0, 10.0)), &[2.0, 7.0, 4.0], &snapshot);
        let mut options = RenderOptions::default();
        let mut says = |snapshot: &Snapshot, last: bool| {
            colours.set(snapshot, last, &mut options);
            (options.colour_by, options.range)
        };
        let order = (ColourBy::StartHeight, Some((2.0, 7.0)));
        assert_eq!(says(&snapshot, false), order);
        snapshot.bodies[1].velocity.linear = DVec3::X * 0.25;
        assert_eq!(says(&snapshot, false), (ColourBy::Speed, Some((0.0, 10.0))));
        assert_eq!(says(&snapshot, true), order);
        snapshot.bodies[1].velocity.linear = DVec3::X * 0.15;
        assert_eq!(says(&snapshot, false), order);
    }
}
