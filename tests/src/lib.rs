//! Tests that cross crates, in `tests/`, and what they share.

pub mod browser;
pub mod cli;
pub mod server;
pub mod timing;

use std::path::PathBuf;

/// Returns the folder of this package, as Cargo passes it when it runs a test: the test may have
/// been built in another clone with the same target folder.
pub fn here() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    here.map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}
