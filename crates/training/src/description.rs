//! How a model is trained, in words: every setting with its range, formula and paper.

use strata_describe::{self as describe, Description, Domain, Number, Setting, Words};

use crate::{Schedule, TrainingError};

/// More steps than anybody waits for, and a number that every machine can count to.
const MOST_STEPS: u64 = 1_000_000_000;

const fn whole(words: Words, (minimum, maximum): (u64, u64), default: u64) -> Setting {
    Setting {
        words,
        domain: Domain::Whole {
            minimum,
            maximum,
            default,
            special: None,
        },
    }
}

const fn real(words: Words, (minimum, maximum): (f64, f64), default: f64) -> Setting {
    Setting {
        words,
        domain: Domain::Real {
            minimum,
            maximum,
            default,
        },
    }
}

/// The seed of an experiment.
pub static SEED: Setting = whole(
    Words::new(
        "seed",
        "Seed",
        "Decides data, initial parameters, order of batches and dropout.",
        "",
        "",
    ),
    (0, u64::MAX),
    0,
);

/// The settings of training, but for optimiser and schedule.
pub static TRAINING: &[Setting] = &[
    whole(
        Words::new("steps", "Steps", "Optimiser steps in all.", "", ""),
        (1, MOST_STEPS),
        2000,
    ),
    whole(
        Words::new(
            "epochs",
            "Epochs",
            "Passes over the data, instead of steps; 0: as many steps as these say.",
            "",
            "",
        ),
        (0, 1_000_000),
        0,
    ),
    whole(
        Words::new("batch_size", "Batch size", "Examples a batch.", "B", ""),
        (1, 1_000_000),
        64,
    ),
    whole(
        Words::new(
            "batch_tokens",
            "Batch tokens",
            "Instead: tokens a batch, both sides with their padding; 0: by examples.",
            "B · (S + T)",
            "Vaswani et al. 2017, 5.1",
        ),
        (0, 1_000_000_000),
        0,
    ),
    whole(
        Words::new(
            "accumulate",
            "Batches a step",
            "Their gradients are added up, as if all were one batch.",
            "g = Σ gᵢ",
            "Ott et al. 2018",
        ),
        (1, 1 << 16),
        1,
    ),
    Setting {
        words: Words::new(
            "precision",
            "Precision",
            "What a pass through the model computes in; parameters stay in 32 bits.",
            "",
            "Micikevicius et al. 2018",
        ),
        domain: Domain::Choice {
            options: &[
                Words::new("f32", "32 bits", "Every device has it.", "", ""),
                Words::new("bf16", "bfloat16", "16 bits with the range of 32.", "", ""),
                Words::new(
                    "f16",
                    "Half",
                    "16 bits with more digits and less range; the loss is scaled.",
                    "",
                    "Micikevicius et al. 2018",
                ),
            ],
            default: "f32",
        },
    },
    Setting {
        words: Words::new(
            "checkpointing",
            "Compute twice",
            "Less memory, more time: cheap results are computed again in the backward pass.",
            "",
            "Chen et al. 2016",
        ),
        domain: Domain::YesNo { default: false },
    },
    real(
        Words::new(
            "clip_norm",
            "Largest gradient",
            "Largest norm of all gradients together; 0: no limit.",
            "g · min(1, c / ‖g‖)",
            "Pascanu et al. 2013",
        ),
        (0.0, 1e9),
        1.0,
    ),
    real(
        Words::new(
            "label_smoothing",
            "Label smoothing",
            "Share of the target's probability that goes to all classes.",
            "(1 − ε) p + ε / V",
            "Szegedy et al. 2016",
        ),
        (0.0, 0.99),
        0.0,
    ),
    whole(
        Words::new(
            "validate_every",
            "Validate every",
            "Steps between validations; 0: only at the end.",
            "",
            "",
        ),
        (0, MOST_STEPS),
        250,
    ),
    whole(
        Words::new(
            "bleu_every",
            "BLEU every",
            "Steps between validations that also measure BLEU, against the text as it is in the file; \
             0: none.",
            "",
            "Papineni et al. 2002",
        ),
        (0, MOST_STEPS),
        0,
    ),
    whole(
        Words::new(
            "bleu_sentences",
            "Sentences for BLEU",
            "Held-out sentences that those translate at most.",
            "",
            "",
        ),
        (1, 1_000_000_000),
        500,
    ),
    Setting {
        words: Words::new(
            "bleu_words",
            "Words for BLEU",
            "What is a word for BLEU, by sacreBLEU's names.",
            "",
            "Post 2018",
        ),
        domain: Domain::Choice {
            options: &[
                Words::new("13a", "As WMT", "mteval-v13a.", "", ""),
                Words::new(
                    "intl",
                    "International",
                    "All punctuation of Unicode stands alone.",
                    "",
                    "",
                ),
                Words::new(
                    "zh",
                    "Chinese",
                    "Every Chinese character stands alone.",
                    "",
                    "",
                ),
                Words::new(
                    "char",
                    "Characters",
                    "Every character stands alone.",
                    "",
                    "",
                ),
                Words::new(
                    "none",
                    "White space",
                    "What stands between white space.",
                    "",
                    "",
                ),
            ],
            default: "13a",
        },
    },
    Setting {
        words: Words::new(
            "measure",
            "Best by",
            "What makes a validation the best.",
            "",
            "",
        ),
        domain: Domain::Choice {
            options: &[
                Words::new("loss", "Loss", "A lower loss.", "", ""),
                Words::new("bleu", "BLEU", "A higher BLEU.", "", "Papineni et al. 2002"),
            ],
            default: "loss",
        },
    },
    whole(
        Words::new(
            "patience",
            "Patience",
            "Validations without a better one that end the run; 0: never.",
            "",
            "",
        ),
        (0, MOST_STEPS),
        0,
    ),
    whole(
        Words::new(
            "keep_best",
            "Best checkpoints",
            "Checkpoints of the best validations that are kept.",
            "",
            "",
        ),
        (0, 100),
        0,
    ),
    whole(
        Words::new(
            "checkpoint_every",
            "Checkpoint every",
            "Steps between checkpoints; 0: only at the end.",
            "",
            "",
        ),
        (0, MOST_STEPS),
        500,
    ),
];

/// The settings of the optimiser.
pub static OPTIMIZER: &[Setting] = &[
    real(
        Words::new(
            "learning_rate",
            "Learning rate",
            "At its peak.",
            "η",
            "Loshchilov and Hutter 2019",
        ),
        (1e-12, 1000.0),
        3e-3,
    ),
    real(
        Words::new(
            "beta_1",
            "First moment",
            "How much of the mean gradient is kept from step to step.",
            "m = β₁ m + (1 − β₁) g",
            "Kingma and Ba 2015",
        ),
        (0.0, 0.999_999),
        0.9,
    ),
    real(
        Words::new(
            "beta_2",
            "Second moment",
            "How much of the mean square is kept from step to step.",
            "v = β₂ v + (1 − β₂) g²",
            "Kingma and Ba 2015",
        ),
        (0.0, 0.999_999),
        0.98,
    ),
    real(
        Words::new(
            "epsilon",
            "Epsilon",
            "Added to the denominator.",
            "η m / (√v + ε)",
            "Kingma and Ba 2015",
        ),
        (1e-30, 1.0),
        1e-9,
    ),
    real(
        Words::new(
            "weight_decay",
            "Weight decay",
            "Decoupled, as AdamW has it; 0 is Adam.",
            "θ − η λ θ",
            "Loshchilov and Hutter 2019",
        ),
        (0.0, 1000.0),
        0.0,
    ),
];

const fn warmup(default: u64) -> Setting {
    whole(
        Words::new(
            "warmup",
            "Warm-up",
            "Steps in which the rate rises in a straight line.",
            "η t / w",
            "Vaswani et al. 2017, 5.3",
        ),
        (0, MOST_STEPS),
        default,
    )
}

static CONSTANT: Description = Description {
    words: Words::new(
        "constant",
        "Constant",
        "After the warm-up the rate stays.",
        "η",
        "Goyal et al. 2017, 2.2",
    ),
    settings: &[warmup(0)],
};

static COSINE: Description = Description {
    words: Words::new(
        "cosine",
        "Cosine",
        "After the warm-up half a cosine, down to 0 at the last step.",
        "η (1 + cos(π t / T)) / 2",
        "Loshchilov and Hutter 2017",
    ),
    settings: &[warmup(200)],
};

static NOAM: Description = Description {
    words: Words::new(
        "noam",
        "Inverse root",
        "After the warm-up the rate falls with the root of the step.",
        "η √(w / t)",
        "Vaswani et al. 2017, 5.3",
    ),
    settings: &[warmup(4000)],
};

impl Schedule {
    /// All schedules in words, in the order in which to offer them.
    pub const KINDS: [&'static Description; 3] = [&COSINE, &CONSTANT, &NOAM];

    /// The schedule in words.
    pub fn description(self) -> &'static Description {
        match self {
            Self::Constant { .. } => &CONSTANT,
            Self::Cosine { .. } => &COSINE,
            Self::Noam { .. } => &NOAM,
        }
    }

    /// Steps of warm-up.
    pub fn warmup(self) -> u64 {
        match self {
            Self::Constant { warmup } | Self::Cosine { warmup } | Self::Noam { warmup } => warmup,
        }
    }
}

/// Refuses numbers outside the ranges of their settings, which stand below `training` in `group`.
pub(crate) fn check(
    group: &'static str,
    settings: &[Setting],
    numbers: &[(&str, Number)],
) -> Result<(), TrainingError> {
    describe::check(settings, numbers).map_err(|found| TrainingError::Setting {
        key: format!("{group}{}", found.setting.words.name),
        value: found.value.to_string(),
        allowed: found.setting.domain.to_string(),
    })
}
