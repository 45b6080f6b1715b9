//! Language models: trained on a text, killed, measured, and asked to write on.

use std::{env, fs};

use serde_json::Value;
use strata_tests::cli::{Workplace, ended, signal};

/// Writes a text that a small model can learn by heart.
fn text(place: &Workplace) {
    let lines = "the cat sat on the mat\nthe dog sat on the cat\n\n".repeat(100);
    place.write("text.txt", lines);
}

const RECURRENT: &str = "task.kind=text task.source=text.txt task.segment_length=9 \
                         model.architecture=recurrent_lm model.cell=gru model.layers=1 \
                         model.embedding=16 model.hidden=32 training.batch_size=8 \
                         training.optimizer.learning_rate=0.02 training.schedule.warmup=30";

/// A segment of 16 tokens begins anywhere among the 15 that make up the text.
const ATTENDING: &str = "task.kind=text task.source=text.txt task.segment_length=16 \
                         model.architecture=transformer_lm model.width=16 model.heads=2 \
                         model.layers=1 model.feed_forward=32 training.batch_size=8 \
                         training.optimizer.learning_rate=0.02 training.schedule.warmup=30";

#[test]
fn a_text_is_learned_and_written_on() {
    for settings in [RECURRENT, ATTENDING] {
        let place = Workplace::new();
        text(&place);
        let said = place
            .run(&format!("train {settings} training.steps=300 --out run"))
            .succeeded();
        assert!(said.contains("segments of text to learn from"), "{said}");
        assert!(said.contains("bits per character"), "{said}");
        assert!(!said.contains("translated exactly"), "{said}");
        let [.., last] = &place.metrics("run/metrics.jsonl", "validation")[..] else {
            panic!("no validation: {said}");
        };
        assert!(last["perplexity"].as_f64().unwrap() < 1.3, "{last}");
        assert!(last["bits_per_character"].as_f64().unwrap() < 0.1, "{last}");

        let prompts = "the dog sat\n\nthe cat\n";
        let written = place.run_with("translate --model run", prompts).succeeded();
        assert_eq!(
            written,
            "the dog sat on the cat\n\nthe cat sat on the mat\n"
        );
        let measured = place.run("eval --model run").succeeded();
        assert!(measured.contains("perplexity"), "{measured}");
        place.write("other.txt", "the cat sat\n");
        let other = place.run("eval --model run --source other.txt").succeeded();
        assert!(other.contains("4 tokens"), "{other}");
        let line = place.run("eval --model run --source other.txt --json");
        assert!(line.succeeded().contains("\"bits_per_character\":"));
        let sentence = place.run("eval --model run --bleu").refused();
        assert!(sentence.contains("`--bleu`"), "{sentence}");
        // A beam finds nothing worse, and sampled texts begin as they must.
        let beam = "translate --model run --beam 3 --attention flow.json";
        assert_eq!(place.run_with(beam, prompts).succeeded(), written);
        let drawn = "translate --model run --sample --temperature 3 --nbest 4";
        let drawn = place.run_with(drawn, "the dog sat\n").succeeded();
        assert!(
            drawn.lines().all(|line| line.contains("\tthe dog sat")),
            "{drawn}"
        );
    }
}

#[test]
fn a_beginning_that_is_cut_is_told_as_cut() {
    let place = Workplace::new();
    text(&place);
    place
        .run(&format!("train {RECURRENT} training.steps=2 --out run"))
        .succeeded();
    let long = "the cat ".repeat(150);
    let cut = place.run(&format!("translate --model run --too-long cut {long}"));
    assert!(
        cut.stderr.contains("300 tokens") && cut.stderr.contains("the last 200 are taken"),
        "{}",
        cut.stderr
    );
    assert!(!cut.stderr.contains("is read as"), "{}", cut.stderr);
    cut.succeeded();
}

/// The state that is carried from segment to segment is stored, too.
#[test]
fn a_run_on_streams_that_was_killed_goes_on_with_the_same_losses() {
    let place = Workplace::new();
    text(&place);
    let run = format!(
        "train {RECURRENT} task.level=character model.dropout=0.1 training.steps=300 \
         training.validate_every=100 training.checkpoint_every=7"
    );
    place.run(&format!("{run} --out whole")).succeeded();
    for _ in 0..3 {
        let killed = place.start(&format!("{run} --out run"));
        place.wait_for("run/checkpoint.safetensors");
        signal(&killed, "KILL");
        assert_eq!(ended(killed).code, None);
        place.run("train --resume run").succeeded();
        assert_eq!(
            place.losses("run/metrics.jsonl"),
            place.losses("whole/metrics.jsonl")
        );
        fs::remove_dir_all(place.path("run")).unwrap();
    }
}

#[test]
fn a_preset_is_begun_with_and_epochs_make_its_steps() {
    let place = Workplace::new();
    text(&place);
    place.write("small.txt", " = Robert <unk> = \n");
    let small = "model.embedding=8 model.hidden=8 training.batch_size=10 \
                 task.segment_length=27 training.validate_every=0";
    let said = place
        .run(&format!(
            "train --preset lstm_lm task.source=text.txt {small} training.epochs=3 --out run"
        ))
        .succeeded();
    // 90 % of 1,500 tokens, in 10 streams of segments of 27.
    assert_eq!(place.losses("run/metrics.jsonl").len(), 3 * 5, "{said}");
    let kept = String::from_utf8(place.read("run/experiment.toml")).unwrap();
    for line in [
        "steps = 15 ",
        "epochs = 3 ",
        "tied = true ",
        "level = \"word\"",
    ] {
        assert!(kept.contains(line), "{line}: {kept}");
    }
    place
        .run("train --resume run training.steps=17")
        .succeeded();
    assert_eq!(place.losses("run/metrics.jsonl").len(), 17);
    // The preset asks for epochs, but steps on the command line take precedence.
    place
        .run(&format!(
            "train --preset lstm_lm task.source=text.txt {small} training.steps=2 --out short"
        ))
        .succeeded();
    assert_eq!(place.losses("short/metrics.jsonl").len(), 2);

    let listed = place.run("config --presets").succeeded();
    assert!(
        listed.contains("rnnsearch") && listed.contains("Bahdanau"),
        "{listed}"
    );
    place.write("mine.toml", "[model]\nhidden = 20\nembedding = 20\n");
    let shown = place
        .run("config --preset lstm_lm --config mine.toml task.source=x model.layers=3")
        .succeeded();
    for line in ["hidden = 20 ", "layers = 3 ", "dropout = 0.5 "] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let error = place.run("train --preset lstm").refused();
    assert!(
        error.contains("`lstm`") && error.contains("lstm_lm"),
        "{error}"
    );
}

#[test]
fn a_generated_text_is_measured_where_it_asks_for_something() {
    const TRAIN: &str = "train --quiet task.examples=300 task.held_out=20 model.architecture=transformer_lm \
                         model.width=16 model.heads=1 model.layers=1 model.feed_forward=16 training.steps=8 \
                         training.batch_size=8";
    let place = Workplace::new();
    for (task, tokens) in [
        // A recall asks for the values of four keys.
        ("recall task.causal=true", Some(20 * 4)),
        ("variables task.answers_only=true", None),
        ("variables", None),
        ("sentences", None),
    ] {
        let name = task.split(' ').next().unwrap();
        fs::remove_dir_all(place.path("run")).ok();
        place
            .run(&format!("{TRAIN} task.kind={task} --out run"))
            .succeeded();
        let validations = place.metrics("run/metrics.jsonl", "validation");
        let last = validations.last().unwrap();
        let told = place.run("eval --model run --json --floors").succeeded();
        let told: Value = serde_json::from_str(told.trim()).unwrap();
        for measure in ["loss", "perplexity", "bits_per_character"] {
            assert_eq!(told[measure], last[measure], "{task}: {measure}");
        }
        assert!(told["floors"]["unigram"]["loss"].is_f64(), "{told}");
        if let Some(tokens) = tokens {
            assert_eq!(told["tokens"], tokens, "{task}");
        }
        place.write("text.txt", "a b\n");
        let refusal = place.run("eval --model run --source text.txt").refused();
        let expected = format!("the text of the task `{name}` is generated");
        assert!(refusal.contains(&expected), "{refusal}");
    }
}

#[test]
fn what_is_no_text_or_no_model_for_it_is_refused() {
    let place = Workplace::new();
    text(&place);
    place.write("empty.txt", "");
    place.write("bytes.txt", b"caf\xe9\n");
    for (settings, expected) in [
        ("task.kind=text task.source=text.txt", "transformer_lm"),
        ("model.architecture=recurrent_lm", "task.kind=text"),
        (
            "task.kind=text model.architecture=transformer_lm",
            "set `task.source`",
        ),
        (
            &format!("{RECURRENT} task.source=empty.txt"),
            "empty.txt: there is no text in it",
        ),
        (
            &format!("{RECURRENT} task.source=bytes.txt"),
            "bytes.txt, line 1: byte 4",
        ),
        (
            &format!("{RECURRENT} task.source=gone.txt"),
            "there is no such file",
        ),
        (
            &format!("{RECURRENT} model.tied=true model.hidden=9"),
            "`tied`",
        ),
        (
            &format!("{RECURRENT} model.layers=0"),
            "`layers` of `recurrent_lm` is 0",
        ),
        (
            &format!("{ATTENDING} model.positions=learned model.longest=9"),
            "model.longest",
        ),
        (
            &format!("{ATTENDING} model.decoder_self.kind=pyramid"),
            "pyramid",
        ),
        (
            &format!("{RECURRENT} model.initial_bound=-1"),
            "`initial_bound`",
        ),
    ] {
        let error = place
            .run(&format!("train {settings} --out never"))
            .refused();
        assert!(error.contains(expected), "{settings}: {error}");
        assert!(!place.path("never").exists());
    }
}

#[test]
fn wikitext_and_shakespeare() {
    let Ok(folder) = env::var("STRATA_DATA") else {
        println!("Not tested: STRATA_DATA names no folder of real text.");
        return;
    };
    let place = Workplace::new();
    place.write("small.txt", " = Robert <unk> = \n");
    let small = "model.embedding=8 model.hidden=8 training.steps=2 training.epochs=0 --out";
    let said = place
        .run(&format!(
            "train --preset lstm_lm task.source={folder}/wikitext-2/train.txt.gz \
             task.validation_source=small.txt {small} words"
        ))
        .succeeded();
    // The corpus' 33,278 entries, plus padding and the beginning, which the corpus lacks.
    assert!(said.contains("33,280 target tokens"), "{said}");
    let said = place
        .run(&format!(
            "train --preset lstm_lm_characters task.validation_source=small.txt task.source={folder}/tiny-shakespeare/input.txt \
             {small} characters"
        ))
        .succeeded();
    // 65 characters, of which the line break is the end of a line, and three special tokens.
    assert!(said.contains("68 target tokens"), "{said}");
}

#[test]
fn a_text_goes_on_past_its_lines_until_a_stop() {
    let place = Workplace::new();
    text(&place);
    place
        .run(&format!(
            "train {RECURRENT} training.steps=300 --quiet --out run"
        ))
        .succeeded();
    let write = |more: &str| {
        let command = format!("translate --model run {more} the cat");
        place.run(&command).succeeded()
    };
    assert_eq!(write(""), "the cat sat on the mat\n");
    assert_eq!(write("--stop mat"), "the cat sat on the \n");
    // A given beginning does not stop the text.
    assert_eq!(write("--stop cat"), "the cat sat on the mat\n");
    let lines = "the cat sat on the mat\nthe dog sat on the cat\n\n";
    assert_eq!(write("--past-lines --limit 15"), format!("{lines}\n"));
    let stopped = write(r"--past-lines --limit 40 --stop \n\n --stop bird");
    assert_eq!(stopped, "the cat sat on the mat\nthe dog sat on the cat\n");
    let refused = place.run_with("translate --model run --past-lines", "the\n");
    assert!(
        refused
            .refused()
            .contains("give the beginning as an argument")
    );
}
