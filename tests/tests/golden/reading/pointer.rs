//! The pointer, and spans of the answer.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};
use serde_json::Value;
use strata_attention::{Mask, ParamInit};
use strata_models::reader::{Pointer, PointerConfig, best_spans, span_loss};

use crate::attention::{fill_score, linear};
use crate::case::{Case, Outputs, number, text};
use crate::recurrent::{cell, cell_kind};

fn pointer_config(case: &Case, config: &Value, prefix: &str, widths: [usize; 2]) -> PointerConfig {
    let [memory, question] = widths;
    let both_directions = number(config, "directions") == 2;
    let at = if both_directions { "forward." } else { "" };
    let name = |name: &str| format!("param.{prefix}{at}{name}");
    PointerConfig {
        cell: cell_kind(text(config, "cell")),
        memory,
        question: match text(config, "initial") {
            "zero" => None,
            "pooled" => Some(question),
            other => panic!("{}: unknown initial {other:?}", case.name),
        },
        hidden: case.dims(&name("cell.w_hh"))[0],
        score: case.dims(&name("score.v"))[0],
        both_directions,
    }
}

pub fn fill_pointer(pointer: &mut Pointer, case: &Case, prefix: &str) {
    let places = match pointer.directions.len() {
        1 => vec![""],
        _ => vec!["forward.", "backward."],
    };
    for (direction, at) in pointer.directions.iter_mut().zip(places) {
        direction.cell.directions = vec![cell(case, &format!("{prefix}{at}cell."))];
        fill_score(&mut direction.score, case, &format!("{prefix}{at}score."));
    }
    if let Some(pool) = &mut pointer.pool {
        let [w, b] = ["w_g", "b"].map(|it| format!("{prefix}pool.{it}"));
        pool.key = linear(case, &w, &b);
        pool.energy = case.param(&format!("{prefix}pool.v"));
    }
    if let Some(project) = &mut pointer.project {
        let [w, b] = ["w", "b"].map(|it| format!("{prefix}project.{it}"));
        *project = linear(case, &w, &b);
    }
}

/// Returns start and end of each question's answer.
pub fn targets(case: &Case) -> Vec<[usize; 2]> {
    let [start, end] = ["input.start", "input.end"].map(|it| case.ids(it).0);
    let pairs = start.into_iter().zip(end);
    pairs
        .map(|(start, end)| [start as usize, end as usize])
        .collect()
}

pub fn pointer(case: &Case) -> Outputs {
    let memory: Tensor<3> = case.float("input.passage");
    let [b, places, width] = memory.dims();
    let question: Tensor<3> = match case.has("input.question") {
        true => case.float("input.question"),
        false => Tensor::zeros([b, 1, 1], &case.device),
    };
    let [_, q, asked] = question.dims();
    let config = pointer_config(case, &case.config, "", [width, asked]);
    let mut pointer = config.init(&mut ParamInit::new(0, &case.device));
    fill_pointer(&mut pointer, case, "");
    let padding = case.flags("input.passage_padding").unwrap();
    let memory_mask = Mask::padding(&padding, places, &case.device);
    let question_mask = match case.flags("input.question_padding") {
        Some(padding) => Mask::padding(&padding, q, &case.device),
        None => Mask::none(),
    };
    let output = pointer.forward(memory, question, [&memory_mask, &question_mask]);
    let loss = span_loss(
        output.log_probabilities.clone(),
        &targets(case),
        &case.device,
    );
    let [start, end] = output.log_probabilities.map(Tensor::exp);
    let outputs = Outputs::default()
        .with("start", start, None)
        .with("end", end, None)
        .with("loss", loss, None);
    match output.pooled {
        Some((pooled, weights)) => outputs.with("pooled", pooled, None).with(
            "weights.pool",
            weights.squeeze_dims::<2>(&[1, 2]),
            None,
        ),
        None => outputs,
    }
}

/// Compares the spans of each item with the file, exactly; their scores are probabilities.
pub fn span(case: &Case) -> Outputs {
    let [starts, ends]: [Tensor<2>; 2] =
        ["input.start_logits", "input.end_logits"].map(|it| case.float(it));
    let ([b, places], passages) = (starts.dims(), case.number("passages"));
    let padding = case.flags("input.passage_padding").unwrap();
    let mask = Mask::padding(&padding, places, &case.device);
    let probabilities = |logits: Tensor<2>| {
        let logits = mask.hide(logits.reshape([b, 1, 1, places]));
        let logs = log_softmax(logits.squeeze_dims::<2>(&[1, 2]), 1);
        logs.into_data().try_to_vec::<f32>().unwrap()
    };
    let [starts, ends] = [starts, ends].map(probabilities);
    let (best, longest) = (case.number("best"), case.number("maximum"));
    let mut scores = Vec::new();
    let [expected_starts, expected_ends] = ["output.start", "output.end"].map(|it| case.ids(it).0);
    for item in 0..b {
        let of = |all: &[f32]| all[item * places..(item + 1) * places].to_vec();
        let length = places / passages;
        let real = |passage: usize| {
            let row = &padding[item * places + passage * length..][..length];
            passage * length..passage * length + row.iter().filter(|&&it| !it).count()
        };
        let passages: Vec<_> = (0..passages).map(real).collect();
        let found = best_spans([&of(&starts), &of(&ends)], &passages, longest, best);
        for at in 0..best {
            let span = found.get(at);
            let place = |of: Option<usize>| of.map_or(u32::MAX, |it| it as u32);
            let expected = (
                expected_starts[item * best + at],
                expected_ends[item * best + at],
            );
            let ours = (place(span.map(|it| it.start)), place(span.map(|it| it.end)));
            assert_eq!(ours, expected, "{}: item {item}, answer {at}", case.name);
            scores.push(span.map_or(0.0, |it| it.score.exp() as f32));
        }
    }
    let scores = TensorData::new(scores, [b, best]);
    let scores = Tensor::<2>::from_data(scores, &case.device);
    Outputs::default().with("score", scores, None)
}
