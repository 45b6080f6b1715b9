//! Files of questions about passages: their statistics, and scores of predictions.

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::io::Write;
use strata_tests::cli::Workplace;

use super::corpora::data;

const QUESTIONS: &str = r#"{"data": [{"title": "t", "paragraphs": [{"context": "Two Germans came in 1990.", "qas": [
    {"id": "q1", "question": "Who came?", "answers": [{"text": "Germans", "answer_start": 4}]},
    {"id": "q2", "question": "When?", "answers": [{"text": "1990", "answer_start": 3}, {"text": "in 1990", "answer_start": 17}]},
    {"id": "q3", "question": "Which?", "answers": [{"text": "German", "answer_start": 4}, {"text": "gone", "answer_start": 0}]},
    {"id": "q4", "question": "Why?", "answers": []}]}]}]}"#;

const MARCO: &str = "{\"query_id\": 14043, \"answers\": [\"sp2\", \"sp2 hybridization\"]}\n\
    {\"query_id\": 1, \"answers\": [\"A Bulb\"]}\n\
    {\"query_id\": 14042, \"answers\": [\"No Answer Present.\"]}\n";

fn place() -> Workplace {
    let place = Workplace::new();
    place.write("dev.json", QUESTIONS);
    place
}

#[test]
fn questions_are_counted_and_faults_named_by_question() {
    let place = place();
    let said = place.run("data inspect dev.json").succeeded();
    for line in [
        "train: dev.json, format squad, level fine",
        "4  questions\n",
        "5  answers\n",
        "1  answers not at their offset, but elsewhere (questions q2)",
        "1  answers nowhere in the passage (questions q3)",
        "1  answers that begin or end within a token (questions q3)",
        "1  questions without an answer (questions q4)",
        "0  questions without a target\n",
    ] {
        assert!(said.contains(line), "no {line:?} in: {said}");
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(QUESTIONS.as_bytes()).unwrap();
    place.write("dev.json.gz", packed.finish().unwrap());
    let setting =
        "data inspect --json task.kind=reading task.source=dev.json.gz task.level=punctuation";
    let report: Value = serde_json::from_str(&place.run(setting).succeeded()).unwrap();
    assert_eq!(report[0]["level"], "punctuation");
    assert_eq!(report[0]["counts"]["tokens"], 6);
    assert_eq!(report[0]["counts"]["longest_question"], 3);
}

/// Returns a document of these questions, all about one passage.
fn document(questions: &[&str]) -> String {
    let asked = |it: &&str| {
        format!(
            r#"{{"id": "{it}", "question": "{it}", "answers": [{{"text": "here", "answer_start": 0}}]}}"#
        )
    };
    let asked: Vec<String> = questions.iter().map(asked).collect();
    format!(
        r#"{{"data": [{{"paragraphs": [{{"context": "here it is", "qas": [{}]}}]}}]}}"#,
        asked.join(", ")
    )
}

#[test]
fn questions_of_two_files_are_compared() {
    let place = Workplace::new();
    place.write("all.json", document(&["where ?", "who ?", "when ?"]));
    place.write("same.json", document(&["Who?", "WHEN ?"]));
    place.write("other.json", document(&["why ?"]));
    let line = "data inspect all.json --validation other.json --test same.json";
    let said = place.run(line).succeeded();
    for line in [
        "also in the training part: 0 of 1 (0 of the training part) questions",
        "also in the training part: 2 of 2 (2 of the training part) questions",
        "`task.validation_source=same.json` leaves them out",
    ] {
        assert!(said.contains(line), "no {line:?} in: {said}");
    }
    assert_eq!(said.matches("WARNING").count(), 1, "{said}");
    let said = place.run(&format!("{line} --json")).succeeded();
    let report: Value = serde_json::from_str(&said).unwrap();
    assert!(report[0]["overlap"].is_null(), "{said}");
    assert_eq!(report[1]["overlap"]["here"], 0);
    assert_eq!(report[2]["overlap"]["here"], 2);
    assert_eq!(report[2]["overlap"]["in_training"], 2);
    let said = place
        .run("data inspect same.json --test all.json")
        .succeeded();
    assert!(said.contains("2 of 3 (2 of the training part)"), "{said}");
    assert!(
        said.contains("all questions of the training part"),
        "{said}"
    );
    // The same words about another passage are another question.
    place.write(
        "moved.json",
        document(&["who ?"]).replace("here it is", "here it was"),
    );
    let said = place
        .run("data inspect all.json --test moved.json")
        .succeeded();
    assert!(said.contains("0 of 1"), "{said}");
}

#[test]
fn questions_are_no_lines() {
    let place = place();
    let packed = place.shell("gzip -c dev.json > dev.json.gz");
    packed.succeeded();
    place.write("s.txt", "a\n");
    for files in [
        "dev.json --held-out dev.json",
        "s.txt --held-out dev.json",
        "dev.json.gz --held-out s.txt",
    ] {
        let line = format!("data without-overlap {files} --out clean");
        let refusal = place.run(&line).refused();
        assert!(refusal.starts_with("dev.json"), "{refusal}");
        assert!(refusal.contains("file of questions"), "{refusal}");
        assert!(refusal.contains("task.validation_source"), "{refusal}");
        assert!(!place.path("clean").exists());
    }
    // Lines that begin like JSON are lines.
    place.write("list.txt", "[yes]\n[no]\n");
    place.write("test.txt", "[No]\n");
    let line = "data without-overlap list.txt --held-out test.txt --out clean";
    assert!(place.run(line).succeeded().starts_with("1 of 2 lines"));
    assert_eq!(place.read("clean/list.txt"), b"[yes]\n");
}

#[test]
fn what_are_no_questions_is_said() {
    let place = place();
    place.write("cut.json", &QUESTIONS[..300]);
    let refused = |files: &str| place.run(&format!("data inspect {files}")).refused();
    let error = refused("cut.json");
    assert!(error.contains("cut.json, line 3, column"), "{error}");
    place.write("list.txt", "[yes]\n[no]\n");
    let said = place.run("data inspect list.txt").succeeded();
    assert!(said.contains("2 lines"), "{said}");
    let error = refused("list.txt --level fine");
    assert!(error.contains("`--level fine` is for questions"), "{error}");
    let error = place.run("train task.kind=toy_reading").refused();
    assert!(error.contains("`toy_reading`"), "{error}");
}

#[test]
fn predictions_are_scored_against_all_questions() {
    let place = place();
    place.write(
        "p.json",
        r#"{"q1": "the germans", "q2": "In 1990!", "other": "x"}"#,
    );
    let ended = place.run("score --metric squad --answers dev.json p.json");
    for part in [
        "p.json: 2 questions without a prediction",
        "1 prediction for no question of the answers, first for `other`",
        "1 question without an answer left out",
    ] {
        assert!(
            ended.stderr.contains(part),
            "no {part:?} in: {}",
            ended.stderr
        );
    }
    let version = env!("CARGO_PKG_VERSION");
    let expected =
        format!("exact match = 66.67 F1 = 66.67\nquestions:3|rules:squad-1.1|strata:{version}\n");
    assert_eq!(ended.succeeded(), expected);
    let both = "score --metric squad,cmrc --json --answers dev.json p.json";
    let lines: Vec<Value> = place
        .run(both)
        .succeeded()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["score"], 66.67);
    assert_eq!(
        (&lines[1]["rules"], &lines[1]["tok"]),
        (&"cmrc-2018".into(), &"punctuation".into())
    );
}

#[test]
fn lines_of_ms_marco_are_read_as_its_own_program_reads_them() {
    let place = place();
    place.write("references.jsonl", MARCO);
    place.write(
        "candidates.jsonl",
        "{\"query_id\": 14043, \"answers\": [\"SP2\"]}\n{\"query_id\": 1, \"answers\": [\"No Answer Present.\"]}\n",
    );
    let ended = place.run("score --metric msmarco --answers references.jsonl candidates.jsonl");
    assert!(ended.stderr.contains("spaCy"), "{}", ended.stderr);
    let said = ended.succeeded();
    assert!(
        said.starts_with("ROUGE-L = 0.5000 BLEU-1 = 0.1353 "),
        "{said}"
    );
    assert!(said.contains("questions:2|rules:msmarco-1.1|case:lc|tok:punctuation|beta:1.2"));
}

#[test]
fn what_cannot_be_scored_is_refused() {
    let place = place();
    place.write("p.json", "{}");
    place.write("list.json", "[1]");
    place.write("none.json", QUESTIONS.replace("\"answers\"", "\"other\""));
    let refused = |arguments: &str| place.run(&format!("score {arguments}")).refused();
    for (arguments, told) in [
        ("--metric squad --reference p.json p.json", "`--answers`"),
        (
            "--metric squad,bleu --answers dev.json p.json",
            "`--reference`",
        ),
        (
            "--metric squad --answers none.json p.json",
            "no question in it has an answer",
        ),
        ("--metric squad --answers dev.json list.json", "no object"),
        (
            "--metric msmarco --answers dev.json p.json",
            "line 1, column",
        ),
        (
            "--metric squad --answers gone.json p.json",
            "there is no such file",
        ),
    ] {
        let error = refused(arguments);
        assert!(error.contains(told), "{arguments}: {error}");
    }
}

#[test]
fn free_answers_are_validated_and_measured_by_the_rules_of_their_data_set() {
    let place = Workplace::new();
    for (name, file) in [
        ("dureader", "dureader-demo/search.dev.jsonl.gz"),
        ("msmarco", "msmarco-samples/v1.1-qa-200.json.gz"),
    ] {
        let Some(file) = data(file) else {
            return;
        };
        let train = format!(
            "train --preset bidaf_toy task.kind=reading task.source={file} task.validation_source={file} \
             task.maximum_passage=60 task.minimum_count=20 training.batch_size=4 training.steps=4 \
             training.validate_every=2 training.measure=rouge_l training.keep_best=1 --out {name}"
        );
        place.run(&train).succeeded();
        let eval = format!("eval --model {name} --source {file} --json");
        let measured: Value = serde_json::from_str(&place.run(&eval).succeeded()).unwrap();
        // The best of the recorded validations has the same figures.
        let validations = place.metrics(&format!("{name}/metrics.jsonl"), "validation");
        let rouge = validations.iter().map(|it| it["rouge_l"].as_f64().unwrap());
        let best = rouge.fold(0.0, f64::max);
        assert!((measured["rouge_l"].as_f64().unwrap() - best).abs() < 1e-9);
        // The model's own answers get the same scores.
        let ask = format!("answer --model {name} --questions {file} --output p.json");
        place.run(&ask).succeeded();
        let score = format!("score --metric {name} --json --width 8 --answers {file} p.json");
        let scored: Value = serde_json::from_str(&place.run(&score).succeeded()).unwrap();
        for (ours, theirs) in [("rouge_l", "score"), ("bleu_4", "BLEU-4")] {
            let of = |value: &Value| value.as_f64().unwrap();
            let (ours, theirs) = (of(&measured[ours]), of(&scored[theirs]));
            assert!((ours - theirs).abs() < 1e-6, "{ours} {theirs}");
        }
    }
}

#[test]
fn rouge_l_is_no_measure_of_spans() {
    let place = place();
    let said = place
        .run("train --preset bidaf_toy training.measure=rouge_l")
        .refused();
    for part in ["`training.measure` is \"rouge_l\"", "DuReader and MS MARCO"] {
        assert!(said.contains(part), "{said}");
    }
}
