//! Configurations drawn at random.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use strata_attention::MechanismConfig;
use strata_describe::Domain;
use strata_models::{
    CellKind, EncoderCell, HeadKind, ModelConfig, PositionKind, RecurrentLmConfig, RnnpgConfig,
    Seq2SeqConfig, TaggerConfig, TransformerConfig, TransformerLmConfig,
};

/// Draws configurations of every architecture and mechanism, small enough to build quickly.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// Starts with this seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn cell(&mut self) -> CellKind {
        [CellKind::Rnn, CellKind::Gru, CellKind::Lstm][self.below(3)]
    }

    fn positions(&mut self) -> PositionKind {
        [
            PositionKind::Sinusoidal,
            PositionKind::Learned,
            PositionKind::Rotary,
            PositionKind::Alibi,
            PositionKind::None,
        ][self.below(5)]
    }

    /// Draws any mechanism with any of its options.
    pub fn mechanism(&mut self) -> MechanismConfig {
        let all: Vec<_> = MechanismConfig::all().collect();
        let mechanism = all[self.below(all.len())];
        let mut json = serde_json::to_value(mechanism).unwrap();
        for setting in mechanism.description().settings {
            json[setting.words.name] = match setting.domain {
                Domain::Whole { minimum, .. } => (minimum + self.below(4) as u64).into(),
                Domain::Real { default, .. } => default.into(),
                Domain::Choice { options, .. } => options[self.below(options.len())].name.into(),
                Domain::YesNo { .. } => self.yes().into(),
                Domain::Text | Domain::Path { .. } | Domain::WholeRange { .. } => {
                    unreachable!("a mechanism reads no file and takes no range")
                }
            };
        }
        serde_json::from_value(json).unwrap()
    }

    fn reader(&mut self) -> ModelConfig {
        let (cell, hidden) = (self.cell(), 1 + self.below(4));
        let (embedding, layers) = (1 + self.below(6), 1 + self.below(2));
        let shared = self.yes();
        let mut one = |of: &[&'static str]| of[self.below(of.len())];
        let sharing = one(&["all", "attention", "none"]);
        let input = one(&["concat", "difference"]);
        let characters = one(&["none", "cnn", "gru"]);
        let output = one(&["linear", "pointer"]);
        let architecture = one(&["bidaf", "match_lstm", "rnet"]);
        let mut json = serde_json::json!({
            "architecture": architecture, "cell": cell, "hidden": hidden, "embedding": embedding,
            "layers": layers, "encoder_shared": shared, "modelling": 1 + self.below(2),
            "dropout": 0.0,
        });
        let spelling = [
            ("characters", characters.into()),
            ("character_embedding", (1 + self.below(4)).into()),
            ("character_filters", (1 + self.below(4)).into()),
            ("character_kernel", (1 + self.below(4)).into()),
        ];
        let pointer = [
            ("pooled", self.yes().into()),
            ("both_directions", self.yes().into()),
        ];
        let levels = |depth: usize| serde_json::json!({ "kind": "ham_v", "depth": depth });
        let mut set = |name: &str, value| json[name] = value;
        match architecture {
            "bidaf" => {
                spelling
                    .into_iter()
                    .for_each(|(name, value)| set(name, value));
                pointer
                    .into_iter()
                    .for_each(|(name, value)| set(name, value));
                set("highway", self.below(3).into());
                set("output", output.into());
                let mechanism = self.mechanism();
                set("context_to_query", serde_json::to_value(mechanism).unwrap());
                let mut asked = levels(1 + self.below(4));
                if let Some(score) = mechanism.score() {
                    asked["score"] = score.name().into();
                }
                set("query_to_context", asked);
            }
            "match_lstm" => {
                pointer
                    .into_iter()
                    .for_each(|(name, value)| set(name, value));
                set("bidirectional", self.yes().into());
                set("sharing", sharing.into());
                set("input", input.into());
                set("question", levels(1 + self.below(4)));
            }
            _ => {
                spelling
                    .into_iter()
                    .for_each(|(name, value)| set(name, value));
                set("question", levels(1 + self.below(4)));
                let mechanism = self.mechanism();
                set("self_matching", serde_json::to_value(mechanism).unwrap());
            }
        }
        serde_json::from_value(json).unwrap()
    }

    pub fn model(&mut self) -> ModelConfig {
        let heads = 1 + self.below(3);
        let width = heads * (2 + self.below(5));
        let layers = 1 + self.below(3);
        match self.below(7) {
            6 => ModelConfig::Tagger(TaggerConfig {
                width,
                heads,
                layers,
                feed_forward: 1 + self.below(20),
                norm_first: self.yes(),
                tied: self.yes(),
                positions: self.positions(),
                longest: 1 + self.below(9),
                mask_padding: self.yes(),
                cell: [
                    EncoderCell::None,
                    EncoderCell::Rnn,
                    EncoderCell::Gru,
                    EncoderCell::Lstm,
                    EncoderCell::Convolution,
                ][self.below(5)],
                bidirectional: self.yes(),
                kernel_size: 1 + 2 * self.below(3),
                encoder_self: self.mechanism(),
                ..TaggerConfig::default()
            }),
            4 => self.reader(),
            5 => ModelConfig::Rnnpg(RnnpgConfig {
                width: 1 + self.below(9),
                ..RnnpgConfig::default()
            }),
            0 => ModelConfig::Transformer(TransformerConfig {
                width,
                heads,
                layers,
                loops: 1 + self.below(3),
                feed_forward: 1 + self.below(20),
                norm_first: self.yes(),
                tied: self.yes(),
                positions: self.positions(),
                longest: 1 + self.below(9),
                encoder_self: self.mechanism(),
                decoder_self: self.mechanism(),
                cross: self.mechanism(),
                mask_padding: self.yes(),
                ..TransformerConfig::default()
            }),
            1 => ModelConfig::Seq2Seq(Seq2SeqConfig {
                cell: self.cell(),
                embedding: 1 + self.below(9),
                encoder_hidden: 2 * (1 + self.below(5)),
                decoder_hidden: 2 * (1 + self.below(5)),
                layers,
                bidirectional: self.yes(),
                attend: self.yes(),
                attention: self.mechanism(),
                head: [HeadKind::Concat, HeadKind::Mlp][self.below(2)],
                input_feeding: self.yes(),
                ..Seq2SeqConfig::default()
            }),
            2 => {
                let embedding = 1 + self.below(9);
                let tied = self.yes();
                ModelConfig::RecurrentLm(RecurrentLmConfig {
                    cell: self.cell(),
                    embedding,
                    hidden: if tied { embedding } else { 1 + self.below(9) },
                    layers,
                    tied,
                    ..RecurrentLmConfig::default()
                })
            }
            _ => ModelConfig::TransformerLm(TransformerLmConfig {
                width,
                heads,
                layers,
                loops: 1 + self.below(3),
                feed_forward: 1 + self.below(20),
                norm_first: self.yes(),
                tied: self.yes(),
                positions: self.positions(),
                longest: 1 + self.below(9),
                decoder_self: self.mechanism(),
                ..TransformerLmConfig::default()
            }),
        }
    }
}
