//! Mechanisms by themselves, and inside heads.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Tensor, TensorData};
use serde_json::Value;
use strata_attention::{
    AttentionInput, AttentionWeights, Chain, HamConfig, HamMix, HamSConfig, HardConfig,
    LocalConfig, LocalPosition, Mask, Mechanism, MechanismConfig, MultiHeadConfig,
    MultilevelConfig, ParamInit, PyramidConfig, Recursion, RelativePositions, Score, ScoreKind,
    Site, SummaryKind, VanillaConfig, Widths,
};

use crate::case::{Case, Outputs, number, text};
use crate::{one_head, pyramid};

/// Returns the mechanism that a golden file names, and the site that its chain implies.
pub fn configured(mechanism: &str, config: &Value) -> (MechanismConfig, Site) {
    let score = match text(config, "score") {
        "dot" => ScoreKind::Dot,
        "scaled_dot" => ScoreKind::ScaledDot,
        "bilinear" => ScoreKind::Bilinear,
        "additive" => ScoreKind::Additive,
        "trilinear" => ScoreKind::Trilinear,
        other => panic!("unknown score {other:?}"),
    };
    let ham = || HamConfig {
        depth: number(config, "depth"),
        score,
        mix: match (text(config, "mix"), text(config, "w")) {
            ("softmax", "layer") => HamMix::Layer,
            ("softmax", "head") => HamMix::Head,
            ("last", _) => HamMix::Last,
            other => panic!("unknown mix {other:?}"),
        },
        ..HamConfig::default()
    };
    match mechanism {
        "vanilla" => (
            MechanismConfig::Vanilla(VanillaConfig { score }),
            Site::EncoderSelf,
        ),
        "multilevel" => {
            let (chain, site) = match text(config, "chain") {
                "self" => (Chain::Keys, Site::EncoderSelf),
                "keys" => (Chain::Keys, Site::Cross),
                "causal" => (Chain::Causal, Site::Cross),
                "paper_leaky" => (Chain::PaperLeaky, Site::Cross),
                other => panic!("unknown chain {other:?}"),
            };
            let multilevel = MultilevelConfig {
                levels: number(config, "levels"),
                score,
                chain,
                recursion: match text(config, "recursion") {
                    "value" => Recursion::Value,
                    "query_key_value" => Recursion::QueryKeyValue,
                    other => panic!("unknown recursion {other:?}"),
                },
                ..MultilevelConfig::default()
            };
            (MechanismConfig::Multilevel(multilevel), site)
        }
        "local" => {
            let local = LocalConfig {
                window: number(config, "window"),
                position: match text(config, "kind") {
                    "monotonic" => LocalPosition::Monotonic,
                    "predictive" => LocalPosition::Predictive,
                    other => panic!("unknown kind {other:?}"),
                },
                score,
            };
            (MechanismConfig::Local(local), Site::Cross)
        }
        "hard" => (
            MechanismConfig::Hard(HardConfig { score }),
            Site::EncoderSelf,
        ),
        "pyramid" => {
            let pyramid = PyramidConfig {
                summary: match text(config, "summary") {
                    "cnn" => SummaryKind::Cnn,
                    "rnn" => SummaryKind::Rnn,
                    "act" => SummaryKind::Act,
                    other => panic!("unknown summary {other:?}"),
                },
                block: number(config, "k"),
                levels: number(config, "levels"),
                beam: serde_json::from_value(config["beam"].clone()).unwrap(),
                score,
                shared: config["shared"].as_bool().unwrap(),
                ..PyramidConfig::default()
            };
            (MechanismConfig::Pyramid(pyramid), Site::Cross)
        }
        "ham_v" => (MechanismConfig::HamV(ham()), Site::Cross),
        "ham_s" => {
            let HamConfig {
                score, depth, mix, ..
            } = ham();
            let config = HamSConfig {
                score,
                depth,
                mix,
                ..HamSConfig::default()
            };
            (MechanismConfig::HamS(config), Site::EncoderSelf)
        }
        other => panic!("unknown mechanism {other:?}"),
    }
}

/// Sets a mechanism's parameters to the file's, whose names begin with `prefix`.
pub fn fill(mechanism: &mut Mechanism, case: &Case, prefix: &str) {
    let score = match mechanism {
        Mechanism::Vanilla(vanilla) => &mut vanilla.score,
        Mechanism::Local(local) => {
            if let Some(predictor) = &mut local.predictor {
                predictor.weight = case.param(&format!("{prefix}position.w"));
                predictor.energy = case.param(&format!("{prefix}position.v"));
            }
            &mut local.score
        }
        Mechanism::Hard(hard) => &mut hard.score,
        Mechanism::Pyramid(pyramid) => return pyramid::fill(pyramid, case),
        Mechanism::Multilevel(multilevel) => &mut multilevel.score,
        Mechanism::Ham(ham) => {
            if ham.mix.is_some() {
                let name = format!("param.{prefix}w");
                let depth = *case.dims(&name).last().unwrap();
                let mix: Tensor<2> = match case.dims(&name).len() {
                    1 => case.float::<1>(&name).reshape([1, depth]),
                    _ => case.float(&name),
                };
                ham.mix = Some(Param::initialized(burn::module::ParamId::new(), mix));
            }
            &mut ham.score
        }
        // No golden file has parameters of another mechanism.
        _ => return,
    };
    fill_score(score, case, &format!("{prefix}score."));
}

pub fn fill_score(score: &mut Score, case: &Case, prefix: &str) {
    match score {
        Score::Dot(_) => {}
        Score::Bilinear(score) => score.weight = case.param(&format!("{prefix}w")),
        Score::Additive(score) => {
            score.query = case.param(&format!("{prefix}w_h"));
            score.key = case.param(&format!("{prefix}w_g"));
            score.bias = case.param(&format!("{prefix}b"));
            score.energy = case.param(&format!("{prefix}v"));
        }
        Score::Trilinear(score) => {
            score.query = case.param(&format!("{prefix}w_h"));
            score.key = case.param(&format!("{prefix}w_g"));
            score.product = case.param(&format!("{prefix}w_m"));
        }
    }
}

/// Inputs; if the file does not have them, the keys are the queries, and the values are the keys.
struct Inputs {
    query: Tensor<3>,
    keys: Tensor<3>,
    values: Tensor<3>,
}

fn inputs(case: &Case) -> Inputs {
    let query: Tensor<3> = case.float("input.query");
    let or = |name: &str, other: &Tensor<3>| match case.has(name) {
        true => case.float(name),
        false => other.clone(),
    };
    let keys = or("input.keys", &query);
    let values = or("input.values", &keys);
    Inputs {
        query,
        keys,
        values,
    }
}

fn mask(case: &Case, inputs: &Inputs, causal: bool) -> Mask {
    let ([b, t, _], [_, s, _]) = (inputs.query.dims(), inputs.keys.dims());
    let padding = case.padding(b, s);
    match causal {
        true => Mask::causal_padding(&padding, t, s, &case.device),
        false => Mask::padding(&padding, s, &case.device),
    }
}

/// Computes one mechanism without heads.
pub fn single(case: &Case) -> Outputs {
    let (config, site) = configured(&case.mechanism, &case.config);
    let inputs = inputs(case);
    let widths = Widths {
        query: inputs.query.dims()[2],
        keys: inputs.keys.dims()[2],
        values: inputs.values.dims()[2],
        states: inputs.keys.dims()[2],
    };
    let init = &mut ParamInit::new(0, &case.device);
    let mut mechanism = config.init(site, widths, 1, init).unwrap();
    fill(&mut mechanism, case, "");
    let causal = case.config["causal"].as_bool();
    let mask = mask(case, &inputs, causal.unwrap_or(false));
    let values = one_head(inputs.values);
    let query = one_head(inputs.query);
    let rows = || case.query_rows(1);
    let flat = |tensor: Tensor<4>| tensor.squeeze_dim::<3>(1);
    if let Mechanism::Hard(hard) = &mechanism {
        let memory = mechanism.prepare(one_head(inputs.keys), values, mask);
        let best = hard.attend_best(query.clone(), &memory);
        let (sample, [b, t]) = case.integers("input.sample");
        let sample: Vec<i32> = sample.into_iter().map(|key| key as i32).collect();
        let sample = Tensor::from_data(TensorData::new(sample, [b, 1, t, 1]), &case.device);
        let drawn = hard.attend_drawn(query, &memory, sample);
        let log_probability = drawn.auxiliary.log_probability.unwrap();
        return Outputs::default()
            .with("context", flat(best.context), rows())
            .with("weights", flat(best.weights.last()), rows())
            .with("sampled_context", flat(drawn.context), rows())
            .with("log_prob", log_probability.reshape([b, t]), rows());
    }
    let output = mechanism.forward(AttentionInput {
        query,
        keys: one_head(inputs.keys),
        values: values.clone(),
        mask,
    });
    if let AttentionWeights::Descent { descent, .. } = &output.weights {
        return pyramid::outputs(case, output.context.clone(), descent);
    }
    let mut outputs = Outputs::default()
        .with("context", flat(output.context), rows())
        .with("weights", flat(output.weights.last()), rows());
    for level in 1..=output.weights.levels() {
        let weights = output.weights.level(level);
        // A level's state is linear in the values: its effective weights times the values.
        let state = flat(weights.clone().matmul(values.clone()));
        outputs = outputs
            .with(&format!("state.level_{level}"), state, rows())
            .with(&format!("weights.level_{level}"), flat(weights), rows());
    }
    if let Some(positions) = output.auxiliary.positions {
        let positions = flat(positions).squeeze_dim::<2>(2);
        outputs = outputs.with("position", positions, rows());
    }
    if let AttentionWeights::Hierarchy { own, .. } = output.weights {
        for (i, own) in own.all().iter().enumerate() {
            outputs = outputs.with(
                &format!("attention.level_{}", i + 1),
                flat(own.tensor()),
                rows(),
            );
        }
    }
    outputs
}

/// Returns a linear layer with the file's parameters.
pub fn linear(case: &Case, weight: &str, bias: &str) -> Linear {
    Linear {
        weight: case.param(weight),
        bias: Some(case.param(bias)),
    }
}

/// Returns a multi-head layer with the file's parameters, whose names begin with `prefix`.
pub fn multi_head_layer(
    case: &Case,
    prefix: &str,
    heads: usize,
    inner: &Value,
    site: Option<Site>,
) -> strata_attention::MultiHeadAttention {
    let (mechanism, implied) = configured(text(inner, "mechanism"), inner);
    let dims = |name: &str| case.dims(&format!("param.{prefix}{name}"));
    let config = MultiHeadConfig {
        input: Widths {
            query: dims("w_q")[0],
            keys: dims("w_k")[0],
            values: dims("w_v")[0],
            states: dims("w_k")[0],
        },
        inner: dims("w_q")[1],
        output: dims("w_o")[1],
        heads,
        mechanism,
        positions: RelativePositions::None,
    };
    let init = &mut ParamInit::new(0, &case.device);
    let mut layer = config.init(site.unwrap_or(implied), init).unwrap();
    let linear = |letter: &str| {
        linear(
            case,
            &format!("{prefix}w_{letter}"),
            &format!("{prefix}b_{letter}"),
        )
    };
    layer.query = linear("q");
    layer.key = linear("k");
    layer.value = linear("v");
    layer.output = linear("o");
    fill(&mut layer.mechanism, case, prefix);
    layer
}

/// Computes a multi-head layer.
pub fn multi_head(case: &Case) -> Outputs {
    let inner = &case.config["inner"];
    let layer = multi_head_layer(case, "", case.number("heads"), inner, None);
    let inputs = inputs(case);
    let mask = mask(case, &inputs, inner["causal"].as_bool().unwrap());
    let output = layer.forward(inputs.query, inputs.keys, inputs.values, mask);
    let mut outputs = Outputs::default()
        .with("context", output.context, case.query_rows(1))
        .with("weights", output.weights.last(), case.query_rows(2));
    for level in 1..=output.weights.levels() {
        let weights = output.weights.level(level);
        outputs = outputs.with(
            &format!("weights.level_{level}"),
            weights,
            case.query_rows(2),
        );
    }
    if let Some(positions) = output.auxiliary.positions {
        let positions = positions.squeeze_dim::<3>(3);
        outputs = outputs.with("position", positions, case.query_rows(2));
    }
    outputs
}
