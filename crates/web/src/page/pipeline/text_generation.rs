//! Text generation: one text, which a language model learns to write on.

use super::{ExampleLengths, OwnFiles, OwnInput, PipelineUi};
use crate::page::base::format;
use strata_models::{ModelConfig, TransformerLmConfig};
use strata_tasks::corpora::CorpusKind;
use strata_tasks::{TaskConfig, TextConfig};
use strata_training::Experiment;

/// Words and views of text generation.
pub struct TextGeneration;

impl PipelineUi for TextGeneration {
    fn name(&self) -> &'static str {
        "text"
    }

    fn label(&self) -> &'static str {
        "One text, to write on"
    }

    fn file_hint(&self) -> &'static str {
        "Drop a .txt anywhere. It may be .gz."
    }

    fn paste_label(&self) -> &'static str {
        "Or paste a text"
    }

    fn max_files(&self) -> usize {
        1
    }

    fn files_needed(&self) -> &'static str {
        "A text to write on is one file."
    }

    fn task(&self, files: OwnFiles) -> TaskConfig {
        TaskConfig::Text(TextConfig {
            source: files.source,
            level: files.unit,
            ..TextConfig::default()
        })
    }

    fn experiment(&self, present: &Experiment, task: &TaskConfig) -> Experiment {
        let model = match &present.model {
            fitting @ (ModelConfig::RecurrentLm(_) | ModelConfig::TransformerLm(_)) => {
                fitting.clone()
            }
            ModelConfig::Seq2Seq(_)
            | ModelConfig::Transformer(_)
            | ModelConfig::Tagger(_)
            | ModelConfig::Bidaf(_)
            | ModelConfig::MatchLstm(_)
            | ModelConfig::Rnet(_)
            | ModelConfig::Rnnpg(_) => ModelConfig::TransformerLm(TransformerLmConfig {
                width: 64,
                layers: 2,
                feed_forward: 128,
                ..TransformerLmConfig::default()
            }),
        };
        Experiment {
            task: task.clone(),
            model,
            ..present.clone()
        }
    }

    fn corpus_kind(&self) -> Option<CorpusKind> {
        Some(CorpusKind::LanguageModel)
    }

    fn examples(&self) -> &'static str {
        "segments"
    }

    fn columns(&self) -> Option<[&'static str; 2]> {
        None
    }

    fn vocabulary_sizes(&self, [_, target]: [usize; 2]) -> String {
        format!("{} tokens", format::count(target as u64))
    }

    fn lengths(&self, usual: ExampleLengths, _is_of_files: bool) -> ExampleLengths {
        ExampleLengths {
            source: 0.0,
            target: usual.target,
        }
    }

    fn own_input(&self, _task: &TaskConfig) -> OwnInput {
        OwnInput {
            invitation: "Type a beginning to write on",
            id: "translate-input",
        }
    }
}
