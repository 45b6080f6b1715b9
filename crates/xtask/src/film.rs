//! `cargo xtask film`: records the page during training, for the README, and the run that the page
//! plays on a first visit.

use crate::{page, process, test};
use anyhow::Result;
use std::path::Path;

/// Records the run of the first visit; then builds the page with the run, and records animations in
/// light and dark colours for `docs/`.
pub fn run(top: &Path) -> Result<()> {
    let mut recording = process::cargo(top);
    recording.args(["test", "--release", "--workspace", "--test", "lessons"]);
    recording.args(["recorded::write", "--", "--exact", "--ignored"]);
    process::run(&mut recording)?;
    page::build(top, true)?;
    let mut film = process::cargo(top);
    film.args(["test", "--release", "--workspace", "--test", "browser"]);
    film.args(["film::", "--", "--ignored", "--nocapture"]);
    film.env("STRATA_FILM", top.join("docs"));
    test::with_page(top, &mut film, process::run)
}
