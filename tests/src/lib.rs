//! Tests that cross crates, in `tests/`, and what they share.

pub mod browser;
pub mod cli;
pub mod server;
pub mod timing;

use std::path::PathBuf;

/// The folder of this package, as Cargo says when it runs a test: another clone with the same target
/// folder may have built it.
pub fn here() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    here.map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}
