//! Text generation: segments of one text, which a language model writes on.

use std::borrow::Cow;
use std::ops::Range;

use burn::tensor::ExecutionError;
use strata_metrics::{bits_per_character, perplexity};
use strata_models::Tokens;
use strata_tasks::{Example, Written, in_streams};
use strata_text::special;

use super::tokens::LargestExample;
use super::{Layout, SearchInput};
use crate::check::{refuse_bleu, refuse_measures_of_answers, require};
use crate::data::held_out::unknown;
use crate::evaluation::{Measured, Scores, loss_and_correct};
use crate::{
    Encoded, Exchange, Experiment, HeldOut, Inference, Measure, Tokenizer, TrainingError,
    Translation, Validation,
};

/// Largest number of streams into which a held-out text is split for a model that carries its
/// state. A single stream takes long, but each further stream starts without context. PyTorch's
/// example `word_language_model` uses the same number.
const STREAMS: usize = 10;
/// Smallest number of segments per stream.
const SEGMENTS: usize = 20;

/// Checks that the training suits a language model.
pub(crate) fn check(experiment: &Experiment) -> Result<(), TrainingError> {
    let training = &experiment.training;
    refuse_bleu(training)?;
    refuse_measures_of_answers(training)?;
    require(
        training.measure != Measure::ExactMatch,
        "measure",
        "\"exact_match\"",
        "\"loss\" or \"accuracy\" for a language model, which translates nothing",
    )
}

/// Splits the beginning of a text, as a user types the text, into tokens. Line ends become tokens,
/// and so does white space at the ends of lines if the vocabulary has tokens for white space.
pub(crate) fn cut(tokenizer: &Tokenizer, text: &str) -> Encoded {
    let mut tokens = Vec::new();
    let mut ids = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            tokens.push(special::TEXTS[special::EOS as usize].to_owned());
            ids.push(special::EOS);
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line = tokenizer.task.normalise(line);
        let segmenter = &tokenizer.source_segmenter;
        segmenter.each_token_of_line(&line, &mut |token| {
            tokens.push(token.to_owned());
            ids.push(tokenizer.source.id(token));
        });
    }
    Encoded {
        unknown: unknown(&tokens, &ids),
        tokens,
        ids,
    }
}

/// Joins the tokens of a text, line by line.
pub(crate) fn joined<T: AsRef<str>>(tokenizer: &Tokenizer, tokens: &[T], ids: &[u32]) -> String {
    let mut start = 0;
    let lines = ids.split(|&id| id == special::EOS).map(|line| {
        let tokens = &tokens[start..start + line.len()];
        start += line.len() + 1;
        tokenizer.target_segmenter.join(tokens)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Longest segment.
pub(crate) fn largest_example(tokenizer: &Tokenizer) -> LargestExample {
    let target = tokenizer.longest.1;
    LargestExample {
        source: 0,
        target,
        cells: target,
        words: format!("{target} tokens"),
    }
}

/// Makes a text an example to be shown. The source of a segment is its target, shifted by one
/// token.
pub(crate) fn shown(found: &Translation) -> Example {
    let target = found.ids.clone();
    Example {
        source: [&[special::EOS], &target[..target.len().saturating_sub(1)]].concat(),
        target,
    }
}

/// First half of the longest line of a held-out segment, for a user to try how the model writes
/// on.
pub(crate) fn prompt(held_out: &HeldOut<'_>, at: usize) -> (Vec<String>, Vec<u32>) {
    let Example { source, target } = &held_out.examples()[at];
    // A target in which some places are not counted lacks the tokens of these places.
    let (ids, tokens) = if target.contains(&special::PAD) {
        (source, held_out.source_tokens(at))
    } else {
        (target, held_out.target_tokens(at))
    };
    let line = longest_line(ids);
    let half = line.start..line.start + line.len().div_ceil(2);
    (tokens[half.clone()].to_vec(), ids[half].to_vec())
}

/// Text of the [`prompt`].
pub(crate) fn prompt_text(held_out: &HeldOut<'_>, at: usize) -> String {
    let (tokens, ids) = prompt(held_out, at);
    held_out.tokenizer().joined_target(&tokens, &ids)
}

/// Range of the longest line of a segment, without the line end; of equally long lines, the last.
fn longest_line(ids: &[u32]) -> Range<usize> {
    let mut start = 0;
    let lines = ids.split(|&id| id == special::EOS).map(|line| {
        let line = start..start + line.len();
        start = line.end + 1;
        line
    });
    lines.max_by_key(Range::len).unwrap_or_default()
}

/// Input of a search. A language model reads nothing beforehand: the text that it continues is a
/// prefix, before the tokens with which the continuation begins.
pub(crate) fn search_input(texts: &[&[u32]], prefixes: &[Vec<u32>]) -> SearchInput {
    let given = |at: usize| prefixes.get(at).map_or(&[][..], Vec::as_slice);
    let both = |(at, ids): (usize, &&[u32])| [ids, given(at)].concat();
    SearchInput {
        source: Tokens::pad(&vec![[0; 0]; texts.len()]),
        prefixes: texts.iter().enumerate().map(both).collect(),
        begun: texts.iter().map(|ids| ids.len()).collect(),
    }
}

/// Measures all segments of a text. A model that carries its state reads several streams in
/// parallel; other models read each segment alone.
pub(crate) async fn evaluate(
    inference: &Inference,
    exchange: &dyn Exchange,
    held_out: HeldOut<'_>,
    batch_size: usize,
) -> Result<Validation, ExecutionError> {
    let segments = held_out.examples();
    let model = inference.model.sequence();
    let (streams, batch_size) = if model.is_some_and(|model| model.carries_state()) {
        let streams = (segments.len() / SEGMENTS).clamp(1, STREAMS);
        (Cow::Owned(in_streams(segments, streams)), streams)
    } else {
        (Cow::Borrowed(segments), batch_size.max(1))
    };
    let indices: Vec<usize> = (0..streams.len()).collect();
    let mut measured = Measured::new(exchange);
    let mut carried = None;
    for indices in indices.chunks(batch_size) {
        let batch = Layout::Text.batch(&streams, indices);
        let found = match model.filter(|_| measured.is_own()) {
            Some(model) => {
                let device = &inference.device;
                let input = model.forward_for_loss(carried.as_ref(), &batch, None, device);
                carried = input.carried;
                loss_and_correct(input.logits, &input.target).await?
            }
            None => [0.0; 2],
        };
        measured.add(found, batch.target_out.count());
    }
    let [loss, accuracy] = measured.sums();
    let mean = loss.mean().unwrap_or(0.0);
    Ok(Validation {
        step: inference.step,
        loss: mean,
        perplexity: perplexity(mean),
        accuracy: accuracy.mean().unwrap_or(0.0),
        scores: Scores::Text {
            bits_per_character: bits_per_character(loss.sum, held_out.characters()),
            unspelt_tokens: match held_out.written() {
                Written::Text(written) => written.unknown_tokens() as u64,
                Written::AsTokens | Written::Pairs(_) => 0,
            },
        },
        ..Validation::default()
    })
}
