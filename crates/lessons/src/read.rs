//! Readers of `lesson.toml` and of the texts of a lesson.

use std::collections::BTreeMap;

use strata_settings::address::Address;

use crate::error::unknown;
use crate::links::Links;
use crate::toml_source::TomlSource;
use crate::{Lesson, LessonError, Words, check};

/// Largest length of a chain of experiments in which each experiment builds on the next.
const MAX_CHAIN: usize = 8;

/// Reads `lesson.toml` of the lesson `name`. Addresses that begin with the name of another
/// experiment are completed.
///
/// # Errors
/// All faults with their lines: invalid TOML, unknown keys, experiments, measures, runs, sites,
/// settings and workloads, steps without a condition, guesses without an answer.
pub fn structure(name: &str, text: &str) -> Result<Lesson, Vec<LessonError>> {
    let file = format!("{name}/lesson.toml");
    let source = TomlSource::read(&file, text).map_err(|error| vec![error])?;
    let mut lesson: Lesson = source.parse().map_err(|error| vec![error])?;
    let mut faults = resolve(&mut lesson, &source);
    if faults.is_empty() {
        faults = check::structure(&lesson, &source);
    }
    if faults.is_empty() {
        Ok(lesson)
    } else {
        Err(faults)
    }
}

/// Reads the texts of the lesson `name` in a language. In languages other than English, steps and
/// texts may be missing.
///
/// # Errors
/// All faults with their lines: Markdown that lessons do not support, links without a target,
/// values that the step does not have, texts that are missing or never shown.
pub fn words(
    name: &str,
    language: &str,
    text: &str,
    lessons: &BTreeMap<String, Lesson>,
) -> Result<Words, Vec<LessonError>> {
    let file = format!("{name}/{language}.md");
    let Some(lesson) = lessons.get(name) else {
        let names = lessons.keys().map(String::as_str);
        return Err(vec![LessonError {
            what: unknown("lesson", name, names),
            file,
            line: 1,
        }]);
    };
    let parsed = Words::read(&file, text, &Links { lessons })?;
    let whole = language == "en";
    let faults = check::words(&file, lesson, &parsed, whole);
    if faults.is_empty() {
        Ok(parsed.words)
    } else {
        Err(faults)
    }
}

/// Completes the addresses of experiments that begin with the name of another experiment.
fn resolve(lesson: &mut Lesson, source: &TomlSource<'_>) -> Vec<LessonError> {
    let mut faults = Vec::new();
    let mut resolved = BTreeMap::new();
    for (name, written) in &lesson.experiments {
        let path = format!("experiments.{name}");
        match whole(&lesson.experiments, written) {
            Err(what) => faults.push(source.fault(&path, what)),
            Ok(address) => {
                let read = Address::read(&format!("?v=1&{address}"));
                let complaints = read.complaints.into_iter();
                let others = read
                    .others
                    .into_iter()
                    .map(|(key, _)| format!("`{key}` is no setting; write it as `model.width=64`"));
                faults.extend(complaints.chain(others).map(|it| source.fault(&path, it)));
                resolved.insert(name.clone(), address);
            }
        }
    }
    lesson.experiments = resolved;
    faults
}

/// Returns the whole address of an experiment: the addresses that it builds on, then its own. If a
/// setting has two values, the last one counts.
fn whole(experiments: &BTreeMap<String, String>, written: &str) -> Result<String, String> {
    let mut chain = vec![written];
    while let Some(first) = chain.last().and_then(|it| it.split('&').next())
        && !first.contains('=')
    {
        let known = experiments.keys().map(String::as_str);
        let base = experiments.get(first);
        chain.push(base.ok_or_else(|| unknown("experiment", first, known))?);
        if chain.len() > MAX_CHAIN {
            return Err(format!("`{first}` is built upon itself"));
        }
    }
    let mut settings: Vec<(&str, &str)> = Vec::new();
    let parts = chain.iter().rev().flat_map(|it| it.split('&'));
    for (key, value) in parts.filter_map(|it| it.split_once('=')) {
        match settings.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => settings.push((key, value)),
        }
    }
    let settings = settings.iter().map(|(key, value)| format!("{key}={value}"));
    Ok(settings.collect::<Vec<_>>().join("&"))
}
