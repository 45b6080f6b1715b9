//! Worker that computes on the CPU, for browsers with relaxed SIMD.

fn main() {
    strata_worker_core::run(strata_worker_core::Backend::Cpu);
}
