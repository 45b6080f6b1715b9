//! Trained model without its training state: translates, and shows its attention.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, ExecutionError, Int, Tensor, TensorData};
use strata_models::{
    BlockChange, ConfigError, Constraints, Hypothesis, Model, ModelOutput, Part, Search,
    SearchOutput, SearchRequest, SequenceModel, SiteInputs, SiteName, SiteRows, SiteWeights,
};
use strata_poems::Planner;

use crate::pipeline::{InferenceKind, Layout, SearchInput};
use crate::{Encoded, EnsembleError, Tokenizer, TranslationError};

/// Trained model without its training state.
#[derive(Clone, Debug)]
pub struct Inference {
    pub(crate) model: Model,
    pub(crate) tokenizer: Arc<Tokenizer>,
    /// Device of the model, without autodiff.
    pub(crate) device: Device,
    pub(crate) step: u64,
    pub(crate) kind: InferenceKind,
}

/// Translation that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// Token ids, without BOS and EOS.
    pub ids: Vec<u32>,
    /// True if the model ended the translation itself, false if it was cut at the limit.
    pub finished: bool,
    /// Text of the translation.
    pub text: String,
    /// Sum of the log-probabilities of all tokens.
    pub score: f64,
    /// Score by which translations of different lengths are compared, [`Search::normalise`].
    pub normalised: f64,
    /// Log-probability of every token given those before, of the end as well if the model wrote it.
    pub log_probabilities: Vec<f32>,
}

/// Options of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// Largest number of tokens to generate; `None` for the tokenizer's limit.
    pub limit: Option<usize>,
    /// For each source, tokens with which its target begins; empty for none.
    pub prefixes: Vec<Vec<u32>>,
    /// Number of each source among all sources of several batches, which seeds its sampling instead
    /// of its place in the batch. Empty for 0, 1, ….
    pub numbers: Vec<u64>,
    /// Constraints on the tokens that may be written.
    pub constraints: Constraints,
    /// Number of most probable tokens to record at every step.
    pub candidates: usize,
    /// True to keep the attention weights of every step.
    pub attention: bool,
}

/// Attention and logits of a teacher-forced pass over one pair, still on the device.
#[derive(Clone, Debug)]
pub struct Attended {
    /// Attention weights of every site, for a batch of one.
    pub sites: Vec<SiteWeights>,
    /// Logits of all tokens at each row: `[1, T, V]`.
    pub logits: Tensor<3>,
}

impl Attended {
    /// Token that the model predicts at each row, EOS included: `[1, T, 1]`.
    pub fn predicted(&self) -> Tensor<3, Int> {
        self.logits.clone().argmax(2)
    }

    /// Probability of the predicted token of each row: `[1, T, 1]`.
    pub fn largest_probabilities(&self) -> Tensor<3> {
        softmax(self.logits.clone(), 2).max_dim(2)
    }

    /// Probability of each of `tokens`, the targets of the first rows, given the reference before
    /// each: `[1, T, 1]`, where T is the number of `tokens`.
    pub fn probabilities(&self, tokens: &[u32]) -> Tensor<3> {
        let rows = tokens.len();
        let ids: Vec<i32> = tokens.iter().map(|&id| id as i32).collect();
        let data = TensorData::new(ids, [1, rows, 1]);
        let ids = Tensor::<3, Int>::from_data(data, &self.logits.device());
        softmax(self.logits.clone().narrow(1, 0, rows), 2).gather(2, ids)
    }
}

impl Inference {
    /// Joins a model with its tokenizer, without autodiff.
    pub(crate) fn new(
        model: &Model,
        tokenizer: Arc<Tokenizer>,
        device: &Device,
        step: u64,
    ) -> Self {
        Self {
            model: model.valid(),
            kind: InferenceKind::of(&tokenizer.kind),
            tokenizer,
            device: device.clone().without_autodiff(),
            step,
        }
    }

    /// Adds the planner of a checkpoint, if the task is to write poems.
    pub(crate) fn with_planner(mut self, found: Option<Planner>) -> Self {
        self.kind.set_planner(found);
        self
    }

    /// Adds a model to the ensemble. Translations and scores use the mean of the models'
    /// probabilities; attention is that of the first model.
    ///
    /// # Errors
    /// If the other model is a language model or a reader, or its tokens differ.
    pub fn join(&mut self, other: Self) -> Result<(), EnsembleError> {
        let others = self.kind.others_mut()?;
        let (ours, theirs) = (&self.tokenizer, &other.tokenizer);
        let same = [
            (ours.source == theirs.source, "source vocabulary"),
            (ours.target == theirs.target, "target vocabulary"),
            (
                ours.source_segmenter == theirs.source_segmenter
                    && ours.target_segmenter == theirs.target_segmenter,
                "way to cut a text",
            ),
            (
                ours.answers_in_place() == theirs.answers_in_place(),
                "way to answer (in place, or token after token)",
            ),
        ];
        if let Some((_, what)) = same.into_iter().find(|(same, _)| !same) {
            return Err(EnsembleError::Differs { what });
        }
        match other.model {
            Model::Sequence(model) => others.push(model),
            Model::Reader(_) => return Err(EnsembleError::Reader),
        }
        Ok(())
    }

    /// All models of the ensemble, which is one unless others have joined; none for a reader.
    pub(crate) fn models(&self) -> Vec<&SequenceModel> {
        let others = self.kind.others();
        self.model.sequence().into_iter().chain(others).collect()
    }

    /// Layout of pairs for the model.
    pub(crate) fn layout_of_pairs(&self) -> Layout {
        Layout::of_pairs(self.tokenizer.target_end)
    }

    /// Searches with the model, or with the whole ensemble. A reader finds nothing.
    pub(crate) async fn search_request(
        &self,
        search: &Search,
        request: &SearchRequest<'_>,
    ) -> Result<SearchOutput, ExecutionError> {
        let models = self.models();
        if models.is_empty() {
            return Ok(SearchOutput::default());
        }
        SequenceModel::search_together(&models, search, request, &self.device).await
    }

    /// Device of the model.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Converter between text and token ids.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Number of steps that the model was trained for.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Planner of poems; `None` for other tasks, and while the run is being trained.
    pub fn planner(&self) -> Option<&Planner> {
        self.kind.planner()
    }

    /// Number of parameters that the model has learned.
    pub fn parameters(&self) -> usize {
        self.model.num_params()
    }

    /// Parts of the model that can be muted.
    pub fn parts(&self) -> Vec<Part> {
        self.model.parts()
    }

    /// Mutes these parts of the model. Replaces what an earlier call muted.
    ///
    /// # Errors
    /// If the model lacks one of the parts, or if no level of a site would stay. Nothing changes
    /// then.
    pub fn mute(&mut self, parts: &[Part]) -> Result<(), ConfigError> {
        self.model.mute(parts)
    }

    /// Share of each level in the result of a site, `[1 or H, d]`; `None` if the site mixes no
    /// levels.
    pub fn shares(&self, site: SiteName) -> Option<Tensor<2>> {
        self.model.shares(site)
    }

    /// Translates one text greedily.
    ///
    /// # Errors
    /// If the text is empty or too long, or the device fails.
    pub async fn translate(&self, text: &str) -> Result<Translation, TranslationError> {
        let encoded = self.tokenizer.encode(text)?;
        let mut all = self.translate_all(&[encoded]).await?;
        Ok(all.remove(0))
    }

    /// Translates several texts greedily, as one batch.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn translate_all(
        &self,
        sources: &[Encoded],
    ) -> Result<Vec<Translation>, ExecutionError> {
        let options = SearchOptions::default();
        let searched = self.search(sources, &Search::Greedy, options).await?;
        let found = sources.iter().zip(&searched.items);
        let best = found.map(|(source, found)| self.translation(source, &found.hypotheses[0]));
        Ok(best.collect())
    }

    /// Searches for translations of several texts, as one batch. A language model continues each
    /// text: the translation begins with the text. A reader finds nothing.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn search(
        &self,
        sources: &[Encoded],
        search: &Search,
        options: SearchOptions,
    ) -> Result<SearchOutput, ExecutionError> {
        let ids: Vec<&[u32]> = sources.iter().map(|source| &source.ids[..]).collect();
        let SearchInput {
            source,
            mut prefixes,
            begun,
        } = self.kind.search_input(&ids, options.prefixes);
        let mut constraints = options.constraints;
        if self.tokenizer.answers_in_place() {
            // The source alone decides where its answer ends.
            constraints.minimum_length = 0;
            for (prefix, ids) in prefixes.iter_mut().zip(&ids) {
                prefix.truncate(ids.len());
            }
        }
        let limit = |(at, ids): (usize, &&[u32])| {
            let begun = prefixes.get(at).map_or(0, Vec::len);
            // The constraints leave room for what the data need.
            let least = constraints.minimum_length.max(begun);
            let by_default = || {
                let limit = self.tokenizer.decoding_limit(ids.len());
                limit.max(least.saturating_mul(2).saturating_add(1))
            };
            let limit = options.limit.unwrap_or_else(by_default);
            limit.max(begun).min(self.tokenizer.longest_target())
        };
        let limits = ids.iter().enumerate().map(limit).collect();
        let request = SearchRequest {
            limits,
            source: &source,
            prefixes,
            begun,
            numbers: options.numbers,
            constraints,
            candidates: options.candidates,
            attention: options.attention,
        };
        self.search_request(search, &request).await
    }

    /// Makes a hypothesis for `source` a translation. A continued text begins with the given words.
    pub fn translation(&self, source: &Encoded, hypothesis: &Hypothesis) -> Translation {
        let tokens = self.tokenizer.written_tokens(source, &hypothesis.ids);
        self.translation_of(&tokens, hypothesis)
    }

    /// Makes a hypothesis that was to begin with these target tokens a translation.
    pub fn translation_after(&self, prefix: &Encoded, hypothesis: &Hypothesis) -> Translation {
        let tokens = self.tokenizer.tokens_after(&prefix.tokens, &hypothesis.ids);
        self.translation_of(&tokens, hypothesis)
    }

    fn translation_of(&self, tokens: &[String], hypothesis: &Hypothesis) -> Translation {
        Translation {
            ids: hypothesis.ids.clone(),
            finished: hypothesis.ended,
            text: self.tokenizer.joined_target(tokens, &hypothesis.ids),
            score: hypothesis.score,
            normalised: hypothesis.normalised,
            log_probabilities: hypothesis.log_probabilities.clone(),
        }
    }

    /// Runs a teacher-forced pass over one pair, `source` and `target` without BOS and EOS, to get
    /// its attention. `None` if the model is a reader. Reads nothing from the device.
    pub fn attend(&self, source: &[u32], target: &[u32]) -> Option<Attended> {
        let model = self.model.sequence()?;
        let batch = self
            .kind
            .layout_of_one(&self.tokenizer)
            .pad_pairs(&[(source, target)]);
        Some(model.forward(&batch, &self.device).into())
    }

    /// Like [`attend`](Self::attend), and also returns how much each block changes its input.
    pub fn trace(&self, source: &[u32], target: &[u32]) -> Option<(Attended, Vec<BlockChange>)> {
        let model = self.model.sequence()?;
        let batch = self
            .kind
            .layout_of_one(&self.tokenizer)
            .pad_pairs(&[(source, target)]);
        let (output, changes) = model.trace(&batch, &self.device);
        Some((output.into(), changes))
    }

    /// Like [`attend`](Self::attend), and also returns the rows that each attention site reads.
    pub fn trace_rows(
        &self,
        source: &[u32],
        target: &[u32],
    ) -> Option<(Attended, BTreeMap<SiteName, SiteRows>)> {
        let model = self.model.sequence()?;
        let batch = self
            .kind
            .layout_of_one(&self.tokenizer)
            .pad_pairs(&[(source, target)]);
        let (output, rows) = model.trace_rows(&batch, &self.device);
        Some((output.into(), rows))
    }

    /// Input of the score function of a site ([`Model::inputs`]).
    pub fn inputs(&self, site: SiteName, rows: &SiteRows) -> Option<SiteInputs> {
        self.model.inputs(site, rows)
    }
}

impl From<ModelOutput> for Attended {
    fn from(output: ModelOutput) -> Self {
        Self {
            sites: output.attention,
            logits: output.logits,
        }
    }
}
