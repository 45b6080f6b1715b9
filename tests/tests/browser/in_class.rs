//! The page for teachers: what a class handed in, checked by running it again, and drawn as seeds of
//! one experiment.

use crate::exporting::Downloads;
use crate::lessons::{lesson, wait_for_stage};
use crate::playground::{PATIENCE, Playground};
use serde_json::{Value, json};
use std::path::PathBuf;
use strata_lessons::folder::read_all;
use strata_tests::browser::{Browser, Options};

/// Waits for the page and the list of lessons.
async fn class() -> Playground {
    let page = Playground::around(Browser::open(Options::default(), "?class").await);
    let ready = "document.querySelector('#hand-in-files') && document.querySelectorAll('#class-plan tbody tr').length >= 12";
    page.wait_for("plan of lessons", PATIENCE, ready).await;
    page
}

/// Verdicts of a check, by the names of the learners.
async fn findings(page: &Playground) -> Value {
    let found = "return Object.fromEntries([...document.querySelectorAll('.hand-in tbody tr')]
        .map(it => [it.cells[0].innerText, it.querySelector('.run-check')?.dataset.run ?? 'none']))";
    page.evaluate(found).await
}

async fn check(page: &Playground) -> String {
    page.click("#check-runs").await;
    let done = "document.querySelector('#check-result')?.innerText.includes('checked')";
    page.wait_for("verdicts", PATIENCE, done).await;
    page.text("#check-result").await
}

/// A learner trains in a lesson and hands in a file and a code; the teacher's page trains the same
/// again, and tells an honest file from others.
#[tokio::test]
async fn a_run_that_was_handed_in_is_checked_by_running_it_again() {
    let query = "?lesson=bottleneck&fresh&seeds=own";
    let page = lesson(Options::default(), query, "untrained", "guess").await;
    let downloads = Downloads::of(&page).await;
    page.click("#lesson-pass").await;
    wait_for_stage(&page, "untrained", "act").await;
    page.click("#step").await;
    wait_for_stage(&page, "untrained", "done").await;
    page.wait_until_kept(1).await;
    page.goto("?summary=bottleneck").await;
    let there = "document.querySelector('#hand-in-code summary')";
    page.wait_for("hand-in", PATIENCE, there).await;
    page.click("#hand-in-code summary").await;
    let code = page.text("#hand-in-text").await;
    page.click("#hand-in-save").await;
    let text = downloads.file("strata-bottleneck.json").await;
    let honest: Value = serde_json::from_slice(&text).expect("progress is JSON");
    let receipt = honest.pointer("/lessons/bottleneck/steps/untrained/receipt");
    let receipt = receipt.expect("a step that trains has a receipt").clone();
    assert_eq!(receipt["step"], 1);
    let seed = &honest["lessons"]["bottleneck"]["seed"];
    let address = receipt["address"].as_str().expect("an address");
    assert!(
        address.contains(&format!("&seed={seed}&")),
        "{address}: {seed}"
    );

    let folder = tempfile::tempdir().expect("there is room for files");
    let write = |name: &str, pointer: &str, value: Value| -> PathBuf {
        let mut changed = honest.clone();
        let steps = "/lessons/bottleneck/steps/untrained/receipt";
        let found = changed.pointer_mut(&format!("{steps}{pointer}"));
        *found.expect("the value is there") = value;
        let file = folder.path().join(name);
        std::fs::write(&file, changed.to_string()).expect("the file can be written");
        file
    };
    let files = [
        write("anna.json", "/step", json!(1)),
        write("ben.json", "/training/0/1", json!(0.01)),
        write("cem.json", "/digest", json!("0123456789abcdef")),
        write(
            "dora.json",
            "/address",
            json!("?v=1&preset=copy&model.width=4096"),
        ),
        write("eve.json", "/training/0/1", json!(1e308)),
        write("finn.json", "", json!({ "address": 3 })),
    ];
    page.goto("?class").await;
    let ready = "document.querySelectorAll('#class-plan tbody tr').length >= 12";
    page.wait_for("plan of lessons", PATIENCE, ready).await;
    page.choose_files("#hand-in-files", &files).await;
    let rows = "document.querySelectorAll('.hand-in tbody tr').length === 6";
    page.wait_for("table", PATIENCE, rows).await;
    let field = page.find("#hand-in-codes").await;
    let mistyped = format!(
        "{}{}",
        &code[..code.len() - 1],
        if code.ends_with('7') { "8" } else { "7" }
    );
    let codes = format!("Gil {code}\nHana {mistyped}\n");
    field.send_keys(&codes).await.expect("codes can be typed");
    page.click("#read-codes").await;
    let rows = "document.querySelectorAll('.hand-in tbody tr').length === 7";
    page.wait_for("table with a code", PATIENCE, rows).await;
    let told = page.text("#hand-ins").await;
    assert!(told.contains("Hana: letters of the code"), "{told}");

    let said = check(&page).await;
    assert_eq!(
        findings(&page).await,
        json!({ "anna": "same", "ben": "false", "cem": "near", "dora": "unchecked",
            "eve": "false", "finn": "unchecked", "Gil": "same" }),
    );
    assert!(
        said.contains("7 checked: 2 the same, 1 near, 2 not so, 2 cannot"),
        "{said}"
    );
    let told = page.text(".class-told").await;
    for part in ["ben, “", "is 0.0100 in what", "1.0000e308", "dora, “"] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    page.screenshot("in-class-checked").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Progress of a learner whose run has this seed and these accuracies.
fn progress(version: u32, seed: u64, points: &Value, address: &str) -> String {
    let receipt = json!({ "address": format!("{address}&seed={seed}"), "step": 800,
        "digest": "0123456789abcdef", "validations": points });
    let steps = json!({ "training": { "how": "did", "receipt": receipt } });
    json!({ "strata": "lessons", "version": 1, "lessons": {
        "bottleneck": { "version": version, "steps": steps } } })
    .to_string()
}

#[tokio::test]
async fn thirty_runs_are_one_picture() {
    let page = class().await;
    let lessons = read_all(&strata_tests::here().join("../www/lessons")).expect("the lessons");
    let lesson = lessons.iter().find(|it| it.name == "bottleneck");
    let lesson = &lesson.expect("the lesson").lesson;
    let training = lesson.steps.iter().find(|it| it.id == "training");
    let name = &training.expect("the step").setup.experiment;
    let address = format!("?v=1&{}", lesson.experiments[name]);
    let folder = tempfile::tempdir().expect("there is room for files");
    let mut files = Vec::new();
    let mut write = |name: String, text: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("the file can be written");
        files.push(file);
    };
    for learner in 0..30_u32 {
        // Accuracies from 0.51 to 0.80: mean 0.655, deviation 0.088.
        let end = 0.51 + 0.01 * f64::from(learner);
        let points = json!([[200, 2.0, 0.2], [400, 1.8, 0.4], [800, 1.2, end]]);
        let seed = 1000 + u64::from(learner);
        write(
            format!("{learner:02}.json"),
            progress(lesson.version, seed, &points, &address),
        );
    }
    let good = json!([[200, 2.0, 0.2], [800, 1.2, 0.6]]);
    write(
        "copycat.json".to_owned(),
        progress(lesson.version, 1000, &good, &address),
    );
    let other = progress(lesson.version, 1, &good, "?v=1&preset=dates");
    write("foreign.json".to_owned(), other);
    let broken = json!([[200, 1e308, 0.2], [800, 1.2, 7.0]]);
    write(
        "broken.json".to_owned(),
        progress(lesson.version, 2, &broken, &address),
    );
    write(
        "empty.json".to_owned(),
        progress(lesson.version, 3, &json!([]), &address),
    );
    write(
        "nan.json".to_owned(),
        good.to_string().replace("0.6", "NaN"),
    );
    write("huge.json".to_owned(), " ".repeat(50_000_000));
    page.choose_files("#hand-in-files", &files).await;
    let drawn =
        "document.querySelector('.class-chart svg') && document.querySelector('.class-said')";
    page.wait_for("picture", PATIENCE, drawn).await;
    let said = page
        .text("#class-picture-bottleneck")
        .await
        .replace('\u{202f}', " ");
    for part in [
        "n = 30 seeds",
        "step 800",
        "different seeds",
        "another experiment: foreign",
        "broken",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
    let lines = "return document.querySelectorAll('.class-chart svg path').length";
    let lines = page.evaluate(lines).await;
    assert!(lines.as_u64().is_some_and(|it| it >= 32), "{lines}");
    let told = page.text("#hand-ins").await;
    assert!(
        told.contains("nan.json") && told.contains("huge.json"),
        "{told}"
    );
    page.screenshot("in-class-thirty").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Another seed for each learner comes with the link.
#[tokio::test]
async fn a_class_link_can_give_each_learner_a_seed() {
    let page = class().await;
    page.click("#class-link fieldset input").await;
    let own = "[...document.querySelectorAll('#class-link label.check')].find(it => it.innerText.includes('another seed')).click(); return 0";
    page.evaluate(own).await;
    let made =
        "document.querySelector('#class-address').value.endsWith('?lessons=bottleneck&seeds=own')";
    page.wait_for("link", PATIENCE, made).await;
    page.goto("?lessons=bottleneck&seeds=own").await;
    let kept = "new URL(document.querySelector('.lesson-list a[href*=lesson]')?.href ?? 'http://x').searchParams.get('seeds') === 'own'";
    page.wait_for("list that keeps the seeds", PATIENCE, kept)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Packages lie beside a built page, with their sizes, and the service worker keeps none of them.
#[tokio::test]
async fn packages_beside_the_page_are_linked_with_their_sizes() {
    let page = class().await;
    let list = "return fetch('./packages.json').then(it => it.ok ? it.json() : [])";
    let list = page.evaluate(list).await;
    let list = list.as_array().expect("a list of packages");
    let links = "document.querySelectorAll('#class-packages a').length";
    if list.is_empty() {
        // A page that is being developed has none.
        assert_eq!(page.evaluate(&format!("return {links}")).await, 0);
        return;
    }
    page.wait_for("links", PATIENCE, &format!("{links} === 3"))
        .await;
    for package in list {
        let name = package["name"].as_str().expect("a name");
        let size = format!("return fetch('./{name}').then(it => it.blob()).then(it => it.size)");
        assert_eq!(page.evaluate(&size).await, package["bytes"], "{name}");
        let listed = format!(
            "return fetch('./service-worker.js').then(it => it.text()).then(it => it.includes('{name}'))"
        );
        assert_eq!(page.evaluate(&listed).await, false, "{name}");
    }
    assert_eq!(page.errors().await, Vec::<String>::new());
}
