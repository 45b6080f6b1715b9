//! `cargo xtask lessons`: plays every lesson, proves every claim, and packs lessons for learning
//! platforms.

pub mod scorm;

use crate::bench::Provenance;
use crate::test::with_page;
use crate::{page, process};
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;

/// Arguments of `lessons`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Name of one lesson; by default all lessons are played.
    #[arg(value_name = "LESSON")]
    lesson: Option<String>,
    /// Id of the only step to play; with `--record`, results of other steps stay as recorded.
    #[arg(long, value_name = "ID", requires = "lesson")]
    step: Option<String>,
    /// Writes the results beside each lesson whose claims hold.
    #[arg(long, conflicts_with = "reuse")]
    record: bool,
    /// Uses runs that were trained before, for authors of a lesson. Such runs prove nothing about the
    /// present code.
    #[arg(long)]
    reuse: bool,
    /// Writes the files that the page downloads, and plays nothing.
    #[arg(long, conflicts_with_all = ["lesson", "record", "reuse", "models"])]
    write: bool,
    /// Plays nothing, but writes the models with which steps begin into the folders of the lessons. Git
    /// ignores these models; `play` and `page` find them. Missing runs are trained first.
    #[arg(long, conflicts_with_all = ["record", "reuse"])]
    models: bool,
    /// Plays nothing, but builds the page and writes packages for SCORM 1.2 and 2004 into the target
    /// folder.
    #[arg(long, conflicts_with_all = ["lesson", "record", "reuse", "models", "write"])]
    scorm: bool,
    /// Builds the page, and plays the set-up and the action of every step in a browser.
    #[arg(long, conflicts_with_all = ["record", "reuse", "models", "write", "scorm"])]
    browser: bool,
}

/// Plays the lessons, or runs the task that an argument names.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    if arguments.write {
        return test(top, "compiled::write", &[]);
    }
    let target = process::target_folder()?;
    if arguments.scorm {
        return scorm::run(top, &target);
    }
    let models = target.join("lessons");
    let plays = !arguments.reuse && !arguments.models && !arguments.browser;
    if plays && models.exists() {
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
    if let Some(step) = &arguments.step {
        variables.push(("STRATA_LESSON_STEP", step.clone()));
    }
    if arguments.browser {
        return in_browser(top, &variables);
    }
    if arguments.models {
        return test(top, "models::write", &variables);
    }
    if arguments.record {
        let date = process::output(Command::new("date").args(["-u", "+%F"])).unwrap_or_default();
        let provenance = Provenance::now(top, "cpu", "www/lessons");
        let origin = format!("{} {}", date.trim(), provenance.commit_and_machine());
        variables.push(("STRATA_LESSONS_RECORD", origin));
    }
    test(top, "whole::whole", &variables)?;
    if arguments.record {
        test(top, "compiled::write", &[])
    } else {
        Ok(())
    }
}

/// Writes the models with which steps of lessons begin into the folders of the lessons. Runs that are
/// missing are trained first.
pub fn write_models(top: &Path) -> Result<()> {
    let models = process::target_folder()?.join("lessons");
    let models = ("STRATA_LESSON_MODELS", models.display().to_string());
    test(top, "models::write", &[models])
}

/// Builds the page, and plays every lesson's step in a browser.
fn in_browser(top: &Path, variables: &[(&str, String)]) -> Result<()> {
    page::build(top, true)?;
    let mut steps = process::cargo(top);
    steps.args(["test", "--release", "--workspace", "--test", "browser"]);
    steps.args(["lesson_steps::every", "--", "--ignored", "--nocapture"]);
    steps.envs(variables.iter().map(|(name, value)| (name, value)));
    with_page(top, &mut steps, process::run)
}

fn test(top: &Path, name: &str, variables: &[(&str, String)]) -> Result<()> {
    let mut command = process::cargo(top);
    command.args(["test", "--release", "--workspace", "--test", "lessons"]);
    command.args(["--", "--ignored", "--nocapture", "--exact", name]);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    process::run(&mut command)
}
