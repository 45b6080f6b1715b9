//! Cost of readers: the question counts as the source, the passages as the target.

use super::Parts;
use crate::reader::EncoderConfig;
use crate::{BidafConfig, MatchLstmConfig, RecurrentConfig, RnetConfig, Vocabularies};

/// Number of values, per unit of its width, that a recurrent layer keeps of each token for the
/// backward pass.
const KEPT: u64 = 8;

fn encoder(config: &EncoderConfig) -> Parts {
    let [tables, passages, questions] = config.parameters();
    let layers = config.layers as u64 * KEPT * config.width() as u64;
    Parts {
        tables,
        encoder: questions,
        decoder: passages,
        kept: config.words.width() as u64 + layers,
        ..Parts::default()
    }
}

/// Adds the cost of recurrent layers over the passages.
fn modelling(parts: &mut Parts, layers: impl Iterator<Item = RecurrentConfig>) {
    for layer in layers {
        parts.decoder += layer.parameters();
        parts.kept += KEPT * 2 * layer.hidden as u64;
    }
}

pub(super) fn bidaf(config: &BidafConfig, vocabularies: Vocabularies) -> Parts {
    let mut parts = encoder(&config.encoder(vocabularies));
    let (flow, width) = (config.flow(), 2 * config.hidden as u64);
    parts.decoder += flow.parameters() + config.head().parameters();
    modelling(&mut parts, config.modelling());
    parts.kept += 8 * width;
    let levels = flow.context_to_query.passes() + flow.query_to_context.passes();
    parts.pairs[1] = width * levels;
    parts.weights[1] = 2 * levels;
    parts
}

pub(super) fn match_lstm(config: &MatchLstmConfig, vocabularies: Vocabularies) -> Parts {
    let mut parts = encoder(&config.encoder(vocabularies));
    parts.decoder += config.matching().parameters() + config.head().parameters();
    modelling(&mut parts, config.modelling());
    matched(&mut parts, config.hidden, config.question.passes());
    parts
}

pub(super) fn rnet(config: &RnetConfig, vocabularies: Vocabularies) -> Parts {
    let mut parts = encoder(&config.encoder(vocabularies));
    parts.decoder += config.matching().parameters()
        + config.self_matching().parameters()
        + config.head().parameters();
    modelling(&mut parts, config.modelling());
    matched(&mut parts, config.hidden, config.question.passes());
    let levels = config.self_matching.passes();
    parts.kept += 2 * KEPT * config.hidden as u64;
    parts.pairs[2] = 2 * config.hidden as u64 * levels;
    parts.weights[2] = 2 * levels;
    parts
}

/// Adds the cost of a matching in both directions, with additive scores of width H.
fn matched(parts: &mut Parts, hidden: usize, levels: u64) {
    parts.kept += 2 * 2 * KEPT * hidden as u64;
    parts.pairs[1] = 2 * hidden as u64 * levels;
    parts.weights[1] = 4 * levels;
}
