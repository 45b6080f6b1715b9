//! Statistics of one side of a corpus: source, target, or a text.

use std::borrow::Cow;

use serde::Serialize;
use strata_tasks::{Lost, Writing};
use strata_text::{Segmenter, TokenUnit, looks_encoded_as};

use super::counts::{Counts, hash};
use super::faults::{Fault, FaultReport, Faults};
use super::lengths::{Lengths, LengthsReport};

/// Minimum counts for which the size of the vocabulary is reported.
const MINIMUM_COUNTS: [u32; 5] = [1, 2, 3, 5, 10];
/// Number of the longest lines that are listed.
const NAMED: usize = 3;
/// Number of bytes, in lines that are not UTF-8, from which the encoding is guessed.
const FOREIGN: usize = 1 << 16;
/// Number of lines that are cut and joined again, to see what tokens lose.
const REJOINED: u64 = 20_000;
/// Number of characters of a line that are shown.
const SHOWN: usize = 60;

/// Running statistics of one side of a corpus.
pub struct Side {
    /// Token unit of the training; the segmenter uses one that needs no training.
    level: TokenUnit,
    segmenter: Segmenter,
    lengths: Lengths,
    vocabulary: Counts,
    characters: u64,
    longest: Vec<LongLine>,
    faults: Faults,
    writing: Writing,
    lost: Lost,
    /// The first lines that are not UTF-8.
    foreign: Vec<u8>,
    /// Number of bytes, with line ends.
    pub bytes: u64,
}

/// One of the longest lines.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct LongLine {
    /// Line number, from 1.
    pub line: u64,
    /// Number of tokens.
    pub tokens: usize,
    /// Beginning of the line.
    pub text: String,
}

/// Statistics of one side of a corpus.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct SideReport {
    /// Name of the file.
    pub file: String,
    /// Number of bytes, decompressed and with line ends; 0 for the second column of a file.
    pub bytes: u64,
    /// Number of Unicode code points.
    pub characters: u64,
    /// Number of tokens.
    pub tokens: u64,
    /// Lengths of the sentences.
    pub lengths: LengthsReport,
    /// Sizes of the vocabulary, one for each minimum count.
    pub vocabulary: Vec<VocabularyReport>,
    /// True if the sizes are exact, not estimated from a sample.
    pub vocabulary_is_exact: bool,
    /// The longest lines.
    pub longest: Vec<LongLine>,
    /// Faults of lines.
    pub faults: Vec<FaultReport>,
    /// Further notes, a sentence each.
    pub notes: Vec<String>,
}

/// Size of the vocabulary of all tokens with a minimum count.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct VocabularyReport {
    /// Number of occurrences that a token needs.
    pub minimum_count: u32,
    /// Number of different tokens.
    pub entries: u64,
    /// Share of the text's tokens that are in the vocabulary.
    pub coverage: f64,
}

impl Side {
    /// Returns empty statistics of a side.
    pub fn new(level: TokenUnit, segmenter: Segmenter) -> Self {
        Self {
            level,
            segmenter,
            lengths: Lengths::default(),
            vocabulary: Counts::default(),
            characters: 0,
            longest: Vec::new(),
            faults: Faults::default(),
            writing: Writing::default(),
            lost: Lost::default(),
            foreign: Vec::new(),
            bytes: 0,
        }
    }

    /// Counts a sentence; returns its number of tokens.
    pub fn add(&mut self, line: u64, bytes: &[u8], has_return: bool) -> usize {
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(_) = text {
            self.faults.add(Fault::NotUtf8, line);
            if self.foreign.len() < FOREIGN {
                self.foreign.extend_from_slice(bytes);
                self.foreign.push(b'\n');
            }
        } else {
            self.writing.add_line(&text);
            // A SentencePiece model is not read here.
            if self.lost.of < REJOINED && self.level != TokenUnit::Sentencepiece {
                let whole = Segmenter::of_level(self.level, self.segmenter.text_form());
                self.lost.add_line(&text, &whole.rejoined(&text));
            }
            self.faults.look(&text, line);
        }
        if has_return {
            self.faults.add(Fault::Return, line);
        }
        self.characters += text.chars().count() as u64;
        let mut tokens = 0;
        let mut count = |hash| {
            self.vocabulary.add(hash);
            tokens += 1;
        };
        self.segmenter
            .each_token(&text, &mut |token| count(hash(token)));
        self.lengths.add(tokens);
        self.keep_if_long(line, tokens, &text);
        tokens
    }

    /// Adds a fault of a line.
    pub fn fault(&mut self, fault: Fault, line: u64) {
        self.faults.add(fault, line);
    }

    fn keep_if_long(&mut self, line: u64, tokens: usize, text: &str) {
        let place = self.longest.iter().position(|it| tokens > it.tokens);
        let place = place.unwrap_or(self.longest.len());
        if place < NAMED && tokens > 0 {
            let mut shown: String = text.trim().chars().take(SHOWN).collect();
            if shown.len() < text.trim().len() {
                shown.push('…');
            }
            let text = shown;
            self.longest.insert(place, LongLine { line, tokens, text });
            self.longest.truncate(NAMED);
        }
    }

    /// Returns the statistics so far.
    pub fn report(&self, file: String, name: &str) -> SideReport {
        let mut notes = self.writing.on_level(name, self.level);
        // Other remarks of `Writing` are reported as faults of lines.
        notes.extend(self.writing.on_spelling(name));
        notes.extend(self.writing.on_escapes(name));
        // A model writes no source, so what tokens lose does not matter there.
        if name != "source" {
            let form = self.segmenter.text_form();
            notes.extend(self.lost.sentence(name, self.level, form, ""));
        }
        if !self.foreign.is_empty()
            && let Some(encoding) = looks_encoded_as(&self.foreign)
        {
            notes.push(format!(
                "The lines that are not UTF-8 look like {encoding}: convert the file, for example \
                 with `iconv -f {encoding} -t UTF-8`."
            ));
        }
        let tokens = self.lengths.tokens();
        let vocabulary = MINIMUM_COUNTS.map(|minimum_count| {
            let (entries, times) = self.vocabulary.at_least(minimum_count);
            // An estimate from a sample may exceed 1.
            let coverage = (times as f64 / tokens.max(1) as f64).min(1.0);
            VocabularyReport {
                minimum_count,
                entries,
                coverage,
            }
        });
        SideReport {
            file,
            bytes: self.bytes,
            characters: self.characters,
            tokens,
            lengths: self.lengths.report(),
            vocabulary: vocabulary.to_vec(),
            vocabulary_is_exact: self.vocabulary.is_exact(),
            longest: self.longest.clone(),
            faults: self.faults.report(),
            notes,
        }
    }
}
