//! Question answering: questions about passages, which a reader answers by words of the passage.

use super::{ExampleLengths, OwnFiles, OwnInput, PipelineUi};
use crate::page::base::format;
use crate::page::base::instrument::Instrument;
use crate::page::base::quantity::Quantity;
use crate::presets::Preset;
use strata_session::protocol::{Validation, View};
use strata_tasks::corpora::CorpusKind;
use strata_tasks::{ReadingConfig, TaskConfig};
use strata_training::Experiment;

/// Mean number of tokens of a generated passage.
const GENERATED_PASSAGE: f64 = 36.0;
/// Mean number of tokens of a passage from a file.
const PASSAGE_OF_FILE: f64 = 150.0;

/// Words and views of question answering.
pub struct QuestionAnswering;

impl PipelineUi for QuestionAnswering {
    fn name(&self) -> &'static str {
        "questions"
    }

    fn label(&self) -> &'static str {
        "Questions about passages, to answer"
    }

    fn file_hint(&self) -> &'static str {
        "Drop one .json anywhere, or two: questions to learn from, and others to measure on. They may be .gz."
    }

    fn paste_label(&self) -> &'static str {
        "Or paste questions with their passages and answers, as JSON"
    }

    fn max_files(&self) -> usize {
        2
    }

    fn files_needed(&self) -> &'static str {
        "Questions are one file of JSON, or two: first the questions to learn from, then those to measure on."
    }

    fn has_token_unit(&self) -> bool {
        false
    }

    fn task(&self, files: OwnFiles) -> TaskConfig {
        TaskConfig::Reading(ReadingConfig {
            source: files.source,
            validation_source: files.second,
            minimum_count: files.minimum_count,
            ..ReadingConfig::default()
        })
    }

    fn experiment(&self, present: &Experiment, task: &TaskConfig) -> Experiment {
        let model = if present.model.is_reader() {
            present.model.clone()
        } else {
            Preset::Reading.experiment().model
        };
        Experiment {
            task: task.clone(),
            model,
            ..present.clone()
        }
    }

    fn corpus_kind(&self) -> Option<CorpusKind> {
        Some(CorpusKind::Reading)
    }

    fn examples(&self) -> &'static str {
        "questions"
    }

    fn columns(&self) -> Option<[&'static str; 2]> {
        Some(["Question", "Answer"])
    }

    fn vocabulary_names(&self) -> [&'static str; 2] {
        ["words", "characters"]
    }

    fn lengths(&self, usual: ExampleLengths, is_of_files: bool) -> ExampleLengths {
        ExampleLengths {
            source: usual.source,
            target: if is_of_files {
                PASSAGE_OF_FILE
            } else {
                GENERATED_PASSAGE
            },
        }
    }

    fn tokens_in_batch(&self, lengths: ExampleLengths) -> f64 {
        // A batch is limited by its weights: each token of the question by each of the passage.
        lengths.source * lengths.target
    }

    fn has_setting(&self, name: &str) -> bool {
        // A reader writes no tokens, so BLEU and label smoothing do not apply.
        !(name.starts_with("bleu") || name == "label_smoothing")
    }

    fn quantities(&self) -> &'static [Quantity] {
        &[
            Quantity::Loss,
            Quantity::Accuracy,
            Quantity::Exact,
            Quantity::F1,
            Quantity::Speed,
        ]
    }

    fn quality(&self, _task: &TaskConfig, validation: Option<&Validation>) -> Vec<Instrument> {
        vec![
            Instrument {
                id: "stat-exact",
                name: "Right answers",
                value: validation.map(|validation| validation.exact_match),
                show: format::percent,
                unit: "to new questions".to_owned(),
                title: "Exact match of validation: the share of held-out questions whose answer is right to the word",
            },
            Instrument {
                id: "stat-f1",
                name: "F1",
                value: validation.and_then(|it| it.f1()),
                show: format::percent,
                unit: "words shared".to_owned(),
                title: "F1 of validation: words that answer and right answer share, of held-out questions",
            },
        ]
    }

    fn loss_title(&self) -> &'static str {
        "Loss of the last step of training, in nats per question (start + end)."
    }

    fn held_out(&self, validation: Option<&Validation>) -> Vec<Instrument> {
        vec![Instrument {
            id: "stat-validation-accuracy",
            name: "Starts and ends",
            value: validation.map(|validation| validation.accuracy),
            show: format::percent,
            unit: "held out".to_owned(),
            title: "Of held-out questions: share of starts and ends of the answer that are right",
        }]
    }

    fn own_input(&self, _task: &TaskConfig) -> OwnInput {
        OwnInput {
            invitation: "Ask a question of your own",
            id: "ask-question",
        }
    }

    fn without_view(&self) -> &'static str {
        "Ask a question below: what the model makes of it is drawn here."
    }

    fn first_view(&self, _experiment: &Experiment) -> Option<View> {
        Some(View::Answer)
    }
}
