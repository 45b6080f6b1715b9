//! Poems by planning: the model, and word vectors.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
use strata_attention::{Mask, ParamInit};
use strata_models::recurrent::Cell;
use strata_models::seq2seq::{Head, Seq2Seq};
use strata_models::{
    Batch, HeadKind, Model, ModelConfig, Rnnpg, RnnpgConfig, Seq2SeqConfig, SequenceModel,
    Vocabularies, cross_entropy,
};
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

/// Computes loss, logits, encoder states and attention.
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

    // The model's inner values, computed from its parts.
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

fn build_rnnpg(case: &Case) -> Rnnpg {
    let [vocabulary, width] = case.dims("param.csm.table").try_into().unwrap();
    let config = ModelConfig::Rnnpg(RnnpgConfig {
        width,
        ..RnnpgConfig::default()
    });
    let vocabularies = Vocabularies {
        source: vocabulary,
        target: vocabulary,
    };
    let model = config.init(vocabularies, 0, &case.device).unwrap();
    let Model::Sequence(SequenceModel::Rnnpg(mut model)) = model else {
        unreachable!("it was built as one")
    };
    model.sentence.table = case.param("csm.table");
    for (layer, weights) in model.sentence.convolutions.iter_mut().enumerate() {
        // Lines of 5 characters have no fourth layer.
        if case.has(&format!("param.csm.c{layer}")) {
            *weights = case.param(&format!("csm.c{layer}"));
        }
    }
    model.context.merge = case.param("rcm.m");
    model.context.places[usize::from(case.number("length") == 7)] = case.param("rcm.u");
    model.generation.characters = case.param("rgm.x");
    model.generation.recurrence = case.param("rgm.r");
    model.generation.condition = case.param("rgm.h");
    model.generation.output = case.param("rgm.y");
    model
}

/// Computes lines as vectors, contexts, conditions, states, logits and loss; the lines of a poem
/// are the examples of one batch.
pub fn rnnpg(case: &Case) -> Outputs {
    let model = build_rnnpg(case);
    let (ids, shape) = case.ids("input.lines");
    let [poems, lines, length]: [usize; 3] = shape.try_into().unwrap();
    let poem = |at: usize| -> Vec<&[u32]> {
        let ids = &ids[at * lines * length..(at + 1) * lines * length];
        ids.chunks(length).collect()
    };
    const MARK: u32 = 3;
    let mut examples = Vec::new();
    for poem in (0..poems).map(poem) {
        for line in 1..lines {
            let earlier = poem[..line].iter();
            let earlier = earlier.flat_map(|line| [&[MARK], *line].concat());
            let source: Vec<u32> = [MARK].into_iter().chain(earlier).collect();
            examples.push((source, poem[line].to_vec()));
        }
    }
    let batch = Batch::of_lines(&examples);
    let logits = model.forward(&batch, &case.device); // [B · 3, m, V]
    let loss = cross_entropy(logits.clone(), &batch.target_out, 0.0);
    let targets = batch.target_out.tensor(&case.device).unsqueeze_dim::<3>(2);
    let nll = -log_softmax(logits.clone(), 2).gather(2, targets);
    let vocabulary = logits.dims()[2];
    let written = lines - 1;
    let mut outputs = Outputs::default()
        .with("loss", loss, None)
        .with(
            "logits",
            logits.reshape([poems, written, length, vocabulary]),
            None,
        )
        .with("nll", nll.reshape([poems, written, length]), None);

    // The model's inner values, computed from its parts.
    let width = model.sentence.table.dims()[1];
    let all = TensorData::new(
        ids.iter().map(|&id| id as i32).collect::<Vec<_>>(),
        [poems, lines, length],
    );
    let all = Tensor::<3, Int>::from_data(all, &case.device);
    let read: Tensor<3, Int> = Tensor::cat(
        vec![
            Tensor::full([poems, lines, 1], case.number("bos") as i32, &case.device),
            all.clone().narrow(2, 0, length - 1),
        ],
        2,
    );
    let mut context = Tensor::<2>::zeros([poems, width], &case.device);
    let mut parts: [Vec<Tensor<3>>; 2] = Default::default();
    let mut places: [Vec<Tensor<4>>; 2] = Default::default();
    for line in 0..written {
        let of_line = |all: &Tensor<3, Int>, line: usize| -> Tensor<2, Int> {
            all.clone().narrow(1, line, 1).squeeze_dim(1)
        };
        let sentence = model.sentence.forward(of_line(&all, line));
        context = model.context.forward(sentence.clone(), context);
        let condition = model.context.conditions(context.clone(), length);
        let first = Tensor::zeros([poems, width], &case.device);
        let weighed = model.generation.weigh(condition.clone());
        let states = model
            .generation
            .forward(of_line(&read, line + 1), weighed, first);
        parts[0].push(sentence.unsqueeze_dim(1));
        parts[1].push(context.clone().unsqueeze_dim(1));
        places[0].push(condition.unsqueeze_dim(1));
        places[1].push(states.unsqueeze_dim(1));
    }
    for (name, tensors) in ["sentence", "context"].into_iter().zip(parts) {
        outputs = outputs.with(name, Tensor::cat(tensors, 1), None);
    }
    for (name, tensors) in ["condition", "states"].into_iter().zip(places) {
        outputs = outputs.with(name, Tensor::cat(tensors, 1), None);
    }
    outputs
}

/// Computes hidden vectors, scores and loss of some positions, with the gradients of
/// [`Cbow::step`].
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
    // Tensors with these values, whose gradients are the computed ones.
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
