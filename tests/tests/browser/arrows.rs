//! The preset “Follow the arrows”: a model that learned with one level follows eleven.

use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use serde_json::json;
use std::time::Duration;
use strata_tests::browser::Options;

/// Time limit for a run that learns to follow the arrows.
const LEARNING: Duration = Duration::from_secs(300);

/// Opens the preset, and waits for its picture.
async fn open(options: Options) -> Playground {
    let page = Playground::open(options, "?v=1&preset=arrows").await;
    let first = "document.querySelector('#seeing[data-view=\"arrows\"][data-step] .arrows')";
    page.wait_for("arrows, the first view of the preset", PATIENCE, first)
        .await;
    page
}

/// Moves the slider of the levels, and waits for the picture with so many levels.
async fn ask_with(page: &Playground, levels: usize) {
    let slide = format!(
        "const slider = document.querySelector('#levels'); slider.value = '{levels}';
         slider.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    );
    page.evaluate(&slide).await;
    let drawn = format!("document.querySelector('.arrows')?.dataset.levels === '{levels}'");
    page.wait_for(&format!("{levels} levels"), PATIENCE, &drawn)
        .await;
}

/// Counts the elements that match a CSS selector.
async fn count(page: &Playground, selector: &str) -> u64 {
    let script = format!("return document.querySelectorAll('{selector}').length");
    page.evaluate(&script).await.as_u64().unwrap_or_default()
}

#[tokio::test]
async fn a_model_that_learned_with_one_level_follows_eleven() {
    let page = open(Options::default()).await;
    page.click("#train").await;
    // The page asks whether a run that makes no fault should go on.
    let learned = "document.querySelector('#go-on') || document.querySelector('#status').dataset.state === 'finished'";
    page.wait_for("end of the run", LEARNING, learned).await;
    assert!(page.instrument("validation-accuracy").await >= 0.95);
    let told = page.text("#arrows-words").await;
    assert!(
        told.starts_with("Trained and asked with 1 level: from"),
        "{told}"
    );
    assert!(told.contains("2 arrows lead to"), "{told}");
    page.screenshot("arrows-trained").await;

    ask_with(&page, 11).await;
    // An arrow for each level, and a dashed one for the name that the values bring.
    assert_eq!(count(&page, ".arrows-circle path.stroke-accent").await, 11);
    assert_eq!(
        count(&page, ".arrows-circle path.stroke-second[stroke-dasharray]").await,
        1
    );
    let told = page.text("#arrows-words").await;
    assert!(
        told.starts_with("Trained with 1 level, asked with 11: from"),
        "{told}"
    );
    assert!(told.contains("12 arrows lead to"), "{told}");
    let right = "return Number(document.querySelector('.arrows').dataset.placesRight)";
    let right = page.evaluate(right).await.as_f64().unwrap_or_default();
    assert!(right >= 13.0, "{right} of 16");
    let counts = page.text("#arrows-counts").await;
    assert!(
        counts.contains("right for 12 arrows. The task of this run asks for 2 arrows"),
        "{counts}"
    );
    // The held-out accuracy is that of two arrows, for which eleven levels are too many.
    let measured = "Number(document.querySelector('#muted-measured')?.dataset.accuracy) < 0.5";
    page.wait_for("accuracy for two arrows", PATIENCE, measured)
        .await;
    let asked = page.text("#muted-asked").await;
    assert!(asked.contains("asks for k = 2"), "{asked}");
    let maps =
        "return [...document.querySelectorAll('.arrows-maps figcaption')].map(it => it.innerText)";
    assert_eq!(page.evaluate(maps).await, json!(["A", "A²", "A³", "A¹¹"]));
    page.screenshot("arrows").await;

    // The arrow keys go round the circle, a press chooses a place.
    page.evaluate("document.querySelector('#place-0').focus()")
        .await;
    page.press(char::from(Key::Left)).await;
    let last = "document.querySelector('.arrows').dataset.place === '15' && document.activeElement.id === 'place-15' \
                && document.querySelector('#place-15').getAttribute('aria-checked') === 'true'";
    page.wait_for("the last place", PATIENCE, last).await;
    page.click("#place-3").await;
    let fourth = "document.querySelector('.arrows').dataset.place === '3'";
    page.wait_for("the fourth place", PATIENCE, fourth).await;
    page.choose("#arrows-head", "mean").await;
    let mean = "document.querySelector('#arrows-head').value === 'mean'";
    page.wait_for("mean of the heads", PATIENCE, mean).await;
    page.click("#arrows-numbers").await;
    assert_eq!(count(&page, ".arrows .numbers tbody tr").await, 11 + 16);

    page.click(".arrows-maps .thumbnail[data-level='11']").await;
    let opened = "document.querySelector('#seeing[data-view=\"site\"]') && \
                  document.querySelector('#attention-level')?.value === '11'";
    page.wait_for("the last level in full", PATIENCE, opened)
        .await;
    page.open_tab("arrows").await;
    page.click("#put-back").await;
    let whole = "document.querySelector('.arrows')?.dataset.levels === '1' && !document.querySelector('#muted')";
    page.wait_for("the model as it was trained", PATIENCE, whole)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn another_task_has_no_arrows_and_the_preset_begins_with_them_again() {
    let page = open(Options::default()).await;
    page.choose("#preset", "copy").await;
    let gone = "!document.querySelector('#tab-arrows') && \
                document.querySelector('#seeing[data-view=\"network\"][data-step]')";
    page.wait_for("a task without arrows", PATIENCE, gone).await;
    page.choose("#preset", "arrows").await;
    let again = "document.querySelector('#seeing[data-view=\"arrows\"][data-step] .arrows')";
    page.wait_for("arrows again", PATIENCE, again).await;
    page.choose("#preset", "reading").await;
    let answer = "document.querySelector('#seeing[data-view=\"answer\"][data-step]')";
    page.wait_for("the answer of a reader", PATIENCE, answer)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_tab_that_is_pressed_before_the_run_is_there_stays_open() {
    let page = Playground::open(Options::default(), "").await;
    let press = "new MutationObserver((_, changes) => {
        const tab = document.querySelector('#tab-site');
        if (tab) { changes.disconnect(); tab.click(); }
    }).observe(document, { childList: true, subtree: true })";
    page.run_first(press).await;
    page.goto("?v=1&preset=arrows").await;
    page.wait_for_phase("paused").await;
    let map = "document.querySelector('#seeing[data-view=\"site\"][data-step] [data-weights]')";
    page.wait_for("map, which was pressed", PATIENCE, map).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn on_a_phone_the_circle_fits_and_its_letters_can_be_read() {
    let dark = Options {
        dark: true,
        ..Options::phone()
    };
    let page = open(dark).await;
    ask_with(&page, 11).await;
    page.evaluate("document.querySelector('.arrows').scrollIntoView()")
        .await;
    page.screenshot("arrows-phone").await;
    let wide = "return document.documentElement.scrollWidth > screen.width";
    assert_eq!(page.evaluate(wide).await, false);
    let small = "const svg = document.querySelector('.arrows-circle svg');
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return [...svg.querySelectorAll('text')].filter(it => it.getAttribute('font-size') * scale < 10).length";
    assert_eq!(page.evaluate(small).await, 0);
    let clipped =
        "const { right } = document.querySelector('.arrows-circle svg').getBoundingClientRect();
        return right > screen.width";
    assert_eq!(page.evaluate(clipped).await, false);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// A worker that answers late must not move the slider back under the user's hand.
#[tokio::test]
async fn every_press_on_the_slider_counts_though_the_worker_answers_late() {
    let page = open(Options::default()).await;
    let late = "const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (...of) { setTimeout(() => post.apply(this, of), 400) }";
    page.run_first(late).await;
    page.goto("?v=1&preset=arrows").await;
    let first = "document.querySelector('#seeing[data-view=\"arrows\"][data-step] .arrows')";
    page.wait_for("arrows", PATIENCE, first).await;
    for _ in 0..6 {
        let slider = page.find("#levels").await;
        slider
            .send_keys(&char::from(Key::Right).to_string())
            .await
            .expect("a key");
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    let drawn = "document.querySelector('.arrows')?.dataset.levels === '7'";
    page.wait_for("seven levels", PATIENCE, drawn).await;
    assert_eq!(page.chosen("#levels").await, "7");
}
