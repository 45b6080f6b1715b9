//! Ordinary text: cut into tokens, trained on, and put together again.

use strata_tests::cli::Workplace;

const TINY: &str = "task.kind=files task.source=pairs.tsv task.held_out=20 model.width=32 \
                    model.heads=2 model.layers=1 model.feed_forward=64 training.batch_size=16 \
                    training.steps=3";

/// Writes ordinary sentences, each with its own number.
fn write_corpus(place: &Workplace) {
    let [who, what] = [["Der Hund", "Die Frau"], ["läuft", "schläft"]];
    let [other, does] = [["The dog", "The woman"], ["runs", "sleeps"]];
    let line = |i: usize| {
        let (who, what) = (who[i % 2], what[i / 2 % 2]);
        let (other, does) = (other[i % 2], does[i / 2 % 2]);
        format!("{who} (Nr. {i}) {what}, \"ja\"!\t{other} (no. {i}) {does}, \"yes\"!\r\n")
    };
    place.write("pairs.tsv", (0..200).map(line).collect::<String>());
}

#[test]
fn a_model_translates_without_the_corpus_at_every_level() {
    let place = Workplace::new();
    for (number, levels) in [
        "task.level=punctuation",
        "task.level=bpe task.target_level=unigram task.maximum_vocabulary=90",
        "task.level=character task.target_level=bpe task.lowercase=true",
        "task.level=jieba task.target_level=punctuation",
    ]
    .into_iter()
    .enumerate()
    {
        write_corpus(&place);
        let run = format!("run{number}");
        place
            .run(&format!("train {TINY} {levels} --out {run}"))
            .succeeded();
        place.run(&format!("eval --model {run}")).succeeded();
        std::fs::remove_file(place.path("pairs.tsv")).unwrap();
        let lines = "Der Hund (Nr. 7) läuft, \"ja\"!\r\n\nEin Text 春 👍🏽 .\n";
        let translated = place.run_with(&format!("translate --model {run}"), lines);
        let translated = translated.succeeded();
        let lines: Vec<&str> = translated.split('\n').collect();
        assert_eq!((lines.len(), lines[1]), (4, ""), "{translated}");
    }
}

#[test]
fn an_unknown_level_is_refused_by_name() {
    let place = Workplace::new();
    write_corpus(&place);
    let error = place.run(&format!("train {TINY} task.level=bep")).refused();
    assert!(error.ends_with("did you mean `bpe`?"), "{error}");
}
