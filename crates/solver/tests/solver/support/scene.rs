//! Scenes for the contact stage and the release: bodies and contacts with gaps, gravity, a time step.

use granule_model::{Coefficients, DMat3, DVec3, InverseInertia, Velocity};
use granule_solver::stage::Packs;
use granule_solver::{Block, ContactProblem, Island, Row, RowInput, SolverBody, StageReport, StageSettings, stage};
use granule_solver::{ReleaseReport, ReleaseSettings, Workspace, release};

/// A body: inverse mass zero for one that no impulse moves.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) position: DVec3,
    pub(crate) inverse_mass: f64,
    pub(crate) inverse_inertia: InverseInertia,
    pub(crate) velocity: Velocity,
}

#[derive(Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) point: DVec3,
    pub(crate) normal: DVec3,
    pub(crate) gap: f64,
    pub(crate) coefficients: Coefficients,
    pub(crate) radius: f64,
    pub(crate) warm_normal: f64,
    pub(crate) warm_tangential: DVec3,
}

#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) parts: Vec<Part>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) gravity: DVec3,
    pub(crate) dt: f64,
}

/// An island with what the stage did to it.
pub(crate) struct Solved {
    pub(crate) bodies: Vec<SolverBody>,
    pub(crate) tensors: Vec<DMat3>,
    pub(crate) rows: Vec<Row>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) before: Vec<Velocity>,
    pub(crate) kinetic_before: f64,
    pub(crate) report: StageReport,
}

/// Coulomb friction with one coefficient, no restitution.
pub(crate) fn rough(friction: f64) -> Coefficients {
    Coefficients { static_friction: friction, dynamic_friction: friction, ..Coefficients::BARE }
}

/// Restitution without friction.
pub(crate) fn bouncy(restitution: f64) -> Coefficients {
    Coefficients { restitution, ..Coefficients::BARE }
}

/// Sweeps until nothing changes any more than `tolerance` \[m/s\].
pub(crate) fn until(tolerance: f64) -> StageSettings {
    StageSettings {
        dt: 1.0,
        tolerance,
        violent: f64::INFINITY,
        deep: f64::INFINITY,
        min_sweeps: 1,
        max_sweeps: 100_000,
        deep_sweeps: 100_000,
        most_sweeps: 100_000,
        rise: f64::INFINITY,
        more_sweeps: 0,
        small_work: 0,
        small_sweeps: 0,
        loose_work: 0,
        hit: f64::INFINITY,
        trace: f64::INFINITY,
    }
}

/// So many sweeps, neither more nor less.
pub(crate) const fn sweeps(count: u32) -> StageSettings {
    StageSettings {
        dt: 1.0,
        tolerance: 0.0,
        violent: f64::INFINITY,
        deep: f64::INFINITY,
        min_sweeps: count,
        max_sweeps: count,
        deep_sweeps: count,
        most_sweeps: count,
        rise: f64::INFINITY,
        more_sweeps: 0,
        small_work: 0,
        small_sweeps: 0,
        loose_work: 0,
        hit: f64::INFINITY,
        trace: f64::INFINITY,
    }
}

impl Part {
    pub(crate) fn ball(position: DVec3, mass: f64, radius: f64, velocity: DVec3) -> Self {
        Part {
            position,
            inverse_mass: mass.recip(),
            inverse_inertia: InverseInertia::Isotropic(2.5 / (mass * radius * radius)),
            velocity: Velocity { linear: velocity, angular: DVec3::ZERO },
        }
    }

    /// A box with its axes along the world's.
    pub(crate) fn block(position: DVec3, mass: f64, half: DVec3, velocity: DVec3) -> Self {
        let squares = half * half;
        let moments = (DVec3::splat(squares.element_sum()) - squares) * (mass / 3.0);
        let inverse_inertia = InverseInertia::General(DMat3::from_diagonal(moments.recip()));
        Part { inverse_inertia, ..Part::ball(position, mass, 1.0, velocity) }
    }

    /// A body that moves as it is told.
    pub(crate) fn driven(velocity: DVec3) -> Self {
        Part {
            position: DVec3::ZERO,
            inverse_mass: 0.0,
            inverse_inertia: InverseInertia::ZERO,
            velocity: Velocity { linear: velocity, angular: DVec3::ZERO },
        }
    }
}

impl Touch {
    pub(crate) fn new(a: usize, b: usize, point: DVec3, normal: DVec3, coefficients: Coefficients) -> Self {
        Touch {
            a,
            b,
            point,
            normal,
            gap: 0.0,
            coefficients,
            radius: 1.0,
            warm_normal: 0.0,
            warm_tangential: DVec3::ZERO,
        }
    }
}

impl Scene {
    /// A ball of radius 0.5 m and 2 kg on a fixed floor (body 1).
    pub(crate) fn ball_on_floor(velocity: DVec3, coefficients: Coefficients) -> Self {
        let ball = Part::ball(DVec3::new(0.0, 0.0, 0.5), 2.0, 0.5, velocity);
        let touch = Touch { radius: 0.5, ..Touch::new(0, 1, DVec3::ZERO, DVec3::Z, coefficients) };
        let parts = vec![ball, Part::driven(DVec3::ZERO)];
        Scene { parts, touches: vec![touch], gravity: DVec3::Z * -9.8, dt: 0.01 }
    }

    /// A flat block of 3 kg on four corners, on a floor (body 1) whose surface moves with `belt`.
    pub(crate) fn block_on_floor(belt: DVec3, gravity: DVec3, coefficients: Coefficients) -> Self {
        let half = DVec3::new(0.5, 0.4, 0.1);
        let parts = vec![Part::block(DVec3::Z * half.z, 3.0, half, DVec3::ZERO), Part::driven(belt)];
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        let touches =
            corners.map(|(x, y)| Touch::new(0, 1, DVec3::new(x * half.x, y * half.y, 0.0), DVec3::Z, coefficients));
        Scene { parts, touches: touches.to_vec(), gravity, dt: 0.01 }
    }

    /// The problem without gravity; the world is one fixed body more, at the end.
    pub(crate) fn from_problem(problem: &ContactProblem, dt: f64) -> Self {
        let world = problem.bodies.len();
        let part = |b: &granule_solver::ProblemBody| Part {
            position: b.position,
            inverse_mass: b.inverse_mass,
            inverse_inertia: InverseInertia::General(b.inverse_inertia),
            velocity: b.velocity,
        };
        let touch = |c: &granule_solver::ProblemContact| {
            Touch::new(c.a as usize, c.b.map_or(world, |b| b as usize), c.point, c.normal, c.coefficients)
        };
        let parts = problem.bodies.iter().map(part).chain([Part::driven(DVec3::ZERO)]).collect();
        Scene { parts, touches: problem.contacts.iter().map(touch).collect(), gravity: DVec3::ZERO, dt }
    }

    /// Adds gravity to the velocities and runs the contact stage.
    pub(crate) fn stage(&self, settings: &StageSettings) -> Solved {
        self.stage_in_blocks(settings, &[])
    }

    /// The same on an island in blocks.
    pub(crate) fn stage_in_blocks(&self, settings: &StageSettings, blocks: &[Block]) -> Solved {
        let unforced: Vec<Velocity> = self.parts.iter().map(|p| p.velocity).collect();
        let body = |p: &Part| {
            let fall = if p.inverse_mass > 0.0 { self.gravity * self.dt } else { DVec3::ZERO };
            let velocity = Velocity { linear: p.velocity.linear + fall, ..p.velocity };
            SolverBody::new(velocity, p.inverse_mass, &p.inverse_inertia)
        };
        let (mut bodies, tensors): (Vec<_>, Vec<_>) = self.parts.iter().map(body).unzip();
        let row = |t: &Touch| {
            let input = RowInput {
                a: t.a as u32,
                b: t.b as u32,
                arm_a: t.point - self.parts[t.a].position,
                arm_b: t.point - self.parts[t.b].position,
                normal: t.normal,
                gap: t.gap,
                coefficients: t.coefficients,
                radius: t.radius,
                warm_normal: t.warm_normal,
                warm_tangential: t.warm_tangential,
                ..RowInput::BARE
            };
            Row::new(&input, &bodies, &tensors, self.dt)
        };
        let mut rows: Vec<Row> = self.touches.iter().map(row).collect();
        let mut island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks };
        let kinetic_before = island.kinetic_energy();
        let mut before = Vec::new();
        let report = stage::solve(&mut island, settings, &unforced, &mut before, &mut Packs::default());
        Solved { bodies, tensors, rows, blocks: blocks.to_vec(), before, kinetic_before, report }
    }
}

impl Solved {
    fn island(&mut self) -> Island<'_> {
        Island { bodies: &mut self.bodies, tensors: &self.tensors, rows: &mut self.rows, blocks: &self.blocks }
    }

    pub(crate) fn kinetic(&mut self) -> f64 {
        self.island().kinetic_energy()
    }

    pub(crate) fn velocity(&self, body: usize) -> Velocity {
        self.bodies[body].velocity
    }

    /// Relative velocity at a contact: normal and tangential.
    pub(crate) fn relative(&self, row: usize) -> (f64, DVec3) {
        let row = &self.rows[row];
        let u = row.relative_velocity(&self.bodies);
        (row.normal.dot(u), u - row.normal * row.normal.dot(u))
    }

    /// Runs the energy-tracked release; also says which contacts were hit.
    pub(crate) fn release(&mut self, settings: &ReleaseSettings) -> (Option<ReleaseReport>, Vec<bool>) {
        self.release_with(settings, &mut Workspace::default())
    }

    /// The same with scratch memory that may have been used before.
    pub(crate) fn release_with(
        &mut self,
        settings: &ReleaseSettings,
        workspace: &mut Workspace,
    ) -> (Option<ReleaseReport>, Vec<bool>) {
        let mut hit = Vec::new();
        let before = self.before.clone();
        let report = release(&mut self.island(), settings, &before, workspace, &mut hit);
        (report, hit)
    }
}
