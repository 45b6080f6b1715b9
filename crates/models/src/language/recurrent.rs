//! Recurrent language model (Mikolov et al. 2010; with LSTM and dropout, Zaremba et al. 2014).

use burn::module::{Module, Param};
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::module::embedding;
use burn::tensor::{Device, Int, Tensor};
use strata_attention::{ConfigError, ParamInit};

use super::read;
use crate::{
    CarriedState, CellKind, DecodedStep, Logits, ModelOutput, Recurrent, RecurrentConfig,
    RecurrentLmConfig, State, TokenTable, Tokens, VocabularySide,
};

/// Bound of the initial embeddings and output weights, as in PyTorch's `word_language_model`.
const BOUND: f64 = 0.1;

/// Recurrent language model: an embedding, stacked recurrent layers, and an output layer.
#[derive(Module, Debug)]
pub struct RecurrentLm {
    /// Embedding of tokens, `[V, E]`.
    pub embedding: Param<Tensor<2>>,
    /// Layers, from the lowest to the highest.
    pub layers: Vec<Recurrent>,
    /// Weight of the output layer, `[H, V]`; `None` if it is the embedding, transposed.
    pub output: Option<Param<Tensor<2>>>,
    /// Bias of the output layer, `[V]`.
    pub output_bias: Param<Tensor<1>>,
    /// Dropout on embeddings, between layers, and on the input of the output layer.
    pub dropout: Dropout,
    #[module(skip)]
    cell: CellKind,
}

/// State of decoding between steps.
pub(crate) struct Decoding {
    states: Vec<State>,
    device: Device,
}

impl Decoding {
    /// Keeps the decoding of these rows, in this order.
    pub(crate) fn select(&mut self, rows: &Tensor<1, Int>) {
        self.states = self.states.iter().map(|it| it.select(rows)).collect();
    }
}

impl RecurrentLmConfig {
    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.tied && self.embedding != self.hidden {
            return Err(ConfigError::new(format!(
                "`tied` makes the output of the embedding, but `embedding` is {} and `hidden` is \
                 {}: give both one width, or set `tied = false`",
                self.embedding, self.hidden
            )));
        }
        Ok(())
    }
}

impl RecurrentLm {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 3] = [
        TokenTable::rows("embedding", VocabularySide::Target),
        TokenTable::columns("output", VocabularySide::Target),
        TokenTable::rows("output_bias", VocabularySide::Target),
    ];

    pub(crate) fn init(
        config: &RecurrentLmConfig,
        vocabulary: usize,
        init: &mut ParamInit,
    ) -> Self {
        init.within(config.initial_bound);
        let layer = |index: usize, init: &mut ParamInit| {
            let input = if index == 0 {
                config.embedding
            } else {
                config.hidden
            };
            RecurrentConfig {
                cell: config.cell,
                input,
                hidden: config.hidden,
                bidirectional: false,
            }
            .init(init)
        };
        Self {
            embedding: init.uniform([vocabulary, config.embedding], BOUND),
            layers: (0..config.layers).map(|index| layer(index, init)).collect(),
            output: (!config.tied).then(|| init.uniform([config.hidden, vocabulary], BOUND)),
            output_bias: init.zeros([vocabulary]),
            dropout: DropoutConfig::new(config.dropout).init(),
            cell: config.cell,
        }
    }

    /// Reads segments from the states of the segments before. Also returns the states after them.
    /// Padding may follow only at the end of a text: the state after padding has no meaning.
    ///
    /// # Shapes
    /// - text `[B, T]` → logits `[B, T, V]`
    pub fn forward(
        &self,
        text: &Tokens,
        carried: Option<&CarriedState>,
        device: &Device,
    ) -> (ModelOutput, CarriedState) {
        let (logits, carried) = self.pass(text, carried, device);
        let output = ModelOutput {
            logits: logits.compute(),
            attention: Vec::new(),
        };
        (output, carried)
    }

    /// Reads segments as [`forward`](Self::forward) does, up to the output layer.
    pub(crate) fn pass(
        &self,
        text: &Tokens,
        carried: Option<&CarriedState>,
        device: &Device,
    ) -> (Logits, CarriedState) {
        let mut x = embedding(self.embedding.val(), read(text.ids(), text.rows(), device)); // [B, T, E]
        let mut left = Vec::with_capacity(self.layers.len());
        for (index, layer) in self.layers.iter().enumerate() {
            let initial = carried.map(|carried| carried.0[index].each(|it| it.cast(x.dtype())));
            let output = layer.forward(self.dropout.forward(x), None, initial);
            x = output.states; // [B, T, H]
            left.push(output.last);
        }
        let logits = self.logits(self.dropout.forward(x));
        (logits, CarriedState(left))
    }

    pub(crate) fn start(&self, rows: usize, device: &Device) -> Decoding {
        let state = |layer: &Recurrent| {
            let zeros = Tensor::zeros([rows, layer.hidden_width()], device);
            State {
                cell: (self.cell == CellKind::Lstm).then(|| zeros.clone()),
                hidden: zeros,
            }
        };
        Decoding {
            states: self.layers.iter().map(state).collect(),
            device: device.clone(),
        }
    }

    pub(crate) fn step(&self, decoding: &mut Decoding, last: &[u32]) -> DecodedStep {
        let ids = read(last, last.len(), &decoding.device);
        let mut x: Tensor<2> = embedding(self.embedding.val(), ids).squeeze_dim(1); // [B, E]
        for (layer, state) in self.layers.iter().zip(&mut decoding.states) {
            *state = layer.step(x, state.clone());
            x = state.hidden.clone(); // [B, H]
        }
        DecodedStep {
            logits: self.logits(x.unsqueeze_dim(1)).compute().squeeze_dim(1), // [B, V]
            attention: Vec::new(),
        }
    }

    /// Reads the last layer's output x, `[B, T, H]`.
    fn logits(&self, x: Tensor<3>) -> Logits {
        let weight = match &self.output {
            Some(output) => output.val(),
            None => self.embedding.val().transpose(), // [H, V]
        };
        let bias = Some(self.output_bias.val());
        Logits::Linear { x, weight, bias }
    }
}
