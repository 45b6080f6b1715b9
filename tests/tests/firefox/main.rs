//! The main walk through the page in Firefox, driven by WebDriver BiDi: what `browser` tests in Chromium must
//! work in an engine that shares no code with it.
//!
//! `cargo xtask test --only page,firefox` runs the walk; the program of Firefox is named by `STRATA_FIREFOX`.

mod bidi;
mod firefox;
mod page;
mod walk;
