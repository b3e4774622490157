//! Criterion benchmarks live beside this file; this library is empty on purpose.
