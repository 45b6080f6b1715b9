//! What the mechanisms cost as layers, alone: `cargo bench -p strata-attention`.
//!
//! Every figure is forward + backward on the CPU, with gradients of the inputs and of all
//! parameters, as in training. `docs/benchmarks.md` has the figures and says what they mean.

#![allow(missing_docs, clippy::expect_used)]

use burn::tensor::{Device, Tensor};
use divan::Bencher;
use mimalloc::MiMalloc;
use strata_attention::{
    HamConfig, Mask, MechanismConfig, MultiHeadConfig, MultilevelConfig, ParamInit, PyramidConfig,
    ScoreKind, Site, SummaryKind, VanillaConfig, Widths,
};
use strata_kernels::threads::run_in_pool;

/// As the native program has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    run_in_pool(divan::main);
}

/// Multi-head self-attention, S = 64, D = 64, batch 32, with its projections.
fn self_attention(bencher: Bencher, heads: usize, mechanism: MechanismConfig) {
    let device = Device::flex().autodiff();
    let init = &mut ParamInit::new(1, &device);
    let layer = MultiHeadConfig::new(64, heads, mechanism)
        .init(Site::EncoderSelf, init)
        .expect("the mechanism fits");
    let input = init.uniform([32, 64, 64], 1.0).val().detach();
    bencher.bench_local(|| {
        let x = input.clone().require_grad();
        let output = layer.forward(x.clone(), x.clone(), x, Mask::none());
        let gradients = output.context.square().mean().backward();
        divan::black_box(gradients)
    });
}

/// N levels.
#[divan::bench(args = [1, 2, 4, 16, 100], consts = [1, 4])]
fn multilevel<const HEADS: usize>(bencher: Bencher, levels: usize) {
    let config = MultilevelConfig {
        levels,
        ..MultilevelConfig::default()
    };
    self_attention(bencher, HEADS, MechanismConfig::Multilevel(config));
}

/// d levels.
#[divan::bench(args = [1, 2, 5, 20], consts = [1, 4])]
fn ham_v<const HEADS: usize>(bencher: Bencher, depth: usize) {
    let config = HamConfig {
        depth,
        ..HamConfig::default()
    };
    self_attention(bencher, HEADS, MechanismConfig::HamV(config));
}

/// d levels.
#[divan::bench(args = [1, 2, 5, 20], consts = [1, 4])]
fn ham_s<const HEADS: usize>(bencher: Bencher, depth: usize) {
    let config = HamConfig {
        depth,
        ..HamConfig::default()
    };
    self_attention(bencher, HEADS, MechanismConfig::HamS(config));
}

/// Cross-attention without heads and projections: D = 128, T = S/4.
fn cross_attention(bencher: Bencher, batch: usize, source: usize, mechanism: MechanismConfig) {
    let (width, target) = (128, source / 4);
    let device = Device::flex().autodiff();
    let init = &mut ParamInit::new(1, &device);
    let mechanism = mechanism
        .init(Site::Cross, Widths::all(width), 1, init)
        .expect("the mechanism fits");
    let mut draw = |rows| -> Tensor<4> {
        let drawn = init.uniform([batch, 1, rows, width], 1.0);
        drawn.val().detach()
    };
    let (query, states, weights) = (draw(target), draw(source), draw(target));
    bencher.bench_local(|| {
        let (query, states) = (query.clone().require_grad(), states.clone().require_grad());
        let memory = mechanism.prepare(states.clone(), states, Mask::none());
        let output = mechanism.attend(query, &memory);
        let loss = (output.context * weights.clone()).sum();
        divan::black_box(loss.backward())
    });
}

/// Levels for S states in blocks of 8, as many as leave 4 to 31 nodes at the top.
fn levels(source: usize) -> usize {
    let mut levels = 1;
    while source >= 32 * 8usize.pow(levels as u32 - 1) {
        levels += 1;
    }
    levels
}

fn pyramid(source: usize, score: ScoreKind, summary: SummaryKind) -> MechanismConfig {
    MechanismConfig::Pyramid(PyramidConfig {
        summary,
        block: 8,
        levels: levels(source),
        score,
        ..PyramidConfig::default()
    })
}

/// The scaled dot product, batch 4.
mod scaled_dot {
    use super::*;

    const SOURCES: [usize; 6] = [128, 512, 1024, 2048, 4096, 16384];

    #[divan::bench(args = SOURCES, max_time = 20)]
    fn plain(bencher: Bencher, source: usize) {
        let vanilla = MechanismConfig::Vanilla(VanillaConfig::default());
        cross_attention(bencher, 4, source, vanilla);
    }

    #[divan::bench(args = SOURCES, max_time = 5)]
    fn cnn(bencher: Bencher, source: usize) {
        let mechanism = pyramid(source, ScoreKind::ScaledDot, SummaryKind::Cnn);
        cross_attention(bencher, 4, source, mechanism);
    }

    #[divan::bench(args = SOURCES, max_time = 5)]
    fn rnn(bencher: Bencher, source: usize) {
        let mechanism = pyramid(source, ScoreKind::ScaledDot, SummaryKind::Rnn);
        cross_attention(bencher, 4, source, mechanism);
    }

    #[divan::bench(args = SOURCES, max_time = 5)]
    fn act(bencher: Bencher, source: usize) {
        let mechanism = pyramid(source, ScoreKind::ScaledDot, SummaryKind::Act);
        cross_attention(bencher, 4, source, mechanism);
    }
}

/// The additive score, which is the poster's own comparison. Plain attention keeps T·S·D numbers
/// for the backward pass, which at batch 4 and S = 4096 would be more than 20 GiB: batch 1 there.
mod additive {
    use super::*;

    const SOURCES: [usize; 4] = [128, 512, 1024, 2048];

    #[divan::bench(args = SOURCES, max_time = 20)]
    fn plain(bencher: Bencher, source: usize) {
        let score = ScoreKind::Additive;
        let vanilla = MechanismConfig::Vanilla(VanillaConfig { score });
        cross_attention(bencher, 4, source, vanilla);
    }

    #[divan::bench(args = SOURCES, max_time = 5)]
    fn cnn(bencher: Bencher, source: usize) {
        let mechanism = pyramid(source, ScoreKind::Additive, SummaryKind::Cnn);
        cross_attention(bencher, 4, source, mechanism);
    }

    #[divan::bench(args = [4096], max_time = 20)]
    fn plain_batch_1(bencher: Bencher, source: usize) {
        let score = ScoreKind::Additive;
        let vanilla = MechanismConfig::Vanilla(VanillaConfig { score });
        cross_attention(bencher, 1, source, vanilla);
    }

    #[divan::bench(args = [4096], max_time = 5)]
    fn cnn_batch_1(bencher: Bencher, source: usize) {
        let mechanism = pyramid(source, ScoreKind::Additive, SummaryKind::Cnn);
        cross_attention(bencher, 1, source, mechanism);
    }
}
