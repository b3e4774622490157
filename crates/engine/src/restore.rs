//! The state before a step or a part of it, to go back to when it is undone.

use granule_model::{Pose, Velocity};

use crate::simulation::Simulation;

/// State to go back to when a step is undone; the contacts are kept by the detection, which holds those of two steps.
#[derive(Debug, Default)]
pub(crate) struct Restore {
    pose: Vec<Pose>,
    velocity: Vec<Velocity>,
    impulse_time: f64,
    pub(crate) overlap: f64,
}

impl Simulation {
    pub(crate) fn remember(&mut self, depth: usize) {
        if self.restore.len() <= depth {
            self.restore.resize_with(depth + 1, Restore::default);
        }
        let overlap = self.overlap();
        let r = &mut self.restore[depth];
        r.pose.clone_from(&self.bodies.pose);
        r.velocity.clone_from(&self.bodies.velocity);
        r.impulse_time = self.impulse_time;
        r.overlap = overlap;
    }

    pub(crate) fn go_back(&mut self, depth: usize) {
        let r = &self.restore[depth];
        self.bodies.pose.clone_from(&r.pose);
        self.bodies.velocity.clone_from(&r.velocity);
        self.detection.go_back();
        self.impulse_time = r.impulse_time;
        for i in 0..self.bodies.len() {
            if self.bodies.movable[i] {
                self.bodies.refresh(i);
            }
        }
    }
}
