//! Measures a reader on questions.

use std::path::Path;

use pollster::block_on;
use serde_json::json;
use strata_metrics::{AnswerRules, Running};
use strata_tasks::{Pipeline, Question};
use strata_text::Uploads;
use strata_training::{Checkpoint, Inference, ScoredAnswer, SpanRules, Trainer, free_answers};

use super::arguments::EvalArguments;
use super::learned::Unlearned;
use super::{Measured, floors};
use crate::base::error::{DataError, Error};
use crate::display::columns;
use crate::display::format::{grouped, percent};
use crate::display::summary;
use crate::model::questions::{AT_ONCE, of_file};

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

/// Refuses options that only make sense for a model that translates.
pub(super) fn check(arguments: &EvalArguments, models: usize) -> Result<(), Error> {
    let refusal = if models > 1 {
        "readers cannot be joined; name one model"
    } else if arguments.bleu || arguments.output.is_some() {
        "a reader translates nothing; leave out `--bleu` and `--output` (`strata answer --questions \
         FILE --output FILE` writes its answers)"
    } else if arguments.target.is_some() {
        "a reader is measured on one file of questions; leave out `--target`"
    } else {
        return super::refuse_search(arguments, "a reader finds answers, and writes nothing");
    };
    Err(Error::Session(refusal.to_owned()))
}

/// Measures a reader on the given file of questions, or on the questions that its run holds out.
pub(super) fn measure(
    arguments: &EvalArguments,
    path: &Path,
    bytes: &[u8],
) -> Result<Measured, Error> {
    let (device, _) = arguments.model.device.open()?;
    let checkpoint = Checkpoint::open(bytes).map_err(Error::checkpoint(path))?;
    let mut remembered = None;
    let mut learned = None;
    let (inference, questions, free, is_tested) = match &arguments.source {
        Some(source) => {
            let inference = Inference::from_checkpoint(bytes, &device);
            let inference = inference.map_err(Error::checkpoint(path))?;
            let (mut questions, format) = of_file(&inference, source)?;
            questions.retain(|it| !it.answers.is_empty());
            if questions.is_empty() {
                return Err(Error::from(DataError::NoAnswers {
                    path: source.clone(),
                }));
            }
            let identities = questions.iter().map(|it| vec![it.identity()]);
            let mut unlearned = Unlearned::of(identities.collect());
            unlearned.look(path, &checkpoint)?;
            learned = Some(unlearned);
            (inference, questions, free_answers(format), false)
        }
        None => {
            let trainer = Trainer::to_measure(bytes, &Uploads::default(), &device);
            let trainer = trainer.map_err(Error::checkpoint(path))?;
            // The validation part has chosen the checkpoint, so the test part is measured if there
            // is one.
            let held_out = trainer.tested().unwrap_or_else(|| trainer.held_out());
            let questions = held_out.questions().to_vec();
            let is_tested = trainer.tested().is_some();
            remembered = trainer.remembered();
            let free = held_out.free_answers();
            (trainer.inference(), questions, free, is_tested)
        }
    };
    let floors = match arguments.floors {
        true => {
            let trainer = Trainer::to_measure(bytes, &Uploads::default(), &device);
            let trainer = trainer.map_err(Error::checkpoint(path))?;
            floors::check(trainer.training_questions().len())?;
            Some(floors::of_questions(
                trainer.training_questions(),
                &questions,
            ))
        }
        false => None,
    };
    let measured = inference.evaluate_questions(&questions, free, AT_ONCE);
    let (report, scored) = block_on(measured)?;
    let rules = SpanRules::of(&questions);
    let by_word = groups(&questions, &scored, |question| word(question).to_owned());
    let by_length = groups(&questions, &scored, length);
    let group = |(name, figures): &(String, Figures)| {
        json!({
            "group": name,
            "questions": figures.exact.count,
            "exact_match": figures.exact.mean(),
            "f1": figures.f1.mean(),
        })
    };
    let mut json = json!({
        "step": report.step,
        "questions": questions.len(),
        "tested": is_tested,
        "rules": rules.name(),
        "loss": report.loss,
        "accuracy": report.accuracy,
        "exact_match": report.exact_match,
        "f1": report.f1(),
        "bleu_1": report.bleu_1(),
        "bleu_4": report.bleu_4(),
        "rouge_l": report.rouge_l(),
        "free_answers": free.map(AnswerRules::signature),
        "by_question_word": by_word.iter().map(group).collect::<Vec<_>>(),
        "by_answer_length": by_length.iter().map(group).collect::<Vec<_>>(),
    });
    let mut lines = vec![
        format!(
            "{}, on {} questions{}, by the rules of {}.",
            super::model_of(&checkpoint),
            grouped(questions.len() as u64),
            match is_tested {
                true => " that chose no checkpoint (`task.tested`)",
                false => "",
            },
            rules.name()
        ),
        summary::validation(&report, Pipeline::QuestionAnswering),
    ];
    lines.extend(remembered);
    if let Some(learned) = learned {
        json["learned"] = learned.count().into();
        lines.extend(learned.note("questions"));
    }
    if let Some(rules) = free {
        lines.push(format!(
            "BLEU and ROUGE-L of the free answers: {}.",
            rules.signature()
        ));
    }
    for (title, groups) in [("question word", by_word), ("answer, in tokens", by_length)] {
        lines.push(String::new());
        let head = [title, "questions", "exact match", "F1"].map(str::to_owned);
        let mut rows = vec![head.to_vec()];
        rows.extend(groups.into_iter().map(|(name, figures)| {
            let share = |of: Running| percent(of.mean().unwrap_or(0.0));
            let count = grouped(figures.exact.count);
            vec![name, count, share(figures.exact), share(figures.f1)]
        }));
        lines.extend(columns::aligned(&rows, 1));
    }
    if let Some(floors) = floors {
        lines.extend(floors::lines(&floors));
        json["floors"] = floors;
    }
    Ok(Measured { json, lines })
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
        let at = groups.iter().position(|it| it.0 == name);
        let at = at.unwrap_or_else(|| {
            groups.push((name, Figures::default()));
            groups.len() - 1
        });
        let figures = &mut groups[at].1;
        figures.exact.add(f64::from(u8::from(scored.is_exact)), 1);
        figures.f1.add(scored.f1, 1);
    }
    groups.sort_by_key(|it| (std::cmp::Reverse(it.1.exact.count), it.0.clone()));
    groups
}

/// Returns the question word that comes first in the question.
fn word(question: &Question) -> &'static str {
    let text = question.question.text().to_lowercase();
    let is_alone = |at: usize, word: &str| {
        let beside = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
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

    use super::*;

    fn asked(text: &str) -> Question {
        let task = TaskConfig::of_kind("toy_reading").unwrap();
        let data = task.load(1, &Uploads::default()).unwrap().reading.unwrap();
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
