//! The states of a run that are drawn when it has ended: where each body was, within a bound on memory.

use granule_engine::Snapshot;
use granule_model::{DVec3, Pose, Velocity};

/// Memory that the states of a film may take \[bytes\]: 400 frames of 540 bodies take 14e6. Beyond it every second
/// state is dropped, and of those that follow only every second one is kept.
pub(crate) const MEMORY: usize = 256 << 20;

/// One state: all that differs from one picture to the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// Simulated time \[s\].
    pub(crate) time: f64,
    /// Pose of each body, its speed \[m/s\], and whether it was there.
    bodies: Vec<(Pose, f32, bool)>,
}

impl State {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let bodies = snapshot.bodies.iter().map(|b| (b.pose, b.velocity.linear.length() as f32, b.present));
        State { time: snapshot.time, bodies: bodies.collect() }
    }

    /// Puts the bodies of `snapshot`, one of the same run, where they were in this state, as fast as they were; in
    /// which direction they moved is not kept.
    pub(crate) fn show_in(&self, snapshot: &mut Snapshot) {
        snapshot.time = self.time;
        for (body, (pose, speed, present)) in snapshot.bodies.iter_mut().zip(&self.bodies) {
            (body.pose, body.present) = (*pose, *present);
            body.velocity = Velocity { linear: DVec3::X * f64::from(*speed), angular: DVec3::ZERO };
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(self.bodies.as_slice())
    }
}

/// Every n-th state offered, n doubling whenever the memory is used up.
#[derive(Debug)]
pub(crate) struct Reel {
    states: Vec<State>,
    memory: usize,
    every: u64,
    offered: u64,
}

impl Reel {
    /// A reel that holds up to `memory` bytes, but two states in any case.
    pub(crate) fn new(memory: usize) -> Self {
        Reel { states: Vec::new(), memory, every: 1, offered: 0 }
    }

    pub(crate) fn offer(&mut self, snapshot: &Snapshot) {
        if self.offered.is_multiple_of(self.every) {
            self.states.push(State::of(snapshot));
        }
        self.offered += 1;
        while self.states.len() > 2 && self.states.iter().map(State::bytes).sum::<usize>() > self.memory {
            let mut place = 0u64;
            self.states.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
        }
    }

    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    /// Of how many states offered one is kept.
    pub(crate) fn every(&self) -> u64 {
        self.every
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_engine::{BodyDescription, MaterialId, Settings, Simulation};
    use granule_geometry::Shape;
    use granule_model::Material;

    #[test]
    fn states_stay_equally_spaced_within_the_memory() {
        let mut simulation = Simulation::new(Settings::default()).expect("the defaults are sound");
        simulation.add_material(Material::default()).expect("the default is sound");
        let ball = Shape::sphere(1.0).expect("a radius");
        simulation.add_body(BodyDescription::dynamic(ball, MaterialId::nth(0), DVec3::ZERO)).expect("a ball");
        let mut snapshot = simulation.snapshot();
        let one = State::of(&snapshot).bytes();
        let mut reel = Reel::new(10 * one);
        for step in 0..100u32 {
            snapshot.time = f64::from(step);
            snapshot.bodies[0].pose.position = DVec3::X * f64::from(step);
            snapshot.bodies[0].velocity.linear = DVec3::Z * f64::from(step);
            reel.offer(&snapshot);
            assert!(reel.states().len() <= 10);
        }
        let times: Vec<f64> = reel.states().iter().map(|s| s.time).collect();
        assert_eq!((reel.every(), times), (16, (0..7).map(|k| 16.0 * f64::from(k)).collect()));
        reel.states()[2].show_in(&mut snapshot);
        assert_eq!((snapshot.time, snapshot.bodies[0].pose.position.x), (32.0, 32.0));
        assert_eq!(snapshot.bodies[0].velocity.linear.length(), 32.0);
        // One state alone may be larger than the memory.
        let mut tiny = Reel::new(1);
        (0..9).for_each(|_| tiny.offer(&snapshot));
        assert_eq!(tiny.states().len(), 2);
    }
}
