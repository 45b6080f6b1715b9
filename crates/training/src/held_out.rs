//! What a model is measured on, as its tokens and as it is in the file.

use std::ops::Range;

use strata_tasks::{Example, Form, Written, special};

use crate::{Encoded, Tokenizer};

/// Examples that a model was not trained on, with the text that they are in the file.
///
/// Scores compare with that text, and it is what a user is shown: the tokens have `<unk>` in the
/// place of each word that is too rare for the vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct HeldOut<'a> {
    tokenizer: &'a Tokenizer,
    examples: &'a [Example],
    written: &'a Written,
}

impl<'a> HeldOut<'a> {
    /// Examples in the tokens of `tokenizer`, and how they are `written`.
    pub fn new(tokenizer: &'a Tokenizer, examples: &'a [Example], written: &'a Written) -> Self {
        Self {
            tokenizer,
            examples,
            written,
        }
    }

    /// All of them as tokens.
    pub fn examples(&self) -> &'a [Example] {
        self.examples
    }

    /// What is kept of their text.
    pub fn written(&self) -> &'a Written {
        self.written
    }

    /// The source of an example as it is in the file; of a segment of text, what is read.
    pub fn source(&self, at: usize) -> String {
        match self.written {
            Written::Pairs(pairs) => pairs[at][0].clone(),
            Written::AsTokens => self.tokenizer.source_text(&self.examples[at].source),
            Written::Text(_) => {
                let segmenter = &self.tokenizer.source_segmenter;
                segmenter.join(&self.source_tokens(at))
            }
        }
    }

    /// The right answer as it is in the file; of a segment of text, what is written.
    pub fn target(&self, at: usize) -> String {
        match self.written {
            Written::Pairs(pairs) => pairs[at][1].clone(),
            Written::AsTokens => self.tokenizer.target_text(&self.examples[at].target),
            Written::Text(_) => {
                let ids = &self.examples[at].target;
                self.tokenizer.joined_target(&self.target_tokens(at), ids)
            }
        }
    }

    /// The tokens of a source, each as the text has it, also those that the vocabulary lacks.
    pub fn source_tokens(&self, at: usize) -> Vec<String> {
        let ids = &self.examples[at].source;
        match self.written {
            Written::Pairs(pairs) => self.tokenizer.split_source(&pairs[at][0]),
            // It is the text one token behind.
            _ => self.labels(self.tokenizer.source_tokens(ids), at, -1),
        }
    }

    /// The tokens of a right answer, each as the text has it, also those that the vocabulary lacks.
    pub fn target_tokens(&self, at: usize) -> Vec<String> {
        let ids = &self.examples[at].target;
        match self.written {
            Written::Pairs(pairs) => self.tokenizer.split_target(&pairs[at][1]),
            _ => self.labels(self.tokenizer.target_tokens(ids), at, 0),
        }
    }

    /// Puts the tokens of a text that the vocabulary lacks into the tokens of a segment, which are
    /// `shift` places from those that it writes.
    fn labels(&self, mut tokens: Vec<String>, at: usize, shift: i64) -> Vec<String> {
        if let Written::Text(written) = self.written {
            // All segments but the last are of one length.
            let first = at * self.examples[0].target.len();
            for (place, token) in (first as i64 + shift..).zip(&mut tokens) {
                let unknown = u64::try_from(place).ok();
                if let Some(unknown) = unknown.and_then(|place| written.unknown(place)) {
                    unknown.clone_into(token);
                }
            }
        }
        tokens
    }

    /// The tokens of an example that the vocabulary lacks, each once.
    pub fn unknown(&self, at: usize) -> Vec<String> {
        let Example { source, target } = &self.examples[at];
        let tokens = |ids: &'a [u32], tokens: fn(&Self, usize) -> Vec<String>| {
            // Most examples have none, and need no cutting.
            match ids.contains(&special::UNK) {
                true => unknown(&tokens(self, at), ids),
                false => Vec::new(),
            }
        };
        let mut all = tokens(source, Self::source_tokens);
        for token in tokens(target, Self::target_tokens) {
            if !all.contains(&token) {
                all.push(token);
            }
        }
        all
    }

    /// What to try a model on: the source of a pair; of a segment of text, the first half of its
    /// longest line.
    pub fn prompt(&self, at: usize) -> Encoded {
        let example = &self.examples[at];
        let (tokens, ids) = match self.tokenizer.form() {
            Form::Pairs => (self.source_tokens(at), &example.source[..]),
            Form::Text => {
                let line = longest_line(&example.target);
                let half = line.start..line.start + line.len().div_ceil(2);
                let tokens = self.target_tokens(at)[half.clone()].to_vec();
                (tokens, &example.target[half])
            }
        };
        Encoded {
            unknown: unknown(&tokens, ids),
            ids: ids.to_vec(),
            tokens,
        }
    }

    /// The text of [`prompt`](Self::prompt).
    pub fn prompt_text(&self, at: usize) -> String {
        match self.tokenizer.form() {
            Form::Pairs => self.source(at),
            Form::Text => {
                let Encoded { tokens, ids, .. } = self.prompt(at);
                self.tokenizer.joined_target(&tokens, &ids)
            }
        }
    }

    /// True if what a model wrote is the right answer; see [`Tokenizer::is_right`].
    pub fn is_right(&self, at: usize, ids: &[u32]) -> bool {
        match self.written {
            Written::Pairs(pairs) => self.tokenizer.is_right(ids, &pairs[at][1]),
            _ => ids == self.examples[at].target,
        }
    }

    /// Characters of the targets as they are in the file; of a text, with its line ends.
    pub fn characters(&self) -> u64 {
        match self.written {
            Written::Text(written) => written.characters,
            Written::Pairs(pairs) => pairs.iter().map(|[_, it]| it.chars().count() as u64).sum(),
            Written::AsTokens => {
                let targets = self.examples.iter().map(|it| &it.target[..]);
                let ids = targets.collect::<Vec<_>>().concat();
                self.tokenizer.target_text(&ids).chars().count() as u64
            }
        }
    }
}

/// Where the longest line of a segment lies, without its end; of equal ones the last.
fn longest_line(ids: &[u32]) -> Range<usize> {
    let mut start = 0;
    let lines = ids.split(|&id| id == special::EOS).map(|line| {
        let line = start..start + line.len();
        start = line.end + 1;
        line
    });
    lines.max_by_key(Range::len).unwrap_or_default()
}

/// The tokens that the vocabulary does not know, each once.
pub(crate) fn unknown(tokens: &[String], ids: &[u32]) -> Vec<String> {
    let mut unknown: Vec<String> = Vec::new();
    for (token, &id) in tokens.iter().zip(ids) {
        if id == special::UNK && !unknown.contains(token) {
            unknown.push(token.clone());
        }
    }
    unknown
}
