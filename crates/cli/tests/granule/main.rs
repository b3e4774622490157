//! Tests of the `granule` program through its command line: exit codes, messages, files.

mod avalanche;
mod bad_input;
mod demo;
mod folder;
mod full_disk;
mod grain_demos;
mod interrupt;
mod leaving;
mod pictures;
mod profile;
mod readme;
mod repose;
mod resolve;
mod run;
mod support;
mod terms;
mod terrain;
mod validate;
mod warnings;
