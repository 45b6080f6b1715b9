//! The global scope of the worker.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

/// Returns the global scope of this worker, which is to a worker as `window` is to a page.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
