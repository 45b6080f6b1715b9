//! Worker that computes on the CPU, for browsers with relaxed SIMD.

fn main() {
    strata_worker::run(strata_worker::Backend::Cpu);
}
