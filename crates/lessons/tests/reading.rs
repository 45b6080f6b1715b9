//! Lessons read from files, and the faults of malformed files.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use strata_lessons::{Block, Inline, Lesson, LessonError, Target, Words, read};

const STRUCTURE: &str = r#"version = 1
minutes = 10

[experiments]
base = "preset=copy&model.architecture=seq2seq&training.steps=400"
wide = "base&model.encoder_hidden=256"

[[step]]
id = "line"
setup = { experiment = "base", look = { site = "decoder.cross" }, beside = ["wide"] }
guess = { kind = "choice", options = ["down", "up"], measured = "line" }
action = "train"
until = [{ measure = "near_diagonal", at_least = 0.8 }]
late = { step = 400, offer = ["train 200", "show"] }
values = { gap = "run(wide, 100).held.accuracy - held.accuracy" }
claims = [{ name = "copied", measure = "held.accuracy", at_least = 0.98, at = "end" }]
"#;

const WORDS: &str = "# Lines

What it is for.

## A line {#line}

The state has {model.encoder_hidden} numbers.

### guess

Which way, by $α = 1$?
- Down
- Up

### do

Press *Train*.

### hint

Above the curves.

### late

Train on.

### after

A **diagonal**: {gap}, after [Bahdanau et al. 2015](paper).

## You know now {#known}

- What a state holds.
- What it forgets.

## Free play {#free}

- [One](?v=1&preset=copy)
- [Two](?v=1&preset=dates)
- [Three](?v=1&preset=reverse) and [this](?lesson=lines&step=line)
";

fn structure(text: &str) -> Result<Lesson, Vec<LessonError>> {
    read::structure("lines", text)
}

fn words(text: &str, language: &str) -> Result<Words, Vec<LessonError>> {
    let lessons = BTreeMap::from([("lines".to_owned(), structure(STRUCTURE).unwrap())]);
    read::words("lines", language, text, &lessons)
}

#[test]
fn a_lesson_is_read_whole() {
    let lesson = structure(STRUCTURE).unwrap();
    let wide = lesson.experiment("wide").unwrap();
    assert_eq!(wide.training.steps, 400);
    let words = words(WORDS, "en").unwrap();
    let step = &words.steps["line"];
    assert_eq!(step.options.len(), 2);
    assert_eq!(step.intro.blocks.len(), 1);
    let [Block::Paragraph(after)] = &step.sections["after"].blocks[..] else {
        panic!("{:?}", step.sections["after"]);
    };
    assert!(after.contains(&Inline::Term(vec![Inline::Text("diagonal".to_owned())])));
    assert!(after.contains(&Inline::Value("gap".to_owned())));
    let paper = "https://arxiv.org/abs/1409.0473".to_owned();
    let is_paper = |part: &Inline| matches!(part, Inline::Link { to, .. } if *to == Target::Paper(paper.clone()));
    assert!(after.iter().any(is_paper));
}

/// Asserts the fault of a file in which `from` is replaced by `to`: its line (that of `near`), and
/// a part of the sentence.
fn assert_fault(
    read: impl Fn(&str) -> Vec<LessonError>,
    text: &str,
    (from, to): (&str, &str),
    (near, expected): (&str, &str),
) {
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    let faults = read(&text);
    let line = text[..text.find(near).unwrap()].lines().count().max(1);
    let line = if text[..text.find(near).unwrap()].ends_with('\n') {
        line + 1
    } else {
        line
    };
    let found: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let is_found = |it: &LessonError| it.line == line && it.what.contains(expected);
    assert!(
        faults.iter().any(is_found),
        "line {line}, “{expected}”: {found:?}"
    );
}

#[test]
fn faults_of_the_structure_are_told_with_their_lines() {
    let faults = |text: &str| structure(text).err().unwrap_or_default();
    for (change, fault) in [
        (
            ("minutes = 10", "minute = 10"),
            ("minute", "did you mean `minutes`?"),
        ),
        (("preset=copy", "preset=copi"), ("base =", "“copi”")),
        (
            ("wide = \"base", "wide = \"bass"),
            ("wide =", "did you mean `base`?"),
        ),
        (
            ("encoder_hidden=256", "encoder_hiden=256"),
            ("wide =", "encoder_hidden"),
        ),
        (
            ("experiment = \"base\"", "experiment = \"bas\""),
            ("setup", "did you mean `base`?"),
        ),
        (
            ("\"decoder.cross\" }", "\"decoder.0.cross\" }"),
            ("setup", "did you mean `decoder.cross`?"),
        ),
        (
            ("beside = [\"wide\"]", "beside = [\"wild\"]"),
            ("setup", "did you mean `wide`?"),
        ),
        (
            ("action = \"train\"", "action = \"trian\""),
            ("action", "did you mean `train`?"),
        ),
        (
            ("measured = \"line\"", "measured = \"lines\""),
            ("guess", "did you mean `line`?"),
        ),
        (
            ("near_diagonal", "near_diagnal"),
            ("until", "did you mean `near_diagonal`?"),
        ),
        (("\"show\"", "\"shwo\""), ("late", "did you mean `show`?")),
        (
            ("run(wide, 100)", "run(wode, 100)"),
            ("values", "did you mean `wide`?"),
        ),
        (
            ("run(wide, 100)", "run(wide, 500)"),
            ("values", "ends after 400 steps"),
        ),
        (
            ("name = \"copied\"", "name = \"gap\""),
            ("claims", "`gap` is taken"),
        ),
        (
            ("at = \"end\"", "at = \"ende\""),
            ("claims", "a step such as 0 or 500"),
        ),
        (
            (
                "until = [{ measure = \"near_diagonal\", at_least = 0.8 }]",
                "until = []",
            ),
            ("until", "has a condition"),
        ),
        (
            ("options = [\"down\", \"up\"]", "options = [\"down\"]"),
            ("guess", "two `options` or more"),
        ),
        (
            (
                "site = \"decoder.cross\"",
                "site = \"decoder.cross\", level = 2",
            ),
            ("setup", "levels 1 to 1"),
        ),
        (
            (
                "look = { site = \"decoder.cross\" }",
                "look = { view = \"shares\" }",
            ),
            ("setup", "no site mixes"),
        ),
        (("version = 1", "version = "), ("version", "")),
    ] {
        assert_fault(faults, STRUCTURE, change, fault);
    }
}

#[test]
fn faults_of_the_words_are_told_with_their_lines() {
    let faults = |text: &str| words(text, "en").err().unwrap_or_default();
    for (change, fault) in [
        (("{gap}", "{gab}"), ("A **dia", "did you mean `gap`?")),
        (
            ("{model.encoder_hidden}", "{model.encoder_hiden}"),
            ("The state", "no setting `model.encoder_hiden`"),
        ),
        (
            ("{#line}", "{#lines}"),
            ("## A line", "did you mean `line`?"),
        ),
        (
            ("Bahdanau et al. 2015", "Bahdanou et al. 2015"),
            ("A **dia", "did you mean `Bahdanau et al. 2015`?"),
        ),
        (("preset=dates", "preset=date"), ("- [Two]", "“date”")),
        (
            ("step=line", "step=lines"),
            ("- [Three]", "did you mean `line`?"),
        ),
        (
            ("lesson=lines", "lesson=line"),
            ("- [Three]", "did you mean `lines`?"),
        ),
        (
            ("Train on.", "Train for 200 steps."),
            ("Train for", "has a digit"),
        ),
        (
            ("Train on.", "<b>Train</b> on."),
            ("<b>", "no place for HTML"),
        ),
        (
            ("Train on.", "1. Train on."),
            ("1. Train", "a list with numbers"),
        ),
        (
            ("### late", "### lately"),
            ("### lately", "did you mean `late`?"),
        ),
        (
            ("- Up\n", ""),
            ("### guess", "2 options, but its list has 1"),
        ),
        (
            ("### hint\n\nAbove the curves.\n", ""),
            ("## A line", "lacks `### hint`"),
        ),
        (
            ("(paper)", "(http://example.org)"),
            ("A **dia", "leads nowhere"),
        ),
        (
            ("Train on.", "The **diagonal**."),
            ("A **dia", "bold twice"),
        ),
        (
            ("- [Two](?v=1&preset=dates)\n", ""),
            ("# Lines", "3 links to experiments, not 2"),
        ),
        (
            ("- What it forgets.\n", ""),
            (
                "# Lines",
                "`## You know now {#known}`, before `{#free}`, has 2 lines, not 1",
            ),
        ),
        (
            ("What it is for.", "What {gap} is for."),
            ("What {gap}", "stands in no step"),
        ),
    ] {
        assert_fault(faults, WORDS, change, fault);
    }
}

#[test]
fn what_is_not_translated_stays_english_and_says_so() {
    let english = words(WORDS, "en").unwrap();
    let german = "# Linien\n\n## Eine Linie {#line}\n\n### do\n\nDrücke *Train*.\n";
    let german = words(german, "de").unwrap().or(&english, "en");
    let step = &german.steps["line"];
    assert_eq!(step.sections["do"].language, None);
    assert_eq!(step.sections["hint"].language.as_deref(), Some("en"));
    assert_eq!(step.options, english.steps["line"].options);
    assert_eq!(german.free.language.as_deref(), Some("en"));
    assert_eq!(german.title, [Inline::Text("Linien".to_owned())]);
}
