//! The pyramid in words.

use strata_describe::{Description, Domain, Setting, Words};

use crate::ScoreKind;

const PAPER: &str = "Gupta and Ahmed, Attention on Hierarchical Representation of Inputs";
const PAPER_IN_SHORT: &str = "Gupta and Ahmed";

pub(crate) static DESCRIPTION: Description = Description {
    words: Words {
        name: "pyramid",
        title: "Pyramid",
        help: "A descent through blocks of the input, of which only the heaviest are opened.",
        formula: "Σ αⱼ rⱼ, opened rⱼ by attention over its children",
        source: PAPER,
    },
    settings: &[
        ScoreKind::SETTING,
        Setting {
            words: Words {
                name: "summary",
                title: "Summary",
                help: "How a block becomes a node.",
                formula: "",
                source: PAPER_IN_SHORT,
            },
            domain: Domain::Choice {
                options: &[
                    Words {
                        name: "cnn",
                        title: "Convolution",
                        help: "A convolution of kernel and stride k.",
                        formula: "r = Σᵢ Wᵢ hᵢ + b",
                        source: PAPER_IN_SHORT,
                    },
                    Words {
                        name: "rnn",
                        title: "Recurrent",
                        help: "The last state of a GRU over the block.",
                        formula: "r = GRU(h₁ … hₖ)",
                        source: PAPER_IN_SHORT,
                    },
                    Words {
                        name: "act",
                        title: "Adaptive (ACT)",
                        help: "The mean of a block of up to k + 1 members, whose borders are learned.",
                        formula: "p = 1/k + (1 − 1/k) · σ(u·h + b)",
                        source: "Gupta and Ahmed; Graves 2016",
                    },
                ],
                default: "cnn",
            },
        },
        Setting {
            words: Words {
                name: "block",
                title: "Block size",
                help: "How many nodes of the level below make a block.",
                formula: "k",
                source: PAPER_IN_SHORT,
            },
            domain: Domain::Whole {
                minimum: 2,
                maximum: 64,
                default: 3,
                special: None,
            },
        },
        Setting {
            words: Words {
                name: "levels",
                title: "Levels",
                help: "How many levels there are, the input included; 1 is vanilla.",
                formula: "L",
                source: PAPER_IN_SHORT,
            },
            domain: Domain::Whole {
                minimum: 1,
                maximum: 16,
                default: 2,
                special: None,
            },
        },
        Setting {
            words: Words {
                name: "beam",
                title: "Beam",
                help: "How many nodes of each level are opened.",
                formula: "b",
                source: "Gupta and Ahmed, future work",
            },
            domain: Domain::Whole {
                minimum: 1,
                maximum: 1000,
                default: 1,
                special: Some(Words {
                    name: "all",
                    title: "All nodes",
                    help: "Every node is opened: the full soft pyramid.",
                    formula: "",
                    source: "Gupta and Ahmed, future work",
                }),
            },
        },
        Setting {
            words: Words {
                name: "shared",
                title: "One score for all levels",
                help: "Whether all levels share the parameters of the score.",
                formula: "",
                source: PAPER_IN_SHORT,
            },
            domain: Domain::YesNo { default: false },
        },
        Setting {
            words: Words {
                name: "ponder_cost",
                title: "Ponder cost",
                help: "What halting costs with ACT; more makes longer blocks.",
                formula: "loss + τ · mean(p)",
                source: "Graves 2016",
            },
            domain: Domain::Real {
                minimum: 0.0,
                maximum: 10.0,
                default: 0.01,
            },
        },
    ],
};
