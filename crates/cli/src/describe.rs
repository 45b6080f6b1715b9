//! An experiment as a configuration file with comments: `strata config`, and `experiment.toml`.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use strata_attention::MechanismConfig;
use strata_models::ModelConfig;
use strata_tasks::{FieldKind, TaskConfig, TaskDescription, TaskError};
use strata_training::{Experiment, TrainingError};
use toml::Table;

use crate::args::{ConfigArguments, ExperimentArguments};
use crate::error::Failure;
use crate::experiment::Settings;
use crate::{complain, explain, presets};

/// Comments begin in this column.
const COLUMN: usize = 32;

/// What the settings of model and training mean, by their names; tasks and mechanisms describe
/// their own.
const MEANINGS: &[(&str, &str)] = &[
    (
        "seed",
        "decides data, initial parameters, order of batches and dropout",
    ),
    (
        "model.architecture",
        "transformer, seq2seq; language models: transformer_lm, recurrent_lm",
    ),
    ("model.hidden", "width of each layer's state"),
    ("model.width", "D, of every layer"),
    ("model.heads", "H, of every attention; divides the width"),
    (
        "model.layers",
        "one upon the other; of an encoder, and of a decoder",
    ),
    ("model.feed_forward", "width inside the feed-forward blocks"),
    ("model.dropout", "share of features dropped in training"),
    (
        "model.norm_first",
        "LayerNorm before each block instead of after it",
    ),
    (
        "model.tied",
        "the output matrix is the (target) embedding, transposed",
    ),
    (
        "model.positions",
        "where a token stands: sinusoidal, or learned",
    ),
    (
        "model.longest",
        "positions that are learned, on each side; no text may be longer",
    ),
    ("model.cell", "rnn, gru or lstm"),
    ("model.embedding", "width of the token embeddings"),
    (
        "model.encoder_hidden",
        "width of the encoder's state, both directions together",
    ),
    ("model.decoder_hidden", "width of the decoder's state"),
    (
        "model.bidirectional",
        "the encoder reads in both directions",
    ),
    (
        "model.attend",
        "the decoder attends; without, it sees the encoder's last state only",
    ),
    (
        "model.head",
        "from context and state to logits: concat or mlp",
    ),
    (
        "model.input_feeding",
        "the context is fed into the next step",
    ),
    (
        "model.initial_bound",
        "initial parameters lie within this; 0: each layer's own rule",
    ),
    ("training.steps", "optimiser steps in all"),
    (
        "training.epochs",
        "passes over the data, instead of `steps`; 0: as many steps as it says",
    ),
    ("training.batch_size", "examples a batch"),
    (
        "training.batch_tokens",
        "instead: tokens a batch, both sides with their padding; 0: by examples",
    ),
    (
        "training.accumulate",
        "batches a step, their gradients added up (1 to 65536)",
    ),
    (
        "training.precision",
        "of a pass through the model: f32, bf16 or f16",
    ),
    (
        "training.checkpointing",
        "less memory, more time: cheap results are computed twice",
    ),
    (
        "training.clip_norm",
        "largest norm of all gradients together; 0: no limit",
    ),
    (
        "training.label_smoothing",
        "share of the target's probability given to all classes",
    ),
    ("training.validate_every", "steps between validations"),
    (
        "training.bleu_every",
        "steps between validations that also measure BLEU; 0: none",
    ),
    (
        "training.bleu_sentences",
        "held-out sentences that those translate at most",
    ),
    (
        "training.bleu_words",
        "what is a word for BLEU: 13a, intl, zh, char or none",
    ),
    (
        "training.measure",
        "what makes a validation the best: loss or bleu",
    ),
    (
        "training.patience",
        "validations without a better one that end the run; 0: never",
    ),
    (
        "training.keep_best",
        "checkpoints of the best validations that are kept (0 to 100)",
    ),
    (
        "training.checkpoint_every",
        "steps between checkpoints; 0: only at the end",
    ),
    ("training.optimizer.learning_rate", "at its peak"),
    ("training.optimizer.beta_1", "decay of the first moment"),
    ("training.optimizer.beta_2", "decay of the second moment"),
    ("training.optimizer.epsilon", "added to the denominator"),
    (
        "training.optimizer.weight_decay",
        "decoupled: AdamW; 0 is Adam",
    ),
    ("training.schedule.kind", "constant, cosine or noam"),
    ("training.schedule.warmup", "steps of linear warm-up"),
];

/// Prints the experiment that the arguments ask for, or explains mechanisms.
pub fn run(arguments: &ConfigArguments) -> Result<ExitCode, Failure> {
    let text = match &arguments.explain {
        _ if arguments.presets => presets::list(),
        Some(name) => explain::text(name.as_deref())?,
        None => of_experiment(&arguments.experiment)?,
    };
    // Nobody may be listening any more, as behind `| head`.
    drop(io::stdout().write_all(text.as_bytes()));
    Ok(ExitCode::SUCCESS)
}

/// The experiment that the arguments say, which need not say yet what to learn from: a file that
/// is begun with a preset is where it will be named.
fn of_experiment(arguments: &ExperimentArguments) -> Result<String, Failure> {
    let experiment = Settings::read(arguments, Table::new())?.resolve()?;
    match experiment.check() {
        Err(TrainingError::Task(missing @ (TaskError::NoSource | TaskError::NoText))) => {
            complain(&format!("note: {missing}"));
        }
        checked => checked?,
    }
    text(&experiment)
}

/// The experiment as TOML, with a comment on every setting.
///
/// # Errors
/// If TOML has no number as large as the seed.
pub fn text(experiment: &Experiment) -> Result<String, Failure> {
    let plain = toml::to_string(experiment).map_err(too_large)?;
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
            .and_then(|(name, _)| meaning(experiment, &format!("{table}{name}")));
        text += &match meaning {
            Some(meaning) => format!("{line:COLUMN$}# {meaning}\n"),
            None => format!("{line}\n"),
        };
    }
    Ok(text)
}

/// The experiment as settings, in which a number stands as it was written.
///
/// # Errors
/// If TOML has no number as large as the seed.
pub fn table(experiment: &Experiment) -> Result<Table, Failure> {
    let text = toml::to_string(experiment).map_err(too_large)?;
    toml::from_str(&text).map_err(too_large)
}

fn too_large<E>(_: E) -> Failure {
    Failure::Session(
        "the experiment cannot be written as TOML, whose whole numbers end at 2^63 - 1; choose a \
         smaller `seed`"
            .to_owned(),
    )
}

/// What a setting means, if it is one of ours.
pub fn meaning(experiment: &Experiment, key: &str) -> Option<String> {
    match key.strip_prefix("task.") {
        Some("kind") => {
            let names: Vec<&str> = TaskConfig::kinds().iter().map(|kind| kind.name).collect();
            return Some(names.join(", "));
        }
        Some(name) => return of_task(experiment.task.description(), name),
        None => {}
    }
    for (site, mechanism) in sites(&experiment.model) {
        if let Some(name) = key.strip_prefix(&format!("model.{site}.")) {
            return of_mechanism(mechanism, name);
        }
    }
    let found = MEANINGS.iter().find(|(known, _)| *known == key);
    found.map(|(_, meaning)| (*meaning).to_owned())
}

/// The tables of a model that are mechanisms.
fn sites(model: &ModelConfig) -> Vec<(&'static str, &MechanismConfig)> {
    match model {
        ModelConfig::Seq2Seq(config) => vec![("attention", &config.attention)],
        ModelConfig::Transformer(config) => vec![
            ("encoder_self", &config.encoder_self),
            ("decoder_self", &config.decoder_self),
            ("cross", &config.cross),
        ],
        ModelConfig::TransformerLm(config) => vec![("decoder_self", &config.decoder_self)],
        ModelConfig::RecurrentLm(_) => Vec::new(),
    }
}

fn of_mechanism(mechanism: &MechanismConfig, name: &str) -> Option<String> {
    let description = mechanism.description();
    if name == "kind" {
        let names = MechanismConfig::all().map(|mechanism| mechanism.name());
        return Some(with_range(description.words.help, names.join(", ")));
    }
    let setting = description
        .settings
        .iter()
        .find(|it| it.words.name == name)?;
    Some(with_range(setting.words.help, setting.values))
}

fn with_range(help: &str, range: impl Display) -> String {
    format!("{} ({range})", help.trim_end_matches('.'))
}

fn of_task(task: &TaskDescription, name: &str) -> Option<String> {
    let field = task.fields.iter().find(|field| field.name == name)?;
    Some(match field.kind {
        FieldKind::Number {
            minimum, maximum, ..
        } => with_range(field.help, format!("{minimum} to {maximum}")),
        FieldKind::Choice(names) => with_range(field.help, names.join(", ")),
        FieldKind::Switch => with_range(field.help, "false, true"),
        FieldKind::Path { .. } => field.help.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_models::{RecurrentLmConfig, Seq2SeqConfig, TransformerConfig, TransformerLmConfig};
    use strata_training::Schedule;

    use super::*;

    /// Experiments that together have every setting.
    fn experiments() -> Vec<Experiment> {
        let mut all = vec![Experiment {
            model: ModelConfig::Seq2Seq(Seq2SeqConfig::default()),
            ..Experiment::default()
        }];
        for model in [
            ModelConfig::RecurrentLm(RecurrentLmConfig::default()),
            ModelConfig::TransformerLm(TransformerLmConfig::default()),
        ] {
            all.push(Experiment {
                model,
                ..Experiment::default()
            });
        }
        for kind in TaskConfig::kinds() {
            let task = TaskConfig::of_kind(kind.name).unwrap();
            all.push(Experiment {
                task,
                ..Experiment::default()
            });
        }
        for cross in MechanismConfig::all() {
            let model = TransformerConfig {
                cross,
                ..TransformerConfig::default()
            };
            let model = ModelConfig::Transformer(model);
            all.push(Experiment {
                model,
                ..Experiment::default()
            });
        }
        let schedules = [
            Schedule::Constant { warmup: 1 },
            Schedule::Cosine { warmup: 1 },
            Schedule::Noam { warmup: 1 },
        ];
        for schedule in schedules {
            let mut experiment = Experiment::default();
            experiment.training.schedule = schedule;
            all.push(experiment);
        }
        all
    }

    #[test]
    fn what_is_written_is_read_back() {
        for experiment in experiments() {
            let text = text(&experiment).unwrap();
            let back: Experiment = toml::from_str(&text).unwrap();
            assert_eq!(back, experiment, "{text}");
        }
    }

    #[test]
    fn every_setting_has_its_meaning() {
        for experiment in experiments() {
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

    #[test]
    fn a_seed_that_toml_cannot_hold_is_refused() {
        let experiment = |seed| Experiment {
            seed,
            ..Experiment::default()
        };
        table(&experiment(i64::MAX as u64)).unwrap();
        let error = table(&experiment(u64::MAX)).unwrap_err().to_string();
        assert!(
            error.contains("`seed`") && error.lines().count() == 1,
            "{error}"
        );
    }
}
