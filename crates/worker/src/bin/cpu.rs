//! Worker that computes on the CPU.

fn main() {
    strata_web::worker::run(strata_web::worker::Backend::Cpu);
}
