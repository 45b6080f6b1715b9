//! Translation: sentence pairs, one file with two columns or two files line by line.

use super::{ExampleLengths, FIRST_ARROWS, OwnFiles, PipelineUi, follows_arrows};
use strata_models::{ModelConfig, TransformerConfig};
use strata_session::protocol::View;
use strata_tasks::corpora::CorpusKind;
use strata_tasks::{FilesConfig, TaskConfig};
use strata_training::Experiment;

/// Words and views of translation.
pub struct Translation;

impl PipelineUi for Translation {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn label(&self) -> &'static str {
        "Sentence pairs, to translate"
    }

    fn file_hint(&self) -> &'static str {
        "Drop one .tsv anywhere, or two .txt of which line n is the translation of line n. They may be .gz."
    }

    fn paste_label(&self) -> &'static str {
        "Or paste source sentences, a line each; with a TAB, the translation beside each"
    }

    fn has_second_text(&self) -> bool {
        true
    }

    fn max_files(&self) -> usize {
        2
    }

    fn files_needed(&self) -> &'static str {
        "Sentence pairs are one file with two columns, or two files: first the source, then its translation."
    }

    fn task(&self, files: OwnFiles) -> TaskConfig {
        TaskConfig::Files(FilesConfig {
            source: files.source,
            target: files.second,
            level: files.unit,
            minimum_count: files.minimum_count,
            ..FilesConfig::default()
        })
    }

    fn experiment(&self, present: &Experiment, task: &TaskConfig) -> Experiment {
        let model = match &present.model {
            fitting @ (ModelConfig::Seq2Seq(_) | ModelConfig::Transformer(_)) => fitting.clone(),
            in_place @ ModelConfig::Tagger(_) if task.may_keep_lengths() => in_place.clone(),
            ModelConfig::Tagger(_)
            | ModelConfig::RecurrentLm(_)
            | ModelConfig::TransformerLm(_)
            | ModelConfig::Bidaf(_)
            | ModelConfig::MatchLstm(_)
            | ModelConfig::Rnet(_)
            | ModelConfig::Rnnpg(_) => ModelConfig::Transformer(TransformerConfig {
                width: 64,
                layers: 1,
                feed_forward: 128,
                ..TransformerConfig::default()
            }),
        };
        Experiment {
            task: task.clone(),
            model,
            ..present.clone()
        }
    }

    fn corpus_kind(&self) -> Option<CorpusKind> {
        Some(CorpusKind::Translation)
    }

    fn examples(&self) -> &'static str {
        "pairs"
    }

    fn columns(&self) -> Option<[&'static str; 2]> {
        Some(["Source", "Target"])
    }

    fn lengths(&self, usual: ExampleLengths, _is_of_files: bool) -> ExampleLengths {
        usual
    }

    fn first_view(&self, experiment: &Experiment) -> Option<View> {
        follows_arrows(experiment).then_some(FIRST_ARROWS)
    }
}
