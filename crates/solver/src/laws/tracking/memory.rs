//! Memory that energy tracking keeps from problem to problem, so that a warm step allocates nothing.

use granule_model::DMat3;

use crate::contact::island::{Island, Row, SolverBody};
use crate::contact::problem::ContactProblem;
use crate::laws::tracking::rounds::Workspace;

/// A problem in the solver's form, and the queues of its resolution.
#[derive(Debug, Default)]
pub struct LawMemory {
    bodies: Vec<SolverBody>,
    tensors: Vec<DMat3>,
    rows: Vec<Row>,
    workspace: Workspace,
}

impl LawMemory {
    /// Lays a problem out.
    pub(crate) fn lay_out(&mut self, problem: &ContactProblem) -> (Island<'_>, &mut Workspace) {
        let LawMemory { bodies, tensors, rows, workspace } = self;
        bodies.clear();
        tensors.clear();
        for (body, tensor) in problem.each_solver_body() {
            bodies.push(body);
            tensors.push(tensor);
        }
        rows.clear();
        rows.extend(problem.each_row(bodies, tensors));
        (Island { bodies, tensors, rows, blocks: &[] }, workspace)
    }
}
