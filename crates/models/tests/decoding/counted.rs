//! Passes that compute logits only where targets count.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};
use strata_attention::Draws;
use strata_models::{
    Batch, Logits, Model, ModelConfig, SequenceModel, TaggerConfig, Tokens, auxiliary_loss,
};

use super::models::{VOCABULARIES, models};

/// Gradients of all parameters, one after the other.
struct All<'a> {
    of: &'a Gradients,
    found: Vec<f32>,
}

impl ModuleVisitor for All<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = param.val().grad(self.of);
        let gradient = gradient.map(|it| it.into_data().try_to_vec::<f32>().unwrap());
        self.found.extend(gradient.unwrap_or_default());
    }
}

/// Returns the loss of a pass and the gradients of all parameters.
fn learned(
    model: &Model,
    batch: &Batch,
    pass: impl Fn(&SequenceModel) -> (Logits, Tokens, Option<Tensor<1>>),
) -> Vec<f32> {
    let (logits, target, auxiliary) = pass(model.sequence().unwrap());
    assert_eq!(target.count(), batch.target_out.count());
    let loss = logits.cross_entropy(&target, 0.1).loss;
    let value = loss.clone().into_scalar::<f32>();
    let gradients = match auxiliary {
        Some(auxiliary) => (loss + auxiliary).backward(),
        None => loss.backward(),
    };
    let mut all = All {
        of: &gradients,
        found: vec![value],
    };
    model.visit(&mut all);
    all.found
}

#[test]
fn logits_of_counted_targets_alone_teach_the_same() {
    let device = Device::flex().autodiff();
    let tagger = ModelConfig::Tagger(TaggerConfig {
        width: 16,
        heads: 2,
        feed_forward: 32,
        ..TaggerConfig::default()
    });
    let mut with_fewer = 0;
    for config in models().into_iter().chain([tagger]) {
        let model = config.init(VOCABULARIES, 3, &device).unwrap();
        let sources = [vec![4, 5, 6, 7], vec![8, 9, 10, 11], vec![4, 11]];
        let targets = [vec![0, 7, 0, 0], vec![0, 0, 0, 9], vec![0, 3]];
        let pairs = sources.iter().zip(&targets);
        let pairs: Vec<_> = pairs.map(|(s, t)| (s.clone(), t.clone())).collect();
        let batch = match config {
            ModelConfig::Tagger(_) => Batch::in_place(&pairs),
            _ => Batch {
                source: Tokens::pad(&sources),
                target_in: Tokens::pad(&sources),
                target_out: Tokens::pad(&targets),
                starts_text: true,
            },
        };
        let draws = || Draws::new(5);
        let whole = learned(&model, &batch, |model| {
            let (output, _) = model.forward_from(None, &batch, Some(&draws()), &device);
            let logits = Logits::Computed(output.logits);
            let auxiliary = auxiliary_loss(&logits, &output.attention, &batch, &device);
            (logits, batch.target_out.clone(), auxiliary)
        });
        let counted = learned(&model, &batch, |model| {
            let input = model.forward_for_loss(None, &batch, Some(&draws()), &device);
            let auxiliary = auxiliary_loss(&input.logits, &input.attention, &batch, &device);
            (input.logits, input.target, auxiliary)
        });
        let input = model
            .sequence()
            .unwrap()
            .forward_for_loss(None, &batch, None, &device);
        with_fewer += usize::from(input.target.ids().len() == 3);
        for (at, (found, expected)) in counted.iter().zip(&whole).enumerate() {
            let near = 1e-6 + 1e-5 * expected.abs();
            assert!(
                (found - expected).abs() < near,
                "{config:?}, {at}: {found}, {expected}"
            );
        }
    }
    assert!(with_fewer >= 3, "{with_fewer}");
}
