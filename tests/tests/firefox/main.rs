//! The main walk through the page in Firefox, driven by WebDriver BiDi: what the tests `browser`
//! check in Chromium must work in an engine that shares no code with it, too.
//!
//! `cargo xtask test --only page,firefox` runs the walk; `STRATA_FIREFOX` names the program of
//! Firefox.

mod bidi;
mod firefox;
mod page;
mod walk;
