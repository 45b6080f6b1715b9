//! `README.md` of an exported folder: the model card, with all that the run's folder tells.

use std::fs;

use serde_json::Value as Json;
use strata_metrics::{Bleu, BleuTokenizer};
use strata_tasks::{LineLength, TaskConfig};
use strata_training::{Checkpoint, Metric, Validation};

use super::architecture::Kind;
use super::hub;
use crate::base::program::Program;
use crate::display::figures;
use crate::display::format::grouped;
use crate::model::chosen::Chosen;
use crate::run::origin::Origin;
use crate::run::run_folder::RunFolder;

/// Quantile of the normal distribution for intervals of 95 %.
const QUANTILE: f64 = 1.959_964;

/// Writes the card of a model with so many parameters.
pub fn text(checkpoint: &Checkpoint<'_>, chosen: &Chosen, kind: Kind, parameters: usize) -> String {
    let experiment = checkpoint.experiment();
    let run = RunFolder::around(&chosen.path);
    let name = run
        .as_ref()
        .and_then(|run| fs::canonicalize(run.path()).ok())
        .and_then(|path| path.file_name().map(|it| it.to_string_lossy().into_owned()))
        .unwrap_or_else(|| experiment.model.name().to_owned());
    let validation = run
        .as_ref()
        .and_then(|run| validation_at(run, checkpoint.step()));
    let origin = run.as_ref().and_then(Origin::read);
    let tag = match kind {
        Kind::Pairs => "translation",
        Kind::Text | Kind::Lines => "text-generation",
        Kind::Places => "token-classification",
        Kind::Spans => "question-answering",
    };
    let class = hub::auto_class(kind);
    let call = match (kind, &experiment.task) {
        (Kind::Lines, TaskConfig::Poems(task)) if task.length == LineLength::Five => {
            written("白日依山尽")
        }
        (Kind::Lines, _) => written("春江潮水连海平"),
        (Kind::Pairs, TaskConfig::Poems(task)) if task.keywords => written("<7> 春 江"),
        (Kind::Pairs, TaskConfig::Poems(_)) => written("<7> <sep> 春 江 潮 水 连 海 平"),
        (Kind::Pairs | Kind::Places, _) => written("a source sentence"),
        (Kind::Text, _) => written("the beginning of a text"),
        (Kind::Spans, _) => "passage = \"a text in which the answer is\"\n\
                        read = tokenizer(\"a question\", passage)\n\
                        print(tokenizer.answer(passage, model.answer(**read)[0]))"
            .to_owned(),
    };
    format!(
        "---\nlibrary_name: transformers\nlicense: unknown\ntags:\n- strata\npipeline_tag: \
         {tag}\n---\n\n# {name}\n\n{} with {} parameters, trained for {} steps and exported by {}.\n\n\
         ```python\nfrom transformers import {class}, AutoTokenizer\n\n\
         tokenizer = AutoTokenizer.from_pretrained(\".\", trust_remote_code=True)\n\
         model = {class}.from_pretrained(\".\", trust_remote_code=True).eval()\n\
         {call}\n```\n\n\
         ## Data\n{}\n\n## Licence\nStrata does not know the licence of this model. Before you \
         publish the model, name its licence here and at `license:` above: the licence of the data \
         counts, too.\n\n## Scores\n{}\n## Settings\n```toml\n{}```\n",
        experiment.model.description().words.title,
        grouped(parameters as u64),
        grouped(checkpoint.step()),
        Program::present(),
        data(&experiment.task, origin.as_ref()),
        match validation {
            Some(validation) => scores(&validation, experiment.training.bleu_words.into()),
            None => "No validation of this step is recorded.\n".to_owned(),
        },
        toml::to_string(experiment).unwrap_or_default(),
    )
}

/// Writes the call of a model that writes, with this text.
fn written(text: &str) -> String {
    format!(
        "read = tokenizer(\"{text}\", return_tensors=\"pt\")\n\
         print(tokenizer.decode(model.generate(**read)[0]))"
    )
}

/// Returns the validation after a step; `None` if the run's folder has no such validation.
fn validation_at(run: &RunFolder, step: u64) -> Option<Validation> {
    let text = fs::read_to_string(run.metrics()).ok()?;
    text.lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok())
        .filter(|line| line["kind"] == "validation" && line["step"] == step)
        .filter_map(|line| serde_json::from_value(line).ok())
        .next_back()
}

/// Names the data: files with digests, or the task that generates the examples.
fn data(task: &TaskConfig, origin: Option<&Origin>) -> String {
    let mut task = task.clone();
    let name = task.name();
    let paths = task.path_settings();
    let files: Vec<String> = paths
        .into_iter()
        .filter(|(_, path)| !path.as_os_str().is_empty())
        .map(|(setting, path)| {
            let key = format!("task.{setting}");
            let digest = origin.and_then(|it| it.data().get(&key));
            let digest = digest.map_or(String::new(), |it| format!(", digest `{it}`"));
            let file = path.file_name().unwrap_or(path.as_os_str());
            format!("- `{key}`: {}{digest}", file.to_string_lossy())
        })
        .collect();
    if files.is_empty() {
        format!("Strata generates the examples (task `{name}`; settings below).")
    } else {
        format!("Task `{name}`, learned from\n\n{}", files.join("\n"))
    }
}

/// Writes the table of scores, with intervals where the validation determines them.
fn scores(validation: &Validation, words: BleuTokenizer) -> String {
    let mut table = "Measured on held-out examples. Intervals are of 95 %.\n\n| score | value | \
                     interval | how |\n|---|---|---|---|\n"
        .to_owned();
    for (metric, value) in Metric::measured(validation) {
        let (interval, how) = match metric {
            Metric::ExactMatch => (
                interval(value, validation.decoded),
                format!(
                    "greedy search, {} examples, against the text of the file; interval by Wilson 1927",
                    grouped(validation.decoded as u64)
                ),
            ),
            Metric::Bleu => {
                let bleu = Bleu {
                    tokenizer: words,
                    ..Bleu::default()
                };
                let signature = bleu.signature(Some(1)).replace('|', "\\|");
                ("–".to_owned(), format!("greedy search, {signature}"))
            }
            Metric::Loss => ("–".to_owned(), "nats per token, teacher-forced".to_owned()),
            Metric::Accuracy => ("–".to_owned(), "teacher-forced".to_owned()),
            _ => ("–".to_owned(), String::new()),
        };
        table += &format!(
            "| {} | {} | {interval} | {how} |\n",
            figures::title(metric),
            figures::shown(metric, value)
        );
    }
    table
}

/// Returns the interval of a share of `count` independent examples (Wilson 1927), in percent.
fn interval(share: f64, count: usize) -> String {
    if count == 0 {
        return "–".to_owned();
    }
    let count = count as f64;
    let square = QUANTILE * QUANTILE;
    let centre = (share + square / (2.0 * count)) / (1.0 + square / count);
    let variance = share * (1.0 - share) / count + square / (4.0 * count * count);
    let half = QUANTILE * variance.sqrt() / (1.0 + square / count);
    let [low, high] = [centre - half, centre + half].map(|it| 100.0 * it.clamp(0.0, 1.0));
    format!("{low:.1} to {high:.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // R: prop.test(81, 263, correct = FALSE).
        assert_eq!(interval(81.0 / 263.0, 263), "25.5 to 36.6 %");
        assert_eq!(interval(1.0, 10), "72.2 to 100.0 %");
        assert_eq!(interval(0.0, 0), "–");
    }
}
