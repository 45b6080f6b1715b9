//! Architectures in words: what each computes, its paper, and its settings with their ranges.

use strata_attention::{MechanismConfig, SettingDescription, Site, Values, Widths, Words};

use crate::{
    ModelConfig, ModelDescription, RecurrentLmConfig, Seq2SeqConfig, TransformerConfig,
    TransformerLmConfig,
};

const ATTENTION_IS_ALL: &str = "Vaswani et al. 2017";
const WIDEST: usize = 1 << 16;
/// Everything dropped is nothing learned.
const MOST_DROPPED: f64 = 0.99;
/// Wider than any initial parameters are useful.
const LARGEST_BOUND: f64 = 10.0;

const fn size(words: Words, default: usize) -> SettingDescription {
    SettingDescription {
        words,
        values: Values::Whole {
            minimum: 1,
            maximum: WIDEST,
            default,
            special: None,
        },
    }
}

const fn yes_no(words: Words, default: bool) -> SettingDescription {
    SettingDescription {
        words,
        values: Values::YesNo { default },
    }
}

const CELLS: &[Words] = &[
    Words::new(
        "rnn",
        "Simple recurrent",
        "One hyperbolic tangent.",
        "h' = tanh(W x + U h + b)",
        "Elman 1990",
    ),
    Words::new(
        "gru",
        "GRU",
        "Two gates: what is forgotten, and what is taken over.",
        "h' = (1 − z) n + z h",
        "Cho et al. 2014",
    ),
    Words::new(
        "lstm",
        "LSTM",
        "Three gates around a cell that keeps its content.",
        "c' = f c + i g, h' = o tanh(c')",
        "Hochreiter and Schmidhuber 1997; Gers et al. 2000",
    ),
];

const fn cell(default: &'static str) -> SettingDescription {
    SettingDescription {
        words: Words::new(
            "cell",
            "Cell",
            "How a recurrent layer makes its next state.",
            "hₜ = cell(xₜ, hₜ₋₁)",
            "Elman 1990; Cho et al. 2014",
        ),
        values: Values::Choice {
            options: CELLS,
            default,
        },
    }
}

const DROPOUT: SettingDescription = SettingDescription {
    words: Words::new(
        "dropout",
        "Dropout",
        "Share of features that are dropped in training.",
        "p",
        "Srivastava et al. 2014",
    ),
    values: Values::Real {
        minimum: 0.0,
        maximum: MOST_DROPPED,
        default: 0.0,
    },
};

const INITIAL_BOUND: SettingDescription = SettingDescription {
    words: Words::new(
        "initial_bound",
        "Initial bound",
        "All initial parameters lie within this; 0: each layer's own rule.",
        "|θ| ≤ a",
        "Sutskever et al. 2014, 3.4; Zaremba et al. 2014, 4.1",
    ),
    values: Values::Real {
        minimum: 0.0,
        maximum: LARGEST_BOUND,
        default: 0.0,
    },
};

const fn width(default: usize) -> SettingDescription {
    let source = "Vaswani et al. 2017, 3.1";
    size(
        Words::new("width", "Width", "Of every layer.", "D", source),
        default,
    )
}

const HEADS: SettingDescription = size(
    Words::new(
        "heads",
        "Heads",
        "Of every attention; they share the width, which they must divide.",
        "H",
        "Vaswani et al. 2017, 3.2.2",
    ),
    4,
);

const fn layers(default: usize, source: &'static str) -> SettingDescription {
    let help = "One upon the other; of an encoder, and of a decoder.";
    size(Words::new("layers", "Layers", help, "", source), default)
}

const fn feed_forward(default: usize) -> SettingDescription {
    size(
        Words::new(
            "feed_forward",
            "Feed-forward width",
            "Width inside the feed-forward blocks.",
            "W₂ max(0, W₁ x + b₁) + b₂",
            "Vaswani et al. 2017, 3.3",
        ),
        default,
    )
}

const fn embedding(default: usize) -> SettingDescription {
    size(
        Words::new(
            "embedding",
            "Embedding width",
            "Numbers that stand for a token.",
            "E",
            "Bengio et al. 2003",
        ),
        default,
    )
}

const NORM_FIRST: SettingDescription = yes_no(
    Words::new(
        "norm_first",
        "Normalise before each block",
        "Instead of after it.",
        "x + f(LayerNorm(x))",
        "Xiong et al. 2020",
    ),
    true,
);

const TIED: SettingDescription = yes_no(
    Words::new(
        "tied",
        "Output matrix is the embedding",
        "The output matrix is the (target's) embedding, transposed.",
        "W = Eᵀ",
        "Press and Wolf 2017",
    ),
    false,
);

const POSITIONS: SettingDescription = SettingDescription {
    words: Words::new(
        "positions",
        "Positions",
        "How the model is told where a token stands.",
        "",
        "Vaswani et al. 2017, 3.5",
    ),
    values: Values::Choice {
        options: &[
            Words::new(
                "sinusoidal",
                "Sine and cosine",
                "Waves of the position, for texts of any length.",
                "sin(t / 10000ⁱ)",
                "Vaswani et al. 2017, 3.5",
            ),
            Words::new(
                "learned",
                "Learned",
                "A trained table for each side, for texts as long as the table.",
                "Pₜ",
                "Gehring et al. 2017, 3.1",
            ),
            Words::new(
                "none",
                "None",
                "The order of the source is not told; that of the target shows through its mask alone.",
                "",
                "",
            ),
        ],
        default: "sinusoidal",
    },
};

const LONGEST: SettingDescription = size(
    Words::new(
        "longest",
        "Longest text",
        "Positions that are learned, on each side; no text may be longer.",
        "",
        "Gehring et al. 2017, 3.1",
    ),
    256,
);

pub(crate) static SEQ2SEQ: ModelDescription = ModelDescription {
    words: Words::new(
        "seq2seq",
        "Recurrent, with attention",
        "A recurrent network reads, another one writes and attends to what was read.",
        "sₜ = cell(yₜ₋₁, sₜ₋₁), p(yₜ) = softmax(g(sₜ, aₜ))",
        "Sutskever et al. 2014; Bahdanau et al. 2015",
    ),
    settings: &[
        cell("gru"),
        embedding(64),
        size(
            Words::new(
                "encoder_hidden",
                "Encoder width",
                "Of the encoder's state, both directions together.",
                "D",
                "Bahdanau et al. 2015, 3.2",
            ),
            128,
        ),
        size(
            Words::new(
                "decoder_hidden",
                "Decoder width",
                "Of the decoder's state.",
                "D",
                "Bahdanau et al. 2015, 3.1",
            ),
            128,
        ),
        layers(1, "Sutskever et al. 2014, 3.4"),
        yes_no(
            Words::new(
                "bidirectional",
                "Encoder reads both ways",
                "One half of its state reads forwards, the other backwards.",
                "h = [h₁; h₂]",
                "Schuster and Paliwal 1997; Bahdanau et al. 2015, 3.2",
            ),
            true,
        ),
        yes_no(
            Words::new(
                "attend",
                "Decoder attends",
                "Without, it sees the encoder's last state only.",
                "aₜ = Σ αₜₛ hₛ",
                "Bahdanau et al. 2015, 3.1",
            ),
            true,
        ),
        SettingDescription {
            words: Words::new(
                "head",
                "Output",
                "How context and state become a word.",
                "",
                "Luong et al. 2015, 3; Bahdanau et al. 2015, A.2.2",
            ),
            values: Values::Choice {
                options: &[
                    Words::new(
                        "concat",
                        "One matrix",
                        "Context and state side by side, through one matrix.",
                        "W [a; h] + b",
                        "Luong et al. 2015, 3",
                    ),
                    Words::new(
                        "mlp",
                        "Two matrices",
                        "The same with a hidden layer between.",
                        "W₂ tanh(W₁ [a; h] + b₁) + b₂",
                        "Bahdanau et al. 2015, A.2.2",
                    ),
                ],
                default: "mlp",
            },
        },
        yes_no(
            Words::new(
                "input_feeding",
                "Input feeding",
                "The context is fed into the next step.",
                "sₜ = cell([yₜ₋₁; aₜ₋₁], sₜ₋₁)",
                "Luong et al. 2015, 3.3",
            ),
            false,
        ),
        DROPOUT,
        INITIAL_BOUND,
    ],
};

pub(crate) static TRANSFORMER: ModelDescription = ModelDescription {
    words: Words::new(
        "transformer",
        "Transformer",
        "Reads and writes by attention alone.",
        "softmax(Q Kᵀ / √D) V",
        ATTENTION_IS_ALL,
    ),
    settings: &[
        width(64),
        HEADS,
        layers(2, "Vaswani et al. 2017, 3.1"),
        feed_forward(256),
        DROPOUT,
        NORM_FIRST,
        TIED,
        POSITIONS,
        LONGEST,
        yes_no(
            Words::new(
                "mask_padding",
                "Padding is hidden",
                "Off, sentences attend to the padding behind them, as in some published code.",
                "softmax(Q Kᵀ / √D + M) V",
                ATTENTION_IS_ALL,
            ),
            true,
        ),
    ],
};

pub(crate) static RECURRENT_LM: ModelDescription = ModelDescription {
    words: Words::new(
        "recurrent_lm",
        "Recurrent language model",
        "Writes a text on, token by token, out of a state.",
        "p(yₜ | y₁ … yₜ₋₁) = softmax(W hₜ)",
        "Mikolov et al. 2010; Zaremba et al. 2014",
    ),
    settings: &[
        cell("lstm"),
        embedding(128),
        size(
            Words::new(
                "hidden",
                "Width",
                "Of each layer's state.",
                "D",
                "Zaremba et al. 2014, 4.1",
            ),
            128,
        ),
        layers(2, "Zaremba et al. 2014, 4.1"),
        DROPOUT,
        TIED,
        INITIAL_BOUND,
    ],
};

pub(crate) static TRANSFORMER_LM: ModelDescription = ModelDescription {
    words: Words::new(
        "transformer_lm",
        "Transformer language model",
        "Writes a text on, token by token, by attention to its past.",
        "p(yₜ | y₁ … yₜ₋₁) = softmax(W hₜ)",
        "Radford et al. 2018",
    ),
    settings: &[
        width(128),
        HEADS,
        layers(2, "Radford et al. 2018, 4.1"),
        feed_forward(512),
        DROPOUT,
        NORM_FIRST,
        TIED,
        POSITIONS,
        LONGEST,
    ],
};

/// A place of a model where it attends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionSite {
    /// The name in a configuration.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What attends to what.
    pub site: Site,
    /// The widths that meet there.
    pub widths: Widths,
    /// How it attends.
    pub mechanism: MechanismConfig,
}

impl ModelConfig {
    /// One of each architecture, with its defaults.
    pub fn all() -> [Self; 4] {
        [
            Self::Transformer(TransformerConfig::default()),
            Self::Seq2Seq(Seq2SeqConfig::default()),
            Self::TransformerLm(TransformerLmConfig::default()),
            Self::RecurrentLm(RecurrentLmConfig::default()),
        ]
    }

    /// Description of it and its settings, but for its attention.
    pub fn description(&self) -> &'static ModelDescription {
        match self {
            Self::Seq2Seq(_) => &SEQ2SEQ,
            Self::Transformer(_) => &TRANSFORMER,
            Self::RecurrentLm(_) => &RECURRENT_LM,
            Self::TransformerLm(_) => &TRANSFORMER_LM,
        }
    }

    /// Where it attends, and how, in the order of a pass.
    pub fn sites(&self) -> Vec<AttentionSite> {
        let of_width = |width: usize, heads: usize| Widths {
            states: width,
            ..Widths::all(width / heads.max(1))
        };
        match self {
            Self::Seq2Seq(config) => vec![AttentionSite {
                name: "attention",
                title: "Decoder to encoder",
                site: Site::Cross,
                widths: config.attention_widths(),
                mechanism: config.attention,
            }],
            Self::Transformer(config) => [
                (
                    "encoder_self",
                    "Encoder to itself",
                    Site::EncoderSelf,
                    config.encoder_self,
                ),
                (
                    "decoder_self",
                    "Decoder to its past",
                    Site::DecoderSelf,
                    config.decoder_self,
                ),
                ("cross", "Decoder to encoder", Site::Cross, config.cross),
            ]
            .map(|(name, title, site, mechanism)| AttentionSite {
                name,
                title,
                site,
                widths: of_width(config.width, config.heads),
                mechanism,
            })
            .into(),
            Self::TransformerLm(config) => vec![AttentionSite {
                name: "decoder_self",
                title: "Text to its past",
                site: Site::DecoderSelf,
                widths: of_width(config.width, config.heads),
                mechanism: config.decoder_self,
            }],
            Self::RecurrentLm(_) => Vec::new(),
        }
    }
}
