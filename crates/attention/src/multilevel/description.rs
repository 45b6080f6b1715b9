//! Multilevel attention in words.

use strata_describe::{Description, Domain, Setting, Words};

use crate::ScoreKind;

const PAPER: &str = "Zhou and Li, Multilevel Attention";

pub(crate) static DESCRIPTION: Description = Description {
    words: Words {
        name: "multilevel",
        title: "Multilevel",
        help: "Values fed back N times.",
        formula: "Aᴺ V",
        source: PAPER,
    },
    settings: &[
        ScoreKind::SETTING,
        Setting {
            words: Words {
                name: "levels",
                title: "Levels",
                help: "How often the values are fed back; 1 is vanilla.",
                formula: "N",
                source: PAPER,
            },
            domain: Domain::Whole {
                minimum: 1,
                maximum: 1000,
                default: 4,
                special: None,
            },
        },
        Setting {
            words: Words {
                name: "chain",
                title: "Chain",
                help: "How the levels of a cross-attention follow each other.",
                formula: "",
                source: "the paper's experiment has T = S",
            },
            domain: Domain::Choice {
                options: &[
                    Words {
                        name: "keys",
                        title: "Keys",
                        help: "From key to key, which leaks nothing.",
                        formula: "A_qk A_kkᴺ⁻¹ V",
                        source: "ours",
                    },
                    Words {
                        name: "causal",
                        title: "Causal",
                        help: "Each position reads earlier results and its own, which leaks nothing.",
                        formula: "Vᵢ₊₁ = A⁽ⁱ⁾ R Vᵢ, s ≤ t from level 2 on",
                        source: "ours",
                    },
                    Words {
                        name: "paper_leaky",
                        title: "As in the paper (leaks)",
                        help: "Each position reads the results of all, later ones too, which leaks.",
                        formula: "Vᵢ₊₁ = A R Vᵢ",
                        source: PAPER,
                    },
                ],
                default: "keys",
            },
        },
        Setting {
            words: Words {
                name: "recursion",
                title: "Recursion",
                help: "What is fed back.",
                formula: "",
                source: PAPER,
            },
            domain: Domain::Choice {
                options: &[
                    Words {
                        name: "value",
                        title: "Values",
                        help: "The values alone.",
                        formula: "Vᵢ₊₁ = A Vᵢ",
                        source: PAPER,
                    },
                    Words {
                        name: "query_key_value",
                        title: "Queries, keys and values",
                        help: "Queries, keys and values, which is known to fail in training.",
                        formula: "Qᵢ₊₁ = Kᵢ₊₁ = Vᵢ₊₁ = Attention(Qᵢ, Kᵢ, Vᵢ)",
                        source: PAPER,
                    },
                ],
                default: "value",
            },
        },
    ],
};
