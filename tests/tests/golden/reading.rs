//! Reading comprehension: attention between passage and question; `words`, `pointer`: the other
//! parts of readers; `model`: whole readers.

mod model;
mod pointer;
mod words;

use burn::module::Param;
use burn::tensor::Tensor;
use serde_json::{Value, json};
use strata_attention::{AttentionWeights, Mask, Mechanism, MechanismConfig, ParamInit};
use strata_models::reader::{
    AttentionFlow, FlowConfig, Gate, Levels, MatchInput, MatchScore, Matching, MatchingConfig,
    SelfMatching, SelfMatchingConfig, Sharing,
};

use crate::attention::{configured, fill, fill_score};
use crate::case::{Case, Outputs, number, text};
use crate::recurrent::{cell, cell_kind};

pub use model::reader;
pub use pointer::{pointer, span};
pub use words::word_embedding;

/// Returns vanilla attention for a depth of 1, otherwise Ham-V, as a golden site says.
fn levels(config: &Value, score: &str) -> MechanismConfig {
    match number(config, "depth") {
        1 => configured("vanilla", &json!({ "score": score })).0,
        _ => {
            let mut config = config.clone();
            config["score"] = score.into();
            configured("ham_v", &config).0
        }
    }
}

/// Sets the `w` of levels to the file's, if the levels are mixed.
fn fill_levels(levels: &mut Levels, case: &Case, name: &str) {
    if let Some(mix) = &mut levels.mix {
        *mix = row(case, name);
    }
}

/// Returns a parameter `[n]` as a row `[1, n]`.
fn row(case: &Case, name: &str) -> Param<Tensor<2>> {
    let values: Tensor<1> = case.float(&format!("param.{name}"));
    let values = values.unsqueeze::<2>();
    Param::initialized(burn::module::ParamId::new(), values)
}

/// Wraps a part of a tensor as a parameter.
fn part(tensor: Tensor<2>) -> Param<Tensor<2>> {
    Param::initialized(burn::module::ParamId::new(), tensor)
}

fn lengths(padding: &[bool], positions: usize) -> Vec<usize> {
    let real = |item: &[bool]| item.iter().filter(|&&it| !it).count().max(1);
    padding.chunks(positions).map(real).collect()
}

fn flow_config(config: &Value, width: usize) -> FlowConfig {
    let score = text(config, "score");
    FlowConfig {
        width,
        context_to_query: levels(&config["context_to_query"], score),
        query_to_context: levels(&config["query_to_context"], score),
    }
}

fn fill_flow(flow: &mut AttentionFlow, case: &Case, prefix: &str) {
    // The score is the flow's own, but w belongs to its site.
    if let Mechanism::Ham(ham) = &mut flow.context_to_query
        && ham.mix.is_some()
    {
        ham.mix = Some(row(case, &format!("{prefix}context_to_query.w")));
    }
    let score = match &mut flow.context_to_query {
        Mechanism::Vanilla(vanilla) => &mut vanilla.score,
        Mechanism::Ham(ham) => &mut ham.score,
        other => panic!("{other:?} has no golden case"),
    };
    fill_score(score, case, &format!("{prefix}score."));
    let name = format!("{prefix}query_to_context.w");
    fill_levels(&mut flow.query_to_context, case, &name);
}

/// Adds the weights of a site whose rows are words of the passage, and of its levels if there are
/// several.
fn with_levels(
    mut outputs: Outputs,
    case: &Case,
    name: &str,
    weights: &AttentionWeights,
) -> Outputs {
    let mut add = |name: &str, tensor: Tensor<4>| {
        let tensor = tensor.squeeze_dim::<3>(1);
        outputs = std::mem::take(&mut outputs).with(name, tensor, case.query_rows(1));
    };
    add(name, weights.last());
    for level in 1..=weights.levels() {
        add(&format!("{name}.level_{level}"), weights.level(level));
    }
    outputs
}

pub fn attention_flow(case: &Case) -> Outputs {
    let [passage, question]: [Tensor<3>; 2] =
        ["input.passage", "input.question"].map(|it| case.float(it));
    let [_, p, width] = passage.dims();
    let q = question.dims()[1];
    let init = &mut ParamInit::new(0, &case.device);
    let mut flow = flow_config(&case.config, width).init(init).unwrap();
    fill_flow(&mut flow, case, "");
    let masks = [("passage", p), ("question", q)].map(|(name, positions)| {
        let padding = case.flags(&format!("input.{name}_padding")).unwrap();
        Mask::padding(&padding, positions, &case.device)
    });
    let output = flow.forward(passage, question, [&masks[0], &masks[1]]);
    let rows = || case.query_rows(1);
    let (asked, from_question) = output.query_to_context;
    let outputs = Outputs::default()
        .with("context", output.context, rows())
        .with(
            "context_to_query",
            output.context_to_query.context.squeeze_dim::<3>(1),
            rows(),
        )
        .with("query_to_context", asked.squeeze_dims::<2>(&[1, 2]), None);
    let weights = &output.context_to_query.weights;
    let name = "weights.context_to_query";
    let mut outputs = with_levels(outputs, case, name, weights);
    let name = "weights.query_to_context";
    let mut add = |name: &str, tensor: Tensor<4>| {
        let tensor = tensor.squeeze_dims::<2>(&[1, 2]);
        outputs = std::mem::take(&mut outputs).with(name, tensor, None);
    };
    add(name, from_question.last());
    for level in 1..=from_question.levels() {
        add(&format!("{name}.level_{level}"), from_question.level(level));
    }
    outputs
}

fn matching_config(case: &Case, config: &Value, [p, q, h]: [usize; 3]) -> MatchingConfig {
    MatchingConfig {
        cell: cell_kind(text(config, "cell")),
        passage: p,
        question: q,
        hidden: h,
        bidirectional: config["bidirectional"].as_bool().unwrap(),
        gate: config["gate"].as_bool().unwrap(),
        input: match text(config, "input") {
            "concat" => MatchInput::Concat,
            "difference" => MatchInput::Difference,
            other => panic!("{}: unknown input {other:?}", case.name),
        },
        sharing: match text(config, "sharing") {
            "all" => Sharing::All,
            "attention" => Sharing::Attention,
            "none" => Sharing::None,
            other => panic!("{}: unknown sharing {other:?}", case.name),
        },
        mechanism: levels(config, "additive"),
    }
}

/// Returns H of a matching layer, whose parameters begin with `prefix`.
fn matching_hidden(case: &Case, prefix: &str) -> usize {
    let names = ["cell.w_hh", "forward.cell.w_hh"];
    let names = names.map(|it| format!("param.{prefix}{it}"));
    let name = names.iter().find(|it| case.has(it)).unwrap();
    case.dims(name)[0]
}

fn fill_matching(matching: &mut Matching, case: &Case, prefix: &str) {
    // Parameters that both directions share have no direction in their names.
    let places = |copies: usize| match copies {
        1 => vec![String::new()],
        _ => vec!["forward.".to_owned(), "backward.".to_owned()],
    };
    let [scores, gates] = [matching.scores.len(), matching.gates.len()].map(places);
    for (score, at) in matching.scores.iter_mut().zip(scores) {
        fill_match_score(score, case, &format!("{prefix}{at}score."));
    }
    for (gate, at) in matching.gates.iter_mut().zip(gates) {
        gate.weight = case.param(&format!("{prefix}{at}gate.w"));
    }
    let own = places(matching.cells.len());
    matching.cells = own
        .iter()
        .map(|at| cell(case, &format!("{prefix}{at}cell.")))
        .collect();
    fill_levels(&mut matching.levels, case, &format!("{prefix}w"));
}

fn fill_match_score(score: &mut MatchScore, case: &Case, prefix: &str) {
    let query: Tensor<2> = case.float(&format!("param.{prefix}w_h"));
    let key: Tensor<2> = case.float(&format!("param.{prefix}w_g"));
    let words = score.word.dims()[0];
    let states = query.dims()[0] - words;
    score.word = part(query.clone().narrow(0, 0, words));
    score.state = part(query.narrow(0, words, states));
    score.key = part(key);
    score.bias = case.param(&format!("{prefix}b"));
    score.energy = case.param(&format!("{prefix}v"));
}

pub fn matching(case: &Case) -> Outputs {
    let [passage, question]: [Tensor<3>; 2] =
        ["input.passage", "input.question"].map(|it| case.float(it));
    let ([_, p, width], [_, q, asked]) = (passage.dims(), question.dims());
    let widths = [width, asked, matching_hidden(case, "")];
    let config = matching_config(case, &case.config, widths);
    let mut matching = config.init(&mut ParamInit::new(0, &case.device)).unwrap();
    fill_matching(&mut matching, case, "");
    let padding = case.flags("input.passage_padding").unwrap();
    let mask = case.flags("input.question_padding").unwrap();
    let mask = Mask::padding(&mask, q, &case.device);
    let output = matching.forward(passage, &lengths(&padding, p), question, &mask);
    let mut outputs = Outputs::default().with("states", output.states, None);
    let weights = &output.weights;
    let mut add = |name: &str, tensor: Tensor<4>| {
        outputs = match config.bidirectional {
            true => std::mem::take(&mut outputs).with(name, tensor, case.query_rows(2)),
            false => {
                let tensor: Tensor<3> = tensor.squeeze_dim(1);
                std::mem::take(&mut outputs).with(name, tensor, case.query_rows(1))
            }
        };
    };
    add("weights", weights.last());
    for level in 1..=weights.levels() {
        add(&format!("weights.level_{level}"), weights.level(level));
    }
    outputs
}

fn self_matching_config(config: &Value, width: usize, hidden: usize) -> SelfMatchingConfig {
    assert!(config["gate"].as_bool().unwrap() && config["bidirectional"].as_bool().unwrap());
    let mechanism = match number(config, "depth") {
        1 => configured("vanilla", config).0,
        _ => configured("ham_s", config).0,
    };
    SelfMatchingConfig {
        width,
        cell: cell_kind(text(config, "cell")),
        hidden,
        mechanism,
    }
}

fn fill_self_matching(layer: &mut SelfMatching, case: &Case, prefix: &str) {
    fill(&mut layer.attention, case, prefix);
    layer.gate = Gate {
        weight: case.param(&format!("{prefix}gate.w")),
    };
    let directions = ["forward.", "backward."].map(|it| cell(case, &format!("{prefix}{it}")));
    layer.recurrent.directions = directions.into();
}

pub fn self_matching(case: &Case) -> Outputs {
    let passage: Tensor<3> = case.float("input.passage");
    let [_, p, width] = passage.dims();
    let hidden = case.dims("param.forward.w_hh")[0];
    let config = self_matching_config(&case.config, width, hidden);
    let mut layer = config.init(&mut ParamInit::new(0, &case.device)).unwrap();
    fill_self_matching(&mut layer, case, "");
    let padding = case.flags("input.passage_padding").unwrap();
    let mask = Mask::padding(&padding, p, &case.device);
    let (states, found) = layer.forward(passage, &lengths(&padding, p), &mask);
    let rows = || case.query_rows(1);
    let outputs = Outputs::default().with("states", states, None).with(
        "context",
        found.context.squeeze_dim::<3>(1),
        rows(),
    );
    let mut outputs = with_levels(outputs, case, "weights", &found.weights);
    if let AttentionWeights::Hierarchy { own, .. } = &found.weights {
        for (at, level) in own.all().iter().enumerate() {
            let name = format!("attention.level_{}", at + 1);
            let level = level.tensor().squeeze_dim::<3>(1);
            outputs = outputs.with(&name, level, rows());
        }
    }
    outputs
}
