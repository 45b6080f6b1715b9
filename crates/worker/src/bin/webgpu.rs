//! The worker that computes on the GPU.

fn main() {
    construct();
    strata_web::worker::run(strata_web::worker::Backend::WebGpu);
}

/// Runs what other crates want done before `main`. The linker provides it, and where nobody calls it
/// has every call from JavaScript run it again: that was more than half of a training step.
#[cfg(target_family = "wasm")]
fn construct() {
    #[allow(unsafe_code)] // There is no safe way to it.
    unsafe extern "C" {
        /// Is called once, before anything else.
        safe fn __wasm_call_ctors();
    }
    __wasm_call_ctors();
}

#[cfg(not(target_family = "wasm"))]
fn construct() {}
