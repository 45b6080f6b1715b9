//! An experiment as a configuration file with comments: `strata config`, and `experiment.toml`.

use std::fmt::Display;
use std::process::ExitCode;

use clap::Args;
use strata_describe::Domain;
use strata_settings::Table;
use strata_settings::description::{Group, groups};
use strata_tasks::TaskError;
use strata_training::{Experiment, TrainingError};

use crate::base::error::Error;
use crate::base::files;
use crate::base::output::{self, warn};
use crate::command::explain;
use crate::model::experiment::{ExperimentArguments, Settings};
use crate::model::presets;

#[derive(Args, Debug)]
pub struct ConfigArguments {
    #[command(flatten)]
    pub experiment: ExperimentArguments,
    /// Explain a setting (`training.clip_norm`), all settings of a group (`training`), a
    /// mechanism or an option by its name; without a name, everything.
    #[arg(long, value_name = "NAME", num_args = 0..=1, conflicts_with_all = ["config", "overrides", "preset", "from_url"])]
    pub explain: Option<Option<String>>,
    /// List the presets.
    #[arg(long, conflicts_with_all = ["config", "overrides", "preset", "from_url", "explain"])]
    pub presets: bool,
}

/// Column in which comments begin.
const COLUMN: usize = 32;

/// Prints the experiment that the arguments ask for, the presets, or an explanation.
pub fn run(arguments: &ConfigArguments) -> Result<ExitCode, Error> {
    match &arguments.explain {
        _ if arguments.presets => output::write_broken(&presets::list()),
        Some(name) => output::write_broken(&explain::text(name.as_deref())?),
        None => output::write(of_experiment(&arguments.experiment)?.as_bytes()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the experiment that the arguments ask for, as TOML. Its task may still lack files: a
/// user of a preset adds them to the printed configuration.
fn of_experiment(arguments: &ExperimentArguments) -> Result<String, Error> {
    if let Some(file) = &arguments.config {
        files::not_printed_onto(&[file])?;
    }
    let mut settings = Settings::read(arguments, Table::new())?;
    settings.steps_override_epochs();
    let experiment = settings.resolve()?;
    match experiment.check() {
        Err(TrainingError::Task(missing @ (TaskError::NoSource | TaskError::NoText))) => {
            warn(&format!("note: {missing}"));
        }
        checked => checked?,
    }
    text(&experiment)
}

/// Writes the experiment as TOML, with a comment on every setting.
///
/// # Errors
/// If the seed is too large for a TOML number.
pub fn text(experiment: &Experiment) -> Result<String, Error> {
    let plain = toml::to_string(experiment).map_err(too_large)?;
    let groups = groups(experiment);
    let mut table = String::new();
    let mut text = String::with_capacity(2 * plain.len());
    for line in plain.lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            table = format!("{name}.");
        }
        let meaning = line
            .split_once(" = ")
            .and_then(|(name, _)| meaning(&groups, &format!("{table}{name}")));
        text += &match meaning {
            Some(meaning) => format!("{line:COLUMN$}# {meaning}\n"),
            None => format!("{line}\n"),
        };
    }
    Ok(text)
}

fn too_large<E>(_: E) -> Error {
    Error::Session(
        "the experiment cannot be written as TOML, whose whole numbers end at 2^63 - 1; choose a \
         smaller `seed`"
            .to_owned(),
    )
}

/// Returns meaning and range of a setting; `None` if there is no such setting.
fn meaning(groups: &[Group], key: &str) -> Option<String> {
    groups.iter().find_map(|group| {
        if let (Some(tag), Some(variant)) = (&group.tag, group.variant)
            && tag.key == key
        {
            return Some(with_range(variant.help, tag.setting.domain));
        }
        let entry = group.settings.iter().find(|it| it.key == key)?;
        let help = entry.setting.words.help;
        Some(match entry.setting.domain {
            Domain::Text | Domain::Path { .. } => help.to_owned(),
            _ if key == "seed" => help.trim_end_matches('.').to_owned(),
            domain => with_range(help, domain),
        })
    })
}

fn with_range(help: &str, range: impl Display) -> String {
    format!("{} ({range})", help.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_attention::MechanismConfig;
    use strata_models::{ModelConfig, TransformerConfig};
    use strata_settings::description::every_variant;

    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for experiment in every_variant() {
            let text = text(&experiment).unwrap();
            let back: Experiment = toml::from_str(&text).unwrap();
            assert_eq!(back, experiment, "{text}");
        }
    }

    #[test]
    fn every_setting_has_its_meaning() {
        for experiment in every_variant() {
            for line in text(&experiment).unwrap().lines() {
                assert!(!line.contains(" = ") || line.contains("# "), "{line}");
            }
        }
    }

    #[test]
    fn a_mechanism_says_what_it_is_and_what_there_is_to_choose() {
        let model = ModelConfig::Transformer(TransformerConfig {
            cross: MechanismConfig::of_kind("multilevel").unwrap(),
            ..TransformerConfig::default()
        });
        let experiment = Experiment {
            model,
            ..Experiment::default()
        };
        let text = text(&experiment).unwrap();
        let (_, cross) = text.split_once("[model.cross]").unwrap();
        let comment = |setting: &str| {
            let line = cross.lines().find(|line| line.starts_with(setting));
            line.unwrap().split_once("# ").unwrap().1.to_owned()
        };
        assert!(comment("kind").starts_with("Values fed back N times (vanilla, local,"));
        assert!(comment("levels").ends_with("(1 to 1000)"));
        assert!(comment("chain").ends_with("(keys, causal, paper_leaky)"));
    }

    #[test]
    fn numbers_stand_as_they_were_written() {
        let text = text(&Experiment::default()).unwrap();
        assert!(text.contains("beta_1 = 0.9 "), "{text}");
    }
}
