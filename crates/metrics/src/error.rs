//! What can be wrong with what a measure is given.

/// Why something cannot be measured, in a sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MetricError {
    /// A name of a tokeniser.
    #[error("there is no tokeniser `{name}`; choose one of 13a, intl, zh, char and none")]
    Tokenizer {
        /// What was asked for.
        name: String,
    },
    /// A name of a way to smooth.
    #[error("there is no smoothing `{name}`; choose one of exp, floor, add-k and none")]
    Smoothing {
        /// What was asked for.
        name: String,
    },
    /// A value for a way to smooth that has none.
    #[error("the smoothing `{name}` takes no value; leave it out, or choose floor or add-k")]
    SmoothingWithoutValue {
        /// The way to smooth.
        name: String,
    },
    /// A value that smoothes nothing.
    #[error("the smoothing value is {value}; it must be a number of 0 or more")]
    SmoothingValue {
        /// The value.
        value: f64,
    },
    /// Sentences and links that do not belong together.
    #[error(
        "there are {sentences} sentence pairs and {links} lines of links; line n of the one must \
         belong to line n of the other"
    )]
    UnequalLines {
        /// Lines with sentences.
        sentences: usize,
        /// Lines with links.
        links: usize,
    },
    /// A sentence pair without its two sides.
    #[error("sentence pair {line}: the two sentences must be parted by `|||`, which is not there")]
    NoSeparator {
        /// Counted from 1.
        line: usize,
    },
    /// A link that is none.
    #[error(
        "line {line}: `{link}` is no link; write 3-4 for a sure one from the third word to the \
         fourth and 3p4 for a possible one, counted from 1"
    )]
    Link {
        /// Counted from 1.
        line: usize,
        /// What stands there, or its beginning.
        link: String,
    },
}
