//! Poetry: the lines of quatrains, which a model writes by a plan.
//!
//! Training and validation are those of [pairs](super::translation).

mod stored;
mod writing;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_models::Search;
use strata_poems::examples::{SourceToken, are_lines, has_length, source};
use strata_poems::{Planner, Script, Word};
use strata_tasks::{PoemData, PoemsConfig, SequenceExamples, TaskConfig};
use strata_text::special::UNK;

pub(crate) use stored::WORD_VECTORS;

use super::{Layout, translation};
use crate::check::refuse_measures_of_answers;
use crate::{Attended, Encoded, Experiment, Tokenizer, TrainingError, TranslationError};

/// Characters that may not be repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distinct {
    /// Every character may be repeated.
    None,
    /// Characters of the line may not be repeated.
    #[default]
    Line,
    /// Characters of the whole poem may not be repeated.
    Poem,
}

/// Prompt of a poem: length, keywords, given lines, and the search that writes the others.
#[derive(Clone, Debug)]
pub struct PoemPrompt {
    /// Number of characters of a line: 5 or 7.
    pub length: usize,
    /// Keyword of each of the four lines; empty for a model that reads no keywords.
    pub keywords: Vec<Word>,
    /// Lines that are given, from the first line on.
    pub given: Vec<Vec<char>>,
    /// Characters with which the next line begins, in the order of writing: for a line that is
    /// written backwards, the last character first.
    pub begun: Vec<char>,
    /// Prescribed first character of each line; empty for none.
    pub acrostic: Vec<char>,
    /// Search by which each line is written.
    pub search: Search,
    /// Characters that may not be repeated.
    pub distinct: Distinct,
}

/// Context of a line in a poem: its keyword, and the lines before.
#[derive(Clone, Debug)]
pub struct PoemContext<'a> {
    /// Keyword of the line; `None` for a model that reads no keywords.
    pub keyword: Option<Word>,
    /// Lines before this one.
    pub earlier: Vec<&'a [char]>,
}

/// Line of a poem.
#[derive(Clone, Debug, PartialEq)]
pub struct PoemLine {
    /// Characters of the line.
    pub characters: Vec<char>,
    /// Sum of the characters' log-probabilities; `None` if the line was given.
    pub score: Option<f64>,
    /// Log-probability of each character in the order of writing; empty if the line was given.
    pub log_probabilities: Vec<f32>,
}

/// Output of a teacher-forced pass over a line in its context. Attention and logits are in the
/// order of writing, still on the device.
#[derive(Clone, Debug)]
pub struct AttendedLine {
    /// Input of the model: mark of the length, keyword, and the lines before.
    pub source: Encoded,
    /// Token ids of the line's characters.
    pub ids: Vec<u32>,
    /// Attention and logits of the pass.
    pub attended: Attended,
}

/// Examples of poems.
pub(crate) struct PoetryExamples {
    /// Lines, each with the lines before.
    pub lines: SequenceExamples,
    /// Layout of the batches.
    pub layout: Layout,
    pub poems: Poems,
}

/// Poems from which lines are made.
pub(crate) enum Poems {
    /// Poems that were read.
    Read(Arc<PoemData>),
    /// Planner of a checkpoint whose poems are not here; `None` if the checkpoint has none.
    Lacking(Option<Planner>),
}

impl Poems {
    /// Poems that were read; `None` if they are not here.
    pub fn read(&self) -> Option<&PoemData> {
        match self {
            Self::Read(poems) => Some(poems),
            Self::Lacking(_) => None,
        }
    }

    /// Planner, learned from the poems on first use.
    pub fn planner(&self) -> Option<&Planner> {
        match self {
            Self::Read(poems) => Some(poems.planner()),
            Self::Lacking(planner) => planner.as_ref(),
        }
    }
}

/// How lines of poems are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Versification {
    /// True if lines are written from their end.
    pub reversed: bool,
    /// True if the model reads the keyword of each line.
    pub keywords: bool,
    pub script: Script,
}

impl From<&PoemsConfig> for Versification {
    fn from(task: &PoemsConfig) -> Self {
        Self {
            reversed: task.reversed,
            keywords: task.keywords,
            script: task.script,
        }
    }
}

/// Checks that the experiment suits poems.
pub(crate) fn check(experiment: &Experiment) -> Result<(), TrainingError> {
    let has_keywords = matches!(&experiment.task, TaskConfig::Poems(task) if task.keywords);
    if experiment.model.continues_lines() && has_keywords {
        return Err(TrainingError::NoLines {
            architecture: experiment.model.name(),
        });
    }
    translation::check_lengths_may_agree(experiment)?;
    refuse_measures_of_answers(&experiment.training)
}

/// Splits typed lines into tokens; `normal` are the lines in the form of the task's data. Refuses
/// what is no source of a line, which would be read as one.
pub(crate) fn cut(
    tokenizer: &Tokenizer,
    versification: Versification,
    text: &str,
    normal: &str,
) -> Result<Encoded, TranslationError> {
    let encoded = translation::cut(tokenizer, text, normal)?;
    // The source of a line begins with the length of the line, if the model reads keywords.
    if versification.keywords && !has_length(&encoded.tokens) {
        return Err(TranslationError::Planned);
    }
    if !versification.keywords && !are_lines(&encoded.tokens) {
        return Err(TranslationError::NoLines);
    }
    Ok(encoded)
}

impl Tokenizer {
    /// True if lines are written from their end; `None` if the task is not to write poems.
    pub fn writes_backwards(&self) -> Option<bool> {
        self.kind.versification().map(|it| it.reversed)
    }

    /// True if the model reads the keyword of each line; `None` if the task is not to write poems.
    pub fn reads_keywords(&self) -> Option<bool> {
        self.kind.versification().map(|it| it.keywords)
    }

    /// Script of the poems; `None` if the task is not to write poems.
    pub fn poem_script(&self) -> Option<Script> {
        self.kind.versification().map(|it| it.script)
    }

    /// True if the model can write this character.
    pub fn knows_character(&self, character: char) -> bool {
        self.character(character) != UNK
    }

    /// Token id of a character to be written; the id of `<unk>` if the vocabulary lacks it.
    pub(super) fn character(&self, character: char) -> u32 {
        self.target.id(character.encode_utf8(&mut [0; 4]))
    }

    /// Input of the model for writing a line.
    pub(super) fn poem_source(
        &self,
        length: usize,
        keyword: Option<Word>,
        earlier: &[&[char]],
        reversed: bool,
    ) -> Encoded {
        let tokens = source(length, keyword, earlier.iter().copied(), reversed);
        self.encoded(tokens.iter().map(SourceToken::to_string).collect())
    }
}
