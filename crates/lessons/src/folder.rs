//! All lessons of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::toml_source::TomlSource;
use crate::{Compiled, Entry, Glossary, Lesson, LessonError, Recorded, Words, glossary, read};

/// Name of the file that lists the lessons in the order in which learners meet them.
pub const LIST: &str = "lessons.toml";

/// Lesson with structure, texts and recorded results.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonFiles {
    /// Name of the lesson and of its folder.
    pub name: String,
    /// Structure of the lesson.
    pub lesson: Lesson,
    /// Texts by language; `en` always exists.
    pub words: BTreeMap<String, Words>,
    /// Recorded results, if the lesson was run.
    pub recorded: Option<Recorded>,
    /// Explained words of all lessons, by language.
    pub glossaries: BTreeMap<String, Glossary>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    lessons: Vec<String>,
}

impl LessonFiles {
    /// Returns the lesson in a language; missing texts are taken from English.
    pub fn compiled(&self, language: &str) -> Compiled {
        let words = self.words.get(language).cloned().unwrap_or_default();
        let mut words = match self.words.get("en") {
            Some(english) if language != "en" => words.or(english, "en"),
            _ => words,
        };
        for step in words.steps.values_mut() {
            glossary::explain(step, &self.glossaries, language);
        }
        Compiled {
            name: self.name.clone(),
            language: language.to_owned(),
            lesson: self.lesson.clone(),
            words,
            recorded: self.recorded.clone(),
        }
    }
}

/// Reads all lessons of a folder, in order.
///
/// # Errors
/// All faults of all files.
pub fn read_all(folder: &Path) -> Result<Vec<LessonFiles>, Vec<LessonError>> {
    let text = contents(folder, LIST).map_err(|error| vec![error])?;
    let source = TomlSource::read(LIST, &text).map_err(|error| vec![error])?;
    let list: List = source.parse().map_err(|error| vec![error])?;
    let (mut lessons, mut faults) = (BTreeMap::new(), Vec::new());
    for (at, name) in list.lessons.iter().enumerate() {
        let file = format!("{name}/lesson.toml");
        let text = contents(folder, &file).map_err(|error| vec![error]);
        match text.and_then(|text| read::structure(name, &text)) {
            Err(mut found) => faults.append(&mut found),
            Ok(lesson) => {
                let before = &list.lessons[..at];
                let missing = lesson.needs.iter().filter(|it| !before.contains(it));
                faults.extend(missing.map(|it| LessonError {
                    file: file.clone(),
                    line: 1,
                    what: format!("`{it}` is needed, but is none of the lessons before in {LIST}"),
                }));
                lessons.insert(name.clone(), lesson);
            }
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let glossaries = glossaries(folder)?;
    let mut found = Vec::new();
    for name in &list.lessons {
        match of_lesson(folder, name, &lessons) {
            Ok(files) => found.push(LessonFiles {
                glossaries: glossaries.clone(),
                ..files
            }),
            Err(mut errors) => faults.append(&mut errors),
        }
    }
    if faults.is_empty() {
        Ok(found)
    } else {
        Err(faults)
    }
}

/// Reads the files of explained words, `glossary.en.toml` and others; all explain the same words.
fn glossaries(folder: &Path) -> Result<BTreeMap<String, Glossary>, Vec<LessonError>> {
    let mut glossaries: BTreeMap<String, Glossary> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(file) = entry.file_name().into_string() else {
            continue;
        };
        let language = file.strip_prefix("glossary.");
        let Some(language) = language.and_then(|it| it.strip_suffix(".toml")) else {
            continue;
        };
        let text = contents(folder, &file).map_err(|error| vec![error])?;
        let source = TomlSource::read(&file, &text).map_err(|error| vec![error])?;
        let glossary = source.parse().map_err(|error| vec![error])?;
        glossaries.insert(language.to_owned(), glossary);
    }
    let english = glossaries.get("en").cloned().unwrap_or_default();
    let mut faults = Vec::new();
    for (language, glossary) in &glossaries {
        let own: Vec<&String> = glossary.words.keys().collect();
        if own != english.words.keys().collect::<Vec<_>>() {
            faults.push(LessonError {
                file: format!("glossary.{language}.toml"),
                line: 1,
                what: "explains other words than glossary.en.toml".to_owned(),
            });
        }
    }
    if faults.is_empty() {
        Ok(glossaries)
    } else {
        Err(faults)
    }
}

fn of_lesson(
    folder: &Path,
    name: &str,
    lessons: &BTreeMap<String, Lesson>,
) -> Result<LessonFiles, Vec<LessonError>> {
    let mut words = BTreeMap::new();
    let mut faults = Vec::new();
    for language in languages(&folder.join(name)) {
        let file = format!("{name}/{language}.md");
        let text = contents(folder, &file).map_err(|error| vec![error]);
        match text.and_then(|text| read::words(name, &language, &text, lessons)) {
            Ok(read) => drop(words.insert(language, read)),
            Err(mut found) => faults.append(&mut found),
        }
    }
    if faults.is_empty() && !words.contains_key("en") {
        faults.push(LessonError {
            file: format!("{name}/en.md"),
            line: 1,
            what: "a lesson has words in English first".to_owned(),
        });
    }
    let recorded = format!("{name}/recorded.json");
    let recorded = if folder.join(&recorded).is_file() {
        let text = contents(folder, &recorded).map_err(|error| vec![error])?;
        let read = serde_json::from_str(&text).map_err(|error| {
            vec![LessonError {
                file: recorded,
                line: error.line(),
                what: error.to_string(),
            }]
        })?;
        Some(read)
    } else {
        None
    };
    if faults.is_empty() {
        Ok(LessonFiles {
            name: name.to_owned(),
            lesson: lessons[name].clone(),
            words,
            recorded,
            glossaries: BTreeMap::new(),
        })
    } else {
        Err(faults)
    }
}

/// Returns the files that the page fetches: paths in the folder, and contents.
pub fn compiled(lessons: &[LessonFiles]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut indices: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
    let all: std::collections::BTreeSet<&str> = lessons
        .iter()
        .flat_map(|it| it.words.keys().map(String::as_str))
        .collect();
    for files_of in lessons {
        let own: Vec<String> = files_of.words.keys().cloned().collect();
        for language in &all {
            let compiled = files_of.compiled(language);
            indices
                .entry(language)
                .or_default()
                .push(compiled.entry(&own));
            if files_of.words.contains_key(*language) {
                let path = Path::new(&files_of.name).join(format!("{language}.json"));
                files.push((path, json(&compiled)));
            }
        }
    }
    for (language, entries) in indices {
        files.push((
            PathBuf::from(format!("index.{language}.json")),
            json(&entries),
        ));
    }
    files
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a lesson is plain data") + "\n"
}

/// Returns the languages in which a lesson has a file of words.
fn languages(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        name.strip_suffix(".md").map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn contents(folder: &Path, file: &str) -> Result<String, LessonError> {
    fs::read_to_string(folder.join(file)).map_err(|error| LessonError {
        file: file.to_owned(),
        line: 1,
        what: format!("cannot be read: {error}"),
    })
}
