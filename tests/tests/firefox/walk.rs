//! The main walk: everything that a visitor does first, in one test.

use crate::page::{HeatMap, Page};

/// Selector of the present run among the kept ones.
const KEPT: &str = "#runs-list .run[aria-current]";

#[test]
#[ignore = "needs Firefox and the page: cargo xtask test --only page,firefox"]
fn a_visitor_trains_looks_translates_learns_and_comes_back() {
    let mut page = Page::open("");
    first_look(&mut page);
    training(&mut page);
    translating(&mut page);
    another_task(&mut page);
    tabs(&mut page);
    let kept = keeping(&mut page);
    lesson(&mut page);
    coming_back(&mut page, &kept);
    let errors = page.errors().join("\n");
    page.check(errors.is_empty(), "the console has errors");
    page.say("no error in the console");
}

/// The page is ready, and Train can be pressed.
fn first_look(page: &mut Page) {
    page.wait_for_phase("paused");
    let status = page.text("#status");
    page.check(
        status.contains("Ready"),
        &format!("a page that is ready says {status:?}"),
    );
    page.wait_for(
        "Train that is on",
        "document.querySelector('#train[aria-disabled=false]')",
    );
    page.wait_for(
        "experiment Copy",
        "document.querySelector('#preset')?.value === 'copy'",
    );
    page.screenshot("first-look");
    page.say("Ready, and Train is on");
}

/// Steps rise, the loss falls, and the map follows; Pause stops the run.
fn training(page: &mut Page) {
    let before = map(page, "attention");
    page.click("#train");
    page.wait_for_phase("training");
    page.wait_for_step(1);
    let (first, loss) = (page.step(), page.instrument("loss"));
    // The goal is low enough that no difference between batches reaches it.
    let goal = 0.8 * loss;
    let fallen = format!("document.querySelector('#stat-loss').dataset.value < {goal}");
    page.wait_for(&format!("loss below {goal:.2}, from {loss:.2}"), &fallen);
    page.wait_for_step(first + 20);
    page.click("#pause");
    page.wait_for_phase("paused");
    let paused = page.step();
    let after = map(page, "attention");
    page.check(
        after.weights != before.weights,
        "the map is as it was before training",
    );
    page.check(after.colours > 1, "the map is painted in one colour");
    page.screenshot("training");
    let now = page.instrument("loss");
    page.say(&format!(
        "Copy: step {first} to {paused}, loss {loss:.2} to {now:.2}"
    ));
    // Step takes the very next step: nothing was trained since the pause.
    page.click("#step");
    page.wait_for_step(paused + 1);
    page.wait_for_phase("paused");
    let next = page.step();
    page.check(
        next == paused + 1,
        &format!("Step after {paused} came to {next}"),
    );
}

/// A typed sentence is translated.
fn translating(page: &mut Page) {
    let sentence = "b a t c h";
    page.fill("#translate-input", sentence);
    page.click("#translate-button");
    let whole = "document.querySelector('#translation[aria-busy=false]')?.innerText.trim()";
    page.wait_for("translation", &format!("{whole} !== '–' && {whole}"));
    let map = map(page, "translation-attention");
    let columns = map.weights[0].len();
    // The tokens may include the end of the sentence.
    page.check(
        (5..=6).contains(&columns),
        &format!("{sentence:?} is drawn as {columns} tokens"),
    );
    page.screenshot("translation");
    let written = page.text("#translation");
    page.say(&format!("{sentence:?} is translated as {written:?}"));
}

/// German→English has another model, which trains.
fn another_task(page: &mut Page) {
    let parameters = page.instrument("parameters");
    page.choose("#preset", "german-english-transformer");
    let other = format!(
        "document.querySelector('#stat-parameters')?.dataset.value != {parameters} && \
         document.querySelector('#stat-step').dataset.value == 0 && \
         document.querySelector('#status').dataset.state === 'paused'"
    );
    page.wait_for("other model, at step 0", &other);
    page.click("#train");
    page.wait_for_step(5);
    let map = map(page, "attention");
    page.check(
        map.site.contains("cross"),
        &format!("the map is of {}", map.site),
    );
    let step = page.step();
    page.say(&format!(
        "German→English: step {step}, the map is of {}",
        map.site
    ));
}

/// Each tab shows something while the model trains.
fn tabs(page: &mut Page) {
    let names =
        "[...document.querySelectorAll('.tabs [role=tab]')].map(it => it.id.replace('tab-', ''))";
    let names = page.evaluate(names);
    let names: Vec<String> = serde_json::from_value(names).unwrap_or_default();
    page.check(
        names.len() >= 6,
        &format!("there are the tabs {names:?} alone"),
    );
    for name in &names {
        // Tabs that are used less are folded.
        page.evaluate(&format!(
            "(more => {{ if (more) more.open = true; }})(document.querySelector('#tab-{name}').closest('details'))"
        ));
        page.click(&format!("#tab-{name}"));
        let shown = format!(
            "(seeing => seeing && seeing.querySelector('svg, canvas, table, .chip, #two-runs'))\
             (document.querySelector('#seeing[data-view={name}][data-step]'))"
        );
        page.wait_for(&format!("picture in the tab {name}"), &shown);
        page.screenshot(&format!("tab-{name}"));
    }
    page.say(&format!("tabs: {}", names.join(", ")));
}

/// The run that must come back after a lesson.
struct Kept {
    step: u64,
    loss: f64,
    preset: String,
}

/// Pauses, and waits until the run is kept.
fn keeping(page: &mut Page) -> Kept {
    page.click("#pause");
    page.wait_for_phase("paused");
    let step = page.step();
    let kept = format!("document.querySelector('{KEPT}')?.dataset.step == {step}");
    page.wait_for(&format!("kept run at step {step}"), &kept);
    page.say(&format!("kept at step {step}"));
    let preset = page.evaluate("document.querySelector('#preset').value");
    Kept {
        step,
        loss: page.instrument("loss"),
        preset: preset.as_str().unwrap_or_default().to_owned(),
    }
}

/// The first lesson opens from the list, and its first action is noticed.
fn lesson(page: &mut Page) {
    page.click(".to-lessons");
    page.wait_for(
        "list of lessons",
        "document.querySelector('.lesson-list h2 a')",
    );
    page.click(".lesson-list h2 a");
    let stage = |stage: &str| format!("document.querySelector('#lesson[data-stage={stage}]')");
    page.wait_for("lesson with its first question", &stage("guess"));
    let title = page.text("#lesson-title").replace('\n', ": ");
    page.screenshot("lesson");
    page.click("#lesson-pass");
    page.wait_for("lesson with its first action", &stage("act"));
    page.click("#step");
    page.wait_for("lesson that notices the step", &stage("done"));
    page.say(&format!("lesson {title:?}: its first action is noticed"));
    page.click("#lesson-leave");
}

/// The own run is there again after a lesson, at once and after a reload, and can be trained on.
fn coming_back(page: &mut Page, kept: &Kept) {
    is_back(page, kept, "after the lesson");
    // The address, by which a reload finds the run, follows a moment later.
    page.wait_for(
        "address of the own run",
        "!location.search.includes('lesson')",
    );
    page.reload();
    is_back(page, kept, "after a reload");
    page.click("#step");
    page.wait_for_step(kept.step + 1);
}

fn is_back(page: &mut Page, kept: &Kept, when: &str) {
    let Kept { step, loss, preset } = kept;
    let there = format!(
        "document.querySelector('#stat-step')?.dataset.value == {step} && \
         document.querySelector('#status').dataset.state === 'paused' && \
         document.querySelector('#preset').value === '{preset}'"
    );
    page.wait_for(&format!("run of {preset} at step {step} {when}"), &there);
    let now = page.instrument("loss");
    page.check(now == *loss, &format!("the loss {loss} is {now} {when}"));
    page.say(&format!("{preset} at step {step} {when}"));
}

/// Returns a heat-map, after checking that each row sums to 1.
fn map(page: &mut Page, id: &str) -> HeatMap {
    let map = page.heat_map(id);
    let sums = map.weights.iter().map(|row| row.iter().sum::<f64>());
    let are_whole = sums.into_iter().all(|sum| (sum - 1.0).abs() < 0.02);
    page.check(
        are_whole && !map.weights.is_empty(),
        &format!("the rows of #{id} do not sum to 1: {:?}", map.weights),
    );
    map
}
