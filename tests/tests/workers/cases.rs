//! Cases to run: every mechanism, in the smallest model that takes it.

use strata_attention::{
    Beam, Chain, HamConfig, HamLevel, HamMix, HamSConfig, HardConfig, LocalConfig, LocalPosition,
    MechanismConfig, MultilevelConfig, MultilevelMix, PyramidConfig, Recursion, ScoreKind, Site,
    SummaryKind, VanillaConfig, Widths,
};
use strata_models::{ModelConfig, Seq2SeqConfig, TransformerConfig};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_training::{Experiment, OptimizerConfig, Schedule, TrainingConfig};

const WIDTH: usize = 16;
const HEADS: usize = 2;
/// Number of levels (N), and depth (d).
const LEVELS: usize = 5;
/// Number of levels of a mix whose levels are computed one by one: to stack a level costs a launch,
/// forward and backward, beside the launches of its product.
const MIXED_LEVELS: usize = 3;

/// A mechanism in a model.
pub struct Case {
    pub name: String,
    pub experiment: Experiment,
    /// The same experiment with plain attention and the same score; for hard levels with hard
    /// attention, since each level draws its keys by kernels of its own.
    pub plain: Experiment,
}

/// Returns every mechanism with its defaults, then further variants of those that have several.
/// Plain attention comes first, since the kernels that it compiles serve the others.
pub fn all() -> Vec<Case> {
    let of_kinds = MechanismConfig::all().map(|mechanism| (mechanism.name(), deep(mechanism)));
    let cases = of_kinds.into_iter().chain(ways()).map(|(name, mechanism)| {
        let (model, plain) = models(mechanism);
        if let Err(error) = model.check() {
            panic!("no model takes `{name}`: {error}");
        }
        Case {
            name: name.to_owned(),
            experiment: experiment(model),
            plain: experiment(plain),
        }
    });
    cases.collect()
}

/// Returns the mechanism with as many levels as the bound on kernels allows for.
fn deep(mechanism: MechanismConfig) -> MechanismConfig {
    match mechanism {
        MechanismConfig::Multilevel(config) => MechanismConfig::Multilevel(MultilevelConfig {
            levels: LEVELS,
            ..config
        }),
        MechanismConfig::HamV(config) => MechanismConfig::HamV(HamConfig {
            depth: LEVELS,
            ..config
        }),
        MechanismConfig::HamS(config) => MechanismConfig::HamS(HamSConfig {
            depth: LEVELS,
            ..config
        }),
        other => other,
    }
}

/// Returns the further variants, which together have the other score functions, too.
fn ways() -> [(&'static str, MechanismConfig); 13] {
    let multilevel = MultilevelConfig {
        levels: LEVELS,
        ..MultilevelConfig::default()
    };
    let pyramid = |summary, beam, score| {
        MechanismConfig::Pyramid(PyramidConfig {
            summary,
            beam,
            score,
            ..PyramidConfig::default()
        })
    };
    [
        (
            "pyramid rnn, beam 2, additive",
            pyramid(SummaryKind::Rnn, Beam::Nodes(2), ScoreKind::Additive),
        ),
        (
            // burn's own product of single rows of 4 numbers is wrong on WebGPU.
            "pyramid in blocks of 4",
            MechanismConfig::Pyramid(PyramidConfig {
                block: 4,
                ..PyramidConfig::default()
            }),
        ),
        (
            "pyramid act",
            pyramid(SummaryKind::Act, Beam::Nodes(1), ScoreKind::ScaledDot),
        ),
        (
            "pyramid act, all, bilinear",
            pyramid(SummaryKind::Act, Beam::All, ScoreKind::Bilinear),
        ),
        (
            "local predictive, additive",
            MechanismConfig::Local(LocalConfig {
                position: LocalPosition::Predictive,
                score: ScoreKind::Additive,
                ..LocalConfig::default()
            }),
        ),
        (
            "multilevel causal, bilinear",
            MechanismConfig::Multilevel(MultilevelConfig {
                chain: Chain::Causal,
                score: ScoreKind::Bilinear,
                ..multilevel
            }),
        ),
        (
            "multilevel query_key_value",
            MechanismConfig::Multilevel(MultilevelConfig {
                recursion: Recursion::QueryKeyValue,
                ..multilevel
            }),
        ),
        (
            "ham_v mixed by head, dot",
            MechanismConfig::HamV(HamConfig {
                depth: LEVELS,
                mix: HamMix::Head,
                score: ScoreKind::Dot,
                ..HamConfig::default()
            }),
        ),
        (
            "ham_v with a residual",
            MechanismConfig::HamV(HamConfig {
                depth: MIXED_LEVELS,
                residual: true,
                ..HamConfig::default()
            }),
        ),
        (
            "ham_v, local levels",
            MechanismConfig::HamV(HamConfig {
                depth: MIXED_LEVELS,
                level_kind: HamLevel::Local,
                ..HamConfig::default()
            }),
        ),
        (
            "ham_v, hard levels",
            MechanismConfig::HamV(HamConfig {
                depth: MIXED_LEVELS,
                level_kind: HamLevel::Hard,
                ..HamConfig::default()
            }),
        ),
        (
            "multilevel mixed by token",
            MechanismConfig::Multilevel(MultilevelConfig {
                mix: MultilevelMix::Token,
                levels: MIXED_LEVELS,
                ..multilevel
            }),
        ),
        (
            "multilevel causal, mixed by layer",
            MechanismConfig::Multilevel(MultilevelConfig {
                chain: Chain::Causal,
                mix: MultilevelMix::Layer,
                levels: MIXED_LEVELS,
                ..multilevel
            }),
        ),
    ]
}

/// Returns a model with the mechanism wherever a Transformer takes it, otherwise at the one site of
/// a recurrent model; and the same model with plain attention and the same score.
fn models(mechanism: MechanismConfig) -> (ModelConfig, ModelConfig) {
    let plain = MechanismConfig::default();
    let score = mechanism.score().unwrap_or(ScoreKind::ScaledDot);
    let alike = match mechanism {
        MechanismConfig::HamV(config) if config.level_kind == HamLevel::Hard => {
            MechanismConfig::Hard(HardConfig { score })
        }
        _ => MechanismConfig::Vanilla(VanillaConfig { score }),
    };
    let fits = |site| mechanism.check(site, Widths::all(WIDTH / HEADS)).is_ok();
    let at = |mechanism, site| if fits(site) { mechanism } else { plain };
    let transformer = TransformerConfig {
        width: WIDTH,
        heads: HEADS,
        layers: 1,
        feed_forward: 2 * WIDTH,
        ..TransformerConfig::default()
    };
    let sites = [Site::EncoderSelf, Site::DecoderSelf, Site::Cross];
    if sites.into_iter().any(fits) {
        let with = |mechanism| {
            ModelConfig::Transformer(TransformerConfig {
                encoder_self: at(mechanism, Site::EncoderSelf),
                decoder_self: at(mechanism, Site::DecoderSelf),
                cross: at(mechanism, Site::Cross),
                ..transformer.clone()
            })
        };
        return (with(mechanism), with(alike));
    }
    let recurrent = |attention| {
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            embedding: WIDTH,
            encoder_hidden: WIDTH,
            decoder_hidden: WIDTH,
            attention,
            ..Seq2SeqConfig::default()
        })
    };
    (recurrent(mechanism), recurrent(alike))
}

/// Returns an experiment that is small enough for a GPU emulated on the CPU. All examples make one
/// batch, with padding, so that every step has the same shapes.
fn experiment(model: ModelConfig) -> Experiment {
    Experiment {
        seed: 7,
        task: TaskConfig::Copy(CopyConfig {
            symbols: 8,
            minimum_length: 3,
            maximum_length: 6,
            examples: 8,
            held_out: 4,
        }),
        model,
        training: TrainingConfig {
            batch_size: 8,
            schedule: Schedule::Constant { warmup: 0 },
            label_smoothing: 0.1,
            validate_every: 0,
            // Adam turns gradients that are mere rounding errors, which no two devices share, into
            // whole steps; not if they are far below this epsilon.
            optimizer: OptimizerConfig {
                epsilon: 1e-5,
                ..OptimizerConfig::default()
            },
            ..TrainingConfig::default()
        },
    }
}
