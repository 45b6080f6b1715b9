//! Bad input, one test each: a single error says what is wrong, where, and what to do; nothing is
//! lost.

use std::collections::HashMap;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use strata_tests::cli::{Ended, Workplace};

use crate::{TINY, train};

/// Returns the error of a `train` that must be refused before it leaves any file.
fn refused(place: &Workplace, arguments: &str) -> String {
    let sentence = place.run(&format!("train {arguments}")).refused();
    assert!(
        !place.path("runs").exists(),
        "a refused run left its folder"
    );
    sentence
}

/// Fails unless the error contains all of `parts`.
fn says(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "no {part:?} in: {sentence}");
    }
}

const FILES: &str = "task.kind=files task.source=source task.target=target";

#[test]
fn a_missing_file() {
    let place = Workplace::new();
    says(
        &refused(&place, FILES),
        &["source: there is no such file", "check the path"],
    );
    says(
        &refused(&place, "--config none.toml"),
        &["none.toml: there is no such file"],
    );
    let missing = place.run("translate --model none.safetensors a").refused();
    says(&missing, &["none.safetensors: there is no such file"]);
}

#[test]
fn cards_that_are_no_cards() {
    let place = Workplace::new();
    says(
        &refused(&place, "task.kind=copy --cards 2"),
        &["`--cards 2`", "add `--device cuda`", "`--processes 2`"],
    );
    let both = place.run("train --cards 2 --processes 2");
    assert_eq!(both.code, Some(2), "{}", both.stdout);
    says(&both.stderr, &["--cards", "--processes"]);
}

#[test]
fn unequal_line_counts() {
    let place = Workplace::new();
    place.write("source", "a\nb\nc\n");
    place.write("target", "x\ny\n");
    says(
        &refused(&place, FILES),
        &["source has 3 lines", "target has 2"],
    );
}

#[test]
fn text_that_is_not_utf8() {
    let place = Workplace::new();
    place.write("source", b"a\ncaf\xe9\n");
    place.write("target", "x\ny\n");
    says(
        &refused(&place, FILES),
        &["source, line 2", "not UTF-8", "convert"],
    );
}

#[test]
fn an_empty_corpus() {
    let place = Workplace::new();
    place.write("source", "");
    place.write("target", "");
    says(&refused(&place, FILES), &["source: there is no text in it"]);
    place.write("source", "\n\n");
    place.write("target", "x\ny\n");
    says(&refused(&place, FILES), &["2 dropped as empty"]);
}

#[test]
fn an_unknown_key() {
    let place = Workplace::new();
    place.write("experiment.toml", "[model]\nwidht = 64\n");
    let sentence = refused(&place, "--config experiment.toml");
    says(
        &sentence,
        &[
            "experiment.toml: there is no setting `model.widht`",
            "`model.width`",
        ],
    );
    let sentence = refused(&place, "--config experiment.toml model.widht=3");
    says(&sentence, &["the command line"]);
    let sentence = refused(&place, "training.optimiser.learning_rate=1");
    says(&sentence, &["`training.optimiser`", "`training.optimizer`"]);
}

#[test]
fn a_file_that_is_no_toml() {
    let place = Workplace::new();
    place.write("experiment.toml", "seed = 1\n[model\n");
    says(
        &refused(&place, "--config experiment.toml"),
        &["experiment.toml, line 2", "not TOML"],
    );
}

#[test]
fn an_impossible_shape() {
    let place = Workplace::new();
    says(
        &refused(&place, "model.width=30 model.heads=4"),
        &["`model`", "30", "4", "heads"],
    );
}

#[test]
fn an_impossible_value() {
    let place = Workplace::new();
    says(
        &refused(&place, "model.width=wide"),
        &["`model.width` is \"wide\"", "a whole number"],
    );
    says(
        &refused(&place, "training.steps=0"),
        &["`training.steps` is 0", "1 to 1000000000"],
    );
    says(
        &refused(&place, "seed"),
        &["`seed` is no setting", "key=value"],
    );
}

#[test]
fn a_device_that_was_not_built() {
    let place = Workplace::new();
    says(&refused(&place, "--device cuda"), &["--features cuda"]);
}

#[test]
fn a_truncated_checkpoint() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let whole = place.read("run/checkpoint.safetensors");
    for length in [0, 5, 100, whole.len() / 2, whole.len() - 1] {
        place.write("cut.safetensors", &whole[..length]);
        for command in [
            "translate --model cut.safetensors a",
            "eval --model cut.safetensors",
        ] {
            says(
                &place.run(command).refused(),
                &["cut.safetensors: ", "truncated"],
            );
        }
        says(
            &refused(&place, "--resume cut.safetensors"),
            &["cut.safetensors: ", "truncated"],
        );
    }
}

#[test]
fn a_foreign_checkpoint() {
    let place = Workplace::new();
    let bytes = [0; 8];
    let tensor = TensorView::new(Dtype::F32, vec![2], &bytes).unwrap();
    let entries = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    let file = safetensors::serialize([("weight", tensor)], Some(entries)).unwrap();
    place.write("foreign.safetensors", file);
    says(
        &refused(&place, "--resume foreign.safetensors"),
        &["not written by Strata"],
    );
    let sentence = place
        .run("translate --model foreign.safetensors a")
        .refused();
    says(
        &sentence,
        &["foreign.safetensors: ", "not written by Strata"],
    );

    place.write(
        "text.safetensors",
        "this is no checkpoint, but text, and more than a few bytes",
    );
    refused(&place, "--resume text.safetensors");
}

#[test]
fn a_checkpoint_of_another_configuration() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let before = place.read("run/checkpoint.safetensors");
    let sentence = refused(&place, "--resume run model.width=32 training.steps=9");
    says(&sentence, &["`model.width` is 16", "cannot become 32"]);
    place.write("other.toml", "seed = 4\n");
    let sentence = refused(&place, "--resume run --config other.toml");
    says(&sentence, &["in this run and cannot become"]);
    assert_eq!(place.read("run/checkpoint.safetensors"), before);
}

#[test]
fn data_that_changed_since_the_checkpoint() {
    let place = Workplace::new();
    let lines: String = (0..30)
        .map(|n| format!("a b {}\n", "c ".repeat(n)))
        .collect();
    place.write("source", &lines);
    place.write("target", &lines);
    let task = TINY
        .split_once("model")
        .map(|(_, model)| format!("{FILES} model{model}"))
        .unwrap();
    place
        .run(&format!("train {task} training.steps=2 --out run"))
        .succeeded();
    place.write("target", lines.replace('b', "d"));
    let sentence = refused(&place, "--resume run training.steps=4");
    says(
        &sentence,
        &["the data have changed", "bring the old data back"],
    );
}

#[test]
fn an_output_folder_that_cannot_be_written() {
    let place = Workplace::new();
    place.write("file", "something else");
    let sentence = refused(&place, &format!("{TINY} training.steps=1 --out file/run"));
    says(&sentence, &["file/run", "cannot be written", "--out"]);
    assert_eq!(place.read("file"), b"something else");
}

#[test]
fn a_disk_that_is_full() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let before = place.read("run/checkpoint.safetensors");
    // No file may exceed 8 KiB, as on a full disk.
    let limit = "trap '' XFSZ; ulimit -f 8";
    let sentence = place
        .shell(&format!(
            "{limit}; exec $STRATA train --resume run training.steps=4"
        ))
        .refused();
    says(
        &sentence,
        &[
            "run/checkpoint.safetensors",
            "step 2 is untouched",
            "make room",
        ],
    );
    assert_eq!(place.read("run/checkpoint.safetensors"), before);
    let left = std::fs::read_dir(place.path("run")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let partial: Vec<String> = names.filter(|name| name.contains("partial")).collect();
    assert_eq!(partial, [""; 0], "a part of a checkpoint was left behind");

    // With room again, the run goes on from where it was saved.
    place.run("train --resume run training.steps=4").succeeded();
    let steps: Vec<u64> = place
        .losses("run/metrics.jsonl")
        .iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(steps, [1, 2, 3, 4]);
}

#[test]
fn a_run_that_diverges() {
    let place = Workplace::new();
    // Each step multiplies every parameter by 1 - 1000.
    let wild = "training.steps=200 training.schedule.kind=constant \
                training.optimizer.learning_rate=1000 training.optimizer.weight_decay=1";
    let sentence = place.run(&train(&format!("{wild} --out run"))).refused();
    says(
        &sentence,
        &[
            "not a finite number",
            "learning_rate",
            "run/checkpoint.safetensors",
        ],
    );
    place.run("translate --model run a b").succeeded();
}

/// The program under test was built without MPI.
#[test]
fn several_processes_without_mpi() {
    let place = Workplace::new();
    let asked = "training.accumulate=2 --processes 2 --out run";
    let sentence = place.run(&train(asked)).refused();
    says(&sentence, &["2 processes", "--features mpi", "MPICH"]);
    assert!(!place.path("run").exists());
    // A single process needs no MPI.
    let alone = "training.steps=1 --processes 1 --out run";
    place.run(&train(alone)).succeeded();
}

/// A line that is not UTF-8 keeps its place, and ends neither the lines before nor those after.
#[test]
fn lines_that_are_not_utf8_stay_empty_and_are_told() {
    let place = Workplace::new();
    place.run(&train("training.steps=1 --out run")).succeeded();
    let search = "translate --model run --beam 2 --nbest 1";
    let numbers = |ended: &Ended| -> Vec<(String, bool)> {
        let lines = ended.stdout.lines();
        let number = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
        lines
            .map(|line| (number(line), line.split('\t').count() == 3))
            .collect()
    };
    let ended = place.run_with(search, b"a b\n\xff a\nb a\n");
    let expected = ["0", "1", "2"].map(|number| (number.to_owned(), true));
    assert_eq!(numbers(&ended), expected);
    let good = place.run_with(search, b"a b\n\nb a\n");
    assert_eq!(ended.stdout, good.stdout);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    says(
        &ended.stderr,
        &[
            "warning: standard input, line 2: it is not UTF-8",
            "left empty.",
        ],
    );
    ended.succeeded();
    // The first few are told one by one, and all are counted.
    let many = place.run_with("translate --model run", b"\xe4\n".repeat(200));
    assert_eq!(many.stdout, "\n".repeat(200));
    assert_eq!(many.stderr.lines().count(), 11, "{}", many.stderr);
    says(&many.stderr, &["warning: 200 lines were not UTF-8"]);
    many.succeeded();
}

#[test]
fn input_that_cannot_be_translated() {
    let place = Workplace::new();
    place.run(&train("training.steps=1 --out run")).succeeded();
    let long = "a ".repeat(201);
    says(
        &place
            .run(&format!("translate --model run {long}"))
            .refused(),
        &["201 tokens", "at most 200", "shorten it"],
    );
    place.write("none.tsv", "\n\n");
    let sentence = place.run("eval --model run --source none.tsv").refused();
    says(&sentence, &["none.tsv", "no sentence pair"]);
}

#[test]
fn a_number_outside_of_its_range() {
    let place = Workplace::new();
    let sentence = refused(
        &place,
        "model.cross.kind=multilevel model.cross.levels=1001",
    );
    says(
        &sentence,
        &["`cross`", "`levels`", "1001", "choose 1 to 1000"],
    );
}

#[test]
fn a_name_that_nothing_explains() {
    let place = Workplace::new();
    let refused = |name: &str| place.run(&format!("config --explain {name}")).refused();
    says(
        &refused("multilevle"),
        &["`multilevle`", "did you mean `multilevel`?"],
    );
    says(&refused("windwo"), &["did you mean `window`?"]);
    says(&refused("everything"), &["there are `ham_s`, `ham_v`"]);
}
