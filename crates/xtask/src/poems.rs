//! `cargo xtask poems`: trains small models of poems that the page offers to its visitors.

use crate::process;
use crate::publish::POEMS;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments of `poems`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Trains on these files of quatrains, separated by commas.
    #[arg(long, value_name = "FILES", required_unless_present = "run")]
    from: Option<String>,
    /// Preset to train; may be repeated.
    #[arg(
        long = "preset",
        value_name = "NAME",
        default_value = "ppg_ham_5_smoke"
    )]
    presets: Vec<String>,
    /// Folder of a trained run, or a model file, instead of training.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["from", "presets", "settings"])]
    run: Option<PathBuf>,
    /// Name of the model in the page; by default the name of the preset or of the run.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Further settings of the runs, `key=value`.
    #[arg(value_name = "SETTING")]
    settings: Vec<String>,
}

/// Writes model files into a folder that git ignores and that `play` and `page` read.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    let build = ["build", "--release", "--workspace", "--bin", "strata"];
    process::run(process::cargo(top).args(build))?;
    if let Some(run) = &arguments.run {
        let title = run.file_stem().unwrap_or_default().to_string_lossy();
        return write(top, run, &name(arguments, &title)?);
    }
    ensure!(
        arguments.name.is_none() || arguments.presets.len() == 1,
        "--name is the name of one model: give one --preset with it"
    );
    let from = arguments.from.as_deref().unwrap_or_default();
    for preset in &arguments.presets {
        let name = name(arguments, preset)?;
        let folder = process::target_folder()?.join("poems").join(&name);
        let mut train = Command::new(process::program()?);
        train.args(["train", "--continue", "--preset", preset]);
        train.arg(format!("task.source={from}"));
        train.args(&arguments.settings).arg("--out").arg(&folder);
        process::run(&mut train)?;
        write(top, &folder, &name)?;
    }
    Ok(())
}

/// Returns the name of a model: `ham-5` for the preset `ppg_ham_5_smoke`.
fn name(arguments: &Arguments, title: &str) -> Result<String> {
    let short = title.strip_prefix("ppg_").unwrap_or(title);
    let short = short.strip_suffix("_smoke").unwrap_or(short);
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| short.replace('_', "-"));
    let is_one = |it: char| it.is_ascii_alphanumeric() || it == '-';
    ensure!(
        !name.is_empty() && name.chars().all(is_one),
        "`{name}` cannot be the name of a file of the page: choose one of letters, digits and `-` with --name"
    );
    Ok(name)
}

/// Writes a model without optimiser state, a third of the size of a checkpoint.
fn write(top: &Path, run: &Path, name: &str) -> Result<()> {
    let folder = top.join(POEMS);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let file = folder.join(format!("{name}.safetensors"));
    if file.exists() {
        fs::remove_file(&file).with_context(|| format!("{} cannot be removed", file.display()))?;
    }
    let mut average = Command::new(process::program()?);
    average.args(["average", "--out"]).arg(&file).arg(run);
    process::run(&mut average)?;
    let bytes = fs::metadata(&file)
        .with_context(|| format!("{} cannot be read", file.display()))?
        .len();
    println!(
        "{} has {:.1} MB; pages that are built from now on offer it.",
        file.display(),
        bytes as f64 / 1e6
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn named(line: &str, title: &str) -> Result<String> {
        name(&Line::parse_from(line.split(' ')).arguments, title)
    }

    #[test]
    fn models_are_named_by_their_presets() {
        let line = "poems --from tang.tsv.gz";
        assert_eq!(named(line, "ppg_ham_5_smoke").unwrap(), "ham-5");
        assert_eq!(
            named("poems --run runs/mine --name two", "mine").unwrap(),
            "two"
        );
        for title in ["", "my run", "../up"] {
            let refused = named(line, title).unwrap_err().to_string();
            assert!(refused.contains("--name"), "{refused}");
        }
        assert!(Line::try_parse_from(["poems"]).is_err());
        assert!(Line::try_parse_from(["poems", "--run", "a", "--from", "b"]).is_err());
    }
}
