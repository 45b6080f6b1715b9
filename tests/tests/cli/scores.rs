//! Scores are those of the text in the file, whichever command measures.

use std::fs;

use crate::train;
use serde_json::Value;
use strata_tests::cli::Workplace;

/// Writes pairs that are translated word for word; each has a name that occurs once.
fn names(place: &Workplace, name: &str, count: usize) {
    let [mut source, mut target] = [String::new(), String::new()];
    let german = ["Rot", "Blau", "Hund", "Katze", "Haus", "Baum"];
    let english = ["Red", "Blue", "dog", "cat", "house", "tree"];
    let mut draw = 7u64;
    for number in 0..count {
        for _ in 0..4 {
            draw = draw
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let word = (draw >> 33) as usize % german.len();
            source += &format!("{} ", german[word]);
            target += &format!("{} ", english[word]);
        }
        source += &format!("Name{name}{number}\n");
        target += &format!("Name{name}{number}\n");
    }
    place.write(&format!("{name}.s"), source);
    place.write(&format!("{name}.t"), target);
}

const TINY: &str = "task.kind=files task.source=train.s task.target=train.t model.width=32 \
                    model.heads=2 model.layers=1 model.feed_forward=64 training.batch_size=16 \
                    training.schedule.warmup=20 training.optimizer.learning_rate=0.005";
const VALIDATED: &str = "task.validation_source=val.s task.validation_target=val.t";

fn json(place: &Workplace, command: &str) -> Value {
    let line = place.run(command).succeeded();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Returns the score that `score` prints for translations in a file.
fn score(place: &Workplace, options: &str) -> f64 {
    let line = json(place, &format!("score {options} --json --width 9"));
    line["score"].as_f64().unwrap()
}

#[track_caller]
fn assert_equal(left: &Value, right: f64) {
    let left = left.as_f64().unwrap();
    assert!((left - right).abs() < 1e-6, "{left} and {right}");
}

#[test]
fn there_is_one_bleu_and_it_is_that_of_the_text() {
    let place = Workplace::new();
    names(&place, "train", 200);
    names(&place, "val", 30);
    for (run, settings) in [
        ("memory", "task.stream=never"),
        ("streamed", "task.stream=always"),
        ("words", "task.level=punctuation training.bleu_words=intl"),
    ] {
        let train = format!(
            "train {TINY} {VALIDATED} {settings} training.steps=120 training.bleu_every=120 \
             training.validate_every=60 training.measure=bleu --out {run}"
        );
        let said = place.run(&train).succeeded();
        let [.., last] = &place.metrics(&format!("{run}/metrics.jsonl"), "validation")[..] else {
            panic!("no validation: {said}");
        };
        let eval = |more: &str| json(&place, &format!("eval --model {run} --bleu --json {more}"));
        let held_out = eval("--output out");
        let files = eval("--source val.s --target val.t");
        let bleu = &held_out["bleu"];
        assert_eq!(*bleu, files["bleu"]);
        assert_eq!(held_out["chrf"], files["chrf"]);
        assert_eq!(held_out["loss"], files["loss"]);
        let tokenizer = if run == "words" { "intl" } else { "13a" };
        let signature = bleu["signature"].as_str().unwrap();
        assert!(
            signature.contains(&format!("|tok:{tokenizer}|")),
            "{signature}"
        );
        let of_file = format!("--reference val.t --tokenize {tokenizer} out");
        assert_equal(&bleu["score"], score(&place, &of_file));
        assert_equal(
            &held_out["chrf"]["score"],
            score(&place, "--reference val.t --metric chrf out"),
        );
        assert_equal(&bleu["score"], last["bleu"].as_f64().unwrap());
        assert!(
            said.contains(&format!("BLEU {:.2}", bleu["score"].as_f64().unwrap())),
            "{said}"
        );
        // Names are learned as `<unk>`, which the model writes: compared with `<unk>`, all would
        // match.
        let written = String::from_utf8(place.read("out")).unwrap();
        assert!(written.contains("<unk>"), "{written}");
        assert!(bleu["score"].as_f64().unwrap() < 80.0, "{bleu}");
        assert_eq!(held_out["exact_match"], 0.0);
        assert_eq!(held_out["unknown_tokens"], 30);
        assert_eq!(last["exact_match"], 0.0);
        // The samples that are shown contain the names.
        let samples = said.split("Sample translations").nth(1).unwrap();
        let shown = |what: &str| {
            samples
                .lines()
                .filter(|it| it.contains(what))
                .collect::<Vec<_>>()
        };
        let [sources, references] = [shown("source  "), shown("reference  ")];
        assert_eq!((sources.len(), references.len()), (5, 5), "{said}");
        for line in sources.iter().chain(&references) {
            assert!(
                line.contains("Nameval") && !line.contains("<unk>"),
                "{line}"
            );
        }
        let inspected = place.run(&format!("inspect {run} --json")).succeeded();
        let inspected: Value = serde_json::from_str(&inspected).unwrap();
        assert_eq!(inspected["best_validation"]["bleu"], last["bleu"]);
    }
}

#[test]
fn what_is_a_word_and_whether_case_counts_is_said_and_chosen() {
    let place = Workplace::new();
    names(&place, "train", 120);
    names(&place, "val", 20);
    place
        .run(&format!(
            "train {TINY} {VALIDATED} task.lowercase=true training.steps=60 --out run"
        ))
        .succeeded();
    let eval = "eval --model run --bleu --output out";
    let said = place.run(eval).succeeded();
    assert!(said.contains("case:mixed|eff:no|tok:13a"), "{said}");
    assert!(said.contains("`--lowercase` takes no notice"), "{said}");
    let other = format!("{eval} --tokenize char --lowercase");
    let said = place.run(&other).succeeded();
    assert!(said.contains("case:lc|eff:no|tok:char"), "{said}");
    assert!(!said.contains("`--lowercase`"), "{said}");
    let line = json(&place, &format!("{other} --json"));
    let expected = score(&place, "--reference val.t --tokenize char --lowercase out");
    assert_equal(&line["bleu"]["score"], expected);
    let chrf = score(&place, "--reference val.t --metric chrf --lowercase out");
    assert_equal(&line["chrf"]["score"], chrf);
    let wrong = place.run("eval --model run --bleu --tokenize moses");
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("intl"), "{}", wrong.stderr);
}

/// Lines from which nothing can be learned keep their places, in every output.
#[test]
fn every_line_keeps_its_place() {
    let place = Workplace::new();
    names(&place, "train", 120);
    let long = "Rot ".repeat(250);
    let source = format!("Rot Hund\n\nBlau\n{long}\nKatze Haus Baum Rot Blau Hund Rot\n \nBaum\n");
    place.write("val.s", source);
    place.write(
        "val.t",
        "Red dog\nx\n\ny\ncat house tree Red Blue dog Red\n\ntree\n",
    );
    let said = place
        .run(&format!(
            "train {TINY} {VALIDATED} task.maximum_length=6 training.steps=60 --out run"
        ))
        .succeeded();
    for told in [
        "Left out of validation: 3 sentence pairs with nothing on one side.",
        "Left out of validation: 2 sentence pairs longer than `task.maximum_length`.",
        "Held out: 2 sentence pairs, those of val.s.",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(!said.contains("Left out: "), "{said}");
    let files = "eval --model run --source val.s --target val.t";
    for eval in ["eval --model run", files] {
        let _ = fs::remove_file(place.path("out"));
        let said = place
            .run(&format!("{eval} --bleu --output out"))
            .succeeded();
        for told in [
            "Left out: 2 lines with nothing to translate (lines 2, 6).",
            "Left out: 1 line with no translation to compare with (line 3).",
            "Left out: 1 line with more than 200 source tokens, which the model does not read \
             (line 4).",
            "on 3 sentences",
        ] {
            assert!(said.contains(told), "{told}: {said}");
        }
        let written = String::from_utf8(place.read("out")).unwrap();
        let lines: Vec<&str> = written.split('\n').collect();
        assert_eq!(lines.len(), 8, "{written}");
        let empty: Vec<usize> = (0..7).filter(|&at| lines[at].is_empty()).collect();
        assert_eq!(empty, [1, 3, 5], "{written}");
        // The other lines are the output of `translate`.
        let translated = place.run_with("translate --model run", "Rot Hund\nBlau\nBaum\n");
        let translated = translated.succeeded();
        assert_eq!(
            translated.lines().collect::<Vec<_>>(),
            [lines[0], lines[2], lines[6]]
        );
        let line = json(&place, &format!("{eval} --bleu --output out --json"));
        assert_equal(
            &line["bleu"]["score"],
            score(&place, "--reference val.t out"),
        );
        assert_equal(
            &line["chrf"]["score"],
            score(&place, "--reference val.t --metric chrf out"),
        );
        assert_eq!(line["lines_left_out"], serde_json::json!([2, 3, 4, 6]));
        assert_eq!((&line["lines"], &line["left_out"]), (&7.into(), &4.into()));
        assert_eq!(
            (&line["sentences"], &line["decoded"]),
            (&3.into(), &3.into())
        );
        let few = json(&place, &format!("{eval} --decode 3 --output out --json"));
        assert_eq!(few["decoded"], 1);
        let few = String::from_utf8(place.read("out")).unwrap();
        assert_eq!(few.lines().collect::<Vec<_>>(), &lines[..3]);
    }
    let said = place.run("eval --model run").succeeded();
    let told = "All 7 lines of val.s are measured; validation while training leaves 5 of them out.";
    assert!(said.contains(told), "{said}");
}

/// A text to write on is shown in its own words, and its bits are counted per character.
#[test]
fn a_text_to_write_on_is_shown_and_counted_as_it_is() {
    let place = Workplace::new();
    place.write("text.txt", "the cat sat on the mat\n".repeat(60));
    let held_out = "the   extraordinary cat sat on the mat\n\nthe cat\n";
    place.write("held.txt", held_out);
    let said = place
        .run(
            "train task.kind=text task.source=text.txt task.validation_source=held.txt \
             task.segment_length=12 model.architecture=transformer_lm model.width=16 \
             model.heads=2 model.layers=1 model.feed_forward=32 training.batch_size=8 \
             training.steps=20 --out run",
        )
        .succeeded();
    assert!(
        said.contains("begun    the extraordinary cat sat"),
        "{said}"
    );
    assert!(
        said.contains("written  the extraordinary cat sat"),
        "{said}"
    );
    assert!(said.contains("Held out: the text of held.txt."), "{said}");
    for eval in ["eval --model run", "eval --model run --source held.txt"] {
        let line = json(&place, &format!("{eval} --json"));
        assert_eq!(
            (&line["tokens"], &line["unknown_tokens"]),
            (&12.into(), &1.into())
        );
        let bits = line["loss"].as_f64().unwrap() * 12.0 / std::f64::consts::LN_2;
        assert_equal(
            &line["bits_per_character"],
            bits / held_out.chars().count() as f64,
        );
        let said = place.run(eval).succeeded();
        assert!(said.contains("1 of these tokens"), "{said}");
    }
}

/// Shares of words and pairs of words of `texts` that stand in `sources`, counted by hand.
fn copied(texts: &str, sources: &str) -> [f64; 2] {
    let mut counts = [[0.0; 2]; 2];
    for (text, source) in texts.lines().zip(sources.lines()) {
        let text: Vec<&str> = text.split_whitespace().collect();
        let source: Vec<&str> = source.split_whitespace().collect();
        for (n, counts) in (1..).zip(&mut counts) {
            for part in text.windows(n) {
                counts[0] += f64::from(u8::from(source.windows(n).any(|it| it == part)));
                counts[1] += 1.0;
            }
        }
    }
    counts.map(|[copied, all]| 100.0 * copied / all)
}

#[test]
fn rouge_of_eval_is_that_of_score_beside_shares_of_copied_words() {
    let place = Workplace::new();
    // Summaries: the second and third word of four.
    let (mut pairs, mut sources, mut summaries) = (String::new(), String::new(), String::new());
    let words = ["red", "blue", "dog", "cat", "house", "tree"];
    for number in 0..216usize {
        let word = |at: u32| words[number / 6usize.pow(at) % 6];
        let source = format!("{} {} {} {}", word(0), word(1), word(2), word(1));
        let summary = format!("{} {}", word(1), word(2));
        pairs += &format!("{source}\t{summary}\n");
        if number % 9 == 0 {
            sources += &format!("{source}\n");
            summaries += &format!("{summary}\n");
        }
    }
    place.write("pairs.tsv", pairs);
    place.write("s", &sources);
    place.write("t", &summaries);
    for preset in ["summaries", "paraphrases"] {
        place
            .run(&format!(
                "train --preset {preset} task.source=pairs.tsv task.level=word task.held_out=8 \
                 model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 training.steps=150 \
                 training.batch_tokens=256 training.schedule.warmup=5 \
                 training.optimizer.learning_rate=0.01 training.validate_every=0 --out {preset}"
            ))
            .succeeded();
    }
    let eval = "eval --model summaries --source s --target t --rouge";
    let told = json(&place, &format!("{eval} --json --output written"));
    let written = String::from_utf8(place.read("written")).unwrap();
    let line = json(
        &place,
        "score --metric rouge --reference t --json --width 9 written",
    );
    assert_eq!(line["name"], "ROUGE-1");
    assert_equal(&told["rouge"]["rouge_1"], line["score"].as_f64().unwrap());
    assert_equal(&told["rouge"]["rouge_2"], line["ROUGE-2"].as_f64().unwrap());
    assert_equal(&told["rouge"]["rouge_l"], line["ROUGE-L"].as_f64().unwrap());
    for (shares, texts) in [("copied", &written), ("copied_by_references", &summaries)] {
        let [of_words, of_pairs] = copied(texts, &sources);
        assert_equal(&told["rouge"][shares]["words"], of_words);
        assert_equal(&told["rouge"][shares]["pairs"], of_pairs);
    }
    let said = place.run(eval).succeeded();
    let rouge_1 = told["rouge"]["rouge_1"].as_f64().unwrap();
    assert!(
        said.contains(&format!("ROUGE-1 = {rouge_1:.2}, ")),
        "{said}"
    );
    assert!(
        said.contains("(of the references 100.0 % and 100.0 %)"),
        "{said}"
    );

    // Nothing is translated by a language model.
    place.write("text", "a b c d\n".repeat(50));
    place
        .run("train task.kind=text task.source=text model.architecture=transformer_lm training.steps=1 --out lm")
        .succeeded();
    let refused = place.run("eval --model lm --rouge").refused();
    assert!(refused.contains("leave out `--rouge`"), "{refused}");
}

/// Copying is translation word by word, which counting learns at once; two steps of training do not.
#[test]
fn counts_that_read_the_source_copy_where_counts_of_the_target_cannot() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    place.write("val.s", "a b c d\n\nd e f a\n");
    place.write("val.t", "a b c d\nd\nd e f a\n");
    for (files, lines) in [("", 20), ("--source val.s --target val.t", 2)] {
        let told = json(
            &place,
            &format!("eval --model run --json --floors --bleu {files}"),
        );
        let exact = |name: &str| told["floors"][name]["exact_match"].as_f64().unwrap();
        assert!(exact("ibm1") > 0.9, "{lines}: {told}");
        assert!(exact("bigram") < 0.5, "{lines}: {told}");
        let loss = |name: &str| told["floors"][name]["loss"].as_f64().unwrap();
        assert!(loss("ibm1") < loss("bigram"), "{told}");
        let bleu = told["floors"]["ibm1"]["bleu"]["score"].as_f64().unwrap();
        assert!(bleu > if files.is_empty() { 90.0 } else { 60.0 }, "{told}");
    }
    let said = place.run("eval --model run --floors").succeeded();
    assert!(said.lines().any(|line| line.starts_with("ibm1 ")), "{said}");
}
