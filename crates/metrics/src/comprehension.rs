//! Scores answers to questions about passages by the official rules of the data sets.

use std::hash::Hash;

use crate::cmrc::{Tokenizer, cmrc_exact_match, cmrc_f1};
use crate::{
    BLEU_ORDERS, BleuStatistics, Running, answer_exact_match, answer_f1, is_white_space, rouge_l,
};

/// Text by which MS MARCO marks a question without an answer, with or without a full stop.
const NO_ANSWER: &str = "No Answer Present";

/// Rules by which answers are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerRules {
    /// Rules of SQuAD v1.1 (Rajpurkar et al. 2016).
    Squad,
    /// Rules of CMRC 2018 (Cui et al. 2019).
    Cmrc,
    /// Rules of DuReader (He et al. 2018), by characters.
    Dureader,
    /// Rules of MS MARCO v1.1 (Nguyen et al. 2016), by words in lower case.
    Msmarco,
}

/// Scores of answers to many questions, accumulated question by question.
#[derive(Clone, Debug)]
pub struct AnswerMeasure {
    rules: AnswerRules,
    tokenizer: Tokenizer,
    exact_match: Running,
    f1: Running,
    bleu: BleuStatistics,
    rouge_l: Running,
    left_out: usize,
}

/// Scores of answers to many questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnswerScores {
    /// Scores of answers that are spans, in percent: means over all questions.
    Spans {
        /// Share of exact matches.
        exact_match: f64,
        /// Mean F1.
        f1: f64,
    },
    /// Scores of free answers, from 0 to 1.
    Free {
        /// BLEU-1 to BLEU-4 of all questions together.
        bleu: [f64; BLEU_ORDERS],
        /// Mean ROUGE-L.
        rouge_l: f64,
    },
}

impl AnswerRules {
    /// All rules.
    pub const ALL: [Self; 4] = [Self::Squad, Self::Cmrc, Self::Dureader, Self::Msmarco];

    /// Name of the rules on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "squad",
            Self::Cmrc => "cmrc",
            Self::Dureader => "dureader",
            Self::Msmarco => "msmarco",
        }
    }

    /// Rules and tokens for a signature.
    pub fn signature(self) -> &'static str {
        match self {
            Self::Squad => "rules:squad-1.1",
            Self::Cmrc => "rules:cmrc-2018|tok:punctuation",
            Self::Dureader => "rules:dureader-2.0|tok:char|beta:1.2",
            Self::Msmarco => "rules:msmarco-1.1|case:lc|tok:punctuation|beta:1.2",
        }
    }
}

impl AnswerMeasure {
    /// Starts without questions. `tokenizer` separates words and punctuation marks.
    pub fn new(rules: AnswerRules, tokenizer: Tokenizer) -> Self {
        Self {
            rules,
            tokenizer,
            exact_match: Running::default(),
            f1: Running::default(),
            bleu: BleuStatistics::default(),
            rouge_l: Running::default(),
            left_out: 0,
        }
    }

    /// Adds a question with its right answers. A question without answers is left out. If there is
    /// no prediction, pass an empty text, which scores 0.
    pub fn add<S: AsRef<str>>(&mut self, prediction: &str, answers: &[S]) {
        match self.rules {
            AnswerRules::Squad | AnswerRules::Cmrc if answers.is_empty() => self.left_out += 1,
            AnswerRules::Squad => {
                let exact = answer_exact_match(prediction, answers);
                self.add_span(exact, answer_f1(prediction, answers));
            }
            AnswerRules::Cmrc => {
                let exact = cmrc_exact_match(prediction, answers);
                self.add_span(exact, cmrc_f1(prediction, answers, self.tokenizer));
            }
            AnswerRules::Dureader => {
                let tokens = |text: &str| -> Vec<char> {
                    text.chars().filter(|it| !is_white_space(*it)).collect()
                };
                let answers = answers.iter().map(|it| tokens(it.as_ref()));
                self.add_free(&tokens(prediction), answers.collect());
            }
            AnswerRules::Msmarco => {
                if answers.iter().any(|it| is_none(it.as_ref())) {
                    self.left_out += 1;
                    return;
                }
                let tokenizer = self.tokenizer;
                let tokens = |text: &str| {
                    let mut tokens: Vec<String> = Vec::new();
                    tokenizer(&text.to_lowercase(), &mut |it| tokens.push(it.to_owned()));
                    tokens
                };
                let prediction = if is_none(prediction) { "" } else { prediction };
                let answers = answers.iter().map(|it| tokens(it.as_ref()));
                self.add_free(&tokens(prediction), answers.collect());
            }
        }
    }

    /// Returns the mean scores, or `None` if no question was scored.
    pub fn scores(&self) -> Option<AnswerScores> {
        match self.rules {
            AnswerRules::Squad | AnswerRules::Cmrc => Some(AnswerScores::Spans {
                exact_match: 100.0 * self.exact_match.mean()?,
                f1: 100.0 * self.f1.mean()?,
            }),
            AnswerRules::Dureader | AnswerRules::Msmarco => Some(AnswerScores::Free {
                rouge_l: self.rouge_l.mean()?,
                bleu: self.bleu.of_captions(),
            }),
        }
    }

    /// Number of questions without an answer, which are left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn add_span(&mut self, exact: bool, f1: f64) {
        self.exact_match.add(f64::from(u8::from(exact)), 1);
        self.f1.add(f1, 1);
    }

    fn add_free<T: Hash + Eq>(&mut self, prediction: &[T], mut answers: Vec<Vec<T>>) {
        answers.retain(|it| !it.is_empty());
        if answers.is_empty() {
            self.left_out += 1;
            return;
        }
        self.bleu += BleuStatistics::of_tokens(prediction, &answers);
        self.rouge_l.add(rouge_l(prediction, &answers), 1);
    }
}

/// True for the text that marks a question without an answer.
fn is_none(answer: &str) -> bool {
    answer.strip_suffix('.').unwrap_or(answer) == NO_ANSWER
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn words(text: &str, take: &mut dyn FnMut(&str)) {
        text.split_whitespace().for_each(take);
    }

    #[test]
    fn questions_without_an_answer_are_left_out_where_the_rules_say_so() {
        for (rules, left_out) in [(AnswerRules::Dureader, 2), (AnswerRules::Msmarco, 4)] {
            let mut measure = AnswerMeasure::new(rules, words);
            assert_eq!(measure.scores(), None);
            measure.add("a", &["a"]);
            measure.add("a", &[""]);
            measure.add::<&str>("a", &[]);
            if rules == AnswerRules::Msmarco {
                measure.add("a", &["a", NO_ANSWER]);
                measure.add("a", &["No Answer Present."]);
            }
            assert_eq!(measure.left_out(), left_out);
            let Some(AnswerScores::Free { rouge_l, .. }) = measure.scores() else {
                panic!("{rules:?}")
            };
            assert_eq!(rouge_l, 1.0);
        }
    }

    #[test]
    fn an_empty_prediction_counts_in_the_means_of_spans() {
        let mut measure = AnswerMeasure::new(AnswerRules::Squad, words);
        measure.add("a cat", &["cat"]);
        measure.add("", &["dog"]);
        let scores = AnswerScores::Spans {
            exact_match: 50.0,
            f1: 50.0,
        };
        assert_eq!(measure.scores(), Some(scores));
    }
}
