//! Prints translations and continuations, each on a line.

use std::io::{self, Write};
use std::process::ExitCode;

use strata_models::Search;
use strata_training::{Encoded, Inference, Translation, TranslationError};

use super::decoding::translate_all;
use super::too_long::{LongLines, TooLongWords};
use super::{Generation, listed};
use crate::base::error::Error;
use crate::base::output::warn;
use crate::model::attention_file::AttentionFile;
use crate::model::search::Bounds;

/// Prints translations, each on a line.
pub(super) struct Output {
    pub generation: &'static dyn Generation,
    pub inference: Inference,
    pub search: Search,
    pub bounds: Bounds,
    /// True if each output line begins with the number of the source line.
    pub numbered: bool,
    /// True if each output line includes the score.
    pub scored: bool,
    pub attention: Option<AttentionFile>,
    /// Number of lines read.
    pub lines: usize,
    /// True once the user was warned that the tokens lack a part of a beginning.
    pub has_warned_of_loss: bool,
    pub long: LongLines,
    /// Number of translations that are shorter than `--min-length`.
    pub short: usize,
    /// Error in writing to standard output, if any.
    pub written: io::Result<()>,
}

impl Output {
    /// Encodes an input line; `None` if the output line stays empty.
    ///
    /// # Errors
    /// The reason, a sentence without a full stop, if the model translates no texts at all.
    pub(super) fn encode(&mut self, number: usize, line: &str) -> Result<Option<Encoded>, String> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let tokenizer = self.inference.tokenizer();
        let (encoded, surplus) = match tokenizer.encode_within(line) {
            // An empty line stays empty, although a language model could begin a text by itself.
            Ok((encoded, _)) if encoded.ids.is_empty() => return Ok(None),
            Ok(found) => found,
            Err(TranslationError::Empty) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let taken = encoded.ids.len();
        if let Some(limit) = self.limit_below(taken) {
            warn(&format!(
                "warning: standard input, line {number}: the text begins with {taken} tokens, which \
                 `--limit {limit}` counts; nothing is written behind them."
            ));
        }
        if surplus == 0 {
            self.warn_of_loss(line, &encoded);
            return Ok(Some(encoded));
        }
        let words = TooLongWords::new(self.generation.cutting(), taken, surplus);
        Ok(self.long.handle(number, &words).then_some(encoded))
    }

    /// Returns `--limit` if a text that begins with this many tokens leaves no room below the limit.
    pub(super) fn limit_below(&self, beginning: usize) -> Option<usize> {
        let limit = self.bounds.limit.filter(|&limit| limit < beginning);
        limit.filter(|_| self.generation.counts_beginning())
    }

    /// Warns, once, if the tokens do not contain all of the text that the model is to continue.
    pub(super) fn warn_of_loss(&mut self, text: &str, encoded: &Encoded) {
        if self.has_warned_of_loss {
            return;
        }
        let tokenizer = self.inference.tokenizer();
        if let Some(warning) = self.generation.loss_in_tokens(tokenizer, text, encoded) {
            self.has_warned_of_loss = true;
            warn(&warning);
        }
    }

    /// Translates lines and writes the results; an empty line stays empty.
    pub(super) fn translate(&mut self, lines: Vec<Option<Encoded>>) -> Result<(), Error> {
        let sources: Vec<Encoded> = lines.iter().flatten().cloned().collect();
        warn_of_unknown(&sources);
        let numbers = (self.lines as u64..).zip(&lines);
        let numbers = numbers.filter(|(_, line)| line.is_some());
        let numbers: Vec<u64> = numbers.map(|(number, _)| number).collect();
        let (search, bounds) = (&self.search, &self.bounds);
        let found = translate_all(&self.inference, &sources, &numbers, search, bounds)?;
        let least = bounds.constraints.minimum_length;
        let is_short = |translation: &&Translation| translation.ids.len() < least;
        self.short += found.iter().flatten().filter(is_short).count();
        let mut found = sources.iter().zip(found);
        let mut text = String::new();
        for line in &lines {
            let translated = line.as_ref().and_then(|_| found.next());
            match &translated {
                None => text += &self.line(None),
                Some((_, translations)) => {
                    for translation in translations {
                        text += &self.line(Some(translation));
                    }
                }
            }
            self.lines += 1;
            if let Some(file) = &mut self.attention
                && let Some((source, translations)) = translated
                && let Some(best) = translations.first()
            {
                file.add(self.lines, &self.inference, source, best)?;
            }
        }
        let mut stdout = io::stdout().lock();
        self.written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        Ok(())
    }

    /// Returns the output line of a translation, with number and score if the user asked for them.
    fn line(&self, translation: Option<&Translation>) -> String {
        let mut line = String::new();
        if self.numbered {
            line += &format!("{}\t", self.lines);
        }
        if self.numbered || self.scored {
            let score = translation.map_or(0.0, |translation| translation.normalised);
            line += &format!("{score:.4}\t");
        }
        line + translation.map_or("", |translation| &translation.text) + "\n"
    }

    /// Ends the output, and returns the exit code.
    ///
    /// # Errors
    /// If what was printed found no room, or the attention cannot be written.
    pub(super) fn end(self) -> Result<ExitCode, Error> {
        if let Some(file) = self.attention {
            file.finish()?;
        }
        if self.short > 0 {
            warn(&format!(
                "warning: {} shorter than `--min-length {}` asks for: no token was left that may \
                 follow (`--no-repeat-ngram`).",
                match self.short {
                    1 => "1 text is".to_owned(),
                    count => format!("{count} texts are"),
                },
                self.bounds.constraints.minimum_length
            ));
        }
        match self.written {
            Ok(()) => Ok(ExitCode::SUCCESS),
            // The reader has closed its pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(reason) => Err(Error::Write {
                path: "standard output".into(),
                what: "text",
                reason,
                advice: "make room where it goes".to_owned(),
            }),
        }
    }
}

/// Warns of words that the model does not know.
fn warn_of_unknown(sources: &[Encoded]) {
    let mut unknown: Vec<&str> = Vec::new();
    for word in sources.iter().flat_map(|source| &source.unknown) {
        if !unknown.contains(&word.as_str()) {
            unknown.push(word);
        }
    }
    if !unknown.is_empty() {
        let words = listed(&unknown);
        warn(&format!("warning: the model does not know {words}."));
    }
}
