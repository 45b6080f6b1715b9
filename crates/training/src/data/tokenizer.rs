//! Converts text to token ids and back, for one experiment.

use strata_models::TargetEnd;
use strata_tasks::{
    Dataset, Example, LearnedVocabularies, Pipeline, ReadingTokenizer, TaskConfig, TaskError,
    TextConfig, Written,
};
use strata_text::{Segmenter, Vocabulary, special};

use crate::data::held_out::unknown;
use crate::pipeline::{ReaderTokenizer, TokenizerKind, longest, text_generation};
use crate::{Experiment, TranslationError};

/// Number of tokens that a source may always have, however short the training examples were.
const ALWAYS_ALLOWED: usize = 200;
/// Largest number of tokens of a generated target, whatever lengths a checkpoint states.
const LONGEST: usize = 10_000;

/// Converter between text and token ids, for one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokenizer {
    pub(crate) task: TaskConfig,
    pub(crate) source: Vocabulary,
    pub(crate) target: Vocabulary,
    pub(crate) source_segmenter: Segmenter,
    pub(crate) target_segmenter: Segmenter,
    /// Number of tokens of the longest source and of the longest target of the data.
    pub(crate) longest: (usize, usize),
    /// Number of positions of the model; `None` if unlimited.
    pub(crate) positions: Option<usize>,
    /// End of the model's targets.
    pub(crate) target_end: TargetEnd,
    /// Parts that not all kinds of work have.
    pub(crate) kind: TokenizerKind,
}

/// Tokenised source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Text of each token.
    pub tokens: Vec<String>,
    /// Id of each token.
    pub ids: Vec<u32>,
    /// Tokens that the vocabulary lacks, each once.
    pub unknown: Vec<String>,
}

impl Tokenizer {
    /// Makes the tokenizer of a data set. The vocabularies of a reader are those of words and of
    /// characters.
    pub(crate) fn of(experiment: &Experiment, dataset: &Dataset) -> Self {
        let kind = TokenizerKind::of(experiment, dataset);
        let [source, target] = kind.vocabularies(dataset).map(Clone::clone);
        Self {
            task: experiment.task.clone(),
            source,
            target,
            source_segmenter: dataset.source_segmenter.clone(),
            target_segmenter: dataset.target_segmenter.clone(),
            longest: longest(dataset),
            positions: experiment.model.longest(),
            target_end: experiment.model.target_end(),
            kind,
        }
    }

    /// Converter from questions and passages to token ids; `None` if the model is not a reader.
    pub fn reading(&self) -> Option<&ReadingTokenizer> {
        self.reader().map(|reader| &reader.tokenizer)
    }

    /// Largest number of tokens of an answer; 0 if the model is not a reader.
    pub fn longest_answer(&self) -> usize {
        self.reader().map_or(0, |reader| reader.longest_answer)
    }

    /// True if the model reads the characters of words.
    pub(crate) fn reads_characters(&self) -> bool {
        self.reader().is_some_and(|reader| reader.reads_characters)
    }

    /// Parts of a reader's tokenizer; `None` if the model is not a reader.
    pub(crate) fn reader(&self) -> Option<&ReaderTokenizer> {
        self.kind.reader()
    }

    /// Tokenises `text`.
    ///
    /// # Errors
    /// If there are no tokens, unless the model is a language model, or more than
    /// [`longest_source`](Self::longest_source).
    pub fn encode(&self, text: &str) -> Result<Encoded, TranslationError> {
        self.not_too_long(self.cut(text, &self.task.normalise(text))?)
    }

    /// Tokenises a source as it is in a file. Unlike [`encode`](Self::encode), adds nothing that
    /// people leave out when they type.
    ///
    /// # Errors
    /// As in [`encode`](Self::encode).
    pub fn encode_line(&self, line: &str) -> Result<Encoded, TranslationError> {
        self.not_too_long(self.cut(line, &self.task.normalise_line(line))?)
    }

    fn not_too_long(&self, encoded: Encoded) -> Result<Encoded, TranslationError> {
        let limit = self.longest_source();
        match encoded.ids.len() > limit {
            true => Err(TranslationError::TooLong {
                tokens: encoded.ids.len(),
                limit,
                done: self.kind.done(),
            }),
            false => Ok(encoded),
        }
    }

    /// Tokenises `text` and drops the tokens beyond [`longest_source`](Self::longest_source): the
    /// end of a source, or the beginning of a text to continue. Also returns the number of dropped
    /// tokens.
    ///
    /// # Errors
    /// If there are no tokens, unless the model is a language model.
    pub fn encode_within(&self, text: &str) -> Result<(Encoded, usize), TranslationError> {
        let Encoded {
            mut tokens,
            mut ids,
            ..
        } = self.cut(text, &self.task.normalise(text))?;
        let surplus = ids.len().saturating_sub(self.longest_source());
        if self.writes_on() {
            drop(tokens.drain(..surplus));
            drop(ids.drain(..surplus));
        } else {
            tokens.truncate(tokens.len() - surplus);
            ids.truncate(ids.len() - surplus);
        }
        let encoded = Encoded {
            unknown: unknown(&tokens, &ids),
            tokens,
            ids,
        };
        Ok((encoded, surplus))
    }

    /// Largest number of tokens of a source, or of a text to continue: 200, or the longest source
    /// of the data if that is longer, but no more than the model has positions for.
    pub fn longest_source(&self) -> usize {
        let limit = self.longest.0.max(ALWAYS_ALLOWED);
        match self.positions {
            None => limit,
            // The continuation follows the text, and takes positions of the same table.
            Some(_) if self.writes_on() => limit.min(self.longest_target()),
            Some(positions) => limit.min(positions),
        }
    }

    /// True if the model answers in place: a target has the length of the source.
    pub fn answers_in_place(&self) -> bool {
        self.target_end == TargetEnd::SourceLength
    }

    /// True if targets begin with the text that the model is given.
    pub(crate) fn writes_on(&self) -> bool {
        self.kind.writes_on()
    }

    pub(crate) fn encoded(&self, tokens: Vec<String>) -> Encoded {
        let ids = self.source.encode(&tokens);
        Encoded {
            unknown: unknown(&tokens, &ids),
            tokens,
            ids,
        }
    }

    /// Tokenises the text with which a target is to begin.
    pub fn encode_prefix(&self, text: &str) -> Encoded {
        let tokens = self.split_target(text);
        let ids = self.target.encode(&tokens);
        Encoded {
            unknown: unknown(&tokens, &ids),
            tokens,
            ids,
        }
    }

    /// Converts a reference to token ids; empty if the reference is.
    pub fn encode_target(&self, text: &str) -> Vec<u32> {
        self.target.encode(&self.split_target(text))
    }

    /// Splits a source as it is in a file into tokens, including those that the vocabulary lacks.
    pub(crate) fn split_written_source(&self, text: &str) -> Vec<String> {
        self.source_segmenter.split(&self.task.normalise_line(text))
    }

    /// Splits a target text as it is written into tokens, including those that the vocabulary
    /// lacks.
    pub fn split_target(&self, text: &str) -> Vec<String> {
        self.target_segmenter.split(text)
    }

    /// Converts target tokens, as returned by [`target_tokens`](Self::target_tokens), to ids,
    /// special tokens included.
    pub fn target_ids(&self, tokens: &[String]) -> Vec<u32> {
        let special = |token: &String| special::TEXTS.iter().position(|text| text == token);
        let id = |token| match special(token) {
            Some(id) => id as u32,
            None => self.target.id(token),
        };
        tokens.iter().map(id).collect()
    }

    /// True if the model's output as text equals `reference`, letter by letter, as the reference is
    /// in the file. What tokens lose (white space, case, spelling) makes the output wrong, and so
    /// does a special token such as `<unk>`.
    pub fn is_right(&self, ids: &[u32], reference: &str) -> bool {
        let is_special = |&id: &u32| (id as usize) < special::TEXTS.len();
        !ids.iter().any(is_special) && self.target_text(ids) == reference
    }

    /// The reference as the model could write it at best: split into tokens, all of them known, and
    /// joined.
    pub fn rejoined(&self, reference: &str) -> String {
        self.target_segmenter.rejoined(reference)
    }

    /// A line of a text as a language model could write the line at best.
    pub fn rejoined_line(&self, line: &str) -> String {
        self.target_segmenter.rejoined_line(line)
    }

    /// Splits another text into segments, tokenised like the training text. Returns the segments
    /// and the text. Messages call the text `name`.
    ///
    /// # Errors
    /// If the text is empty.
    pub fn segments(
        &self,
        task: &TextConfig,
        name: &str,
        text: &str,
    ) -> Result<(Vec<Example>, Written), TaskError> {
        task.segments(name, text, &self.target_segmenter, &self.target)
    }

    /// Largest number of tokens to generate for sources of up to `source` tokens, EOS included: the
    /// longest target of the data or twice `source`, whichever is larger, but at most 10,000 and
    /// the model's positions.
    ///
    /// Where the model answers in place: one more than `source`.
    pub fn decoding_limit(&self, source: usize) -> usize {
        if self.answers_in_place() {
            return source + 1;
        }
        (self.longest.1.max(2 * source).min(LONGEST) + 1).min(self.longest_target())
    }

    /// Largest value of a minimum length: the largest number of tokens that are ever generated.
    pub fn longest_minimum(&self) -> usize {
        self.longest_target().min(LONGEST)
    }

    /// Largest number of tokens of a target, without the BOS before them.
    pub fn longest_target(&self) -> usize {
        match self.positions {
            None => usize::MAX,
            // Each token has the place of its source; only EOS is behind the last place.
            Some(positions) if self.answers_in_place() => positions + 1,
            Some(positions) => positions - 1,
        }
    }

    /// Converts source ids to tokens.
    pub fn source_tokens(&self, ids: &[u32]) -> Vec<String> {
        texts(&self.source, ids)
    }

    /// Converts target ids to tokens.
    pub fn target_tokens(&self, ids: &[u32]) -> Vec<String> {
        texts(&self.target, ids)
    }

    /// Converts source ids to text.
    pub fn source_text(&self, ids: &[u32]) -> String {
        self.source_segmenter.join(&self.source.decode(ids))
    }

    /// Converts target ids to text; for a task of one text, with its lines.
    pub fn target_text(&self, ids: &[u32]) -> String {
        self.joined_target(&self.target.decode(ids), ids)
    }

    /// Joins target tokens with these ids to text. The vocabulary may lack some of the tokens.
    pub fn joined_target<T: AsRef<str>>(&self, tokens: &[T], ids: &[u32]) -> String {
        if self.writes_on() {
            return text_generation::joined(self, tokens, ids);
        }
        self.target_segmenter.join(tokens)
    }

    /// Converts the model's output to tokens. If the output continues a text, the tokens of that
    /// text are taken from `given`, including those that the vocabulary lacks.
    pub fn written_tokens(&self, given: &Encoded, ids: &[u32]) -> Vec<String> {
        if self.writes_on() {
            return self.tokens_after(&given.tokens, ids);
        }
        self.target_tokens(ids)
    }

    /// Converts the model's output to tokens, the first of which are taken from `given`.
    pub fn tokens_after(&self, given: &[String], ids: &[u32]) -> Vec<String> {
        let mut tokens = self.target_tokens(ids);
        for (token, given) in tokens.iter_mut().zip(given) {
            token.clone_from(given);
        }
        tokens
    }

    /// Segmenters and vocabularies of source and target, with which the data are loaded again.
    pub(crate) fn kept(&self) -> LearnedVocabularies<'_> {
        [
            (&self.source_segmenter, &self.source),
            (&self.target_segmenter, &self.target),
        ]
    }

    /// Task whose texts the tokenizer reads.
    pub fn task(&self) -> &TaskConfig {
        &self.task
    }

    /// Kind of work that the task asks for.
    pub fn pipeline(&self) -> Pipeline {
        self.kind.pipeline()
    }

    /// Sizes of the source and target vocabularies, special tokens included.
    pub fn vocabularies(&self) -> strata_models::Vocabularies {
        strata_models::Vocabularies {
            source: self.source.len(),
            target: self.target.len(),
        }
    }
}

fn texts(vocabulary: &Vocabulary, ids: &[u32]) -> Vec<String> {
    vocabulary
        .decode(ids)
        .into_iter()
        .map(String::from)
        .collect()
}
