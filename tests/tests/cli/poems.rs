//! Poems: translated lines, and poems by a plan.

use burn::tensor::Device;
use serde_json::{Value, json};
use strata_models::{SamplingConfig, Search};
use strata_session::Session;
use strata_session::protocol::{Command, Event, Output, PoemRequest, Request};
use strata_tests::cli::Workplace;
use strata_tests::poems::{CHARACTERS, poems};

use crate::train;

/// Writes poems to `poems.txt`.
fn write_poems(place: &Workplace) {
    place.write("poems.txt", poems(800));
}

const TINY: &str = "train --preset ppg_smoke task.source=poems.txt task.script=as_read task.length=five \
                    model.embedding=16 model.encoder_hidden=16 model.decoder_hidden=16 \
                    training.epochs=0 training.steps=20 training.validate_every=10 --out run";

#[test]
fn lines_are_translated_and_measured() {
    let place = Workplace::new();
    write_poems(&place);
    let smt = place
        .run("smt --from poems.txt --as-read --out smt.json.gz")
        .succeeded();
    assert!(smt.contains("phrase pairs"), "{smt}");
    let row = smt.lines().find(|line| line.starts_with("SMT ")).unwrap();
    assert_eq!(row.split_whitespace().count(), 7, "{row}");
    assert!(smt.contains("the line before, again"), "{smt}");
    assert!(
        smt.contains("There are no test poems of 7 characters a line."),
        "{smt}"
    );
    assert!(
        smt.contains("Perplexity of trigrams per character"),
        "{smt}"
    );
    assert!(!place.read("smt.json.gz").is_empty());

    let onto = place
        .run("smt --from poems.txt --as-read --out poems.txt")
        .refused();
    assert!(onto.contains("--out"), "{onto}");
    place.write("prose.txt", "no poem at all\n");
    let none = place
        .run("smt --from prose.txt --as-read --out x")
        .refused();
    assert!(none.contains("there is no quatrain"), "{none}");
    assert!(
        none.contains(
            "set apart by punctuation. Left out: 1 poem with a character that is no ideograph"
        ),
        "{none}"
    );
}

#[test]
fn a_model_writes_poems_by_a_plan() {
    let place = Workplace::new();
    write_poems(&place);
    let trained = place.run(TINY).succeeded();
    assert!(trained.contains("A poem by the keywords"), "{trained}");
    let hint = "poem --length 5 --model run ";
    assert!(trained.contains(hint), "{trained}");
    let poem = |more: &str| place.run(&format!("poem --model run --length 5 {more}"));
    let lines = |more: &str| -> Vec<String> {
        let json: Value =
            serde_json::from_str(&poem(&format!("--json {more}")).succeeded()).unwrap();
        let lines = json["lines"].as_array().unwrap().iter();
        let lines: Vec<String> = lines
            .map(|it| it["text"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(lines.len(), 4);
        for line in &lines {
            assert_eq!(line.chars().count(), 5, "{line}");
            assert!(line.chars().all(|it| CHARACTERS.contains(it)), "{line}");
        }
        lines
    };
    let said = poem("春江").succeeded();
    assert!(said.starts_with("Keywords: 春"), "{said}");
    assert!(said.contains("(text)"), "{said}");
    let written = lines("春江");
    for line in &written {
        assert!(said.contains(line.as_str()), "{line}: {said}");
        let mut different: Vec<char> = line.chars().collect();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 5, "{line} has a character twice");
    }
    assert_eq!(
        lines("--sample 2 --seed 3 春江"),
        lines("--sample 2 --seed 3 春江")
    );
    assert_eq!(
        lines("--first 春江花月夜 --keywords 山,水,云,风")[0],
        "春江花月夜"
    );
    let acrostic = lines("--acrostic 春江花月 山水");
    let firsts: String = acrostic
        .iter()
        .filter_map(|line| line.chars().next())
        .collect();
    assert_eq!(firsts, "春江花月");

    for (more, reason) in [
        ("hello", "no Chinese character"),
        ("", "no Chinese character"),
        ("--acrostic 春江花 山", "--acrostic"),
        ("--keywords 春,江", "--keywords"),
        ("--keywords 春,江,花,鬱", "does not know 鬱"),
        ("--first 春江 山", "--first"),
    ] {
        // Besides a note that tells which checkpoint it is.
        let ended = poem(more);
        assert_eq!(ended.code, Some(1), "{more}: {}", ended.stdout);
        let error = ended.stderr.lines().last().unwrap();
        assert!(
            error.starts_with("error: ") && error.contains(reason),
            "{more}: {error}"
        );
    }
    // Keywords similar to those of the text, from a text of knowledge.
    place.write("near.txt", "今春有雪。");
    let near = poem("--knowledge near.txt 春").succeeded();
    assert!(near.contains("雪 (knowledge)"), "{near}");
    let absent = poem("--knowledge absent.txt 春");
    assert!(absent.stderr.contains("absent.txt"), "{}", absent.stderr);
    // Several poems, the best first; with sampling, as many draws.
    let poems = |more: &str| -> Vec<(f64, Value)> {
        let json: Value =
            serde_json::from_str(&poem(&format!("--json {more}")).succeeded()).unwrap();
        let poems = json["poems"].as_array().unwrap().iter();
        let poems: Vec<_> = poems
            .map(|it| (it["score"].as_f64().unwrap(), it["lines"].clone()))
            .collect();
        assert_eq!(json["lines"], poems[0].1);
        poems
    };
    let best = poems("--nbest 3 春江");
    assert_eq!(best.len(), 3);
    assert!(best.is_sorted_by(|one, other| one.0 >= other.0));
    assert_ne!(best[0].1, best[1].1);
    let drawn = poems("--sample 2 --seed 3 --nbest 2 春江");
    let texts = |lines: &Value| -> Vec<String> {
        let lines = lines.as_array().unwrap().iter();
        lines
            .map(|it| it["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts(&drawn[0].1), lines("--sample 2 --seed 3 春江"));
    assert_ne!(texts(&drawn[1].1), texts(&drawn[0].1));
    let numbered = poem("--nbest 2 春江").succeeded();
    assert!(numbered.contains("\n1 (-"), "{numbered}");

    // The attention of each line.
    poem("--attention looked.json 春江").succeeded();
    let looked: Value = serde_json::from_slice(&place.read("looked.json")).unwrap();
    let looked = looked["sentences"].as_array().unwrap();
    assert_eq!(looked.len(), 4);
    let listed = place.run("attention looked.json --sentence 4").succeeded();
    assert!(listed.contains("Sites of sentence 4:"), "{listed}");
    for (at, line) in looked.iter().enumerate() {
        assert_eq!(line["source"][0], "<5>");
        assert_eq!(line["target"].as_array().unwrap().len(), 5);
        assert_eq!(line["text"], written[at]);
        assert_eq!(line["log_probabilities"].as_array().unwrap().len(), 5);
        let rows = line["sites"][0]["levels"][0]["heads"][0]
            .as_array()
            .unwrap();
        assert_eq!(rows.len(), 5);
        let weights = rows[0].as_array().unwrap().iter();
        let sum: f64 = weights.filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
    poem("--attention looked.svg 春江").succeeded();
    for name in ["looked.svg", "looked-4.svg"] {
        assert!(place.read(name).starts_with(b"<svg"), "{name}");
    }
    let ended = poem("--attention looked.txt 春江");
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert!(ended.stderr.contains(".svg"), "{}", ended.stderr);

    // The model's file contains the readings of its characters.
    let file = place.read("run/checkpoint.safetensors");
    let reading = "chūn".as_bytes();
    assert!(file.windows(reading.len()).any(|it| it == reading));

    let unfit = place.run("poem --model run --length 6 山");
    assert_eq!(unfit.code, Some(2), "{}", unfit.stdout);
    assert!(
        unfit.stderr.contains("it must be 5 or 7"),
        "{}",
        unfit.stderr
    );

    let measured = place.run("eval --model run --poems --beam 3").succeeded();
    for row in [
        "the model, planned keywords ",
        "the model, gold keywords ",
        "the poems themselves ",
    ] {
        assert!(measured.contains(row), "{row}: {measured}");
    }
    assert!(
        measured.contains("Perplexity per character, lines 2 to 4, without the ends of lines: "),
        "{measured}"
    );

    // The same figures for other programs.
    let told = place
        .run("eval --model run --poems --beam 3 --json")
        .succeeded();
    let told: Value = serde_json::from_str(told.trim()).unwrap();
    let five = &told["5"];
    let perplexity = |keywords: &str| {
        let value = five[keywords]["perplexity"].as_f64().unwrap();
        format!("{value:.1} with {keywords}")
    };
    for figure in [perplexity("planned"), perplexity("gold")] {
        assert!(measured.contains(&figure), "{figure}: {measured}");
    }
    let bleu = five["gold"]["bleu"].as_f64().unwrap();
    let row = measured
        .lines()
        .find(|it| it.starts_with("the model, gold"));
    let row = row.unwrap();
    assert!(row.contains(&format!(" {bleu:.3} ")), "{bleu}: {row}");
    assert!(told["step"].as_u64() > Some(0));
    for written in [
        &five["gold"],
        &five["human"],
        &five["baselines"]["any_line"],
    ] {
        for share in ["pattern", "rhymes"] {
            let share = written[share].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&share), "{written}");
        }
    }
    assert!(
        told.get("levels").is_none(),
        "one level has no shares: {told}"
    );

    // A poem about a text is the poem that `strata poem` writes.
    let told = place.run("eval --model run --poems --beam 3 --json --case 春风 --case 明月");
    let told: Value = serde_json::from_str(told.succeeded().trim()).unwrap();
    let case = &told["cases"][1];
    assert_eq!(case["source"], "明月");
    let written = place.run("poem --model run --length 5 --beam 3 明月");
    let written = written.succeeded();
    let poem = case["translations"][0]["text"].as_str().unwrap();
    assert!(!poem.is_empty());
    assert!(
        written.replace('\n', "").ends_with(poem),
        "{poem}: {written}"
    );
    let refused = place.run("eval --model run --poems --beam 1 --case winter");
    let refused = refused.refused();
    assert!(
        refused.contains("`--case \"winter\"`: there is no Chinese character"),
        "{refused}"
    );

    // The levels of Ham, and their shares.
    let ham = TINY.replace("ppg_smoke", "ppg_ham_5_smoke");
    place
        .run(&ham.replace("--out run", "--out ham"))
        .succeeded();
    let told = place
        .run("eval --model ham --poems --beam 1 --json")
        .succeeded();
    let told: Value = serde_json::from_str(told.trim()).unwrap();
    let shares = told["levels"]["shares"].as_array().unwrap().iter();
    let shares: Vec<f64> = shares.filter_map(Value::as_f64).collect();
    assert_eq!(shares.len(), 5);
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{told}");
    let mean: f64 = shares
        .iter()
        .zip(1..)
        .map(|(it, level)| it * f64::from(level))
        .sum();
    assert!((told["levels"]["mean"].as_f64().unwrap() - mean).abs() < 1e-6);

    // An average of checkpoints plans poems, too.
    place
        .run("average --out mean.safetensors run/checkpoint.safetensors")
        .succeeded();
    place
        .run("poem --model mean.safetensors --length 5 山")
        .succeeded();
}

/// The same model writes the same poem in the page's worker and on the command line.
#[test]
fn page_and_command_line_write_the_same_poem() {
    let place = Workplace::new();
    write_poems(&place);
    let simplified = TINY.replace("task.script=as_read ", "");
    place.run(&simplified).succeeded();
    let mut session = Session::new(Device::flex(), "CPU".to_owned(), || 0.0);
    let mut all = |command: Command| {
        let mut events = Vec::new();
        pollster::block_on(session.handle(command, &mut |event| events.push(event)));
        events
    };
    let checkpoint = place.read("run/checkpoint.safetensors");
    // The model's poems are not here.
    let poet = all(Command::Open { checkpoint });
    let lacks = |event: &Event| matches!(event, Event::Ready(ready) if ready.lacks.is_some());
    assert!(poet.iter().any(lacks), "{poet:?}");
    let mut say = |command: Command| all(command).pop().expect("an answer");
    for (typed, options, change) in [
        ("春江", "", None),
        ("雲風", "", None),
        ("鬱鬱", "--seed 5", None),
        (
            "山",
            "--sample 1 --seed 9",
            Some(Search::Sampling(SamplingConfig::default())),
        ),
        ("山", "--beam 1 --acrostic 春江花月", Some(Search::Greedy)),
    ] {
        let printed = place
            .run(&format!(
                "poem --model run --length 5 --json {options} {typed}"
            ))
            .succeeded();
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let number = options.split("--seed ").nth(1);
        let request = PoemRequest {
            text: typed.to_owned(),
            length: 5,
            seed: number.map_or(0, |it| it.parse().unwrap()),
            acrostic: options
                .split("--acrostic ")
                .nth(1)
                .unwrap_or_default()
                .to_owned(),
            search: change.unwrap_or(PoemRequest::default().search),
            ..PoemRequest::default()
        };
        let Event::Done(Output::Poem(view)) = say(Command::Run(Request::Poem(Box::new(request))))
        else {
            panic!("{typed}: no poem");
        };
        let keywords: Vec<Value> = view
            .keywords
            .iter()
            .map(|it| json!({ "word": it.word, "origin": it.origin }))
            .collect();
        assert_eq!(printed["keywords"], json!(keywords), "{typed}");
        for (line, shown) in printed["lines"].as_array().unwrap().iter().zip(&view.lines) {
            assert_eq!(line["text"], shown.text, "{typed}");
        }
        assert!(view.form.is_some(), "the file has readings");
        if typed == "雲風" {
            assert_eq!(view.keywords[0].word, "云");
        }
    }
}

/// RNNPG reads no keywords: it is trained, continued, measured and asked without them.
#[test]
fn a_model_without_keywords_goes_on_from_a_first_line() {
    let place = Workplace::new();
    write_poems(&place);
    let train = |steps: usize, more: &str| {
        place.run(&format!(
            "train --preset rnnpg_smoke task.source=poems.txt task.script=as_read task.length=five \
             model.width=16 training.epochs=0 training.steps={steps} training.validate_every=10 {more}"
        ))
    };
    let whole = train(20, "--out whole").succeeded();
    assert!(whole.contains("A poem from the first line of"), "{whole}");
    assert!(
        whole.contains("poem --length 5 --model whole --first "),
        "{whole}"
    );
    train(10, "--out run").succeeded();
    place
        .run("train --resume run training.steps=20")
        .succeeded();
    let metrics = |run: &str| -> Vec<f64> {
        let text = String::from_utf8(place.read(&format!("{run}/metrics.jsonl"))).unwrap();
        let lines = text
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        lines.filter_map(|it| it["loss"].as_f64()).collect()
    };
    assert_eq!(metrics("run").last(), metrics("whole").last());

    let json = |more: &str| -> Value {
        let said = place.run(&format!("poem --model run --length 5 --json {more}"));
        serde_json::from_str(&said.succeeded()).unwrap()
    };
    let written = json("--first 春江花月夜");
    assert_eq!(written["keywords"], json!([]));
    let lines = written["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        (&lines[0]["text"], &lines[0]["score"]),
        (&json!("春江花月夜"), &Value::Null)
    );
    for line in &lines[1..] {
        let text = line["text"].as_str().unwrap();
        assert_eq!(text.chars().count(), 5);
        assert!(text.chars().all(|it| CHARACTERS.contains(it)), "{text}");
    }
    let said = place
        .run("poem --model run --length 5 --first 春江花月夜")
        .succeeded();
    assert!(said.starts_with("春江花月夜，\n"), "{said}");
    for (more, reason) in [
        (
            "--length 5",
            "give one of 5 Chinese characters with `--first`",
        ),
        ("--length 5 春江花月夜", "`--first`"),
        ("--length 5 --first 春江", "`--first` is a line of 5"),
        ("--length 5 --first 春江花月夜 山", "leave the text out"),
        (
            "--length 5 --first 春江花月夜 --keywords 山,水,云,风",
            "leave `--keywords` out",
        ),
    ] {
        let refused = place.run(&format!("poem --model run {more}"));
        assert_eq!(refused.code, Some(1), "{more}: {}", refused.stdout);
        assert!(
            refused.stderr.contains(reason),
            "{more}: {}",
            refused.stderr
        );
    }
    let translated = place.run("translate --model run 春").refused();
    assert!(translated.contains("`strata poem --first`"), "{translated}");

    let measured = place.run("eval --model run --poems --beam 3").succeeded();
    assert!(measured.contains("\nthe model "), "{measured}");
    let about = place.run("eval --model run --poems --beam 1 --case 春");
    let about = about.succeeded();
    assert!(
        about.contains("春: this model reads no keywords"),
        "{about}"
    );
    assert!(!measured.contains("planned keywords"), "{measured}");
    let told = place
        .run("eval --model run --poems --beam 3 --json")
        .succeeded();
    let told: Value = serde_json::from_str(told.trim()).unwrap();
    let perplexity = told["5"]["model"]["perplexity"].as_f64().unwrap();
    let trigrams = told["5"]["trigram_perplexity"].as_f64().unwrap();
    let sentence = format!("without the ends of lines: {perplexity:.1} (trigrams {trigrams:.1})");
    assert!(measured.contains(&sentence), "{sentence}: {measured}");
    assert!(told["5"].get("planned").is_none());
    let of_baseline = &told["5"]["baselines"]["same_topic"]["bleu_topic"];
    assert!(of_baseline.as_f64().is_some(), "{told}");

    let keywords = place
        .run("train --preset rnnpg_smoke task.source=poems.txt task.keywords=true --out other");
    let refused = keywords.refused();
    assert!(refused.contains("`task.keywords=false`"), "{refused}");
}

#[test]
fn another_model_plans_no_poems() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let refused = place.run("poem --model run 山").refused();
    assert!(refused.contains("plans no poems"), "{refused}");
}
