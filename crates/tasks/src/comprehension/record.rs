//! A question of any format, cut into tokens.

use std::collections::HashMap;
use std::mem;
use std::ops::Range;

use super::{
    AnswerSpan, ReadingConfig, ReadingCounts, ReadingFormat, ReadingLevel, TokenText, counts,
    windows,
};

/// Paragraphs that are read with a question, not yet cut into windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Passages, as the number of the document and the index of the paragraph in the corpus.
    pub passages: Vec<(u32, u32)>,
    /// Place of the answer, in tokens of a whole paragraph.
    pub target: Option<AnswerSpan>,
}

impl Chosen {
    /// Chooses the first `most` passages; an answer in a later passage is dropped.
    pub(super) fn first(passages: &[(u32, u32)], target: Option<AnswerSpan>, most: usize) -> Self {
        Self {
            passages: passages[..passages.len().min(most)].to_vec(),
            target: target.filter(|it| it.passage < most),
        }
    }

    /// Chooses the first `most` passages; if the answer's passage is not among these, it replaces
    /// the last.
    pub(super) fn with_answer(
        passages: &[(u32, u32)],
        target: Option<AnswerSpan>,
        most: usize,
    ) -> Self {
        let mut chosen = Self::first(passages, target, most);
        if let Some(target) = target.filter(|it| it.passage >= most) {
            let last = most - 1;
            chosen.passages[last] = passages[target.passage];
            chosen.target = Some(AnswerSpan {
                passage: last,
                ..target
            });
        }
        chosen
    }
}

/// A question of any format.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub id: String,
    /// Number of the article, by which files are split.
    pub article: u32,
    pub question: TokenText,
    /// Right answers; a question without any is neither trained nor scored.
    pub answers: Vec<String>,
    /// Passages for training.
    pub trained: Chosen,
    /// Passages for measuring, chosen without knowledge of the answer.
    pub measured: Chosen,
}

/// A file of questions, cut into tokens.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    pub name: String,
    pub format: ReadingFormat,
    /// Level at which the file was cut.
    pub level: ReadingLevel,
    /// Most tokens of a passage, and most tokens of a question.
    pub longest: [usize; 2],
    /// Id of the first question without tokens of its own, if there is one.
    pub unsegmented: Option<String>,
    /// Most passages per question.
    pub most: usize,
    pub paragraphs: Vec<TokenText>,
    /// All questions, including those without an answer.
    pub records: Vec<Record>,
    pub counts: ReadingCounts,
}

impl Corpus {
    pub(super) fn new(name: &str, format: ReadingFormat, config: &ReadingConfig) -> Self {
        let most = match (config.maximum_passages, format) {
            (0, ReadingFormat::Msmarco) => 10,
            (0, _) => 5,
            (most, _) => most,
        };
        let level = match (config.level, format) {
            // `Auto` is resolved when the first question is read, which may have tokens of its own.
            (ReadingLevel::Auto, ReadingFormat::Dureader) => ReadingLevel::Auto,
            (ReadingLevel::Auto, _) => ReadingLevel::Fine,
            (level, _) => level,
        };
        let passage = match (config.maximum_passage, format) {
            (0, ReadingFormat::Dureader) => 500,
            (0, _) => 400,
            (longest, _) => longest,
        };
        Self {
            name: name.to_owned(),
            format,
            level,
            longest: [passage, config.maximum_question],
            unsegmented: None,
            most,
            paragraphs: Vec::new(),
            records: Vec::new(),
            counts: ReadingCounts::default(),
        }
    }

    /// Adds a paragraph and returns its index.
    pub(super) fn paragraph(&mut self, paragraph: TokenText) -> u32 {
        self.counts.read(&paragraph);
        self.paragraphs.push(paragraph);
        (self.paragraphs.len() - 1) as u32
    }

    /// Adds a question and counts its faults.
    pub(super) fn record(&mut self, record: Record) {
        // The reader of DuReader checks each question itself.
        if self.format != ReadingFormat::Dureader && self.unsegmented.is_none() {
            self.unsegmented = Some(record.id.clone());
        }
        let counts = &mut self.counts;
        let [longest_passage, longest_question] = self.longest;
        counts.questions += 1;
        counts.longest_question = counts.longest_question.max(record.question.len());
        if record.question.len() > longest_question {
            counts.fault(counts::LONG_QUESTIONS, &record.id);
        }
        if record.answers.is_empty() {
            counts.fault(counts::WITHOUT_ANSWER, &record.id);
        } else {
            match record.trained.target {
                Some(target) => {
                    let AnswerSpan {
                        passage,
                        start,
                        end,
                    } = target;
                    let (_, paragraph) = record.trained.passages[passage];
                    let length = self.paragraphs[paragraph as usize].len();
                    let windows = windows(length, longest_passage);
                    let holds = |it: &Range<usize>| it.start <= start && end < it.end;
                    counts.beyond += usize::from(end >= longest_passage);
                    if !windows.iter().any(holds) {
                        counts.fault(counts::IN_NO_WINDOW, &record.id);
                    }
                }
                None => counts.fault(counts::WITHOUT_TARGET, &record.id),
            }
        }
        self.records.push(record);
    }

    /// Removes and returns the questions with an answer that were read since the last call, and the
    /// paragraphs to which they refer; questions without an answer are dropped.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn take_part(&mut self) -> (Vec<TokenText>, Vec<Record>) {
        let mut records = mem::take(&mut self.records);
        records.retain(|it| !it.answers.is_empty());
        (mem::take(&mut self.paragraphs), records)
    }
}

/// Set of different tokens of a file.
#[derive(Default)]
pub(super) struct DifferentTokens {
    /// Tokens; the value is true if the token occurs at least twice.
    seen: HashMap<String, bool>,
}

impl DifferentTokens {
    /// Adds the tokens of all questions and paragraphs in a corpus, and removes these from the
    /// corpus.
    pub(super) fn take_of(&mut self, corpus: &mut Corpus) {
        let records = mem::take(&mut corpus.records);
        let questions = records.iter().map(|it| &it.question);
        for text in mem::take(&mut corpus.paragraphs).iter().chain(questions) {
            for token in text.tokens() {
                match self.seen.get_mut(token) {
                    Some(twice) => *twice = true,
                    None => drop(self.seen.insert(token.to_owned(), false)),
                }
            }
        }
    }

    /// Writes the numbers of different tokens into the counts.
    pub(super) fn count(&self, counts: &mut ReadingCounts) {
        counts.vocabulary = self.seen.len();
        counts.twice = self.seen.values().filter(|&&twice| twice).count();
    }
}
