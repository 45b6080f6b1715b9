//! A stack passed R times is R stacks that share their parameters.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Device, Tensor};
use strata_attention::{Draws, HardConfig, MechanismConfig, PyramidConfig, SummaryKind};
use strata_models::{
    Batch, Logits, Model, ModelConfig, SequenceModel, Transformer, TransformerConfig,
    TransformerLm, TransformerLmConfig, auxiliary_loss,
};

use crate::models::VOCABULARIES;

/// Copies parameters to leaves of their own.
struct Copied;

impl ModuleMapper for Copied {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|old| Tensor::from_data(old.to_data(), &old.device()).require_grad())
    }
}

fn copied<M: Module + Clone>(module: &M) -> M {
    module.clone().map(&mut Copied)
}

fn built(config: ModelConfig, device: &Device) -> SequenceModel {
    match config.init(VOCABULARIES, 5, device).unwrap() {
        Model::Sequence(model) => model,
        Model::Reader(_) => panic!("it is a reader"),
    }
}

fn transformer(layers: usize, loops: usize, device: &Device) -> Transformer {
    let config = TransformerConfig {
        width: 16,
        heads: 2,
        feed_forward: 32,
        layers,
        loops,
        encoder_self: MechanismConfig::Pyramid(PyramidConfig {
            summary: SummaryKind::Act,
            block: 2,
            levels: 3,
            ..PyramidConfig::default()
        }),
        cross: MechanismConfig::Hard(HardConfig::default()),
        ..TransformerConfig::default()
    };
    match built(ModelConfig::Transformer(config), device) {
        SequenceModel::Transformer(model) => model,
        other => panic!("{other:?}"),
    }
}

fn text(layers: usize, loops: usize, device: &Device) -> TransformerLm {
    let config = TransformerLmConfig {
        width: 16,
        heads: 2,
        feed_forward: 32,
        layers,
        loops,
        ..TransformerLmConfig::default()
    };
    match built(ModelConfig::TransformerLm(config), device) {
        SequenceModel::TransformerLm(model) => model,
        other => panic!("{other:?}"),
    }
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

fn assert_close(left: &[f32], right: &[f32]) {
    assert_eq!(left.len(), right.len());
    let pairs = left.iter().zip(right);
    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn a_looped_layer_is_a_stack_of_layers_that_share_their_parameters() {
    let device = Device::flex().autodiff();
    let batch = Batch::new(&[(vec![4, 5, 6, 7, 8], vec![4, 5, 6]), (vec![6], vec![7])]);
    let looped = transformer(1, 3, &device);
    let mut stacked = transformer(3, 1, &device);
    stacked.encoder = (0..3).map(|_| copied(&looped.encoder[0])).collect();
    stacked.decoder = (0..3).map(|_| copied(&looped.decoder[0])).collect();
    stacked.source_embedding = looped.source_embedding.clone();
    stacked.target_embedding = looped.target_embedding.clone();
    stacked.output = looped.output.clone();
    let run = |model: &Transformer| {
        let output = model.forward(&batch, Some(&Draws::new(3)), &device);
        let logits = Logits::Computed(output.logits.clone());
        let added = auxiliary_loss(&logits, &output.attention, &batch, &device).unwrap();
        (output, added)
    };
    let ((one, of_one), (all, of_all)) = (run(&looped), run(&stacked));
    assert_eq!(numbers(one.logits.clone()), numbers(all.logits.clone()));
    // The trace has the sites of one layer, with the weights of the last loop.
    assert_eq!((one.attention.len(), all.attention.len()), (3, 9));
    for (site, at) in one.attention.iter().zip([2, 7, 8]) {
        let last = &all.attention[at];
        assert_eq!(site.site.place, last.site.place);
        assert_eq!(numbers(site.weights.last()), numbers(last.weights.last()));
    }
    // Terms of the loss come from all loops: ponder costs of the encoder, draws of the decoder.
    assert_close(&numbers(of_one.clone()), &numbers(of_all.clone()));

    let gradients = (one.logits.square().mean() + of_one.sum()).backward();
    let each = (all.logits.square().mean() + of_all.sum()).backward();
    let of_layers: [(&Param<Tensor<2>>, Vec<&Param<Tensor<2>>>); 2] = [
        (
            &looped.encoder[0].feed_forward.inner.weight,
            stacked
                .encoder
                .iter()
                .map(|it| &it.feed_forward.inner.weight)
                .collect(),
        ),
        (
            &looped.decoder[0].attention.value.weight,
            stacked
                .decoder
                .iter()
                .map(|it| &it.attention.value.weight)
                .collect(),
        ),
    ];
    for (shared, own) in of_layers {
        let found = shared.val().grad(&gradients).unwrap();
        let parts = own.iter().map(|it| it.val().grad(&each).unwrap());
        let sum = parts.reduce(|sum, part| sum + part).unwrap();
        assert_close(&numbers(found), &numbers(sum));
    }
}

#[test]
fn a_looped_language_model_is_a_stack_of_layers_that_share_their_parameters() {
    let device = Device::flex();
    let looped = text(2, 2, &device);
    let mut stacked = text(4, 1, &device);
    stacked.layers = [0, 1, 0, 1].map(|at| looped.layers[at].clone()).into();
    stacked.embedding = looped.embedding.clone();
    stacked.output = looped.output.clone();
    let batch = Batch::of_text(&[(vec![4, 5, 6, 7], vec![5, 6, 7, 8]), (vec![6], vec![7])]);
    let one = looped.forward(&batch.target_in, None, &device);
    let all = stacked.forward(&batch.target_in, None, &device);
    assert_eq!(numbers(one.logits), numbers(all.logits));
    assert_eq!((one.attention.len(), all.attention.len()), (2, 4));
    for (site, last) in one.attention.iter().zip(&all.attention[2..]) {
        assert_eq!(numbers(site.weights.last()), numbers(last.weights.last()));
    }
}
