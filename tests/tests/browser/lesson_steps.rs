//! Every step of every lesson, set up and shown by the page itself.

use std::time::{Duration, Instant};

use serde_json::Value;
use strata_lessons::folder::{LessonFiles, read_all};
use strata_lessons::{Action, Step};
use strata_tests::browser::{Browser, Options};

use crate::playground::Playground;

/// Time limit of a set-up or an action that trains, on a busy machine.
const LONG: Duration = Duration::from_secs(900);

fn lessons() -> Vec<LessonFiles> {
    let folder = strata_tests::here().join("../www/lessons");
    read_all(&folder).expect("the lessons can be read")
}

/// Sets up a step, has it shown, and waits until it is done; returns a sentence if it is not.
async fn play(page: &Playground, lesson: &str, step: &Step) -> Result<(), String> {
    let id = &step.id;
    page.goto(&format!("?lesson={lesson}&step={id}&fresh&show=1"))
        .await;
    let region = format!("document.querySelector('#lesson[data-step=\"{id}\"]')");
    let set_up = format!("['guess', 'act', 'refused'].includes({region}?.dataset.stage)");
    page.wait_for("set-up", LONG, &set_up).await;
    let stage = format!("return {region}.dataset.stage");
    match page.evaluate(&stage).await.as_str() {
        Some("guess") => page.click("#lesson-pass").await,
        Some("act") => {}
        _ => return Err(page.text("#lesson .lesson-body").await),
    }
    if step.action != Action::Guess {
        let offered = "document.querySelector('#lesson-show')";
        page.wait_for("“Show me”", LONG, offered).await;
        page.click("#lesson-show").await;
    }
    let over =
        format!("{region}?.dataset.stage === 'done' || {region}?.querySelector('.lesson-late')");
    page.wait_for("end", LONG, &over).await;
    if page.evaluate(&stage).await != "done" {
        return Err(format!("late: {}", page.text(".lesson-late").await));
    }
    // An unknown value is written as a dash.
    let missing = format!(
        "return [...{region}.querySelectorAll('.lesson-body b.value')].some(it => it.innerText === '–')"
    );
    match page.evaluate(&missing).await {
        Value::Bool(false) => Ok(()),
        _ => Err(format!(
            "a value is missing: {}",
            page.text("#lesson .lesson-body").await
        )),
    }
}

async fn play_all(chosen: impl Fn(&str, &Step) -> bool) {
    let page = Playground::around(Browser::open(Options::default(), "?lessons").await);
    let mut failures = Vec::new();
    for files in lessons() {
        for step in files
            .lesson
            .steps
            .iter()
            .filter(|it| chosen(&files.name, it))
        {
            let place = format!("{}, step {}", files.name, step.id);
            let began = Instant::now();
            if let Err(what) = play(&page, &files.name, step).await {
                failures.push(format!("{place}: {what}"));
            }
            let errors = page.errors().await;
            failures.extend(errors.into_iter().map(|it| format!("{place}: {it}")));
            println!("{place}: {:.0} s", began.elapsed().as_secs_f64());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Plays one step of each kind of action that does not train.
#[tokio::test]
async fn steps_of_each_kind_are_set_up_and_shown() {
    let sample = [
        ("bottleneck", "untrained"),
        ("levels", "forgotten"),
        ("arrows", "second-level"),
        ("ham", "shares"),
        ("scores", "scaled"),
        ("transformer", "feed-forward"),
    ];
    play_all(|lesson, step| sample.contains(&(lesson, step.id.as_str()))).await;
}

/// Plays all steps; `cargo xtask lessons --browser` runs it, and chooses them by the environment.
#[tokio::test]
#[ignore = "trains for a long time; cargo xtask lessons --browser"]
async fn every_step_is_set_up_and_shown() {
    let only = std::env::var("STRATA_LESSON").ok();
    play_all(|lesson, _| only.as_ref().is_none_or(|it| it == lesson)).await;
}
