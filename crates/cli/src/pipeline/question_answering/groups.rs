//! Figures of groups of questions: by question word, and by the length of the answer.

use serde_json::{Value as Json, json};
use strata_metrics::Running;
use strata_tasks::Question;
use strata_training::ScoredAnswer;

use crate::display::columns;
use crate::display::format::{grouped, percent};

/// Question words, English and Chinese, by which questions are grouped; longer ones come first.
const QUESTION_WORDS: [&str; 18] = [
    "how many",
    "how much",
    "how",
    "what",
    "whose",
    "whom",
    "who",
    "when",
    "where",
    "which",
    "why",
    "为什么",
    "什么",
    "怎",
    "多少",
    "谁",
    "哪",
    "几",
];
/// Name of the group of questions without a question word.
const OTHER: &str = "other";
/// Longest answer of each group, in tokens.
const LENGTHS: [usize; 4] = [1, 2, 5, 10];

/// Groups of questions, the largest first.
pub(super) struct Groups {
    /// Heading of the column of names.
    title: &'static str,
    groups: Vec<(String, Figures)>,
}

impl Groups {
    /// Groups questions by their question words.
    pub fn by_word(questions: &[Question], scored: &[ScoredAnswer]) -> Self {
        Self {
            title: "question word",
            groups: groups(questions, scored, |question| word(question).to_owned()),
        }
    }

    /// Groups questions by the lengths of their answers.
    pub fn by_length(questions: &[Question], scored: &[ScoredAnswer]) -> Self {
        Self {
            title: "answer, in tokens",
            groups: groups(questions, scored, length),
        }
    }

    /// Returns the figures as a list of objects.
    pub fn json(&self) -> Json {
        let groups = self.groups.iter().map(|(name, figures)| {
            json!({
                "group": name,
                "questions": figures.exact.count,
                "exact_match": figures.exact.mean(),
                "f1": figures.f1.mean(),
            })
        });
        groups.collect()
    }

    /// Returns the figures as lines of a table, below an empty line.
    pub fn lines(&self) -> Vec<String> {
        let head = [self.title, "questions", "exact match", "F1"].map(str::to_owned);
        let mut rows = vec![head.to_vec()];
        rows.extend(self.groups.iter().map(|(name, figures)| {
            let share = |of: Running| percent(of.mean().unwrap_or(0.0));
            let count = grouped(figures.exact.count);
            vec![name.clone(), count, share(figures.exact), share(figures.f1)]
        }));
        let mut lines = vec![String::new()];
        lines.extend(columns::aligned(&rows, 1));
        lines
    }
}

/// Figures of a group of questions.
#[derive(Clone, Copy, Default)]
struct Figures {
    exact: Running,
    f1: Running,
}

/// Groups questions by the name that `name` returns; the largest group comes first.
fn groups(
    questions: &[Question],
    scored: &[ScoredAnswer],
    name: impl Fn(&Question) -> String,
) -> Vec<(String, Figures)> {
    let mut groups: Vec<(String, Figures)> = Vec::new();
    for (question, scored) in questions.iter().zip(scored) {
        let name = name(question);
        let at = groups.iter().position(|group| group.0 == name);
        let at = at.unwrap_or_else(|| {
            groups.push((name, Figures::default()));
            groups.len() - 1
        });
        let figures = &mut groups[at].1;
        figures.exact.add(f64::from(u8::from(scored.is_exact)), 1);
        figures.f1.add(scored.f1, 1);
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.1.exact.count), group.0.clone()));
    groups
}

/// Returns the question word that comes first in the question.
fn word(question: &Question) -> &'static str {
    let text = question.question.text().to_lowercase();
    let is_alone = |at: usize, word: &str| {
        let beside = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !word.is_ascii() || !(beside(before.chars().next_back()) || beside(after.chars().next()))
    };
    let place = |word: &'static str| {
        let mut places = text.match_indices(word).map(|(at, _)| at);
        Some((places.find(|&at| is_alone(at, word))?, word))
    };
    // If two question words begin at the same place, the longer one is meant; it comes first in the
    // list.
    let found = QUESTION_WORDS.into_iter().filter_map(place);
    found
        .min_by_key(|(at, _)| *at)
        .map_or(OTHER, |(_, word)| word)
}

/// Returns the group of the answer's length, if the answer is marked in a passage.
fn length(question: &Question) -> String {
    let Some(target) = question.target else {
        return "no place".to_owned();
    };
    let tokens = target.end + 1 - target.start;
    let mut shorter = 0;
    for longest in LENGTHS {
        if tokens <= longest {
            return match shorter + 1 {
                least if least == longest => longest.to_string(),
                least => format!("{least}–{longest}"),
            };
        }
        shorter = longest;
    }
    format!("{} and more", shorter + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_tasks::TaskConfig;
    use strata_text::Uploads;

    use super::*;

    fn asked(text: &str) -> Question {
        let task = TaskConfig::of_kind("toy_reading").unwrap();
        let data = task
            .load(1, &Uploads::default())
            .unwrap()
            .examples
            .into_questions()
            .unwrap();
        data.tokenizer.question("", text, &["x"])
    }

    #[test]
    fn a_question_is_counted_by_the_word_that_stands_first() {
        for (text, expected) in [
            ("Who found what?", "who"),
            ("In which year did whoever win?", "which"),
            ("How many are there, and when?", "how many"),
            ("However it was, where?", "where"),
            ("这是什么？", "什么"),
            ("为什么？", "为什么"),
            ("Name the city.", OTHER),
            ("", OTHER),
        ] {
            assert_eq!(word(&asked(text)), expected, "{text}");
        }
    }

    #[test]
    fn answers_are_grouped_by_their_length() {
        let of = |end| {
            let mut question = asked("who?");
            let (passage, start) = (0, 3);
            question.target = Some(strata_tasks::AnswerSpan {
                passage,
                start,
                end,
            });
            length(&question)
        };
        assert_eq!(
            [3, 4, 5, 7, 8, 13].map(of),
            ["1", "2", "3–5", "3–5", "6–10", "11 and more"]
        );
        assert_eq!(length(&asked("who?")), "no place");
    }
}
