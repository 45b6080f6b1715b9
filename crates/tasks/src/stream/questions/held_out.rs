//! Held-out questions in blocks: consecutive JSON values, each with the paragraphs that no earlier
//! question has.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{AnswerSpan, Passage, Question, ReadingTokenizer, TokenText};

/// A question as stored. The ids of its tokens are looked up again when it is read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept<'a> {
    id: Cow<'a, str>,
    question: KeptText<'a>,
    /// Paragraphs that no earlier question has, numbered consecutively.
    paragraphs: Vec<KeptText<'a>>,
    passages: Vec<KeptPassage>,
    /// Indices of passage, first token and last token of the answer.
    target: Option<[usize; 3]>,
    answers: Cow<'a, [String]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptText<'a> {
    text: Cow<'a, str>,
    places: Cow<'a, [[u32; 2]]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptPassage {
    paragraph: usize,
    window: Range<usize>,
    document: usize,
}

/// Writer of held-out questions.
#[derive(Default)]
pub(in crate::stream) struct HeldOutWriter {
    /// Number of each written paragraph, by its address in memory.
    numbers: HashMap<*const TokenText, usize>,
}

impl HeldOutWriter {
    /// Appends a question, which must stay in memory until the last one is written.
    pub(in crate::stream) fn write(
        &mut self,
        question: &Question,
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut paragraphs = Vec::new();
        let passages = question.passages.iter().map(|passage| {
            let next = self.numbers.len();
            let place = Arc::as_ptr(&passage.paragraph);
            let paragraph = *self.numbers.entry(place).or_insert(next);
            if paragraph == next {
                paragraphs.push(KeptText::of(&passage.paragraph));
            }
            KeptPassage {
                paragraph,
                window: passage.window.clone(),
                document: passage.document,
            }
        });
        let passages = passages.collect();
        let kept = Kept {
            id: Cow::Borrowed(&question.id),
            question: KeptText::of(&question.question),
            paragraphs,
            passages,
            target: question.target.map(AnswerSpan::numbers),
            answers: Cow::Borrowed(&question.answers),
        };
        Ok(serde_json::to_writer(bytes, &kept)?)
    }
}

/// Reader of held-out questions.
pub(super) struct HeldOutReader<'a> {
    tokenizer: &'a ReadingTokenizer,
    paragraphs: Vec<Arc<TokenText>>,
}

impl<'a> HeldOutReader<'a> {
    pub(super) fn new(tokenizer: &'a ReadingTokenizer) -> Self {
        Self {
            tokenizer,
            paragraphs: Vec::new(),
        }
    }

    /// Reads the questions of the next block; `None` if the block is damaged.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<Vec<Question>> {
        let kept = serde_json::Deserializer::from_slice(bytes).into_iter::<Kept<'_>>();
        kept.map(|kept| self.question(kept.ok()?)).collect()
    }

    fn question(&mut self, kept: Kept<'_>) -> Option<Question> {
        for paragraph in kept.paragraphs {
            let paragraph = self.text(paragraph)?;
            self.paragraphs.push(Arc::new(paragraph));
        }
        let passages = kept.passages.into_iter().map(|passage| {
            let paragraph = self.paragraphs.get(passage.paragraph)?;
            let Range { start, end } = passage.window;
            let is_within = start <= end && end <= paragraph.len();
            is_within.then(|| Passage {
                paragraph: Arc::clone(paragraph),
                window: passage.window,
                document: passage.document,
            })
        });
        let passages: Vec<Passage> = passages.collect::<Option<_>>()?;
        if let Some([passage, start, end]) = kept.target {
            let tokens = passages.get(passage)?.len();
            if start > end || end >= tokens {
                return None;
            }
        }
        let target = kept.target.map(|[passage, start, end]| AnswerSpan {
            passage,
            start,
            end,
        });
        Some(Question {
            id: kept.id.into_owned(),
            question: self.text(kept.question)?,
            passages,
            target,
            answers: kept.answers.into_owned(),
        })
    }

    fn text(&self, kept: KeptText<'_>) -> Option<TokenText> {
        let KeptText { text, places } = kept;
        let is_within = |&[start, end]: &[u32; 2]| text.get(start as usize..end as usize).is_some();
        if !places.iter().all(is_within) {
            return None;
        }
        let mut text = TokenText::new(text.into_owned(), places.into_owned());
        self.tokenizer.number(&mut text);
        Some(text)
    }
}

impl<'a> KeptText<'a> {
    fn of(text: &'a TokenText) -> Self {
        Self {
            text: Cow::Borrowed(text.text()),
            places: Cow::Borrowed(text.places()),
        }
    }
}
