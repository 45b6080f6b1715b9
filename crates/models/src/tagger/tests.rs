//! Tests properties of the tagger that hold for all parameters.

#![allow(clippy::unwrap_used)]
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Gradients, Tensor};
use pollster::block_on;
use strata_attention::{MechanismConfig, MultilevelConfig, ParamInit};

use crate::{
    Batch, BeamConfig, ConvolutionLayer, EOS, EncoderCell, Model, ModelConfig, Part, PositionKind,
    SamplingConfig, Search, SearchRequest, SequenceModel, Site, SiteName, TaggerConfig, Tokens,
    Vocabularies, cross_entropy,
};

const V: usize = 11;

/// Sources of different lengths, one of them a single token.
const SOURCES: [&[u32]; 3] = [&[4, 5, 6, 7, 8], &[9], &[10, 4, 4]];

fn small() -> TaggerConfig {
    TaggerConfig {
        width: 8,
        heads: 2,
        layers: 2,
        feed_forward: 16,
        longest: 6,
        ..TaggerConfig::default()
    }
}

/// Taggers of every encoder, and with every choice that changes the parameters.
fn configs() -> Vec<TaggerConfig> {
    let multilevel = MechanismConfig::Multilevel(MultilevelConfig::default());
    let mut all = vec![
        TaggerConfig {
            tied: true,
            positions: PositionKind::Learned,
            ..small()
        },
        TaggerConfig {
            norm_first: false,
            encoder_self: multilevel,
            ..small()
        },
    ];
    for cell in [EncoderCell::Rnn, EncoderCell::Gru, EncoderCell::Lstm] {
        all.push(TaggerConfig {
            cell,
            bidirectional: cell != EncoderCell::Gru,
            tied: cell == EncoderCell::Rnn,
            ..small()
        });
    }
    for kernel_size in [1, 5] {
        all.push(TaggerConfig {
            cell: EncoderCell::Convolution,
            kernel_size,
            ..small()
        });
    }
    all
}

fn build(config: &TaggerConfig, device: &Device) -> Model {
    let vocabularies = Vocabularies {
        source: V,
        target: V,
    };
    let config = ModelConfig::Tagger(config.clone());
    config.init(vocabularies, 3, device).unwrap()
}

fn sequence(model: &Model) -> &SequenceModel {
    model.sequence().unwrap()
}

fn in_place(sources: &[&[u32]]) -> Batch {
    let pairs: Vec<(&[u32], &[u32])> = sources.iter().map(|&source| (source, source)).collect();
    Batch::in_place(&pairs)
}

/// Logits of each place of each row, padding included.
fn logits(model: &SequenceModel, batch: &Batch, device: &Device) -> Vec<Vec<f32>> {
    let logits = model.forward(batch, device).logits.into_data();
    let values: Vec<f32> = logits.try_to_vec().unwrap();
    values.chunks(V).map(<[f32]>::to_vec).collect()
}

#[test]
fn padding_changes_no_place() {
    let device = Device::flex();
    for config in configs() {
        let model = build(&config, &device);
        let model = sequence(&model);
        let together = logits(model, &in_place(&SOURCES), &device);
        for (row, source) in SOURCES.iter().enumerate() {
            let alone = logits(model, &in_place(&[source]), &device);
            for (place, alone) in alone.iter().enumerate() {
                let pairs = together[row * 5 + place].iter().zip(alone);
                let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(largest < 1e-5, "{config:?} {row} {place}: {largest}");
            }
        }
    }
    let unmasked = TaggerConfig {
        mask_padding: false,
        ..small()
    };
    let model = build(&unmasked, &device);
    let together = logits(sequence(&model), &in_place(&SOURCES), &device);
    let alone = logits(sequence(&model), &in_place(&SOURCES[1..2]), &device);
    assert_ne!(together[5], alone[0]);
}

/// The layer's formula, written down for one place after the other.
#[test]
fn a_convolution_is_the_gated_sum_over_neighbours() {
    const D: usize = 3;
    let device = Device::flex();
    let mut init = ParamInit::new(5, &device);
    for kernel in [1, 3, 5] {
        let layer = ConvolutionLayer::init(D, kernel, &mut init);
        let bias = init.uniform([2 * D], 1.0);
        let layer = ConvolutionLayer { bias, ..layer };
        let sources: [&[u32]; 2] = [&[4, 5, 6, 7], &[8, 9]];
        let tokens = Tokens::pad(&sources);
        let x = init.uniform([2, 4, D], 1.0).val();
        let found = layer.forward(x.clone(), super::convolution::real(&tokens, &device));
        let numbers = |it: Tensor<3>| -> Vec<f32> { it.into_data().try_to_vec().unwrap() };
        let (x, found, weight) = (numbers(x), numbers(found), numbers(layer.weight.val()));
        let bias: Vec<f32> = layer.bias.val().into_data().try_to_vec().unwrap();
        for (row, source) in sources.iter().enumerate() {
            for place in 0..source.len() {
                let sum = |out: usize| {
                    let taps = (0..kernel).filter_map(|at| {
                        let from = (place + at).checked_sub(kernel / 2)?;
                        (from < source.len()).then_some((at, from))
                    });
                    let products = taps.flat_map(|(at, from)| {
                        let (x, weight) = (&x, &weight);
                        (0..D).map(move |d| {
                            x[(row * 4 + from) * D + d] * weight[(at * D + d) * 2 * D + out]
                        })
                    });
                    bias[out] + products.sum::<f32>()
                };
                for d in 0..D {
                    let gate = 1.0 / (1.0 + (-sum(D + d)).exp());
                    let at = (row * 4 + place) * D + d;
                    let expected = (x[at] + sum(d) * gate) * 0.5f32.sqrt();
                    assert!(
                        (found[at] - expected).abs() < 1e-5,
                        "{kernel} {row} {place} {d}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_kernel_without_a_middle_is_refused() {
    let config = TaggerConfig {
        cell: EncoderCell::Convolution,
        kernel_size: 4,
        ..small()
    };
    let error = config.check().unwrap_err().to_string();
    assert!(error.contains("`kernel_size` is 4"), "{error}");
    let unused = TaggerConfig {
        cell: EncoderCell::Gru,
        ..config
    };
    assert!(unused.check().is_ok());
}

/// Best token of a row of logits, special tokens left out.
fn best(logits: &[f32]) -> u32 {
    let named = logits.iter().enumerate().skip(super::SPECIAL);
    named.max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0 as u32
}

/// Every search finds the most probable token of each place, as many as the source has, although
/// special tokens are made the most probable ones.
#[test]
fn decoding_takes_the_best_token_of_each_place() {
    let device = Device::flex();
    for config in configs() {
        let SequenceModel::Tagger(mut tagger) = sequence(&build(&config, &device)).clone() else {
            unreachable!("it was built as one")
        };
        let bias = (0..V).map(|id| if id < super::SPECIAL { 50.0 } else { 0.0 });
        let bias: Vec<f32> = bias.collect();
        tagger.output_bias = Param::from_tensor(Tensor::from_floats(bias.as_slice(), &device));
        let model = SequenceModel::Tagger(tagger);
        let passed = logits(&model, &in_place(&SOURCES), &device);
        let expected = SOURCES.iter().enumerate().map(|(row, source)| {
            let places = &passed[row * 5..row * 5 + source.len()];
            places.iter().map(|place| best(place)).collect::<Vec<_>>()
        });
        let expected: Vec<Vec<u32>> = expected.collect();
        let beam = |width| {
            Search::Beam(BeamConfig {
                width,
                length_penalty: 0.6,
                results: 1,
            })
        };
        let sources = Tokens::pad(&SOURCES);
        let request = SearchRequest::new(&sources, 20);
        for search in [Search::Greedy, Search::OnePass, beam(1), beam(4)] {
            let found = block_on(model.search(&search, &request, &device)).unwrap();
            for (item, expected) in found.items.iter().zip(&expected) {
                let hypothesis = &item.hypotheses[0];
                assert_eq!(&hypothesis.ids, expected, "{search:?} {config:?}");
                assert!(hypothesis.ended);
            }
        }
        let sampling = Search::Sampling(SamplingConfig {
            results: 5,
            ..SamplingConfig::default()
        });
        let found = block_on(model.search(&sampling, &request, &device)).unwrap();
        for (item, source) in found.items.iter().zip(SOURCES) {
            for hypothesis in &item.hypotheses {
                assert_eq!(hypothesis.ids.len(), source.len());
                let is_named = |&id: &u32| id as usize >= super::SPECIAL;
                assert!(hypothesis.ids.iter().all(is_named));
            }
        }
    }
}

/// In a batch whose targets end with EOS, which other models read, EOS behind the source is certain.
#[test]
fn behind_the_source_stands_eos() {
    let device = Device::flex();
    let model = build(&small(), &device);
    let model = sequence(&model);
    let pairs: Vec<(&[u32], &[u32])> = SOURCES.iter().map(|&it| (it, it)).collect();
    let output = model.forward(&Batch::new(&pairs), &device).logits;
    assert_eq!(output.dims(), [3, 6, V]);
    let ends = log_softmax(output.clone(), 2).slice([0..3, 0..6, 2..3]);
    let ends: Vec<f32> = ends.into_data().try_to_vec().unwrap();
    for (row, source) in SOURCES.iter().enumerate() {
        for place in 0..6 {
            let certain = ends[row * 6 + place] == 0.0;
            assert_eq!(certain, place >= source.len(), "{row} {place}");
        }
    }
    assert_eq!(EOS, 2);
    // A target that is shorter than the source has the first places.
    let short = Batch::in_place(&[(SOURCES[0], &[7, 8][..])]);
    let whole = logits(model, &in_place(&SOURCES[..1]), &device);
    assert_eq!(logits(model, &short, &device), whole[..2]);
}

struct Sizes<'a> {
    gradients: &'a Gradients,
    sizes: Vec<f32>,
}

impl ModuleVisitor for Sizes<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = param.val().grad(self.gradients);
        let size = gradient.map_or(0.0, |it| it.abs().sum().into_scalar::<f32>());
        self.sizes.push(size);
    }
}

#[test]
fn every_parameter_has_a_gradient() {
    let device = Device::flex().autodiff();
    for config in configs() {
        let model = build(&config, &device);
        let batch = in_place(&SOURCES);
        let output = sequence(&model).forward(&batch, &device);
        let gradients = cross_entropy(output.logits, &batch.target_out, 0.1).backward();
        let mut sizes = Sizes {
            gradients: &gradients,
            sizes: Vec::new(),
        };
        model.visit(&mut sizes);
        // Every query sees every key alike under a key bias, which has no gradient.
        let none = sizes.sizes.iter().filter(|&&size| size == 0.0).count();
        assert!(none <= config.layers, "{config:?} {:?}", sizes.sizes);
        assert!(sizes.sizes.iter().all(|size| size.is_finite()));
    }
}

/// A place whose target is padding counts in no loss.
#[test]
fn a_target_of_padding_is_not_learned() {
    let device = Device::flex();
    let model = build(&small(), &device);
    let model = sequence(&model);
    let loss = |target: &[u32]| {
        let batch = Batch::in_place(&[(SOURCES[0], target)]);
        let logits = model.forward(&batch, &device).logits;
        cross_entropy(logits, &batch.target_out, 0.0).into_scalar::<f32>()
    };
    let places: Vec<f32> = [[5, 0, 0, 0, 0], [0, 0, 0, 7, 0]]
        .iter()
        .map(|target| loss(target))
        .collect();
    let both = loss(&[5, 0, 0, 7, 0]);
    assert!((both - (places[0] + places[1]) / 2.0).abs() < 1e-5);
}

#[test]
fn parts_are_muted_in_the_pass_and_in_decoding() {
    let device = Device::flex();
    let config = TaggerConfig {
        encoder_self: MechanismConfig::Multilevel(MultilevelConfig::default()),
        ..small()
    };
    let mut model = build(&config, &device);
    let parts = model.parts();
    let site = SiteName::in_layer(1, Site::EncoderSelf);
    assert!(parts.contains(&Part::Head { site, head: 1 }));
    assert!(parts.contains(&Part::Level { site, level: 1 }));
    let plain = logits(sequence(&model), &in_place(&SOURCES), &device);
    for part in parts {
        model.mute(&[part]).unwrap();
        let muted = logits(sequence(&model), &in_place(&SOURCES), &device);
        assert_ne!(muted, plain, "{part:?}");
        let sources = Tokens::pad(&SOURCES);
        let request = SearchRequest::new(&sources, 20);
        let found = sequence(&model).search(&Search::Greedy, &request, &device);
        let found = block_on(found).unwrap();
        let first: Vec<u32> = muted[..5].iter().map(|place| best(place)).collect();
        assert_eq!(found.items[0].hypotheses[0].ids, first, "{part:?}");
    }
    model.mute(&[]).unwrap();
    assert_eq!(
        logits(sequence(&model), &in_place(&SOURCES), &device),
        plain
    );
    let recurrent = TaggerConfig {
        cell: EncoderCell::Gru,
        ..small()
    };
    assert!(build(&recurrent, &device).parts().is_empty());
}

#[test]
fn what_does_not_fit_is_refused() {
    let device = Device::flex();
    let refused = |config: TaggerConfig, target| {
        let vocabularies = Vocabularies { source: V, target };
        let built = ModelConfig::Tagger(config).init(vocabularies, 0, &device);
        built.unwrap_err().to_string()
    };
    let tied = TaggerConfig {
        tied: true,
        ..small()
    };
    let error = refused(tied, V + 1);
    assert!(error.contains("11 and 12 tokens"), "{error}");
    assert!(error.contains("`model.tied=false`"), "{error}");
    let odd = TaggerConfig {
        width: 7,
        cell: EncoderCell::Lstm,
        ..small()
    };
    let error = refused(odd.clone(), V);
    assert!(error.contains("`width` is 7"), "{error}");
    let one_direction = TaggerConfig {
        bidirectional: false,
        ..odd
    };
    build(&one_direction, &device);
    let heads = TaggerConfig {
        heads: 3,
        ..small()
    };
    let error = refused(heads, V);
    assert!(error.contains("3 heads"), "{error}");
}
