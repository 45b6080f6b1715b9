//! Pipelines: what a session does for each kind of work.
//!
//! - `translation`: translates a sentence; `in_place`: answers each of its tokens;
//!   `text_generation`: continues a text
//! - `question_answering`: answers a question about a passage
//! - `poetry`: plans and writes a poem
//!
//! Here: the requests are handed to their pipelines, and [`Generation`] is what differs among
//! models that generate tokens.

mod in_place;
pub(crate) mod poetry;
pub(crate) mod question_answering;
mod text_generation;
pub(crate) mod translation;

use strata_models::{EOS, SiteWeights};
use strata_tasks::Pipeline;
use strata_training::{Attended, Encoded, Inference, Tokenizer, Trainer, Translation};

use crate::error::SessionError;
use crate::protocol::{Event, Request, ViewRequest, ViewUpdate};
use crate::session::Session;
use crate::view;
use in_place::InPlace;
use text_generation::FromText;
use translation::FromPairs;

/// Carries out a request by the pipeline that the request is for.
pub(crate) async fn run(
    session: &mut Session,
    request: Request,
    emit: &mut dyn FnMut(Event),
) -> Result<(), SessionError> {
    match request {
        Request::Translate(request) => translation::run(session, &request, emit).await,
        Request::Answer(request) => question_answering::run(session, &request, emit).await,
        Request::Poem(request) => poetry::run(session, &request, emit).await,
    }
}

/// Returns the requested view of a held-out example; `beside` is the second run of a view of two
/// runs.
///
/// GPU–CPU sync point.
pub(crate) async fn view_of_example(
    trainer: &Trainer,
    beside: Option<&Inference>,
    request: &ViewRequest,
) -> Result<ViewUpdate, SessionError> {
    match trainer.held_out().questions().get(request.example) {
        Some(question) => question_answering::view_of_example(trainer, question, request).await,
        None => view::of_example(trainer, beside, request).await,
    }
}

/// Held-out inputs that are offered to users.
pub(crate) struct Samples {
    /// Sentences, beginnings of texts, or questions.
    pub texts: Vec<String>,
    /// Passages of the questions; empty for other inputs.
    pub passages: Vec<String>,
}

impl Samples {
    /// Returns the first `count` inputs of the held-out examples.
    pub fn of(trainer: &Trainer, count: usize) -> Self {
        let held_out = trainer.held_out();
        let samples = 0..count.min(trainer.validation_examples());
        Self {
            texts: samples.clone().map(|at| held_out.prompt_text(at)).collect(),
            passages: samples.filter_map(|at| held_out.passage_text(at)).collect(),
        }
    }
}

/// Generation of tokens: the part that differs among pipelines.
pub(crate) trait Generation: Sync {
    /// True if a complete target ends with `</s>`, which then has a row of its own.
    fn ends_with_eos(&self) -> bool {
        false
    }

    /// Cuts the tokens that the model predicts in all rows to those of the example; `rows` is the
    /// number of target tokens.
    fn predicted<'a>(&self, predicted: &'a [u32], rows: usize) -> &'a [u32] {
        predicted.get(..rows).unwrap_or_default()
    }

    /// Returns the attention of all sites in one pass over source and output, and the token ids of
    /// the rows.
    fn attend(
        &self,
        inference: &Inference,
        source: &Encoded,
        translation: &Translation,
    ) -> (Vec<SiteWeights>, Vec<u32>);

    /// Returns the tokens of a sentence that a user typed, and of the model's output.
    fn tokens(
        &self,
        inference: &Inference,
        prompt: &Encoded,
        written: &[String],
    ) -> GeneratedTokens;

    /// Returns the source as token ids of another model: `prompt` as that model encodes the
    /// sentence, `source` as the tokens of the present model.
    fn source_of_other(&self, _other: &Inference, prompt: Encoded, _source: &[String]) -> Vec<u32> {
        prompt.ids
    }
}

/// Returns the sites of a pass; none for a reader, which generates no tokens.
pub(crate) fn sites_of(pass: Option<Attended>) -> Vec<SiteWeights> {
    pass.map_or_else(Vec::new, |attended| attended.sites)
}

/// Tokens that a model reads, and the target tokens whose rows are shown.
pub(crate) struct GeneratedTokens {
    /// Tokens that the model reads.
    pub source: Vec<String>,
    /// Target tokens; in a pair, without `</s>`.
    pub target: Vec<String>,
    /// Token ids of `source`.
    pub source_ids: Vec<u32>,
    /// Token ids of `target`.
    pub target_ids: Vec<u32>,
    /// True if the row of `</s>` is shown.
    pub ends: bool,
}

impl GeneratedTokens {
    /// Returns the tokens of a source and its written target, without the `</s>` that ends the
    /// target.
    fn of_pair(inference: &Inference, prompt: &Encoded, written: &[String]) -> Self {
        let ids = inference.tokenizer().target_ids(written);
        let ends = ids.last() == Some(&EOS);
        let kept = ids.len() - usize::from(ends);
        Self {
            source: prompt.tokens.clone(),
            target: written[..kept].to_vec(),
            source_ids: prompt.ids.clone(),
            target_ids: ids[..kept].to_vec(),
            ends,
        }
    }

    /// Number of rows that are shown.
    pub fn rows(&self) -> usize {
        self.target.len() + usize::from(self.ends)
    }
}

/// Returns what a model does, as the verb of a sentence.
pub(crate) fn action(pipeline: Pipeline) -> &'static str {
    match pipeline {
        // The sentence says why two runs cannot be compared: poems and translations can.
        Pipeline::Translation | Pipeline::Poetry => "translates",
        Pipeline::TextGeneration => "writes texts on",
        Pipeline::QuestionAnswering => "answers questions",
    }
}

/// Returns how the model with this tokenizer generates tokens.
pub(crate) fn generation(tokenizer: &Tokenizer) -> &'static dyn Generation {
    if tokenizer.answers_in_place() {
        return &InPlace;
    }
    match tokenizer.pipeline() {
        Pipeline::TextGeneration => &FromText,
        // A line of a poem is the target of a pair: its source is the keyword and the lines before.
        // A reader generates no tokens and is refused earlier.
        Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => &FromPairs,
    }
}
