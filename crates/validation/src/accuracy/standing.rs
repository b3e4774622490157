//! Studies `tower` and `pile`: what stands by statics, moves nothing, and presses with its weight.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{BodyId, DVec3, Pose, Velocity};

use super::Errors;
use crate::exact::{Circumstances, GRAVITY, Stage};

/// What has come to stand by then: the contact stage begins from nothing \[s\].
const BEGINS: f64 = 0.1;

/// Bodies of one shape on a floor.
struct Stack {
    stage: Stage,
    floor: BodyId,
    bodies: Vec<BodyId>,
    starts: Vec<DVec3>,
    /// \[N\]
    weight: f64,
    size: f64,
}

impl Stack {
    fn new(
        (stepping, time_step): (Stepping, f64),
        (size, friction): (f64, f64),
        shape: &Shape,
        starts: Vec<DVec3>,
    ) -> Result<Self, EngineError> {
        let of = Circumstances::plain(size);
        let mut stage = Stage::new(&of, stepping, of.law, GRAVITY * DVec3::NEG_Z, Some(time_step))?;
        stage.simulation.record_forces(true);
        let material = stage.material(of.material(0.0, friction))?;
        let floor = stage.floor(material)?;
        let add = |at: &DVec3| stage.body(Ok(shape.clone()), material, Pose::from_position(*at), Velocity::ZERO);
        let bodies = starts.iter().map(add).collect::<Result<Vec<_>, _>>()?;
        let weight = stage.simulation.momenta().mass * GRAVITY;
        Ok(Stack { stage, floor, bodies, starts, weight, size })
    }

    /// Largest move over the size, and largest error of the force on the floor over the weight, up to a time \[s\].
    fn stand(&mut self, duration: f64) -> Errors {
        let (mut moved, mut off) = (0.0_f64, 0.0_f64);
        while self.stage.time() < duration {
            let step = self.stage.step()?;
            for (body, start) in self.bodies.iter().zip(&self.starts) {
                moved = moved.max(self.stage.pose(*body)?.position.distance(*start) / self.size);
            }
            if step.time > BEGINS {
                let force = self.stage.simulation.force_on(self.floor)?;
                off = off.max((force / self.weight + DVec3::Z).length());
            }
        }
        Ok(vec![moved, off])
    }
}

/// A shape that the engine refuses, as the error of a body.
fn made(shape: Result<Shape, granule_geometry::ShapeError>) -> Result<Shape, EngineError> {
    let refused = |e: granule_geometry::ShapeError| EngineError::Body {
        body: "of the stack".to_owned(),
        field: "shape",
        reason: e.to_string(),
    };
    shape.map_err(refused)
}

/// Ten cubes on each other.
pub(super) fn tower(stepping: Stepping, time_step: f64) -> Errors {
    let starts = (0..10).map(|i| (0.5 + f64::from(i)) * DVec3::Z).collect();
    Stack::new((stepping, time_step), (1.0, 0.5), &made(Shape::cuboid(DVec3::ONE))?, starts)?.stand(2.0)
}

/// Rows of six to one cubes with gaps of a fifth of an edge. Each rests on two, whose reactions may be vertical: it
/// stands without friction, and without leaning on neighbours.
pub(super) fn pile(stepping: Stepping, time_step: f64) -> Errors {
    let row = |above: i32| {
        let x = move |i: i32| 1.2 * (f64::from(i) + 0.5 * f64::from(above));
        (0..6 - above).map(move |i| DVec3::new(x(i), 0.0, 0.5 + f64::from(above)))
    };
    let starts = (0..6).flat_map(row).collect();
    let mut stack = Stack::new((stepping, time_step), (1.0, 0.5), &made(Shape::cuboid(DVec3::ONE))?, starts)?;
    let mut errors = stack.stand(2.0)?;
    errors.push(stack.stage.simulation.largest_overlap());
    Ok(errors)
}
