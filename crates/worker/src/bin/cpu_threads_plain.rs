//! The worker that computes on the CPU with several threads, for pages that are isolated from others in
//! browsers without relaxed SIMD, as Safari is.

fn main() {
    // All threads begin here; the first one alone is the worker.
    if strata_web::worker::is_first_thread() {
        strata_web::worker::run(strata_web::worker::Backend::Cpu);
    }
}
