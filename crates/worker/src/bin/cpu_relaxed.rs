//! Worker that computes on the CPU, for browsers with relaxed SIMD.

fn main() {
    strata_web::worker::run(strata_web::worker::Backend::Cpu);
}
