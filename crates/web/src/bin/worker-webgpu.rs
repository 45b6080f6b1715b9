//! The worker that trains on the GPU, through WebGPU.

fn main() {}
