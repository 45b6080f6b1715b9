//! Lines of every length keep their places; a language model begins by itself.

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

fn place() -> Workplace {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    place
}

/// Four lines, the second of more tokens than are translated.
fn lines() -> String {
    format!("a b\n{}\nc\nd\n", "b ".repeat(250))
}

#[test]
fn a_line_that_is_too_long_costs_no_other_line() {
    let place = place();
    for options in [
        "",
        "--scores",
        "--nbest 1",
        "--beam 2 --nbest 2",
        "--sample",
    ] {
        let command = format!("translate --model run {options}");
        let ended = place.run_with(&command, lines());
        for part in ["line 2", "250 tokens", "at most 200", "--too-long cut"] {
            assert!(
                ended.stderr.contains(part),
                "{options}: no {part} in {}",
                ended.stderr
            );
        }
        let found = ended.succeeded();
        // As an empty line there.
        let expected = place.run_with(&command, "a b\n\nc\nd\n").succeeded();
        assert_eq!(found, expected, "{options}");
        let lines = found.lines().count();
        assert_eq!(
            lines,
            if options.contains("--beam") { 7 } else { 4 },
            "{found}"
        );
    }
    place
        .run_with("translate --model run --attention where.json", lines())
        .succeeded();
    let written: Value = serde_json::from_slice(&place.read("where.json")).unwrap();
    let numbers: Vec<_> = written
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["line"].as_u64())
        .collect();
    assert_eq!(numbers, [Some(1), Some(3), Some(4)]);
}

#[test]
fn a_line_that_is_too_long_may_be_cut() {
    let place = place();
    let ended = place.run_with("translate --model run --too-long cut", lines());
    assert!(
        ended.stderr.contains("line 2") && ended.stderr.contains("first 200"),
        "{ended:?}"
    );
    let found = ended.succeeded();
    let cut = "b ".repeat(200);
    let expected = place
        .run_with("translate --model run", format!("a b\n{cut}\nc\nd\n"))
        .succeeded();
    assert_eq!(found, expected);
    let text = place.run(&format!(
        "translate --model run --too-long cut {}",
        "b ".repeat(250)
    ));
    assert_eq!(
        Some(&*text.succeeded()),
        expected.split_inclusive('\n').nth(1)
    );
}

#[test]
fn of_many_long_lines_the_first_are_told_and_all_are_counted() {
    let place = place();
    // One of them is longer than what is kept of a line.
    let mut input = format!("{}\n", "b ".repeat(250)).repeat(30);
    input += &format!("{}\na\n", "b ".repeat(1 << 20));
    let ended = place.run_with("translate --model run", &input);
    assert_eq!(
        ended.stderr.matches("the text has 250 tokens").count(),
        10,
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("31 lines were too long"),
        "{}",
        ended.stderr
    );
    let found = ended.succeeded();
    let alone = place.run_with("translate --model run", "a\n").succeeded();
    assert_eq!(found, "\n".repeat(31) + &alone);
}

#[test]
fn a_language_model_begins_by_itself() {
    let place = Workplace::new();
    place.write("text.txt", "the cat sat\nthe dog sat\n".repeat(100));
    for (name, model) in [
        (
            "attends",
            "model.architecture=transformer_lm model.width=16 model.heads=2 model.feed_forward=32",
        ),
        (
            "recurs",
            "model.architecture=recurrent_lm model.embedding=16 model.hidden=16",
        ),
    ] {
        let settings = "task.kind=text task.source=text.txt task.segment_length=6 model.layers=1 \
                        training.batch_size=8 training.steps=150 training.validate_every=0 \
                        training.optimizer.learning_rate=0.02 training.schedule.warmup=20";
        place
            .run(&format!("train {settings} {model} --out {name}"))
            .succeeded();
        let begin = |options: &str, ending: &str| {
            let mut command = place.command(&format!("translate --model {name} {options}"));
            let ended = command.arg(ending).output().unwrap();
            assert!(
                ended.status.success(),
                "{}",
                String::from_utf8_lossy(&ended.stderr)
            );
            String::from_utf8(ended.stdout).unwrap()
        };
        // Every line of the text begins so.
        assert!(
            begin("", "").starts_with("the "),
            "{name}: {:?}",
            begin("", "")
        );
        assert_eq!(begin("", "  "), begin("", ""));
        let drawn = begin("--sample --nbest 3", "");
        assert_eq!(drawn.lines().count(), 3, "{drawn}");
        begin("--beam 2 --attention where.json", "");
        begin("--attention where.svg --limit 1", "");
        // Of lines, an empty one stays empty, and keeps its place.
        let lines = place
            .run_with(&format!("translate --model {name}"), "\nthe\n")
            .succeeded();
        assert!(lines.starts_with("\nthe "), "{lines}");
        let long = place.run(&format!("translate --model {name} {}", "the ".repeat(300)));
        assert!(long.refused().contains("can be written on"), "{name}");
    }
    // A translator has nothing to begin with.
    place
        .run(&train("training.steps=1 --out translates"))
        .succeeded();
    let mut command = place.command("translate --model translates");
    let ended = command.arg("").output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("nothing to translate"));
}
