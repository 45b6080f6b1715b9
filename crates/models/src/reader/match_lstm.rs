//! Match-LSTM with the boundary pointer (Wang and Jiang 2017): words → LSTM → bidirectional LSTM
//! that attends to the question at each word → pointer.

use burn::module::Module;
use burn::tensor::Device;
use strata_attention::{ConfigError, ParamInit, Site};

use super::encoder::{EncoderConfig, ReaderEncoder};
use super::head::{SpanHead, SpanHeadConfig};
use super::matching::{Matching, MatchingConfig};
use super::pointer::PointerConfig;
use super::words::WordLayerConfig;
use super::{SpanBatch, SpanOutput, of_site, read, two_way_layers};
use crate::{MatchLstmConfig, Recurrent, RecurrentConfig, Vocabularies};

/// Reader by match-LSTM and answer pointer.
#[derive(Module, Debug)]
pub struct MatchLstm {
    /// Encoder of words to states.
    pub encoder: ReaderEncoder,
    /// Match-LSTM, which attends to the question at each word of the passage.
    pub matching: Matching,
    /// Modelling layers over the match-LSTM's states.
    pub modelling: Vec<Recurrent>,
    /// Answer pointer.
    pub head: SpanHead,
}

impl MatchLstmConfig {
    pub(crate) fn encoder(&self, vocabularies: Vocabularies) -> EncoderConfig {
        EncoderConfig {
            words: WordLayerConfig {
                vocabulary: vocabularies.source,
                embedding: self.embedding,
                characters: None,
                highway: 0,
            },
            train_embeddings: self.train_embeddings,
            cell: self.cell,
            hidden: self.hidden,
            layers: self.layers,
            bidirectional: self.bidirectional,
            shared: self.encoder_shared,
            dropout: self.dropout,
        }
    }

    /// Width of the encoders' states.
    pub(crate) fn encoded(&self) -> usize {
        let directions = if self.bidirectional { 2 } else { 1 };
        directions * self.hidden
    }

    pub(crate) fn matching(&self) -> MatchingConfig {
        MatchingConfig {
            cell: self.cell,
            passage: self.encoded(),
            question: self.encoded(),
            hidden: self.hidden,
            bidirectional: true,
            gate: false,
            input: self.input,
            sharing: self.sharing,
            mechanism: self.question,
        }
    }

    pub(crate) fn modelling(&self) -> impl Iterator<Item = RecurrentConfig> {
        two_way_layers(self.modelling, self.cell, 2 * self.hidden, self.hidden)
    }

    pub(crate) fn head(&self) -> SpanHeadConfig {
        SpanHeadConfig::Pointer(PointerConfig {
            cell: self.cell,
            memory: 2 * self.hidden,
            question: self.pooled.then(|| self.encoded()),
            hidden: self.hidden,
            score: self.hidden,
            both_directions: self.both_directions,
        })
    }

    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.matching().check()
    }
}

impl MatchLstm {
    pub(crate) fn init(
        config: &MatchLstmConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            encoder: config.encoder(vocabularies).init(init),
            matching: config.matching().init(init)?,
            modelling: config.modelling().map(|layer| layer.init(init)).collect(),
            head: config.head().init(init),
        })
    }

    /// Predicts start and end of the answers to a batch of questions.
    pub fn forward(&self, batch: &SpanBatch, device: &Device) -> SpanOutput {
        let encoded = self.encoder.forward(batch, device);
        let dropout = &self.encoder.dropout;
        let (questions, mask) = encoded.questions_of_passages();
        let [passages, questions] =
            [encoded.passages.clone(), questions].map(|it| dropout.forward(it));
        let matched = self
            .matching
            .forward(passages, &encoded.lengths, questions, &mask);
        let states = read(
            &self.modelling,
            matched.states.clone(),
            &encoded.lengths,
            dropout,
        );
        let (log_probabilities, pooled) =
            self.head.forward(matched.states, states, &encoded, dropout);
        SpanOutput {
            log_probabilities,
            attention: vec![of_site(Site::Matching, matched.weights)],
            pooled,
        }
    }
}
