//! Recurrent layers stacked upon a first one, with dropout between them (Zaremba et al. 2014, 3.1:
//! from layer to layer, never from step to step).

use burn::nn::Dropout;
use burn::tensor::Tensor;

use crate::{Recurrent, RecurrentOutput, State};

/// Reads whole sequences: the output of the layer `below` goes through all of `layers`.
///
/// `initial` are the layers' first states; without them these are 0. Returns the states of the
/// highest layer, `[B, S, directions · H]`, and the last state of each layer.
pub(crate) fn forward(
    layers: &[Recurrent],
    below: RecurrentOutput,
    lengths: Option<&[usize]>,
    initial: Option<&[State]>,
    dropout: &Dropout,
) -> (Tensor<3>, Vec<State>) {
    let mut states = below.states;
    let mut last = vec![below.last];
    for (index, layer) in layers.iter().enumerate() {
        let initial = initial.map(|initial| initial[index].clone());
        let output = layer.forward(dropout.forward(states), lengths, initial);
        states = output.states;
        last.push(output.last);
    }
    (states, last)
}

/// Reads one further position, `[B, D]`. Returns the new state of each layer.
pub(crate) fn step(
    layers: &[Recurrent],
    below: State,
    states: &[State],
    dropout: &Dropout,
) -> Vec<State> {
    let mut last = vec![below];
    for (index, (layer, state)) in layers.iter().zip(states).enumerate() {
        let input = dropout.forward(last[index].hidden.clone());
        last.push(layer.step(input, state.clone()));
    }
    last
}
