//! Errors in the input of a metric.

/// Reason why something cannot be measured, as a sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MetricError {
    /// Tokeniser of sacreBLEU that needs an external program or model.
    #[error(
        "`{name}` cuts text by {what}, which is not part of this program; cut translations and references \
         with it ({command}) and score them with the tokeniser `none`: the score is the same"
    )]
    ForeignTokenizer {
        /// Name of the tokeniser.
        name: String,
        /// Program that the tokeniser uses.
        what: &'static str,
        /// Command that splits a file into tokens.
        command: &'static str,
    },
    /// Unknown name of a tokeniser.
    #[error("there is no tokeniser `{name}`; choose one of 13a, intl, zh, char and none")]
    Tokenizer {
        /// Name that was given.
        name: String,
    },
    /// Unknown name of a smoothing method.
    #[error("there is no smoothing `{name}`; choose one of exp, floor, add-k and none")]
    Smoothing {
        /// Name that was given.
        name: String,
    },
    /// Value for a smoothing method that takes none.
    #[error("the smoothing `{name}` takes no value; leave it out, or choose floor or add-k")]
    SmoothingWithoutValue {
        /// Name of the smoothing method.
        name: String,
    },
    /// Smoothing value that is negative or not finite.
    #[error("the smoothing value is {value}; it must be a number of 0 or more")]
    SmoothingValue {
        /// Value that was given.
        value: f64,
    },
    /// Metric of answers without a file of questions, or another metric with a file of questions.
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
    /// Sentence pair without `|||` between its two sides.
    #[error("sentence pair {line}: the two sentences must be parted by `|||`, which is not there")]
    NoSeparator {
        /// Line number, from 1.
        line: usize,
    },
    /// Malformed link.
    #[error(
        "line {line}: `{link}` is no link; write 3-4 for a sure one from the third word to the \
         fourth and 3p4 for a possible one, counted from 1"
    )]
    Link {
        /// Line number, from 1.
        line: usize,
        /// Text of the malformed link, or its beginning.
        link: String,
    },
}
