//! What a model is said to cost before it is built.

#![allow(clippy::unwrap_used)]

use burn::module::Module;
use burn::tensor::Device;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use strata_attention::{MechanismConfig, Values};
use strata_models::{
    CellKind, HeadKind, Load, ModelConfig, PositionKind, RecurrentLmConfig, Seq2SeqConfig,
    TransformerConfig, TransformerLmConfig, Vocabularies,
};

/// Draws configurations: every architecture and mechanism, small enough to be built in no time.
struct Draw(ChaCha8Rng);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
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
            PositionKind::None,
        ][self.below(3)]
    }

    /// Any mechanism with any of its options.
    fn mechanism(&mut self) -> MechanismConfig {
        let all: Vec<_> = MechanismConfig::all().collect();
        let mechanism = all[self.below(all.len())];
        let mut json = serde_json::to_value(mechanism).unwrap();
        for setting in mechanism.description().settings {
            json[setting.words.name] = match setting.values {
                Values::Whole { minimum, .. } => (minimum + self.below(4)).into(),
                Values::Real { default, .. } => default.into(),
                Values::Choice { options, .. } => options[self.below(options.len())].name.into(),
                Values::YesNo { .. } => self.yes().into(),
            };
        }
        serde_json::from_value(json).unwrap()
    }

    fn model(&mut self) -> ModelConfig {
        let heads = 1 + self.below(3);
        let width = heads * (2 + self.below(5));
        let layers = 1 + self.below(3);
        match self.below(4) {
            0 => ModelConfig::Transformer(TransformerConfig {
                width,
                heads,
                layers,
                feed_forward: 1 + self.below(20),
                norm_first: self.yes(),
                tied: self.yes(),
                positions: self.positions(),
                longest: 1 + self.below(9),
                encoder_self: self.mechanism(),
                decoder_self: self.mechanism(),
                cross: self.mechanism(),
                mask_padding: self.yes(),
                dropout: 0.0,
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
                feed_forward: 1 + self.below(20),
                norm_first: self.yes(),
                tied: self.yes(),
                positions: self.positions(),
                longest: 1 + self.below(9),
                decoder_self: self.mechanism(),
                dropout: 0.0,
            }),
        }
    }
}

#[test]
fn parameters_are_those_of_the_model_that_is_built() {
    let mut draw = Draw(ChaCha8Rng::seed_from_u64(3));
    let device = Device::default();
    let mut built = 0;
    while built < 250 {
        let model = draw.model();
        let vocabularies = Vocabularies {
            source: 5 + draw.below(9),
            target: 5 + draw.below(9),
        };
        let Ok(module) = model.init(vocabularies, 0, &device) else {
            continue;
        };
        assert_eq!(
            model.parameters(vocabularies),
            module.num_params() as u64,
            "{model:?}"
        );
        built += 1;
    }
}

#[test]
fn more_of_anything_costs_more() {
    let vocabularies = Vocabularies {
        source: 100,
        target: 100,
    };
    let load = Load {
        batch: 32.0,
        source: 10.0,
        target: 10.0,
    };
    for model in ModelConfig::all() {
        let cost = model.step_cost(vocabularies, load);
        let longer = Load {
            target: 20.0,
            ..load
        };
        let longer = model.step_cost(vocabularies, longer);
        assert!(
            longer.multiplications > 1.5 * cost.multiplications,
            "{model:?}"
        );
        assert!(longer.bytes > cost.bytes, "{model:?}");
        assert!(cost.bytes > cost.least_bytes, "{model:?}");
        assert!(longer.least_bytes > cost.least_bytes, "{model:?}");
        assert!(cost.least_bytes > 16.0 * model.parameters(vocabularies) as f64);
    }
}
