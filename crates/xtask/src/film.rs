//! `cargo xtask film`: records the page during training, for the README.

use crate::{page, process, test};
use anyhow::Result;
use std::path::Path;

/// Builds the page and records animations in light and dark colours for `docs/`.
pub fn run(top: &Path) -> Result<()> {
    page::build(top, true)?;
    let mut film = process::cargo(top);
    film.args(["test", "--release", "--workspace", "--test", "browser"]);
    film.args(["film::", "--", "--ignored", "--nocapture"]);
    film.env("STRATA_FILM", top.join("docs"));
    test::with_page(top, &mut film, process::run)
}
