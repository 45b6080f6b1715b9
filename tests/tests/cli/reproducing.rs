//! `strata reproduce`: published experiments, from the plan to the report.

use std::fs;

use serde_json::Value;
use strata_tests::cli::{Workplace, ended, signal};

use crate::corpora::data;

const COPY: &str = "reproduce e2 --only copy --scale trial --out r";

fn report(place: &Workplace) -> Value {
    serde_json::from_slice(&place.read("r/report/report.json")).unwrap()
}

fn row<'a>(report: &'a Value, table: &str, row: &str) -> &'a Value {
    let named = |all: &'a Value, name: &str| {
        let mut all = all.as_array().unwrap().iter();
        all.find(|it| it["name"] == name)
            .unwrap_or_else(|| panic!("no {name}"))
    };
    named(&named(&report["tables"], table)["rows"], row)
}

/// Rewrites a command of a report for a shell of the tests.
fn typed(command: &Value) -> String {
    let words = command.as_str().unwrap().strip_prefix("strata ");
    format!(
        "\"$STRATA\" {}",
        words.expect("commands name no place of this machine")
    )
}

/// Returns the losses of all runs in the table `copy`, seed by seed.
fn losses(report: &Value) -> Vec<Value> {
    let rows = ["bahdanau", "cnn", "rnn"].map(|name| row(report, "copy", name));
    rows.iter()
        .map(|it| it["cells"]["loss"]["values"].clone())
        .collect()
}

#[test]
fn experiments_are_listed_and_unknown_ones_refused() {
    let place = Workplace::new();
    let told = place.run("reproduce").succeeded();
    for part in [
        "e1  Multilevel",
        "--only sound",
        "--only complexity",
        "e5  What attention buys",
        "e6  When do levels help?",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let refusal = place.run("reproduce e9").refused();
    assert!(
        refusal.contains("no experiment `e9`") && refusal.contains("e1, e2, e3, e4, e5"),
        "{refusal}"
    );
    let refusal = place.run("reproduce e2 --only copie").refused();
    assert!(
        refusal.contains("copie") && refusal.contains("translation"),
        "{refusal}"
    );
    let told = place.run("reproduce e2 --list").succeeded();
    assert!(
        told.contains("copy/bahdanau, copy/cnn, copy/rnn") && !told.contains("e1  "),
        "{told}"
    );
    let refusal = place.run("reproduce e2 --only copy/cn").refused();
    assert!(
        refusal.contains("did you mean `cnn`") && refusal.contains("bahdanau"),
        "{refusal}"
    );
    let refusal = place.run("reproduce e7").refused();
    assert!(!refusal.contains("did you mean"), "{refusal}");
    let refusal = place.run("reproduce --results .").refused();
    assert!(refusal.contains("`--page FILE.html`"), "{refusal}");
    assert!(!place.path("runs").exists());
}

#[test]
fn a_plan_tells_the_cost_and_starts_nothing() {
    let place = Workplace::new();
    let told = place.run(&format!("{COPY} --plan --seeds 2")).succeeded();
    for part in [
        "Bahdanau",
        "RNN, k = 5, 3 levels",
        "parameters",
        "6 runs: about ",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    assert!(told.contains("copy/bahdanau"), "{told}");
    assert!(!place.path("r").exists());
}

#[test]
fn a_plan_needs_no_data() {
    let place = Workplace::new();
    let told = place
        .run("reproduce e2 --only translation --plan")
        .succeeded();
    for part in ["translation/act", "900", "not known", "multi30k"] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    assert!(!place.path("data").exists() && !place.path("runs").exists());
}

#[test]
fn a_plan_names_each_corpus_once() {
    let place = Workplace::new();
    let told = place.run("reproduce e4 --plan").succeeded();
    let line = told.lines().find(|it| it.starts_with("Data that are not"));
    let line = line.unwrap_or_else(|| panic!("no data in {told}"));
    for corpus in ["squad-v1.1-part", "chinese-squad-style"] {
        assert_eq!(line.matches(corpus).count(), 1, "{line}");
    }
}

#[test]
fn a_report_says_what_was_measured_with_which_program_and_when() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    let first = report(&place);
    for key in ["commit", "date"] {
        assert!(!first[key].as_str().unwrap().is_empty(), "{key}: {first}");
    }
    let run = &row(&first, "copy", "cnn")["runs"][0];
    assert_eq!(run["measured"]["held_out"]["all"], 10);
    assert_eq!(run["measured"]["held_out"]["decoded"], 4);
    assert_eq!(run["programs"].as_array().unwrap().len(), 1);
    let text = String::from_utf8(place.read("r/report/report.md")).unwrap();
    for part in [
        "10 sentences, of which the first 4 were",
        "Trained for 6 steps",
        "| bigram of the targets (floor) |",
        "commit ",
    ] {
        assert!(
            text.replace('\n', " ").contains(part),
            "no {part} in {text}"
        );
    }
    assert!(
        !text.contains('†') && !text.contains("500 held-out"),
        "{text}"
    );

    // What another program has measured is measured again.
    let ledger = "r/runs/copy/cnn-seed1/done.json";
    let other = "of another program";
    let mut noted: Value = serde_json::from_slice(&place.read(ledger)).unwrap();
    for entry in noted.as_array_mut().unwrap() {
        entry["program"]["sources"] = other.into();
    }
    place.write(ledger, noted.to_string());
    place.run(COPY).succeeded();
    let noted = String::from_utf8(place.read(ledger)).unwrap();
    assert!(!noted.contains(other), "{noted}");
}

#[test]
fn a_row_alone_leaves_the_others_in_the_report() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    let whole = report(&place);
    place
        .run("reproduce e2 --only copy/cnn --scale trial --out r")
        .succeeded();
    assert_eq!(report(&place), whole);
}

#[test]
fn a_table_is_run_reported_and_not_run_twice() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    let first = report(&place);
    let loss = &row(&first, "copy", "cnn")["cells"]["loss"];
    let values: Vec<f64> = serde_json::from_value(loss["values"].clone()).unwrap();
    assert_eq!(values.len(), 3);
    let mean = values.iter().sum::<f64>() / 3.0;
    let squares = values.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
    let half = 4.302_653 * (squares / 2.0 / 3.0).sqrt();
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&loss["mean"]) - mean).abs() < 1e-12);
    assert!((number(&loss["interval"][1]) - mean - half).abs() < 1e-6 * half.max(1.0));
    assert_eq!(loss["published"], 1.842);
    assert!(loss["difference"]["mean"].is_f64());
    let slip = &row(&first, "copy", "bahdanau")["cells"]["loss"];
    assert!(slip["incomparable"].as_str().unwrap().contains("slip"));
    assert!(slip["difference"].is_null());

    // Every figure can be had by the command beside it.
    let run = &row(&first, "copy", "cnn")["runs"][1];
    let command = run["commands"].as_array().unwrap().last().unwrap();
    let told = place.shell(&typed(command)).succeeded();
    let told: Value = serde_json::from_str(told.trim()).unwrap();
    assert_eq!(told["loss"], run["figures"]["loss"]);

    let page = String::from_utf8(place.read("r/report/index.html")).unwrap();
    for part in ["src=", "href=", "<script", "url("] {
        assert!(!page.contains(part), "{part} in the page");
    }
    // The measures of the chart, and three curves: of training, and of held-out loss.
    assert!(page.matches("<svg").count() == 4 && page.contains("prefers-color-scheme:dark"));
    assert!(page.contains("cnn-seed2") && page.contains("(24.872)"));
    let text = String::from_utf8(place.read("r/report/report.md")).unwrap();
    assert!(text.contains("| Bahdanau | 3 | ") && text.contains("not comparable: it repeats"));

    let checkpoint = place.path("r/runs/copy/rnn-seed3/checkpoint.safetensors");
    let before = fs::metadata(&checkpoint).unwrap().modified().unwrap();
    let told = place.run(COPY).succeeded();
    assert!(told.contains("All runs are done already"), "{told}");
    assert_eq!(
        fs::metadata(&checkpoint).unwrap().modified().unwrap(),
        before
    );
    assert_eq!(report(&place), first);
}

#[test]
fn a_part_that_is_run_again_leaves_the_rest_of_the_report() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    let first = report(&place);
    let told = place.run("reproduce e2 --only copy/cnn --scale trial --out r");
    assert!(!told.stderr.contains("left out"), "{told:?}");
    told.succeeded();
    assert_eq!(report(&place), first);
    // A row whose run is gone is named.
    fs::remove_dir_all(place.path("r/runs/copy/rnn-seed1")).unwrap();
    fs::remove_dir_all(place.path("r/runs/copy/rnn-seed2")).unwrap();
    fs::remove_dir_all(place.path("r/runs/copy/rnn-seed3")).unwrap();
    let told = place.run("reproduce e2 --only copy/cnn --scale trial --out r");
    assert!(told.stderr.contains("copy/rnn"), "{told:?}");
    // Another experiment, or another scale, needs another report.
    for other in [
        "reproduce e2 --only copy --scale smoke --out r",
        "reproduce e1 --only sound --scale trial --out r",
    ] {
        let refusal = place.run(other).refused();
        assert!(
            refusal.contains("report of e2 at the scale `trial`"),
            "{refusal}"
        );
    }
}

#[test]
fn rows_of_a_report_are_run_again_and_compared_to_the_last_digit() {
    const REPEAT: &str = "reproduce e2 --scale trial --results kept --out again --repeat";
    let place = Workplace::new();
    place.run(COPY).succeeded();
    fs::create_dir(place.path("kept")).unwrap();
    // As if an earlier program had measured the figures.
    let text = report(&place).to_string();
    let sources =
        report(&place)["tables"][0]["rows"][0]["runs"][0]["programs"][0]["sources"].clone();
    place.write(
        "kept/e2.json",
        text.replace(sources.as_str().unwrap(), "0123456789abcdef"),
    );
    // Tables of one experiment may lie in several reports.
    let mut other = report(&place);
    other["tables"] = Value::Array(Vec::new());
    place.write("kept/a.json", other.to_string());
    let document = || {
        place
            .run("reproduce --document other.md --results kept")
            .succeeded();
        String::from_utf8(place.read("other.md")).unwrap()
    };
    let kept = || serde_json::from_slice::<Value>(&place.read("kept/e2.json")).unwrap();
    let before = document();
    assert!(
        before.contains("| CNN, k = 5, 2 levels\u{a0}† | 3 |"),
        "{before}"
    );
    let told = place.run(&format!("{REPEAT} copy/cnn")).succeeded();
    assert!(
        told.contains("copy/cnn, seed 1: the same figures"),
        "{told}"
    );
    let after = document();
    assert!(after.contains("| CNN, k = 5, 2 levels | 3 |"), "{after}");
    assert!(
        after.contains("| Bahdanau\u{a0}† | 3 |"),
        "only what was run again is shown"
    );
    assert!(after.contains("CNN, k = 5, 2 levels, seed 1, was run again by strata"));
    assert!(!place.path("again/runs/copy/cnn-seed2").exists());

    // The first steps of a whole table, and the count models beside its rows.
    let told = place
        .run(&format!("{REPEAT} copy --first-steps"))
        .succeeded();
    for part in [
        "copy/rnn, seed 1: the same losses in the first 6 steps",
        "copy/unigram, seed 1: the same figures",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let begun = document();
    assert!(begun.contains("| Bahdanau | 3 |"), "{begun}");
    assert!(begun.contains("was begun again by strata"), "{begun}");
    let copied = begun
        .split("## ")
        .find(|it| it.contains("| Bahdanau | 3 |"));
    assert!(!copied.unwrap().contains('†'), "{begun}");
    let mut changed = kept();
    let loss = &mut changed["tables"][0]["rows"][2]["runs"][0]["first_losses"][3];
    *loss = (loss.as_f64().unwrap() + 1e-9).into();
    place.write("kept/e2.json", changed.to_string());
    let refusal = place
        .run(&format!("{REPEAT} copy/rnn --first-steps"))
        .refused();
    assert!(
        refusal.contains("copy/rnn, seed 1: the training loss of step 4 was "),
        "{refusal}"
    );
    assert_eq!(kept()["tables"][0]["rows"][2].get("repeated"), None);

    // Another figure is told, and the row is of an earlier program again.
    let mut changed = kept();
    let loss = &mut changed["tables"][0]["rows"][1]["runs"][0]["figures"]["loss"];
    *loss = (loss.as_f64().unwrap() + 1e-12).into();
    place.write("kept/e2.json", changed.to_string());
    let refusal = place.run(&format!("{REPEAT} copy/cnn")).refused();
    assert!(refusal.contains("copy/cnn, seed 1: loss was "), "{refusal}");
    assert_eq!(kept()["tables"][0]["rows"][1].get("repeated"), None);

    for (words, part) in [
        (
            "trial --repeat copy/cmn",
            "it has copy/bahdanau, copy/cnn, copy/rnn",
        ),
        ("trial --repeat sound", "`--repeat sound`"),
        ("smoke --repeat copy/cnn", "at the scale `smoke`"),
    ] {
        let refusal = place
            .run(&format!("reproduce e2 --results kept --scale {words}"))
            .refused();
        assert!(refusal.contains(part), "{refusal}");
    }
}

#[test]
fn each_row_gets_a_learning_rate_of_the_grid_by_a_seed_that_is_not_reported() {
    const NEEDLE: &str = "reproduce e6 --scale trial --out r --only";
    let place = Workplace::new();
    let told = place.run(&format!("{NEEDLE} needle --plan")).succeeded();
    assert!(told.contains("8 runs: about"), "{told}");
    assert!(told.contains("to choose its learning rate"), "{told}");
    place.run(&format!("{NEEDLE} needle")).succeeded();
    let first = report(&place);
    for name in ["plain-256", "cnn-256"] {
        let row = row(&first, "needle", name);
        let rates = &row["rates"];
        let losses: Vec<(f64, f64)> = serde_json::from_value(rates["losses"].clone()).unwrap();
        let [low, high] = losses[..] else {
            panic!("{rates}")
        };
        assert_eq!((low.0, high.0), (1e-3, 1e-2));
        let chosen = if high.1 < low.1 { high.0 } else { low.0 };
        assert_eq!(rates["chosen"], chosen);
        // The loss is that of the run's last validation.
        let run = format!("r/runs/needle/{name}-rate0.01-seed0/metrics.jsonl");
        let validations = place.metrics(&run, "validation");
        assert_eq!(validations.last().unwrap()["loss"], high.1);
        let runs = row["runs"].as_array().unwrap();
        assert!(runs.iter().all(|it| it["seed"] != 0), "{runs:?}");
        let command = runs[0]["commands"][0].as_str().unwrap();
        assert!(
            command.contains(&format!("training.optimizer.learning_rate={chosen} ")),
            "{command}"
        );
    }
    let text = String::from_utf8(place.read("r/report/report.md")).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Of the learning rates 0.001, 0.01 each row has the one"),
        "{text}"
    );

    let told = place.run(&format!("{NEEDLE} needle/cnn-256")).succeeded();
    assert!(told.contains("All runs are done already"), "{told}");
    assert_eq!(report(&place), first);

    // Elsewhere a row is repeated at the rate of the report, without the runs that chose it.
    fs::create_dir(place.path("kept")).unwrap();
    place.write("kept/e6.json", first.to_string());
    place
        .run("reproduce e6 --scale trial --results kept --out again --repeat needle")
        .succeeded();
    assert!(
        !place
            .path("again/runs/needle/cnn-256-rate0.01-seed0")
            .exists()
    );
}

#[test]
fn a_run_of_other_settings_is_not_taken_for_done() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    // The ledger is removed, as if the run had been started by hand.
    fs::remove_file(place.path("r/runs/copy/cnn-seed2/done.json")).unwrap();
    fs::copy(
        place.path("r/runs/copy/cnn-seed1/checkpoint.safetensors"),
        place.path("r/runs/copy/cnn-seed2/checkpoint.safetensors"),
    )
    .unwrap();
    let told = place.run(COPY);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("`seed` is 1 there"), "{told:?}");
    // A changed model is measured again.
    fs::copy(
        place.path("r/runs/copy/rnn-seed1/checkpoint.safetensors"),
        place.path("r/runs/copy/rnn-seed2/checkpoint.safetensors"),
    )
    .unwrap();
    let told = place.run(COPY);
    assert!(told.stderr.contains("2 runs failed"), "{told:?}");
    let text = String::from_utf8(place.read("r/report/report.md")).unwrap();
    assert!(text.contains("| CNN, k = 5, 2 levels | 2 |"), "{text}");
    assert!(text.contains("| RNN, k = 5, 3 levels | 2 |"), "{text}");
}

#[test]
fn a_run_whose_model_is_gone_is_trained_again() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    let first = losses(&report(&place));
    for name in ["checkpoint.safetensors", "done.json"] {
        fs::remove_file(place.path(&format!("r/runs/copy/rnn-seed1/{name}"))).unwrap();
    }
    fs::remove_file(place.path("r/runs/copy/cnn-seed1/checkpoint.safetensors")).unwrap();
    place.run(COPY).succeeded();
    assert_eq!(losses(&report(&place)), first);
}

#[test]
fn a_table_of_times_has_no_loss() {
    let place = Workplace::new();
    place
        .run("reproduce e2 --only complexity --scale trial --out r")
        .succeeded();
    let report = report(&place);
    let cells = &row(&report, "complexity", "two-50")["cells"];
    assert!(cells["milliseconds"]["mean"].as_f64().unwrap() > 0.0);
    assert_eq!(
        cells["milliseconds"]["difference"]["verdict"],
        "too_few_seeds"
    );
    assert!(cells.get("loss").is_none());
}

#[test]
fn what_was_killed_goes_on_to_the_same_figures() {
    let whole = Workplace::new();
    whole.run(COPY).succeeded();
    let place = Workplace::new();
    for file in [
        "bahdanau-seed2/checkpoint.safetensors",
        "cnn-seed1/metrics.jsonl",
        "rnn-seed2/done.json",
    ] {
        let run = place.start(COPY);
        place.wait_for(&format!("r/runs/copy/{file}"));
        signal(&run, "KILL");
        ended(run);
    }
    place.run(COPY).succeeded();
    assert_eq!(losses(&report(&place)), losses(&report(&whole)));
}

#[test]
fn ctrl_c_ends_it_and_tells_how_to_go_on() {
    let place = Workplace::new();
    let long = "reproduce e2 --only copy --scale smoke --seeds 1 --out r";
    let run = place.start(long);
    place.wait_for("r/runs/copy/bahdanau-seed1/metrics.jsonl");
    signal(&run, "INT");
    let stopped = ended(run);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert!(
        stopped.stdout.contains("Stopped and saved after step"),
        "{stopped:?}"
    );
    assert!(stopped.stdout.contains("Go on with:\n") && stopped.stdout.trim_end().ends_with(long));
    assert!(!place.path("r/report").exists());
    let told = place.run(&format!("{long} --plan")).succeeded();
    assert!(told.contains("3 runs: about"), "{told}");
}

#[test]
fn a_run_that_fails_is_told_and_the_others_are_reported() {
    let place = Workplace::new();
    place.run(COPY).succeeded();
    fs::remove_file(place.path("r/runs/copy/cnn-seed2/done.json")).unwrap();
    place.write(
        "r/runs/copy/cnn-seed2/checkpoint.safetensors",
        "no checkpoint",
    );
    let told = place.run(COPY);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("1 run failed"), "{told:?}");
    let report = report(&place);
    let cell = &row(&report, "copy", "cnn")["cells"]["loss"];
    assert_eq!(cell["values"].as_array().unwrap().len(), 2);
    assert!(row(&report, "copy", "cnn")["runs"][1]["failure"].is_string());
}

#[test]
fn translations_are_compared_sentence_by_sentence() {
    let Some(from) = data("") else {
        return;
    };
    let place = Workplace::new();
    let told = place.run(&format!("reproduce e1 --scale trial --from {from} --out r"));
    told.succeeded();
    let cleaned =
        String::from_utf8(place.read("r/prepared/zh-en-transformer-pytorch/en.txt")).unwrap();
    assert!(
        cleaned
            .chars()
            .all(|it| it.is_alphabetic() || it.is_whitespace() || it == '\'')
    );
    let report = report(&place);
    let published = row(&report, "published", "n2");
    assert_eq!(published["cells"]["training_accuracy"]["published"], 91.495);
    let steps: Vec<_> = published["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["steps"])
        .collect();
    assert_eq!(
        steps,
        [3, 3],
        "the second part of a run goes on with the first"
    );
    let difference = &row(&report, "sound", "n2")["cells"]["bleu"]["difference"];
    let p_values: Vec<f64> = serde_json::from_value(difference["p_values"].clone()).unwrap();
    // Models of three steps have a BLEU of about 0, so differences mean nothing.
    assert_eq!(p_values, Vec::<f64>::new());
    let floor = row(&report, "sound", "bigram");
    assert_eq!(floor["floor"], true);
    let loss = |row: &Value| row["cells"]["loss"]["mean"].as_f64().unwrap();
    assert!(
        loss(floor) < loss(row(&report, "sound", "n2")),
        "three steps are no better than counting"
    );
    assert!(loss(floor) < loss(row(&report, "sound", "unigram")));
}

#[test]
fn the_document_is_what_the_command_writes() {
    let place = Workplace::new();
    let docs = strata_tests::here().join("../docs");
    let results = docs.join("results").display().to_string();
    place
        .run(&format!(
            "reproduce --document experiments.md --page published.html --results {results}"
        ))
        .succeeded();
    let kept = fs::read(docs.join("experiments.md")).unwrap();
    assert!(
        place.read("experiments.md") == kept,
        "write docs/experiments.md anew"
    );
    let kept = fs::read(docs.join("../www/published.html")).unwrap();
    assert!(
        place.read("published.html") == kept,
        "write www/published.html anew"
    );
    // Results replace the published figures that stood alone.
    place.run(COPY).succeeded();
    place
        .run("reproduce --document other.md --results r/report")
        .succeeded();
    let other = String::from_utf8(place.read("other.md")).unwrap();
    assert!(other.contains("Scale `trial`, on ") && other.contains("| Bahdanau | 3 | "));
    place.write("r/report/broken.json", "{}");
    let refusal = place
        .run("reproduce --document other.md --results r/report")
        .refused();
    assert!(refusal.contains("broken.json"), "{refusal}");
}
