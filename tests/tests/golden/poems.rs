//! Poems by planning: the model, and word vectors.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};
use strata_attention::{Mask, ParamInit};
use strata_models::recurrent::Cell;
use strata_models::seq2seq::{Head, Seq2Seq};
use strata_models::{Batch, HeadKind, Seq2SeqConfig, Vocabularies, cross_entropy};
use strata_poems::word2vec::{Cbow, Position};

use crate::attention::{configured, fill, linear};
use crate::case::{Case, Outputs, text};
use crate::{recurrent, tokens};

fn build(case: &Case) -> Seq2Seq {
    let attention = &case.config["attention"];
    let [source, embedding] = case.dims("param.source_embedding").try_into().unwrap();
    let hidden = case.dims("param.decoder.cell.w_hh")[0];
    let config = Seq2SeqConfig {
        cell: recurrent::kind(case),
        embedding,
        encoder_hidden: 2 * case.dims("param.encoder.forward.w_hh")[0],
        decoder_hidden: hidden,
        attention: configured(text(attention, "mechanism"), attention).0,
        head: match case.text("head") {
            "concat" => HeadKind::Concat,
            "mlp" => HeadKind::Mlp,
            other => panic!("unknown head {other:?}"),
        },
        ..Seq2SeqConfig::default()
    };
    let target = case.dims("param.target_embedding")[0];
    let vocabularies = Vocabularies { source, target };
    let init = &mut ParamInit::new(0, &case.device);
    let mut model = Seq2Seq::init(&config, vocabularies, init).unwrap();
    model.source_embedding = case.param("source_embedding");
    model.target_embedding = case.param("target_embedding");
    let cell = |prefix: &str| -> Cell { recurrent::cell(case, prefix) };
    model.encoder.directions = ["encoder.forward.", "encoder.backward."].map(cell).to_vec();
    model.decoder.cell.directions = vec![cell("decoder.cell.")];
    let layer = |weight: &str, bias: &str| {
        linear(
            case,
            &format!("decoder.head.{weight}"),
            &format!("decoder.head.{bias}"),
        )
    };
    model.decoder.head = match config.head {
        HeadKind::Concat => Head::Concat(layer("w", "b")),
        HeadKind::Mlp => Head::Mlp((layer("w1", "b1"), layer("w2", "b2"))),
    };
    fill(
        model.decoder.attention.as_mut().unwrap(),
        case,
        "decoder.attention.",
    );
    model
}

/// Loss, logits, encoder, attention.
pub fn ppg(case: &Case) -> Outputs {
    let model = build(case);
    let batch = Batch {
        starts_text: false,
        source: tokens(case, "input.source"),
        target_in: tokens(case, "input.target_in"),
        target_out: tokens(case, "input.target_out"),
    };
    let output = model.forward(&batch, None, &case.device);
    let rows = || case.query_rows(1);
    let loss = cross_entropy(output.logits.clone(), &batch.target_out, 0.0);
    let targets = batch.target_out.tensor(&case.device).unsqueeze_dim::<3>(2);
    let nll = -log_softmax(output.logits.clone(), 2)
        .gather(2, targets)
        .squeeze_dim::<2>(2);
    let mut outputs = Outputs::default()
        .with("loss", loss, None)
        .with("logits", output.logits, rows())
        .with("nll", nll, rows());

    // What the model keeps to itself, by its parts.
    let lengths = batch.source.lengths();
    let embedded = |table: &Tensor<2>, tokens: &strata_models::Tokens| {
        burn::tensor::module::embedding(table.clone(), tokens.tensor(&case.device))
    };
    let source = embedded(&model.source_embedding.val(), &batch.source);
    let encoded = model.encoder.forward(source, Some(&lengths), None);
    let mask = Mask::padding(
        &batch.source.padding(),
        batch.source.columns(),
        &case.device,
    );
    let memory = model.decoder.prepare(encoded.states.clone(), mask);
    let target = embedded(&model.target_embedding.val(), &batch.target_in);
    let first = vec![encoded.last.clone()];
    let decoded = model
        .decoder
        .forward(target, first, memory.as_ref(), &model.dropout);
    outputs = outputs
        .with("memory", encoded.states.clone(), None)
        .with("last", encoded.last.hidden, None)
        .with("context", decoded.context.unwrap(), rows());
    let weights = &output.attention[0].weights;
    let flat = |weights: Tensor<4>| weights.squeeze_dim::<3>(1);
    outputs = outputs.with("weights", flat(weights.last()), rows());
    for level in 1..=weights.levels() {
        let weights = flat(weights.level(level));
        let state = weights.clone().matmul(encoded.states.clone());
        outputs = outputs
            .with(&format!("weights.level_{level}"), weights, rows())
            .with(&format!("state.level_{level}"), state, rows());
    }
    outputs
}

/// Hidden vectors, scores and loss of some positions, with the gradients of [`Cbow::step`].
pub fn word2vec(case: &Case) -> Outputs {
    assert_eq!(case.text("model"), "cbow");
    let centers = case.vector("input.center");
    let (contexts, [batch, size]) = case.integers("input.context");
    let (absent, _) = case.integers("input.context_padding");
    let (negatives, [_, drawn]) = case.integers("input.negatives");
    let (input, output): (Tensor<2>, Tensor<2>) =
        (case.float("param.input"), case.float("param.output"));
    let [words, width] = input.dims();
    let numbers = |tensor: &Tensor<2>| tensor.to_data().try_to_vec::<f32>().unwrap();
    let model = Cbow::new(width, numbers(&input), numbers(&output));

    let mut position = Position::default();
    let (mut hidden, mut scores, mut loss) = (Vec::new(), Vec::new(), 0.0);
    let mut means = vec![0.0; batch * words];
    let mut gradients = [&model.input, &model.output].map(|table| vec![0.0; table.len()]);
    for at in 0..batch {
        let real = (at * size..(at + 1) * size).filter(|&place| absent[place] == 0);
        let context: Vec<u32> = real.map(|place| contexts[place]).collect();
        let negatives = &negatives[at * drawn..(at + 1) * drawn];
        for &word in &context {
            means[at * words + word as usize] += 1.0 / context.len() as f32;
        }
        model.forward(centers[at], &context, negatives, &mut position);
        hidden.extend_from_slice(&position.hidden);
        scores.extend_from_slice(&position.scores);
        loss += position.loss(centers[at], negatives) / batch as f64;
        // A step at the rate 1 is the gradient.
        let mut stepped = model.clone();
        stepped.step(centers[at], &context, negatives, 1.0, &mut position);
        let tables = [
            (&model.input, &stepped.input),
            (&model.output, &stepped.output),
        ];
        for (gradient, (before, after)) in gradients.iter_mut().zip(tables) {
            for (gradient, (before, after)) in gradient.iter_mut().zip(before.iter().zip(after)) {
                *gradient += (before - after) / batch as f32;
            }
        }
    }
    let tensor = |numbers: Vec<f32>, shape: [usize; 2]| {
        Tensor::<2>::from_data(TensorData::new(numbers, shape), &case.device)
    };
    // Tensors with these values, whose gradients are those computed.
    let [of_input, of_output] = gradients.map(|it| tensor(it, [words, width]));
    let linear = (input.clone() * of_input).sum() + (output * of_output).sum();
    let loss = linear.clone() - linear.detach() + loss as f32;
    let mean = tensor(means, [batch, words]).matmul(input);
    let hidden = mean.clone() - mean.detach() + tensor(hidden, [batch, width]);
    Outputs::default()
        .with("loss", loss, None)
        .with("hidden", hidden, None)
        .with("scores", tensor(scores, [batch, 1 + drawn]), None)
}
