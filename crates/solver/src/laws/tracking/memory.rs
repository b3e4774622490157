//! Memory that laws that go from contact to contact keep from problem to problem, so that a warm step allocates
//! nothing.

use granule_model::DMat3;

use crate::contact::island::{Island, Row, SolverBody};
use crate::contact::problem::ContactProblem;
use crate::laws::tracking::approach::Approaches;
use crate::laws::tracking::impulse::Mobilities;
use crate::laws::tracking::rounds::Workspace;

/// A problem in the solver's form, and the queues of its resolution.
#[derive(Debug, Default)]
pub struct LawMemory {
    bodies: Vec<SolverBody>,
    tensors: Vec<DMat3>,
    rows: Vec<Row>,
    workspace: Workspace,
    approaches: Approaches,
    mobilities: Mobilities,
}

/// What laws order their contacts with.
pub(crate) struct Queues<'a> {
    /// Of energy tracking.
    pub(crate) workspace: &'a mut Workspace,
    /// Of the sequential method.
    pub(crate) approaches: &'a mut Approaches,
    pub(crate) mobilities: &'a mut Mobilities,
}

impl LawMemory {
    /// Lays a problem out.
    pub(crate) fn lay_out(&mut self, problem: &ContactProblem) -> (Island<'_>, Queues<'_>) {
        let LawMemory { bodies, tensors, rows, workspace, approaches, mobilities } = self;
        bodies.clear();
        tensors.clear();
        for (body, tensor) in problem.each_solver_body() {
            bodies.push(body);
            tensors.push(tensor);
        }
        rows.clear();
        rows.extend(problem.each_row(bodies, tensors));
        (Island { bodies, tensors, rows, blocks: &[] }, Queues { workspace, approaches, mobilities })
    }
}
