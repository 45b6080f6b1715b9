//! Words and views of each kind of work outside `ask`: labels, the user's own data, and the
//! numbers that are shown.
//!
//! Each file implements [`PipelineUi`] for one [`Pipeline`]; panels ask [`ui`] once, and never
//! which pipeline it is.

mod poetry;
mod question_answering;
mod text_generation;
mod translation;
mod words;

use crate::page::base::format;
use crate::page::base::instrument::Instrument;
use crate::page::base::quantity::Quantity;
use std::path::PathBuf;
use strata_models::{EncoderCell, ModelConfig};
use strata_session::protocol::{HeadChoice, Validation, View};
use strata_tasks::corpora::CorpusKind;
use strata_tasks::{Pipeline, TaskConfig};
use strata_text::TokenUnit;
use strata_training::Experiment;

/// All pipelines, in the order in which the page offers them.
pub const ALL: [Pipeline; 4] = [
    Pipeline::Translation,
    Pipeline::TextGeneration,
    Pipeline::QuestionAnswering,
    Pipeline::Poetry,
];

/// First view of the arrows of a task.
pub const FIRST_ARROWS: View = View::Arrows {
    site: None,
    heads: HeadChoice::Clearest,
    place: 0,
};

/// True if the task has arrows to follow, and the model self-attention over the source.
pub fn follows_arrows(experiment: &Experiment) -> bool {
    let attends = match &experiment.model {
        ModelConfig::Tagger(tagger) => tagger.cell == EncoderCell::None,
        ModelConfig::Transformer(_) => true,
        _ => false,
    };
    attends && matches!(experiment.task, TaskConfig::Hops(_))
}

/// Returns a sentence on the number of arrows that the task asks for, which other levels do not
/// answer; `None` for a task without arrows.
pub fn asked_arrows(experiment: &Experiment) -> Option<String> {
    let TaskConfig::Hops(task) = &experiment.task else {
        return None;
    };
    follows_arrows(experiment).then(|| {
        format!(
            "Accuracy and loss are those of the task, which asks for k = {}; the tab “Arrows” counts the \
             answers for as many arrows as these levels follow.",
            task.hops
        )
    })
}

pub use words::{Words, words};

/// Returns what the page knows of a pipeline.
pub fn ui(pipeline: Pipeline) -> &'static dyn PipelineUi {
    match pipeline {
        Pipeline::Translation => &translation::Translation,
        Pipeline::TextGeneration => &text_generation::TextGeneration,
        Pipeline::QuestionAnswering => &question_answering::QuestionAnswering,
        Pipeline::Poetry => &poetry::Poetry,
    }
}

/// Returns what the page knows of the pipeline of a task.
pub fn ui_of(task: &TaskConfig) -> &'static dyn PipelineUi {
    ui(task.pipeline())
}

/// Returns the experiment `present` on the data of `task`, with a model that fits.
pub fn experiment_on(present: &Experiment, task: &TaskConfig) -> Experiment {
    ui_of(task).experiment(present, task)
}

/// Returns a sentence on what [`experiment_on`] replaces beside the data; `None` if model and
/// training stay as they are.
pub fn replaced(present: &Experiment, task: &TaskConfig) -> Option<String> {
    let next = experiment_on(present, task);
    let [before, after] = [present, &next].map(|it| it.model.description().words.title);
    if next.model == present.model {
        return None;
    }
    Some(if next.training == present.training {
        format!(
            "The model becomes a small one that fits the data (“{after}” in place of “{before}”)."
        )
    } else {
        format!(
            "All settings become those of a preset that fits the data, the model's (“{after}” in place of \
             “{before}”) and those of training."
        )
    })
}

/// Words and views of a pipeline.
pub trait PipelineUi {
    /// Name of the pipeline among the options of the user's own data.
    fn name(&self) -> &'static str;

    /// Label of the option of that name.
    fn label(&self) -> &'static str;

    /// Hint on the files that can be dropped.
    fn file_hint(&self) -> &'static str;

    /// Label of the box into which texts are pasted.
    fn paste_label(&self) -> &'static str;

    /// True if the translation of a pasted text can be pasted into a second box.
    fn has_second_text(&self) -> bool {
        false
    }

    /// The most files of the user's own data.
    fn max_files(&self) -> usize;

    /// Sentence that tells which files are needed, if another number of files was given.
    fn files_needed(&self) -> &'static str;

    /// True if a path of the task's settings can hold several files, separated by commas.
    fn lists_files(&self) -> bool {
        false
    }

    /// True if the user chooses the unit of the tokens.
    fn has_token_unit(&self) -> bool {
        true
    }

    /// Returns the task that reads the user's own files.
    fn task(&self, files: OwnFiles) -> TaskConfig;

    /// Returns the experiment `present` on the data of `task`, which is of this pipeline. The model
    /// stays if it fits the pipeline; otherwise a small one takes its place.
    fn experiment(&self, present: &Experiment, task: &TaskConfig) -> Experiment;

    /// Kind of the public corpora that are offered; `None` if there are no such corpora.
    fn corpus_kind(&self) -> Option<CorpusKind>;

    /// Words above the trained models that the page serves; `None` if there are no such models.
    fn served_models_note(&self) -> Option<&'static str> {
        None
    }

    /// Name of the examples, in plural.
    fn examples(&self) -> &'static str;

    /// Headings of the two columns in a preview of the data; `None` for a single column without
    /// heading.
    fn columns(&self) -> Option<[&'static str; 2]>;

    /// Names of the entries in the two vocabularies.
    fn vocabulary_names(&self) -> [&'static str; 2] {
        ["source", "target tokens"]
    }

    /// Writes the sizes of the vocabularies of source and target.
    fn vocabulary_sizes(&self, sizes: [usize; 2]) -> String {
        let [source, target] = sizes.map(|size| format::count(size as u64));
        let [of_source, of_target] = self.vocabulary_names();
        format!("{source} {of_source} and {target} {of_target}")
    }

    /// Mean lengths of an example, in tokens. `usual` has the lengths of sentences; `is_of_files`
    /// is true for a user's own files.
    fn lengths(&self, usual: ExampleLengths, is_of_files: bool) -> ExampleLengths;

    /// Number of tokens that an example takes in a batch whose tokens are limited.
    fn tokens_in_batch(&self, lengths: ExampleLengths) -> f64 {
        lengths.source + lengths.target
    }

    /// True if a setting of training applies.
    fn has_setting(&self, _name: &str) -> bool {
        true
    }

    /// Quantities of the charts, in their order.
    fn quantities(&self) -> &'static [Quantity] {
        &[Quantity::Loss, Quantity::Accuracy, Quantity::Speed]
    }

    /// Returns the measures of quality that are always shown, of validations alone.
    fn quality(&self, task: &TaskConfig, validation: Option<&Validation>) -> Vec<Instrument> {
        let Words { part, whole, .. } = words(task);
        vec![
            Instrument {
                id: "stat-validation-accuracy",
                name: part,
                value: validation.map(|validation| validation.accuracy),
                show: format::percent,
                unit: format!("on new {}", words(task).many),
                title: "Accuracy of validation: the share of held-out target tokens that the model gets right, given the right ones before them",
            },
            Instrument {
                id: "stat-exact",
                name: whole,
                value: validation.map(|validation| validation.exact_match),
                show: format::percent,
                unit: "without a fault".to_owned(),
                title: "Exact match of validation: the share of held-out examples that the model writes without a fault",
            },
        ]
    }

    /// Definition of the loss of a step.
    fn loss_title(&self) -> &'static str {
        "Loss of the last step of training, in nats per target token; 0 is perfect."
    }

    /// Returns measures of held-out examples that are shown among all numbers.
    fn held_out(&self, validation: Option<&Validation>) -> Vec<Instrument> {
        vec![Instrument {
            id: "stat-perplexity",
            name: "Perplexity",
            value: validation.map(|validation| validation.perplexity),
            show: format::loss,
            unit: "held out".to_owned(),
            title: "Perplexity on held-out sentences: as hard as choosing among this many equally \
                        likely tokens.",
        }]
    }

    /// Field in which a user tries the trained model.
    fn own_input(&self, task: &TaskConfig) -> OwnInput {
        OwnInput {
            invitation: words(task).invitation,
            id: "translate-input",
        }
    }

    /// Sentence in place of the view of a model that was opened without its data.
    fn without_view(&self) -> &'static str {
        "Type a sentence below: what the model makes of it is drawn here."
    }

    /// View to begin with in a run of this experiment; `None` for the view of the whole model.
    fn first_view(&self, _experiment: &Experiment) -> Option<View> {
        None
    }
}

/// The user's own files, by the names in the task.
#[derive(Clone, Debug)]
pub struct OwnFiles {
    /// The first file.
    pub source: PathBuf,
    /// The second file, if there is one.
    pub second: Option<PathBuf>,
    /// Unit of the tokens.
    pub unit: TokenUnit,
    /// Number of times that a word must occur to be in the vocabulary.
    pub minimum_count: usize,
}

/// Mean lengths of an example, in tokens.
#[derive(Clone, Copy, Debug)]
pub struct ExampleLengths {
    /// Tokens of the source.
    pub source: f64,
    /// Tokens of the target.
    pub target: f64,
}

/// Field in which a user tries the trained model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnInput {
    /// Label of the button that leads to the field.
    pub invitation: &'static str,
    /// Id of the field in the document.
    pub id: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_data_of_the_chosen_pipeline() {
        for pipeline in ALL {
            let task = ui(pipeline).task(OwnFiles {
                source: "a".into(),
                second: None,
                unit: TokenUnit::Word,
                minimum_count: 1,
            });
            assert_eq!(task.pipeline(), pipeline);
        }
    }

    #[test]
    fn pipelines_have_different_names() {
        for (place, pipeline) in ALL.into_iter().enumerate() {
            let mut others = ALL[..place].iter();
            assert!(others.all(|other| ui(*other).name() != ui(pipeline).name()));
        }
    }
}
