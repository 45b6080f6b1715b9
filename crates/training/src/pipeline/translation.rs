//! Translation: pairs of a source and a target. Lines of poems are such pairs too.

use burn::tensor::ExecutionError;
use strata_metrics::{Bleu, BleuTokenizer, Running, perplexity};
use strata_models::{
    Batch, Logits, ModelConfig, Search, SearchRequest, SequenceModel, TargetEnd, Tokens,
    mean_logits,
};
use strata_tasks::{Example, Written};
use strata_text::is_blank;

use super::SearchInput;
use super::tokens::LargestExample;
use crate::check::refuse_measures_of_answers;
use crate::evaluation::{Measured, loss_and_correct};
use crate::{
    BleuWords, Encoded, Exchange, Experiment, HeldOut, Inference, Tokenizer, TrainingConfig,
    TrainingError, Translation, TranslationError, Validation,
};

/// Checks that the experiment suits pairs.
pub(crate) fn check(experiment: &Experiment) -> Result<(), TrainingError> {
    if experiment.model.continues_lines() {
        return Err(TrainingError::NoLines {
            architecture: experiment.model.name(),
        });
    }
    check_lengths_may_agree(experiment)?;
    refuse_measures_of_answers(&experiment.training)
}

/// Refuses a model that answers in place on a task whose targets have other lengths than their
/// sources. Where the data decide, [`Data`](crate::data::Data) looks at them.
pub(crate) fn check_lengths_may_agree(experiment: &Experiment) -> Result<(), TrainingError> {
    let in_place = experiment.model.target_end() == TargetEnd::SourceLength;
    if !in_place || experiment.task.may_keep_lengths() {
        return Ok(());
    }
    Err(TrainingError::OtherLengths {
        architecture: experiment.model.name(),
        task: experiment.task.name(),
    })
}

/// Refuses a matrix that is to serve two vocabularies which differ.
pub(crate) fn check_tied(model: &ModelConfig, tokenizer: &Tokenizer) -> Result<(), TrainingError> {
    match model {
        ModelConfig::Tagger(config) if config.tied && tokenizer.source != tokenizer.target => {
            Err(TrainingError::TiedVocabularies)
        }
        _ => Ok(()),
    }
}

/// Splits a typed sentence into tokens; `normal` is the sentence in the form of the task's data.
pub(crate) fn cut(
    tokenizer: &Tokenizer,
    text: &str,
    normal: &str,
) -> Result<Encoded, TranslationError> {
    let tokens = tokenizer.source_segmenter.split(normal);
    if tokens.is_empty() || is_blank(text) {
        return Err(TranslationError::Empty);
    }
    Ok(tokenizer.encoded(tokens))
}

/// Longest source and longest target.
pub(crate) fn largest_example(tokenizer: &Tokenizer) -> LargestExample {
    let end = usize::from(!tokenizer.answers_in_place()); // EOS
    let (source, target) = (tokenizer.longest.0, tokenizer.longest.1 + end);
    LargestExample {
        source,
        target,
        cells: source + target,
        words: match source {
            0 => format!("{target} tokens"),
            source => format!("up to {source} source and {target} target tokens"),
        },
    }
}

/// Makes a source and its translation an example to be shown. Also returns their text, if splitting
/// the text gives back their tokens.
pub(crate) fn shown(
    tokenizer: &Tokenizer,
    source: &Encoded,
    found: &Translation,
) -> (Example, Written) {
    let text = tokenizer.source_segmenter.join(&source.tokens);
    let is_whole = tokenizer.split_written_source(&text) == source.tokens
        && tokenizer.split_target(&found.text).len() == found.ids.len();
    let written = if is_whole {
        Written::Pairs(vec![[text, found.text.clone()]])
    } else {
        Written::AsTokens
    };
    let example = Example {
        source: source.ids.clone(),
        target: found.ids.clone(),
    };
    (example, written)
}

/// Source of a held-out pair, for a user to try the model with.
pub(crate) fn prompt(held_out: &HeldOut<'_>, at: usize) -> (Vec<String>, Vec<u32>) {
    let source = &held_out.examples()[at].source;
    (held_out.source_tokens(at), source.clone())
}

/// Input of a search: sources, and targets that may begin with given tokens.
pub(crate) fn search_input(sources: &[&[u32]], prefixes: Vec<Vec<u32>>) -> SearchInput {
    SearchInput {
        source: Tokens::pad(sources),
        prefixes,
        begun: Vec::new(),
    }
}

/// Measures loss and accuracy on all held-out pairs, and exact match on the first `decode` of them,
/// decoded greedily.
pub(crate) async fn evaluate(
    inference: &Inference,
    exchange: &dyn Exchange,
    held_out: HeldOut<'_>,
    batch_size: usize,
    decode: usize,
) -> Result<Validation, ExecutionError> {
    let examples = held_out.examples();
    let layout = inference.layout_of_pairs();
    let mut measured = Measured::new(exchange);
    for indices in by_length(examples).chunks(batch_size.max(1)) {
        let batch = layout.batch(examples, indices);
        let found = if measured.is_own() {
            let (logits, target) = logits(inference, &batch);
            loss_and_correct(logits, &target).await?
        } else {
            [0.0; 2]
        };
        measured.add(found, batch.target_out.count());
    }
    let [loss, accuracy] = measured.sums();
    let decoded = &examples[..decode.min(examples.len())];
    let mut exact = Running::default();
    for indices in by_length(decoded).chunks(batch_size.max(1)) {
        let batch = layout.batch(decoded, indices);
        let longest = batch.target_out.columns();
        let request = SearchRequest::new(&batch.source, longest);
        let searched = inference.search_request(&Search::Greedy, &request);
        for (found, &index) in searched.await?.items.iter().zip(indices) {
            let right = held_out.is_right(index, &found.hypotheses[0].ids);
            exact.add(f64::from(u8::from(right)), 1);
        }
    }
    let loss = loss.mean().unwrap_or(0.0);
    Ok(Validation {
        step: inference.step,
        loss,
        perplexity: perplexity(loss),
        accuracy: accuracy.mean().unwrap_or(0.0),
        exact_match: exact.mean().unwrap_or(0.0),
        decoded: decoded.len(),
        ..Validation::default()
    })
}

/// Returns the logits of a batch and their targets; for an ensemble, the logits of the models' mean
/// probabilities, of all targets.
fn logits(inference: &Inference, batch: &Batch) -> (Logits, Tokens) {
    let models = inference.models();
    if let [model] = &models[..] {
        let input = model.forward_for_loss(None, batch, None, &inference.device);
        return (input.logits, input.target);
    }
    let of = |model: &SequenceModel| model.forward(batch, &inference.device).logits;
    let logits = mean_logits(models.into_iter().map(of).collect());
    (Logits::Computed(logits), batch.target_out.clone())
}

/// Sorts examples by length, so that batches have little padding. Returns their indices.
fn by_length(examples: &[Example]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..examples.len()).collect();
    indices.sort_by_key(|&index| (examples[index].target.len(), examples[index].source.len()));
    indices
}

impl From<BleuWords> for BleuTokenizer {
    fn from(words: BleuWords) -> Self {
        match words {
            BleuWords::Western => Self::Western,
            BleuWords::International => Self::International,
            BleuWords::Chinese => Self::Chinese,
            BleuWords::Characters => Self::Characters,
            BleuWords::None => Self::None,
        }
    }
}

impl Inference {
    /// Computes corpus BLEU, from 0 to 100, of greedy translations of the first
    /// `training.bleu_sentences` held-out examples against their text in the file.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn bleu(
        &self,
        held_out: HeldOut<'_>,
        training: &TrainingConfig,
    ) -> Result<f64, ExecutionError> {
        let count = training.bleu_sentences.min(held_out.examples().len());
        let examples: Vec<usize> = (0..count).collect();
        let mut pairs = Vec::with_capacity(count);
        for examples in examples.chunks(training.batch_size.max(1)) {
            let sources: Vec<Encoded> = examples
                .iter()
                .map(|&at| Encoded {
                    tokens: Vec::new(),
                    ids: held_out.examples()[at].source.clone(),
                    unknown: Vec::new(),
                })
                .collect();
            let translations = self.translate_all(&sources).await?;
            let references = examples.iter().map(|&at| [held_out.target(at)]);
            pairs.extend(translations.into_iter().map(|it| it.text).zip(references));
        }
        let bleu = Bleu {
            tokenizer: training.bleu_words.into(),
            ..Bleu::default()
        };
        Ok(bleu.corpus(pairs).score)
    }
}
