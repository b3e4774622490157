//! Tests of the `granule` program through its command line: exit codes, messages, files.

mod bad_input;
mod demo;
mod interrupt;
mod leaving;
mod pictures;
mod profile;
mod resolve;
mod run;
mod support;
mod validate;
mod warnings;
