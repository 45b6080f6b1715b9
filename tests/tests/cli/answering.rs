//! Readers: trained, resumed, asked and measured.

use strata_tests::cli::Workplace;

const TOY: &str = "train --preset bidaf_toy task.examples=2000 task.held_out=100";

const PASSAGE: &str = "anna found the red ball in the garden . ben kept the blue cup in the kitchen . \
                       clara sold the green book in the hall .\n";

fn read(place: &Workplace, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap()
}

#[test]
fn a_reader_answers_questions_about_a_text() {
    let place = Workplace::new();
    let said = place
        .run(&format!(
            "{TOY} training.steps=30 training.validate_every=10 --out run"
        ))
        .succeeded();
    assert!(said.contains("questions to learn from"), "{said}");
    assert!(said.contains("answered exactly"), "{said}");
    assert!(said.contains("answer --passage FILE --model"), "{said}");
    let [.., last] = &place.metrics("run/metrics.jsonl", "validation")[..] else {
        panic!("no validation: {said}");
    };
    assert!(last["f1"].as_f64().is_some_and(|f1| f1 > 0.0), "{last}");

    place.write("text.txt", PASSAGE);
    let ask = "answer --model run --passage text.txt";
    let answer = place
        .run(&format!("{ask} who found the red ball ?"))
        .succeeded();
    let [text, at, probability] = answer.trim_end().split('\t').collect::<Vec<_>>()[..] else {
        panic!("{answer}");
    };
    let (start, end) = at.split_once('-').unwrap();
    let [start, end]: [usize; 2] = [start, end].map(|it| it.parse().unwrap());
    assert_eq!(&PASSAGE[start..end], text);
    assert!(
        probability
            .parse::<f64>()
            .is_ok_and(|it| it > 0.0 && it <= 1.0)
    );

    let several = place.run(&format!("{ask} --nbest 3 who found the red ball ?"));
    let several = several.succeeded();
    assert_eq!(several.lines().count(), 3, "{several}");
    assert!(several.lines().all(|it| it.starts_with("0\t")), "{several}");
    assert!(several.starts_with(&format!("0\t{text}\t")), "{several}");

    let one = place.run(&format!(
        "{ask} --longest 1 --nbest 4 who found the red ball ?"
    ));
    for line in one.succeeded().lines() {
        let answer = line.split('\t').nth(1).unwrap();
        assert_eq!(answer.split(' ').count(), 1, "{line}");
    }

    // The same question on standard input, where an empty line stays empty.
    let lines = format!("{}\twho found the red ball ?\n\n", PASSAGE.trim_end());
    let found = place.run_with("answer --model run -", &lines).succeeded();
    assert_eq!(found, format!("{answer}\n"));
    lines_keep_their_places(&place, answer.trim_end());

    place
        .run(&format!(
            "{ask} --attention flow.svg --nbest 1 who found the red ball ?"
        ))
        .succeeded();
    let svg = read(&place, "flow.svg");
    assert!(svg.contains("reader.context_to_query"), "{svg}");
    place
        .run(&format!(
            "{ask} --attention flow.json who found the red ball ?"
        ))
        .succeeded();
    let json: serde_json::Value = serde_json::from_str(&read(&place, "flow.json")).unwrap();
    let json = &json["sentences"];
    let starts = json[0]["start"].as_array().unwrap();
    let sum: f64 = starts.iter().filter_map(|it| it.as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    let words = json[0]["sites"][0]["levels_are"].as_str().unwrap();
    assert!(words.starts_with("one level"), "{words}");
    let listed = place.run("attention flow.json").succeeded();
    for part in ["who found the red ball ?", "reader.context_to_query"] {
        assert!(listed.contains(part), "no {part} in {listed}");
    }
}

/// A line that cannot be answered is empty and reported; the lines around it are answered.
fn lines_keep_their_places(place: &Workplace, answer: &str) {
    let text = PASSAGE.trim_end();
    let (first, rest) = text.split_once(" . ").unwrap();
    let question = "who found the red ball ?";
    let long = format!("{text}\t{} {question}", "please tell me ".repeat(40));
    let lines = [
        format!("{text}\t{question}"),
        "no tab here".to_owned(),
        format!("{text}\t"),
        format!("{text}\t\u{200b}"),
        format!("{first} .\t{rest}\t{question}"),
        format!("{text}\t什么是红球"),
        long,
    ];
    let said = place.run_with("answer --model run -", format!("{}\n", lines.join("\n")));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let found: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(found.len(), lines.len(), "{}", said.stdout);
    assert_eq!(found[0], answer);
    assert_eq!(found[1..4], [""; 3]);
    // The same passage, with a tab in it.
    assert_eq!(found[4].split('\t').next(), answer.split('\t').next());
    for told in [
        "line 2: it has no tab",
        "line 3: the question is blank",
        "line 4: the question is blank",
        "line 5: there are 2 tabs in it",
        "line 6: the model knows no word of the question",
        "line 7: the question has 126 tokens",
        "3 lines could not be answered",
    ] {
        assert!(said.stderr.contains(told), "{told}: {}", said.stderr);
    }
    let several = place.run_with("answer --model run --nbest 2 -", "no tab\n\n");
    assert_eq!(several.stdout, "0\t\t\t\n1\t\t\t\n");
}

#[test]
fn questions_of_a_file_are_answered_by_their_ids_and_measured() {
    let place = Workplace::new();
    place
        .run(&format!(
            "{TOY} training.steps=5 training.validate_every=0 --out run"
        ))
        .succeeded();
    let answer = |id: &str, question: &str, text: &str| {
        let at = PASSAGE.find(text).unwrap();
        serde_json::json!({ "id": id, "question": question,
            "answers": [{ "text": text, "answer_start": at }] })
    };
    let questions = [
        answer("a", "who found the red ball ?", "anna"),
        answer("b", "where has ben kept the blue cup ?", "in the kitchen"),
    ];
    let paragraph = serde_json::json!({ "context": PASSAGE, "qas": questions });
    let file = serde_json::json!({ "data": [{ "paragraphs": [paragraph] }] });
    place.write("dev.json", file.to_string());
    place
        .run("answer --model run --questions dev.json --output predictions.json")
        .succeeded();
    let found: serde_json::Value = serde_json::from_str(&read(&place, "predictions.json")).unwrap();
    for id in ["a", "b"] {
        let text = found[id].as_str().unwrap();
        assert!(!text.is_empty() && PASSAGE.contains(text), "{found}");
    }
    // In the format of another data set, which `score` reads as well.
    place
        .run("answer --model run --questions dev.json --output lines.json --format msmarco")
        .succeeded();
    let lines = read(&place, "lines.json");
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        line["answers"][0],
        found[line["query_id"].as_str().unwrap()]
    );
    let measured = place.run("eval --model run --source dev.json").succeeded();
    assert!(measured.contains("on 2 questions"), "{measured}");
    assert!(
        measured.lines().any(|it| it.starts_with("where ")),
        "{measured}"
    );
    let line = place.run("eval --model run --json").succeeded();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["questions"], 100, "{line}");
    let groups = line["by_question_word"].as_array().unwrap();
    let counted: u64 = groups
        .iter()
        .filter_map(|it| it["questions"].as_u64())
        .sum();
    assert_eq!(counted, 100, "{line}");
}

#[test]
fn what_a_reader_is_not_is_said() {
    let place = Workplace::new();
    for (settings, expected) in [
        ("task.kind=copy model.architecture=bidaf", "a reader"),
        ("task.kind=toy_reading", "no reader"),
        (
            "task.kind=toy_reading model.architecture=bidaf model.query_to_context.kind=local",
            "`query_to_context`",
        ),
        (
            "task.kind=toy_reading model.architecture=match_lstm model.question.score=dot",
            "`additive`",
        ),
        (
            "task.kind=toy_reading model.architecture=bidaf model.context_to_query.score=dot",
            "`query_to_context.score`",
        ),
        (
            "task.kind=toy_reading model.architecture=rnet model.self_matching.kind=hard",
            "hard attention",
        ),
    ] {
        let refused = place.run(&format!("train {settings} --out run")).refused();
        assert!(refused.contains(expected), "{settings}: {refused}");
        assert!(!place.path("run").exists(), "{settings}");
    }
    place
        .run("train task.kind=copy training.steps=1 --out copy")
        .succeeded();
    place.write("text.txt", PASSAGE);
    let refused = place
        .run("answer --model copy --passage text.txt who")
        .refused();
    assert!(refused.contains("no reader"), "{refused}");
    place
        .run(&format!("{TOY} training.steps=1 --out run"))
        .succeeded();
    let refused = place.run("translate --model run who ?").refused();
    assert!(refused.contains("strata answer"), "{refused}");
    let refused = place.run("answer --model run who").refused();
    assert!(refused.contains("`--passage FILE`"), "{refused}");
    let refused = place
        .shell("\"$STRATA\" answer --model run --passage text.txt ' '")
        .refused();
    assert!(refused.contains("no question"), "{refused}");
    place.write("empty.txt", " \n");
    let refused = place
        .run("answer --model run --passage empty.txt who")
        .refused();
    assert!(refused.contains("empty.txt"), "{refused}");
}
