//! Worker that computes on the CPU with several threads, for cross-origin isolated pages in
//! browsers without relaxed SIMD, such as Safari.

fn main() {
    // Every thread begins here; only the first thread runs the worker.
    if strata_worker_core::is_first_thread() {
        strata_worker_core::run(strata_worker_core::Backend::Cpu);
    }
}
