//! Greedy decoding with caches equals decoding without them, and nothing leaks.

#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, Tensor};
use strata_attention::{
    Beam, Chain, HamConfig, HardConfig, LocalConfig, MechanismConfig, MultilevelConfig,
    PyramidConfig, Recursion, ScoreKind, SummaryKind,
};
use strata_models::{
    Batch, CellKind, EOS, HeadKind, ModelConfig, PositionKind, Seq2SeqConfig, Tokens,
    TransformerConfig, Vocabularies,
};

const VOCABULARIES: Vocabularies = Vocabularies {
    source: 12,
    target: 14,
};

fn models() -> Vec<ModelConfig> {
    let multilevel = MechanismConfig::Multilevel(MultilevelConfig {
        levels: 3,
        ..Default::default()
    });
    let transformer = TransformerConfig {
        width: 16,
        heads: 2,
        feed_forward: 32,
        ..Default::default()
    };
    let seq2seq = Seq2SeqConfig {
        embedding: 8,
        encoder_hidden: 12,
        decoder_hidden: 10,
        ..Default::default()
    };
    let causal = MechanismConfig::Multilevel(MultilevelConfig {
        chain: Chain::Causal,
        ..Default::default()
    });
    let square = Seq2SeqConfig {
        decoder_hidden: 12,
        ..seq2seq.clone()
    };
    let pyramid = |summary, beam| {
        MechanismConfig::Pyramid(PyramidConfig {
            summary,
            block: 2,
            levels: 3,
            beam,
            ..PyramidConfig::default()
        })
    };
    let hard = MechanismConfig::Hard(HardConfig::default());
    vec![
        ModelConfig::Transformer(TransformerConfig {
            encoder_self: pyramid(SummaryKind::Cnn, Beam::Nodes(1)),
            decoder_self: hard,
            cross: pyramid(SummaryKind::Act, Beam::Nodes(2)),
            ..transformer.clone()
        }),
        ModelConfig::Transformer(TransformerConfig {
            encoder_self: pyramid(SummaryKind::Act, Beam::All),
            cross: pyramid(SummaryKind::Rnn, Beam::Nodes(2)),
            ..transformer.clone()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            attention: pyramid(SummaryKind::Rnn, Beam::Nodes(1)),
            input_feeding: true,
            ..square.clone()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            attention: MechanismConfig::Hard(HardConfig {
                score: ScoreKind::Additive,
            }),
            input_feeding: true,
            ..seq2seq.clone()
        }),
        ModelConfig::Transformer(transformer.clone()),
        ModelConfig::Transformer(TransformerConfig {
            norm_first: false,
            positions: PositionKind::Learned,
            longest: 10,
            ..transformer.clone()
        }),
        ModelConfig::Transformer(TransformerConfig {
            norm_first: false,
            tied: true,
            encoder_self: multilevel,
            decoder_self: multilevel,
            cross: multilevel,
            ..transformer.clone()
        }),
        ModelConfig::Transformer(TransformerConfig {
            encoder_self: MechanismConfig::HamS(HamConfig::default()),
            decoder_self: MechanismConfig::HamS(HamConfig::default()),
            cross: MechanismConfig::HamV(HamConfig::default()),
            ..transformer.clone()
        }),
        ModelConfig::Transformer(TransformerConfig {
            encoder_self: MechanismConfig::Multilevel(MultilevelConfig {
                recursion: Recursion::QueryKeyValue,
                ..Default::default()
            }),
            decoder_self: MechanismConfig::Local(LocalConfig::default()),
            cross: causal,
            ..transformer.clone()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            attention: causal,
            input_feeding: true,
            ..square.clone()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            attention: MechanismConfig::Local(LocalConfig::default()),
            input_feeding: true,
            ..square
        }),
        ModelConfig::Seq2Seq(seq2seq.clone()),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            attend: false,
            cell: CellKind::Lstm,
            ..seq2seq.clone()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            cell: CellKind::Lstm,
            head: HeadKind::Concat,
            input_feeding: true,
            ..seq2seq
        }),
    ]
}

fn sources() -> Tokens {
    Tokens::pad(&[vec![4, 5, 6, 7, 8, 3], vec![9, 10, 11], vec![6]])
}

/// Greedy decoding by a full teacher-forced pass for every token.
fn uncached(config: &ModelConfig, source: &[u32], limit: usize, device: &Device) -> Vec<u32> {
    let model = config.init(VOCABULARIES, 5, device).unwrap();
    let mut target: Vec<u32> = Vec::new();
    while target.len() < limit {
        let batch = Batch::new(&[(source.to_vec(), target.clone())]);
        let logits: Tensor<3> = model.forward(&batch, device).logits;
        let last = logits.narrow(1, target.len(), 1);
        let id = last.argmax(2).into_scalar::<i64>() as u32;
        if id == EOS {
            break;
        }
        target.push(id);
    }
    target
}

#[test]
fn cached_and_batched_greedy_decoding_equals_one_by_one_without_caches() {
    let device = Device::flex();
    for config in models() {
        let model = config.init(VOCABULARIES, 5, &device).unwrap();
        let decoded = pollster::block_on(model.greedy(&sources(), 9, true, &device)).unwrap();
        assert!(
            decoded.targets.iter().any(|target| target.len() > 2),
            "{config:?}"
        );
        for (row, length) in [(0, 6), (1, 3), (2, 1)] {
            let source = &sources().row(row)[..length].to_vec();
            assert_eq!(
                decoded.targets[row],
                uncached(&config, source, 9, &device),
                "{config:?}"
            );
        }
    }
}

#[test]
fn logits_do_not_depend_on_later_targets_or_on_padding() {
    let device = Device::flex();
    for config in models() {
        let model = config.init(VOCABULARIES, 5, &device).unwrap();
        let logits = |examples: &[(Vec<u32>, Vec<u32>)]| {
            model.forward(&Batch::new(examples), &device).logits
        };
        let source = vec![4, 5, 6];
        let alone = logits(&[(source.clone(), vec![7, 8])]).narrow(1, 0, 2);
        let beside = logits(&[
            (source, vec![7, 9, 10, 11]),
            (vec![4, 5, 6, 7, 8, 9, 10], vec![3, 3]),
        ]);
        let beside = beside.narrow(0, 0, 1).narrow(1, 0, 2);
        let difference = (alone - beside).abs().max().into_scalar::<f32>();
        assert!(difference < 2e-5, "{config:?}: {difference}");
    }
}

#[test]
fn impossible_models_are_refused_with_a_sentence() {
    let refused = |config: ModelConfig, part: &str| {
        let error = config.check().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let transformer = |change: &dyn Fn(&mut TransformerConfig)| {
        let mut config = TransformerConfig::default();
        change(&mut config);
        ModelConfig::Transformer(config)
    };
    refused(
        transformer(&|config| config.heads = 5),
        "multiple of `heads`",
    );
    refused(transformer(&|config| config.width = 0), "`width`");
    refused(transformer(&|config| config.dropout = 1.0), "`dropout`");
    refused(transformer(&|config| config.longest = 0), "`longest`");
    refused(
        transformer(&|config| config.cross = MechanismConfig::HamS(HamConfig::default())),
        "`cross`",
    );
    let seq2seq = Seq2SeqConfig {
        encoder_hidden: 7,
        ..Default::default()
    };
    refused(ModelConfig::Seq2Seq(seq2seq), "even");
    let seq2seq = Seq2SeqConfig {
        attend: false,
        input_feeding: true,
        ..Default::default()
    };
    refused(ModelConfig::Seq2Seq(seq2seq), "`attend = true`");
}
