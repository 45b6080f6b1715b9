//! Real text, if `STRATA_DATA` names a folder with corpora.

use std::env;

use strata_tests::cli::Workplace;

const TINY: &str = "model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 \
                    training.batch_size=8 training.steps=3 task.maximum_vocabulary=500 \
                    task.held_out=20 task.maximum_length=30";

/// Returns a path in the folder of corpora; says so and returns `None` if there is none.
pub fn data(name: &str) -> Option<String> {
    let Ok(folder) = env::var("STRATA_DATA") else {
        println!("Not tested: STRATA_DATA names no folder of real text.");
        return None;
    };
    Some(format!("{folder}/{name}"))
}

/// Trains a few steps on two files, and translates a line.
fn trains_and_translates(source: &str, target: &str, line: &str) {
    let place = Workplace::new();
    let files = format!("task.kind=files task.source={source} task.target={target}");
    let said = place
        .run(&format!("train {files} {TINY} --out run"))
        .succeeded();
    assert!(said.contains("500 source and 500 target tokens"), "{said}");
    assert_eq!(place.losses("run/metrics.jsonl").len(), 3);
    let translated = place.run_with("translate --model run", line).succeeded();
    assert_eq!(translated.lines().count(), 1, "{translated}");
    place.run("eval --model run").succeeded();
}

#[test]
fn chinese_and_english_lines() {
    let Some(folder) = data("zh-en-transformer-pytorch") else {
        return;
    };
    trains_and_translates(
        &format!("{folder}/cn.txt"),
        &format!("{folder}/en.txt"),
        "战争 的 目的 。\n",
    );
}

#[test]
fn packed_german_and_english_lines() {
    let Some(folder) = data("multi30k") else {
        return;
    };
    let [source, target] = ["de", "en"].map(|language| format!("{folder}/train.{language}.gz"));
    trains_and_translates(
        &source,
        &target,
        "zwei junge weiße männer sind im freien .\n",
    );
}
