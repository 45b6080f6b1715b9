//! Description of each search in words.

use strata_describe::{Description, Domain, Setting, Words};

pub(super) static GREEDY: Description = Description {
    words: Words {
        name: "greedy",
        title: "Greedy",
        help: "At every step the most probable token.",
        formula: "yₜ = argmax p(y | y₁ … yₜ₋₁, x)",
        source: "Sutskever et al. 2014, 3.2, a beam of 1",
    },
    settings: &[],
};

pub(super) static ONE_PASS: Description = Description {
    words: Words {
        name: "one_pass",
        title: "In one pass",
        help: "All tokens at once: the model reads padding instead of what it wrote. For comparison with results that were published so.",
        formula: "yₜ = argmax p(y | PAD … PAD, x)",
        source: "P3n9W31/transformer-pytorch, eval.py",
    },
    settings: &[],
};

pub(super) static SAMPLING: Description = Description {
    words: Words {
        name: "sampling",
        title: "Sampling",
        help: "At every step a token drawn from the model's distribution.",
        formula: "yₜ ~ p(y | y₁ … yₜ₋₁, x)",
        source: "Graves 2013, 2",
    },
    settings: &[
        Setting {
            words: Words {
                name: "temperature",
                title: "Temperature",
                help: "Below 1 probable tokens become more probable; 0 is greedy.",
                formula: "softmax(z / T)",
                source: "Ackley et al. 1985",
            },
            domain: Domain::Real {
                minimum: 0.0,
                maximum: 10.0,
                default: 1.0,
            },
        },
        Setting {
            words: Words {
                name: "top_k",
                title: "Top k",
                help: "Draws from so many tokens, the most probable ones; 0: from all.",
                formula: "k",
                source: "Fan et al. 2018, 5.4",
            },
            domain: Domain::Whole {
                minimum: 0,
                maximum: 1_000_000,
                default: 0,
                special: None,
            },
        },
        Setting {
            words: Words {
                name: "top_p",
                title: "Top p",
                help: "Draws from the fewest tokens that have this probability together.",
                formula: "Σ p(y) ≥ p",
                source: "Holtzman et al. 2020, 3.1",
            },
            domain: Domain::Real {
                minimum: 0.0,
                maximum: 1.0,
                default: 1.0,
            },
        },
        Setting {
            words: Words {
                name: "results",
                title: "Samples",
                help: "How many targets are drawn for each source, each by itself.",
                formula: "",
                source: "",
            },
            domain: Domain::Whole {
                minimum: 1,
                maximum: 256,
                default: 1,
                special: None,
            },
        },
        Setting {
            words: Words {
                name: "seed",
                title: "Seed",
                help: "The same seed draws the same tokens.",
                formula: "",
                source: "",
            },
            domain: Domain::Whole {
                minimum: 0,
                // What a browser's whole numbers hold.
                maximum: u32::MAX as u64 - 1,
                default: 0,
                special: None,
            },
        },
    ],
};

pub(super) static BEAM: Description = Description {
    words: Words {
        name: "beam",
        title: "Beam",
        help: "Several hypotheses at once; one that ends gives its place up.",
        formula: "argmax Σₜ log p(yₜ | y₁ … yₜ₋₁, x) / lp(|y|)",
        source: "Sutskever et al. 2014, 3.2",
    },
    settings: &[
        Setting {
            words: Words {
                name: "width",
                title: "Width",
                help: "How many hypotheses are kept; 1 is greedy.",
                formula: "k",
                source: "Sutskever et al. 2014, 3.2",
            },
            domain: Domain::Whole {
                minimum: 1,
                maximum: 256,
                default: 4,
                special: None,
            },
        },
        Setting {
            words: Words {
                name: "length_penalty",
                title: "Length penalty",
                help: "How far longer targets are made up for their lower probability; 0: not at \
                       all.",
                formula: "lp(n) = ((5 + n) / 6)^α",
                source: "Wu et al. 2016, 7",
            },
            domain: Domain::Real {
                minimum: 0.0,
                maximum: 5.0,
                default: 0.6,
            },
        },
        Setting {
            words: Words {
                name: "results",
                title: "Results",
                help: "How many of the best targets are given, at most the width.",
                formula: "n ≤ k",
                source: "Sutskever et al. 2014, 3.2",
            },
            domain: Domain::Whole {
                minimum: 1,
                maximum: 256,
                default: 1,
                special: None,
            },
        },
    ],
};
