//! The worker that trains on the CPU, with flex and 128-bit SIMD.

fn main() {}
