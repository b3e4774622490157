//! Tests of the solver through its public interface: invariants on random problems, exact mechanics, edges. Reference
//! values and the conformance matrix are the business of `granule-validation`.
//!
//! One binary, so that the crate links once. `support` builds problems; every other module is a group of tests with the
//! values measured when it was written beside its bounds, and at least one negative control: a wrong answer or a broken
//! rule that the same check refuses.

mod bad_problems;
mod blocks;
mod driven_floor;
mod etm_clusters;
mod etm_single;
mod frictionless_clusters;
mod frictionless_edges;
mod frictionless_invariance;
mod invariance;
mod laws_clusters;
mod packing;
mod rbss_random;
mod rbss_special;
mod release;
mod sequential_edges;
mod stage_exact;
mod stage_random;
mod stage_settles;
mod support;
