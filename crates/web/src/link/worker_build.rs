//! The workers' programs, and the choice of the one that this browser can run.

use crate::address::Device;
use js_sys::{Reflect, Uint8Array, WebAssembly};
use strata_wire::handshake::threads_of;

/// A WebAssembly program of one instruction on 128 bits, which a browser without SIMD rejects.
const SIMD: [u8; 31] = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
    15, 253, 98, 11,
];

/// A WebAssembly program of one fused multiply-add. (The service worker tests it, too.)
const RELAXED_SIMD: &[u8] = include_bytes!("../../../../www/relaxed-simd.wasm");

/// Returns the program for a device: the beginning of its files' names.
pub fn of(device: Device) -> &'static str {
    match device {
        Device::Cpu if threads() > 1 && has_relaxed_simd() => "worker-cpu-threads",
        Device::Cpu if threads() > 1 => "worker-cpu-threads-plain",
        Device::Cpu if has_relaxed_simd() => "worker-cpu-relaxed",
        Device::Cpu => "worker-cpu",
        Device::WebGpu => "worker-webgpu",
    }
}

/// Returns the number of threads of the CPU worker: 1 unless the page is isolated, as threads share
/// memory.
pub fn threads() -> usize {
    if !is_isolated() {
        return 1;
    }
    let navigator = web_sys::window().map(|window| window.navigator());
    threads_of(navigator.map_or(1.0, |it| it.hardware_concurrency()))
}

/// True if the page is cross-origin isolated, and so may share memory with its workers.
pub fn is_isolated() -> bool {
    let isolated = Reflect::get(&js_sys::global(), &"crossOriginIsolated".into());
    isolated.is_ok_and(|isolated| isolated.is_truthy())
}

/// True if the browser's WebAssembly has SIMD.
pub fn has_simd() -> bool {
    runs(&SIMD)
}

/// True if the browser's WebAssembly has relaxed SIMD, with fused multiply-add.
pub fn has_relaxed_simd() -> bool {
    runs(RELAXED_SIMD)
}

fn runs(program: &[u8]) -> bool {
    WebAssembly::validate(&Uint8Array::from(program)).unwrap_or(false)
}
