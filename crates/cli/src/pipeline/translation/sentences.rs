//! Sentences to measure a model on, line by line as in the file.

use strata_tasks::{Example, Lost, Written};
use strata_text::{ParallelText, TextForm, TokenUnit, special};
use strata_training::{Encoded, Tokenizer, Trainer, TranslationError};

use crate::display::format::grouped;

/// Most line numbers that a note lists.
const NAMED: usize = 5;

/// A line on which the model is measured.
pub struct Sentence {
    /// The source in tokens; `None` if the line cannot be translated.
    pub source: Option<Encoded>,
    /// The source as text.
    pub source_text: String,
    /// The reference translation, as the file has it.
    pub reference: String,
    /// True if the line has both sides, so that it counts for loss and exact matches.
    pub is_whole: bool,
}

/// All lines of a text, or all held-out pairs of a run.
pub struct Sentences {
    pub all: Vec<Sentence>,
    /// Lines with both sides, in tokens.
    pub examples: Vec<Example>,
    /// Line number, from 1, and fault of each line that is left out.
    left_out: Vec<(usize, Fault)>,
    /// References that cannot be spelled with the model's tokens.
    lost: Lost,
    /// Unit of the tokens, and form of the texts.
    cut: (TokenUnit, TextForm),
}

/// Reason why a line has no loss.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    NoSource,
    LongSource { limit: usize },
    NoTarget,
    LongTarget { limit: usize },
}

impl Sentences {
    /// Encodes the lines of a text in the tokens of a model.
    pub fn of_text(tokenizer: &Tokenizer, text: ParallelText) -> Self {
        let mut sentences = Self {
            all: Vec::with_capacity(text.pairs.len()),
            examples: Vec::new(),
            left_out: Vec::new(),
            lost: Lost::default(),
            cut: cut(tokenizer),
        };
        for (line, (source, reference)) in (1..).zip(text.pairs) {
            let encoded = tokenizer.encode_line(&source).map_err(|error| match error {
                TranslationError::TooLong { limit, .. } => Fault::LongSource { limit },
                _ => Fault::NoSource,
            });
            let target = tokenizer.encode_target(&reference);
            let limit = tokenizer.longest_target();
            let target = match target.len() {
                0 => Err(Fault::NoTarget),
                tokens if tokens > limit => Err(Fault::LongTarget { limit }),
                _ => Ok(target),
            };
            let fault = encoded.as_ref().err().or(target.as_ref().err()).copied();
            sentences.left_out.extend(fault.map(|fault| (line, fault)));
            if let (Ok(source), Ok(target)) = (&encoded, target) {
                let ids = source.ids.clone();
                let example = Example {
                    source: ids,
                    target,
                };
                sentences.examples.push(example);
                let rejoined = tokenizer.rejoined(&reference);
                sentences.lost.add_line(&reference, &rejoined);
            }
            sentences.all.push(Sentence {
                source: encoded.ok(),
                source_text: source,
                reference,
                is_whole: fault.is_none(),
            });
        }
        sentences
    }

    /// Returns the held-out pairs of a run.
    pub fn held_out(trainer: &Trainer) -> Self {
        let held_out = trainer.held_out();
        let examples = held_out.examples().to_vec();
        let sentence = |(at, example): (usize, &Example)| Sentence {
            source: Some(Encoded {
                tokens: held_out.source_tokens(at),
                ids: example.source.clone(),
                unknown: Vec::new(),
            }),
            source_text: match held_out.written() {
                Written::Pairs(pairs) => pairs[at][0].clone(),
                _ => trainer.tokenizer().source_text(&example.source),
            },
            reference: held_out.target(at),
            is_whole: true,
        };
        let mut lost = Lost::default();
        if let Written::Pairs(pairs) = held_out.written() {
            for [_, reference] in pairs {
                lost.add_line(reference, &trainer.tokenizer().rejoined(reference));
            }
        }
        Self {
            all: examples.iter().enumerate().map(sentence).collect(),
            examples,
            left_out: Vec::new(),
            lost,
            cut: cut(trainer.tokenizer()),
        }
    }

    /// Removes the marked sentences.
    pub fn leave_out(&mut self, is_left_out: &[bool]) {
        let whole: Vec<bool> = self.all.iter().map(|sentence| sentence.is_whole).collect();
        let mut of_examples = is_left_out.iter().zip(&whole).filter(|(_, whole)| **whole);
        self.examples
            .retain(|_| of_examples.next().is_none_or(|(is_out, _)| !is_out));
        let mut of_all = is_left_out.iter();
        self.all
            .retain(|_| of_all.next().is_none_or(|is_out| !is_out));
        self.left_out
            .retain(|(line, _)| !is_left_out.get(line - 1).copied().unwrap_or(false));
    }

    /// Returns the line numbers, from 1, of the lines that do not count for loss and exact matches.
    pub fn lines_left_out(&self) -> Vec<usize> {
        self.left_out.iter().map(|(line, _)| *line).collect()
    }

    /// Returns the number of target tokens outside of the vocabulary, and the number of all target
    /// tokens.
    pub fn unknown_tokens(&self) -> [usize; 2] {
        let targets = || self.examples.iter().flat_map(|example| &example.target);
        let unknown = targets().filter(|&&id| id == special::UNK);
        [unknown.count(), targets().count()]
    }

    /// Returns notes on the lines that are left out, one sentence per reason, and on unknown
    /// tokens.
    pub fn notes(&self) -> Vec<String> {
        let mut faults: Vec<Fault> = Vec::new();
        for (_, fault) in &self.left_out {
            if !faults.contains(fault) {
                faults.push(*fault);
            }
        }
        let of_fault = |fault: Fault| {
            let lines = self
                .left_out
                .iter()
                .filter(move |(_, other)| *other == fault);
            note(fault, &lines.map(|(line, _)| *line).collect::<Vec<_>>())
        };
        let mut notes: Vec<String> = faults.into_iter().map(of_fault).collect();
        if !notes.is_empty() {
            notes.push(
                "They keep their places in the translations and in BLEU; what cannot be \
                 translated is an empty line."
                    .to_owned(),
            );
        }
        let [unknown, all] = self.unknown_tokens().map(|count| grouped(count as u64));
        if unknown != "0" {
            notes.push(format!(
                "{unknown} of {all} target tokens are not in the vocabulary: loss and token \
                 accuracy take `<unk>` for them, BLEU and exact matches their words."
            ));
        }
        let (level, form) = self.cut;
        let scored = "; such a line is never translated exactly";
        notes.extend(self.lost.sentence("references", level, form, scored));
        notes
    }
}

fn cut(tokenizer: &Tokenizer) -> (TokenUnit, TextForm) {
    let task = tokenizer.task();
    (task.levels()[1], task.text_form())
}

/// Returns a note such as `Left out: 7 lines with nothing to translate (lines 2, 3, 5, 8, 9 and 2
/// more).`
fn note(fault: Fault, lines: &[usize]) -> String {
    let which = match fault {
        Fault::NoSource => "with nothing to translate".to_owned(),
        Fault::LongSource { limit } => {
            format!("with more than {limit} source tokens, which the model does not read")
        }
        Fault::NoTarget => "with no translation to compare with".to_owned(),
        Fault::LongTarget { limit } => {
            format!("with more than {limit} target tokens, which the model does not write")
        }
    };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let named: Vec<String> = lines.iter().take(NAMED).map(usize::to_string).collect();
    let more = match lines.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "Left out: {} {word} {which} ({word} {}{more}).",
        lines.len(),
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_are_named() {
        assert_eq!(
            note(Fault::NoSource, &[4]),
            "Left out: 1 line with nothing to translate (line 4)."
        );
        assert_eq!(
            note(Fault::LongSource { limit: 200 }, &[1, 2, 3, 5, 8, 13, 21]),
            "Left out: 7 lines with more than 200 source tokens, which the model does not read \
             (lines 1, 2, 3, 5, 8 and 2 more)."
        );
    }
}
