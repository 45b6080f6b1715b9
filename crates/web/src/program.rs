//! The workers' programs, and which of them this browser runs.

use crate::address::Device;
use js_sys::{Uint8Array, WebAssembly};

/// A program of one instruction on 128 bits, which a browser without them refuses.
const SIMD: [u8; 31] = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
    15, 253, 98, 11,
];

/// One of a fused multiplication. (The service worker asks, too.)
const RELAXED_SIMD: &[u8] = include_bytes!("../../../www/relaxed-simd.wasm");

/// The program that computes on a device: what the names of its files begin with.
pub fn of(device: Device) -> &'static str {
    match device {
        Device::Cpu if has_relaxed_simd() => "worker-cpu-relaxed",
        Device::Cpu => "worker-cpu",
        Device::WebGpu => "worker-webgpu",
    }
}

/// Whether WebAssembly computes with four numbers at a time here.
pub fn has_simd() -> bool {
    runs(&SIMD)
}

/// Whether it multiplies and adds in one instruction.
pub fn has_relaxed_simd() -> bool {
    runs(RELAXED_SIMD)
}

fn runs(program: &[u8]) -> bool {
    WebAssembly::validate(&Uint8Array::from(program)).unwrap_or(false)
}
