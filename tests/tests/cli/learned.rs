//! Held-out sentences that another model has learned are not measured as if they were new.

use std::fs;

use strata_tests::cli::{Ended, Workplace};

/// Returns random sentences with random translations, which only a model that has learned them can
/// know.
fn random_pairs(from: u64, to: u64) -> [String; 2] {
    let mut state = 9_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % 8
    };
    let mut sides = [String::new(), String::new()];
    for number in 0..to {
        let source: Vec<&str> = (0..6)
            .map(|_| ["a", "b", "c", "d", "e", "f", "g", "h"][draw()])
            .collect();
        let target: Vec<&str> = (0..3)
            .map(|_| ["i", "j", "k", "l", "m", "n", "o", "p"][draw()])
            .collect();
        if number >= from {
            sides[0] += &(source.join(" ") + "\n");
            sides[1] += &(target.join(" ") + "\n");
        }
    }
    sides
}

fn write(place: &Workplace, name: &str, from: u64, to: u64) {
    let [source, target] = random_pairs(from, to);
    place.write(&format!("{name}.s"), source);
    place.write(&format!("{name}.t"), target);
}

fn train(place: &Workplace, name: &str, more: &str) -> Ended {
    place.run(&format!(
        "train task.kind=files task.source={name}.s task.target={name}.t task.minimum_count=1 \
         model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 training.batch_size=16 \
         training.steps=20 {more}"
    ))
}

/// Returns the output and the messages of a run that must have succeeded.
fn said(ended: Ended) -> String {
    let all = ended.stdout.clone() + &ended.stderr;
    ended.succeeded();
    all
}

/// Returns the number that precedes these words.
fn before(text: &str, words: &str) -> usize {
    let at = text
        .find(words)
        .unwrap_or_else(|| panic!("{words}: {text}"));
    let number = text[..at].trim_end().rsplit([' ', '\n']).next().unwrap();
    number
        .replace(',', "")
        .parse()
        .unwrap_or_else(|_| panic!("{number}: {text}"))
}

#[test]
fn seeds_of_one_corpus_are_one_ensemble_on_one_held_out_part() {
    let place = Workplace::new();
    write(&place, "c", 0, 200);
    for seed in 1..=3 {
        train(
            &place,
            "c",
            &format!("task.held_out=40 seed={seed} --out r{seed}"),
        )
        .succeeded();
    }
    let alone = place.run("eval --model r1").succeeded();
    assert!(alone.contains("on 40 sentences"), "{alone}");
    let together = place.run("eval --model r1,r2,r3").succeeded();
    assert!(
        together.contains("3 models together, on 40 sentences"),
        "{together}"
    );
    assert!(!together.contains("learned"), "{together}");
    let compared = place.run("compare r1 r2 r3").succeeded();
    assert!(!compared.contains("other sentences"), "{compared}");
    place
        .run_with("translate --model r1,r2", "a b c\n")
        .succeeded();
    let refused = place
        .run("average r1/checkpoint.safetensors r2/checkpoint.safetensors --out m.safetensors")
        .refused();
    assert!(
        refused.contains("seed") && refused.contains("--model A,B"),
        "{refused}"
    );
    // So is the mean of one seed's runs if one of them began with another model.
    train(&place, "c", "task.held_out=40 seed=1 --from r2 --out r4").succeeded();
    let refused = place
        .run("average r1/checkpoint.safetensors r4/checkpoint.safetensors --out m.safetensors")
        .refused();
    assert!(
        refused.contains("r4") && refused.contains("mean of two beginnings"),
        "{refused}"
    );
    assert!(!place.path("m.safetensors").exists());
}

#[test]
fn what_another_model_of_an_ensemble_has_learned_is_left_out_and_told() {
    let place = Workplace::new();
    write(&place, "c", 0, 200);
    place.write("vs", "a\nb\nc\nd\ne\nf\ng\nh\n");
    place.write("vt", "i\nj\nk\nl\nm\nn\no\np\n");
    let known = "task.source_vocabulary=vs task.target_vocabulary=vt";
    for (name, more) in [
        ("one", "task.held_out=40"),
        ("fewer", "task.held_out=10"),
        ("seeds", "task.held_out=40 task.split=0 seed=2"),
    ] {
        train(&place, "c", &format!("{known} {more} --out {name}")).succeeded();
    }
    let compared = place.run("compare one seeds").succeeded();
    assert!(compared.contains("hold out other sentences"), "{compared}");
    let alone = place.run("eval --model one --json").succeeded();
    assert!(
        alone.contains("\"sentences\":40") && alone.contains("\"learned\":0"),
        "{alone}"
    );
    let told = place.run("eval --model one,fewer").succeeded();
    assert!(
        told.contains("30 of 40 held-out pairs are left out: fewer has learned them."),
        "{told}"
    );
    assert!(told.contains("on 10 sentences"), "{told}");
    let told = place.run("eval --model one,fewer,seeds").succeeded();
    assert!(
        told.contains("fewer and seeds have learned them."),
        "{told}"
    );
    // In the opposite order there is nothing to leave out.
    let told = place.run("eval --model fewer,one").succeeded();
    assert!(
        told.contains("on 10 sentences") && !told.contains("learned"),
        "{told}"
    );
    // A model that has learned all held-out pairs.
    write(&place, "rest", 200, 260);
    let all = fs::read_to_string(place.path("c.s")).unwrap()
        + &fs::read_to_string(place.path("rest.s")).unwrap();
    place.write("all.s", all);
    let all = fs::read_to_string(place.path("c.t")).unwrap()
        + &fs::read_to_string(place.path("rest.t")).unwrap();
    place.write("all.t", all);
    train(
        &place,
        "all",
        &format!("{known} task.validation_source=rest.s task.validation_target=rest.t --out all"),
    )
    .succeeded();
    let refused = place.run("eval --model one,all").refused();
    assert!(
        refused.contains("all has learned") && refused.contains("--source"),
        "{refused}"
    );
    // Files that the user names are measured, with a note.
    let told = place
        .run("eval --model one --source c.s --target c.t")
        .succeeded();
    assert!(
        told.contains("160 of 200 lines are among what one has learned"),
        "{told}"
    );
    let told = place
        .run("eval --model one --source rest.s --target rest.t")
        .succeeded();
    assert!(!told.contains("learned"), "{told}");
}

#[test]
fn a_run_that_begins_with_a_model_leaves_out_what_that_has_learned() {
    let place = Workplace::new();
    write(&place, "c", 0, 200);
    write(&place, "grown", 0, 300);
    train(&place, "c", "task.held_out=40 --out first").succeeded();
    for (corpus, more, left_out) in [
        ("c", "task.held_out=40 seed=2", 0),
        ("grown", "task.held_out=40", 0),
        ("c", "task.held_out=70", 30),
    ] {
        let told = said(train(
            &place,
            corpus,
            &format!("{more} --from first --out run"),
        ));
        match left_out {
            0 => assert!(!told.contains("has learned"), "{told}"),
            _ => assert_eq!(
                before(&told, "of 70 held-out pairs are left out"),
                left_out,
                "{told}"
            ),
        }
        let measured = place.run("eval --model run").succeeded();
        assert!(measured.contains("on 40 sentences"), "{measured}");
        fs::remove_dir_all(place.path("run")).unwrap();
    }
    train(&place, "c", "task.held_out=70 --from first --out run").succeeded();
    // The same holds when the run goes on, and for a run that begins from it.
    place
        .run("train --resume run training.steps=30")
        .succeeded();
    assert!(
        place
            .run("eval --model run")
            .succeeded()
            .contains("on 40 sentences")
    );
    // Pairs of another split, none of which was held out before.
    let told = said(train(
        &place,
        "c",
        "task.held_out=40 task.split=5 --from first --out other",
    ));
    assert!(
        before(&told, "of 40 held-out pairs are left out") >= 20,
        "{told}"
    );
}

#[test]
fn lines_of_a_text_that_a_model_has_learned_are_told() {
    let place = Workplace::new();
    let lines = |from: u32, to: u32| -> String {
        (from..to)
            .map(|it| format!("the king said {} and {}\n", it * it, it + 7))
            .collect()
    };
    place.write("old.txt", lines(0, 200));
    place.write("new.txt", lines(200, 400) + &lines(0, 15));
    let text = "task.kind=text task.level=word model.architecture=recurrent_lm model.embedding=8 \
                model.hidden=8 model.layers=1 training.steps=5 training.batch_size=4";
    place
        .run(&format!("train {text} task.source=old.txt --out first"))
        .succeeded();
    let told = said(place.run(&format!(
        "train {text} task.source=new.txt --from first --out second"
    )));
    assert!(
        told.contains("15 of the") && told.contains("lines of the held-out text"),
        "{told}"
    );
    let told = place.run("eval --model second").succeeded();
    assert!(
        told.contains("15 of its lines are among what the model has learned"),
        "{told}"
    );
    let told = place.run("eval --model first").succeeded();
    assert!(!told.contains("learned"), "{told}");
    let told = place.run("eval --model first --source old.txt").succeeded();
    assert!(told.contains("of its lines are among"), "{told}");
}

/// A run that ended before its first checkpoint, begun by a program that had no split, is begun
/// anew as that program would have done.
#[test]
fn a_configuration_that_an_older_program_wrote_means_its_split() {
    let place = Workplace::new();
    write(&place, "c", 0, 200);
    train(
        &place,
        "c",
        "task.held_out=40 task.split=0 seed=3 --out kept",
    )
    .succeeded();
    train(&place, "c", "task.held_out=40 seed=3 --out run").succeeded();
    let written = String::from_utf8(place.read("run/experiment.toml")).unwrap();
    assert!(written.contains("split = 1"), "{written}");
    let old: String = written
        .lines()
        .filter(|it| !it.starts_with("split = "))
        .map(|it| format!("{it}\n"))
        .collect();
    fs::remove_dir_all(place.path("run")).unwrap();
    place.write("own.toml", old.clone());
    fs::create_dir_all(place.path("run")).unwrap();
    place.write("run/experiment.toml", old);
    place.run("train --resume run").succeeded();
    assert_eq!(
        place.losses("run/metrics.jsonl"),
        place.losses("kept/metrics.jsonl")
    );
    let written = fs::read_to_string(place.path("run/experiment.toml")).unwrap();
    assert!(written.contains("split = 0"), "{written}");
    // The same file as a user's own configuration is a new experiment.
    place.run("train --config own.toml --out new").succeeded();
    let written = fs::read_to_string(place.path("new/experiment.toml")).unwrap();
    assert!(written.contains("split = 1"), "{written}");
}

/// Returns twenty articles with three questions each.
fn questions() -> String {
    let article = |article: u32| {
        let asked = |number: u32| {
            format!(
                r#"{{"id": "{article}.{number}", "question": "who is number {number} of {article} ?", "answers": [{{"text": "w{number}x{article}", "answer_start": {}}}]}}"#,
                format!("here {article} are ").len()
                    + format!("w0x{article} ").len() * number as usize
            )
        };
        let all: Vec<String> = (0..3).map(asked).collect();
        format!(
            r#"{{"paragraphs": [{{"context": "here {article} are w0x{article} w1x{article} w2x{article}", "qas": [{}]}}]}}"#,
            all.join(", ")
        )
    };
    let all: Vec<String> = (100..120).map(article).collect();
    format!(r#"{{"data": [{}]}}"#, all.join(", "))
}

#[test]
fn questions_that_are_reported_choose_no_checkpoint() {
    let place = Workplace::new();
    place.write("q.json", questions());
    let train = |more: &str| {
        place.run(&format!(
            "train task.kind=reading task.source=q.json task.minimum_count=1 model.architecture=bidaf \
             model.embedding=8 model.hidden=8 model.characters=none training.batch_size=8 training.steps=4 \
             training.keep_best=1 training.measure=f1 training.validate_every=2 {more}"
        ))
    };
    let told = said(train("task.held_out=6 task.tested=9 --out three"));
    assert!(
        told.contains("Held out: 6 questions") && told.contains("`task.tested`"),
        "{told}"
    );
    let measured = place.run("eval --model three").succeeded();
    assert!(
        measured.contains("on 9 questions that chose no checkpoint"),
        "{measured}"
    );
    // Another seed has the same parts; without a third part `eval` measures the part that chose the
    // checkpoint.
    train("task.held_out=6 task.tested=9 seed=4 --out other").succeeded();
    let measured = place.run("eval --model other --json").succeeded();
    assert!(
        measured.contains("\"questions\":9") && measured.contains("\"tested\":true"),
        "{measured}"
    );
    train("task.held_out=6 --out two").succeeded();
    let measured = place.run("eval --model two").succeeded();
    assert!(measured.contains("on 6 questions, by"), "{measured}");
    // What a model has learned is left out of both parts.
    let told = said(train("task.held_out=9 --from two --out after"));
    assert!(
        told.contains("3 of 9 held-out questions are left out"),
        "{told}"
    );
    let measured = place.run("eval --model after").succeeded();
    assert!(measured.contains("on 6 questions, by"), "{measured}");
    // If all of a part would be left out, the part stays, with a note.
    let told = said(train(
        "task.held_out=6 task.tested=9 --from two --out whole",
    ));
    assert!(
        told.contains("9 of the held-out examples are among what") && told.contains("has learned"),
        "{told}"
    );
    let measured = place.run("eval --model whole").succeeded();
    assert!(
        measured.contains("on 9 questions") && measured.contains("has learned"),
        "{measured}"
    );
    let refused = place.run("eval --model three,two").refused();
    assert!(refused.contains("readers cannot be joined"), "{refused}");
}

/// Sequences of three symbols are few: what one seed holds out, another has learned.
#[test]
fn drawn_sequences_that_another_seed_has_learned_are_left_out() {
    const REVERSE: &str = "train task.kind=reverse task.symbols=3 task.minimum_length=3 \
        task.maximum_length=6 task.examples=300 task.held_out=60 model.width=16 model.heads=2 \
        model.layers=1 model.feed_forward=32 training.steps=20";
    let place = Workplace::new();
    for seed in 1..=2 {
        place
            .run(&format!("{REVERSE} seed={seed} --out r{seed}"))
            .succeeded();
    }
    let alone = place.run("eval --model r1").succeeded();
    assert!(alone.contains("on 60 sentences"), "{alone}");
    let together = said(place.run("eval --model r1,r2"));
    let left_out = before(&together, "of 60 held-out pairs");
    assert!((10..60).contains(&left_out), "{together}");
    assert!(
        together.contains(&format!("on {} sentences", 60 - left_out)),
        "{together}"
    );
    // And a run that begins with the other's parameters does not measure what that has learned.
    let begun = said(place.run(&format!("{REVERSE} seed=1 --from r2 --out r3")));
    assert_eq!(before(&begun, "of 60 held-out"), left_out, "{begun}");
}

#[test]
fn questions_of_both_files_are_not_trained_and_learned_ones_are_told() {
    const READER: &str = "train task.kind=reading task.minimum_count=1 model.architecture=bidaf \
        model.hidden=8 model.embedding=8 training.steps=5 training.epochs=0 training.batch_size=4";
    let place = Workplace::new();
    let all = questions();
    let mut document: serde_json::Value = serde_json::from_str(&all).unwrap();
    place.write("all.json", &all);
    let articles = document["data"].as_array_mut().unwrap();
    articles.truncate(2);
    let count = |articles: &[serde_json::Value]| -> usize {
        let paragraphs = articles
            .iter()
            .flat_map(|it| it["paragraphs"].as_array().unwrap());
        paragraphs
            .map(|it| it["qas"].as_array().unwrap().len())
            .sum()
    };
    let some = count(articles);
    place.write("some.json", document.to_string());
    for stream in ["never", "always"] {
        let told = said(place.run(&format!(
            "{READER} task.source=all.json task.validation_source=some.json task.stream={stream} \
             --out {stream}"
        )));
        let sentence = format!("all.json: {some} questions are also in some.json: not trained.");
        assert!(told.contains(&sentence), "{told}");
        let own = said(place.run(&format!("eval --model {stream} --source some.json")));
        assert!(!own.contains("known by heart"), "{own}");
        let learned = said(place.run(&format!("eval --model {stream} --source all.json")));
        let others = serde_json::from_str::<serde_json::Value>(&all).unwrap();
        let everything = count(others["data"].as_array().unwrap());
        assert_eq!(
            before(&learned, &format!("of {everything} questions are among")),
            everything - some
        );
    }
    let told = said(place.run(&format!(
        "{READER} task.source=some.json task.validation_source=some.json --out same"
    )));
    assert!(
        told.contains("also in some.json: what is measured is known by heart"),
        "{told}"
    );
}

#[test]
fn a_run_goes_on_with_the_model_that_it_began_with() {
    let place = Workplace::new();
    write(&place, "c", 0, 120);
    for (name, more) in [("p", "seed=1"), ("q", "seed=2"), ("own", "seed=3")] {
        train(&place, "c", &format!("{more} --out {name}")).succeeded();
    }
    train(&place, "c", "seed=3 --from p --out begun").succeeded();
    let again = train(&place, "c", "seed=3 --from p --continue --out begun").succeeded();
    assert!(again.contains("Nothing to do"), "{again}");
    let other = train(&place, "c", "seed=3 --from q --continue --out begun").refused();
    assert!(
        other.contains("another model than") && other.contains("q/"),
        "{other}"
    );
    let other = train(&place, "c", "seed=3 --from p --continue --out own").refused();
    assert!(other.contains("parameters of its own"), "{other}");
    // Without a checkpoint yet, the run begins with that model again.
    fs::remove_file(place.path("begun/checkpoint.safetensors")).unwrap();
    let forgotten = place.run("train --continue --out begun").refused();
    assert!(forgotten.contains("name that model again"), "{forgotten}");
    let again = said(place.run("train --from p --continue --out begun"));
    assert!(again.contains("begins with the parameters of p"), "{again}");
}

#[test]
fn lines_of_a_text_that_are_learned_and_measured_are_told() {
    const TEXT: &str = "train task.kind=text model.architecture=transformer_lm task.minimum_count=1 task.segment_length=8 \
        model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 training.steps=4";
    let place = Workplace::new();
    let once: String = (0..60)
        .map(|it| format!("line number {it}  has its own seven words\n"))
        .collect();
    place.write("twice.txt", once.repeat(2));
    for stream in ["never", "always"] {
        let told = said(place.run(&format!(
            "{TEXT} task.source=twice.txt task.stream={stream} --out {stream}"
        )));
        let lines = before(&told, "lines to measure on");
        let shared = before(
            &told,
            &format!("of {lines} lines to measure on are also in"),
        );
        // The held-out text may begin within a line.
        assert!(shared >= 10 && shared + 1 >= lines, "{told}");
        let measured = place.run(&format!("eval --model {stream}")).succeeded();
        assert!(
            measured.contains(&format!(
                "{shared} of its lines are among what the model has learned"
            )),
            "{measured}"
        );
        // The level `word` drops the second of two spaces, which the bits do not spell.
        assert!(
            measured.contains("what is lost of it is in no bit"),
            "{measured}"
        );
    }
    place.write("once.txt", once);
    let told = said(place.run(&format!("{TEXT} task.source=once.txt --out once")));
    assert!(!told.contains("to measure on"), "{told}");
}
