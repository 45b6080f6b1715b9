//! `cargo xtask soak`: uses the page for hours and checks that its memory does not grow.

use crate::{page, process, test};
use anyhow::Result;
use std::path::Path;

/// Arguments of `soak`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Time that the page is used; sixty models share the time.
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
}

/// Builds the page and uses the page in a browser.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    page::build(top, true)?;
    let mut soak = process::cargo(top);
    soak.args(["test", "--release", "--workspace", "--test", "browser"]);
    soak.args(["soak::", "--", "--ignored", "--nocapture"]);
    soak.env("STRATA_SOAK_MINUTES", arguments.minutes.to_string());
    test::with_page(top, &mut soak, process::run)
}
