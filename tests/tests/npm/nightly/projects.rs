//! The examples that need other packages: installed from the registry beside the packed file.

use strata_tests::browser::Options;
use strata_tests::site::PLAIN;

use crate::nightly::installed::{PATIENCE, copy, examples, npm, opened, package};

const QUIET: [&str; 4] = ["install", "--no-audit", "--no-fund", "--loglevel=error"];

#[tokio::test]
async fn a_slide_and_a_cell_train() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&examples(), folder.path());
    let file = package().display().to_string();
    let others = [
        file.as_str(),
        "reveal.js@6.0.2",
        "@observablehq/runtime@6.0.1",
    ];
    if !npm(folder.path(), &[&QUIET[..], &others[..]].concat()) {
        return;
    }
    let browser = opened(folder.path(), PLAIN, "cell.html", Options::default()).await;
    let answered = "document.querySelector('#answer').textContent.trim().length > 0
        && document.querySelector('#answer').textContent !== 'training …'
        && Number(document.querySelector('#loss').textContent) > 0";
    browser
        .wait_for("answer in a cell", PATIENCE, answered)
        .await;
    browser.goto("slide.html").await;
    browser
        .wait_for("deck", PATIENCE, "document.documentElement.dataset.deck")
        .await;
    let run = "document.querySelector('strata-run').run";
    assert!(browser.evaluate(&format!("return {run};")).await.is_null());
    browser.evaluate("window.deck.next();").await;
    let trains = format!("{run}?.step > 10");
    browser
        .wait_for("run on the slide", PATIENCE, &trains)
        .await;
}

#[tokio::test]
async fn a_project_of_vite_in_typescript_is_checked_built_and_trains() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&examples().join("vite"), folder.path());
    let file = package().display().to_string();
    if !npm(folder.path(), &[&QUIET[..], &[file.as_str()]].concat()) {
        return;
    }
    assert!(npm(folder.path(), &["run", "build"]));
    let dist = folder.path().join("dist");
    let browser = opened(&dist, PLAIN, "index.html", Options::default()).await;
    let done = "document.querySelector('#log').textContent.includes('sites)')";
    browser.wait_for("log of the run", PATIENCE, done).await;
    // What is misspelt is found before it runs.
    let main = folder.path().join("src/main.ts");
    let text = std::fs::read_to_string(&main).expect("the script is there");
    for (right, wrong) in [
        ("event.validated.loss", "event.validated.lost"),
        ("preset: \"copy\"", "preset: \"copi\""),
        ("run.translate(\"a b c\")", "run.translate(7)"),
    ] {
        assert!(text.contains(right));
        std::fs::write(&main, text.replace(right, wrong)).expect("the script can be written");
        let check = if cfg!(windows) { "npx.cmd" } else { "npx" };
        let checked = std::process::Command::new(check)
            .args(["tsc", "--noEmit"])
            .current_dir(folder.path())
            .output()
            .expect("npx is beside npm");
        assert!(!checked.status.success(), "{wrong} is not found");
    }
}
