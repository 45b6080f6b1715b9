//! Places of mechanisms in a model, and the widths of their inputs.

/// Place of a mechanism in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// The source attends to itself.
    EncoderSelf,
    /// The target attends to the target's own past.
    DecoderSelf,
    /// The target attends to the source.
    Cross,
    /// The words of a passage attend to the words of a question, all at once.
    ContextToQuery,
    /// A question attends to the words of a passage.
    QueryToContext,
    /// The words of a passage attend to those of a question, one after the other.
    Matching,
    /// The words of a passage attend to all words of the same passage.
    SelfMatching,
}

impl Site {
    /// True if queries, keys and values are rows of the same sequence.
    pub fn is_self(self) -> bool {
        matches!(
            self,
            Self::EncoderSelf | Self::DecoderSelf | Self::SelfMatching
        )
    }

    /// True for the sites of a reader, a model that finds the answer to a question in a passage.
    pub fn is_of_reader(self) -> bool {
        !matches!(self, Self::EncoderSelf | Self::DecoderSelf | Self::Cross)
    }
}

/// Input widths of a mechanism (inside a head, the widths of the head).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// D_h, width of a query.
    pub query: usize,
    /// D_g, width of a key.
    pub keys: usize,
    /// D_v, width of a value.
    pub values: usize,
    /// Width of the rows that keys are projected from (without heads, the width of the keys). A
    /// pyramid summarises these rows.
    pub states: usize,
}

impl Widths {
    /// The same width for queries, keys and values.
    pub fn all(width: usize) -> Self {
        Self {
            query: width,
            keys: width,
            values: width,
            states: width,
        }
    }
}
