//! Text to token identifiers and back, for one experiment.

use std::path::Path;

use strata_tasks::{
    Example, Form, Kept, Segmenter, TaskConfig, TaskError, TextConfig, Vocabulary, is_blank,
    special,
};

use crate::TranslationError;

/// Any model may be asked for a text of this length, however short its examples were.
const ALWAYS_ALLOWED: usize = 200;
/// No target is written beyond this, whatever a file says of its data.
const LONGEST: usize = 10_000;

/// Text to token identifiers and back, for one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokenizer {
    pub(crate) task: TaskConfig,
    pub(crate) source: Vocabulary,
    pub(crate) target: Vocabulary,
    pub(crate) source_segmenter: Segmenter,
    pub(crate) target_segmenter: Segmenter,
    /// Tokens of the longest source and of the longest target of the data.
    pub(crate) longest: (usize, usize),
    /// The most positions that the model can tell apart, where there is an end to them.
    pub(crate) positions: Option<usize>,
}

/// A source text, cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// As text.
    pub tokens: Vec<String>,
    /// For the model.
    pub ids: Vec<u32>,
    /// Those that the vocabulary does not know, each once.
    pub unknown: Vec<String>,
}

impl Tokenizer {
    /// Cuts what a person typed.
    ///
    /// # Errors
    /// If there is no token, or more than 200 and than the longest source of the data, or more
    /// than the model has positions for.
    pub fn encode(&self, text: &str) -> Result<Encoded, TranslationError> {
        let tokens = self.source_segmenter.split(&self.task.normalise(text));
        let limit = self.longest.0.max(ALWAYS_ALLOWED);
        let limit = self
            .positions
            .map_or(limit, |positions| limit.min(positions));
        if tokens.is_empty() || is_blank(text) {
            return Err(TranslationError::Empty);
        }
        if tokens.len() > limit {
            return Err(TranslationError::TooLong {
                tokens: tokens.len(),
                limit,
            });
        }
        let ids = self.source.encode(&tokens);
        let mut unknown: Vec<String> = Vec::new();
        for (token, &id) in tokens.iter().zip(&ids) {
            if id == special::UNK && !unknown.contains(token) {
                unknown.push(token.clone());
            }
        }
        Ok(Encoded {
            tokens,
            ids,
            unknown,
        })
    }

    /// The identifiers of a right answer: as many tokens as it has, none if it is empty.
    pub fn encode_target(&self, text: &str) -> Vec<u32> {
        let tokens = self.target_segmenter.split(&self.task.normalise(text));
        self.target.encode(&tokens)
    }

    /// The identifiers of target tokens as [`target_tokens`](Self::target_tokens) says them, the
    /// special ones among them.
    pub fn target_ids(&self, tokens: &[String]) -> Vec<u32> {
        let special = |token: &String| special::TEXTS.iter().position(|text| text == token);
        let id = |token| match special(token) {
            Some(id) => id as u32,
            None => self.target.id(token),
        };
        tokens.iter().map(id).collect()
    }

    /// Another text, cut as the model's own.
    ///
    /// # Errors
    /// If the file cannot be read, or there is nothing in it.
    pub fn segments(&self, task: &TextConfig, path: &Path) -> Result<Vec<Example>, TaskError> {
        task.segments(path, &self.target_segmenter, &self.target)
    }

    /// What to try a model on: the source of a pair; of a segment of text, the first half of its
    /// longest line.
    pub fn prompt(&self, example: &Example) -> Encoded {
        let ids = match self.form() {
            Form::Pairs => &example.source[..],
            Form::Text => {
                let lines = example.target.split(|&id| id == special::EOS);
                let longest = lines.max_by_key(|line| line.len()).unwrap_or_default();
                &longest[..longest.len().div_ceil(2)]
            }
        };
        Encoded {
            tokens: self.source_tokens(ids),
            ids: ids.to_vec(),
            unknown: Vec::new(),
        }
    }

    /// How many tokens to write at most for sources of up to `source` tokens: as many as the
    /// longest target of the data, and room for a longer text than those.
    pub fn decoding_limit(&self, source: usize) -> usize {
        (self.longest.1.max(2 * source).min(LONGEST) + 1).min(self.longest_target())
    }

    /// The most tokens that the model can write or be shown as a target: BOS stands before them.
    pub fn longest_target(&self) -> usize {
        self.positions.map_or(usize::MAX, |positions| positions - 1)
    }

    /// The tokens of source identifiers.
    pub fn source_tokens(&self, ids: &[u32]) -> Vec<String> {
        texts(&self.source, ids)
    }

    /// The tokens of target identifiers.
    pub fn target_tokens(&self, ids: &[u32]) -> Vec<String> {
        texts(&self.target, ids)
    }

    /// Source identifiers as text.
    pub fn source_text(&self, ids: &[u32]) -> String {
        self.source_segmenter.join(&self.source.decode(ids))
    }

    /// Target identifiers as text; of a task that is one text, with its lines.
    pub fn target_text(&self, ids: &[u32]) -> String {
        let join = |ids| self.target_segmenter.join(&self.target.decode(ids));
        match self.form() {
            Form::Pairs => join(ids),
            Form::Text => {
                let lines: Vec<String> = ids.split(|&id| id == special::EOS).map(join).collect();
                lines.join("\n")
            }
        }
    }

    /// What tells how text is cut, of source and target, to load the data again.
    pub(crate) fn kept(&self) -> Kept<'_> {
        [
            (&self.source_segmenter, &self.source),
            (&self.target_segmenter, &self.target),
        ]
    }

    /// What the task's examples are.
    pub fn form(&self) -> Form {
        self.task.form()
    }

    /// How many tokens each side knows, special ones included.
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
