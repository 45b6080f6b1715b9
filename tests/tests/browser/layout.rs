//! The page on a phone, in dark colours, and by keyboard alone.

use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use serde_json::Value;
use strata_tests::browser::Options;

/// A script that returns elements which reach beyond the right edge of the screen and cannot be
/// scrolled into view; a page that is too wide would report itself.
const OVERFLOW: &str = "
    const width = screen.width;
    const clipped = element => {
        for (let it = element.parentElement; it; it = it.parentElement)
            if (getComputedStyle(it).overflowX !== 'visible' && it !== document.body && it !== document.documentElement) return true;
        return false;
    };
    const wide = [...document.body.querySelectorAll('*')]
        .filter(it => it.getBoundingClientRect().right > width + 0.5 && !clipped(it))
        .map(it => `${it.tagName} ${it.id} ${it.className}`);
    if (document.documentElement.scrollWidth > width) wide.push(`the page: ${document.documentElement.scrollWidth}`);
    return wide.slice(0, 5);";

#[tokio::test]
async fn nothing_is_wider_than_a_phone() {
    let page = Playground::open(Options::phone(), "").await;
    let fits = async |view: &str| {
        page.screenshot(&format!("phone-{view}")).await;
        let wide = page.evaluate(OVERFLOW).await;
        assert_eq!(wide, Value::Array(Vec::new()), "{view}");
    };
    fits("first-look").await;
    page.click("#train").await;
    page.wait_for_step(20).await;
    fits("training").await;
    page.click("#pause").await;
    page.wait_for_phase("paused").await;
    page.evaluate("document.querySelector('#attention').scrollIntoView({ block: 'center' })")
        .await;
    fits("attention").await;

    let long = "a b c d e ".repeat(12) + &"unknown".repeat(10);
    page.type_and_translate(&long).await;
    page.heat_map("translation-attention").await;
    fits("translation").await;
    page.evaluate(
        "document.querySelector('#translation-attention').scrollIntoView({ block: 'center' })",
    )
    .await;
    fits("translation-attention").await;
    page.click(".settings summary").await;
    page.evaluate("document.querySelector('.settings').scrollIntoView()")
        .await;
    fits("settings").await;
    page.choose("#preset", "german-english-levels").await;
    page.wait_for_phase("paused").await;
    page.open_tab("site").await;
    let prepared = "document.querySelector('[value=\"encoder.1.self\"]')";
    page.wait_for("other model", PATIENCE, prepared).await;
    page.choose("#attention-site", "encoder.1.self").await;
    let shown = "document.querySelector('#attention[data-site=\"encoder.1.self\"]')";
    page.wait_for("the other site", PATIENCE, shown).await;
    page.evaluate("document.querySelector('#attention').scrollIntoView({ block: 'center' })")
        .await;
    fits("german-attention").await;
}

/// The first screen shows, without scrolling, the button, the accuracy, and the matrix in which the
/// diagonal will appear.
#[tokio::test]
async fn the_first_screen_has_train_loss_and_the_picture() {
    let laptop = Options {
        size: (1366, 768),
        ..Options::default()
    };
    for options in [laptop, Options::phone()] {
        let page = Playground::open(options, "").await;
        page.heat_map("attention").await;
        page.screenshot("first-screen").await;
        let below = "return ['#train', '#stat-validation-loss', '#stat-validation-accuracy', '#stat-step', '#attention .plot']
            .filter(it => {
                const { top, bottom } = document.querySelector(it).getBoundingClientRect();
                // A window's own bars take some height, so most of the matrix is enough.
                return top + 0.6 * (bottom - top) > innerHeight;
            })";
        assert_eq!(page.evaluate(below).await, Value::Array(Vec::new()));
    }
}

#[tokio::test]
async fn the_page_is_dark_where_the_person_likes_it_dark() {
    let luminance = "
        const canvas = document.createElement('canvas').getContext('2d');
        const light = element => {
            canvas.fillStyle = getComputedStyle(element)[element === document.body ? 'backgroundColor' : 'color'];
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
            return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
        };
        return [light(document.body), light(document.querySelector('h1'))];";
    for (dark, name) in [(false, "light"), (true, "dark")] {
        let options = Options {
            size: (1280, 2000),
            dark,
            ..Options::default()
        };
        let page = Playground::open(options, "?preset=german-english-levels").await;
        page.click(".sample").await;
        page.heat_map("translation-attention").await;
        page.train_for(20).await;
        page.screenshot(&format!("{name}-page")).await;
        let light = page.evaluate(luminance).await;
        let [background, text]: [f64; 2] = serde_json::from_value(light).expect("two numbers");
        assert_eq!(
            background < text,
            dark,
            "{name}: background {background}, text {text}"
        );
        assert!(
            (background - text).abs() > 0.5,
            "{name}: background {background}, text {text}"
        );
        page.click(".settings summary").await;
        page.evaluate("document.querySelector('.settings').scrollIntoView()")
            .await;
        page.screenshot(&format!("{name}-settings")).await;
    }
}

#[tokio::test]
async fn the_keyboard_alone_trains_and_reads_the_heat_map() {
    let page = Playground::open(Options::default(), "").await;
    let tab_to = async |selector: &str| {
        for _ in 0..60 {
            if page.has_focus(selector).await {
                return;
            }
            page.press(char::from(Key::Tab)).await;
        }
        panic!("Tab does not reach {selector}");
    };
    tab_to("#train").await;
    page.screenshot("keyboard-focus").await;
    page.press(' ').await;
    page.wait_for_step(5).await;
    tab_to("#pause").await;
    page.press(char::from(Key::Enter)).await;
    page.wait_for_phase("paused").await;

    tab_to("#attention .plot").await;
    // Tokens repeat in a sequence, but its first and its last column always differ here.
    page.press(char::from(Key::Home)).await;
    let first = page.text("#attention-read-out").await;
    page.press(char::from(Key::End)).await;
    let changed = format!("document.querySelector('#attention-read-out').innerText !== {first:?}");
    page.wait_for("other cell", PATIENCE, &changed).await;
    let last = page.text("#attention-read-out").await;
    for text in [&first, &last] {
        assert!(text.contains("attends to"), "{text}");
    }
    let place = "const { style } = document.querySelector('#attention .cell');
                 return ['--row', '--column'].map(name => Number(style.getPropertyValue(name)))";
    let [row, column]: [u64; 2] =
        serde_json::from_value(page.evaluate(place).await).expect("a cell has a place");
    page.press(char::from(Key::Down)).await;
    page.press(char::from(Key::Left)).await;
    let moved = page.evaluate(place).await;
    assert_eq!(moved, serde_json::json!([row + 1, column - 1]));
    page.screenshot("keyboard-heat-map").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
