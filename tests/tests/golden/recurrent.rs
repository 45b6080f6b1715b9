//! Recurrent layers and the decoder.

use burn::nn::DropoutConfig;
use burn::tensor::Tensor;
use strata_attention::{Mask, Mechanism, MechanismConfig, ParamInit};
use strata_models::recurrent::Cell;
use strata_models::seq2seq::{DecoderConfig, Head};
use strata_models::{CellKind, HeadKind, RecurrentConfig, State};

use crate::attention::{fill_score, linear};
use crate::case::{Case, Outputs};

pub fn kind(case: &Case) -> CellKind {
    cell_kind(case.text("cell"))
}

pub fn cell_kind(name: &str) -> CellKind {
    match name {
        "rnn" => CellKind::Rnn,
        "gru" => CellKind::Gru,
        "lstm" => CellKind::Lstm,
        other => panic!("unknown cell {other:?}"),
    }
}

pub fn cell(case: &Case, prefix: &str) -> Cell {
    Cell {
        input: case.param(&format!("{prefix}w_ih")),
        hidden: case.param(&format!("{prefix}w_hh")),
        input_bias: case.param(&format!("{prefix}b_ih")),
        hidden_bias: case.param(&format!("{prefix}b_hh")),
    }
}

fn initial(case: &Case) -> Option<State> {
    case.has("input.h0").then(|| State {
        hidden: case.float("input.h0"),
        cell: case.has("input.c0").then(|| case.float("input.c0")),
    })
}

/// Computes a recurrent layer.
pub fn rnn(case: &Case) -> Outputs {
    let input: Tensor<3> = case.float("input.x");
    let [b, s, width] = input.dims();
    let prefixes = match case.config["bidirectional"].as_bool().unwrap() {
        true => vec!["forward.", "backward."],
        false => vec![""],
    };
    let config = RecurrentConfig {
        cell: kind(case),
        input: width,
        hidden: case.dims(&format!("param.{}w_hh", prefixes[0]))[0],
        bidirectional: prefixes.len() == 2,
    };
    let mut layer = config.init(&mut ParamInit::new(0, &case.device));
    layer.directions = prefixes
        .into_iter()
        .map(|prefix| cell(case, prefix))
        .collect();
    let padding = case.padding(b, s);
    let real = |item: &[bool]| item.iter().filter(|&&padding| !padding).count();
    let lengths: Vec<usize> = padding.chunks(s).map(real).collect();
    let output = layer.forward(input, Some(&lengths), initial(case));
    let outputs = Outputs::default()
        .with("states", output.states, case.query_rows(1))
        .with("last", output.last.hidden, None);
    match output.last.cell {
        Some(cell) => outputs.with("last_cell", cell, None),
        None => outputs,
    }
}

/// Computes the decoder of a seq2seq model.
pub fn decoder(case: &Case) -> Outputs {
    let input: Tensor<3> = case.float("input.x");
    let attention = case.config["score"].as_str().map(|score| {
        let config = serde_json::json!({ "score": score });
        crate::attention::configured("vanilla", &config).0
    });
    let input_feeding = case.config["input_feeding"].as_bool().unwrap();
    let keys = if case.has("input.keys") {
        case.dims("input.keys")[2]
    } else {
        0
    };
    let head = match case.text("head") {
        "concat" => HeadKind::Concat,
        "mlp" => HeadKind::Mlp,
        other => panic!("unknown head {other:?}"),
    };
    let config = DecoderConfig {
        layers: 1,
        cell: kind(case),
        input: input.dims()[2],
        hidden: case.dims("input.h0")[1],
        attention: attention as Option<MechanismConfig>,
        keys,
        head,
        input_feeding,
        vocabulary: case.dims("output.logits")[2],
    };
    let mut decoder = config.init(&mut ParamInit::new(0, &case.device)).unwrap();
    decoder.cell.directions = vec![cell(case, "cell.")];
    decoder.head = match head {
        HeadKind::Concat => Head::Concat(linear(case, "head.w", "head.b")),
        HeadKind::Mlp => Head::Mlp((
            linear(case, "head.w1", "head.b1"),
            linear(case, "head.w2", "head.b2"),
        )),
    };
    if let Some(Mechanism::Vanilla(vanilla)) = &mut decoder.attention {
        fill_score(&mut vanilla.score, case, "score.");
    }
    let memory = case.has("input.keys").then(|| {
        let keys: Tensor<3> = case.float("input.keys");
        let [b, s, _] = keys.dims();
        let mask = Mask::padding(&case.padding(b, s), s, &case.device);
        decoder.prepare(keys, mask).expect("the decoder attends")
    });
    let output = decoder.forward(
        input,
        vec![initial(case).expect("a decoder has a first state")],
        memory.as_ref(),
        &DropoutConfig::new(0.0).init(),
    );
    let mut outputs = Outputs::default()
        .with("logits", output.logits.compute(), None)
        .with("states", output.states, None);
    if let (Some(context), Some((weights, _))) = (output.context, output.attention) {
        outputs = outputs.with("context", context, None).with(
            "weights",
            weights.last().squeeze_dim::<3>(1),
            None,
        );
    }
    outputs
}
