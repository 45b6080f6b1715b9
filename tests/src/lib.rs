//! Tests that cross crates, in `tests/`, and what they share.
//!
//! - `golden`: tensors against the numbers of `tests/golden`; `sacrebleu`: scores against those of
//!   the real sacreBLEU
//! - `cli`: whole commands; `processes`: runs that several processes share
//! - `workers`: every mechanism in the browser's workers; `browser`: the page in Chromium;
//!   `firefox`: a main walk through the page in Firefox
//! - `packages`: the installed packages
//! - `npm`: the installed JavaScript package
//! - `lessons`: the claims of the lessons; `hardening`: hostile input
//!
//! `STRATA_KILLS=100 cargo test --release --workspace --test cli killed_again` kills a run a
//! hundred times instead of eight.

pub mod browser;
pub mod cli;
pub mod poems;
pub mod server;
pub mod site;
pub mod timing;

use std::path::PathBuf;

/// Returns the folder of this package, in which Cargo runs its tests: a test may have been built in
/// another clone with the same target folder.
///
/// # Panics
/// If there is no present folder.
pub fn here() -> PathBuf {
    std::env::current_dir().expect("a test runs in a folder")
}
