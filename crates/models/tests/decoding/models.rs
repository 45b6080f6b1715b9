//! Models of every architecture with every mechanism, with small random parameters.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use strata_attention::{
    Beam, Chain, HamConfig, HamSConfig, HardConfig, LocalConfig, MechanismConfig, MultilevelConfig,
    PyramidConfig, Recursion, ScoreKind, SummaryKind, VanillaConfig,
};
use strata_models::{
    Batch, CellKind, EOS, HeadKind, Model, ModelConfig, PositionKind, RecurrentLmConfig,
    Seq2SeqConfig, Tokens, TransformerConfig, TransformerLmConfig, Vocabularies,
};

pub const VOCABULARIES: Vocabularies = Vocabularies {
    source: 12,
    target: 14,
};

/// Models of every architecture, with various mechanisms and options.
pub fn models() -> Vec<ModelConfig> {
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
    let mut models = vec![
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
            positions: PositionKind::None,
            ..transformer.clone()
        }),
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
            encoder_self: MechanismConfig::HamS(HamSConfig::default()),
            decoder_self: MechanismConfig::HamS(HamSConfig::default()),
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
            layers: 2,
            ..seq2seq.clone()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            cell: CellKind::Rnn,
            bidirectional: false,
            layers: 3,
            input_feeding: true,
            ..seq2seq.clone()
        }),
        ModelConfig::RecurrentLm(RecurrentLmConfig {
            embedding: 8,
            hidden: 8,
            ..RecurrentLmConfig::default()
        }),
        ModelConfig::TransformerLm(TransformerLmConfig {
            width: 16,
            heads: 2,
            feed_forward: 32,
            decoder_self: multilevel,
            ..TransformerLmConfig::default()
        }),
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            cell: CellKind::Lstm,
            head: HeadKind::Concat,
            input_feeding: true,
            ..seq2seq
        }),
    ];
    models.extend(with_positions_and_loops(&transformer));
    models
}

/// Models with positions within attention, and with loops.
fn with_positions_and_loops(transformer: &TransformerConfig) -> Vec<ModelConfig> {
    let multilevel = MechanismConfig::Multilevel(MultilevelConfig {
        levels: 3,
        ..Default::default()
    });
    let ham_v = MechanismConfig::HamV(HamConfig {
        depth: 3,
        ..HamConfig::default()
    });
    let ham_s = MechanismConfig::HamS(HamSConfig {
        depth: 3,
        ..HamSConfig::default()
    });
    let local = MechanismConfig::Local(LocalConfig::default());
    let additive = MechanismConfig::Vanilla(VanillaConfig {
        score: ScoreKind::Additive,
    });
    let kinds = [PositionKind::Rotary, PositionKind::Alibi];
    let mechanisms = [
        (MechanismConfig::default(), MechanismConfig::default()),
        (multilevel, ham_v),
        (ham_s, multilevel),
        (local, ham_s),
    ];
    let pairs = kinds
        .iter()
        .flat_map(|kind| mechanisms.map(|pair| (*kind, pair)));
    let of_pairs = pairs.enumerate().map(|(at, (positions, (read, write)))| {
        ModelConfig::Transformer(TransformerConfig {
            positions,
            loops: 1 + at % 3,
            norm_first: at % 2 == 0,
            encoder_self: read,
            decoder_self: write,
            ..transformer.clone()
        })
    });
    let texts = kinds
        .iter()
        .flat_map(|kind| [1, 2, 3].map(|loops| (*kind, loops)));
    let of_texts = texts.map(|(positions, loops)| {
        ModelConfig::TransformerLm(TransformerLmConfig {
            width: 16,
            heads: 2,
            feed_forward: 32,
            positions,
            loops,
            decoder_self: [MechanismConfig::default(), ham_v, multilevel][loops - 1],
            ..TransformerLmConfig::default()
        })
    });
    let others = [
        // Scores by other functions go with ALiBi.
        ModelConfig::Transformer(TransformerConfig {
            positions: PositionKind::Alibi,
            encoder_self: additive,
            decoder_self: additive,
            ..transformer.clone()
        }),
        // Loops go with every kind of positions and every mechanism.
        ModelConfig::Transformer(TransformerConfig {
            loops: 2,
            layers: 1,
            encoder_self: MechanismConfig::Pyramid(PyramidConfig {
                summary: SummaryKind::Act,
                block: 2,
                levels: 3,
                ..PyramidConfig::default()
            }),
            decoder_self: MechanismConfig::of_kind("linear").unwrap(),
            cross: multilevel,
            ..transformer.clone()
        }),
    ];
    of_pairs.chain(of_texts).chain(others).collect()
}

/// Sources of different lengths.
pub fn sources() -> Tokens {
    Tokens::pad(&[vec![4, 5, 6, 7, 8, 3], vec![9, 10, 11], vec![6]])
}

/// Lengths of the rows of [`sources`], without padding.
pub const LENGTHS: [usize; 3] = [6, 3, 1];

/// Returns a row of [`sources`] without its padding.
pub fn source(row: usize) -> Vec<u32> {
    sources().row(row)[..LENGTHS[row]].to_vec()
}

pub fn build(config: &ModelConfig) -> (Model, Device) {
    let device = Device::flex();
    (config.init(VOCABULARIES, 5, &device).unwrap(), device)
}

/// Returns ln p of every token at each position of `target` and after its end, teacher-forced:
/// `target.len() + 1` rows.
pub fn log_probabilities(
    model: &Model,
    source: &[u32],
    target: &[u32],
    device: &Device,
) -> Vec<Vec<f32>> {
    let batch = Batch::new(&[(source, target)]);
    let logits: Tensor<3> = model.sequence().unwrap().forward(&batch, device).logits;
    let [_, _, vocabulary] = logits.dims();
    let values: Vec<f32> = log_softmax(logits, 2).into_data().try_to_vec().unwrap();
    values.chunks(vocabulary).map(<[f32]>::to_vec).collect()
}

/// Returns the most probable token. PAD and BOS, whose ids are below that of EOS, are never
/// written.
pub fn most_probable(row: &[f32]) -> u32 {
    let written = EOS as usize..row.len();
    let best = written.rev().max_by(|&a, &b| row[a].total_cmp(&row[b]));
    best.unwrap() as u32
}

/// Decodes greedily without caches: a full teacher-forced pass for every token after `target`.
pub fn uncached(
    model: &Model,
    source: &[u32],
    mut target: Vec<u32>,
    limit: usize,
    device: &Device,
) -> Vec<u32> {
    while target.len() < limit {
        let rows = log_probabilities(model, source, &target, device);
        let id = most_probable(&rows[target.len()]);
        if id == EOS {
            break;
        }
        target.push(id);
    }
    target
}
