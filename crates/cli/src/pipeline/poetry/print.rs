//! Prints poems and their keywords.

use serde_json::{Value, json};
use strata_poems::{Keyword, Origin};
use strata_training::PoemLine;

use crate::base::output::print;

/// Returns the keywords and the poems as an object.
pub(super) fn as_json(plan: &[Keyword], poems: &[Vec<PoemLine>]) -> Value {
    let lines = |poem: &Vec<PoemLine>| -> Vec<Value> {
        poem.iter()
            .map(|line| json!({ "text": text(line), "score": line.score }))
            .collect()
    };
    let mut printed = json!({ "keywords": plan, "lines": poems.first().map(lines) });
    if poems.len() > 1 {
        let poem = |poem: &Vec<PoemLine>| json!({ "score": score(poem), "lines": lines(poem) });
        printed["poems"] = poems.iter().map(poem).collect();
    }
    printed
}

/// Prints the keywords and the poems.
pub(super) fn print_text(plan: &[Keyword], poems: &[Vec<PoemLine>]) {
    let keywords: Vec<String> = plan.iter().map(described).collect();
    if !keywords.is_empty() {
        print(&format!("Keywords: {}", keywords.join(", ")));
    }
    if !plan.is_empty() && plan.iter().all(|keyword| keyword.origin == Origin::Drawn) {
        print("The poems that the model has learned from know no word of the text.");
    }
    for (at, poem) in poems.iter().enumerate() {
        match poems.len() {
            1 if plan.is_empty() => {}
            1 => print(""),
            _ => print(&format!("\n{} ({:.2})", at + 1, score(poem))),
        }
        for (line, mark) in poem.iter().zip(MARKS) {
            print(&format!("{}{mark}", text(line)));
        }
    }
}

/// Marks that stand behind the four lines.
const MARKS: [&str; 4] = ["，", "。", "，", "。"];

/// Writes the lines of a poem one after the other.
pub(super) fn joined(poem: &[PoemLine]) -> String {
    let lines = poem.iter().zip(MARKS);
    lines.map(|(line, mark)| text(line) + mark).collect()
}

/// Returns the sum of the log-probabilities of the lines that were written.
pub(super) fn score(poem: &[PoemLine]) -> f64 {
    poem.iter().filter_map(|line| line.score).sum()
}

fn text(line: &PoemLine) -> String {
    line.characters.iter().collect()
}

fn described(keyword: &Keyword) -> String {
    let origin = match keyword.origin {
        Origin::Text => "text",
        Origin::Knowledge => "knowledge",
        Origin::Neighbour => "neighbour",
        Origin::Drawn => "drawn",
        Origin::Given => "given",
    };
    format!("{} ({origin})", keyword.word)
}
