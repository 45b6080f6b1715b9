//! Hierarchical attention in words.

use strata_describe::{Description, Domain, Setting, Words};

use crate::ScoreKind;

const PAPER: &str = "Hierarchical Attention: What Really Counts in Various NLP Tasks";
const PAPER_IN_SHORT: &str = "Hierarchical Attention";

/// Ham-V in words.
pub(crate) static BY_VALUE: Description = Description {
    words: Words {
        name: "ham_v",
        title: "Ham-V",
        help: "A learned mix of d levels, each level's result asking again.",
        formula: "qᵢ = Attention(qᵢ₋₁, K, V), Σ softmax(w)ᵢ · qᵢ",
        source: PAPER,
    },
    settings: SETTINGS,
};

/// Ham-S in words.
pub(crate) static BY_SELF_ATTENTION: Description = Description {
    words: Words {
        name: "ham_s",
        title: "Ham-S",
        help: "A learned mix of d levels of self-attention on self-attention.",
        formula: "Xᵢ = Attention(Xᵢ₋₁, Xᵢ₋₁, Xᵢ₋₁), Σ softmax(w)ᵢ · Xᵢ",
        source: PAPER,
    },
    settings: SETTINGS,
};

const SETTINGS: &[Setting] = &[
    ScoreKind::SETTING,
    Setting {
        words: Words {
            name: "depth",
            title: "Depth",
            help: "How many levels are mixed; 1 is vanilla.",
            formula: "d",
            source: PAPER_IN_SHORT,
        },
        domain: Domain::Whole {
            minimum: 1,
            maximum: 100,
            default: 5,
            special: None,
        },
    },
    Setting {
        words: Words {
            name: "mix",
            title: "Mix",
            help: "How the levels become one result.",
            formula: "",
            source: PAPER_IN_SHORT,
        },
        domain: Domain::Choice {
            options: &[
                Words {
                    name: "layer",
                    title: "One for all heads",
                    help: "By trained shares, the same for all heads.",
                    formula: "softmax(w)",
                    source: PAPER_IN_SHORT,
                },
                Words {
                    name: "head",
                    title: "One for each head",
                    help: "By trained shares, others for each head.",
                    formula: "softmax(wₕ)",
                    source: "Hierarchical Attention, future work",
                },
                Words {
                    name: "last",
                    title: "Last level alone",
                    help: "The last level alone, the paper's multi-level baseline.",
                    formula: "softmax(w) = one-hot of d",
                    source: PAPER_IN_SHORT,
                },
            ],
            default: "layer",
        },
    },
];
