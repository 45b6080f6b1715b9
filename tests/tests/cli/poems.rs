//! Poems: translated lines, and poems by a plan.

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

const CHARACTERS: &str = "春江花月夜山水云风雪";

/// Poems whose lines are numbers in ten characters.
fn poems(place: &Workplace) {
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let line = |number: usize| -> String {
        let digit = |place| number / 10_usize.pow(place) % 10;
        (0..5)
            .map(|place| characters[(digit(place) + number) % 10])
            .collect()
    };
    let poem = |at: usize| {
        (0..4)
            .map(|it| line(at * 4 + it))
            .collect::<Vec<_>>()
            .join("，")
    };
    let text: String = (0..800).map(|at| poem(at) + "。\n").collect();
    place.write("poems.txt", text);
}

const TINY: &str = "train --preset ppg_smoke task.source=poems.txt task.script=as_read task.length=five \
                    model.embedding=16 model.encoder_hidden=16 model.decoder_hidden=16 \
                    training.epochs=0 training.steps=20 training.validate_every=10 --out run";

#[test]
fn lines_are_translated_and_measured() {
    let place = Workplace::new();
    poems(&place);
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
}

#[test]
fn a_model_writes_poems_by_a_plan() {
    let place = Workplace::new();
    poems(&place);
    place.run(TINY).succeeded();
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
        // Beside a note that tells which checkpoint it is.
        let ended = poem(more);
        assert_eq!(ended.code, Some(1), "{more}: {}", ended.stdout);
        let error = ended.stderr.lines().last().unwrap();
        assert!(
            error.starts_with("error: ") && error.contains(reason),
            "{more}: {error}"
        );
    }
    let unfit = place.run("poem --model run --length 6 山").refused();
    assert!(unfit.contains("5 or 7"), "{unfit}");

    let measured = place.run("eval --model run --poems --beam 3").succeeded();
    for row in [
        "the model, planned keywords ",
        "the model, gold keywords ",
        "the poems themselves ",
    ] {
        assert!(measured.contains(row), "{row}: {measured}");
    }
    assert!(
        measured.contains("Perplexity per character, lines 2 to 4: "),
        "{measured}"
    );

    // The mean of checkpoints plans, too.
    place
        .run("average --out mean.safetensors run/checkpoint.safetensors")
        .succeeded();
    place
        .run("poem --model mean.safetensors --length 5 山")
        .succeeded();
}

#[test]
fn another_model_plans_no_poems() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let refused = place.run("poem --model run 山").refused();
    assert!(refused.contains("plans no poems"), "{refused}");
}
