//! Errors in the input of a measure.

/// Reason why something cannot be measured, as a sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MetricError {
    /// A tokeniser of sacreBLEU that is a program or a model of its own.
    #[error(
        "`{name}` cuts text by {what}, which is not part of this program; cut translations and references \
         with it ({command}) and score them with the tokeniser `none`: the score is the same"
    )]
    ForeignTokenizer {
        /// The given name.
        name: String,
        /// Program that it cuts by.
        what: &'static str,
        /// Command that cuts a file.
        command: &'static str,
    },
    /// Unknown name of a tokeniser.
    #[error("there is no tokeniser `{name}`; choose one of 13a, intl, zh, char and none")]
    Tokenizer {
        /// The given name.
        name: String,
    },
    /// Unknown name of a smoothing method.
    #[error("there is no smoothing `{name}`; choose one of exp, floor, add-k and none")]
    Smoothing {
        /// The given name.
        name: String,
    },
    /// A value for a smoothing method that takes none.
    #[error("the smoothing `{name}` takes no value; leave it out, or choose floor or add-k")]
    SmoothingWithoutValue {
        /// The smoothing method.
        name: String,
    },
    /// A negative smoothing value, or one that is not finite.
    #[error("the smoothing value is {value}; it must be a number of 0 or more")]
    SmoothingValue {
        /// The value.
        value: f64,
    },
    /// A measure of answers to questions without the questions, or another one with them.
    #[error(
        "the measures squad, cmrc, dureader and msmarco compare with questions: name their file with \
         `--answers`, and the other measures' references with `--reference`, in a command of its own"
    )]
    NoAnswers,
    /// Files of sentences and of links with different numbers of lines.
    #[error(
        "there are {sentences} sentence pairs and {links} lines of links; both must have the same \
         number of lines, line n of the one belonging to line n of the other"
    )]
    UnequalLines {
        /// Number of lines with sentences.
        sentences: usize,
        /// Number of lines with links.
        links: usize,
    },
    /// A sentence pair without `|||` between its two sides.
    #[error("sentence pair {line}: the two sentences must be parted by `|||`, which is not there")]
    NoSeparator {
        /// Line number, from 1.
        line: usize,
    },
    /// A malformed link.
    #[error(
        "line {line}: `{link}` is no link; write 3-4 for a sure one from the third word to the \
         fourth and 3p4 for a possible one, counted from 1"
    )]
    Link {
        /// Line number, from 1.
        line: usize,
        /// The malformed text, or its beginning.
        link: String,
    },
}
