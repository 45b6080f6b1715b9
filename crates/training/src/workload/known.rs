//! Built-in workloads, with the names and numbers by which other programs were measured.

use strata_attention::{MechanismConfig, ScoreKind, VanillaConfig};
use strata_models::{
    BidafConfig, CharacterKind, HeadKind, MatchLstmConfig, ModelConfig, PositionKind, RnetConfig,
    Seq2SeqConfig, TransformerConfig,
};

use super::definition::{
    Adam, Additive, AnswersTask, ByConvolution, ByRootOfWidth, ChainByKeys, ConcatOutput, CopyTask,
    LearnedPositions, MixPerLayer, NormAfter, Relu, ScaledDot, WriteTask,
};
use super::definition::{
    AdditiveAttention, AttentionLayerWorkload, DecodingWorkload, LayerAttention, LayerMode,
    LstmWorkload, ReaderWorkload, TransformerAttention, TransformerWorkload, Workload,
    WorkloadKind, WorkloadOptimizer,
};

/// Number of target tokens of a sentence, and of source tokens.
const LENGTH: usize = 32;
/// Numbers of levels of multilevel attention that are compared.
const LEVELS: [usize; 4] = [1, 4, 16, 100];
/// Depths of Ham that are compared.
const DEPTHS: [usize; 3] = [1, 5, 20];

/// Sizes of a Transformer workload.
#[derive(Clone, Copy)]
struct Size {
    name: &'static str,
    vocab: usize,
    d_model: usize,
    heads: usize,
    layers: usize,
    batch: usize,
    lr: f64,
    steps: [u32; 2],
}

const TINY: Size = Size {
    name: "tiny",
    vocab: 64,
    d_model: 64,
    heads: 4,
    layers: 2,
    batch: 32,
    lr: 1e-3,
    steps: [3, 20],
};

const SMALL: Size = Size {
    name: "small",
    vocab: 1000,
    d_model: 256,
    lr: 5e-4,
    ..TINY
};

const BASE: Size = Size {
    name: "base",
    vocab: 8000,
    d_model: 512,
    heads: 8,
    layers: 6,
    batch: 16,
    lr: 1e-4,
    steps: [2, 5],
};

/// Returns all built-in workloads, in the order in which they are reported.
pub(super) fn all() -> Vec<Workload> {
    let multi_head = TransformerAttention::MultiHead {};
    let mut all: Vec<_> = [TINY, SMALL, BASE]
        .map(|size| transformer(format!("{}-transformer", size.name), size, multi_head))
        .into();
    all.push(lstm());
    for size in [TINY, SMALL] {
        all.extend(LEVELS.map(|levels| {
            let cross_chain = ChainByKeys::Only;
            let attention = TransformerAttention::Multilevel {
                levels,
                cross_chain,
            };
            transformer(
                format!("multilevel-{levels}-{}", size.name),
                size,
                attention,
            )
        }));
    }
    for size in [TINY, SMALL] {
        all.extend(DEPTHS.map(|depth| {
            let weights = MixPerLayer::Only;
            let attention = TransformerAttention::HamV { depth, weights };
            transformer(format!("ham-{depth}-{}", size.name), size, attention)
        }));
    }
    // Number of states, number of levels of the pyramid over them, and number of timed steps.
    for (states, levels, steps) in [(128, 2, 50), (512, 3, 50), (2048, 3, 20), (8192, 4, 7)] {
        for mode in [LayerMode::Forward, LayerMode::ForwardBackward] {
            let score = ScaledDot::Only;
            let pyramid = LayerAttention::Pyramid {
                score,
                summary: ByConvolution::Only,
                block: 8,
                levels,
                beam: 1,
            };
            let plain = LayerAttention::Plain { score };
            all.extend([plain, pyramid].map(|it| layer(it, states, mode, steps)));
        }
    }
    all.extend(readers());
    all.extend(searches());
    all
}

fn transformer(name: String, size: Size, attention: TransformerAttention) -> Workload {
    let [warmup, steps] = size.steps;
    Workload {
        name,
        seed: 1,
        batch: size.batch,
        steps,
        warmup,
        kind: WorkloadKind::Transformer(TransformerWorkload {
            task: CopyTask::Only,
            vocab: size.vocab,
            d_model: size.d_model,
            heads: size.heads,
            encoder_layers: size.layers,
            decoder_layers: size.layers,
            d_ff: 4 * size.d_model,
            activation: Relu::Only,
            norm: NormAfter::Only,
            norm_eps: 1e-5,
            final_norm: false,
            positions: LearnedPositions::Only,
            embedding_scale: ByRootOfWidth::Only,
            tied_embeddings: false,
            dropout: 0.0,
            attention,
            source_len: LENGTH,
            target_len: LENGTH,
            optimizer: adam(size.lr),
        }),
    }
}

fn lstm() -> Workload {
    Workload {
        name: "lstm-additive".to_owned(),
        seed: 1,
        batch: 32,
        steps: 20,
        warmup: 3,
        kind: WorkloadKind::LstmSeq2Seq(LstmWorkload {
            task: CopyTask::Only,
            vocab: 1000,
            d_embed: 128,
            encoder_hidden: 128,
            bidirectional: true,
            decoder_hidden: 256,
            attention: AdditiveAttention {
                kind: Additive::Only,
                width: 256,
            },
            output: ConcatOutput::Only,
            input_feeding: false,
            dropout: 0.0,
            source_len: LENGTH,
            target_len: LENGTH,
            optimizer: adam(1e-3),
        }),
    }
}

/// Readers as trained on a few articles (`small`), and as published, with passages of 400 words;
/// without dropout.
fn readers() -> [Workload; 6] {
    let small = |at: &str| format!("{at}-small");
    let bidaf = BidafConfig {
        dropout: 0.0,
        ..BidafConfig::default()
    };
    let match_lstm = MatchLstmConfig::default();
    let rnet = RnetConfig {
        dropout: 0.0,
        ..RnetConfig::default()
    };
    let small_bidaf = BidafConfig {
        embedding: 64,
        hidden: 32,
        characters: CharacterKind::None,
        highway: 1,
        modelling: 1,
        ..bidaf.clone()
    };
    let small_match_lstm = MatchLstmConfig {
        embedding: 64,
        hidden: 32,
        encoder_shared: true,
        pooled: true,
        ..match_lstm.clone()
    };
    let small_rnet = RnetConfig {
        embedding: 64,
        hidden: 32,
        characters: CharacterKind::None,
        layers: 1,
        ..rnet.clone()
    };
    [
        reader(small("bidaf"), ModelConfig::Bidaf(small_bidaf), 250, 10),
        reader(
            small("match-lstm"),
            ModelConfig::MatchLstm(small_match_lstm),
            200,
            10,
        ),
        reader(small("rnet"), ModelConfig::Rnet(small_rnet), 150, 10),
        reader("bidaf".to_owned(), ModelConfig::Bidaf(bidaf), 400, 3),
        reader(
            "match-lstm".to_owned(),
            ModelConfig::MatchLstm(match_lstm),
            400,
            3,
        ),
        reader("rnet".to_owned(), ModelConfig::Rnet(rnet), 400, 3),
    ]
}

fn reader(name: String, model: ModelConfig, passage_len: usize, steps: u32) -> Workload {
    Workload {
        name,
        seed: 1,
        batch: 32,
        steps,
        warmup: 2,
        kind: WorkloadKind::Reader(Box::new(ReaderWorkload {
            task: AnswersTask::Only,
            model,
            vocab: 15_698,
            characters: 100,
            passage_len,
            question_len: 30,
            word_len: 10,
            clip_norm: 5.0,
            optimizer: adam(1e-3),
        })),
    }
}

/// Searches with a Transformer for Multi30k, 32 sentences at a time; and with the model of PPG as it
/// was published, for the next line of 16 poems.
fn searches() -> [Workload; 4] {
    let transformer = ModelConfig::Transformer(TransformerConfig {
        width: 256,
        heads: 8,
        layers: 3,
        feed_forward: 1024,
        dropout: 0.0,
        positions: PositionKind::Learned,
        ..TransformerConfig::default()
    });
    let poet = ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 512,
        encoder_hidden: 512,
        decoder_hidden: 512,
        attention: MechanismConfig::Vanilla(VanillaConfig {
            score: ScoreKind::Additive,
        }),
        head: HeadKind::Mlp,
        dropout: 0.0,
        ..Seq2SeqConfig::default()
    });
    let sentences = |name: &str, beam| decoding(name, &transformer, [8000, 32, 32, 32], beam);
    let lines = |name: &str, beam| decoding(name, &poet, [5000, 16, 28, 8], beam);
    [
        sentences("decoding-greedy", 1),
        sentences("decoding-beam-4", 4),
        lines("poem-greedy", 1),
        lines("poem-beam-10", 10),
    ]
}

/// Sizes: vocabulary, batch, tokens of a source and of a target.
fn decoding(
    name: &str,
    model: &ModelConfig,
    [vocab, batch, source_len, target_len]: [usize; 4],
    beam: usize,
) -> Workload {
    Workload {
        name: name.to_owned(),
        seed: 1,
        batch,
        steps: 10,
        warmup: 2,
        kind: WorkloadKind::Decoding(Box::new(DecodingWorkload {
            task: WriteTask::Only,
            model: model.clone(),
            vocab,
            source_len,
            target_len,
            beam,
        })),
    }
}

fn layer(attention: LayerAttention, states: usize, mode: LayerMode, steps: u32) -> Workload {
    let kind = match attention {
        LayerAttention::Plain { .. } => "plain",
        LayerAttention::Pyramid { .. } => "pyramid",
    };
    let way = match mode {
        LayerMode::Forward => "fwd",
        LayerMode::ForwardBackward => "fwdbwd",
    };
    Workload {
        name: format!("attn-{kind}-{states}-{way}"),
        seed: 1,
        batch: 4,
        steps,
        warmup: 3,
        kind: WorkloadKind::AttentionLayer(AttentionLayerWorkload {
            attention,
            d_model: 128,
            query_len: states / 4,
            source_len: states,
            mode,
        }),
    }
}

fn adam(lr: f64) -> WorkloadOptimizer {
    WorkloadOptimizer {
        kind: Adam::Only,
        lr,
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-8,
        weight_decay: 0.0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::workload::{WorkloadKind, Workloads};
    use std::path::Path;

    #[test]
    fn every_one_can_be_built_and_has_a_name_of_its_own() {
        let known = Workloads::known();
        assert_eq!(known.names().count(), 44);
        for (index, name) in known.names().enumerate() {
            assert_eq!(known.get(name).unwrap().name, name);
            assert_eq!(known.names().position(|it| it == name), Some(index));
        }
    }

    /// Compares nothing unless `STRATA_PEERS` names the folder of the other programs.
    #[test]
    fn they_are_those_that_other_programs_run() {
        let Some(folder) = std::env::var_os("STRATA_PEERS") else {
            return;
        };
        let text = std::fs::read_to_string(Path::new(&folder).join("workloads.json")).unwrap();
        let (theirs, ours) = (Workloads::read(&text).unwrap(), Workloads::known());
        // Other programs run readers, and search, by workloads of their own.
        let is_shared = |name: &&str| {
            let kind = ours.get(name).unwrap().kind;
            !matches!(kind, WorkloadKind::Reader(_) | WorkloadKind::Decoding(_))
        };
        assert!(theirs.names().eq(ours.names().filter(is_shared)));
        for name in theirs.names() {
            assert_eq!(ours.get(name).unwrap(), theirs.get(name).unwrap(), "{name}");
        }
    }
}
