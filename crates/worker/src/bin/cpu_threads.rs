//! Worker that computes on the CPU with several threads and relaxed SIMD, for cross-origin isolated
//! pages.

fn main() {
    // Every thread begins here; only the first thread runs the worker.
    if strata_worker::is_first_thread() {
        strata_worker::run(strata_worker::Backend::Cpu);
    }
}
