//! Heads of a reader, which predict start and end of the answer over all passages of a question.

use burn::module::{Module, Param};
use burn::nn::Dropout;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use strata_attention::{Mask, ParamInit};
use strata_kernels::linear;

use super::encoder::Encoded;
use super::pointer::{Pointer, PointerConfig};
use crate::{CellKind, Recurrent, RecurrentConfig};

/// Settings of a reader's head.
#[derive(Clone, Copy, Debug)]
pub enum SpanHeadConfig {
    /// Linear maps for start and end, with one more layer before the map for the end.
    Linear {
        /// Width of the modelling layers' input, G.
        read: usize,
        /// Recurrent cell of the layer before the end.
        cell: CellKind,
        /// Width of the state of a direction, H.
        hidden: usize,
    },
    /// Answer pointer.
    Pointer(PointerConfig),
}

/// Head of a reader.
#[derive(Module, Debug)]
pub enum SpanHead {
    /// Linear maps for start and end.
    Linear(LinearHead),
    /// Answer pointer.
    Pointer(Pointer),
}

/// Head start = softmax(w_s · [G; M]), end = softmax(w_e · [G; M²]), where M² is one more layer
/// over M (Seo et al. 2017, 2.6).
#[derive(Module, Debug)]
pub struct LinearHead {
    /// Weight of the start, w_s.
    pub start: Param<Tensor<1>>,
    /// Weight of the end, w_e.
    pub end: Param<Tensor<1>>,
    /// Layer that computes M² from M.
    pub end_encoder: Recurrent,
}

/// Log-probabilities of each position to be start and end, `[B, K·P]`, and the weights of a pooled
/// question, `[B, 1, 1, Q]`.
pub(super) type Found = ([Tensor<2>; 2], Option<Tensor<4>>);

fn end_encoder(cell: CellKind, hidden: usize) -> RecurrentConfig {
    RecurrentConfig {
        cell,
        input: 2 * hidden,
        hidden,
        bidirectional: true,
    }
}

impl SpanHeadConfig {
    /// Counts the parameters of the head.
    pub fn parameters(&self) -> u64 {
        match *self {
            Self::Linear { read, cell, hidden } => {
                2 * (read + 2 * hidden) as u64 + end_encoder(cell, hidden).parameters()
            }
            Self::Pointer(pointer) => pointer.parameters(),
        }
    }

    pub(crate) fn init(&self, init: &mut ParamInit) -> SpanHead {
        match *self {
            Self::Linear { read, cell, hidden } => {
                let width = read + 2 * hidden;
                let bound = (6.0 / (width + 1) as f64).sqrt();
                SpanHead::Linear(LinearHead {
                    start: init.uniform([width], bound),
                    end: init.uniform([width], bound),
                    end_encoder: end_encoder(cell, hidden).init(init),
                })
            }
            Self::Pointer(pointer) => SpanHead::Pointer(pointer.init(init)),
        }
    }
}

impl SpanHead {
    /// Returns ln p of each place as start and as end, and the weights of the pooled question of a
    /// pointer.
    ///
    /// # Shapes
    /// - `read` `[B·K, P, ·]`: input of the modelling layers; `states` `[B·K, P, D]`: their output
    pub(super) fn forward(
        &self,
        read: Tensor<3>,
        states: Tensor<3>,
        encoded: &Encoded,
        dropout: &Dropout,
    ) -> Found {
        match self {
            Self::Linear(head) => {
                let (mask, each) = (&encoded.memory_mask, encoded.each);
                let start = logits(&head.start, read.clone(), states.clone(), dropout);
                let later = dropout.forward(states);
                let later = head.end_encoder.read(later, Some(&encoded.lengths));
                let end = logits(&head.end, read, later, dropout);
                ([start, end].map(|it| over_passages(it, mask, each)), None)
            }
            Self::Pointer(pointer) => {
                let memory = encoded.side_by_side(dropout.forward(states)); // [B, K·P, D]
                let masks = [&encoded.memory_mask, &encoded.question_mask];
                let output = pointer.forward(memory, encoded.questions.clone(), masks);
                let weights = output.pooled.map(|(_, weights)| weights);
                (output.log_probabilities, weights)
            }
        }
    }
}

/// Computes w · [G; M], `[B·K, P]`.
fn logits(
    weight: &Param<Tensor<1>>,
    read: Tensor<3>,
    states: Tensor<3>,
    dropout: &Dropout,
) -> Tensor<2> {
    let first = read.dims()[2];
    let part = |x: Tensor<3>, from| {
        let width = x.dims()[2];
        let weight = weight.val().narrow(0, from, width).reshape([width, 1]);
        linear(dropout.forward(x), weight, None).squeeze_dim::<2>(2) // [B·K, P, 1] → [B·K, P]
    };
    part(read, 0) + part(states, first)
}

/// Log-softmax over the positions of all passages of a question: `[B·K, P]` → `[B, K·P]`.
fn over_passages(logits: Tensor<2>, mask: &Mask, each: usize) -> Tensor<2> {
    let [rows, p] = logits.dims();
    let logits = logits.reshape([rows / each, 1, 1, each * p]);
    log_softmax(mask.hide(logits).squeeze_dims(&[1, 2]), 1) // [B, K·P]
}

/// Computes the loss of a reader, the mean over the questions of −ln p(start) − ln p(end), `[1]`.
///
/// # Shapes
/// - `log_probabilities` of start and end, `[B, K·P]`; `targets`: start and end of each question
pub fn span_loss(
    log_probabilities: [Tensor<2>; 2],
    targets: &[[usize; 2]],
    device: &Device,
) -> Tensor<1> {
    let mean = |at: usize, of: Tensor<2>| {
        let places: Vec<i32> = targets.iter().map(|target| target[at] as i32).collect();
        let places = TensorData::new(places, [targets.len(), 1]);
        let places = Tensor::<2, burn::tensor::Int>::from_data(places, device);
        of.gather(1, places).mean().neg()
    };
    let [start, end] = log_probabilities;
    mean(0, start) + mean(1, end)
}
