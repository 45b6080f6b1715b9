//! Kinds of work.

/// Kind of work that a task asks for, which decides the models that can learn the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// Pairs of sequences: the model reads the source and generates the target.
    Translation,
    /// Consecutive segments of one text: the target is the source shifted by one token.
    TextGeneration,
    /// Questions about passages: the model finds the span of a passage that answers the question.
    QuestionAnswering,
    /// Lines of poems as pairs: the model reads a keyword and the lines before, and generates the
    /// next line.
    Poetry,
}

impl Pipeline {
    /// Returns true if the examples are pairs of a source and a target.
    pub fn has_pairs(self) -> bool {
        matches!(self, Self::Translation | Self::Poetry)
    }
}
