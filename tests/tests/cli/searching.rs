//! Searches for translations, with their scores and displays.

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

const LINES: &str = "a b c\n\nb a\nc c b a\n";

fn place() -> Workplace {
    let place = Workplace::new();
    place.run(&train("training.steps=3 --out run")).succeeded();
    place
}

/// Returns number, score and text of every line.
fn numbered(said: &str) -> Vec<(usize, f64, String)> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("three fields");
        (
            next().parse().unwrap(),
            next().parse().unwrap(),
            next().to_owned(),
        )
    };
    said.lines().map(line).collect()
}

#[test]
fn a_beam_of_one_writes_what_greedy_search_writes() {
    let place = place();
    let greedy = place.run_with("translate --model run", LINES).succeeded();
    let beam = place
        .run_with("translate --model run --beam 1", LINES)
        .succeeded();
    assert_eq!(greedy, beam);
    assert_eq!(
        (greedy.lines().count(), greedy.lines().nth(1)),
        (4, Some(""))
    );
    let short = place
        .run_with("translate --model run --limit 2", LINES)
        .succeeded();
    for (short, whole) in short.lines().zip(greedy.lines()) {
        assert!(short.split(' ').count() <= 2 && whole.starts_with(short));
    }
}

#[test]
fn one_pass_is_a_search_of_its_own() {
    let place = place();
    let blind = place
        .run_with("translate --model run --one-pass", LINES)
        .succeeded();
    assert_eq!((blind.lines().count(), blind.lines().nth(1)), (4, Some("")));
    let refused = place
        .run_with("translate --model run --one-pass --nbest 2", LINES)
        .refused();
    assert!(refused.contains("one translation"), "{refused}");
}

#[test]
fn the_best_of_a_beam_come_with_numbers_and_scores() {
    let place = place();
    let said = place
        .run_with("translate --model run --beam 5 --nbest 3", LINES)
        .succeeded();
    let all = numbered(&said);
    let numbers: Vec<usize> = all.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, [0, 0, 0, 1, 2, 2, 2, 3, 3, 3]);
    for of_line in all.chunk_by(|a, b| a.0 == b.0) {
        assert!(of_line.is_sorted_by(|a, b| a.1 >= b.1), "{of_line:?}");
        assert!(of_line.is_sorted_by(|a, b| a.2 != b.2), "{of_line:?}");
    }
    assert_eq!(all[3].2, "");
    // The best result is what a beam writes without `--nbest`.
    let best = place
        .run_with("translate --model run --beam 5 --scores", LINES)
        .succeeded();
    let best: Vec<String> = best
        .lines()
        .enumerate()
        .map(|(at, it)| format!("{at}\t{it}"))
        .collect();
    let first = numbered(&best.join("\n"));
    let expected: Vec<_> = all
        .chunk_by(|a, b| a.0 == b.0)
        .map(|it| it[0].clone())
        .collect();
    assert_eq!(first, expected);
    // Without a penalty the score is a sum, and longer translations have lower sums.
    let sums = "translate --model run --beam 5 --scores --length-penalty 0";
    let sums = place.run_with(sums, LINES).succeeded();
    assert_ne!(sums.lines().next(), best.first().map(|it| &it[2..]));
}

#[test]
fn a_seed_draws_the_same_and_lines_draw_by_their_numbers() {
    let place = place();
    let drawn = |seed: u32, lines: &str| {
        let sample = format!("translate --model run --sample --temperature 2 --seed {seed}");
        place.run_with(&sample, lines).succeeded()
    };
    let lines = "a b c\n".repeat(40);
    let first = drawn(1, &lines);
    assert_eq!(first, drawn(1, &lines));
    assert_ne!(first, drawn(2, &lines));
    let different: std::collections::BTreeSet<&str> = first.lines().collect();
    assert!(different.len() > 10, "{different:?}");
    // The draws do not depend on how many lines are drawn together.
    let few = drawn(1, &"a b c\n".repeat(3));
    assert!(first.starts_with(&few), "{few} {first}");
}

#[test]
fn attention_is_written_as_numbers_and_as_pictures() {
    let place = place();
    let run = "translate --model run --beam 2 --attention";
    place
        .run_with(&format!("{run} where.json"), LINES)
        .succeeded();
    let written: Value = serde_json::from_slice(&place.read("where.json")).unwrap();
    let sentences = written["sentences"].as_array().unwrap();
    assert_eq!(sentences.len(), 3);
    assert_eq!(sentences[0]["source"], serde_json::json!(["a", "b", "c"]));
    for sentence in sentences {
        let target = sentence["target"].as_array().unwrap().len();
        let logs = sentence["log_probabilities"].as_array().unwrap();
        assert_eq!(logs.len(), target);
        let sites = sentence["sites"].as_array().unwrap();
        assert_eq!(sites.len(), 3);
        for site in sites {
            let columns = site["columns"].as_array().unwrap().len();
            let heads = site["levels"][0]["heads"].as_array().unwrap();
            assert_eq!(heads.len(), 2);
            for row in heads.iter().flat_map(|head| head.as_array().unwrap()) {
                let row: Vec<f64> = row
                    .as_array()
                    .unwrap()
                    .iter()
                    .flat_map(Value::as_f64)
                    .collect();
                assert_eq!(row.len(), columns);
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-4, "{row:?}");
            }
        }
    }
    place
        .run_with(&format!("{run} where.svg"), LINES)
        .succeeded();
    // Each sentence has the number of its line; the second line is empty.
    let lines: Vec<_> = sentences.iter().map(|it| it["line"].as_u64()).collect();
    assert_eq!(lines, [Some(1), Some(3), Some(4)]);
    assert!(!place.path("where-2.svg").exists());
    for name in ["where.svg", "where-3.svg", "where-4.svg"] {
        let svg = String::from_utf8(place.read(name)).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.contains("decoder.0.cross"),
            "{name}"
        );
    }
    let nothing = format!("{run} nothing.json");
    place.run_with(&nothing, "\n\n").succeeded();
    let written: Value = serde_json::from_slice(&place.read("nothing.json")).unwrap();
    assert_eq!(written["sentences"], serde_json::json!([]));
}

#[test]
fn a_search_that_cannot_be_made_is_refused() {
    let place = place();
    for (options, part) in [
        ("--beam 2 --nbest 3", "raise `--beam`"),
        ("--nbest 2", "`--sample`"),
        ("--limit 0", "`--limit 0`"),
        ("--beam 0", "`--beam` is 0"),
        ("--beam 257", "1 to 256"),
        ("--beam 2 --length-penalty 11", "`--length-penalty` is 11"),
        ("--sample --temperature 11", "`--temperature` is 11"),
        ("--sample --temperature 11", "0 to 10"),
        ("--sample --top-p 1.5", "`--top-p` is 1.5"),
        ("--sample --nbest 0", "`--nbest 0`"),
        ("--attention where.png", ".svg"),
        ("--attention nowhere/where.json", "attention"),
    ] {
        let sentence = place
            .run(&format!("translate --model run {options} a"))
            .refused();
        assert!(sentence.contains(part), "{options}: {sentence}");
    }
    // Numbers as users write them.
    place
        .run("translate --model run --beam 2.0 --length-penalty +0.6 --limit 1e1 a")
        .succeeded();
    for (option, part) in [
        ("--beam -1", "a whole number, 0 or above"),
        ("--beam 1.000", "write 1000 or 1"),
        ("--beam 2 --length-penalty 0,6", "write 0.6"),
        ("--beam 2 --length-penalty nan", "it must be a number"),
        ("--sample --seed -1", "a whole number, 0 or above"),
    ] {
        let ended = place.run(&format!("translate --model run {option} a"));
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        let option = option.split(' ').rev().nth(1).unwrap();
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
        assert!(ended.stderr.contains(option), "{}", ended.stderr);
    }
    let ended = place.run("translate --model run --temperature 1 a");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("--sample"), "{}", ended.stderr);
}

#[test]
fn translations_are_measured_and_written() {
    let place = place();
    place.write("source", "a b c\nb a\nc c b a\n");
    place.write("target", "a b c\nb a\nc c b a\n");
    let eval = "eval --model run --source source --target target --beam 3 --bleu --output written";
    let said = place.run(eval).succeeded();
    assert!(
        said.contains("BLEU = ")
            && said.contains("\nchrF2 = ")
            && said.matches("chrF2").count() == 1,
        "{said}"
    );
    assert!(said.contains("nrefs:1|case:mixed|eff:no|tok:13a"), "{said}");
    let translated = place
        .run_with("translate --model run --beam 3", place.read("source"))
        .succeeded();
    let written = String::from_utf8(place.read("written")).unwrap();
    assert_eq!(written, translated);

    let line = place.run(&format!("{eval} --json")).succeeded();
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["sentences"], 3);
    assert_eq!(line["search"]["kind"], "beam");
    let score = line["bleu"]["score"].as_f64().unwrap();
    assert!(
        said.contains(&format!("BLEU = {score:.2} ")),
        "{line} {said}"
    );
    let perplexity = line["perplexity"].as_f64().unwrap();
    assert!((perplexity.ln() - line["loss"].as_f64().unwrap()).abs() < 1e-6);
}

#[test]
fn attention_is_compared_with_links_that_people_made() {
    let place = place();
    place.write("pairs.src-tgt", "a b  ||| a b\nb ||| b a\n");
    // Attention to one source word alone is right if all links lead to that word.
    place.write("pairs.gold", "1-1 2-2\n1-1 1p2\n");
    let said = place
        .run("eval --model run --alignment pairs.gold --json")
        .succeeded();
    let line: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&line["sentences"], &line["of"]), (&2.into(), &2.into()));
    let site = &line["sites"][0];
    assert_eq!(site["site"], "decoder.0.cross");
    // The second pair is right whatever the model does: 2 of 2 links. Of the first at most 2 are.
    let precision = site["precision"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&precision), "{said}");
    let rate = site["alignment_error_rate"].as_f64().unwrap();
    // A| = 4, |S| = 3, and each link that is right in the first pair counts twice.
    let right = precision * 4.0 - 2.0;
    assert!(
        (rate - (1.0 - (1.0 + 2.0 + 2.0 * right) / 7.0)).abs() < 1e-9,
        "{said}"
    );
    let table = place
        .run("eval --model run --alignment pairs.gold")
        .succeeded();
    assert!(
        table.contains("2 of 2") && table.contains("alignment error rate"),
        "{table}"
    );

    place.write("pairs.gold", "1-1 2-2\nx\n");
    let sentence = place
        .run("eval --model run --alignment pairs.gold")
        .refused();
    assert!(sentence.contains("pairs.gold"), "{sentence}");
}

#[test]
fn what_may_not_be_written_is_not_written() {
    let place = place();
    let longest = |options: &str| {
        let said = place.run_with(&format!("translate --model run {options}"), LINES);
        let lengths = |it: String| {
            it.lines()
                .map(|it| it.split(' ').count())
                .collect::<Vec<_>>()
        };
        lengths(said.succeeded())
    };
    for length in longest("--min-length 6 --limit 8") {
        // The empty line stays empty.
        assert!(length == 1 || length >= 6, "{length}");
    }
    let said = place.run_with("translate --model run --no-repeat-ngram 1 --limit 6", LINES);
    for line in said.succeeded().lines() {
        let mut words: Vec<&str> = line.split(' ').collect();
        let all = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), all, "{line}");
    }
    let refusal = place
        .run("translate --model run --min-length 9 --limit 3 a")
        .refused();
    assert!(refusal.contains("--min-length 9"), "{refusal}");
    // The model has fewer tokens than that, each of which it may write once.
    let options = "--min-length 12 --no-repeat-ngram 1 --limit 20";
    let said = place.run_with(&format!("translate --model run {options}"), LINES);
    assert!(
        said.stderr
            .contains("shorter than `--min-length 12` asks for"),
        "{said:?}"
    );
    said.succeeded();
}

#[test]
fn every_translation_begins_with_the_prefix() {
    let place = place();
    place.write("lines", LINES);
    let translate =
        |options: &str| place.shell(&format!("\"$STRATA\" translate --model run {options}"));
    for search in ["", "--beam 3", "--beam 3 --nbest 2", "--sample"] {
        let found = translate(&format!("--prefix 'c a' --limit 6 {search} < lines")).succeeded();
        let texts = || found.lines().map(|it| it.rsplit('\t').next().unwrap());
        // The empty line stays empty.
        let begun = texts().filter(|it| it.starts_with("c a")).count();
        let empty = texts().filter(|it| it.is_empty()).count();
        assert!(begun > 2 && empty == 1, "{search}: {found}");
        assert_eq!(begun + empty, found.lines().count(), "{search}: {found}");
        assert!(texts().all(|it| it.split(' ').count() <= 6), "{found}");
    }
    let unknown = translate("--prefix zebra a");
    assert!(
        unknown.stderr.contains("zebra") && unknown.stderr.contains("--prefix"),
        "{unknown:?}"
    );
    for (options, reason) in [
        ("--prefix 'a b c' --limit 2", "3 tokens"),
        ("--prefix ''", "a text to begin with"),
    ] {
        let refusal = translate(&format!("{options} a")).refused();
        assert!(
            refusal.contains("--prefix") && refusal.contains(reason),
            "{refusal}"
        );
    }
}

/// Returns lower-case sentences and their upper-case translations; one word of each line is a name
/// that occurs once, for which the model writes `<unk>`.
fn names() -> String {
    let mut state: u64 = 1;
    let mut below = |bound: u64| {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        (state >> 16) % bound
    };
    let mut text = String::new();
    for line in 0..800 {
        let count = 3 + below(3);
        let mut words: Vec<String> = (0..count)
            .map(|_| char::from(b'a' + below(8) as u8).to_string())
            .collect();
        words[below(count) as usize] = format!("name{line}");
        let upper = |word: &String| match word.len() {
            1 => word.to_uppercase(),
            _ => word.clone(),
        };
        let target: Vec<String> = words.iter().map(upper).collect();
        text += &format!("{}\t{}\n", words.join(" "), target.join(" "));
    }
    text
}

#[test]
fn a_source_word_takes_the_place_of_unk() {
    let place = Workplace::new();
    place.write("pairs.txt", names());
    let task = "task.kind=files task.source=pairs.txt task.held_out=40 model.architecture=seq2seq \
                model.embedding=24 model.encoder_hidden=48 model.decoder_hidden=48 \
                model.attention.score=additive training.steps=800 training.batch_size=16 \
                training.optimizer.learning_rate=5e-3 training.validate_every=0";
    place
        .run(&format!("train {task} --quiet --out run"))
        .succeeded();
    let lines = "c Gundula a b\nGundula c d\n";
    let plain = place.run_with("translate --model run", lines).succeeded();
    assert_eq!(plain, "C <unk> A B\n<unk> C D\n");
    let told = place
        .run_with("translate --model run --replace-unknown", lines)
        .succeeded();
    assert_eq!(told, "C Gundula A B\nGundula C D\n");
    // Held-out sentences contain the words of their file.
    let bleu = |more: &str| -> f64 {
        let told = place
            .run(&format!("eval --model run --bleu --json {more}"))
            .succeeded();
        let line: Value = serde_json::from_str(told.trim()).unwrap();
        line["bleu"]["score"].as_f64().unwrap()
    };
    assert!(bleu("--replace-unknown") > bleu("") + 30.0);
    let clash = place.run("translate --model run --replace-unknown --forbid-unknown x");
    assert_eq!(clash.code, Some(2), "{clash:?}");
}

#[test]
fn a_model_without_attention_cannot_replace_unk() {
    let place = Workplace::new();
    let model = "model.architecture=seq2seq model.attend=false task.kind=copy training.steps=1";
    place
        .run(&format!("train {model} --quiet --out run"))
        .succeeded();
    let refusal = place
        .run("translate --model run --replace-unknown a")
        .refused();
    assert!(refusal.contains("does not attend"), "{refusal}");
}

#[test]
fn several_models_translate_as_one() {
    let place = Workplace::new();
    for (run, seed) in [("a", 1), ("b", 2), ("c", 3)] {
        // The vocabulary is that of the symbols, whatever the seed.
        let more = format!("training.steps=40 seed={seed} --quiet --out {run}");
        place.run(&train(&more)).succeeded();
    }
    let scores = |models: &str, more: &str| -> Vec<(f64, String)> {
        let arguments = format!("translate --model {models} --scores {more}");
        let told = place.run_with(&arguments, LINES).succeeded();
        let scored = |line: &str| {
            let (score, text) = line.split_once('\t').unwrap();
            (score.parse().unwrap(), text.to_owned())
        };
        told.lines().map(scored).collect()
    };
    // A model joined with itself is that model.
    for search in ["", "--beam 3"] {
        let (alone, twice) = (scores("a", search), scores("a,a", search));
        for ((one, text), (other, same)) in alone.iter().zip(&twice) {
            assert!((one - other).abs() < 2e-4, "{one} {other}");
            assert_eq!(text, same);
        }
    }
    let loss = |models: &str| -> f64 {
        let told = place
            .run(&format!("eval --model {models} --json"))
            .succeeded();
        let line: Value = serde_json::from_str(told.trim()).unwrap();
        line["loss"].as_f64().unwrap()
    };
    // Since ln is concave, the mean of probabilities has at most the mean of the losses, on the
    // same data.
    place.run("eval --model a,b,c").succeeded();
    assert!((loss("a,a") - loss("a")).abs() < 1e-4);
    let text = "eval --source pairs.txt --json";
    place.write("pairs.txt", "a b c\ta b c\nb a\tb a\nc d\tc d\n");
    let on_text = |models: &str| -> f64 {
        let told = place.run(&format!("{text} --model {models}")).succeeded();
        let line: Value = serde_json::from_str(told.trim()).unwrap();
        line["loss"].as_f64().unwrap()
    };
    let each = ["a", "b", "c"].map(on_text);
    assert!(on_text("a,b,c") < each.iter().sum::<f64>() / 3.0);

    let other = "train task.kind=copy task.symbols=9 training.steps=1 --quiet --out d";
    place.run(other).succeeded();
    let refusal = place.run("translate --model a,d x").refused();
    assert!(refusal.contains("source vocabulary differs"), "{refusal}");
    let refusal = place.run("translate --model a,nowhere x").refused();
    assert!(refusal.contains("nowhere"), "{refusal}");
}
