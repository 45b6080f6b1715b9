//! `cargo xtask lessons`: every lesson played, every claim proved.

use crate::bench::Provenance;
use crate::process;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;

/// Arguments of `lessons`.
#[derive(clap::Args)]
pub struct Arguments {
    /// One lesson by its name instead of all.
    #[arg(value_name = "LESSON")]
    lesson: Option<String>,
    /// Writes what was measured beside each lesson that holds.
    #[arg(long, conflicts_with = "reuse")]
    record: bool,
    /// Takes runs that were trained before, for those who write a lesson: they prove nothing about the
    /// present code.
    #[arg(long)]
    reuse: bool,
    /// Writes the files that the page fetches, and plays nothing.
    #[arg(long, conflicts_with_all = ["lesson", "record", "reuse"])]
    write: bool,
}

/// Plays the lessons.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    if arguments.write {
        return test(top, "compiled::write", &[]);
    }
    let models = process::target_folder()?.join("lessons");
    if !arguments.reuse && models.exists() {
        std::fs::remove_dir_all(&models)?;
    }
    let mut variables = vec![("STRATA_LESSON_MODELS", models.display().to_string())];
    if let Some(lesson) = &arguments.lesson {
        let folder = top.join("www/lessons").join(lesson);
        ensure!(
            folder.join("lesson.toml").is_file(),
            "there is no lesson {lesson} in www/lessons"
        );
        variables.push(("STRATA_LESSON", lesson.clone()));
    }
    if arguments.record {
        let date = process::output(Command::new("date").args(["-u", "+%F"])).unwrap_or_default();
        let provenance = Provenance::now(top, "cpu", "www/lessons");
        let stamp = format!("{} {}", date.trim(), provenance.commit_and_machine());
        variables.push(("STRATA_LESSONS_RECORD", stamp));
    }
    test(top, "whole::whole", &variables)?;
    match arguments.record {
        true => test(top, "compiled::write", &[]),
        false => Ok(()),
    }
}

fn test(top: &Path, name: &str, variables: &[(&str, String)]) -> Result<()> {
    let mut command = process::cargo(top);
    command.args(["test", "--release", "--workspace", "--test", "lessons"]);
    command.args(["--", "--ignored", "--nocapture", "--exact", name]);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    process::run(&mut command)
}
