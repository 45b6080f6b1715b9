//! Local attention (Luong et al. 2015, 3.2): softmax over the keys with |s − p_t| ≤ w alone.
//!
//! - `monotonic` (local-m): p_t = t, also where t ≥ S: an empty window is a hidden row.
//! - `predictive` (local-p): p_t = S · σ(v_pᵀ tanh(W_p h_t)), S the keys that the query may see;
//!   after the softmax the weights are multiplied by exp(−(s − p_t)² / (2σ²)), σ = w/2, and not
//!   renormalised, so that a row sums to at most 1.

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, options, settings};
use strata_kernels::linear;

use crate::attend::{Attend, Build, Configure};
use crate::product::product;
use crate::{
    AttentionOutput, AttentionWeights, Auxiliary, ForcedRows, Mask, Memory, Muted, ParamInit,
    Score, ScoreKind, Site, SoftWeights, Widths,
};

options! {
    /// Position of the window.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LocalPosition {
        /// At the query's own position.
        #[title = "Monotonic"]
        #[formula = "pₜ = t"]
        #[source = "Luong et al. 2015, 3.2, local-m"]
        Monotonic = "monotonic",
        /// Predicted from the query.
        #[title = "Predictive"]
        #[help = "Predicts the position from the query; nearer keys get more weight."]
        #[formula = "pₜ = S · σ(vᵀ tanh(W hₜ)), weights · exp(−(s − pₜ)² / 2σ²), σ = w/2"]
        #[source = "Luong et al. 2015, 3.2, local-p"]
        Predictive = "predictive",
    }
}

settings! {
    /// One softmax over the keys near a position.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct LocalConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Half width w of the window.
        #[title = "Window"]
        #[help = "How many keys it sees on either side of the position."]
        #[formula = "w"]
        #[source = "Luong et al. 2015, 3.2"]
        pub window: usize in 1..=1000 = 3,
        /// Position of the window.
        #[title = "Position"]
        #[help = "Where the window stands."]
        #[formula = "p"]
        #[source = "Luong et al. 2015, 3.2"]
        pub position: LocalPosition = LocalPosition::Monotonic,
    }
}

/// Name and help text of local attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "local",
        title: "Local",
        help: "One softmax over the keys near a position. Hierarchical Attention calls any chosen subset of the keys local; here it is a window.",
        formula: "softmax of f(h, gₛ) where |s − p| ≤ w",
        source: "Luong et al. 2015, 3.2",
    },
    settings: LocalConfig::SETTINGS,
};

impl Configure for LocalConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }

    fn parameters(&self, widths: Widths, _: usize) -> u64 {
        let query = widths.query as u64;
        match self.position {
            LocalPosition::Monotonic => 0,
            LocalPosition::Predictive => query * (query + 1),
        }
    }
}

impl Build for LocalConfig {
    type Built = Local;

    fn init(&self, _: Site, widths: Widths, _: usize, init: &mut ParamInit) -> Local {
        let width = widths.query;
        Local {
            score: self.score.init(widths, init),
            predictor: (self.position == LocalPosition::Predictive).then(|| Predictor {
                weight: init.xavier(width, width),
                energy: init.uniform([width], (6.0 / (width + 1) as f64).sqrt()),
            }),
            window: self.window,
            forced: ForcedRows::default(),
        }
    }
}

/// Local attention: one softmax over the keys near a position.
#[derive(Module, Debug)]
pub struct Local {
    /// Score function.
    pub score: Score,
    /// Predictor of the window's position; `None` unless `predictive`.
    pub predictor: Option<Predictor>,
    #[module(skip)]
    window: usize,
    #[module(skip)]
    forced: ForcedRows,
}

/// Predictor of the window's position, as a share of the visible keys: σ(v_pᵀ tanh(W_p h)).
#[derive(Module, Debug)]
pub struct Predictor {
    /// W_p, `[D_h, A]`.
    pub weight: Param<Tensor<2>>,
    /// v_p, `[A]`.
    pub energy: Param<Tensor<1>>,
}

impl Predictor {
    /// Predicts p_t / S: queries `[B, H, T, D_h]` → `[B, H, T, 1]`.
    fn forward(&self, query: Tensor<4>) -> Tensor<4> {
        let [width] = self.energy.dims();
        let hidden = linear(query, self.weight.val(), None).tanh(); // [B, H, T, A]
        sigmoid(linear(hidden, self.energy.val().reshape([width, 1]), None))
    }
}

impl Attend for Local {
    fn score(&self) -> Option<&Score> {
        Some(&self.score)
    }

    fn needs_f32(&self) -> bool {
        true
    }

    fn mute(&mut self, muted: &Muted) {
        self.forced = muted.rows.clone();
    }

    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let scores = self.score.relative(query.clone(), &memory.keys); // [B, H, T, S]
        let [_, _, t, s] = scores.dims();
        let device = scores.device();
        let positions = self.predictor.as_ref().map(|predictor| {
            predictor.forward(query) * memory.mask.count_visible(s, &device) // [B, H, T, 1]
        });
        let centres = match &positions {
            Some(positions) => positions.clone(),
            None => own_positions(first, t, &device),
        };
        let distances = distances(centres, s); // s − p_t, [B or 1, H or 1, T, S]
        let mask = hide_outside(&memory.mask, distances.clone(), self.window);
        let mut weights = mask.softmax(scores);
        // Local-p: a Gaussian around p_t, without renormalising (Luong et al. 2015, equation 10).
        if positions.is_some() {
            let deviation = self.window as f64 / 2.0;
            let gauss = distances
                .square()
                .mul_scalar(-0.5 / (deviation * deviation))
                .exp();
            weights = weights * gauss;
        }
        let weights = self.forced.apply(weights, &mask, first);
        let context = product(weights.clone(), memory.values.clone()); // [B, H, T, D_v]
        AttentionOutput {
            auxiliary: Auxiliary {
                positions,
                ..Auxiliary::default()
            },
            ..AttentionOutput::new(
                context,
                AttentionWeights::Single(SoftWeights::Known(weights)),
            )
        }
    }
}

/// Hides the keys that lie more than `window` positions from the query, for queries at the positions
/// `first`, `first + 1`, ….
pub(crate) fn hide_far_keys(
    mask: &Mask,
    window: usize,
    first: usize,
    [queries, keys]: [usize; 2],
    device: &Device,
) -> Mask {
    let centres = own_positions(first, queries, device);
    hide_outside(mask, distances(centres, keys), window)
}

/// Positions `first`, `first + 1`, … of queries, `[1, 1, T, 1]`.
fn own_positions(first: usize, queries: usize, device: &Device) -> Tensor<4> {
    let positions: Vec<f32> = (first..first + queries).map(|at| at as f32).collect();
    Tensor::from_data(TensorData::new(positions, [1, 1, queries, 1]), device)
}

/// Computes s − p_t for each key s: centres p `[B or 1, H or 1, T, 1]` → `[B or 1, H or 1, T, S]`.
fn distances(centres: Tensor<4>, keys: usize) -> Tensor<4> {
    let positions: Vec<f32> = (0..keys).map(|at| at as f32).collect();
    let positions = TensorData::new(positions, [1, 1, 1, keys]);
    Tensor::<4>::from_data(positions, &centres.device()) - centres
}

/// Hides the keys at distances above `window`. The choice of the keys that lie in the window has no
/// gradient.
fn hide_outside(mask: &Mask, distances: Tensor<4>, window: usize) -> Mask {
    let outside = distances.detach().abs().greater_elem(window as f64);
    mask.and_hidden(outside.float())
}
