//! Tests of the solver through its public interface: reference values, invariants on random problems, exact mechanics.
//!
//! One binary, so that the crate links once. `support` builds problems; every other module is a group of tests with the values
//! measured when it was written beside its bounds, and at least one negative control: a wrong answer or a broken rule
//! that the same check refuses.

mod conformance;
mod etm_clusters;
mod etm_reference;
mod frictionless_clusters;
mod frictionless_edges;
mod frictionless_invariance;
mod frictionless_reference;
mod invariance;
mod laws_clusters;
mod packing;
mod rbss_random;
mod rbss_reference;
mod rbss_special;
mod release;
mod sequential_reference;
mod stage_exact;
mod stage_random;
mod support;
