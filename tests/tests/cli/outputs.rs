//! Output that cannot be written is reported, by every command; inputs are not overwritten.

use std::fs;
use std::path::Path;

use strata_tests::cli::{Ended, Workplace};

use crate::{TINY, train};

/// Returns a folder with a run, its files, and a corpus.
fn place() -> Workplace {
    let place = Workplace::new();
    let best = "training.steps=4 training.validate_every=2 training.keep_best=2 --out run";
    place.run(&train(best)).succeeded();
    place.write("s.txt", "a b\nc d\nb a\n");
    place.write("t.txt", "a b\nc d\nb a\n");
    place.write(
        "w.json",
        r#"{"w":{"model":{"architecture":"transformer","width":8,"heads":1,"layers":1,"feed_forward":8}}}"#,
    );
    place
}

/// All commands that print.
const COMMANDS: &[&str] = &[
    "--version",
    "--help",
    "help train",
    "eval -h",
    "config",
    "config --explain",
    "config --explain lr",
    "config --presets",
    "completions bash",
    "man",
    "man --to pages",
    "inspect run",
    "inspect run --json",
    "inspect run --config",
    "data list",
    "data list --json",
    "data list multi30k",
    "data inspect s.txt t.txt",
    "data inspect s.txt t.txt --json",
    "data without-overlap s.txt t.txt --held-out t.txt s.txt --out clean",
    "translate --model run a b",
    "eval --model run",
    "eval --model run --source s.txt --target t.txt --bleu --output out.txt",
    "eval --model run --json",
    "score --reference t.txt s.txt",
    "average --out average.safetensors run",
    "train --resume run training.steps=6",
    "train --resume run training.steps=8 --quiet",
];

#[test]
fn text_that_finds_no_room_is_a_failure_of_every_command() {
    if !Path::new("/dev/full").exists() {
        println!("left out: there is no disk here that is always full");
        return;
    }
    let place = place();
    let tiny = format!("train {TINY} training.steps=2 --out new");
    for command in COMMANDS.iter().copied().chain([&*tiny]) {
        let ended = place.shell(&format!("exec $STRATA {command} > /dev/full"));
        assert_eq!(ended.code, Some(1), "{command}: {ended:?}");
        let last = ended.stderr.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("error: standard output: ") && last.contains("make room"),
            "{command}: {last}"
        );
        // A reader that has gone is no failure. (Some work is not done twice.)
        let line = format!("$STRATA {command} 2> said | true; echo ${{PIPESTATUS[0]}}");
        let code = place.shell(&line).succeeded();
        let said = String::from_utf8(place.read("said")).unwrap();
        assert!(!said.contains("standard output"), "{command}: {said}");
        let once = ["train ", "average ", "without-overlap "];
        if !once.iter().any(|it| command.contains(it)) {
            assert_eq!(code.trim(), "0", "{command}: {said}");
        }
    }
    // The work itself is done.
    for file in [
        "new/checkpoint.safetensors",
        "average.safetensors",
        "pages/strata.1",
    ] {
        assert!(place.path(file).exists(), "{file}");
    }
}

/// Checks that a refusal names the option, and that the file is unchanged.
fn is_kept(place: &Workplace, file: &str, ended: Ended, option: &str) {
    let before = fs::read(place.path("before")).unwrap();
    let sentence = ended.refused();
    assert!(sentence.contains(option), "{sentence}");
    assert!(sentence.contains("not written over"), "{sentence}");
    assert_eq!(place.read(file), before, "{file} was written over");
}

#[test]
fn an_output_is_no_input_by_whatever_path() {
    let place = place();
    fs::hard_link(place.path("t.txt"), place.path("hard.txt")).unwrap();
    let mut names = vec!["t.txt", "./t.txt", "run/../t.txt", "hard.txt"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("t.txt", place.path("soft.txt")).unwrap();
        names.push("soft.txt");
    }
    place.write("before", "a b\nc d\nb a\n");
    for name in names {
        for inputs in [
            "--source s.txt --target t.txt",
            "--source t.txt --target s.txt",
        ] {
            let ended = place.run(&format!("eval --model run {inputs} --output {name}"));
            is_kept(&place, "t.txt", ended, "--output");
        }
    }
    // The model itself.
    let checkpoint = place.read("run/checkpoint.safetensors");
    place.write("before", &checkpoint);
    let ended = place.run("eval --model run --output run/checkpoint.safetensors");
    is_kept(&place, "run/checkpoint.safetensors", ended, "--output");
    // The file from which held-out sentences are read.
    place.write("long.txt", "a b\nc d\nb a\nc a\n".repeat(20));
    let files = "task.kind=files task.source=long.txt task.target=long.txt task.minimum_count=1 \
                 task.held_out=9 model.width=16 model.heads=2 model.layers=1 training.steps=1";
    place.run(&format!("train {files} --out files")).succeeded();
    place.write("before", place.read("long.txt"));
    let ended = place.run("eval --model files --output long.txt");
    is_kept(&place, "long.txt", ended, "--output");

    // Standard input.
    place.write("in.json", "a b\n");
    place.write("before", "a b\n");
    let ended = place.shell("exec $STRATA translate --model run --attention in.json < in.json");
    is_kept(&place, "in.json", ended, "--attention");
    let ended = place.shell("exec $STRATA translate --model run < in.json >> in.json");
    assert!(ended.refused().contains("the very file that is read"));
    assert_eq!(place.read("in.json"), b"a b\n");
    place.write("e.toml", "seed = 3\n");
    let ended = place.shell("exec $STRATA config --config e.toml >> e.toml");
    assert!(ended.refused().contains("e.toml"));

    // Another file may be overwritten, and a device is not a file.
    place.write("out.txt", "old");
    place
        .run("eval --model run --source s.txt --target t.txt --output out.txt")
        .succeeded();
    assert_eq!(
        place
            .read("out.txt")
            .iter()
            .filter(|it| **it == b'\n')
            .count(),
        3
    );
    place
        .shell("exec $STRATA translate --model run < /dev/null > /dev/null")
        .succeeded();
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_written_through_and_stay() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let place = place();
    place.write("plain.html", "old");
    symlink("plain.html", place.path("link.html")).unwrap();
    symlink("new.html", place.path("nowhere.html")).unwrap();
    for (link, target) in [("link.html", "plain.html"), ("nowhere.html", "new.html")] {
        place.run(&format!("compare run --html {link}")).succeeded();
        assert!(place.path(link).is_symlink(), "{link}");
        assert!(
            place.read(target).starts_with(b"<!DOCTYPE html>"),
            "{target}"
        );
    }
    let whole = place.read("new.html");
    for command in [
        "compare run --html",
        "reproduce --page",
        "reproduce --document",
        "average run --out",
        "eval --model run --output",
    ] {
        let line = format!(
            "mkfifo pipe; (timeout 60 cat pipe > got) & timeout 60 $STRATA {command} pipe; wait; \
             test -p pipe && rm pipe; wc -c < got"
        );
        let told = place.shell(&line).succeeded();
        let bytes: usize = told.lines().last().unwrap().trim().parse().unwrap();
        assert!(bytes > 0, "{command}: {told}");
    }
    // Standard output gets the page, and nothing else.
    let told = place
        .shell("exec $STRATA compare run --html /dev/stdout 2> said | cat")
        .succeeded();
    assert_eq!(told.as_bytes(), whole);
    place
        .shell("exec $STRATA compare run --html /dev/stdout > page.html 2> said")
        .succeeded();
    assert_eq!(place.read("page.html"), whole);
    let null = fs::metadata("/dev/null").unwrap().file_type();
    place.run("compare run --html /dev/null").succeeded();
    assert!(null.is_char_device());
}

#[test]
fn an_output_that_cannot_be_written_is_told_before_the_work() {
    let place = place();
    for (command, option) in [
        ("eval --model run --output nowhere/o", "--output"),
        ("compare run --html nowhere/o", "--html"),
        ("average run --out nowhere/o", "--out"),
        ("reproduce --page nowhere/o", "--page"),
        ("reproduce --document nowhere/o", "--document"),
        (
            "translate --model run --attention nowhere/o.json a",
            "--attention",
        ),
        (
            "translate --model run --attention nowhere/o.svg a",
            "--attention",
        ),
        ("smt --from s.txt --out nowhere/o", "--out"),
    ] {
        let ended = place.run(command);
        assert_eq!(ended.stdout, "", "{command}");
        let refusal = ended.refused();
        assert!(
            refusal.contains("nowhere/o") && refusal.contains(option),
            "{command}: {refusal}"
        );
    }
    // The files of further sentences are not named on the command line.
    place.write("a-2.svg", "mine");
    let ended = place.run_with("translate --model run --attention a.svg", "a b\nb a\n");
    assert!(ended.refused().contains("a-2.svg"));
    assert_eq!(place.read("a-2.svg"), b"mine");
    fs::remove_file(place.path("a-2.svg")).unwrap();
    for _ in 0..2 {
        place
            .run_with("translate --model run --attention a.svg", "a b\nb a\n")
            .succeeded();
    }
    // A model of poems is not overwritten, either.
    place.write("model.gz", "mine");
    let refusal = place.run("smt --from s.txt --out model.gz").refused();
    assert!(refusal.contains("not overwritten"), "{refusal}");
}

/// The folder of a corpus has another option in each command.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_told_with_the_option_that_names_it() {
    let place = Workplace::new();
    place.write("s.txt", "a b\nc d\n");
    place.write("t.txt", "a b\n");
    for (command, option) in [
        (
            "data without-overlap s.txt --held-out t.txt --out /proc/no",
            "`--out`",
        ),
        ("data fetch multi30k --from . --to /proc/no", "`--to`"),
        (
            "reproduce e2 --only translation --from . --data /proc/no",
            "`--data`",
        ),
    ] {
        let refusal = place.run(command).refused();
        assert!(
            refusal.starts_with("/proc/no")
                && refusal.contains("cannot be written")
                && refusal.contains(option),
            "{command}: {refusal}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_printed_where_standard_output_is_closed_is_lost_and_told() {
    let place = place();
    for command in [
        "translate --model run a b",
        "score --reference t.txt s.txt",
        "config",
    ] {
        let ended = place.shell(&format!("exec $STRATA {command} >&-"));
        assert_eq!(ended.code, Some(1), "{command}: {ended:?}");
        assert!(
            ended.stderr.contains("standard output"),
            "{command}: {ended:?}"
        );
    }
    // A run that fails keeps its files.
    place
        .shell(&format!(
            "exec $STRATA train {TINY} training.steps=2 --out closed <&- >&- 2>&-"
        ))
        .succeeded();
}

#[cfg(unix)]
#[test]
fn limits_of_the_system_are_sentences() {
    let place = place();
    // Files may not grow: no signal ends the run, which reports where its model is.
    let ended = place.shell(&format!(
        "ulimit -f 8; exec $STRATA train {TINY} training.steps=2 --out small"
    ));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("ulimit -f"), "{ended:?}");
    // A senseless number of threads is not started.
    let ended = place.shell("RAYON_NUM_THREADS=5000 exec $STRATA score --reference t.txt s.txt");
    assert!(ended.stderr.contains("5000 threads"), "{ended:?}");
    ended.succeeded();
}

#[test]
fn an_error_is_a_sentence_whatever_is_in_the_file() {
    let place = Workplace::new();
    let questions =
        r#"{"id": "q1", "question": "Who?", "answers": [{"text": "A", "answer_start": 0}]}, "#;
    let asked = |times: usize| {
        let all = questions.repeat(times);
        let all = all.trim_end_matches([',', ' ']);
        format!(r#"{{"data": [{{"paragraphs": [{{"context": "A found it.", "qas": [{all}]}}]}}]}}"#)
    };
    place.write("dev.json", asked(20_000));
    let text = asked(20);
    let long = "x".repeat(300_000);
    place.write("id.json", text.replace("q1", &long));
    place.write("start.json", text.replace(": 0", &format!(": \"{long}\"")));
    place.write("config.toml", format!("seed = \"{long}\"\n"));
    place.write("key.toml", format!("{long} = 1\n"));
    for command in [
        "score --metric squad --answers dev.json dev.json".to_owned(),
        "score --metric squad --answers id.json id.json".to_owned(),
        "data inspect start.json".to_owned(),
        "data inspect id.json".to_owned(),
        "config --config config.toml".to_owned(),
        "config --config key.toml".to_owned(),
        format!("config seed={}", &long[..60_000]),
        format!("config {}", &long[..60_000]),
        format!("train --{}", &long[..60_000]),
        format!("translate --model {} a", &long[..60_000]),
    ] {
        let ended = place.run(&command);
        assert_ne!(ended.code, Some(0), "{command:.60}");
        let length = ended.stderr.len() + ended.stdout.len();
        assert!(length < 6000, "{command:.60}: {length} bytes");
    }
}
