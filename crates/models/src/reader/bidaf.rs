//! BiDAF, bidirectional attention flow (Seo et al. 2017): words and characters → highway →
//! bidirectional LSTM → attention flow → LSTM layers → start and end.

use burn::module::Module;
use burn::tensor::Device;
use strata_attention::{ConfigError, ParamInit, Site};

use super::encoder::{EncoderConfig, ReaderEncoder};
use super::flow::{AttentionFlow, FlowConfig};
use super::head::{SpanHead, SpanHeadConfig};
use super::words::WordLayerConfig;
use super::{SpanBatch, SpanOutput, of_mechanism, of_site, read, two_way_layers};
use crate::{BidafConfig, Recurrent, RecurrentConfig, Vocabularies};

/// Reader by bidirectional attention flow.
#[derive(Module, Debug)]
pub struct Bidaf {
    /// Encoder of words to states.
    pub encoder: ReaderEncoder,
    /// Attention between passage and question in both directions.
    pub flow: AttentionFlow,
    /// Modelling layers over the output G of the attention flow.
    pub modelling: Vec<Recurrent>,
    /// Head that predicts start and end.
    pub head: SpanHead,
}

impl BidafConfig {
    pub(crate) fn encoder(&self, vocabularies: Vocabularies) -> EncoderConfig {
        EncoderConfig {
            words: WordLayerConfig {
                vocabulary: vocabularies.source,
                embedding: self.embedding,
                characters: self.spelling().layer(self.characters, vocabularies.target),
                highway: self.highway,
            },
            train_embeddings: self.train_embeddings,
            cell: self.cell,
            hidden: self.hidden,
            layers: self.layers,
            bidirectional: true,
            shared: self.encoder_shared,
            dropout: self.dropout,
        }
    }

    pub(crate) fn flow(&self) -> FlowConfig {
        FlowConfig {
            width: 2 * self.hidden,
            context_to_query: self.context_to_query,
            query_to_context: self.query_to_context,
        }
    }

    pub(crate) fn modelling(&self) -> impl Iterator<Item = RecurrentConfig> {
        two_way_layers(self.modelling, self.cell, 8 * self.hidden, self.hidden)
    }

    pub(crate) fn head(&self) -> SpanHeadConfig {
        match self.pointer() {
            None => SpanHeadConfig::Linear {
                read: 8 * self.hidden,
                cell: self.cell,
                hidden: self.hidden,
            },
            Some(pointer) => SpanHeadConfig::Pointer(pointer),
        }
    }

    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.flow().check()
    }
}

impl Bidaf {
    pub(crate) fn init(
        config: &BidafConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            encoder: config.encoder(vocabularies).init(init),
            flow: config.flow().init(init)?,
            modelling: config.modelling().map(|layer| layer.init(init)).collect(),
            head: config.head().init(init),
        })
    }

    /// Predicts start and end of the answers to a batch of questions.
    pub fn forward(&self, batch: &SpanBatch, device: &Device) -> SpanOutput {
        let encoded = self.encoder.forward(batch, device);
        let (questions, mask) = encoded.questions_of_passages();
        let masks = [&encoded.passage_mask, &mask];
        let flow = self
            .flow
            .forward(encoded.passages.clone(), questions, masks);
        let dropout = &self.encoder.dropout;
        let states = read(
            &self.modelling,
            flow.context.clone(),
            &encoded.lengths,
            dropout,
        );
        let (log_probabilities, pooled) =
            self.head.forward(flow.context, states, &encoded, dropout);
        let (_, from_question) = flow.query_to_context;
        SpanOutput {
            log_probabilities,
            attention: vec![
                of_mechanism(Site::ContextToQuery, flow.context_to_query),
                of_site(Site::QueryToContext, from_question),
            ],
            pooled,
        }
    }
}
