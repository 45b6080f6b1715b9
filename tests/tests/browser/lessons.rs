//! Lessons: set up, guessed, done, left, linked. `lesson_access`: by keyboard and to be heard, on a
//! phone; `lesson_platforms`: framed; `lesson_summary`: printed.

use crate::keeping::wait_for_runs;
use crate::playground::{PATIENCE, Playground};
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use serde_json::{Value, json};
use strata_lessons::folder::read_all;
use strata_tests::browser::{Browser, Options};

/// Waits until a step of the lesson is at a stage.
pub async fn wait_for_stage(browser: &Browser, step: &str, stage: &str) {
    let there =
        format!("document.querySelector('#lesson[data-step=\"{step}\"][data-stage=\"{stage}\"]')");
    let what = format!("step {step} that is {stage}");
    browser.wait_for(&what, PATIENCE, &there).await;
}

/// Opens a page with a lesson, and waits for a stage of its step.
pub async fn lesson(options: Options, query: &str, step: &str, stage: &str) -> Playground {
    let page = Playground::around(Browser::open(options, query).await);
    wait_for_stage(&page, step, stage).await;
    page
}

async fn type_guess(page: &Playground, guess: &str) {
    let field = page.find("#lesson-guess").await;
    field.send_keys(guess).await.expect("a guess can be typed");
}

/// Presses a key while Alt is held.
pub async fn press_with_alt(page: &Playground, key: Key) {
    let (alt, key) = (char::from(Key::Alt), char::from(key));
    let keys = KeyActions::new("keyboard".to_owned())
        .then(KeyAction::Down { value: alt })
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key })
        .then(KeyAction::Up { value: alt });
    let pressed = page.client().perform_actions(keys).await;
    pressed.expect("keys can be pressed");
}

#[tokio::test]
async fn a_step_is_guessed_done_and_explained_by_mouse() {
    let page = lesson(
        Options::default(),
        "?lesson=bottleneck",
        "untrained",
        "guess",
    )
    .await;
    let pointed = "return document.querySelectorAll('[data-pointed]').length";
    assert_eq!(page.evaluate(pointed).await, 0);
    // Input that cannot be a guess is reported, and nothing is lost.
    type_guess(&page, "many").await;
    page.click("#lesson-take-guess").await;
    let told = "document.querySelector('#lesson-guess-wrong')?.innerText.includes('number')";
    page.wait_for("sentence", PATIENCE, told).await;
    let everything = format!("{}a{}", char::from(Key::Control), char::from(Key::Null));
    type_guess(&page, &everything).await;
    type_guess(&page, "50").await;
    page.click("#lesson-take-guess").await;
    wait_for_stage(&page, "untrained", "act").await;
    let pointed = "document.querySelector('#step[data-pointed]')";
    page.wait_for("outline", PATIENCE, pointed).await;
    page.screenshot("lesson-act").await;

    page.click("#step").await;
    wait_for_stage(&page, "untrained", "done").await;
    let said = page.text("#lesson").await.replace('\u{202f}', " ");
    // An untrained model chooses among 24 letters and signs; the guess is held against that.
    assert!(said.contains("Your guess: 50"), "{said}");
    assert!(said.contains("2.1 times too high"), "{said}");
    assert!(said.contains("One in 24"), "{said}");
    assert_eq!(page.text(".lesson-measured .value").await, "24");
    let bars = "return document.querySelectorAll('.lesson-verdict .lesson-bar').length";
    assert_eq!(page.evaluate(bars).await, 2);
    // The verdict is seen without scrolling in the lesson.
    let seen = "const region = document.querySelector('#lesson').getBoundingClientRect(); \
        const card = document.querySelector('.lesson-verdict').getBoundingClientRect(); \
        return card.top >= region.top && card.bottom <= region.bottom";
    assert_eq!(page.evaluate(seen).await, true);
    let spoken = page.text("#lesson-said").await;
    assert!(
        spoken.contains("Noticed") && spoken.contains("50"),
        "{spoken}"
    );
    page.screenshot("lesson-done").await;

    page.click("#lesson-next").await;
    wait_for_stage(&page, "training", "guess").await;
    assert!(page.has_focus("#lesson-title").await);
    // A step begins in a known state: earlier training is not part of it.
    assert_eq!(page.step().await, 0);
    page.click("#lesson-pass").await;
    wait_for_stage(&page, "training", "act").await;
    page.click("#train").await;
    page.wait_for_step(3).await;
    page.click(".lesson-again").await;
    wait_for_stage(&page, "training", "guess").await;
    page.wait_for_exact_step(0).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_level_is_looked_at_and_the_page_can_show_how() {
    let page = lesson(
        Options::default(),
        "?lesson=levels&step=alike&show=1",
        "alike",
        "guess",
    )
    .await;
    page.click(".lesson-guess input[value=sharper]").await;
    page.click("#lesson-take-guess").await;
    wait_for_stage(&page, "alike", "act").await;
    let slider = page.find("#attention-level").await;
    let right = String::from(char::from(Key::Right));
    for _ in 0..3 {
        slider.send_keys(&right).await.expect("keys move it");
    }
    wait_for_stage(&page, "alike", "done").await;
    assert_eq!(page.text(".lesson-measured .value").await, "More alike");

    page.click("#lesson-next").await;
    wait_for_stage(&page, "forgotten", "guess").await;
    page.click("#lesson-pass").await;
    wait_for_stage(&page, "forgotten", "act").await;
    page.click("#lesson-show").await;
    wait_for_stage(&page, "forgotten", "done").await;
    page.click(".lesson-steps summary").await;
    let steps = page.text(".lesson-steps").await;
    assert!(steps.contains("done") && steps.contains("shown"), "{steps}");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_reload_comes_back_to_the_step_and_what_was_done_is_known() {
    let page = lesson(
        Options::default(),
        "?lesson=alignment&lang=de",
        "row",
        "guess",
    )
    .await;
    page.click("#lesson-skip").await;
    wait_for_stage(&page, "line", "guess").await;
    let linked = "location.search === '?lesson=alignment&step=line&lang=de'";
    page.wait_for("link to the step", PATIENCE, linked).await;
    page.reload().await;
    wait_for_stage(&page, "line", "guess").await;
    let met = "return document.querySelector('.lesson-steps li').textContent";
    let met = page.evaluate(met).await;
    assert!(
        met.as_str().unwrap_or_default().contains("übersprungen"),
        "{met}"
    );
    let german = "return document.querySelector('.lesson-text').lang";
    assert_eq!(page.evaluate(german).await, "de");
    // A link without a step goes on where nothing was done; Back goes to the step before.
    page.goto("?lesson=alignment&fresh").await;
    wait_for_stage(&page, "row", "guess").await;
    let met = page
        .evaluate("return document.querySelector('.lesson-steps li').textContent")
        .await;
    assert!(
        !met.as_str().unwrap_or_default().contains("skipped"),
        "{met}"
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_unknown_lesson_or_step_is_told_with_the_list() {
    for (query, name) in [
        ("?lesson=%3Cb%3Enone", "<b>none"),
        ("?lesson=..%2F..%2Findex", "../../index"),
        ("?lesson=alignment&step=nowhere", "nowhere"),
    ] {
        let page = Playground::open(Options::default(), query).await;
        let listed = "document.querySelector('.lesson-list a')";
        page.wait_for("list", PATIENCE, listed).await;
        let told = page.text("#lesson-notice").await;
        assert!(told.contains(name), "{told}");
        // The page works as it would without the lesson.
        page.losses(1).await;
    }
}

#[tokio::test]
async fn who_leaves_a_lesson_has_the_own_run_again() {
    let page = Playground::open(Options::default(), "").await;
    let whole = page.losses(4).await;
    page.click("#reset").await;
    page.wait_for_exact_step(0).await;
    page.losses(2).await;
    page.wait_until_kept(2).await;
    page.goto("?lesson=alignment").await;
    wait_for_stage(&page, "row", "guess").await;
    page.click("#step").await;
    wait_for_stage(&page, "row", "done").await;
    page.click("#lesson-leave").await;
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(2).await, whole[2..]);
    let gone = "return document.querySelector('#lesson')";
    assert_eq!(page.evaluate(gone).await, Value::Null);
    // Nor does a bare address lead to the lesson's run.
    page.wait_until_kept(4).await;
    page.goto("?lesson=alignment").await;
    wait_for_stage(&page, "line", "guess").await;
    page.goto("").await;
    page.wait_for_exact_step(4).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_first_visit_offers_a_lesson_and_takes_no_for_an_answer() {
    let page = Playground::open(Options::default(), "").await;
    let offered = "document.querySelector('#lesson-offer')";
    page.wait_for("offer", PATIENCE, offered).await;
    page.click("#lesson-refuse").await;
    page.reload().await;
    wait_for_runs(&page, 0).await;
    let offered = format!("return {offered}");
    assert_eq!(page.evaluate(&offered).await, Value::Null);
    // Two browsers of one test could wait for each other's permits.
    drop(page);

    let page = Playground::open(Options::phone(), "").await;
    let offered = "document.querySelector('#lesson-begin')";
    page.wait_for("offer", PATIENCE, offered).await;
    page.click("#lesson-begin").await;
    wait_for_stage(&page, "untrained", "guess").await;
    page.screenshot("lesson-phone").await;
    let heights =
        "const { top, bottom } = document.querySelector('#lesson').getBoundingClientRect();
        return [bottom <= innerHeight + 1, (bottom - top) / innerHeight <= 0.46,
                document.documentElement.scrollWidth <= screen.width]";
    assert_eq!(page.evaluate(heights).await, json!([true, true, true]));
    page.click("#lesson-fold").await;
    let folded = "document.querySelector('.lesson-body').offsetHeight === 0";
    page.wait_for("one line", PATIENCE, folded).await;
    page.click("#lesson-fold").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn all_lessons_are_listed_and_everything_kept_can_be_removed() {
    let page = lesson(
        Options::default(),
        "?lesson=levels&step=own-place",
        "own-place",
        "guess",
    )
    .await;
    page.click("#lesson-skip").await;
    wait_for_stage(&page, "accuracies", "opening").await;
    page.goto("?lessons").await;
    let listed = "document.querySelectorAll('.lesson-list > li').length >= 10
        && document.body.innerText.includes('skipped')";
    page.wait_for("list with what was done", PATIENCE, listed)
        .await;
    page.screenshot("lessons").await;
    let dead = "return [...document.querySelectorAll('.lesson-list a')]
        .filter(it => !['lesson', 'summary'].some(name => new URL(it.href).searchParams.get(name))).length";
    assert_eq!(page.evaluate(dead).await, 0);

    page.goto("").await;
    page.wait_for_phase("paused").await;
    page.losses(1).await;
    page.wait_until_kept(1).await;
    page.click("#runs summary").await;
    page.click("#remove-all").await;
    page.click("#remove-all-indeed").await;
    wait_for_runs(&page, 0).await;
    page.goto("?lessons").await;
    let listed = "document.querySelectorAll('.lesson-list > li').length >= 10";
    page.wait_for("list", PATIENCE, listed).await;
    let text = page.text("body").await;
    assert!(!text.contains("skipped"), "{text}");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_class_link_decides_what_is_offered() {
    let class = "?lesson=levels&lessons=levels,ham&show=0&skip=0&hide=runs,settings";
    let page = lesson(Options::default(), class, "alike", "guess").await;
    let offered = "return ['lesson-skip', 'lesson-show'].filter(id => document.getElementById(id))";
    assert_eq!(page.evaluate(offered).await, json!([]));
    let hidden = "return ['runs', 'settings', 'devices'].map(id => document.getElementById(id).offsetHeight > 0)";
    assert_eq!(page.evaluate(hidden).await, json!([false, false, true]));
    page.click("#lesson-pass").await;
    wait_for_stage(&page, "alike", "act").await;
    assert_eq!(page.evaluate(offered).await, json!([]));
    // Steps that the learner has not reached cannot be opened in any way.
    page.press(char::from(Key::F6)).await;
    press_with_alt(&page, Key::Right).await;
    wait_for_stage(&page, "alike", "guess").await;
    page.goto("?lesson=levels&step=own-place&skip=0").await;
    wait_for_stage(&page, "alike", "guess").await;

    page.goto("?lessons=levels,ham&show=0&lang=de").await;
    let listed = "document.querySelectorAll('.lesson-list > li').length === 2";
    page.wait_for("list of the class", PATIENCE, listed).await;
    let lost = "return [...document.querySelectorAll('.lesson-list a')]
        .filter(it => new URL(it.href).searchParams.get('show') !== '0').length";
    assert_eq!(page.evaluate(lost).await, 0);

    // The tab keeps the language of the list.
    page.goto("?class&lang=en").await;
    let maker = "document.querySelector('#class-code path')?.getAttribute('d')";
    let all = page.wait_for("maker of links", PATIENCE, maker).await;
    page.click("#class-link fieldset input").await;
    let made = "document.querySelector('#class-address').value.endsWith('?lessons=bottleneck')";
    page.wait_for("link", PATIENCE, made).await;
    // The code says what the field says.
    assert_ne!(page.evaluate(&format!("return {maker}")).await, all);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// A teacher chooses what learners have handed in, and reads who guessed what.
#[tokio::test]
async fn a_class_hands_in_and_its_guesses_are_a_table() {
    let page = Playground::around(Browser::open(Options::default(), "?class").await);
    let ready = "document.querySelector('#hand-in-files') && document.querySelectorAll('#class-plan tbody tr').length >= 12";
    page.wait_for("plan of lessons", PATIENCE, ready).await;
    let lessons = read_all(&strata_tests::here().join("../www/lessons")).expect("the lessons");
    let levels = lessons.iter().find(|it| it.name == "levels");
    let version = levels.expect("the lesson").lesson.version;
    let folder = tempfile::tempdir().expect("there is room for files");
    let write = |name: &str, version: u32, guess: &str| {
        let file = folder.path().join(name);
        let step = json!({ "how": "did", "guess": guess, "measured": "alike" });
        let progress = json!({ "strata": "lessons", "version": 1, "lessons": {
            "levels": { "version": version, "steps": { "alike": step } },
        } });
        std::fs::write(&file, progress.to_string()).expect("the file can be written");
        file
    };
    let mut files = vec![
        write("anna.json", version, "alike"),
        write("ben.json", version, "sharper"),
        write("cem.json", version, "sharper"),
        write("old.json", version - 1, "alike"),
    ];
    let other = folder.path().join("homework.json");
    std::fs::write(&other, "{\"answer\": 42}").expect("the file can be written");
    files.push(other);
    page.choose_files("#hand-in-files", &files).await;
    let rows = "document.querySelectorAll('.hand-in tbody tr').length === 3";
    page.wait_for("table", PATIENCE, rows).await;
    let verdicts = "return [...document.querySelectorAll('.hand-in tbody tr')]
        .map(it => [it.cells[0].innerText, it.querySelector('[data-verdict]').dataset.verdict])";
    let expected = json!([["anna", "right"], ["ben", "wrong"], ["cem", "wrong"]]);
    assert_eq!(page.evaluate(verdicts).await, expected);
    let told = page.text("#hand-ins").await;
    for part in ["1 of 3 right", "(2)", "homework.json", "old"] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    page.screenshot("in-class").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_was_done_elsewhere_is_taken_in_and_removed() {
    let page = Playground::around(Browser::open(Options::default(), "?lessons").await);
    let listed = "document.querySelector('#lessons-file')";
    page.wait_for("list", PATIENCE, listed).await;
    let folder = tempfile::tempdir().expect("there is room for a file");
    let choose = async |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("the file can be written");
        page.choose_file("#lessons-file", &file).await;
    };
    choose("other.json", "{}").await;
    let refused =
        "document.querySelector('#lesson-records').innerText.includes('not a progress file')";
    page.wait_for("refusal", PATIENCE, refused).await;
    // What was done in an earlier version of a lesson is done no more.
    let lessons = read_all(&strata_tests::here().join("../www/lessons")).expect("the lessons");
    let levels = lessons.iter().find(|it| it.name == "levels");
    let version = levels.expect("the lesson").lesson.version;
    let done = json!({ "strata": "lessons", "version": 1, "lessons": {
        "levels": { "version": version, "steps": { "alike": { "how": "did" } } },
    } });
    // The list does not give away what a step asks to guess before the step is done.
    let claimed = "return document.querySelectorAll('.lesson-claims').length";
    assert_eq!(page.evaluate(claimed).await, 0);
    choose("strata-lessons.json", &done.to_string()).await;
    let there = "document.querySelector('.lesson-list')?.innerText.includes('· done')";
    page.wait_for("what was done", PATIENCE, there).await;
    assert_eq!(page.evaluate(claimed).await, 1);
    page.goto("?lesson=levels").await;
    wait_for_stage(&page, "forgotten", "guess").await;

    page.goto("?lessons").await;
    page.wait_for("what was done", PATIENCE, there).await;
    page.click("#remove-all").await;
    page.click("#remove-all").await;
    page.wait_for("removal", PATIENCE, &format!("!{there}"))
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
