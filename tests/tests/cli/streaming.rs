//! A corpus that is read block by block from disk.

use std::fs;

use strata_tests::cli::Workplace;

const SETTINGS: &str = "task.kind=files task.source=pairs.tsv task.stream=always \
                        task.held_out=20 model.width=16 model.heads=2 model.layers=1 \
                        model.feed_forward=32 training.batch_size=8 training.validate_every=20 \
                        training.schedule.kind=constant training.schedule.warmup=3";

fn write_corpus(place: &Workplace, pairs: usize) {
    let line = |i: usize| {
        format!(
            "w{} w{} w{}\tv{} v{}\n",
            i % 7,
            i % 11,
            i % 13,
            i % 5,
            i % 7
        )
    };
    place.write("pairs.tsv", (0..pairs).map(line).collect::<String>());
}

/// Returns the path of the only prepared corpus.
fn prepared(place: &Workplace) -> std::path::PathBuf {
    let mut files = fs::read_dir(place.path("cache")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

#[test]
fn an_interrupted_run_goes_on_with_the_same_losses() {
    let place = Workplace::new();
    write_corpus(&place, 700);
    let train = |more: &str| place.run(&format!("train {SETTINGS} {more}")).succeeded();
    // Three epochs.
    let said = train("training.steps=200 --out whole");
    assert!(
        said.contains("680 sentence pairs to learn from, 20 held out"),
        "{said}"
    );
    let written = fs::metadata(prepared(&place)).unwrap().modified().unwrap();
    train("training.steps=120 --out run");
    assert_eq!(
        fs::metadata(prepared(&place)).unwrap().modified().unwrap(),
        written
    );

    // A damaged file is repaired before training.
    let good = fs::read(prepared(&place)).unwrap();
    fs::write(prepared(&place), &good[..good.len() / 2]).unwrap();
    place
        .run("train --resume run training.steps=200")
        .succeeded();
    assert_eq!(fs::read(prepared(&place)).unwrap(), good);
    assert_eq!(
        place.losses("run/metrics.jsonl"),
        place.losses("whole/metrics.jsonl")
    );
    assert_eq!(place.losses("run/metrics.jsonl").len(), 200);
}

#[test]
fn another_corpus_stops_a_resumption() {
    let place = Workplace::new();
    write_corpus(&place, 700);
    place
        .run(&format!("train {SETTINGS} training.steps=5 --out run"))
        .succeeded();
    write_corpus(&place, 699);
    let error = place.run("train --resume run training.steps=9").refused();
    assert!(error.contains("the data have changed"), "{error}");
}

#[test]
fn a_cache_that_cannot_be_written_is_told() {
    let place = Workplace::new();
    write_corpus(&place, 50);
    place.write("cache", "a file in its place");
    let error = place.run(&format!("train {SETTINGS} --out run")).refused();
    assert!(error.contains("STRATA_CACHE"), "{error}");
}

/// Writes articles of two paragraphs with two questions each.
fn write_questions(place: &Workplace, name: &str, articles: usize) {
    let paragraph = |number: usize| {
        let (one, two) = (number % 11, number % 7);
        let context = format!("name{one} found the ball{two} in the room{} .", number % 5);
        let asked = |at: usize, question: String, answer: String| {
            serde_json::json!({"id": format!("{name}-{number}-{at}"), "question": question,
                "answers": [{"text": answer, "answer_start": context.find(&answer).unwrap()}]})
        };
        serde_json::json!({"qas": [
            asked(0, format!("who found the ball{two} ?"), format!("name{one}")),
            asked(1, format!("what has name{one} found ?"), format!("the ball{two}")),
        ], "context": context})
    };
    let articles: Vec<_> = (0..articles)
        .map(|it| serde_json::json!({"paragraphs": [paragraph(2 * it), paragraph(2 * it + 1)]}))
        .collect();
    place.write(name, serde_json::json!({"data": articles}).to_string());
}

/// Readers, with and without the characters of words.
#[test]
fn questions_on_disk_are_learned_and_gone_on_with() {
    let place = Workplace::new();
    write_questions(&place, "train.json", 60);
    write_questions(&place, "dev.json", 4);
    for (model, batches) in [
        ("bidaf model.character_filters=8", "training.batch_size=8"),
        ("match_lstm", "training.batch_tokens=700"),
    ] {
        let settings = format!(
            "model.architecture={model} model.embedding=16 model.hidden=16 task.kind=reading \
             task.source=train.json task.stream=always {batches} training.validate_every=20 \
             training.optimizer.learning_rate=0.01 training.schedule.kind=constant \
             training.schedule.warmup=3"
        );
        let name = &model[..5];
        let part = format!("{name}-part");
        let said = place
            .run(&format!("train {settings} training.steps=80 --out {name}"))
            .succeeded();
        assert!(
            said.contains("216 questions to learn from, 24 held out"),
            "{said}"
        );
        let written = fs::metadata(prepared(&place)).unwrap().modified().unwrap();
        place
            .run(&format!("train {settings} training.steps=45 --out {part}"))
            .succeeded();
        place
            .run(&format!("train --resume {part} training.steps=80"))
            .succeeded();
        assert_eq!(
            fs::metadata(prepared(&place)).unwrap().modified().unwrap(),
            written
        );
        let losses = place.losses(&format!("{name}/metrics.jsonl"));
        assert_eq!(losses, place.losses(&format!("{part}/metrics.jsonl")));
        assert_eq!(losses.len(), 80);
        let loss = |step: usize| f64::from_bits(losses[step].1);
        assert!(loss(79) < 0.6 * loss(0), "{} {}", loss(0), loss(79));

        let measured = place.run(&format!("eval --model {name}")).succeeded();
        assert!(measured.contains("on 24 questions"), "{measured}");
        let measured = place
            .run(&format!("eval --model {name} --source dev.json"))
            .succeeded();
        assert!(measured.contains("on 16 questions"), "{measured}");
        place.write("text.txt", "name3 found the ball4 in the room2 .");
        let answer = place
            .run(&format!(
                "answer --model {name} --passage text.txt who found the ball4 ?"
            ))
            .succeeded();
        assert_eq!(answer.trim_end().split('\t').count(), 3, "{answer}");
    }
    // In memory there are the same questions, and the same numbers are reported.
    let told = |stream: &str| {
        let line = format!(
            "train model.architecture=match_lstm model.embedding=8 model.hidden=8 \
             task.kind=reading task.source=train.json task.stream={stream} training.steps=1 \
             --out {stream}"
        );
        let said = place.run(&line).succeeded();
        let told = said.lines().filter(|it| it.contains("questions"));
        told.take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told("always"), told("never"));

    write_questions(&place, "train.json", 61);
    let error = place
        .run("train --resume bidaf training.steps=90")
        .refused();
    assert!(error.contains("the data have changed"), "{error}");
}

/// A recurrent model's state is carried from batch to batch of a text on disk.
#[test]
fn a_text_on_disk_is_learned_and_gone_on_with() {
    let place = Workplace::new();
    let text = "one two three\nfour two five six\n\n".repeat(60);
    place.write("text.txt", &text);
    for model in [
        "model.architecture=recurrent_lm model.embedding=16 model.hidden=16",
        "model.architecture=transformer_lm model.width=16 model.feed_forward=32 model.heads=2",
    ] {
        let settings = format!(
            "{model} model.layers=1 task.kind=text task.source=text.txt task.level=character \
             task.stream=always task.segment_length=7 training.batch_size=8 \
             training.optimizer.learning_rate=0.02 training.schedule.kind=constant \
             training.schedule.warmup=3 training.validate_every=0"
        );
        let name = &model[19..30];
        place
            .run(&format!("train {settings} training.steps=90 --out {name}"))
            .succeeded();
        let part = format!("{name}-part");
        place
            .run(&format!("train {settings} training.steps=35 --out {part}"))
            .succeeded();
        place
            .run(&format!("train --resume {part} training.steps=90"))
            .succeeded();
        let losses = place.losses(&format!("{name}/metrics.jsonl"));
        assert_eq!(losses, place.losses(&format!("{part}/metrics.jsonl")));
        // More than two passes of about 36 batches, after which the text is learned.
        let loss = |step: usize| f64::from_bits(losses[step].1);
        assert!(loss(89) < 0.6 * loss(0), "{} {}", loss(0), loss(89));
        let said = place.run(&format!("eval --model {name}")).succeeded();
        assert!(said.contains("perplexity"), "{said}");
    }
}
