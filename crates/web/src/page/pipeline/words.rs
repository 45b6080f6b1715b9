//! Words for a task: parts and wholes of an example, and the verb for the model's work.

use strata_tasks::TaskConfig;

/// Words of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Words {
    /// Name of the accuracy, the share of tokens that are right.
    pub part: &'static str,
    /// Name of the exact match, the share of answers that are right as a whole.
    pub whole: &'static str,
    /// Examples, in plural.
    pub many: &'static str,
    /// Verb for the model's work, on the button that starts the work.
    pub verb: &'static str,
    /// Label of the button that leads to the user's own field.
    pub invitation: &'static str,
    /// Label of the user's own field.
    pub label: &'static str,
    /// Words in place of the map of the user's own sentence.
    pub empty: &'static str,
}

/// Words of a task that copies, reverses or sorts letters.
const LETTERS: Words = Words {
    part: "Right letters",
    whole: "Whole words right",
    many: "words",
    verb: "Copy",
    invitation: "Type a word to copy",
    label: "Write a word, or take one that the model has not learned from.",
    empty: "Have a word copied to see where the model looks.",
};

/// Words of a translation.
const SENTENCES: Words = Words {
    part: "Right words",
    whole: "Whole sentences right",
    many: "sentences",
    verb: "Translate",
    invitation: "Type a sentence to translate",
    label: "Write in the language of the source, or take a held-out sentence.",
    empty: "Translate a sentence to see where the model looks.",
};

/// Words of a task that answers questions about the source.
const ANSWERS: Words = Words {
    part: "Right answers",
    whole: "Whole answers right",
    many: "questions",
    verb: "Ask",
    invitation: "Type a question of your own",
    label: "Write in the form of the examples, or take one.",
    empty: "Ask the model to see where it looks.",
};

/// Words of a language model.
const TEXT: Words = Words {
    part: "Right words",
    whole: "Whole pieces right",
    many: "text",
    verb: "Write on",
    invitation: "Type a beginning to write on",
    label: "Write a beginning, or take a held-out one: the model writes it on.",
    empty: "Have a beginning written on to see where the model looks.",
};

/// Returns the words of a task.
pub fn words(task: &TaskConfig) -> Words {
    match task {
        TaskConfig::Copy(_) => LETTERS,
        TaskConfig::Reverse(_) => Words {
            verb: "Reverse",
            invitation: "Type a word to reverse",
            empty: "Have a word reversed to see where the model looks.",
            ..LETTERS
        },
        TaskConfig::Sort(_) => Words {
            verb: "Sort",
            invitation: "Type a word to sort",
            empty: "Have a word sorted to see where the model looks.",
            ..LETTERS
        },
        TaskConfig::Dates(_) => Words {
            part: "Right letters",
            whole: "Whole dates right",
            many: "dates",
            verb: "Convert",
            invitation: "Type a date to convert",
            label: "Write a date, or take one that the model has not learned from.",
            empty: "Convert a date to see where the model looks.",
        },
        TaskConfig::Hops(_) | TaskConfig::Recall(_) | TaskConfig::Needle(_) => ANSWERS,
        TaskConfig::Reading(_) | TaskConfig::ToyReading(_) => ANSWERS,
        TaskConfig::GermanEnglish(_) | TaskConfig::ChineseEnglish(_) | TaskConfig::Files(_) => {
            SENTENCES
        }
        TaskConfig::Sentences(_) | TaskConfig::Variables(_) | TaskConfig::Text(_) => TEXT,
        TaskConfig::Poems(_) => Words {
            part: "Right characters",
            whole: "Whole lines right",
            many: "lines",
            ..TEXT
        },
    }
}
