//! Lessons by keyboard alone, in the accessibility tree, without barriers, on a phone.

use crate::accessibility::assert_no_barrier;
use crate::lessons::{lesson, press_with_alt, wait_for_stage};
use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use serde_json::{Value, json};
use strata_tests::browser::Options;

/// A node of the accessibility tree, which screen readers read.
#[derive(Debug)]
struct Node {
    role: String,
    name: String,
    /// Properties of the node by name: `focused`, `live`, `level`, ….
    properties: Value,
}

/// Returns all nodes of the tree that are not ignored, in order.
async fn tree(page: &Playground) -> Vec<Node> {
    let tree = page
        .devtools("Accessibility.getFullAXTree", json!({}))
        .await;
    let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
    let nodes = nodes.iter().filter(|it| it["ignored"] != true);
    nodes
        .map(|node| {
            let all = node["properties"].as_array().cloned().unwrap_or_default();
            let pairs = all.iter().filter_map(|it| {
                let name = it["name"].as_str()?.to_owned();
                Some((name, it["value"]["value"].clone()))
            });
            Node {
                role: text(&node["role"]),
                name: text(&node["name"]),
                properties: Value::Object(pairs.collect()),
            }
        })
        .collect()
}

/// Returns the first node of a role whose name begins with `name`.
fn found<'a>(tree: &'a [Node], role: &str, name: &str) -> &'a Node {
    let mut nodes = tree.iter().filter(|it| it.role == role);
    let found = nodes.find(|it| it.name.starts_with(name));
    found.unwrap_or_else(|| panic!("no {role} “{name}” in {tree:?}"))
}

/// Returns the texts that the lesson's live region got since the last call.
async fn said(page: &Playground) -> Vec<String> {
    let said = "const all = window.said.splice(0); return all";
    serde_json::from_value(page.evaluate(said).await).expect("texts")
}

/// Records the texts that the live region gets.
async fn listen(page: &Playground) {
    page.evaluate(
        "window.said = [];
         const region = document.querySelector('#lesson-said');
         new MutationObserver(() => said.push(region.textContent))
             .observe(region, { childList: true, characterData: true, subtree: true })",
    )
    .await;
}

#[tokio::test]
async fn the_keyboard_alone_goes_through_a_lesson() {
    let page = lesson(Options::default(), "?lesson=alignment", "row", "guess").await;
    page.press(char::from(Key::F6)).await;
    assert!(page.has_focus("#lesson-title").await);
    let at_guess = tree(&page).await;
    let heading = found(&at_guess, "heading", "Step 1 of 7");
    assert_eq!(heading.properties["focused"], true, "{heading:?}");
    assert_eq!(heading.properties["level"], 2, "{heading:?}");
    found(&at_guess, "complementary", "Step 1 of 7");
    found(&at_guess, "group", "Your guess");
    listen(&page).await;
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
    // The focus stays where the learner has put it.
    assert!(page.has_focus("#step").await);
    let at_end = tree(&page).await;
    let live = at_end.iter().filter(|it| it.role == "status");
    let live: Vec<_> = live
        .filter(|it| it.properties["live"] == "polite")
        .collect();
    assert!(!live.is_empty(), "{at_end:?}");
    let noticed = said(&page).await;
    let times = noticed.iter().filter(|it| it.starts_with("Noticed."));
    assert_eq!(times.count(), 1, "{noticed:?}");
    // The picture is described in words: each row with its strongest column.
    let rows = page
        .evaluate(
            "return [...document.querySelectorAll('#lesson-picture li')].map(it => it.textContent)",
        )
        .await;
    let rows: Vec<String> = serde_json::from_value(rows).expect("texts");
    assert!(rows.len() > 4, "{rows:?}");
    let weights = rows.iter().map(|it| it.rsplit(' ').next().map(str::parse));
    for weight in weights {
        let weight: f64 = weight
            .expect("a row ends with its weight")
            .expect("a number");
        assert!((0.0..=1.0).contains(&weight), "{rows:?}");
    }
    found(&at_end, "button", "Next");
    page.press(char::from(Key::F6)).await;
    press_with_alt(&page, Key::Right).await;
    wait_for_stage(&page, "line", "guess").await;
    assert!(page.has_focus("#lesson-title").await);
    let second = tree(&page).await;
    found(&second, "heading", "Step 2 of 7");
    let group = found(&second, "group", "Your guess");
    assert_ne!(group.properties["focused"], true);
    found(&second, "radio", "A line from top left to bottom right");
    press_with_alt(&page, Key::Left).await;
    wait_for_stage(&page, "row", "guess").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_lesson_has_no_barrier() {
    look_for_barriers([(true, false), (false, true)]).await;
}

#[tokio::test]
async fn nightly_a_lesson_has_no_barrier_in_the_other_modes() {
    look_for_barriers([(false, false), (true, true)]).await;
}

/// Looks at a lesson that is dark or not, on a phone or not.
async fn look_for_barriers(modes: [(bool, bool); 2]) {
    for (dark, phone) in modes {
        let size = if phone {
            Options::phone()
        } else {
            Options::default()
        };
        let options = Options { dark, ..size };
        let page = lesson(
            options,
            "?lesson=bottleneck&fresh&show=1",
            "untrained",
            "guess",
        )
        .await;
        let view = |name: &str| format!("{name}, dark {dark}, phone {phone}");
        assert_no_barrier(&page, &view("guess")).await;
        page.click("#lesson-pass").await;
        wait_for_stage(&page, "untrained", "act").await;
        assert_no_barrier(&page, &view("action")).await;
        page.click("#lesson-show").await;
        wait_for_stage(&page, "untrained", "done").await;
        page.evaluate("document.querySelector('.lesson-steps').open = true")
            .await;
        assert_no_barrier(&page, &view("explanation")).await;
        page.goto("?lesson=bottleneck&step=free").await;
        wait_for_stage(&page, "free", "free").await;
        assert_no_barrier(&page, &view("free play")).await;
        for (query, there) in [
            ("?lessons", "document.querySelector('#lesson-records')"),
            ("?class", "document.querySelector('#class-code')"),
            (
                "?summary=bottleneck&print=teacher",
                "document.querySelector('.summary-answer')",
            ),
        ] {
            page.goto(query).await;
            page.wait_for(query, PATIENCE, there).await;
            assert_no_barrier(&page, &view(query)).await;
        }
    }
}

#[tokio::test]
async fn the_pyramid_is_walked_on_a_phone() {
    let query = "?lesson=pyramid&step=descent&fresh";
    let page = lesson(Options::phone(), query, "descent", "guess").await;
    let field = page.find("#lesson-guess").await;
    field.send_keys("20").await.expect("a guess can be typed");
    page.click("#lesson-take-guess").await;
    wait_for_stage(&page, "descent", "act").await;
    // The requested tab lies in the free part above the lesson, and can be pressed.
    let free = "const tab = document.querySelector('#tab-descent').getBoundingClientRect();
        const lesson = document.querySelector('#lesson').getBoundingClientRect();
        return [tab.top >= 0, tab.bottom <= lesson.top, lesson.height <= 0.46 * innerHeight,
                document.documentElement.scrollWidth <= screen.width]";
    assert_eq!(page.evaluate(free).await, json!([true, true, true, true]));
    page.press_tab("descent").await;
    wait_for_stage(&page, "descent", "done").await;
    assert_eq!(page.text(".lesson-measured .value").await, "9");
    page.screenshot("lesson-pyramid-phone").await;
    page.click("#lesson-next").await;
    wait_for_stage(&page, "learns", "guess").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// On a laptop's screen a step about a picture shows both the picture and its own text.
#[tokio::test]
async fn the_picture_of_a_step_is_in_view() {
    let query = "?lesson=levels&step=alike&fresh";
    let page = lesson(Options::default(), query, "alike", "guess").await;
    let seen = "const place = selector => document.querySelector(selector).getBoundingClientRect();
        const [map, level] = [place('#attention'), place('#attention-level')];
        return [level.top >= 0, level.bottom <= innerHeight, map.top + 100 <= innerHeight]";
    assert_eq!(page.evaluate(seen).await, json!([true, true, true]));
    page.click("#lesson-pass").await;
    wait_for_stage(&page, "alike", "act").await;
    assert_eq!(page.evaluate(seen).await, json!([true, true, true]));
}
