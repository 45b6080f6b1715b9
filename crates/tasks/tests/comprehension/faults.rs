//! Faults of earlier programs (BiDAF, MUR, NLP, DuReader's code), and bad input.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use strata_tasks::{
    AnswerSpan, BatchSize, Batches, Question, ReadingConfig, ReadingData, ReadingLevel, TaskConfig,
};
use strata_text::Uploads;

/// Writes a file with this text, under a name that only one test uses.
fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a temporary file");
    path
}

fn config(path: &Path) -> ReadingConfig {
    ReadingConfig {
        source: path.to_owned(),
        validation_source: Some(path.to_owned()),
        minimum_count: 1,
        ..ReadingConfig::default()
    }
}

fn load(config: ReadingConfig) -> Result<ReadingData, String> {
    let data = TaskConfig::Reading(config).load(1, &Uploads::default());
    let data = data.map_err(|error| error.to_string())?;
    Ok(data.examples.into_questions().expect("questions"))
}

fn squad(context: &str, questions: &[(&str, &[(&str, i64)])]) -> Value {
    let asked = |&(id, answers): &(&str, &[(&str, i64)])| {
        let answers = answers.iter();
        let answers = answers.map(|(text, at)| json!({"text": text, "answer_start": at}));
        json!({"id": id, "question": "who ?", "answers": answers.collect::<Vec<_>>()})
    };
    let asked: Vec<Value> = questions.iter().map(asked).collect();
    json!({"data": [{"title": "t", "paragraphs": [{"context": context, "qas": asked}]}]})
}

fn of_squad(name: &str, context: &str, answers: &[(&str, i64)]) -> Question {
    let path = file(name, &squad(context, &[("1", answers)]).to_string());
    load(config(&path)).expect("data").training.remove(0)
}

#[test]
fn an_answer_of_one_word_and_one_of_several_end_with_their_last_word() {
    let context = "In 1990 the old town hall burned .";
    for (answer, at) in [("1990", 3), ("old town hall", 12), ("the old", 8)] {
        let question = of_squad("ends.json", context, &[(answer, at)]);
        assert_eq!(question.answer(question.target.expect("a target")), answer);
    }
}

#[test]
fn an_answer_within_a_token_is_trained_with_all_of_it() {
    let question = of_squad("inside.json", "Two Germans came.", &[("German", 4)]);
    assert_eq!(
        question.answer(question.target.expect("a target")),
        "Germans"
    );
    assert_eq!(question.answers, ["German"]);
    // An answer that begins and ends with tokens takes precedence.
    let answers = [("German", 4), ("Two Germans", 0)];
    let question = of_squad("exact.json", "Two Germans came.", &answers);
    assert_eq!(
        question.answer(question.target.expect("a target")),
        "Two Germans"
    );
}

#[test]
fn offsets_count_code_points_whatever_stands_before() {
    let before = "👩\u{200d}👧 cafe\u{301} ＷＸ 光荣 ";
    let at = before.chars().count() as i64;
    let question = of_squad("code_points.json", &format!("{before}x y x"), &[("x", at)]);
    let target = question.target.expect("a target");
    let passage = &question.passages[target.passage];
    assert_eq!(
        passage.code_points(target.start..=target.end),
        at as usize..at as usize + 1
    );
    assert_eq!(question.answer(target), "x");
}

#[test]
fn of_many_places_with_the_answers_words_the_one_that_is_said_is_learned() {
    let question = of_squad(
        "places.json",
        "the cat saw the cat and the cat",
        &[("the cat", 12)],
    );
    let target = AnswerSpan {
        passage: 0,
        start: 3,
        end: 4,
    };
    assert_eq!(question.target, Some(target));
}

fn document(selected: bool, related: i64, paragraphs: &[&str]) -> Value {
    let segmented = paragraphs
        .iter()
        .map(|it| it.split(' ').collect::<Vec<_>>());
    json!({
        "is_selected": selected, "most_related_para": related, "paragraphs": paragraphs,
        "segmented_paragraphs": segmented.collect::<Vec<_>>(),
    })
}

fn dureader(documents: &[Value], place: Value) -> Value {
    let mut line = json!({
        "question_id": 7, "question": "wo liegt es", "segmented_question": ["wo", "liegt", "es"],
        "documents": documents, "answers": ["hier im wald"],
        "segmented_answers": [["hier", "im", "wald"]],
    });
    for (key, value) in place.as_object().expect("an object") {
        line[key] = value.clone();
    }
    line
}

#[test]
fn an_answer_beyond_the_passages_that_are_kept_takes_the_last_ones_place() {
    let mut documents = vec![document(false, 0, &["es ist fern"]); 8];
    documents[6] = document(true, 0, &["es liegt hier im wald"]);
    let place = json!({"answer_docs": [6], "answer_spans": [[2, 4]]});
    let path = file("beyond.json", &dureader(&documents, place).to_string());
    let data = load(config(&path)).expect("data");
    let trained = &data.training[0];
    assert_eq!(trained.passages.len(), 5);
    let target = trained.target.expect("a target");
    assert_eq!((target.passage, trained.passages[4].document), (4, 6));
    assert_eq!(trained.answer(target), "hier im wald");
    // The choice of passages for measuring must not depend on the answer.
    let measured = &data.validation[0];
    let kept: Vec<usize> = measured.passages.iter().map(|it| it.document).collect();
    assert_eq!((kept, measured.target), (vec![0, 1, 2, 3, 4], None));
}

#[test]
fn minus_one_is_no_paragraph_and_not_the_last() {
    let paragraphs = ["es liegt hier im wald", "ganz anders"];
    let documents = [document(true, -1, &paragraphs)];
    let path = file(
        "minus_one.json",
        &dureader(&documents, json!({})).to_string(),
    );
    let trained = load(config(&path)).expect("data").training.remove(0);
    assert_eq!(trained.passages[0].paragraph.text(), paragraphs[0]);
    assert_eq!(
        trained.answer(trained.target.expect("a target")),
        "hier im wald"
    );
}

#[test]
fn a_given_span_belongs_to_its_paragraph_and_moves_to_no_other() {
    // The question would choose the second paragraph, the file names the first.
    let paragraphs = ["hier im wald steht es", "wo liegt es denn hier"];
    let documents = [document(true, 0, &paragraphs)];
    let place = json!({"answer_docs": [0], "answer_spans": [[0, 2]]});
    let path = file("moved.json", &dureader(&documents, place).to_string());
    let data = load(config(&path)).expect("data");
    let trained = &data.training[0];
    assert_eq!(
        trained.answer(trained.target.expect("a target")),
        "hier im wald"
    );
    let measured = &data.validation[0];
    assert_eq!(measured.passages[0].paragraph.text(), paragraphs[1]);
    assert_eq!(measured.answer(measured.target.expect("a target")), "hier");
    // At another level, the span has the same characters.
    let data = load(ReadingConfig {
        level: ReadingLevel::Character,
        ..config(&path)
    });
    let trained = &data.expect("data").training[0];
    assert_eq!(
        trained.answer(trained.target.expect("a target")),
        "hier im wald"
    );
}

#[test]
fn every_question_is_measured_however_long_its_passage() {
    let words: Vec<String> = (0..1000).map(|it| format!("w{it}")).collect();
    let context = words.join(" ");
    let at = context.find("w990").expect("the word") as i64;
    let questions: [(&str, &[(&str, i64)]); 3] = [
        ("late", &[("w990 w991", at)]),
        ("nowhere", &[("elsewhere", 3)]),
        ("long", &[(&context, 0)]),
    ];
    let path = file("long.json", &squad(&context, &questions).to_string());
    let data = load(ReadingConfig {
        level: ReadingLevel::Word,
        maximum_passage: 100,
        ..config(&path)
    })
    .expect("data");
    // In training, only the window with the answer is read, and places count from its start.
    assert_eq!(data.training.len(), 1);
    let late = &data.training[0];
    assert_eq!((late.passages.len(), late.passages[0].len()), (1, 100));
    assert_eq!(late.answer(late.target.expect("a target")), "w990 w991");
    // In measuring, all three questions are read with all windows, which cover every token.
    let ids: Vec<&str> = data.validation.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["late", "nowhere", "long"]);
    for question in &data.validation {
        let mut seen = [false; 1000];
        for passage in &question.passages {
            assert!(passage.len() <= 100);
            seen[passage.window.clone()].fill(true);
        }
        assert!(seen.iter().all(|&it| it));
    }
    let late = &data.validation[0];
    assert_eq!(late.answer(late.target.expect("a target")), "w990 w991");
    assert_eq!(data.validation[1].target, None);
    assert_eq!(data.validation[2].target, None);
}

#[test]
fn what_is_left_out_is_told_with_its_number() {
    let questions: [(&str, &[(&str, i64)]); 3] =
        [("1", &[("a", 0)]), ("2", &[("gone", 0)]), ("3", &[])];
    let path = file("told.json", &squad("a b", &questions).to_string());
    let data = TaskConfig::Reading(config(&path)).load(1, &Uploads::default());
    let told = data.expect("data").facts.remarks.join("\n");
    for part in [
        "told.json: 1 question without an answer: neither trained nor scored",
        "1 question whose answers have no place in their passages: not trained",
        "1 question whose answers have no place in their passages: scored",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn batches_are_bounded_by_their_padded_cells() {
    let lengths = [30, 400, 12, 60, 390, 45, 8, 100];
    let texts = lengths.map(|length| vec!["w"; length].join(" "));
    let mut paragraphs = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        for copy in 0..10 {
            let id = format!("{number}-{copy}");
            paragraphs.push(json!({"context": text, "qas": [
                {"id": id, "question": "w w w", "answers": [{"text": "w", "answer_start": 0}]}]}));
        }
    }
    let whole = json!({"data": [{"paragraphs": paragraphs}]});
    let path = file("cells.json", &whole.to_string());
    let questions = load(config(&path)).expect("data").training;
    let budget = 2000;
    let mut batches =
        Batches::of_questions(&questions, BatchSize::Tokens(budget), 3).expect("batches");
    let mut seen = Vec::new();
    for _ in 0..batches.batches_per_epoch() {
        let batch = batches.next_batch();
        let longest = batch
            .iter()
            .map(|&at| questions[at].longest_passage())
            .max();
        let cells = batch.len() * longest.expect("a question") * 3;
        assert!(cells <= budget, "{cells} cells");
        seen.extend(batch);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..questions.len()).collect::<Vec<_>>());
}

#[test]
fn ones_own_question_needs_no_files() {
    let path = file(
        "own.json",
        &squad("a b c", &[("1", &[("b", 2)])]).to_string(),
    );
    let tokenizer = load(config(&path)).expect("data").tokenizer;
    let asked = tokenizer.question("mine", "b or x ?", &["c x b"]);
    let ids = |text: &str| tokenizer.text(text).ids().to_vec();
    assert_eq!(asked.passages[0].ids(), ids("c x b"));
    assert_eq!(asked.target, None);
}

#[test]
fn bad_input_is_refused_by_file_and_place() {
    let question =
        r#"{"id": "q", "question": "?", "answers": [{"text": "a", "answer_start": AT}]}"#;
    let with = |at: &str, more: &str| {
        let question = question.replace("AT", at);
        format!(
            r#"{{"data": [{{"paragraphs": [{{"context": "a", "qas": [{question}{more}]}}]}}]}}"#
        )
    };
    let marco = |passages: &str| {
        format!(r#"[{{"query_id": 1, "query": "?", "answers": ["a"], "passages": {passages}}}]"#)
    };
    let row = r#"{"is_selected": 0, "passage_text": "a"}"#;
    let one = [document(true, 0, &["es liegt hier"])];
    let cases: Vec<(String, &str)> = vec![
        (
            "{\"data\": [".into(),
            "bad.json, line 1, column 10: this is not JSON",
        ),
        ("plain text".into(), "line 1, column 1: this is not JSON"),
        ("".into(), "of no known format"),
        ("[]".into(), "of no known format"),
        (
            r#"[{"context": "a", "qas": []}]"#.into(),
            "a list of paragraphs",
        ),
        (
            r#"[{"title": "a", "paragraphs": []}]"#.into(),
            "a list of articles",
        ),
        (
            r#"[{"context_id": "1", "context_text": "a", "qas": []}]"#.into(),
            "`context_text`",
        ),
        (
            "{\"id\": \"1\", \"context\": \"a\", \"question\": \"b\", \"answers\": {\"text\": [\"a\"], \
             \"answer_start\": [0]}}\n"
                .into(),
            "Hugging Face",
        ),
        (
            "{\"a\": 1}".into(),
            "neither `data` (SQuAD), nor `documents`",
        ),
        ("{\"data\": [{}]}".into(), "missing field `paragraphs`"),
        ("{\"data\": 3}".into(), "line 1, column 10"),
        (
            r#"{"query": {"0": "?"}, "passages": {}}"#.into(),
            "v2 by columns",
        ),
        (with("-2", ""), "bad.json, question q: `answer_start` is -2"),
        (with("\"0\"", ""), "question q: `answer_start` is \"0\""),
        (with("1.5", ""), "`answer_start` is 1.5"),
        (
            with("0", &format!(", {}", question.replace("AT", "0"))),
            "question q: its id occurs twice",
        ),
        (with("0", "").replace("\"q\"", "null"), "its id is null"),
        (
            with("0", "").replace("\"a\", \"answer", "\"b\", \"answer"),
            "no question is left to train on: of 1 questions",
        ),
        (
            marco(r#"{"is_selected": [0, 1], "passage_text": ["a"]}"#),
            "question 1: `passages` has 2",
        ),
        (marco("3"), "question 1: `passages`"),
        (
            marco(&format!("[{}]", vec![row; 10_001].join(","))),
            "question 1: it has 10001 documents",
        ),
        (
            marco(&format!(
                "[{}]",
                row.replace("\"a\"", &format!("\"{}\"", "a ".repeat(600_000)))
            )),
            "1 MiB",
        ),
        (
            dureader(&one, json!({"answer_docs": [1], "answer_spans": [[0, 0]]})).to_string(),
            "`answer_docs` says document 1",
        ),
        (
            dureader(&one, json!({"answer_docs": [-1], "answer_spans": [[0, 0]]})).to_string(),
            "`answer_docs` says document -1",
        ),
        (
            dureader(&one, json!({"answer_docs": [0], "answer_spans": [[1, 3]]})).to_string(),
            "`answer_spans` says tokens 1 to 3",
        ),
        (
            dureader(&one, json!({"answer_docs": [0], "answer_spans": [[2, 1]]})).to_string(),
            "`answer_spans` says tokens 2 to 1",
        ),
        (
            dureader(&[document(true, 1, &["a"])], json!({})).to_string(),
            "`most_related_para` is 1",
        ),
        (
            format!("{}\n\n{{\"question_id\": 8}}", dureader(&one, json!({}))),
            "line 3, column 18: missing field `question`",
        ),
        (
            format!("{}\nx", dureader(&one, json!({}))),
            "line 2, column 1: this is not JSON",
        ),
    ];
    for (text, told) in cases {
        let path = file("bad.json", &text);
        let error = load(config(&path)).map(|_| ()).expect_err(told);
        assert!(error.contains(told), "{told}: {error}");
        assert!(error.contains("bad.json"), "{error}");
    }
    let segmented = |text: &str| {
        let path = file("segmented.json", text);
        let level = ReadingLevel::Segmented;
        let read = load(ReadingConfig {
            level,
            ..config(&path)
        });
        read.map(|_| ()).expect_err("no tokens of its own")
    };
    let mut line = dureader(&one, json!({}));
    line["segmented_question"] = Value::Null;
    for text in [line.to_string(), with("0", "")] {
        let error = segmented(&text);
        assert!(error.contains("has no tokens of its own"), "{error}");
    }
    let error = load(ReadingConfig::default())
        .map(|_| ())
        .expect_err("no source");
    assert!(error.contains("`task.source`"), "{error}");
}

#[test]
fn a_byte_order_mark_lines_and_a_list_are_the_same_questions() {
    let entry = r#"{"query_id": 1, "query": "?", "answers": ["a"], "passages": [{"is_selected": 1, "passage_text": "b a"}]}"#;
    let columns = r#"{"query_id": 1, "query": "?", "answers": ["a"], "passages": {"is_selected": [1], "passage_text": ["b a"]}}"#;
    let read = |text: &str| {
        load(config(&file("forms.json", text)))
            .expect("data")
            .training
    };
    let expected = read(entry);
    assert_eq!(
        expected[0].answer(expected[0].target.expect("a target")),
        "a"
    );
    for text in [
        format!("\u{feff}[{entry}]"),
        format!("\n{columns}\n\n"),
        format!("[{columns}]"),
    ] {
        assert_eq!(read(&text), expected, "{text}");
    }
}

#[test]
fn vectors_and_more_words_join_the_vocabulary() {
    let path = file(
        "vectors.json",
        &squad("The cat", &[("1", &[("cat", 4)])]).to_string(),
    );
    let vectors = file("vectors.txt", "the 1 2\ndog 3 4\ncow 5 6\n");
    let data = load(ReadingConfig {
        vectors: Some(vectors),
        more_words: 1,
        ..config(&path)
    })
    .expect("data");
    let found = data.vectors.expect("vectors");
    let row = |token: &str| {
        let id = data.tokenizer.vocabulary.id(token) as usize;
        found.rows.values[id * found.width..][..found.width].to_vec()
    };
    assert_eq!(
        [row("The"), row("dog"), row("cat"), row("cow")],
        [[1.0, 2.0], [3.0, 4.0], [0.0; 2], [0.0; 2]]
    );
    let asked = data.tokenizer.question("", "dog cow", &["x"]);
    assert_ne!(asked.question.ids()[0], asked.question.ids()[1]);
    let error = load(ReadingConfig {
        more_words: 1,
        ..config(&path)
    });
    assert!(
        error
            .map(|_| ())
            .expect_err("no vectors")
            .contains("`task.vectors`")
    );
}

/// Random numbers that are the same everywhere (Knuth's MMIX generator).
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[test]
fn whatever_is_broken_in_a_file_is_told_or_read() {
    let answers: [(&str, i64); 2] = [("b 光", 2), ("e\u{301}", 6)];
    let documents = [
        document(true, 0, &["es liegt hier im wald", "wo"]),
        document(false, -1, &[" x  y "]),
    ];
    let place = json!({"answer_docs": [0], "answer_spans": [[2, 4]]});
    let marco = json!([{"query_id": 1, "query": "?", "answers": ["b"], "passages":
        {"is_selected": [0, 1], "passage_text": ["a b", "b c"]}}]);
    let files = [
        squad(
            "a b 光 e\u{301} ok",
            &[("1", &answers), ("2", &answers[..1])],
        )
        .to_string(),
        dureader(&documents, place).to_string(),
        marco.to_string(),
    ];
    let parts = [
        "\"", "{", "}", "[", "]", ",", ":", "-1", "9", "null", "\\u0000", "é", " ", "",
    ];
    let mut draws = Draws(1);
    let mut read = 0;
    for round in 0..600 {
        let mut text: Vec<char> = files[round % files.len()].chars().collect();
        for _ in 0..=draws.below(2) {
            let at = draws.below(text.len());
            let end = (at + draws.below(4)).min(text.len());
            let part = parts[draws.below(parts.len())].chars();
            text.splice(at..end, part);
        }
        let path = file("broken.json", &text.iter().collect::<String>());
        let level = [ReadingLevel::Auto, ReadingLevel::Character][draws.below(2)];
        let data = load(ReadingConfig {
            level,
            maximum_passage: 1 + draws.below(6),
            maximum_passages: draws.below(3),
            ..config(&path)
        });
        let Ok(data) = data else {
            continue;
        };
        read += 1;
        for question in data.training.iter().chain(&data.validation) {
            for passage in &question.passages {
                assert!(passage.ids().len() == passage.len());
            }
            if let Some(target) = question.target {
                assert!(target.end < question.passages[target.passage].len());
                assert!(target.start <= target.end);
                question.answer(target);
            }
        }
    }
    assert!((50..550).contains(&read), "{read} files were read");
}
