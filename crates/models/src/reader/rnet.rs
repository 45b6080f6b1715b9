//! R-NET, gated self-matching networks (Wang et al. 2017): words and characters → GRU layers →
//! gated matching with the question → gated self-matching → GRU → pointer.

use burn::module::Module;
use burn::tensor::Device;
use strata_attention::{ConfigError, ParamInit, Site};

use super::encoder::{EncoderConfig, ReaderEncoder};
use super::head::{SpanHead, SpanHeadConfig};
use super::matching::{MatchInput, Matching, MatchingConfig, Sharing};
use super::pointer::PointerConfig;
use super::self_matching::{SelfMatching, SelfMatchingConfig};
use super::words::WordLayerConfig;
use super::{SpanBatch, SpanOutput, of_mechanism, of_site, read, two_way_layers};
use crate::{Recurrent, RecurrentConfig, RnetConfig, Vocabularies};

/// Reader by gated self-matching.
#[derive(Module, Debug)]
pub struct Rnet {
    /// Encoder of words to states.
    pub encoder: ReaderEncoder,
    /// Matching of the passage with the question.
    pub matching: Matching,
    /// Matching of the passage with itself.
    pub self_matching: SelfMatching,
    /// Modelling layers over the self-matched passage.
    pub modelling: Vec<Recurrent>,
    /// Answer pointer.
    pub head: SpanHead,
}

impl RnetConfig {
    pub(crate) fn encoder(&self, vocabularies: Vocabularies) -> EncoderConfig {
        EncoderConfig {
            words: WordLayerConfig {
                vocabulary: vocabularies.source,
                embedding: self.embedding,
                characters: self.spelling().layer(self.characters, vocabularies.target),
                highway: 0,
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

    pub(crate) fn matching(&self) -> MatchingConfig {
        MatchingConfig {
            cell: self.cell,
            passage: 2 * self.hidden,
            question: 2 * self.hidden,
            hidden: self.hidden,
            bidirectional: true,
            gate: true,
            input: MatchInput::Concat,
            sharing: Sharing::Attention,
            mechanism: self.question,
        }
    }

    pub(crate) fn self_matching(&self) -> SelfMatchingConfig {
        SelfMatchingConfig {
            width: 2 * self.hidden,
            cell: self.cell,
            hidden: self.hidden,
            mechanism: self.self_matching,
        }
    }

    pub(crate) fn modelling(&self) -> impl Iterator<Item = RecurrentConfig> {
        two_way_layers(self.modelling, self.cell, 2 * self.hidden, self.hidden)
    }

    pub(crate) fn head(&self) -> SpanHeadConfig {
        SpanHeadConfig::Pointer(PointerConfig {
            cell: self.cell,
            memory: 2 * self.hidden,
            question: Some(2 * self.hidden),
            hidden: 2 * self.hidden,
            score: self.hidden,
            both_directions: false,
        })
    }

    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.matching().check()?;
        self.self_matching().check()
    }
}

impl Rnet {
    pub(crate) fn init(
        config: &RnetConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            encoder: config.encoder(vocabularies).init(init),
            matching: config.matching().init(init)?,
            self_matching: config.self_matching().init(init)?,
            modelling: config.modelling().map(|layer| layer.init(init)).collect(),
            head: config.head().init(init),
        })
    }

    /// Predicts start and end of the answers to a batch of questions.
    pub fn forward(&self, batch: &SpanBatch, device: &Device) -> SpanOutput {
        let encoded = self.encoder.forward(batch, device);
        let (dropout, lengths) = (&self.encoder.dropout, &encoded.lengths);
        let (questions, mask) = encoded.questions_of_passages();
        let [passages, questions] =
            [encoded.passages.clone(), questions].map(|it| dropout.forward(it));
        let matched = self.matching.forward(passages, lengths, questions, &mask);
        let (states, itself) = self.self_matching.forward(
            dropout.forward(matched.states),
            lengths,
            &encoded.passage_mask,
        );
        let modelled = read(&self.modelling, states.clone(), lengths, dropout);
        let (log_probabilities, pooled) = self.head.forward(states, modelled, &encoded, dropout);
        SpanOutput {
            log_probabilities,
            attention: vec![
                of_site(Site::Matching, matched.weights),
                of_mechanism(Site::SelfMatching, itself),
            ],
            pooled,
        }
    }
}
