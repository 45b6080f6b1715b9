//! Tests properties of RNNPG that hold for all parameters.

#![allow(clippy::unwrap_used)]
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use pollster::block_on;

use crate::{
    Batch, BeamConfig, Constraints, EOS, ModelConfig, RnnpgConfig, Search, SearchRequest,
    SequenceModel, Tokens, Vocabularies,
};

const VOCABULARY: usize = 30;

fn build(device: &Device) -> SequenceModel {
    let config = ModelConfig::Rnnpg(RnnpgConfig {
        width: 6,
        ..RnnpgConfig::default()
    });
    let vocabularies = Vocabularies {
        source: VOCABULARY,
        target: VOCABULARY,
    };
    let model = config.init(vocabularies, 3, device).unwrap();
    model.sequence().unwrap().clone()
}

/// Source of these lines.
fn source(lines: &[Vec<u32>]) -> Vec<u32> {
    let behind = lines.iter().flat_map(|line| [&[4], &line[..]].concat());
    [3].into_iter().chain(behind).collect()
}

/// Generates a line of `length` characters.
fn line(number: usize, length: usize) -> Vec<u32> {
    (0..length)
        .map(|at| 5 + ((number * 7 + at * 11) % 25) as u32)
        .collect()
}

fn logits(model: &SequenceModel, examples: &[(Vec<u32>, Vec<u32>)], device: &Device) -> Vec<f32> {
    let output = model.forward(&Batch::of_lines(examples), device);
    output.logits.into_data().try_to_vec().unwrap()
}

#[test]
fn a_line_does_not_depend_on_what_follows() {
    let device = Device::flex();
    let model = build(&device);
    let earlier = source(&[line(1, 7), line(2, 7)]);
    let one = line(3, 7);
    let alone = logits(&model, &[(earlier.clone(), one.clone())], &device);
    for at in 0..7 {
        let mut other = one.clone();
        other[at] = 5 + (other[at] - 4) % 25;
        let changed = logits(&model, &[(earlier.clone(), other)], &device);
        let same = VOCABULARY * (at + 1);
        assert_eq!(alone[..same], changed[..same], "character {at}");
        if at < 6 {
            assert_ne!(alone[same..], changed[same..], "character {at}");
        }
    }
    // Lines of the poem that are not read change nothing either, but lines that are read do.
    let more = (source(&[line(1, 7), line(2, 7), one.clone()]), line(4, 7));
    let together = logits(&model, &[(earlier, one.clone()), more], &device);
    assert_eq!(together[..alone.len()], alone);
    let read = logits(&model, &[(source(&[line(1, 7), line(5, 7)]), one)], &device);
    assert_ne!(read, alone);
}

/// Examples of one batch with lines of both lengths, in any order, give the same as in batches of
/// one.
#[test]
fn what_else_is_in_the_batch_changes_nothing() {
    let device = Device::flex();
    let model = build(&device);
    let example = |lines: usize, length: usize| {
        let earlier: Vec<_> = (0..lines).map(|at| line(at, length)).collect();
        (source(&earlier), line(9, length))
    };
    let examples = [(3, 7), (1, 5), (2, 7), (1, 7), (3, 5), (1, 5)].map(|(i, m)| example(i, m));
    let whole = logits(&model, &examples, &device);
    for (at, example) in examples.iter().enumerate() {
        let alone = logits(&model, std::slice::from_ref(example), &device);
        let row = &whole[at * 7 * VOCABULARY..(at + 1) * 7 * VOCABULARY];
        let largest = row.iter().zip(&alone).map(|(a, b)| (a - b).abs());
        assert!(largest.fold(0.0, f32::max) < 1e-5, "example {at}");
    }
}

#[test]
fn a_line_ends_by_its_place() {
    let device = Device::flex();
    let model = build(&device);
    for length in [5, 7] {
        let earlier = source(&[line(1, length)]);
        let batch = Batch::new(&[(earlier.clone(), line(2, length))]);
        let output = model.forward(&batch, &device).logits;
        let end: Vec<f32> = log_softmax(output, 2)
            .slice([0..1, length..length + 1])
            .into_data()
            .try_to_vec()
            .unwrap();
        assert_eq!(end[EOS as usize], 0.0);
        let sources = Tokens::pad(&[earlier]);
        let mut request = SearchRequest::new(&sources, 20);
        request.constraints = Constraints {
            minimum_length: length,
            ..Constraints::default()
        };
        let search = Search::Beam(BeamConfig {
            width: 3,
            length_penalty: 0.0,
            results: 1,
        });
        let found = block_on(model.search(&search, &request, &device)).unwrap();
        let best = &found.items[0].hypotheses[0];
        assert_eq!(best.ids.len(), length);
        assert!(best.ended);
        // The score of the search equals that of a pass over the line it found.
        let batch = Batch::of_lines(&[(sources.row(0).to_vec(), best.ids.clone())]);
        let passed = log_softmax(model.forward(&batch, &device).logits, 2);
        let targets = batch.target_out.tensor(&device).unsqueeze_dim::<3>(2);
        let sum: Tensor<1> = passed.gather(2, targets).sum();
        assert!((f64::from(sum.into_scalar::<f32>()) - best.score).abs() < 1e-4);
    }
}

#[test]
fn a_source_that_is_no_poem_is_survived() {
    let device = Device::flex();
    let model = build(&device);
    for tokens in [0, 1, 2, 6, 8, 40] {
        let source: Vec<u32> = (0..tokens).map(|at| 5 + at % 25).collect();
        let batch = Batch::new(&[(source, line(1, 5))]);
        let output = model.forward(&batch, &device).logits;
        let values: Vec<f32> = output.into_data().try_to_vec().unwrap();
        assert!(values.iter().all(|it| it.is_finite()), "{tokens}");
    }
}
