//! `strata data inspect` and `without-overlap`, `strata inspect`, and completions for shells.

use std::fs;

use safetensors::SafeTensors;
use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::corpora::data;
use crate::train;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_corpus_is_counted() {
    let place = Workplace::new();
    place.write("de.txt", b"a b\na b\n\nc d e\r\ncaf\xe9 x\nx\0y\n");
    place.write("en.txt", "A\nA\nB\nC D\nE\nF\n");
    place.write("test.tsv", "c  d e\tC D\nnew\tN\n");
    let report = json(
        &place
            .run("data inspect de.txt en.txt --test test.tsv --json")
            .succeeded(),
    );
    let train = &report[0];
    assert_eq!(train["part"], "train");
    assert_eq!(
        (&train["entries"], &train["empty"], &train["repeats"]),
        (&6.into(), &1.into(), &1.into())
    );
    let source = &train["sides"][0];
    assert_eq!(source["tokens"], 10);
    assert_eq!(source["lengths"]["longest"], 3);
    // a, b, c, d, e, caf?, x, x?y; twice: a, b.
    assert_eq!(source["vocabulary"][0]["entries"], 8);
    assert_eq!(source["vocabulary"][1]["entries"], 2);
    assert_eq!(source["vocabulary"][1]["coverage"], 0.4);
    let faults: Vec<_> = source["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["lines"].clone())
        .collect();
    assert_eq!(faults, [json("[5]"), json("[6]"), json("[4]")]);
    // The kind of white space does not matter.
    let overlap = &report[1]["overlap"];
    assert_eq!(overlap["entries"]["here"], 1);
    assert_eq!(overlap["sources"]["in_training"], 1);

    let said = place
        .run("data inspect de.txt en.txt --test test.tsv")
        .succeeded();
    for part in [
        "6 sentence pairs",
        "WARNING",
        "not UTF-8",
        "lines 5",
        "without-overlap",
    ] {
        assert!(said.contains(part), "no {part:?} in: {said}");
    }
    assert!(!said.contains('\0') && !said.contains('\x1b'));
    let by_setting = place
        .run("data inspect task.kind=files task.source=de.txt task.target=en.txt --json")
        .succeeded();
    assert_eq!(json(&by_setting)[0], report[0]);
}

#[test]
fn hostile_files_are_counted_or_refused_by_a_sentence() {
    let place = Workplace::new();
    let refused = |files: &str| place.run(&format!("data inspect {files}")).refused();
    assert!(refused("none.txt").contains("there is no such file"));
    assert!(refused("nothing").contains("there is no corpus `nothing`"));
    assert!(refused("multi30k").contains("strata data fetch multi30k"));
    assert!(refused("dureader-demo").contains("strata data fetch dureader-demo"));
    assert!(refused("").contains("name a file"));
    assert!(refused("a.txt b.txt c.txt").contains("3 files"));
    assert!(refused("task.kind=copy").contains("task `copy`"));
    place.write("cut.gz", [0x1f, 0x8b, 8, 0, 0]);
    assert!(refused("cut.gz").contains("gzip data is broken"));
    fs::create_dir(place.path("folder.d")).unwrap();
    assert!(refused("./folder.d").contains("folder"));
    place.write("zeros.txt", vec![0; 17 << 20]);
    assert!(refused("zeros.txt").contains("no text, but full of zeros"));
    place.write("empty.txt", "");
    let said = place.run("data inspect empty.txt").succeeded();
    assert!(said.contains("0 lines"), "{said}");
    place.write("one.txt", "a\nb\n");
    let said = place.run("data inspect one.txt empty.txt").succeeded();
    assert!(
        said.contains("the source has 2 lines and the target 0"),
        "{said}"
    );
}

#[test]
fn held_out_lines_are_taken_out() {
    let place = Workplace::new();
    place.write("s.txt", "a\nb\nc\nd\n");
    place.write("t.txt", "1\n2\n3\n4\n");
    place.write("s.test.txt", "b\nx\n");
    place.write("t.test.txt", "2\n4\n");
    let run = |by: &str| {
        let line = format!(
            "data without-overlap s.txt t.txt --held-out s.test.txt t.test.txt --by {by} --out {by}"
        );
        let said = place.run(&line).succeeded();
        let text = |name: &str| String::from_utf8(place.read(&format!("{by}/{name}"))).unwrap();
        (said, text("s.txt"), text("t.txt"))
    };
    let (said, source, target) = run("source");
    assert!(said.starts_with("3 of 4 lines are left"), "{said}");
    assert_eq!((&*source, &*target), ("a\nc\nd\n", "1\n3\n4\n"));
    assert_eq!(run("target").1, "a\nc\n");
    assert_eq!(run("pair").1, "a\nc\nd\n");
    assert_eq!(run("either").1, "a\nc\n");
    // Neither the old files nor those of an earlier run are overwritten, and no partial file is
    // left.
    let again = "data without-overlap s.txt t.txt --held-out s.test.txt t.test.txt --out";
    assert!(
        place
            .run(&format!("{again} source"))
            .refused()
            .contains("not overwritten")
    );
    assert!(
        place
            .run(&format!("{again} ."))
            .refused()
            .contains("the file that is read")
    );
    assert_eq!(place.read("s.txt"), b"a\nb\nc\nd\n");
    place.write("t.test.txt", "2\n");
    let error = place.run(&format!("{again} new")).refused();
    assert!(
        error.contains("s.test.txt has 2 lines and t.test.txt has 1"),
        "{error}"
    );
    assert_eq!(fs::read_dir(place.path("source")).unwrap().count(), 2);
}

/// Sentences that training and `eval` recognise as the same are an overlap here, too.
#[test]
fn lines_that_differ_only_in_case_space_or_unicode_form_are_the_same() {
    let place = Workplace::new();
    place.write(
        "s.txt",
        "The Caf\u{e9} is open.\nTWO  cats\nfour dogs\nfive\n \n",
    );
    place.write("t.txt", "1\n2\n4\n5\n\u{200b}\n");
    place.write("s.test.txt", "the cafe\u{301} is open .\ntwo cats\nsix\n\n");
    place.write("t.test.txt", "1\n3\n\u{ff14}\n\n");
    for (by, left) in [
        ("source", "four dogs\nfive\n \n"),
        ("target", "TWO  cats\nfive\n \n"),
        ("pair", "TWO  cats\nfour dogs\nfive\n \n"),
        ("either", "five\n \n"),
    ] {
        let files = "s.txt t.txt --held-out s.test.txt t.test.txt";
        let line = format!("data without-overlap {files} --by {by} --out {by}");
        place.run(&line).succeeded();
        let text = String::from_utf8(place.read(&format!("{by}/s.txt"))).unwrap();
        assert_eq!(text, left, "{by}");
    }
    let line = "data without-overlap s.txt --held-out s.test.txt --out text";
    let said = place.run(line).succeeded();
    assert!(said.starts_with("3 of 5 lines are left"), "{said}");
    let line = "data inspect s.txt t.txt --test s.test.txt t.test.txt --json";
    let report = json(&place.run(line).succeeded());
    assert_eq!(report[1]["overlap"]["entries"]["here"], 1);
}

/// All test pairs of this corpus are also training pairs.
#[test]
fn the_chinese_test_set_is_found_in_the_training_set() {
    let Some(folder) = data("zh-en-transformer-pytorch") else {
        return;
    };
    let place = Workplace::new();
    let line = format!("data inspect zh-en-transformer-pytorch --in {folder}");
    let said = place.run(&line).succeeded();
    assert!(
        said.contains("683 of 683 (684 of the training part) sentence pairs"),
        "{said}"
    );
    assert!(said.contains("WARNING"), "{said}");
    let files = |end: &str| format!("{folder}/cn{end} {folder}/en{end}");
    let line = format!(
        "data without-overlap {} --held-out {} --by pair --out clean",
        files(".txt"),
        files(".test.txt")
    );
    let said = place.run(&line).succeeded();
    assert!(said.starts_with("6,150 of 6,834 lines"), "{said}");
    let line = format!(
        "data inspect clean/cn.txt clean/en.txt --json --test {}",
        files(".test.txt")
    );
    let report = json(&place.run(&line).succeeded());
    assert_eq!(report[1]["overlap"]["entries"]["here"], 0);
}

#[test]
fn packed_pairs_and_running_text_are_counted() {
    let Some(folder) = data("multi30k") else {
        return;
    };
    let place = Workplace::new();
    let line = format!("data inspect multi30k --in {folder} --json");
    let report = json(&place.run(&line).succeeded());
    let counts: Vec<_> = (0..3)
        .map(|part| report[part]["entries"].as_u64())
        .collect();
    assert_eq!(counts, [Some(29_000), Some(1014), Some(1000)]);
    let Some(folder) = data("wikitext-2") else {
        return;
    };
    let line = format!("data inspect wikitext-2 --in {folder} --json");
    let report = json(&place.run(&line).succeeded());
    let side = &report[0]["sides"][0];
    assert_eq!(report[0]["entries"], 36_718);
    assert_eq!(side["tokens"], 2_051_910);
    assert_eq!(side["vocabulary"][0]["entries"], 33_277);
}

#[test]
fn a_checkpoint_is_shown() {
    let place = Workplace::new();
    place.run(&train("training.steps=3 --out run")).succeeded();
    let said = place.run("inspect run").succeeded();
    for part in [
        "transformer",
        "task copy",
        "after step 3 of 3",
        "Best validation: after step 3",
        "[16, ",
    ] {
        assert!(said.contains(part), "no {part:?} in: {said}");
    }
    let report = json(
        &place
            .run("inspect run/checkpoint.safetensors --json")
            .succeeded(),
    );
    let bytes = place.read("run/checkpoint.safetensors");
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let parameters = file.iter().filter(|(name, _)| name.starts_with("model."));
    let numbers: usize = parameters
        .map(|(_, it)| it.shape().iter().product::<usize>())
        .sum();
    assert_eq!(report["parameters"], numbers);
    assert_eq!(report["bytes"], bytes.len());
    assert_eq!(report["experiment"]["task"]["symbols"], 6);
    // The configuration is the one from which the run was made.
    place.write(
        "experiment.toml",
        place.run("inspect run --config").succeeded(),
    );
    assert_eq!(
        place
            .run("config --config experiment.toml")
            .succeeded()
            .as_bytes(),
        place.read("run/experiment.toml")
    );
    place.write("cut.safetensors", &bytes[..bytes.len() / 2]);
    assert!(
        place
            .run("inspect cut.safetensors")
            .refused()
            .contains("truncated")
    );
    assert!(place.run("inspect none").refused().contains("no such file"));
    place.write(
        "text",
        "this is no checkpoint, but text, and more than a few bytes",
    );
    assert!(place.run("inspect text").refused().starts_with("text: "));
}

#[test]
fn every_setting_is_explained_by_its_name() {
    let place = Workplace::new();
    let explained = |name: &str| place.run(&format!("config --explain {name}")).succeeded();
    assert!(explained("training.batch_size").starts_with("training.batch_size: 1 to"));
    let group = explained("training.optimizer");
    assert!(
        group.contains("beta_1") && !group.contains("steps"),
        "{group}"
    );
    assert!(explained("gru").contains("Only with model.architecture = "));
    // Every key that a configuration shows, of every kind.
    for settings in [
        "",
        "model.architecture=seq2seq task.kind=copy model.attention.kind=pyramid",
    ] {
        let printed = place.run(&format!("config {settings}")).succeeded();
        let mut table = String::new();
        for line in printed.lines() {
            if let Some(name) = line.strip_prefix('[') {
                table = format!("{}.", name.trim_end_matches(']'));
            }
            if let Some((name, _)) = line.split_once(" = ") {
                explained(&format!("{table}{name}"));
            }
        }
    }
    let error = place.run("config --explain training.clip_nrom").refused();
    assert!(error.contains("did you mean `clip_norm`?"), "{error}");
}

#[test]
fn a_slip_of_the_pen_is_told_with_what_was_meant() {
    let place = Workplace::new();
    for (typed, meant) in [
        ("model.cross.kind=multilevle", "did you mean `multilevel`?"),
        ("model.cross.level=3", "`model.cross.kind` is"),
        (
            "training.optimizer.beta1=0.9",
            "`training.optimizer.beta_1`",
        ),
        ("training.schedule.kind=cosin", "did you mean `cosine`?"),
        ("task.kind=file", "did you mean `files`?"),
        ("model.architecture=seqseq", "did you mean `seq2seq`?"),
        ("model.cell=lstm", "`model.architecture` is seq2seq"),
    ] {
        let error = place.run(&format!("config {typed}")).refused();
        assert!(error.contains(meant), "{typed}: {error}");
    }
}

#[test]
fn bash_completes_commands() {
    let place = Workplace::new();
    let completed = place.shell(
        "$STRATA completions bash > strata.bash && bash -n strata.bash && source strata.bash && \
         COMP_WORDS=(strata trai) COMP_CWORD=1 && _strata strata trai strata && \
         echo \"${COMPREPLY[@]}\" && COMP_WORDS=(strata data fe) COMP_CWORD=2 && \
         _strata strata fe data && echo \"${COMPREPLY[@]}\"",
    );
    assert_eq!(completed.succeeded(), "train\nfetch\n");
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        let script = place.run(&format!("completions {shell}")).succeeded();
        assert!(script.contains("translate"), "{shell}: {script}");
    }
}

#[test]
fn there_is_a_page_for_every_command() {
    let place = Workplace::new();
    let page = place.run("man").succeeded();
    assert!(
        page.contains(".TH strata") && page.contains("translate"),
        "{page}"
    );
    place.run("man --to pages").succeeded();
    for page in [
        "strata",
        "strata-train",
        "strata-data-fetch",
        "strata-inspect",
    ] {
        let page = String::from_utf8(place.read(&format!("pages/{page}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    place.write("file", "");
    assert!(place.run("man --to file/pages").refused().contains("--to"));
}
