//! Remarks on unusual questions and passages, printed beside the answer.

use std::collections::HashSet;

use strata_tasks::{Question, ReadingTokenizer, TokenText};
use strata_text::{hides_in_words, is_blank, special::UNK};
use strata_training::Inference;

use crate::display::format::{counted, grouped};

/// Most unknown words that one remark names.
const NAMED: usize = 10;

/// Refuses a question, or passages, without a visible character.
///
/// # Errors
/// A sentence if the question is blank, or all passages are.
pub(super) fn check(question: &str, passages: &[&str]) -> Result<(), &'static str> {
    if is_blank(question) {
        return Err("the question is blank");
    }
    if passages.iter().all(|passage| is_blank(passage)) {
        Err("the passage is blank")
    } else {
        Ok(())
    }
}

/// True if the question is longer than the model reads, so that its last tokens are cut.
pub(super) fn is_cut(question: &TokenText) -> bool {
    let Some(last) = question.len().checked_sub(1) else {
        return false;
    };
    let end = question.bytes(last..=last).end;
    !is_blank(question.text().get(end..).unwrap_or_default())
}

/// True if the model knows no token of a text.
pub(super) fn is_unknown(text: &TokenText) -> bool {
    text.ids().iter().all(|&id| id == UNK)
}

/// Remarks on questions; a remark that was made before is left out.
#[derive(Default)]
pub(super) struct Remarks {
    made: HashSet<String>,
}

impl Remarks {
    /// Returns remarks on what is unusual about a question, a sentence each.
    pub(super) fn of(
        &mut self,
        inference: &Inference,
        tokenizer: &ReadingTokenizer,
        question: &Question,
    ) -> Vec<String> {
        let mut remarks = Vec::new();
        if is_cut(&question.question) {
            remarks.push(format!(
                "the question has {} tokens, of which the first {} are read",
                grouped(tokenizer.text(question.question.text()).len() as u64),
                grouped(question.question.len() as u64),
            ));
        }
        if is_unknown(&question.question) {
            remarks.push("the model knows no word of the question".to_owned());
        }
        let mut texts = vec![question.question.text()];
        texts.extend(
            question
                .passages
                .iter()
                .map(|passage| passage.paragraph.text()),
        );
        if texts.iter().any(|text| text.contains(hides_in_words)) {
            let hidden = "there are invisible characters (as U+200B, a space without width), which \
                          make another word of the one around them";
            remarks.extend(self.is_first(hidden).then(|| hidden.to_owned()));
        }
        let mut unknown = inference.tokenizer().unknown_words(question);
        unknown.retain(|word| self.is_first(&format!("`{word}`")));
        if !unknown.is_empty() {
            let named: Vec<String> = unknown
                .iter()
                .take(NAMED)
                .map(|word| format!("`{word}`"))
                .collect();
            let others = unknown.len().saturating_sub(NAMED);
            let others = match others {
                0 => String::new(),
                others => format!(" and {}", counted(others as u64, "other word")),
            };
            remarks.push(format!(
                "the model does not know {}{others}",
                named.join(", ")
            ));
        }
        remarks
    }

    fn is_first(&mut self, remark: &str) -> bool {
        self.made.insert(remark.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_nothing_is_no_question_and_no_passage() {
        for blank in ["", " \t", "\u{200b}\u{feff}", "\u{3000}"] {
            assert_eq!(
                check(blank, &["a"]),
                Err("the question is blank"),
                "{blank:?}"
            );
            assert_eq!(
                check("a", &[blank]),
                Err("the passage is blank"),
                "{blank:?}"
            );
            assert_eq!(check("a", &[blank, "b"]), Ok(()));
        }
        assert_eq!(check("?", &["."]), Ok(()));
    }
}
