//! `cargo xtask fuzz`: hostile input for every reader, far more than in the tests.

use crate::process;
use anyhow::Result;
use std::path::Path;

/// Arguments of `fuzz`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of inputs for each reader.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    inputs: u32,
    /// Seed of the random inputs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u32,
    /// Name of one reader: addresses, settings, configurations, checkpoints, attention_files, corpora,
    /// packed, vocabularies, tokenisers, scores, messages or commands.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// Draws the inputs, and prints for each reader how many were accepted and refused.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    let mut build = process::cargo(top);
    build.args(["build", "--release", "--workspace", "--bin", "strata"]);
    process::run(&mut build)?;
    let mut fuzz = process::cargo(top);
    fuzz.args(["test", "--release", "--workspace", "--test", "hardening"]);
    fuzz.args(["--", "--nocapture", "--test-threads", "1"]);
    fuzz.args(&arguments.only);
    fuzz.env("STRATA_BIN", process::program()?)
        .env("STRATA_FUZZ_INPUTS", arguments.inputs.to_string())
        .env("STRATA_FUZZ_SEED", arguments.seed.to_string());
    process::run(&mut fuzz)
}
