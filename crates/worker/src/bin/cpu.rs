//! Worker that computes on the CPU.

fn main() {
    strata_worker_core::run(strata_worker_core::Backend::Cpu);
}
