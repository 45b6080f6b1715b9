//! Terms that attention mechanisms add to the loss.

use burn::tensor::activation::log_softmax;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use strata_attention::Site;

use crate::{Batch, Logits, SiteWeights, Tokens};

/// Sums the terms that mechanisms add to the loss, `[1]`; `None` if no site adds a term.
///
/// - Pyramids by ACT add their ponder cost.
/// - Hard attention (Xu et al. 2015, 4.1), whose draws have no gradient, adds a term whose gradient
///   is the score-function estimate (Williams 1992) of the gradient of the expected loss, Σ (loss
///   of the item − baseline) ∇ log p(draws of the item). The baseline is the mean loss of the
///   batch's other items, which does not depend on the item's draws and so leaves the estimate
///   unbiased. The value of the term has no meaning.
///
/// `logits` are those of the same pass as `sites`.
pub fn auxiliary_loss(
    logits: &Logits,
    sites: &[SiteWeights],
    batch: &Batch,
    device: &Device,
) -> Option<Tensor<1>> {
    let costs = sites.iter().filter_map(|site| site.auxiliary.cost.clone());
    let mut advantage = None;
    let draws = sites.iter().filter_map(|site| {
        let drawn = site.auxiliary.log_probability.clone()?; // [B, H, T, 1]
        let [b, _, t, _] = drawn.dims();
        let queries = match site.site.place {
            Site::EncoderSelf => &batch.source,
            _ => &batch.target_in,
        };
        let real: Vec<f32> = queries.padding().iter().map(|&it| f32::from(!it)).collect();
        let real = Tensor::<4>::from_data(TensorData::new(real, [b, 1, t, 1]), device);
        let advantage = advantage
            .get_or_insert_with(|| of_items(logits.clone().compute(), &batch.target_out, device));
        Some((drawn * real * advantage.clone()).sum())
    });
    costs.chain(draws).reduce(|sum, term| sum + term)
}

/// Advantage of each item, `[B, 1, 1, 1]`: the item's part of the loss minus the part that it would
/// have with the mean loss per token of the other items.
fn of_items(logits: Tensor<3>, target: &Tokens, device: &Device) -> Tensor<4> {
    let [b, t, v] = logits.dims();
    let logits = logits.detach().cast(DType::F32);
    let logs = log_softmax(logits.reshape([b * t, v]), 1); // [B·T, V]
    let classes: Tensor<2, Int> = target.tensor(device).reshape([b * t, 1]);
    let targets = logs.gather(1, classes).reshape([b, t]); // ln p of each target, [B, T]
    let column = |values: Vec<f32>, columns| {
        Tensor::<2>::from_data(TensorData::new(values, [b, columns]), device)
    };
    let padding = target.padding();
    let count = target.count().max(1) as f32;
    let lengths: Vec<f32> = target
        .lengths()
        .iter()
        .map(|&it| it.max(1) as f32)
        .collect();
    let real = column(padding.iter().map(|&it| -f32::from(!it)).collect(), t);
    let means = (targets * real).sum_dim(1) / column(lengths.clone(), 1); // loss per token, [B, 1]
    let others = (b as f64 - 1.0).max(1.0);
    let baseline = (means.clone().sum().unsqueeze::<2>() - means.clone()) / others;
    let shares = column(lengths.iter().map(|length| length / count).collect(), 1);
    ((means - baseline) * shares).reshape([b, 1, 1, 1])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_attention::{
        Draws, HardConfig, Mask, Mechanism, MechanismConfig, ParamInit, Widths,
    };

    use super::*;
    use crate::{SiteName, cross_entropy};

    const QUERIES: [usize; 4] = [3, 1, 2, 4];

    /// Hard attention whose contexts are the logits: three items of two target tokens each, except
    /// that the last item's second token is padding.
    struct Drawing {
        mechanism: Mechanism,
        keys: Tensor<4>,
        values: Tensor<4>,
        batch: Batch,
        device: Device,
    }

    impl Drawing {
        fn new() -> Self {
            let device = Device::default().autodiff();
            let init = &mut ParamInit::new(2, &device);
            let hard = MechanismConfig::Hard(HardConfig::default());
            let mechanism = hard.init(Site::Cross, Widths::all(4), 1, init).unwrap();
            let mut draw = |shape, bound| init.uniform(shape, bound).val().detach();
            Self {
                mechanism,
                keys: draw([3, 1, 3, 4], 1.0),
                values: draw([3, 1, 3, 6], 2.0),
                batch: Batch::new(&[(vec![3], vec![4]), (vec![3], vec![5]), (vec![3], vec![])]),
                device,
            }
        }

        /// Returns the loss, and the gradient of loss and auxiliary loss for the queries.
        fn draw(&self, queries: &[f32], seed: u64) -> (f64, Vec<f64>) {
            let queries = TensorData::new(queries.to_vec(), QUERIES);
            let queries = Tensor::<4>::from_data(queries, &self.device).require_grad();
            let mechanism = &self.mechanism;
            let memory = mechanism.prepare(self.keys.clone(), self.values.clone(), Mask::none());
            let memory = memory.with_draws(Some(&Draws::new(seed)));
            let output = mechanism.attend(queries.clone(), &memory);
            let logits = output.context.squeeze_dim::<3>(1);
            let site = SiteWeights {
                site: SiteName::in_layer(0, Site::Cross),
                weights: output.weights,
                auxiliary: output.auxiliary,
            };
            let loss = cross_entropy(logits.clone(), &self.batch.target_out, 0.0);
            let logits = Logits::Computed(logits);
            let auxiliary = auxiliary_loss(&logits, &[site], &self.batch, &self.device).unwrap();
            let gradients = (loss.clone() + auxiliary).backward();
            let gradient = queries.grad(&gradients).unwrap().into_data();
            (loss.into_scalar::<f64>(), gradient.iter::<f64>().collect())
        }
    }

    #[test]
    fn the_score_function_gradient_is_that_of_the_expected_loss() {
        let drawing = Drawing::new();
        let queries: Vec<f32> = (0..24).map(|i| (i as f32 * 0.7).sin()).collect();
        let draws = |queries: &[f32], n: u64| -> Vec<(f64, Vec<f64>)> {
            (0..n).map(|seed| drawing.draw(queries, seed)).collect()
        };
        let n = 2000;
        let drawn = draws(&queries, n);
        // Compute the expected loss exactly: the draws of different tokens are independent.
        let expected = |queries: &[f32]| -> f64 {
            let queries = TensorData::new(queries.to_vec(), QUERIES);
            let queries = Tensor::<4>::from_data(queries, &drawing.device);
            let Mechanism::Hard(hard) = &drawing.mechanism else {
                unreachable!("it was built as hard attention")
            };
            let prepare = |mask| {
                let (keys, values) = (drawing.keys.clone(), drawing.values.clone());
                drawing.mechanism.prepare(keys, values, mask)
            };
            let memory = prepare(Mask::none());
            let [b, _, t, _] = QUERIES;
            (0..3)
                .map(|key| {
                    let keys = Tensor::<4, Int>::full([b, 1, t, 1], key, &drawing.device);
                    let output = hard.attend_drawn(queries.clone(), &memory, keys);
                    let chances = output.auxiliary.log_probability.unwrap().exp();
                    let logits = output.context.squeeze_dim::<3>(1);
                    let logs = log_softmax(logits, 2);
                    let classes: Tensor<2, Int> = drawing.batch.target_out.tensor(&drawing.device);
                    let targets = logs.gather(2, classes.unsqueeze_dim(2)).reshape([b, t]);
                    let real = drawing.batch.target_out.padding();
                    let real: Vec<f32> = real.iter().map(|&it| f32::from(!it)).collect();
                    let real = TensorData::new(real, [b, t]);
                    let real = Tensor::<2>::from_data(real, &drawing.device);
                    let sum = (targets * chances.reshape([b, t]) * real).sum();
                    -sum.into_scalar::<f64>() / drawing.batch.target_out.count() as f64
                })
                .sum()
        };
        let mean_loss = drawn.iter().map(|(loss, _)| loss).sum::<f64>() / n as f64;
        assert!((mean_loss - expected(&queries)).abs() < 0.03, "{mean_loss}");
        for i in 0..queries.len() {
            let moved = |by: f32| {
                let mut moved = queries.clone();
                moved[i] += by;
                expected(&moved)
            };
            let exact = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            let mean = drawn.iter().map(|(_, g)| g[i]).sum::<f64>() / n as f64;
            let square = drawn
                .iter()
                .map(|(_, g)| (g[i] - mean).powi(2))
                .sum::<f64>();
            let error = (square / (n * n) as f64).sqrt();
            assert!(
                (mean - exact).abs() < 5.0 * error + 1e-4,
                "query {i}: {mean} ± {error}, not {exact}"
            );
        }
        // The query of the padded token has no gradient at all.
        assert!(drawn.iter().all(|(_, gradient)| gradient[20..] == [0.0; 4]));
    }
}
