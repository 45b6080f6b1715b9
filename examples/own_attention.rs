//! Builds an attention mechanism that Strata lacks from a score and a mask of Strata, and trains the
//! mechanism to find the key that a query names.
//!
//! ```sh
//! cargo run --release --package strata-examples --bin own_attention
//! ```

use std::error::Error;

use burn::module::{Module, Param};
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::{Device, Distribution, Tensor};
use strata_attention::{Mask, ParamInit, Score, ScoreKind, Widths};

/// Scaled dot-product attention whose sharpness τ is learned: softmax(τ · f(h, g)) V.
#[derive(Module, Debug)]
struct SharpAttention {
    score: Score,
    /// ln τ, `[1]`: τ stays positive.
    log_sharpness: Param<Tensor<1>>,
}

impl SharpAttention {
    fn new(width: usize, device: &Device) -> Self {
        let mut init = ParamInit::new(0, device);
        Self {
            score: ScoreKind::ScaledDot.init(Widths::all(width), &mut init),
            log_sharpness: Param::from_tensor(Tensor::zeros([1], device)),
        }
    }

    /// Returns the context and the weights.
    ///
    /// # Shapes
    /// - query `[B, H, T, D]`, keys and values `[B, H, S, D]` → `[B, H, T, D]`, `[B, H, T, S]`
    fn forward(
        &self,
        query: Tensor<4>,
        keys: Tensor<4>,
        values: Tensor<4>,
        mask: &Mask,
    ) -> (Tensor<4>, Tensor<4>) {
        let scores = self.score.forward(query, &self.score.prepare(keys)); // [B, H, T, S]
        let sharpness = self.log_sharpness.val().exp().reshape([1, 1, 1, 1]);
        let weights = mask.softmax(scores * sharpness); // rows sum to 1; 0 where masked
        (weights.clone().matmul(values), weights) // [B, H, T, D]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    const KEYS: usize = 8;
    const WIDTH: usize = 16;
    let device = Device::default().autodiff();
    let mut attention = SharpAttention::new(WIDTH, &device);
    let mut optimizer = AdamWConfig::new().init();

    // The last two keys are padding, in each of 32 sequences.
    let padding: Vec<bool> = (0..32 * KEYS).map(|at| at % KEYS >= KEYS - 2).collect();
    let mask = Mask::padding(&padding, KEYS, &device);
    for step in 1..=200 {
        let keys = Tensor::<4>::random(
            [32, 1, KEYS, WIDTH],
            Distribution::Normal(0.0, 1.0),
            &device,
        );
        // Each query is one of the keys; the right output is the value of that key.
        let query = keys.clone().narrow(2, 0, KEYS - 2);
        let (context, weights) = attention.forward(query.clone(), keys.clone(), keys, &mask);
        let loss = (context - query).powi_scalar(2).mean();
        if step == 1 || step % 50 == 0 {
            let sharpness = attention.log_sharpness.val().exp().into_scalar::<f32>();
            let weight = weights.max_dim(3).mean().into_scalar::<f32>();
            let loss = loss.clone().into_scalar::<f32>();
            println!("step {step}: loss {loss:.4}, τ {sharpness:.2}, largest weight {weight:.2}");
        }
        let gradients = GradientsParams::from_grads(loss.backward(), &attention);
        attention = optimizer.step(0.02, attention, gradients);
    }
    Ok(())
}
