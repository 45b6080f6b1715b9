//! The worker that computes on the CPU with several threads, for cross-origin isolated pages. It
//! uses relaxed SIMD.

fn main() {
    // Every thread begins here; only the first thread runs the worker.
    if strata_web::worker::is_first_thread() {
        strata_web::worker::run(strata_web::worker::Backend::Cpu);
    }
}
