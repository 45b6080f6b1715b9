//! Random settings of each mechanism, and properties that only some mechanisms have.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use serde_json::Value;
use strata_attention::{
    AttentionOutput, AttentionWeights, Beam, Chain, HamConfig, HamLevel, HamMix, HamSConfig,
    LocalConfig, LocalPosition, MechanismConfig, MultilevelConfig, MultilevelMix, PyramidConfig,
    Recursion, ScoreKind, Site, SummaryKind, Widths,
};
use strata_describe::Domain;

use crate::numbers;

/// Draws any mechanism that exists at one of these sites, with any settings that are valid there.
pub fn mechanisms(sites: &[Site]) -> impl Strategy<Value = (Site, MechanismConfig)> + use<> {
    let mut all = Vec::new();
    for &site in sites {
        for kind in MechanismConfig::all() {
            if kind.check(site, Widths::all(4)).is_ok() {
                all.push(settings(kind, site).prop_map(move |config| (site, config)));
            }
        }
    }
    Union::new(all)
}

/// Draws any settings of the mechanism of `kind`.
fn settings(kind: MechanismConfig, site: Site) -> BoxedStrategy<MechanismConfig> {
    match kind {
        MechanismConfig::Local(_) => {
            let position = select(&[LocalPosition::Monotonic, LocalPosition::Predictive]);
            (1..=3usize, position, score())
                .prop_map(|(window, position, score)| {
                    MechanismConfig::Local(LocalConfig {
                        window,
                        position,
                        score,
                    })
                })
                .boxed()
        }
        MechanismConfig::Multilevel(_) => (levels(), score(), feedback(site))
            .prop_map(|(levels, score, (chain, recursion))| {
                MechanismConfig::Multilevel(MultilevelConfig {
                    levels,
                    score,
                    chain,
                    recursion,
                    ..MultilevelConfig::default()
                })
            })
            .boxed(),
        MechanismConfig::HamV(_) => hierarchy()
            .prop_map(|config| MechanismConfig::HamV(config.into()))
            .boxed(),
        MechanismConfig::HamS(_) => hierarchy().prop_map(MechanismConfig::HamS).boxed(),
        MechanismConfig::Pyramid(_) => pyramids().prop_map(MechanismConfig::Pyramid).boxed(),
        _ => described(kind),
    }
}

/// Draws any values that the description of a mechanism allows; whole numbers from the lowest four.
fn described(kind: MechanismConfig) -> BoxedStrategy<MechanismConfig> {
    let start = Just(serde_json::to_value(kind).unwrap()).boxed();
    let drawn = kind
        .description()
        .settings
        .iter()
        .fold(start, |json, setting| {
            let name = setting.words.name;
            let value = match setting.domain {
                Domain::Whole {
                    minimum, maximum, ..
                } => {
                    let most = maximum.min(minimum + 3);
                    (minimum..=most).prop_map(Value::from).boxed()
                }
                Domain::Real {
                    minimum, maximum, ..
                } => (minimum..=maximum).prop_map(Value::from).boxed(),
                Domain::Choice { options, .. } => {
                    select(options).prop_map(|it| it.name.into()).boxed()
                }
                Domain::YesNo { .. } => any::<bool>().prop_map(Value::from).boxed(),
                Domain::Text | Domain::Path { .. } | Domain::WholeRange { .. } => {
                    unreachable!("a mechanism reads no file and takes no range")
                }
            };
            let with = move |(mut json, value): (Value, Value)| {
                json[name] = value;
                json
            };
            (json, value).prop_map(with).boxed()
        });
    drawn
        .prop_map(|json| serde_json::from_value(json).unwrap())
        .boxed()
}

fn score() -> impl Strategy<Value = ScoreKind> {
    select(&ScoreKind::ALL)
}

/// Few levels, or so many that squaring is cheaper than repeated products.
fn levels() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 1..=5usize, 1 => Just(20)]
}

/// Draws the chain and the recursion of multilevel attention.
fn feedback(site: Site) -> impl Strategy<Value = (Chain, Recursion)> {
    if site.is_self() {
        select(&[
            (Chain::Keys, Recursion::Value),
            (Chain::Keys, Recursion::QueryKeyValue),
        ])
    } else {
        select(&[
            (Chain::Keys, Recursion::Value),
            (Chain::Causal, Recursion::Value),
            (Chain::PaperLeaky, Recursion::Value),
        ])
    }
}

/// Combines the levels of multilevel attention in any way, and gives Ham-V a residual or none, and
/// soft, local or hard levels. Half of the choices are the defaults. `seed` chooses, so that all
/// other draws stay as they were before there was such a choice.
pub fn combined(config: MechanismConfig, seed: u64) -> MechanismConfig {
    let choice = seed / 23 % 6;
    match config {
        MechanismConfig::Multilevel(config) => {
            let mix = match choice {
                0 => MultilevelMix::Layer,
                1 => MultilevelMix::Head,
                // Ham-S has no mix for each token.
                2 if config.recursion == Recursion::Value => MultilevelMix::Token,
                _ => MultilevelMix::Last,
            };
            MechanismConfig::Multilevel(MultilevelConfig { mix, ..config })
        }
        MechanismConfig::HamV(config) => MechanismConfig::HamV(HamConfig {
            residual: choice < 3,
            level_kind: match seed / 138 % 4 {
                0 => HamLevel::Local,
                1 => HamLevel::Hard,
                _ => HamLevel::Soft,
            },
            window: 1 + seed as usize / 552 % 3,
            ..config
        }),
        other => other,
    }
}

fn hierarchy() -> impl Strategy<Value = HamSConfig> {
    let mix = select(&[HamMix::Layer, HamMix::Head, HamMix::Last]);
    (1..=5usize, score(), mix).prop_map(|(depth, score, mix)| HamSConfig {
        depth,
        score,
        mix,
        ..HamSConfig::default()
    })
}

/// Any settings of a pyramid.
pub fn pyramids() -> impl Strategy<Value = PyramidConfig> {
    let summary = select(&[SummaryKind::Cnn, SummaryKind::Rnn, SummaryKind::Act]);
    let beam = prop_oneof![4 => (1..=3usize).prop_map(Beam::Nodes), 1 => Just(Beam::All)];
    (
        summary,
        2..=3usize,
        1..=4usize,
        beam,
        score(),
        any::<bool>(),
    )
        .prop_map(
            |(summary, block, levels, beam, score, shared)| PyramidConfig {
                summary,
                block,
                levels,
                beam,
                score,
                shared,
                ..PyramidConfig::default()
            },
        )
}

/// Returns the same mechanism with another number of levels; `None` if the mechanism has none, or
/// has levels with parameters of their own.
pub fn with_levels(config: MechanismConfig, levels: usize) -> Option<MechanismConfig> {
    match config {
        MechanismConfig::Multilevel(config) => {
            Some(MechanismConfig::Multilevel(MultilevelConfig {
                levels,
                ..config
            }))
        }
        MechanismConfig::HamV(config) => Some(MechanismConfig::HamV(HamConfig {
            depth: levels,
            ..config
        })),
        MechanismConfig::HamS(config) => Some(MechanismConfig::HamS(HamSConfig {
            depth: levels,
            ..config
        })),
        _ => None,
    }
}

/// Properties that only some mechanisms have.
#[derive(Clone, Copy)]
pub struct Facts {
    /// True if rows of weights that see a key sum to 1; the rows of other mechanisms sum to 1 at
    /// most.
    pub whole_rows: bool,
    /// True if the columns of the weights are the keys, and context = weights · values, unless the
    /// mechanism adds the query.
    pub over_keys: bool,
    /// True if no result depends on a later query.
    pub leak_free: bool,
    /// True if keys have no order: a permutation of them changes no context.
    pub unordered: bool,
    /// True if the context has a gradient everywhere, except where [`choices`] change.
    pub smooth: bool,
    /// True if the query is a part of the context (Ham-V with a residual).
    pub adds_query: bool,
}

/// Returns the properties of a mechanism.
pub fn facts(config: &MechanismConfig) -> Facts {
    let plain = Facts {
        whole_rows: true,
        over_keys: true,
        leak_free: true,
        unordered: true,
        smooth: true,
        adds_query: false,
    };
    match config {
        MechanismConfig::HamV(config) => Facts {
            whole_rows: config.level_kind != HamLevel::Local,
            unordered: config.level_kind != HamLevel::Local,
            smooth: config.level_kind != HamLevel::Hard,
            // With a residual the context is the query and the results of all levels.
            adds_query: config.residual,
            ..plain
        },
        MechanismConfig::Local(_) => Facts {
            whole_rows: false,
            unordered: false,
            ..plain
        },
        MechanismConfig::Hard(_) => Facts {
            smooth: false,
            ..plain
        },
        // The values of a pyramid are its keys, and its nodes are not only means of keys.
        MechanismConfig::Pyramid(_) => Facts {
            over_keys: false,
            unordered: false,
            ..plain
        },
        MechanismConfig::Multilevel(config) => match config.chain {
            Chain::Keys => plain,
            Chain::Causal => Facts {
                unordered: false,
                ..plain
            },
            Chain::PaperLeaky => Facts {
                whole_rows: false,
                leak_free: false,
                unordered: false,
                ..plain
            },
        },
        _ => plain,
    }
}

/// Returns the discrete choices of a mechanism. Choices have no gradient: where a choice changes,
/// the context jumps.
pub fn choices(config: &MechanismConfig, output: &AttentionOutput) -> Vec<f32> {
    if let AttentionWeights::Descent { descent, .. } = &output.weights {
        let signs = |numbers: Vec<f32>| numbers.into_iter().map(|it| f32::from(it > 0.0));
        let opened = (0..descent.levels()).flat_map(|level| signs(numbers(descent.opened(level))));
        // Borders of the learned blocks.
        let members =
            (1..descent.levels()).flat_map(|level| signs(numbers(descent.membership(level))));
        return opened.chain(members).collect();
    }
    match (config, &output.auxiliary.positions) {
        // First and last key of each predicted window.
        (MechanismConfig::Local(config), Some(positions)) => {
            let window = config.window as f32;
            numbers(positions.clone())
                .into_iter()
                .flat_map(|at| [(at - window).ceil(), (at + window).floor()])
                .collect()
        }
        _ => Vec::new(),
    }
}
