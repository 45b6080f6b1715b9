//! The task `files` in words.

use crate::{FieldDescription, FieldKind, Stream, TargetLevel, TaskDescription, TokenUnit};

pub(crate) const DESCRIPTION: TaskDescription = TaskDescription {
    name: "files",
    title: "Own pairs",
    help: "Translate as your own sentence pairs do: two text files, or one with two columns.",
    fields: &[
        FieldDescription {
            name: "source",
            help: "Text to translate, a sentence per line; or .tsv, source TAB target. May be .gz.",
            kind: FieldKind::Path { required: true },
        },
        FieldDescription {
            name: "target",
            help: "Its translation, line by line; leave out for a .tsv.",
            kind: FieldKind::Path { required: false },
        },
        FieldDescription {
            name: "validation_source",
            help: "Text to measure on; without it, sentences of the corpus are held out.",
            kind: FieldKind::Path { required: false },
        },
        FieldDescription {
            name: "validation_target",
            help: "Its translation, line by line; leave out for a .tsv.",
            kind: FieldKind::Path { required: false },
        },
        TokenUnit::DESCRIPTION,
        FieldDescription {
            name: "target_level",
            help: "The same for the target side.",
            kind: FieldKind::Choice(TargetLevel::NAMES),
        },
        FieldDescription {
            name: "lowercase",
            help: "All text is made lower case, what is translated later too.",
            kind: FieldKind::Switch,
        },
        Stream::DESCRIPTION,
        FieldDescription::number(
            "minimum_count",
            "Rarer tokens become <unk>.",
            (1, 1_000_000),
            2,
        ),
        FieldDescription::number(
            "maximum_vocabulary",
            "Most entries of each vocabulary, the 4 special ones included.",
            (5, 1_000_000),
            20_000,
        ),
        FieldDescription::number(
            "maximum_length",
            "Pairs with more tokens on a side are left out.",
            (1, 10_000),
            100,
        ),
        FieldDescription::number(
            "held_out",
            "Pairs to measure on, at most half of the corpus.",
            (1, 1_000_000),
            500,
        ),
        FieldDescription {
            name: "keep_overlap",
            help: "Train on sentences of the validation files too, as some published results did.",
            kind: FieldKind::Switch,
        },
    ],
};
