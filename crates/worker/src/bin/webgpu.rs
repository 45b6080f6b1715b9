//! Worker that computes on the GPU.

fn main() {
    construct();
    strata_worker_core::run(strata_worker_core::Backend::WebGpu);
}

/// Runs the constructors of other crates, which must run before `main`. The linker provides the
/// function; if nobody calls the function, every call from JavaScript runs the constructors again,
/// which took more than half of a training step.
#[cfg(target_family = "wasm")]
fn construct() {
    #[allow(unsafe_code)] // There is no safe way to it.
    unsafe extern "C" {
        /// Runs all constructors; called once, before anything else.
        safe fn __wasm_call_ctors();
    }
    __wasm_call_ctors();
}

#[cfg(not(target_family = "wasm"))]
fn construct() {}
