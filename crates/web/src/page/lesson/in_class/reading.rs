//! Reading of hand-ins: files of progress and codes, in one list.

use crate::page::lesson::code::{self, Fault};
use crate::page::lesson::files;
use crate::page::lesson::labels::filled;
use crate::page::lesson::progress::Progress;
use crate::page::lesson::records::{read, text};
use std::collections::BTreeMap;
use strata_lessons::{Compiled, Entry};
use web_sys::File;

/// The most files, and the most codes, that are read at once.
const MOST: usize = 500;
/// The most letters of a learner's name.
const LONGEST_NAME: usize = 60;
/// The most names in a sentence.
const MOST_NAMED: usize = 12;

/// Hand-in of a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct HandIn {
    /// Name of the file without the extension, or the words before the code.
    pub name: String,
    /// Progress in each lesson.
    pub lessons: BTreeMap<String, Progress>,
}

/// All hand-ins, with the lessons in these hand-ins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Class {
    pub learners: Vec<HandIn>,
    pub lessons: Vec<Compiled>,
    /// Sentences on files and codes that could not be read, or that are twice there.
    pub faults: Vec<String>,
}

/// Reads files and codes, and fetches the lessons named in the hand-ins.
pub async fn taken_in(files: Vec<File>, codes: &str, language: &str, entries: &[Entry]) -> Class {
    let mut class = Class::default();
    let codes: Vec<&str> = codes
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    if files.len().max(codes.len()) > MOST {
        let most = MOST.to_string();
        class.faults.push(filled(
            language,
            "The first {} files and codes are read.",
            &[&most],
        ));
    }
    let mut unreadable = Vec::new();
    for file in files.into_iter().take(MOST) {
        match text(&file).await.and_then(|text| read(&text)) {
            Some(lessons) => class.learners.push(HandIn {
                name: learner(&file.name()),
                lessons: lessons.into_iter().collect(),
            }),
            None => unreadable.push(file.name()),
        }
    }
    if !unreadable.is_empty() {
        class.faults.push(filled(
            language,
            "No progress file saved by Strata: {}. Ask for the file that “Save what was done to a file” writes.",
            &[&listed(&unreadable)],
        ));
    }
    // Any lesson may stand behind a code, so all are fetched.
    let needs = |entry: &&Entry| {
        let mut learners = class.learners.iter();
        !codes.is_empty() || learners.any(|it| it.lessons.contains_key(&entry.name))
    };
    let mut unreachable = Vec::new();
    for entry in entries.iter().filter(needs) {
        match files::lesson(&entry.name, language).await {
            Ok(lesson) => class.lessons.push(lesson),
            Err(_) => unreachable.push(entry.name.clone()),
        }
    }
    if !unreachable.is_empty() {
        class.faults.push(filled(
            language,
            "These lessons could not be fetched: {}. Choose the files again when there is a network.",
            &[&listed(&unreachable)],
        ));
    }
    take_codes(&mut class, &codes, language);
    let foreign = class.learners.iter().filter(|it| {
        let mut known = class.lessons.iter();
        !known.any(|lesson| it.lessons.contains_key(&lesson.name))
    });
    let foreign: Vec<String> = foreign.map(|it| it.name.clone()).collect();
    if !foreign.is_empty() && unreachable.is_empty() {
        class.faults.push(filled(
            language,
            "Nothing of these lessons was done in: {}.",
            &[&listed(&foreign)],
        ));
    }
    class.lessons.retain(|lesson| {
        let mut learners = class.learners.iter();
        learners.any(|it| it.lessons.contains_key(&lesson.name))
    });
    class.learners.sort_by(|a, b| a.name.cmp(&b.name));
    tell_twins(&mut class, language);
    class
}

/// Takes in codes, one a line, each behind the name of its learner. Codes behind one name are those
/// of one learner.
fn take_codes(class: &mut Class, codes: &[&str], language: &str) {
    for (number, line) in codes.iter().take(MOST).enumerate() {
        let (name, read) = split(line, &class.lessons);
        let name = match name {
            "" => filled(language, "Code {}", &[&(number + 1).to_string()]),
            name => name.chars().take(LONGEST_NAME).collect(),
        };
        let sentence = match read {
            Ok((place, progress)) => {
                let lesson = class.lessons[place].name.clone();
                let own = |it: &&mut HandIn| it.name == name && !it.lessons.contains_key(&lesson);
                match class.learners.iter_mut().find(own) {
                    Some(known) => drop(known.lessons.insert(lesson, progress)),
                    None => class.learners.push(HandIn {
                        name,
                        lessons: [(lesson, progress)].into(),
                    }),
                }
                continue;
            }
            Err(Fault::Letters) => {
                "{}: letters of the code are missing or wrong; compare it letter by letter."
            }
            Err(Fault::Lesson) => "{}: the code is of a lesson that this page does not have.",
            Err(Fault::Version(_)) => "{}: the code is of another version of the lesson.",
        };
        class.faults.push(filled(language, sentence, &[&name]));
    }
}

/// Splits a line into a name and a code: the code begins at the first word from which on the line is
/// one.
fn split<'a>(line: &'a str, lessons: &[Compiled]) -> (&'a str, Result<(usize, Progress), Fault>) {
    let starts = std::iter::once(0).chain(line.match_indices(char::is_whitespace).map(|it| it.0));
    let mut last = (line, Err(Fault::Letters));
    // A name has few words; what follows may be a code with blanks between its groups.
    for start in starts.take(8) {
        let (name, rest) = line.split_at(start);
        match code::read(rest, lessons) {
            Err(Fault::Letters) => {}
            read => return (name.trim().trim_end_matches([':', ',', ';']), read),
        }
        if start > 0 && last.0 == line {
            last.0 = name.trim();
        }
    }
    last
}

/// Tells which learners handed in the very same.
fn tell_twins(class: &mut Class, language: &str) {
    let mut told: Vec<String> = Vec::new();
    for (at, one) in class.learners.iter().enumerate() {
        let same = |it: &&HandIn| it.lessons == one.lessons;
        if class.learners[..at].iter().any(|it| same(&it)) {
            continue;
        }
        let twins = class.learners[at..].iter().filter(same);
        let twins: Vec<String> = twins.map(|it| it.name.clone()).collect();
        if twins.len() > 1 {
            told.push(listed(&twins));
        }
    }
    for names in told.iter().take(MOST_NAMED) {
        class.faults.push(filled(
            language,
            "The very same was handed in by: {}.",
            &[names],
        ));
    }
}

/// Returns a learner's name: the name of the file, without the extension.
fn learner(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.chars().take(LONGEST_NAME).collect()
}

/// Writes names in a row; of many names the first.
pub fn listed(names: &[String]) -> String {
    let few: Vec<&str> = names.iter().take(MOST_NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(few.len()) {
        0 => few.join(", "),
        more => format!("{}, … (+{more})", few.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lessons() -> Vec<Compiled> {
        // Tests run in the folder of their package, wherever they were compiled.
        let text = std::fs::read_to_string("../../www/lessons/alignment/en.json").unwrap();
        vec![serde_json::from_str(&text).unwrap()]
    }

    #[test]
    fn a_line_is_a_name_and_a_code() {
        let lessons = lessons();
        let code = code::write(&lessons[0], &Progress::default());
        let blanks = code.replace('-', " ");
        for (line, name) in [
            (code.clone(), ""),
            (format!("Anna {code}"), "Anna"),
            (format!("Anna B.: {blanks}"), "Anna B."),
            (format!("7\t{code}"), "7"),
        ] {
            let (found, read) = split(&line, &lessons);
            assert!(read.is_ok(), "{line}");
            assert_eq!(found, name, "{line}");
        }
        let mut class = Class {
            lessons,
            ..Class::default()
        };
        let (anna, wrong) = (format!("Anna {code}"), format!("Ben {}", &code[1..]));
        take_codes(&mut class, &[&anna, &wrong, &anna, "ü"], "en");
        assert_eq!(class.learners.len(), 2);
        assert!(
            class.faults[0].starts_with("Ben: letters"),
            "{:?}",
            class.faults
        );
        tell_twins(&mut class, "en");
        assert!(
            class.faults[2].ends_with("by: Anna, Anna."),
            "{:?}",
            class.faults
        );
    }

    #[test]
    fn a_learner_is_called_as_the_file() {
        assert_eq!(learner("anna.json"), "anna");
        assert_eq!(learner("7b no. 12.json"), "7b no. 12");
        assert_eq!(learner("x"), "x");
    }

    #[test]
    fn long_lists_of_names_are_cut_off() {
        let names: Vec<String> = (0..500).map(|it| it.to_string()).collect();
        assert!(listed(&names).ends_with("11, … (+488)"));
        assert_eq!(listed(&names[..2]), "0, 1");
    }
}
