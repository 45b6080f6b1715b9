//! Sequence to sequence (Sutskever et al. 2014), without and with attention
//! (Bahdanau et al. 2015; Luong et al. 2015).

mod decoder;

use burn::module::{Module, Param};
use burn::nn::{Dropout, DropoutConfig, Linear};
use burn::tensor::module::embedding;
use burn::tensor::{Device, Int, Tensor, TensorData};
use strata_attention::{
    AttentionWeights, Auxiliary, CausalCache, ConfigError, Draws, Mask, Memory, ParamInit, Site,
    Widths,
};

use crate::recurrent::stack;
use crate::{
    Batch, DecodedStep, Logits, ModelOutput, Recurrent, RecurrentConfig, Seq2SeqConfig, SiteName,
    SiteWeights, State, TokenTable, Tokens, Trace, Vocabularies, VocabularySide,
};
pub use decoder::{Decoder, DecoderConfig, DecoderOutput, Head};

/// Name of the only attention site.
pub(crate) const SITE: SiteName = SiteName {
    place: Site::Cross,
    layer: None,
};

/// Recurrent encoder and decoder.
#[derive(Module, Debug)]
pub struct Seq2Seq {
    /// Embedding of source tokens, `[V_source, E]`.
    pub source_embedding: Param<Tensor<2>>,
    /// Embedding of target tokens, `[V, E]`.
    pub target_embedding: Param<Tensor<2>>,
    /// Lowest layer of the encoder.
    pub encoder: Recurrent,
    /// Further layers of the encoder.
    pub encoder_above: Vec<Recurrent>,
    /// Maps the encoder's last h to the decoder's first h; `None` if their widths are equal.
    pub bridge: Option<Linear>,
    /// Maps the encoder's last c to the decoder's first c, for an LSTM; `None` if their widths are
    /// equal.
    pub cell_bridge: Option<Linear>,
    /// Bridges of the further layers.
    pub bridges_above: Vec<Bridge>,
    /// Decoder.
    pub decoder: Decoder,
    /// Dropout on embeddings and on the input of the output head.
    pub dropout: Dropout,
}

/// Maps the last state of an encoder layer to the first state of a decoder layer.
#[derive(Module, Debug)]
pub struct Bridge {
    /// Map of h.
    pub hidden: Linear,
    /// Map of c; `None` unless the cell is an LSTM.
    pub cell: Option<Linear>,
}

/// State of the decoder between steps.
pub(crate) struct Decoding {
    memory: Option<Memory>,
    /// States of the layers.
    states: Vec<State>,
    /// Context of the last step, for input feeding.
    context: Option<Tensor<2>>,
    cache: CausalCache,
    device: Device,
}

impl Decoding {
    /// Keeps the decoding of these rows, in this order. `with_memory` says that their sources
    /// change.
    pub(crate) fn select(&mut self, rows: &Tensor<1, Int>, with_memory: bool) {
        if with_memory {
            self.memory = self.memory.as_ref().map(|memory| memory.select(rows));
        }
        let take = |of: &Tensor<2>| of.clone().select(0, rows.clone());
        self.states = self.states.iter().map(|it| it.select(rows)).collect();
        self.context = self.context.as_ref().map(take);
        self.cache = self.cache.select(rows);
    }
}

impl Seq2SeqConfig {
    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.bidirectional && !self.encoder_hidden.is_multiple_of(2) {
            return Err(ConfigError::new(format!(
                "`encoder_hidden` is {}, which two directions cannot share: choose an even width",
                self.encoder_hidden
            )));
        }
        if self.attend {
            self.attention.check(Site::Cross, self.attention_widths())?;
        } else if self.input_feeding {
            return Err(ConfigError::new(
                "`input_feeding` feeds the attention's context and so needs `attend = true`",
            ));
        }
        Ok(())
    }

    /// Widths of the attention's queries, keys and values.
    pub fn attention_widths(&self) -> Widths {
        Widths {
            query: self.decoder_hidden,
            keys: self.encoder_hidden,
            values: self.encoder_hidden,
            states: self.encoder_hidden,
        }
    }
}

impl Seq2Seq {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 6] = [
        TokenTable::rows("source_embedding", VocabularySide::Source),
        TokenTable::rows("target_embedding", VocabularySide::Target),
        // Output layer, for the heads `concat` and `mlp`.
        TokenTable::columns("decoder.head.weight", VocabularySide::Target),
        TokenTable::rows("decoder.head.bias", VocabularySide::Target),
        TokenTable::columns("decoder.head.1.weight", VocabularySide::Target),
        TokenTable::rows("decoder.head.1.bias", VocabularySide::Target),
    ];

    /// Draws the parameters of the model.
    ///
    /// # Errors
    /// If the mechanism does not fit the site.
    pub fn init(
        config: &Seq2SeqConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        init.within(config.initial_bound);
        let (encoded, decoded) = (config.encoder_hidden, config.decoder_hidden);
        let directions = if config.bidirectional { 2 } else { 1 };
        let (differ, has_cell) = (encoded != decoded, config.cell == crate::CellKind::Lstm);
        let mut bridge = |needed: bool| needed.then(|| init.linear(encoded, decoded));
        let hidden_bridge = bridge(differ);
        let cell_bridge = bridge(differ && has_cell);
        let bridges_above = (1..config.layers).filter_map(|_| {
            Some(Bridge {
                hidden: bridge(differ)?,
                cell: bridge(has_cell),
            })
        });
        let layer = |input| RecurrentConfig {
            cell: config.cell,
            input,
            hidden: encoded / directions,
            bidirectional: config.bidirectional,
        };
        Ok(Self {
            bridges_above: bridges_above.collect(),
            bridge: hidden_bridge,
            cell_bridge,
            source_embedding: init.uniform([vocabularies.source, config.embedding], 1.0),
            target_embedding: init.uniform([vocabularies.target, config.embedding], 1.0),
            encoder: layer(config.embedding).init(init),
            encoder_above: (1..config.layers)
                .map(|_| layer(encoded).init(init))
                .collect(),
            decoder: DecoderConfig {
                cell: config.cell,
                input: config.embedding,
                hidden: decoded,
                layers: config.layers,
                attention: config.attend.then_some(config.attention),
                keys: encoded,
                head: config.head,
                input_feeding: config.input_feeding,
                vocabulary: vocabularies.target,
            }
            .init(init)?,
            dropout: DropoutConfig::new(config.dropout).init(),
        })
    }

    /// Runs a teacher-forced pass over a batch; in training with `draws`.
    pub fn forward(&self, batch: &Batch, draws: Option<&Draws>, device: &Device) -> ModelOutput {
        ModelOutput::of(|trace| self.forward_noting(batch, trace, draws, device))
    }

    /// Computes the logits of a teacher-forced pass, `[B, T, V]`, and records the pass in `trace`.
    /// The output reads the context beside the state, so the recorded change is the size of the
    /// context relative to that of the state.
    pub(crate) fn forward_noting(
        &self,
        batch: &Batch,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> Logits {
        let (encoded, mask, first) = self.encode(&batch.source, device);
        let memory = self.decoder.prepare(encoded.clone(), mask);
        let memory = memory.map(|memory| memory.with_draws(draws));
        let target = embedding(self.target_embedding.val(), batch.target_in.tensor(device)); // [B, T, E]
        let target = self.dropout.forward(target);
        let output = self
            .decoder
            .forward(target, first, memory.as_ref(), &self.dropout);
        if let Some(context) = &output.context {
            trace.note_change(SITE, &output.states, context);
            trace.note_rows(SITE, &output.states, &encoded);
        }
        trace
            .sites
            .extend(output.attention.into_iter().map(of_site));
        output.logits
    }

    pub(crate) fn start(&self, source: &Tokens, device: &Device) -> Decoding {
        let (encoded, mask, states) = self.encode(source, device);
        Decoding {
            memory: self.decoder.prepare(encoded, mask),
            states,
            context: None,
            cache: CausalCache::default(),
            device: device.clone(),
        }
    }

    pub(crate) fn step(&self, decoding: &mut Decoding, last: &[u32]) -> DecodedStep {
        let ids: Vec<i32> = last.iter().map(|&id| id as i32).collect();
        let ids = TensorData::new(ids, [last.len(), 1]);
        let ids = Tensor::<2, Int>::from_data(ids, &decoding.device);
        let input: Tensor<2> = embedding(self.target_embedding.val(), ids).squeeze_dim(1); // [B, E]
        let step = self.decoder.step(
            input,
            &decoding.states,
            decoding.context.take(),
            decoding.memory.as_ref(),
            &mut decoding.cache,
            &self.dropout,
        );
        decoding.states = step.states;
        decoding.context = step.context;
        let highest = decoding.states[decoding.states.len() - 1].hidden.clone();
        DecodedStep {
            logits: self
                .decoder
                .logits_of_step(highest, decoding.context.clone()),
            attention: step.attention.into_iter().map(of_site).collect(),
        }
    }

    /// Computes the states of the encoder, `[B, S, D]`, the mask of their padding, and the first
    /// state of each decoder layer.
    fn encode(&self, source: &Tokens, device: &Device) -> (Tensor<3>, Mask, Vec<State>) {
        let input = embedding(self.source_embedding.val(), source.tensor(device)); // [B, S, E]
        let input = self.dropout.forward(input);
        let lengths = source.lengths();
        let lowest = self.encoder.forward(input, Some(&lengths), None);
        let (states, last) = stack::forward(
            &self.encoder_above,
            lowest,
            Some(&lengths),
            None,
            &self.dropout,
        );
        let mask = Mask::padding(&source.padding(), source.columns(), device);
        let first = last.into_iter().enumerate();
        let first = first.map(|(layer, state)| self.bridge(layer, state));
        (states, mask, first.collect())
    }

    /// Computes the first state of a decoder layer from the last state of an encoder layer.
    fn bridge(&self, layer: usize, last: State) -> State {
        let (hidden, cell) = match layer.checked_sub(1) {
            None => (self.bridge.as_ref(), self.cell_bridge.as_ref()),
            Some(above) => {
                let bridge = self.bridges_above.get(above);
                (
                    bridge.map(|bridge| &bridge.hidden),
                    bridge.and_then(|bridge| bridge.cell.as_ref()),
                )
            }
        };
        let across = |bridge: Option<&Linear>, state: Tensor<2>| match bridge {
            Some(bridge) => bridge.forward(state).tanh(),
            None => state,
        };
        State {
            hidden: across(hidden, last.hidden),
            cell: last.cell.map(|state| across(cell, state)),
        }
    }
}

fn of_site((weights, auxiliary): (AttentionWeights, Auxiliary)) -> SiteWeights {
    SiteWeights {
        site: SITE,
        weights,
        auxiliary,
    }
}
