//! Grains and sizes, held against exact answers.

mod families;
mod hostile;
mod shapes;
mod sizes;
mod support;
