//! Time of the mechanisms as single layers: `cargo bench --workspace --bench layers`.
//!
//! Every figure is forward + backward on the CPU, with gradients of the inputs and of all
//! parameters, as in training. `docs/benchmarks.md` has the figures and explains them.

use std::time::Duration;

use burn::tensor::{Device, Gradients, Tensor};
use mimalloc::MiMalloc;
use strata_attention::{
    HamConfig, HamSConfig, Mask, MechanismConfig, MultiHeadConfig, MultilevelConfig, ParamInit,
    PyramidConfig, ScoreKind, Site, SummaryKind, VanillaConfig, Widths,
};
use strata_kernels::threads::run_in_pool;
use strata_tests::timing::Bench;

/// The allocator of the native program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    run_in_pool(0, |_| {
        let bench = Bench::from_arguments();
        levels(&bench);
        pyramids(&bench, ScoreKind::ScaledDot);
        pyramids(&bench, ScoreKind::Additive);
    });
}

/// Times multi-head self-attention with many levels.
fn levels(bench: &Bench) {
    for heads in [1, 4] {
        let measure = |name: &str, levels: usize, mechanism| {
            let name = format!("layers/{name}/{heads}/{levels}");
            bench.measure(&name, Duration::MAX, || self_attention(heads, mechanism));
        };
        for levels in [1, 2, 4, 16, 100] {
            let config = MultilevelConfig {
                levels,
                ..MultilevelConfig::default()
            };
            measure("multilevel", levels, MechanismConfig::Multilevel(config));
        }
        for depth in [1, 2, 5, 20] {
            let config = HamConfig {
                depth,
                ..HamConfig::default()
            };
            measure("ham_v", depth, MechanismConfig::HamV(config));
            let config = HamSConfig {
                depth,
                ..HamSConfig::default()
            };
            measure("ham_s", depth, MechanismConfig::HamS(config));
        }
    }
}

/// Prepares self-attention with S = 64, D = 64, batch 32, and its projections.
fn self_attention(heads: usize, mechanism: MechanismConfig) -> impl FnMut() -> Gradients {
    let device = Device::flex().autodiff();
    let init = &mut ParamInit::new(1, &device);
    let layer = MultiHeadConfig::new(64, heads, mechanism)
        .init(Site::EncoderSelf, init)
        .expect("the mechanism fits");
    let input = init.uniform([32, 64, 64], 1.0).val().detach();
    move || {
        let x = input.clone().require_grad();
        let output = layer.forward(x.clone(), x.clone(), x, Mask::none());
        output.context.square().mean().backward()
    }
}

/// Times pyramids beside plain attention, with this score.
fn pyramids(bench: &Bench, score: ScoreKind) {
    let (group, sources, summaries): (_, &[usize], &[_]) = match score {
        ScoreKind::Additive => (
            "additive",
            &[128, 512, 1024, 2048, 4096],
            &[("cnn", SummaryKind::Cnn)],
        ),
        _ => (
            "scaled_dot",
            &[128, 512, 1024, 2048, 4096, 16384],
            &[
                ("cnn", SummaryKind::Cnn),
                ("rnn", SummaryKind::Rnn),
                ("act", SummaryKind::Act),
            ],
        ),
    };
    let plain = ("plain", MechanismConfig::Vanilla(VanillaConfig { score }));
    for &source in sources {
        // Plain attention keeps T·S·D numbers for the backward pass of additive scores, which at
        // batch 4 and S = 4096 would be more than 20 GiB.
        let (batch, suffix) = match (score, source) {
            (ScoreKind::Additive, 4096) => (1, "_batch_1"),
            _ => (4, ""),
        };
        let pyramids = summaries
            .iter()
            .map(|&(name, summary)| (name, pyramid(source, score, summary)));
        for (name, mechanism) in [plain].into_iter().chain(pyramids) {
            let limit = Duration::from_secs(if name == "plain" { 20 } else { 5 });
            let name = format!("layers/{group}/{name}{suffix}/{source}");
            bench.measure(&name, limit, || cross_attention(batch, source, mechanism));
        }
    }
}

/// Returns a pyramid of blocks of 8, in as many levels as leave 4 to 31 nodes at the top.
fn pyramid(source: usize, score: ScoreKind, summary: SummaryKind) -> MechanismConfig {
    let mut levels = 1;
    while source >= 32 * 8usize.pow(levels as u32 - 1) {
        levels += 1;
    }
    MechanismConfig::Pyramid(PyramidConfig {
        summary,
        block: 8,
        levels,
        score,
        ..PyramidConfig::default()
    })
}

/// Prepares cross-attention without heads and projections: D = 128, T = S/4.
fn cross_attention(
    batch: usize,
    source: usize,
    mechanism: MechanismConfig,
) -> impl FnMut() -> Gradients {
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
    move || {
        let (query, states) = (query.clone().require_grad(), states.clone().require_grad());
        let memory = mechanism.prepare(states.clone(), states, Mask::none());
        let output = mechanism.attend(query, &memory);
        (output.context * weights.clone()).sum().backward()
    }
}
