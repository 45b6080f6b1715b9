//! Worker that computes on the CPU.

fn main() {
    strata_worker::run(strata_worker::Backend::Cpu);
}
