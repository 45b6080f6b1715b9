//! The task `files` in words.

use strata_describe::{Description, Words};

use crate::description::{choice, number, path, switch};
use crate::{Stream, TargetLevel, TokenUnit};

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "files",
        "Own pairs",
        "Translate as your own sentence pairs do: two text files, or one with two columns.",
        "",
        "",
    ),
    settings: &[
        path(
            "source",
            "Source",
            "Text to translate, a sentence per line; or .tsv, source TAB target. May be .gz.",
            true,
        ),
        path(
            "target",
            "Target",
            "Its translation, line by line; leave out for a .tsv.",
            false,
        ),
        path(
            "validation_source",
            "Validation source",
            "Text to measure on; without it, sentences of the corpus are held out.",
            false,
        ),
        path(
            "validation_target",
            "Validation target",
            "Its translation, line by line; leave out for a .tsv.",
            false,
        ),
        TokenUnit::DESCRIPTION,
        choice(
            "target_level",
            "Target level",
            "The same for the target side.",
            TargetLevel::OPTIONS,
        ),
        switch(
            "lowercase",
            "Lowercase",
            "All text is made lower case, what is translated later too.",
        ),
        Stream::DESCRIPTION,
        number(
            "minimum_count",
            "Minimum count",
            "Rarer tokens become <unk>.",
            (1, 1_000_000),
            2,
        ),
        number(
            "maximum_vocabulary",
            "Maximum vocabulary",
            "Most entries of each vocabulary, the 4 special ones included.",
            (5, 1_000_000),
            20_000,
        ),
        number(
            "maximum_length",
            "Maximum length",
            "Pairs with more tokens on a side are left out.",
            (1, 10_000),
            100,
        ),
        number(
            "held_out",
            "Held out",
            "Pairs to measure on, at most half of the corpus.",
            (1, 1_000_000),
            500,
        ),
        switch(
            "keep_overlap",
            "Keep overlap",
            "Train on sentences of the validation files too, as some published results did.",
        ),
    ],
};
