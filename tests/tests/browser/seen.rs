//! Visibility of everything that page and lessons mention: the whole map while the weights change,
//! the line in the map, and the numbers of the headline at the ends of the curves.

use std::time::Duration;

use serde_json::{Value, json};
use strata_lessons::Start;
use strata_lessons::folder::read_all;
use strata_tests::browser::{Browser, Options};

use crate::playground::{PATIENCE, Playground};

/// Time limit of a run that takes seconds on an idle machine.
const LEARNING: Duration = Duration::from_secs(240);

/// A script that returns the sides on which the map with its labels reaches beyond the part of the
/// window that neither a lesson nor the slider of earlier steps covers; `null` if there is no map.
const BEYOND: &str = "
    const map = document.querySelector('#attention .matrix')?.getBoundingClientRect();
    if (!map) return null;
    const sheet = document.querySelector('#lesson')?.getBoundingClientRect();
    const covers = sheet && sheet.top > 0.3 * innerHeight && sheet.bottom >= innerHeight - 1;
    const slider = document.querySelector('.timeline')?.getBoundingClientRect();
    const bottom = Math.min(covers ? sheet.top : innerHeight, slider?.top ?? innerHeight);
    return Object.entries({
        above: -map.top, below: map.bottom - bottom, left: -map.left, right: map.right - innerWidth,
    }).filter(([, by]) => by > 0.5).map(([side, by]) => `${side} ${Math.round(by)}`)";

fn laptop() -> Options {
    Options {
        size: (1366, 768),
        ..Options::default()
    }
}

#[tokio::test]
async fn the_map_is_whole_on_the_first_screen_and_its_axes_have_titles() {
    for options in [laptop(), Options::phone()] {
        let page = Playground::open(options, "").await;
        page.heat_map("attention").await;
        page.screenshot(&format!("seen-first-{}", options.size.0))
            .await;
        // A phone shows the buttons first: there most of the map is enough.
        if !options.phone {
            assert_eq!(page.evaluate(BEYOND).await, json!([]));
        }
        let titles =
            "return [...document.querySelectorAll('#attention .axis')].map(it => it.innerText)";
        assert_eq!(page.evaluate(titles).await, json!(["reads →", "writes →"]));
        assert_eq!(page.errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_map_is_whole_in_steps_of_lessons() {
    look_at_maps(1).await;
}

#[tokio::test]
async fn nightly_the_map_is_whole_in_further_steps_of_lessons() {
    look_at_maps(4).await;
}

/// Looks at the map in the first steps of each lesson.
async fn look_at_maps(steps: usize) {
    let folder = strata_tests::here().join("../www/lessons");
    let lessons = read_all(&folder).expect("the lessons can be read");
    let page = Playground::around(Browser::open(laptop(), "?lessons").await);
    let (mut failures, mut maps) = (Vec::new(), 0);
    for files in &lessons {
        // Steps that begin at an untrained model are set up in a moment.
        let quick = |step: &&strata_lessons::Step| step.setup.from == Start::Step(0);
        for step in files.lesson.steps.iter().filter(quick).take(steps) {
            let place = format!("{}, step {}", files.name, step.id);
            page.goto(&format!("?lesson={}&step={}&fresh", files.name, step.id))
                .await;
            let region = format!(
                "document.querySelector('#lesson[data-step=\"{}\"]')",
                step.id
            );
            let set_up = format!("['guess', 'act', 'refused'].includes({region}?.dataset.stage)");
            page.wait_for("set-up", LEARNING, &set_up).await;
            page.wait_for(
                "view",
                PATIENCE,
                "document.querySelector('#seeing[data-step]')",
            )
            .await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            match page.evaluate(BEYOND).await {
                Value::Array(beyond) if beyond.is_empty() => maps += 1,
                Value::Null => {}
                beyond => failures.push(format!("{place}: {beyond}")),
            }
            page.screenshot(&format!("seen-{}-{}", files.name, step.id))
                .await;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(maps >= 4, "{maps} maps were measured");
}

/// The question at the end takes the place of a line, and the legend of the curves takes two.
#[tokio::test]
async fn the_map_stays_whole_while_the_page_asks_whether_to_go_on() {
    let page = Playground::open(laptop(), "").await;
    page.heat_map("attention").await;
    let top = "return document.querySelector('#attention .matrix').getBoundingClientRect().top";
    let before = page.evaluate(top).await;
    page.click("#train").await;
    page.wait_for("question", LEARNING, "document.querySelector('#go-on')")
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    page.screenshot("seen-question").await;
    // The question is spoken, and its buttons are not.
    let spoken =
        "return [...document.querySelectorAll('.able [role=status]')].map(it => it.textContent)";
    let question = "It can do it: no fault in two validations. Go on?";
    assert_eq!(page.evaluate(spoken).await, json!([question]));
    assert_eq!(page.evaluate(BEYOND).await, json!([]));
    assert_eq!(page.evaluate(top).await, before);
    let gaps = "const lines = [...document.querySelectorAll('.curve-legend > span')].map(it => it.getBoundingClientRect());
                return lines.slice(1).map((it, at) => it.top - lines[at].bottom)";
    let gaps: Vec<f64> = serde_json::from_value(page.evaluate(gaps).await).expect("gaps");
    assert!(
        !gaps.is_empty() && gaps.iter().all(|gap| *gap < 12.0),
        "{gaps:?}"
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Headline, list of runs, read-out and the last dot of the curve are one number.
#[tokio::test]
async fn headline_table_and_curve_end_at_one_number() {
    let page = Playground::open(Options::default(), "").await;
    page.click("#train").await;
    page.wait_for_step(110).await;
    page.click("#pause").await;
    page.wait_for_phase("paused").await;
    for (quantity, instrument) in [
        ("accuracy", "validation-accuracy"),
        ("loss", "validation-loss"),
    ] {
        let shown = format!(
            "const chart = document.querySelector('[data-quantity=\"{quantity}\"]');
             const place = [...document.querySelectorAll('.curve')].indexOf(chart);
             return [document.querySelector('#stat-{instrument}').innerText,
                     document.querySelector('.runs-drawn tbody tr').querySelectorAll('td b')[place].innerText,
                     chart.querySelector('.read-out .validation b').innerText]"
        );
        let shown: [String; 3] =
            serde_json::from_value(page.evaluate(&shown).await).expect("texts");
        assert!(
            shown.iter().all(|it| *it == shown[0] && it != "–"),
            "{shown:?}"
        );
    }
    // Accuracy is drawn from 0 to 1 over the height of 400.
    let dot = "const path = document.querySelector('[data-quantity=\"accuracy\"] .dots').getAttribute('d');
               return 1 - Number(/ ([\\d.]+)h0$/.exec(path)[1]) / 400";
    let dot = page.evaluate(dot).await.as_f64().expect("a place");
    let accuracy = page.instrument("validation-accuracy").await;
    assert!((dot - accuracy).abs() < 0.002, "{dot}, {accuracy}");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_recorded_run_plays_until_train_and_the_diagonal_is_told() {
    let page = Playground::open(Options::default(), "").await;
    let played = "document.querySelector('#recorded')?.dataset.step > 0 && \
                  document.querySelector('#recorded').innerText.includes('Recorded')";
    page.wait_for("recorded run", PATIENCE, played).await;
    page.screenshot("seen-recorded").await;
    page.click("#train").await;
    let gone = "!document.querySelector('#recorded')";
    page.wait_for("map of one's own", PATIENCE, gone).await;
    let told = "document.querySelector('#attention .found').innerText.includes('each letter looks at its own place')";
    page.wait_for("word on the diagonal", LEARNING, told).await;
    let ringed = "document.querySelector('#attention .ring')";
    page.screenshot("seen-diagonal").await;
    let over = format!("!{ringed}");
    page.wait_for("ring that goes", PATIENCE, &over).await;
    // Once it can do it, the page asks; the run goes on if it is told to.
    page.wait_for("question", LEARNING, "document.querySelector('#go-on')")
        .await;
    let asked = page.step().await;
    page.click("#go-on").await;
    page.wait_for_step(asked + 20).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_word_is_split_and_what_was_not_learned_is_told_before_the_answer() {
    let page = Playground::open(Options::default(), "").await;
    let learned = page.text("#learned").await;
    assert!(learned.contains("10 to 20 letters, a to"), "{learned}");
    assert_eq!(page.text("#translate-button").await, "Copy");
    page.find("#translate-input")
        .await
        .send_keys("hello")
        .await
        .expect("the field takes letters");
    let told = "document.querySelector('#outside').innerText.startsWith('5 letters: shorter')";
    page.wait_for("warning", PATIENCE, told).await;
    page.click("#translate-button").await;
    let map = page.heat_map("translation-attention").await;
    assert!(map.weights[0].len() >= 5, "{:?}", map.weights);
    assert_eq!(page.chosen("#translate-input").await, "h e l l o");
    page.choose("#preset", "reverse").await;
    let verb = "document.querySelector('#translate-button').innerText === 'Reverse'";
    page.wait_for("verb of the task", PATIENCE, verb).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_link_carries_view_example_and_sentence() {
    let page = Playground::open(
        Options::default(),
        "?preset=copy&view=norms&example=3&text=h+e+l+l+o",
    )
    .await;
    let there = "document.querySelector('#seeing[data-view=\"norms\"]') && \
                 document.querySelector('#example').innerText === '3'";
    page.wait_for("place of the link", PATIENCE, there).await;
    page.heat_map("translation-attention").await;
    assert_eq!(page.chosen("#translate-input").await, "h e l l o");
    // The same place is copied again. Without a clipboard the link is shown.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        .await;
    page.click("#copy-link").await;
    page.wait_for("link", PATIENCE, "document.querySelector('#copy-by-hand')")
        .await;
    let link = page.chosen("#copy-by-hand").await;
    for part in ["view=norms", "example=3", "text=h+e+l+l+o"] {
        assert!(link.contains(part), "{link}");
    }
    page.goto("?preset=copy&view=nothing").await;
    page.message_with("“view=nothing”").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// A press on a weight opens the computation below the map, which stays.
#[tokio::test]
async fn a_cell_opens_below_its_map_and_its_number_stands_beside_the_pointer() {
    let page = Playground::open(Options::default(), "").await;
    page.open_tab("site").await;
    page.heat_map("attention").await;
    page.evaluate("document.querySelector('#attention .plot').focus()")
        .await;
    page.wait_for(
        "bubble",
        PATIENCE,
        "/^0\\.\\d\\d\\s/.test(document.querySelector('#attention .bubble')?.innerText)",
    )
    .await;
    page.press(' ').await;
    let below = "document.querySelector('.cell-view #cell-weight')?.getBoundingClientRect().top \
                 >= document.querySelector('.cell-view #attention .matrix')?.getBoundingClientRect().bottom";
    page.wait_for("computation below the map", PATIENCE, below)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
