//! Examples of a data set, sorted by the kind of work.

use std::sync::Arc;

use crate::{Example, PoemData, ReadingData, WordVectors, Written};

/// Examples of a task in memory, of one [`Pipeline`](crate::Pipeline). If the training examples are
/// on disk ([`Dataset::stored`](crate::Dataset::stored)), only the held-out examples are here.
#[derive(Clone, Debug)]
pub enum Examples {
    /// Pairs of source and target.
    Translation(SequenceExamples),
    /// Segments of a text.
    TextGeneration(SequenceExamples),
    /// Questions about passages.
    QuestionAnswering(ReadingData),
    /// Lines of poems.
    Poetry {
        /// Lines, each with the lines before.
        lines: SequenceExamples,
        /// Poems from which the lines are made.
        poems: Arc<PoemData>,
    },
}

/// Examples that are sequences of tokens.
///
/// No source sentence of `validation` occurs in `training`, compared as text. (If rare words become
/// `<unk>`, two different sentences may look the same to the model.)
#[derive(Clone, Debug, Default)]
pub struct SequenceExamples {
    /// Training examples; empty if the examples are on disk.
    pub training: Vec<Example>,
    /// Group of each training example, if only examples of one group may share a batch; empty if any
    /// may. In the task `hops`, the group is the number of hops.
    pub groups: Vec<u32>,
    /// Held-out examples.
    pub validation: Vec<Example>,
    /// Text of the held-out examples as written in the file.
    pub written: Written,
    /// Pretrained vectors of the tokens of source and target; for a single text, of its tokens
    /// first.
    pub vectors: [Option<WordVectors>; 2],
}

impl Examples {
    /// Returns the examples that a model of sequences reads; `None` for questions.
    pub fn sequences(&self) -> Option<&SequenceExamples> {
        match self {
            Self::Translation(examples) | Self::TextGeneration(examples) => Some(examples),
            Self::Poetry { lines, .. } => Some(lines),
            Self::QuestionAnswering(_) => None,
        }
    }

    /// Like [`sequences`](Self::sequences), to be changed.
    pub fn sequences_mut(&mut self) -> Option<&mut SequenceExamples> {
        match self {
            Self::Translation(examples) | Self::TextGeneration(examples) => Some(examples),
            Self::Poetry { lines, .. } => Some(lines),
            Self::QuestionAnswering(_) => None,
        }
    }

    /// Returns the questions about passages; `None` for other kinds.
    pub fn questions(&self) -> Option<&ReadingData> {
        match self {
            Self::QuestionAnswering(questions) => Some(questions),
            Self::Translation(_) | Self::TextGeneration(_) | Self::Poetry { .. } => None,
        }
    }

    /// Like [`questions`](Self::questions), to be kept.
    pub fn into_questions(self) -> Option<ReadingData> {
        match self {
            Self::QuestionAnswering(questions) => Some(questions),
            Self::Translation(_) | Self::TextGeneration(_) | Self::Poetry { .. } => None,
        }
    }
}
