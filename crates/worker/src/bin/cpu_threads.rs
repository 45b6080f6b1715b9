//! Worker that computes on the CPU with several threads and relaxed SIMD, for cross-origin isolated
//! pages.

fn main() {
    // Every thread begins here; only the first thread runs the worker.
    if strata_worker_core::is_first_thread() {
        strata_worker_core::run(strata_worker_core::Backend::Cpu);
    }
}
