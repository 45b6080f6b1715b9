#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, Tensor, TensorData, Tolerance};

use crate::{
    Batch, CarriedState, CellKind, ModelConfig, PositionKind, RecurrentLmConfig, SequenceModel,
    Tokens, TransformerLmConfig, Vocabularies, cross_entropy,
};

const V: usize = 11;

fn configs() -> Vec<ModelConfig> {
    let mut all: Vec<ModelConfig> = [CellKind::Rnn, CellKind::Gru, CellKind::Lstm]
        .into_iter()
        .map(|cell| recurrent(cell, cell == CellKind::Lstm))
        .collect();
    for (norm_first, tied, positions) in [
        (true, true, PositionKind::Learned),
        (false, false, PositionKind::Sinusoidal),
        (true, false, PositionKind::None),
    ] {
        all.push(ModelConfig::TransformerLm(TransformerLmConfig {
            width: 8,
            heads: 2,
            layers: 2,
            feed_forward: 16,
            norm_first,
            tied,
            positions,
            longest: 7,
            ..TransformerLmConfig::default()
        }));
    }
    all
}

fn recurrent(cell: CellKind, tied: bool) -> ModelConfig {
    ModelConfig::RecurrentLm(RecurrentLmConfig {
        cell,
        embedding: 6,
        hidden: 6,
        layers: 2,
        tied,
        ..RecurrentLmConfig::default()
    })
}

fn build(config: &ModelConfig, device: &Device) -> SequenceModel {
    let vocabularies = Vocabularies {
        source: V,
        target: V,
    };
    let model = config.init(vocabularies, 3, device).unwrap();
    model.sequence().unwrap().clone()
}

/// Generates a text of `rows` streams, each of `length` tokens and the one before them.
fn streams(rows: usize, length: usize) -> Vec<Vec<u32>> {
    (0..rows)
        .map(|row| {
            (0..=length)
                .map(|i| (2 + (i * i + 3 * row) % (V - 2)) as u32)
                .collect()
        })
        .collect()
}

/// Segment of all streams in which tokens `from .. to` are read.
fn segment(streams: &[Vec<u32>], from: usize, to: usize) -> Batch {
    let pairs: Vec<_> = streams
        .iter()
        .map(|stream| (stream[from..to].to_vec(), stream[from + 1..=to].to_vec()))
        .collect();
    Batch::of_text(&pairs)
}

fn close<const D: usize>(left: Tensor<D>, right: Tensor<D>) {
    left.into_data()
        .assert_approx_eq::<f32>(&right.into_data(), Tolerance::absolute(1e-5));
}

#[test]
fn no_logit_sees_a_later_token() {
    let device = Device::flex();
    for config in configs() {
        let model = build(&config, &device);
        let mut streams = streams(2, 7);
        let before = model.forward(&segment(&streams, 0, 7), &device).logits;
        streams[0][4] = 3; // What is read at place 4.
        let after = model.forward(&segment(&streams, 0, 7), &device).logits;
        close(
            before.clone().narrow(1, 0, 4),
            after.clone().narrow(1, 0, 4),
        );
        let moved = (before - after).narrow(0, 0, 1).narrow(1, 4, 1).abs().sum();
        assert!(moved.into_scalar::<f32>() > 1e-4, "{config:?}");
    }
}

/// One layer sees the words before a place as a set, two layers do not: what the lower layer
/// returns for a word depends on the number of words before it.
#[test]
fn without_positions_one_layer_forgets_the_order_of_what_it_read() {
    let device = Device::flex();
    let last = |layers: usize, positions: PositionKind, read: [u32; 5]| -> Tensor<3> {
        let config = ModelConfig::TransformerLm(TransformerLmConfig {
            width: 8,
            heads: 2,
            layers,
            feed_forward: 16,
            positions,
            ..TransformerLmConfig::default()
        });
        let segment = [(read.to_vec(), read.to_vec())];
        let output = build(&config, &device).forward(&Batch::of_text(&segment), &device);
        output.logits.narrow(1, 4, 1)
    };
    let distance = |layers, positions| {
        let (one, other) = ([3, 4, 5, 6, 7], [5, 3, 6, 4, 7]);
        let moved = last(layers, positions, one) - last(layers, positions, other);
        moved.abs().max().into_scalar::<f32>()
    };
    assert!(distance(1, PositionKind::None) < 1e-5);
    assert!(distance(1, PositionKind::Sinusoidal) > 1e-3);
    assert!(distance(2, PositionKind::None) > 1e-3);
}

#[test]
fn one_long_segment_is_two_short_ones_with_the_state_carried() {
    let device = Device::flex();
    for cell in [CellKind::Rnn, CellKind::Gru, CellKind::Lstm] {
        let model = build(&recurrent(cell, false), &device);
        let streams = streams(3, 10);
        let whole = model.forward(&segment(&streams, 0, 10), &device).logits;
        let (first, carried) = model.forward_from(None, &segment(&streams, 0, 4), None, &device);
        let (second, _) =
            model.forward_from(carried.as_ref(), &segment(&streams, 4, 10), None, &device);
        close(Tensor::cat(vec![first.logits, second.logits], 1), whole);
    }
}

/// The gradient of the second segment is that of the segment with its first state as a constant:
/// compared with the same written out step by step, and with differences of the loss.
#[test]
fn back_propagation_is_cut_between_segments() {
    let device = Device::flex().autodiff();
    for cell in [CellKind::Rnn, CellKind::Gru, CellKind::Lstm] {
        let SequenceModel::RecurrentLm(model) = build(&recurrent(cell, false), &device) else {
            unreachable!("it was built as one")
        };
        let streams = streams(2, 6);
        let whole = SequenceModel::RecurrentLm(model.clone());
        let (_, carried) = whole.forward_from(None, &segment(&streams, 0, 3), None, &device);
        let carried = carried.unwrap().detach();
        let batch = segment(&streams, 3, 6);
        let (output, _) = whole.forward_from(Some(&carried), &batch, None, &device);
        let loss = cross_entropy(output.logits, &batch.target_out, 0.0);
        let bias = &model.layers[0].directions[0].input_bias;
        let gradients = loss.backward();
        let gradient: Vec<f32> = bias
            .grad(&gradients)
            .unwrap()
            .into_data()
            .try_to_vec()
            .unwrap();

        let plain = device.clone().inner();
        let state_as_constant = CarriedState(
            carried
                .0
                .iter()
                .map(|state| crate::State {
                    hidden: state.hidden.clone().inner(),
                    cell: state.cell.clone().map(Tensor::inner),
                })
                .collect(),
        );
        let loss_at = |index: usize, by: f32| {
            let mut moved = burn::module::Module::valid(&model);
            let mut values: Vec<f32> = bias.val().into_data().try_to_vec().unwrap();
            values[index] += by;
            let count = values.len();
            let values = Tensor::from_data(TensorData::new(values, [count]), &plain);
            moved.layers[0].directions[0].input_bias = burn::module::Param::from_tensor(values);
            let model = SequenceModel::RecurrentLm(moved);
            let (output, _) = model.forward_from(Some(&state_as_constant), &batch, None, &plain);
            cross_entropy(output.logits, &batch.target_out, 0.0).into_scalar::<f64>()
        };
        for (index, &gradient) in gradient.iter().enumerate() {
            let expected = (loss_at(index, 1e-2) - loss_at(index, -1e-2)) / 2e-2;
            assert!(
                (f64::from(gradient) - expected).abs() < 2e-4,
                "{cell:?} {index}: {gradient}, not {expected}"
            );
        }
    }
}

#[test]
fn tokens_one_by_one_give_the_whole_pass() {
    let device = Device::flex();
    for config in configs() {
        let model = build(&config, &device);
        let streams = streams(2, 5);
        let whole = model.forward(&segment(&streams, 0, 5), &device).logits;
        let read = |at: usize| -> Vec<u32> { streams.iter().map(|stream| stream[at]).collect() };
        let steps: Vec<Tensor<2>> = match &model {
            SequenceModel::RecurrentLm(model) => {
                let mut decoding = model.start(2, &device);
                (0..5)
                    .map(|at| model.step(&mut decoding, &read(at)).logits)
                    .collect()
            }
            SequenceModel::TransformerLm(model) => {
                let mut decoding = model.start(&device);
                (0..5)
                    .map(|at| model.step(&mut decoding, &read(at)).logits)
                    .collect()
            }
            _ => unreachable!("only language models are built"),
        };
        close(Tensor::stack(steps, 1), whole);
    }
}

#[test]
fn a_padded_end_changes_nothing_before_it() {
    let device = Device::flex();
    for config in configs() {
        let model = build(&config, &device);
        let streams = streams(1, 6);
        let alone = model.forward(&segment(&streams, 0, 3), &device).logits;
        let both = Batch::of_text(&[
            (streams[0][0..3].to_vec(), streams[0][1..4].to_vec()),
            (streams[0][0..6].to_vec(), streams[0][1..7].to_vec()),
        ]);
        let padded = model.forward(&both, &device).logits;
        close(padded.narrow(0, 0, 1).narrow(1, 0, 3), alone);
    }
}

#[test]
fn a_text_has_no_source() {
    let batch = Batch::of_text(&[(vec![2, 5], vec![5, 6]), (vec![6], vec![7])]);
    assert_eq!(batch.target_in, Tokens::pad(&[vec![2, 5], vec![6]]));
    assert_eq!(batch.target_out, Tokens::pad(&[vec![5, 6], vec![7]]));
    assert_eq!((batch.source.rows(), batch.source.count()), (2, 0));
}

#[test]
fn an_output_that_is_the_embedding_needs_one_width() {
    let config = ModelConfig::RecurrentLm(RecurrentLmConfig {
        tied: true,
        embedding: 4,
        ..RecurrentLmConfig::default()
    });
    let error = config.check().unwrap_err().to_string();
    assert!(
        error.contains("`embedding` is 4 and `hidden` is 128"),
        "{error}"
    );
}
