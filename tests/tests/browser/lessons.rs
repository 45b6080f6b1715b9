//! Lessons: set up, guessed, done, left, linked, framed.

use crate::keeping::wait_for_runs;
use crate::playground::{PATIENCE, Playground};
use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use serde_json::{Value, json};
use strata_tests::browser::{Browser, Options};
use strata_tests::server::{Reply, Server};

/// Waits until a step of the lesson is at a stage.
async fn wait_for_stage(browser: &Browser, step: &str, stage: &str) {
    let there =
        format!("document.querySelector('#lesson[data-step=\"{step}\"][data-stage=\"{stage}\"]')");
    let what = format!("step {step} that is {stage}");
    browser.wait_for(&what, PATIENCE, &there).await;
}

/// A page with a lesson, at a stage of its step.
async fn lesson(options: Options, query: &str, step: &str, stage: &str) -> Playground {
    let page = Playground::around(Browser::open(options, query).await);
    wait_for_stage(&page, step, stage).await;
    page
}

async fn type_guess(page: &Playground, guess: &str) {
    let field = page.find("#lesson-guess").await;
    field.send_keys(guess).await.expect("a guess can be typed");
}

/// Presses a key while Alt is held.
async fn press_with_alt(page: &Playground, key: Key) {
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
    // What cannot be a guess is told, and nothing is lost.
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
    // One in 24 letters and signs; of the model before training about that.
    assert!(said.contains("Your guess: 50.0 %"), "{said}");
    assert!(said.contains("One in 24"), "{said}");
    let measured = page.text(".lesson-measured .value").await;
    let measured: f64 = measured
        .trim_end_matches(['%', '\u{202f}'])
        .parse()
        .expect("a number");
    assert!((2.0..8.0).contains(&measured), "{measured}");
    let spoken = page.text("#lesson-said").await;
    assert!(
        spoken.contains("Noticed") && spoken.contains("50.0"),
        "{spoken}"
    );
    page.screenshot("lesson-done").await;

    page.click("#lesson-next").await;
    wait_for_stage(&page, "training", "guess").await;
    assert!(page.has_focus("#lesson-title").await);
    // The step is a known state: what was trained is not in it.
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
        "?lesson=levels&step=alike",
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
async fn the_keyboard_alone_goes_through_a_lesson() {
    let page = lesson(Options::default(), "?lesson=alignment", "row", "guess").await;
    page.press(char::from(Key::F6)).await;
    assert!(page.has_focus("#lesson-title").await);
    let tab_to = async |selector: &str| {
        for _ in 0..20 {
            if page.has_focus(selector).await {
                return;
            }
            page.press(char::from(Key::Tab)).await;
        }
        panic!("Tab does not reach {selector}");
    };
    tab_to("#lesson-guess").await;
    page.press('1').await;
    page.press(char::from(Key::Enter)).await;
    wait_for_stage(&page, "row", "act").await;
    page.press(char::from(Key::F6)).await;
    tab_to("#lesson-go").await;
    page.press(char::from(Key::Enter)).await;
    assert!(page.has_focus("#step").await);
    page.press(' ').await;
    wait_for_stage(&page, "row", "done").await;
    // The focus stays where the learner has it.
    assert!(page.has_focus("#step").await);
    page.press(char::from(Key::F6)).await;
    press_with_alt(&page, Key::Right).await;
    wait_for_stage(&page, "line", "guess").await;
    assert!(page.has_focus("#lesson-title").await);
    press_with_alt(&page, Key::Left).await;
    wait_for_stage(&page, "row", "guess").await;
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
        // The page is as it would be without it.
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
    // Nor does a bare address mean the lesson's run.
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
    // One browser is open at a time.
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
        .filter(it => !new URL(it.href).searchParams.get('lesson')).length";
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
async fn the_page_around_a_frame_hears_of_the_lesson_and_may_ask_for_a_step() {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    let page = browser.client().current_url().await.expect("an address");
    let article = "<!doctype html><html lang=en><title>A course</title>
        <script>window.told = []; addEventListener('message', it => told.push(it.data));</script>
        <p>Look:<p><iframe width=1000 height=700 title=Strata></iframe>";
    let replies = (0..3).map(|_| Reply::ok(article.as_bytes())).collect();
    let server = Server::start(replies);
    let loaded = browser.client().goto(&server.address()).await;
    loaded.expect("the article loads");
    let frame = format!(
        "document.querySelector('iframe').src =
             '{}?embed=lesson&lesson=alignment&notify=' + encodeURIComponent(location.origin)",
        page.join("./").expect("an address")
    );
    browser.evaluate(&frame).await;
    let heard =
        |event: &str| format!("told.find(it => it.event === '{event}' && it.step !== undefined)");
    let ready = browser.wait_for("ready", PATIENCE, &heard("ready")).await;
    assert_eq!(
        (&ready["strata"], &ready["step"]),
        (&json!(1), &json!("row"))
    );
    let height = "told.some(it => it.event === 'height' && it.height > 100)";
    browser.wait_for("height", PATIENCE, height).await;

    let entered = browser.client().enter_frame(0).await;
    entered.expect("the article has a frame");
    let field = browser.client().find(Locator::Id("lesson-guess")).await;
    let typed = field.expect("there is a field").send_keys("1").await;
    typed.expect("a guess can be typed");
    browser.click("#lesson-take-guess").await;
    wait_for_stage(&browser, "row", "act").await;
    browser.click("#step").await;
    wait_for_stage(&browser, "row", "done").await;
    let left = browser.client().clone().enter_parent_frame().await;
    left.expect("there is a page around");
    let done = browser.wait_for("done", PATIENCE, &heard("done")).await;
    assert_eq!(
        (
            &done["lesson"],
            &done["how"],
            done["guess"].as_f64(),
            done["measured"].as_f64()
        ),
        (&json!("alignment"), &json!("did"), Some(1.0), Some(1.0))
    );
    let go = "document.querySelector('iframe').contentWindow
        .postMessage({ strata: 1, do: 'go', step: 'german' }, '*')";
    browser.evaluate(go).await;
    let there = "told.some(it => it.event === 'ready' && it.step === 'german')";
    browser.wait_for("other step", PATIENCE, there).await;
}

/// A learning platform: what a module has told it.
const PLATFORM: &str =
    "<!doctype html><html lang=en><link rel=icon href='data:,'><title>A platform</title>
    <script>
      window.kept = {}; window.calls = [];
      const of = (name, answer) => (...given) => { calls.push(name); return answer(...given); };
      const get = (name) => kept[name] ?? '';
      const set = (name, value) => { kept[name] = value; return 'true'; };
      const all = { Initialize: () => 'true', GetValue: get, SetValue: set, Commit: () => 'true' };
      if (location.search === '?2004') {
        window.API_1484_11 = { Terminate: of('Terminate', () => 'true') };
        for (const name in all) API_1484_11[name] = of(name, all[name]);
      } else {
        window.API = { LMSFinish: of('Finish', () => 'true') };
        for (const name in all) API['LMS' + name] = of(name, all[name]);
      }
    </script><iframe width=1000 height=700 title=Module></iframe>";

#[tokio::test]
async fn a_learning_platform_is_told_completion_score_and_location() {
    for (version, names) in [
        (
            "1.2",
            [
                "cmi.core.lesson_status",
                "cmi.core.score.raw",
                "cmi.core.lesson_location",
            ],
        ),
        (
            "2004",
            ["cmi.completion_status", "cmi.score.raw", "cmi.location"],
        ),
    ] {
        let [status, score, location] = names.map(|name| format!("kept['{name}']"));
        let browser = Browser::open(Options::default(), "?bench=none").await;
        let page = browser.client().current_url().await.expect("an address");
        let page = page.join("./").expect("an address");
        let bridge = include_str!("../../../crates/xtask/src/lessons/scorm.html");
        let bridge = bridge.replace(
            "data-page=\"./index.html\"",
            &format!("data-page=\"{page}\""),
        );
        let mut replies = vec![Reply::ok(PLATFORM.as_bytes())];
        replies.extend((0..2).map(|_| Reply::ok(bridge.as_bytes())));
        let server = Server::start(replies);
        let platform = format!("{}?{version}", server.address());
        let loaded = browser.client().goto(&platform).await;
        loaded.expect("the platform loads");
        let module = "document.querySelector('iframe').src = '/scorm.html?lesson=levels&steps=alike.forgotten'";
        browser.evaluate(module).await;
        let begun = format!("{status} === 'incomplete' && {location} === 'alike'");
        browser.wait_for("location", PATIENCE, &begun).await;
        for (step, percent) in [("alike", 50), ("forgotten", 100)] {
            for _ in 0..2 {
                let entered = browser.client().enter_frame(0).await;
                entered.expect("there is a frame in it");
            }
            wait_for_stage(&browser, step, "guess").await;
            browser.click("#lesson-pass").await;
            wait_for_stage(&browser, step, "act").await;
            browser.click("#lesson-show").await;
            wait_for_stage(&browser, step, "done").await;
            if percent < 100 {
                browser.click("#lesson-next").await;
            }
            for _ in 0..2 {
                let left = browser.client().clone().enter_parent_frame().await;
                left.expect("there is a page around");
            }
            let told = format!("{score} === '{percent}'");
            browser.wait_for("score", PATIENCE, &told).await;
            if percent < 100 {
                let unfinished = format!("return {status}");
                assert_eq!(browser.evaluate(&unfinished).await, "incomplete");
            }
        }
        let complete = format!("{status} === 'completed' && {location} === 'forgotten'");
        browser.wait_for("completion", PATIENCE, &complete).await;
        // Who comes back is where the location says, and nothing is lost.
        browser.evaluate(module).await;
        let ended = "calls.includes('Finish') || calls.includes('Terminate')";
        browser
            .wait_for("end of the first visit", PATIENCE, ended)
            .await;
        for _ in 0..2 {
            let entered = browser.client().enter_frame(0).await;
            entered.expect("there is a frame in it");
        }
        wait_for_stage(&browser, "forgotten", "guess").await;
    }
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
    // Steps that were not reached cannot be opened, by no way.
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

    page.goto("?lessons").await;
    let maker = "document.querySelector('#class-link')";
    page.wait_for("maker of links", PATIENCE, maker).await;
    page.click("#class-link summary").await;
    page.click("#class-link fieldset input").await;
    let made = "document.querySelector('#class-address').value.endsWith('?lessons=bottleneck')";
    page.wait_for("link", PATIENCE, made).await;
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
        "document.querySelector('#lesson-records').innerText.includes('none that was saved')";
    page.wait_for("refusal", PATIENCE, refused).await;
    let done = r#"{"strata":"lessons","version":1,"lessons":{"levels":{"version":1,"steps":{"alike":{"how":"did"}}}}}"#;
    choose("strata-lessons.json", done).await;
    let there = "document.querySelector('.lesson-list')?.innerText.includes('· done')";
    page.wait_for("what was done", PATIENCE, there).await;
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
