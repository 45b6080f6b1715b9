//! Names of controls in the texts: whatever a lesson calls by a name, the page calls so, too.

use std::fs;
use std::path::Path;

use strata_lessons::folder::LessonFiles;
use strata_lessons::{Block, Inline, Text, Words, plain};

use crate::lessons;

/// Adds the source of all crates to `text`, without that of lessons, whose names would prove
/// themselves.
fn source(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_of_lessons = ["page/lesson", "crates/lessons", "crates/xtask"];
        if path.is_dir() && !is_of_lessons.iter().any(|it| path.ends_with(it)) {
            source(&path, text);
        } else if path.extension().is_some_and(|it| it == "rs") {
            *text += &fs::read_to_string(path).unwrap();
        }
    }
}

/// Calls `see` with every part of a text.
fn walk(line: &[Inline], see: &mut dyn FnMut(&Inline)) {
    for part in line {
        see(part);
        match part {
            Inline::Emphasis(inner) | Inline::Term(inner) => walk(inner, see),
            Inline::Link { text, .. } => walk(text, see),
            _ => {}
        }
    }
}

fn texts(words: &Words) -> Vec<&Text> {
    let mut texts = vec![&words.free, &words.known];
    for step in words.steps.values() {
        texts.push(&step.intro);
        texts.extend(step.sections.values());
    }
    texts
}

/// Returns what the page says in a language, between quotation marks.
fn said(language: &str, english: &str) -> String {
    let file = format!("../www/words/{language}.json");
    let words = fs::read_to_string(strata_tests::here().join(file));
    words.unwrap_or_else(|_| english.to_owned())
}

/// Returns the faults of a lesson in each language: names that the page lacks, and sites by names that
/// the page does not show.
fn faults(files: &LessonFiles, english: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (language, words) in &files.words {
        let page = said(language, english);
        let place = format!("{}/{language}.md", files.name);
        let mut see = |part: &Inline| match part {
            Inline::Emphasis(inner) => {
                let name = plain(inner);
                let is_name = name.starts_with(char::is_uppercase);
                // The page completes a name such as “Compare with the other run”.
                let before = if page == english { "\"" } else { ": \"" };
                let is_there = [format!("{before}{name}\""), format!("{before}{name} ")];
                if is_name && !is_there.iter().any(|it| page.contains(it)) {
                    faults.push(format!("{place}: the page has no *{name}*"));
                }
            }
            Inline::Code(code) if code.parse::<strata_models::SiteName>().is_ok() => {
                faults.push(format!(
                    "{place}: the page does not say `{code}`; write *{{site:{code}}}*"
                ));
            }
            _ => {}
        };
        for text in texts(words) {
            for block in &text.blocks {
                match block {
                    Block::Paragraph(line) => walk(line, &mut see),
                    Block::List(lines) => lines.iter().for_each(|it| walk(it, &mut see)),
                }
            }
        }
    }
    faults
}

#[test]
fn whatever_a_lesson_calls_by_a_name_is_called_so_on_the_page() {
    let mut page = String::new();
    source(&strata_tests::here().join("../crates"), &mut page);
    let lessons = lessons();
    let found: Vec<String> = lessons.iter().flat_map(|it| faults(it, &page)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
