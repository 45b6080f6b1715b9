//! Checks of a lesson's texts against its structure.

use strata_settings::diff;

use crate::error::unknown;
use crate::words::{BEFORE, FREE, KNOWN, ParsedWords};
use crate::{
    Action, Block, Lesson, LessonError, Place, Step, StepWords, Target, control, markdown,
};

/// Number of invitations at the end of a lesson.
const INVITATIONS: usize = 3;
/// Number of lines on what a learner knows at the end of a lesson.
const LINES_KNOWN: usize = 2;

/// Returns all faults of texts that could be read; with `whole`, missing texts are faults, too.
pub(crate) fn words(
    file: &str,
    lesson: &Lesson,
    parsed: &ParsedWords,
    whole: bool,
) -> Vec<LessonError> {
    let ParsedWords {
        words,
        values,
        places,
    } = parsed;
    let mut faults = Vec::new();
    let mut fault = |line: usize, what: String| {
        faults.push(LessonError {
            file: file.to_owned(),
            line,
            what,
        });
    };
    let line = |step: &str, section: Option<&str>| {
        let here =
            |it: &&Place| it.step.as_deref() == Some(step) && it.section.as_deref() == section;
        places.iter().find(here).map_or(1, |it| it.line)
    };
    let ids = lesson.steps.iter().map(|step| step.id.as_str());
    for id in words.steps.keys().filter(|id| lesson.step(id).is_none()) {
        fault(line(id, None), unknown("step", id, ids.clone()));
    }
    for step in &lesson.steps {
        let Some(texts) = words.steps.get(&step.id) else {
            if whole {
                fault(1, format!("step `{}` has no words", step.id));
            }
            continue;
        };
        for (section, what) in missing_or_unused(step, texts, whole) {
            fault(line(&step.id, section.as_deref()), what);
        }
    }
    for (place, name) in values {
        let step = place.step.as_deref().and_then(|id| lesson.step(id));
        if let Err(what) = value(lesson, step, name) {
            fault(place.line, what);
        }
    }
    if whole && (words.title.is_empty() || words.goal.is_empty()) {
        fault(
            1,
            "a lesson begins with `# Title`, and what it is for".to_owned(),
        );
    }
    let known: usize = words.known.blocks.iter().map(|it| lines(it).len()).sum();
    if (whole || known > 0) && known != LINES_KNOWN {
        let what = format!(
            "`## You know now {{#{KNOWN}}}`, before `{{#{FREE}}}`, has {LINES_KNOWN} lines, not {known}"
        );
        fault(1, what);
    }
    let invitations = words.free.blocks.iter().flat_map(lines);
    let invitations = invitations.flat_map(|line| markdown::targets(line));
    let found = invitations
        .filter(|it| matches!(it, Target::Experiment(_)))
        .count();
    if whole && found != INVITATIONS {
        let what = format!(
            "`## … {{#{FREE}}}` at the end has {INVITATIONS} links to experiments, not {found}"
        );
        fault(1, what);
    }
    faults
}

/// Returns the lines of a block.
fn lines(block: &Block) -> Vec<&Vec<crate::Inline>> {
    match block {
        Block::Paragraph(line) => vec![line],
        Block::List(lines) => lines.iter().collect(),
    }
}

/// Names texts of a step that are missing (if `whole`) or never shown, each with its section.
fn missing_or_unused(step: &Step, texts: &StepWords, whole: bool) -> Vec<(Option<String>, String)> {
    let mut needed = step.texts();
    needed.push("do");
    if step.guess.is_some() {
        needed.push("guess");
    }
    if step.action != Action::Guess {
        needed.push("hint");
    }
    if step.late.is_some() {
        needed.push("late");
    }
    let mut faults = Vec::new();
    for name in texts
        .sections
        .keys()
        .filter(|it| !needed.contains(&it.as_str()))
    {
        let known = needed.iter().copied();
        let what = if BEFORE.contains(&name.as_str()) {
            format!("the step has no `{name}`, so nobody says this")
        } else {
            unknown("text", name, known)
        };
        faults.push((Some(name.clone()), what));
    }
    let is_there = |name: &str| {
        texts
            .sections
            .get(name)
            .is_some_and(|it| !it.blocks.is_empty())
    };
    let guess = step.guess.as_ref();
    if is_there("guess") || whole {
        let (wanted, found) = (guess.map_or(0, |it| it.options.len()), texts.options.len());
        if wanted != found {
            let what = format!("the guess has {wanted} options, but its list has {found}");
            faults.push((Some("guess".to_owned()), what));
        }
    }
    let is_missing = |name: &&str| match *name {
        // A question may be nothing but its options.
        "guess" => !is_there("guess") && texts.options.is_empty(),
        name => !is_there(name),
    };
    if whole {
        let missing = needed.iter().copied().filter(|name| is_missing(name));
        faults.extend(missing.map(|name| (None, format!("the step lacks `### {name}`"))));
        if texts.title.is_empty() {
            faults.push((None, "the step lacks a title".to_owned()));
        }
    }
    faults
}

/// Refuses a value that neither the step nor its experiment has.
fn value(lesson: &Lesson, step: Option<&Step>, name: &str) -> Result<(), String> {
    if let Some(control) = control::read(name) {
        return control.map(|_| ());
    }
    let Some(step) = step else {
        return Err(format!(
            "`{{{name}}}` stands in no step, so nothing is measured"
        ));
    };
    if name.contains('.') {
        let experiment = lesson.experiment(&step.setup.experiment);
        let table = experiment.map(|it| diff::table(&it)).unwrap_or_default();
        return match diff::get(&table, name) {
            Some(value) if !value.is_object() => Ok(()),
            _ => Err(format!(
                "the step's experiment has no setting `{name}`, as in {{model.width}}"
            )),
        };
    }
    let claims = step.claims.iter().map(|it| it.name.as_str());
    let known = step.values.keys().map(String::as_str).chain(claims);
    let known: Vec<&str> = match step.guess {
        Some(_) => known.chain(["measured"]).collect(),
        None => known.collect(),
    };
    if known.contains(&name) {
        Ok(())
    } else {
        Err(unknown("value", name, known))
    }
}
