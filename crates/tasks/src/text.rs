//! Task `text`: a language model of the user's own text.
//!
//! A text is one long sequence of tokens. Each line ends with EOS, as in scores on WikiText-2
//! (Merity et al. 2017): at the level of words the `<eos>` of the papers, at the level of
//! characters the line break. So the model predicts everything in the file, including empty lines.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Settings, Words, settings};
use strata_text::{
    Learner, Normalize, Segmenter, SentencePieceModel, TextForm, TokenUnit, Uploads, Vocabulary,
    remark_on_shape,
};

use crate::dataset::written::HeldOutCutter;
use crate::identity::identity_of_line;
#[cfg(not(target_family = "wasm"))]
use crate::stream;
use crate::task::Task;
use crate::{
    Dataset, Example, Examples, Facts, Identities, Learned, LearnedBuilder, LearnedVocabularies,
    LeftOut, Pipeline, SequenceExamples, Stream, TaskError, Writing, Written,
};

use crate::cutter::Cutter;

/// Largest held-out part of a text without a validation file, in bytes: it stays in memory, and each
/// validation reads all of it.
pub(crate) const MOST_HELD_OUT: usize = 4 << 20;

settings! {
    /// Settings of the task `text`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TextConfig {
        /// Text to learn from. May be .gz.
        #[title = "Source"]
        pub source: PathBuf = PathBuf::new(),
        /// Text to measure on; without it, the last tenth of the text is held out, at most 4 MiB.
        #[title = "Validation source"]
        pub validation_source: Option<PathBuf> = None,
        /// Text that `strata eval` measures on beside the held-out one.
        #[title = "Test source"]
        pub test_source: Option<PathBuf> = None,
        /// Unit into which the text is cut.
        #[words = TokenUnit::WORDS]
        pub level: TokenUnit = TokenUnit::Word,
        /// Model of SentencePiece, of the level `sentencepiece`.
        #[title = "Pieces"]
        #[help = "Model of SentencePiece, for the level sentencepiece."]
        pub pieces: Option<PathBuf> = None,
        /// True if all text is made lower case.
        #[title = "Lowercase"]
        #[help = "All text is made lower case."]
        pub lowercase: bool = false,
        /// Unicode form in which tokens are looked up.
        #[words = Normalize::WORDS]
        pub normalize: Normalize = Normalize::None,
        /// Pretrained vectors of tokens, as GloVe, word2vec and fastText write them as text. May be
        /// .gz.
        #[title = "Vectors"]
        #[help = "Pretrained vectors with which embeddings begin: a token and its numbers on each \
             line."]
        pub vectors: Option<PathBuf> = None,
        /// Tokens seen less often in training become `<unk>`.
        #[title = "Minimum count"]
        #[help = "Rarer tokens become <unk>."]
        pub minimum_count: usize in 1..=1_000_000 = 1,
        /// Most entries of the vocabulary, the 4 special ones included.
        #[title = "Maximum vocabulary"]
        pub maximum_vocabulary: usize in 5..=1_000_000 = 50_000,
        /// Tokens of a segment.
        #[title = "Segment length"]
        #[help = "Tokens that are read at once; gradients reach no further back."]
        pub segment_length: usize in 1..=10_000 = 64,
        /// Reading of the text block by block instead of keeping it in memory.
        #[words = Stream::WORDS]
        pub stream: Stream = Stream::Auto,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "text",
        "Own text",
        "Write a text on: for language models, on one file of text.",
        "",
        "",
    ),
    settings: TextConfig::SETTINGS,
};

impl TextConfig {
    /// Normal form in which text is cut into tokens.
    pub fn text_form(&self) -> TextForm {
        TextForm {
            lowercase: self.lowercase,
            normalize: self.normalize,
        }
    }

    /// Builds the data set of texts that are already in memory, each with its name. The paths in
    /// `self` are not read.
    ///
    /// # Errors
    /// If a setting is out of range, or nothing is left to train or to measure on.
    pub fn dataset(
        &self,
        text: (&str, &str),
        validation: Option<(&str, &str)>,
    ) -> Result<Dataset, TaskError> {
        self.assemble(text, validation, &Uploads::default(), None)
    }

    fn assemble(
        &self,
        (name, text): (&str, &str),
        validation: Option<(&str, &str)>,
        uploads: &Uploads,
        kept: Option<LearnedVocabularies<'_>>,
    ) -> Result<Dataset, TaskError> {
        self.check_numbers()?;
        for (name, text) in [Some((name, text)), validation].into_iter().flatten() {
            if text.trim().is_empty() {
                return Err(TaskError::Blank {
                    name: name.to_owned(),
                });
            }
        }
        let (training, (held_out_name, held_out)) = match validation {
            Some(validation) => (text, validation),
            None => {
                let (training, held_out) = self.split(text);
                (training, (name, held_out))
            }
        };
        for (name, text) in [(name, training), (held_out_name, held_out)] {
            if text.is_empty() {
                return Err(TaskError::ShortText {
                    name: name.to_owned(),
                });
            }
        }
        let mut facts = Facts::default();
        let is_same = training == held_out;
        facts
            .remarks
            .extend(is_same.then(|| same_text(held_out_name)));
        let writing = &mut facts.sides[0].writing;
        let lines = || training.lines().chain(held_out.lines());
        facts
            .remarks
            .extend(remark_on_shape(name, training.lines()));
        lines().for_each(|line| writing.add_line(line));
        let mut learner = self.learner(uploads, kept)?;
        training.lines().for_each(|line| learner.add_line(line));
        let (segmenter, vocabulary) = self.learned(learner, kept, name, writing)?;
        let mut learned = LearnedBuilder::default();
        learned.extend(training.lines().filter_map(identity_of_line));
        let identities = Identities {
            training: learned.finish(),
            held_out: identities_of_lines(held_out.lines()),
        };
        if !is_same {
            let remark = learned_lines(held_out_name, &identities.training, &identities.held_out);
            facts.remarks.extend(remark);
        }
        let training = self.cut(training, &segmenter, &vocabulary);
        let (validation, written) = self.cut_held_out(held_out, &segmenter, &vocabulary);
        training.iter().for_each(|it| facts.add_training(it));
        validation.iter().for_each(|it| facts.add_held_out(it));
        for line in held_out.lines() {
            facts.sides[0]
                .lost
                .add_line(line, &segmenter.rejoined_line(line));
        }
        facts.note_full(self.maximum_vocabulary, [&vocabulary; 2]);
        Ok(Dataset {
            examples: Examples::TextGeneration(SequenceExamples {
                training,
                validation,
                written,
                ..SequenceExamples::default()
            }),
            stored: None,
            source_segmenter: segmenter.clone(),
            target_segmenter: segmenter,
            source_vocabulary: vocabulary.clone(),
            target_vocabulary: vocabulary,
            dropped: LeftOut::default(),
            facts,
            identities: Some(identities),
        })
    }

    /// Creates the learner of the segmenter, without counts.
    pub(crate) fn learner(
        &self,
        uploads: &Uploads,
        kept: Option<LearnedVocabularies<'_>>,
    ) -> Result<Learner, TaskError> {
        let pieces = match (self.level, &self.pieces, kept) {
            // A resumed run has its model already.
            (TokenUnit::Sentencepiece, Some(path), None) => {
                Some(SentencePieceModel::of_path(path, uploads)?)
            }
            _ => None,
        };
        Ok(Learner::new(self.level, self.text_form())?.with_model(pieces))
    }

    /// Returns segmenter and vocabulary of the text: learned, or kept from an earlier load.
    pub(crate) fn learned(
        &self,
        learner: Learner,
        kept: Option<LearnedVocabularies<'_>>,
        name: &str,
        writing: &Writing,
    ) -> Result<(Segmenter, Vocabulary), TaskError> {
        let (segmenter, vocabulary) = match kept {
            Some([(segmenter, vocabulary), _]) if segmenter.subwords().is_some() => {
                (segmenter.clone(), vocabulary.clone())
            }
            _ => learner.learn(self.minimum_count, self.maximum_vocabulary)?,
        };
        if vocabulary.has_only_special_tokens() {
            return Err(TaskError::EmptyVocabulary {
                name: name.to_owned(),
                side: "text",
                minimum_count: self.minimum_count,
                advice: writing.advice_without_tokens(self.level),
            });
        }
        Ok((segmenter, vocabulary))
    }

    /// Cuts another text into segments of the tokens of a trained model; also returns the text
    /// itself. Messages call the text `name`.
    ///
    /// # Errors
    /// If the text is empty.
    pub fn segments(
        &self,
        name: &str,
        text: &str,
        segmenter: &Segmenter,
        vocabulary: &Vocabulary,
    ) -> Result<(Vec<Example>, Written), TaskError> {
        if text.is_empty() {
            return Err(TaskError::Blank {
                name: name.to_owned(),
            });
        }
        Ok(self.cut_held_out(text, segmenter, vocabulary))
    }

    /// Splits off the last tenth of the text, at most [`MOST_HELD_OUT`] bytes. The second part does not
    /// begin with a line break, and no word is split.
    fn split<'a>(&self, text: &'a str) -> (&'a str, &'a str) {
        let characters = text.chars().count();
        let place = text.char_indices().nth(characters - characters / 10);
        let place = place.map_or(text.len(), |(place, _)| place);
        let first = text.len().saturating_sub(MOST_HELD_OUT);
        let mut place = place.max(text.ceil_char_boundary(first));
        if text[..place].ends_with('\n') {
            return text.split_at(place);
        }
        let breaks = |it: char| match self.level {
            TokenUnit::Character => it == '\n',
            _ => it.is_whitespace(),
        };
        match (self.level, text[place..].find(breaks)) {
            (TokenUnit::Character, Some(0)) => place += 1,
            (TokenUnit::Character, _) => {}
            (_, Some(word)) => {
                place += word
                    + text[place + word..]
                        .chars()
                        .next()
                        .map_or(0, char::len_utf8)
            }
            (_, None) => place = text.len(),
        }
        text.split_at(place)
    }

    /// Cuts a text into segments of all its tokens, with EOS after each line.
    fn cut(&self, text: &str, segmenter: &Segmenter, vocabulary: &Vocabulary) -> Vec<Example> {
        let mut segments = Vec::new();
        let mut cutter = Cutter::new(self.segment_length);
        for line in text.lines() {
            cutter.line(line, segmenter, vocabulary, &mut |it| segments.push(it));
        }
        segments.extend(cutter.rest());
        segments
    }

    /// Cuts a held-out text into segments; also returns its text.
    fn cut_held_out(
        &self,
        text: &str,
        segmenter: &Segmenter,
        vocabulary: &Vocabulary,
    ) -> (Vec<Example>, Written) {
        let mut cutter = HeldOutCutter::new(self.segment_length);
        let lines = text.lines();
        lines.for_each(|line| cutter.line(line, segmenter, vocabulary));
        cutter.finish()
    }

    fn open(
        &self,
        uploads: &Uploads,
        kept: Option<LearnedVocabularies<'_>>,
    ) -> Result<Dataset, TaskError> {
        #[cfg(not(target_family = "wasm"))]
        if stream::is_large(self.stream, [Some(&self.source), None]) {
            return stream::load_text(self, kept);
        }
        let text = uploads.read_text(&self.source)?;
        let validation = match &self.validation_source {
            Some(path) => {
                let text = uploads.read_text(path)?;
                Some((path.display().to_string(), text))
            }
            None => None,
        };
        let validation = validation.as_ref();
        self.assemble(
            (&self.source.display().to_string(), &text),
            validation.map(|(name, text)| (name.as_str(), text.as_str())),
            uploads,
            kept,
        )
    }

    fn check_numbers(&self) -> Result<(), TaskError> {
        self.check_ranges()
            .map_err(|found| TaskError::out_of_range(DESCRIPTION.words.name, found))
    }
}

/// Returns the identities of the lines that are long enough to have one, each in a list of its own.
pub(crate) fn identities_of_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Vec<u64>> {
    lines
        .filter_map(identity_of_line)
        .map(|it| vec![it])
        .collect()
}

/// Returns a warning that the held-out text is the training text.
pub(crate) fn same_text(name: &str) -> String {
    format!(
        "{name}: the text to measure on is the text to learn from, so what is measured is what was \
         learned by heart; name another one, or none, so that the last tenth is held out."
    )
}

/// Returns a warning that a part of the held-out lines, at least a hundredth, is also in the
/// training text. `held_out` has the identity of each held-out line that is long enough.
pub(crate) fn learned_lines(
    name: &str,
    learned: &Learned,
    held_out: &[Vec<u64>],
) -> Option<String> {
    let is_learned = learned.holds_any(held_out).into_iter();
    let count = is_learned.filter(|&it| it).count();
    let are = if count == 1 { "is" } else { "are" };
    (count > 0 && count * 100 >= held_out.len()).then(|| {
        format!(
            "{name}: {count} of {} lines to measure on {are} also in the text to learn from: what \
             is measured on these may be known by heart.",
            held_out.len()
        )
    })
}

/// Cuts the token ids of a text into segments by a [`Cutter`].
pub(crate) fn in_segments(text: &[u32], segment_length: usize) -> Vec<Example> {
    let mut cutter = Cutter::new(segment_length);
    let full = text.iter().filter_map(|&id| cutter.token(id));
    let mut segments: Vec<Example> = full.collect();
    segments.extend(cutter.rest());
    segments
}

/// Splits a text, given in segments, into `streams` texts that are read in parallel. The result has
/// the first segments of all streams, then the second ones, and so on, so that each batch of
/// `streams` examples continues the batch before (Zaremba et al. 2014). The lengths of streams
/// differ by at most one token.
///
/// A text with fewer tokens than `streams` is split into as many streams as it has tokens.
pub fn in_streams(segments: &[Example], streams: usize) -> Vec<Example> {
    let length = segments.iter().map(|it| it.target.len()).max().unwrap_or(0);
    let read: Vec<u32> = segments.iter().flat_map(|it| it.source.clone()).collect();
    let written: Vec<u32> = segments.iter().flat_map(|it| it.target.clone()).collect();
    let tokens = written.len();
    let streams = streams.clamp(1, tokens.max(1));
    let longest = tokens.div_ceil(streams);
    (0..longest)
        .step_by(length.max(1))
        .flat_map(|from| (0..streams).map(move |stream| (from, stream)))
        .map(|(from, stream)| {
            let of_stream = |number: usize| number * tokens / streams;
            let end = of_stream(stream + 1);
            let from = (of_stream(stream) + from).min(end);
            let span = from..(from + length).min(end);
            Example {
                source: read[span.clone()].to_vec(),
                target: written[span].to_vec(),
            }
        })
        .collect()
}

impl Task for TextConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        if self.source.as_os_str().is_empty() {
            return Err(TaskError::NoText);
        }
        match (self.level, &self.pieces) {
            (TokenUnit::Sentencepiece, None) => Err(TaskError::NoPieces { setting: "pieces" }),
            (TokenUnit::Sentencepiece, Some(_)) | (_, None) => Ok(self.level.check()?),
            (_, Some(_)) => Err(TaskError::UnusedPieces {
                setting: "pieces",
                level: "level",
            }),
        }
    }

    fn load(&self, _seed: u64, uploads: &Uploads) -> Result<Dataset, TaskError> {
        let mut dataset = self.open(uploads, None)?;
        dataset.read_vectors(0, self.vectors.as_deref(), uploads)?;
        Ok(dataset)
    }

    fn reload(
        &self,
        _seed: u64,
        uploads: &Uploads,
        kept: LearnedVocabularies<'_>,
    ) -> Result<Dataset, TaskError> {
        self.open(uploads, Some(kept))
    }

    fn levels(&self) -> [TokenUnit; 2] {
        [self.level; 2]
    }

    fn text_form(&self) -> TextForm {
        self.text_form()
    }

    fn paths(&self) -> Vec<&Path> {
        let others = [
            &self.validation_source,
            &self.test_source,
            &self.vectors,
            &self.pieces,
        ];
        let others = others.into_iter().flatten().map(PathBuf::as_path);
        std::iter::once(self.source.as_path())
            .chain(others)
            .collect()
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::TextGeneration
    }
}

#[cfg(test)]
mod tests;
