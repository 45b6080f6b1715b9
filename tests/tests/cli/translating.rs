//! Lines of every length keep their places; a language model begins by itself.

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

fn place() -> Workplace {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    place
}

/// Returns four lines, the second with more tokens than are translated.
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
        // As with an empty line in its place.
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
    let numbers: Vec<_> = written["sentences"]
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
    assert!(
        text.stderr.contains("250 tokens") && text.stderr.contains("first 200 are taken"),
        "{}",
        text.stderr
    );
    assert_eq!(
        Some(&*text.succeeded()),
        expected.split_inclusive('\n').nth(1)
    );
}

#[test]
fn of_many_long_lines_the_first_are_told_and_all_are_counted() {
    let place = place();
    // One of the lines is longer than what is kept of a line.
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
    // What is longer than a line can be is not cut, and not counted as cut.
    let cut = place.run_with("translate --model run --too-long cut", &input);
    assert!(
        cut.stderr
            .contains("31 lines were too long: 30 cut, 1 left empty."),
        "{}",
        cut.stderr
    );
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
        // Every line of the text begins in this way.
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
        // In a text of lines, an empty line stays empty, and keeps its place.
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

/// Returns the weights of a head, row by row.
fn rows(heads: &Value, head: usize) -> Vec<Vec<f64>> {
    serde_json::from_value(heads[head].clone()).unwrap()
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry =
        |row: &Vec<f64>, column: usize| row.iter().zip(b).map(|(x, of)| x * of[column]).sum();
    let row = |row: &Vec<f64>| (0..b[0].len()).map(|column| entry(row, column)).collect();
    a.iter().map(row).collect()
}

fn assert_close(a: &[Vec<f64>], b: &[Vec<f64>]) {
    assert_eq!((a.len(), a[0].len()), (b.len(), b[0].len()));
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let gap = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(gap < 1e-5, "{gap}");
}

/// The file contains what a mechanism computed, and says what its levels are.
#[test]
fn attention_as_numbers_says_what_they_are() {
    let place = Workplace::new();
    let model = "model.encoder_self.kind=ham_s model.encoder_self.depth=2 \
                 model.encoder_self.initial_shares=first model.decoder_self.kind=ham_v \
                 model.decoder_self.depth=3 model.cross.kind=pyramid model.cross.levels=2 \
                 training.steps=1 training.optimizer.learning_rate=1e-9";
    place.run(&train(&format!("{model} --out run"))).succeeded();
    place
        .run("translate --model run --attention where.json a b c d a b c")
        .succeeded();
    let written: Value = serde_json::from_slice(&place.read("where.json")).unwrap();
    let site = |name: &str| {
        let sites = written["sentences"][0]["sites"].as_array().unwrap();
        sites.iter().find(|it| it["site"] == name).unwrap().clone()
    };
    let says = |site: &Value, what: &str| {
        let words = site["levels_are"].as_str().unwrap();
        assert!(words.contains(what), "{words}");
    };
    let level = |site: &Value, level: usize| rows(&site["levels"][level]["heads"], 0);

    let chained = site("encoder.0.self");
    says(&chained, "A_i ⋯ A_1");
    let shares: Vec<f64> = serde_json::from_value(chained["shares"][0].clone()).unwrap();
    assert!(
        (shares[0] - 0.9).abs() < 1e-5 && (shares[1] - 0.1).abs() < 1e-5,
        "{shares:?}"
    );
    let own = [0, 1].map(|it| rows(&chained["own"][it], 0));
    assert_close(&own[0], &level(&chained, 0));
    assert_close(&product(&own[1], &own[0]), &level(&chained, 1));
    let [first, second] = [level(&chained, 0), level(&chained, 1)];
    let mixed = first.iter().zip(&second).map(|(first, second)| {
        let pairs = first.iter().zip(second);
        pairs.map(|(a, b)| shares[0] * a + shares[1] * b).collect()
    });
    let mixed: Vec<Vec<f64>> = mixed.collect();
    assert_close(&rows(&chained["mix"], 0), &mixed);

    let by_keys = site("decoder.0.self");
    says(&by_keys, "level i is A_i");
    assert_eq!(by_keys["shares"][0].as_array().unwrap().len(), 3);
    assert_close(&rows(&by_keys["own"][2], 0), &level(&by_keys, 2));

    let pyramid = site("decoder.0.cross");
    says(&pyramid, "descent");
    assert!(pyramid.get("shares").is_none() && pyramid.get("mix").is_none());
    let levels = pyramid["pyramid"].as_array().unwrap();
    let [leaves, top] = &levels[..] else {
        panic!("{} levels", levels.len());
    };
    assert_eq!((&leaves["nodes"], &top["nodes"]), (&7.into(), &3.into()));
    let members = rows(&top["members"], 0);
    assert_eq!(members[2], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let [leaves, top_shares] = [leaves, top].map(|it| rows(&it["shares"], 0));
    for (row, opened) in rows(&top["opened"], 0).iter().enumerate() {
        let sum: f64 = leaves[row].iter().chain(&top_shares[row]).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        // One node is opened, and its weight goes to its leaves.
        assert_eq!(
            opened.iter().filter(|&&it| it > 0.0).count(),
            1,
            "{opened:?}"
        );
        let of_leaves: f64 = leaves[row].iter().sum();
        assert!((of_leaves - opened.iter().sum::<f64>()).abs() < 1e-5);
    }
}
