//! Loop of every search: step, read, choose, and continue with the rows that are left.

use burn::tensor::{Device, ExecutionError};

use super::choose::SourceSearch;
use super::probabilities::Probabilities;
use super::{Constraints, Decoding, Search, SearchOutput};
use crate::{BOS, SequenceModel, Tokens, mean_logits};

/// Request to decode sources, with limits and options.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    /// Sources, `[B, S]`.
    pub source: &'a Tokens,
    /// For each source, largest number of tokens of its target, EOS and prefix included.
    pub limits: Vec<usize>,
    /// For each source, tokens with which its target begins: scored, but not chosen. May be empty.
    pub prefixes: Vec<Vec<u32>>,
    /// For each source, number of tokens of its prefix that are the beginning of a text, in which
    /// EOS ends a line and not the target. Empty for 0.
    pub begun: Vec<usize>,
    /// For each source, its number among all sources of a search in several batches. Samples of a
    /// source depend on this number, not on its place in a batch. Empty for 0, 1, ….
    pub numbers: Vec<u64>,
    /// Constraints on the tokens that may be written.
    pub constraints: Constraints,
    /// Number of most probable tokens to record at every step.
    pub candidates: usize,
    /// True to keep the attention weights of every step.
    pub attention: bool,
}

impl<'a> SearchRequest<'a> {
    /// Requests targets of at most `limit` tokens each, EOS included.
    pub fn new(source: &'a Tokens, limit: usize) -> Self {
        Self {
            source,
            limits: vec![limit; source.rows()],
            prefixes: Vec::new(),
            begun: Vec::new(),
            numbers: Vec::new(),
            constraints: Constraints::default(),
            candidates: 0,
            attention: false,
        }
    }

    fn items(&self, search: Search) -> Vec<SourceSearch> {
        let item = |(at, &limit): (usize, &usize)| {
            let prefix = self.prefixes.get(at).cloned().unwrap_or_default();
            let number = self.numbers.get(at).copied().unwrap_or(at as u64);
            let mut item = SourceSearch::new(search, number, prefix, limit);
            let begun = self.begun.get(at).copied().unwrap_or(0);
            item.constrain(&self.constraints, begun);
            item.begin(BOS, at, self.candidates);
            item
        };
        self.limits.iter().enumerate().map(item).collect()
    }
}

impl SequenceModel {
    /// Searches for targets of all sources at once. Each step reads the device once.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// If the numbers of limits and sources differ, or a prefix holds an id outside the vocabulary.
    pub async fn search(
        &self,
        search: &Search,
        request: &SearchRequest<'_>,
        device: &Device,
    ) -> Result<SearchOutput, ExecutionError> {
        Self::search_together(&[self], search, request, device).await
    }

    /// Searches with an ensemble of models, by the mean of their probabilities. The attention is
    /// that of the first model.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// As [`search`](Self::search), and if there is no model or their vocabularies differ in size.
    pub async fn search_together(
        models: &[&Self],
        search: &Search,
        request: &SearchRequest<'_>,
        device: &Device,
    ) -> Result<SearchOutput, ExecutionError> {
        assert_eq!(request.limits.len(), request.source.rows(), "a limit each");
        let mut items = request.items(*search);
        let mut steps = Vec::new();
        let begins = items.iter().any(SourceSearch::goes_on);
        let start = |model: &&Self| model.start(request.source, device);
        let mut decodings: Vec<Decoding> = match begins {
            true => models.iter().map(start).collect(),
            false => Vec::new(),
        };
        while !decodings.is_empty() {
            // Rows that continue; afterwards each hypothesis has the index of its row.
            let (mut rows, mut last) = (Vec::new(), Vec::new());
            for live in items.iter_mut().filter(|item| item.goes_on()) {
                for live in &mut live.live {
                    last.push(live.reads);
                    rows.push(live.row);
                    live.row = rows.len() - 1;
                }
            }
            if rows.is_empty() {
                break;
            }
            let mut logits = Vec::with_capacity(models.len());
            for (at, (model, decoding)) in models.iter().zip(&mut decodings).enumerate() {
                decoding.select(&rows);
                let step = model.step(decoding, &last);
                logits.push(step.logits);
                if request.attention && at == 0 {
                    steps.push(step.attention);
                }
            }
            let logits = mean_logits(logits);
            let mut going_on = items.iter_mut().filter(|item| item.goes_on());
            let needs_all = going_on.any(|item| item.needs_all());
            let mut probabilities = match needs_all {
                true => Probabilities::read_all(logits).await?,
                false => Probabilities::read_best(logits).await?,
            };
            for item in items.iter_mut().filter(|item| item.goes_on()) {
                item.advance(&mut probabilities);
            }
        }
        Ok(SearchOutput {
            items: items.into_iter().map(SourceSearch::finish).collect(),
            steps,
        })
    }
}
