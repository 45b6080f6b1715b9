//! Held-out examples, as tokens and as the text of the file.

use strata_metrics::AnswerRules;
use strata_models::PAD;
use strata_tasks::{Example, Question, ReadingData, Written};
use strata_text::special;

use crate::{Encoded, Tokenizer, free_answers};

/// Text of examples whose tokens determine their text.
static AS_TOKENS: Written = Written::AsTokens;

/// Examples that a model was not trained on, with their text in the file.
///
/// Scores compare with the text of the file, which is also shown to users: among the tokens,
/// `<unk>` replaces each word that is too rare for the vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct HeldOut<'a> {
    tokenizer: &'a Tokenizer,
    kind: Kind<'a>,
}

/// Held-out examples of a kind of work.
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    /// Pairs, or segments of a text.
    Sequences {
        examples: &'a [Example],
        written: &'a Written,
    },
    /// Questions of a reader.
    Questions {
        questions: &'a [Question],
        /// Rules by which free answers are scored; `None` if answers are spans.
        free_answers: Option<AnswerRules>,
    },
}

impl<'a> HeldOut<'a> {
    /// Joins examples in the tokens of `tokenizer` with their text.
    pub fn new(tokenizer: &'a Tokenizer, examples: &'a [Example], written: &'a Written) -> Self {
        Self {
            tokenizer,
            kind: Kind::Sequences { examples, written },
        }
    }

    /// Joins questions, a part of `data`, with the tokenizer of their texts.
    pub(crate) fn of_questions(
        tokenizer: &'a Tokenizer,
        data: &ReadingData,
        questions: &'a [Question],
    ) -> Self {
        Self {
            tokenizer,
            kind: Kind::Questions {
                questions,
                free_answers: free_answers(data.format),
            },
        }
    }

    /// Questions of a reader; empty for other models.
    pub fn questions(&self) -> &'a [Question] {
        match self.kind {
            Kind::Questions { questions, .. } => questions,
            Kind::Sequences { .. } => &[],
        }
    }

    /// Rules by which a reader's free answers are scored, beside the rules of spans; `None` if
    /// answers are spans.
    pub fn free_answers(&self) -> Option<AnswerRules> {
        match self.kind {
            Kind::Questions { free_answers, .. } => free_answers,
            Kind::Sequences { .. } => None,
        }
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        match self.kind {
            Kind::Sequences { examples, .. } => examples.len(),
            Kind::Questions { questions, .. } => questions.len(),
        }
    }

    /// True if there are no held-out examples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All examples as tokens; empty for a reader.
    pub fn examples(&self) -> &'a [Example] {
        match self.kind {
            Kind::Sequences { examples, .. } => examples,
            Kind::Questions { .. } => &[],
        }
    }

    /// Text of the examples, as far as tokens do not determine it.
    pub fn written(&self) -> &'a Written {
        match self.kind {
            Kind::Sequences { written, .. } => written,
            Kind::Questions { .. } => &AS_TOKENS,
        }
    }

    /// Source of an example as it is in the file. For a segment of text, the text that the model
    /// reads.
    pub fn source(&self, at: usize) -> String {
        match self.written() {
            Written::Pairs(pairs) => pairs[at][0].clone(),
            Written::AsTokens => self.tokenizer.source_text(&self.examples()[at].source),
            Written::Text(_) => {
                let segmenter = &self.tokenizer.source_segmenter;
                segmenter.join(&self.source_tokens(at))
            }
        }
    }

    /// Reference as it is in the file. For a segment of text, the text that the model is to
    /// predict.
    pub fn target(&self, at: usize) -> String {
        match self.written() {
            Written::Pairs(pairs) => pairs[at][1].clone(),
            Written::AsTokens => self.tokenizer.target_text(&self.examples()[at].target),
            Written::Text(_) => {
                let ids = &self.examples()[at].target;
                self.tokenizer.joined_target(&self.target_tokens(at), ids)
            }
        }
    }

    /// Tokens of a source as in the text, including those that the vocabulary lacks.
    pub fn source_tokens(&self, at: usize) -> Vec<String> {
        let ids = &self.examples()[at].source;
        match self.written() {
            Written::Pairs(pairs) => self.tokenizer.split_written_source(&pairs[at][0]),
            // The source of a segment is its target, shifted by one token.
            _ => self.labels(self.tokenizer.source_tokens(ids), at, -1),
        }
    }

    /// Tokens of a reference as in the text, including those that the vocabulary lacks.
    pub fn target_tokens(&self, at: usize) -> Vec<String> {
        let ids = &self.examples()[at].target;
        match self.written() {
            Written::Pairs(pairs) => self.tokenizer.split_target(&pairs[at][1]),
            _ => self.labels(self.tokenizer.target_tokens(ids), at, 0),
        }
    }

    /// Replaces each `<unk>` among the tokens of a segment by the token as it is in the text.
    /// `shift` is the offset of `tokens` from the segment's target.
    fn labels(&self, mut tokens: Vec<String>, at: usize, shift: i64) -> Vec<String> {
        if let Written::Text(written) = self.written() {
            // All segments but the last have the same length.
            let first = at * self.examples()[0].target.len();
            for (place, token) in (first as i64 + shift..).zip(&mut tokens) {
                let unknown = u64::try_from(place).ok();
                if let Some(unknown) = unknown.and_then(|place| written.unknown(place)) {
                    unknown.clone_into(token);
                }
            }
        }
        tokens
    }

    /// Tokens of an example that the vocabulary lacks, each once.
    pub fn unknown(&self, at: usize) -> Vec<String> {
        let Example { source, target } = &self.examples()[at];
        let tokens = |ids: &'a [u32], tokens: fn(&Self, usize) -> Vec<String>| {
            // Most examples have no such tokens, and need no segmentation.
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

    /// Prompt for trying the model: the source of a pair, the first half of the longest line of a
    /// segment of text, or a question.
    pub fn prompt(&self, at: usize) -> Encoded {
        let (tokens, ids) = self.tokenizer.kind.prompt(self, at);
        Encoded {
            unknown: unknown(&tokens, &ids),
            ids,
            tokens,
        }
    }

    /// Text of the [`prompt`](Self::prompt).
    pub fn prompt_text(&self, at: usize) -> String {
        self.tokenizer.kind.prompt_text(self, at)
    }

    /// Tokenizer of the examples.
    pub(crate) fn tokenizer(&self) -> &'a Tokenizer {
        self.tokenizer
    }

    /// Text of the passage that holds a question's answer; `None` if the question has no passage.
    pub fn passage_text(&self, at: usize) -> Option<String> {
        let question = self.questions().get(at)?;
        let passage = question.target.map_or(0, |it| it.passage);
        let passage = question.passages.get(passage)?;
        Some(passage.paragraph.text().to_owned())
    }

    /// True if the model's output equals the reference; see [`Tokenizer::is_right`].
    pub fn is_right(&self, at: usize, ids: &[u32]) -> bool {
        match self.written() {
            Written::Pairs(pairs) => self.tokenizer.is_right(ids, &pairs[at][1]),
            _ => {
                // A place that holds PAD asks for nothing.
                let target = &self.examples()[at].target;
                let mut places = target.iter().zip(ids);
                target.len() == ids.len() && places.all(|(asked, id)| *asked == PAD || asked == id)
            }
        }
    }

    /// Number of characters of the targets as they are in the file; for a text, line ends included.
    pub fn characters(&self) -> u64 {
        match self.written() {
            Written::Text(written) => written.characters,
            Written::Pairs(pairs) => pairs.iter().map(|[_, it]| it.chars().count() as u64).sum(),
            Written::AsTokens => {
                let targets = self.examples().iter().map(|it| &it.target[..]);
                let mut ids = targets.collect::<Vec<_>>().concat();
                // Places that are not counted have no characters.
                ids.retain(|&id| id != special::PAD);
                self.tokenizer.target_text(&ids).chars().count() as u64
            }
        }
    }
}

/// Tokens that the vocabulary lacks, each once.
pub(crate) fn unknown(tokens: &[String], ids: &[u32]) -> Vec<String> {
    let mut unknown: Vec<String> = Vec::new();
    for (token, &id) in tokens.iter().zip(ids) {
        if id == special::UNK && !unknown.contains(token) {
            unknown.push(token.clone());
        }
    }
    unknown
}
