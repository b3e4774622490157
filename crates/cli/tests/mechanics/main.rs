//! Mechanics with exact answers, through the `granule` program: each test writes scenes, runs them, and holds the final
//! state or the energy ledger against the solution of the equations of motion.
//!
//! Bounds are those that the engine promises. The head of each module tells the worst that was measured;
//! `cargo test -p granule-cli --test mechanics -- --nocapture` prints all of it, with the case it came from.

mod books;
mod bounce;
mod determinism;
mod drag;
mod driven;
mod elastic;
mod events;
mod friction;
mod incline;
mod mass;
mod mesh_sides;
mod meshes;
mod pour;
mod rolling;
mod stacks;
mod support;
mod tipping;
mod tops;
