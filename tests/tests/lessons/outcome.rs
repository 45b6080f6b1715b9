//! Results of a step: its claims, and values that its texts name but that are unknown.

use std::collections::BTreeMap;

use strata_lessons::folder::LessonFiles;
use strata_lessons::{Block, Claim, Facts, Inline, Step, Text, Value};

/// Returns whether a claim holds, a line about it, and the measured value.
pub fn claim(claim: &Claim, facts: &Facts) -> (bool, String, Option<Value>) {
    let condition = claim.condition();
    let value = condition.measure.value(facts);
    let holds = condition.holds(facts);
    let found = match &value {
        None => "unknown".to_owned(),
        Some(Value::Number(number)) => format!("{number:.6}"),
        Some(Value::Word(word)) => format!("“{word}”"),
    };
    let kind = if claim.by_construction { "X" } else { "E" };
    let mark = if holds { "holds" } else { "FAILS" };
    let line = format!(
        "{kind} {mark}: {} is {found}; claimed {}",
        claim.name,
        condition.written()
    );
    (holds, line, value)
}

/// Returns a sentence for each value that a step's texts name, but that is unknown.
pub fn unfilled(
    files: &LessonFiles,
    step: &Step,
    is_said: impl Fn(&str) -> bool,
    known: &BTreeMap<String, Value>,
) -> Vec<String> {
    let mut missing = Vec::new();
    for (language, words) in &files.words {
        let Some(said) = words.steps.get(&step.id) else {
            continue;
        };
        let intro = [("intro", &said.intro)];
        let sections = said
            .sections
            .iter()
            .map(|(name, text)| (name.as_str(), text));
        for (name, text) in intro.into_iter().chain(sections) {
            if !is_said(name) {
                continue;
            }
            for value in named(text) {
                // Settings and controls are always known; that they exist was checked.
                if !value.contains(['.', ':']) && !known.contains_key(value) {
                    missing.push(format!("{language}.md, `{name}`: {{{value}}} is not known"));
                }
            }
        }
    }
    missing
}

/// Returns every value that a text names.
fn named(text: &Text) -> Vec<&str> {
    let lines = text.blocks.iter().flat_map(|block| match block {
        Block::Paragraph(line) => std::slice::from_ref(line),
        Block::List(lines) => &lines[..],
    });
    lines.flat_map(|line| of_line(line)).collect()
}

fn of_line(line: &[Inline]) -> Vec<&str> {
    line.iter()
        .flat_map(|part| match part {
            Inline::Value(name) => vec![name.as_str()],
            Inline::Emphasis(inner) | Inline::Term(inner) => of_line(inner),
            Inline::Link { text, .. } => of_line(text),
            _ => Vec::new(),
        })
        .collect()
}
