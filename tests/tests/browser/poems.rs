//! Poems in the page: a file to train on, a plan, a poem, and its details.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::key::Key;
use serde_json::{Value, json};
use strata_tests::browser::Options;
use strata_tests::cli::Workplace;
use strata_tests::poems::{CHARACTERS, poems};

use crate::accessibility::assert_no_barrier;
use crate::data;
use crate::exporting::Downloads;
use crate::playground::{PATIENCE, Playground};

/// Opens a page with a model that was trained on a small file for a few steps.
async fn trained() -> Playground {
    let page = Playground::open(Options::default(), "").await;
    let place = Workplace::new();
    page.choose("#preset", "poems").await;
    page.message_with("learns from quatrains").await;
    page.click(".message button").await;
    let open = "document.querySelector('.data').open && \
                document.querySelector('#data-form').value === 'poems'";
    page.wait_for("panel for the file", PATIENCE, open).await;
    data::choose(&page, &place.path(""), "poems.txt", poems(800).as_bytes()).await;
    let told = "Number(document.querySelector('#data-summary')?.dataset.training) > 2000";
    page.wait_for("poems", PATIENCE, told).await;
    page.click("#data-prepare").await;
    page.wait_for(
        "place of poems",
        PATIENCE,
        "document.querySelector('#poem-text')",
    )
    .await;
    page.wait_for_phase("paused").await;
    page.evaluate("document.querySelectorAll('.message button').forEach(it => it.click())")
        .await;
    page.train_for(3).await;
    page.choose("#poem-length", "5").await;
    page
}

/// Trains a model with `depth` levels in the terminal, for a few steps. Returns its file.
fn trained_file(place: &Workplace, depth: usize) -> PathBuf {
    place.write("poems.txt", poems(800));
    let train = format!(
        "train --preset ppg_ham_5_smoke task.source=poems.txt task.length=five model.embedding=16 \
         model.encoder_hidden=16 model.decoder_hidden=16 model.attention.depth={depth} \
         training.epochs=0 training.steps=20 --out depth-{depth}"
    );
    place.run(&train).succeeded();
    place.path(&format!("depth-{depth}/checkpoint.safetensors"))
}

/// Opens a page with the model of a file, which takes less time than to train there.
async fn opened(options: Options, file: &Path) -> Playground {
    let page = Playground::open(options, "").await;
    page.click("#runs summary").await;
    page.choose_file("#model-file", file).await;
    page.message_with("writes poems below").await;
    assert!(page.has_focus("#poem-text").await);
    page.click(".message button").await;
    page.choose("#poem-length", "5").await;
    page
}

/// Opens the page and chooses the sample of poems that the page serves.
async fn with_sample() -> Playground {
    let page = Playground::open(Options::default(), "").await;
    let fetched = "return performance.getEntriesByType('resource').some(it => it.name.includes('tang-quatrains'))";
    assert_eq!(page.evaluate(fetched).await, json!(false));
    page.choose("#preset", "quatrains").await;
    page.wait_for("place of poems", PATIENCE, SAMPLE_IS_READY)
        .await;
    page.wait_for_phase("paused").await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.chosen("#preset").await, "quatrains");
    page
}

const SAMPLE_IS_READY: &str =
    "document.querySelector('#poem-text') && document.querySelector('#poem-sample')";

/// A visitor without a file: one choice, some steps, and a poem.
#[tokio::test]
async fn the_sample_of_the_page_brings_a_poem() {
    let page = with_sample().await;
    page.train_for(2).await;
    assert_eq!(written(&page, "明月").await.len(), 4);
    // A file of one's own is a press away.
    page.click("#poem-own-file").await;
    let open = "document.querySelector('.data').open && \
                document.querySelector('#data-form').value === 'poems'";
    page.wait_for("panel for the file", PATIENCE, open).await;
    // A link to the preset, and a reload, bring the sample again.
    page.goto("?preset=quatrains&seed=2").await;
    page.wait_for("place of poems", PATIENCE, SAMPLE_IS_READY)
        .await;
    page.wait_for_phase("paused").await;
    page.train_for(2).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// All steps of the preset, about half a minute.
#[tokio::test]
async fn nightly_the_sample_of_the_page_is_learned_within_a_minute() {
    let page = with_sample().await;
    page.click("#train").await;
    let ended = "document.querySelector('#status').dataset.state === 'finished'";
    page.wait_for("end of training", Duration::from_secs(300), ended)
        .await;
    let poem = written(&page, "明月").await;
    assert_eq!(poem.len(), 4);
    // It has learned lines by heart, whole or in parts: two neighbours in a line of the poem stand
    // together in the sample as well.
    let sample = fs::read_to_string(strata_tests::here().join("../www/tang-quatrains.tsv"));
    let sample = sample.expect("the sample of the page");
    let pairs = poem.iter().flat_map(|line| {
        let characters: Vec<char> = line.chars().collect();
        let pairs = characters.windows(2).map(|pair| pair.iter().collect());
        pairs.collect::<Vec<String>>()
    });
    let known: Vec<bool> = pairs.map(|pair| sample.contains(&pair)).collect();
    let share = known.iter().filter(|it| **it).count() as f64 / known.len() as f64;
    assert!(share > 0.5, "{share} of {poem:?}");
    page.screenshot("poem-of-the-sample").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Replaces the text of the poem's topic, and asks for a poem.
async fn ask(page: &Playground, text: &str) {
    let script = format!(
        "const box = document.querySelector('#poem-text'); box.value = {};
         box.dispatchEvent(new InputEvent('input', {{ bubbles: true }}))",
        json!(text)
    );
    page.evaluate(&script).await;
    page.click("#poem-button").await;
}

/// Asks for a poem, waits until it is complete, and returns its lines.
pub async fn written(page: &Playground, text: &str) -> Vec<String> {
    ask(page, text).await;
    lines(page).await
}

async fn lines(page: &Playground) -> Vec<String> {
    let grown = "document.querySelector('.sheet')?.dataset.grown === 'true' && \
                 document.querySelector('#poem-button').ariaBusy === 'false'";
    page.wait_for("whole poem", PATIENCE, grown).await;
    let lines = "return [...document.querySelectorAll('.verse')]
        .map(verse => [...verse.querySelectorAll('.character')].map(it => it.innerText).join(''))";
    serde_json::from_value(page.evaluate(lines).await).expect("lines")
}

async fn keywords(page: &Playground) -> Vec<String> {
    let words = "return [...document.querySelectorAll('.chip input')].map(it => it.value)";
    serde_json::from_value(page.evaluate(words).await).expect("words")
}

#[tokio::test]
async fn a_poem_grows_by_its_plan_and_goes_on_from_another_character() {
    let page = trained().await;
    let poem = written(&page, "春江").await;
    assert_eq!(poem.len(), 4);
    for line in &poem {
        assert_eq!(line.chars().count(), 5, "{line}");
        assert!(line.chars().all(|it| CHARACTERS.contains(it)), "{line}");
    }
    assert_eq!(keywords(&page).await[..2], ["春", "江"]);
    let style = "return getComputedStyle(document.querySelector('.poem')).writingMode";
    assert_eq!(page.evaluate(style).await, json!("vertical-rl"));
    page.click("#poem-turn").await;
    let turned =
        "getComputedStyle(document.querySelector('.poem')).writingMode === 'horizontal-tb'";
    page.wait_for("lines from left to right", PATIENCE, turned)
        .await;
    page.click("#poem-turn").await;

    // By keyboard to the first character of the second line; the first line is tinted then.
    page.evaluate("document.querySelector('.character').focus()")
        .await;
    page.press(char::from(Key::Left)).await;
    page.wait_for(
        "second line",
        PATIENCE,
        "document.querySelector('[data-at=\"1-0\"]').ariaPressed === 'true'",
    )
    .await;
    assert!(page.has_focus("[data-at=\"1-0\"]").await);
    let tinted = "[...document.querySelectorAll('[data-at^=\"0-\"]')]
        .some(it => parseFloat(it.style.getPropertyValue('--tint')) > 0)";
    page.wait_for("tints", PATIENCE, tinted).await;
    page.wait_for(
        "slider of the levels",
        PATIENCE,
        "document.querySelector('#poem-level')?.max === '5'",
    )
    .await;
    page.screenshot("poem").await;

    let other = page
        .evaluate(
            "const other = [...document.querySelectorAll('#poem-candidates button')]
                .find(it => it.ariaPressed === 'false');
             const character = other.querySelector('b').innerText; other.click(); return character",
        )
        .await;
    let there = format!("document.querySelector('[data-at=\"1-0\"]')?.innerText === {other}");
    page.wait_for("other character", PATIENCE, &there).await;
    let next = lines(&page).await;
    assert_eq!(next[0], poem[0]);

    // The keywords in another order, and one of the user's own.
    page.click(".chip:first-child .moves button:last-child")
        .await;
    let moved = "document.querySelector('#keyword-1').value === '江'";
    page.wait_for("other order", PATIENCE, moved).await;
    page.click("#poem-write").await;
    lines(&page).await;
    assert_eq!(keywords(&page).await[..2], ["江", "春"]);
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn whatever_is_typed_becomes_a_poem_or_a_sentence() {
    // Here and not in the terminal, which would read the traditional characters as simplified ones.
    let page = trained().await;
    for typed in ["snow", "🙂", ""] {
        ask(&page, typed).await;
        let message = page.message_with("no Chinese character").await;
        assert!(message.ends_with('.'), "no sentence: {message}");
        page.click(".message button").await;
        let away = "document.querySelectorAll('.message').length === 0";
        page.wait_for("message away", PATIENCE, away).await;
    }
    let long = "山水云风雪月夜，".repeat(250);
    let origins = "[...document.querySelectorAll('.chip')].map(it => it.dataset.origin).join(' ')";
    for (typed, expected) in [
        ("暖冬", "drawn drawn drawn drawn"),
        ("風雲", "drawn drawn drawn drawn"),
        (&long, "text text text text"),
    ] {
        ask(&page, typed).await;
        let told = format!("{origins} === '{expected}'");
        page.wait_for("plan", PATIENCE, &told).await;
        assert_eq!(lines(&page).await.len(), 4);
    }
    // Four characters for four lines.
    page.evaluate(
        "const box = document.querySelector('#poem-acrostic'); box.value = '春江';
         box.dispatchEvent(new InputEvent('input', { bubbles: true }))",
    )
    .await;
    ask(&page, "月").await;
    page.message_with("acrostic").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn poems_have_no_barrier() {
    let place = Workplace::new();
    let file = trained_file(&place, 5);
    for (dark, phone) in [(false, false), (true, false), (false, true), (true, true)] {
        let size = if phone {
            Options::phone()
        } else {
            Options::default()
        };
        let page = opened(Options { dark, ..size }, &file).await;
        written(&page, "春江").await;
        page.evaluate("document.querySelector('[data-at=\"2-1\"]').focus()")
            .await;
        page.wait_for(
            "what could stand there",
            PATIENCE,
            "document.querySelector('#poem-candidates')",
        )
        .await;
        assert_no_barrier(&page, &format!("poem, dark {dark}, phone {phone}")).await;
        let wide = "return document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(page.evaluate(wide).await, json!(true), "phone {phone}");
        page.screenshot(&format!("poem-{dark}-{phone}")).await;
    }
}

/// Two models of different depths, each from a file, without the poems of either.
#[tokio::test]
async fn two_depths_write_by_one_plan_side_by_side() {
    let place = Workplace::new();
    let [three, five] = [3, 5].map(|depth| trained_file(&place, depth));
    for (dark, phone) in [(false, false), (true, true)] {
        let size = if phone {
            Options::phone()
        } else {
            Options::default()
        };
        let page = opened(Options { dark, ..size }, &three).await;
        let own = written(&page, "雲月").await;

        // The model that is laid beside writes the present poem at once, by the same keywords.
        page.click(".poems-beside summary").await;
        page.choose_file("#poem-beside-file", &five).await;
        let whole = "document.querySelector('#poem-beside-sheet')?.dataset.grown === 'true'";
        page.wait_for("poem beside", PATIENCE, whole).await;
        let names = "return [...document.querySelectorAll('.poem-name')].map(it => it.innerText)";
        let expected = json!([
            "This model: checkpoint, depth 3",
            "Beside: checkpoint, depth 5"
        ]);
        assert_eq!(page.evaluate(names).await, expected);
        let groups = "return [...document.querySelectorAll('.poem')].map(it => it.ariaLabel)";
        let expected = json!([
            "Poem · This model: checkpoint, depth 3",
            "Poem · Beside: checkpoint, depth 5"
        ]);
        assert_eq!(page.evaluate(groups).await, expected);
        assert_eq!(lines(&page).await[..4], own);
        for told in ["4-grams", "Perplexity", "Lines 2 and 4", "level 3"] {
            let told = format!(
                "[...document.querySelectorAll('.poem-figures')].filter(it => it.innerText.includes('{told}')).length === 2"
            );
            page.wait_for("figures of both", PATIENCE, &told).await;
        }

        // A press on a character of either poem continues with the model of that poem.
        page.evaluate("document.querySelector('#poem-beside-sheet [data-at=\"1-0\"]').focus()")
            .await;
        let levels = "document.querySelector('#poem-beside-level')?.max === '5'";
        page.wait_for("levels of the second", PATIENCE, levels)
            .await;
        assert_no_barrier(&page, &format!("two poems, dark {dark}, phone {phone}")).await;
        let wide = "return document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(page.evaluate(wide).await, json!(true), "phone {phone}");
        page.screenshot(&format!("two-poems-{dark}-{phone}")).await;
        let other = page
            .evaluate(
                "const other = [...document.querySelectorAll('#poem-beside-candidates button')]
                    .find(it => it.ariaPressed === 'false');
                 const character = other.querySelector('b').innerText; other.click(); return character",
            )
            .await;
        let there = format!(
            "document.querySelector('#poem-beside-sheet [data-at=\"1-0\"]')?.innerText === {other}"
        );
        page.wait_for("other character", PATIENCE, &there).await;
        page.wait_for("poem beside", PATIENCE, whole).await;
        assert_eq!(lines(&page).await[..4], own);

        // The second poem is saved as a picture of pixels, too.
        let downloads = Downloads::of(&page).await;
        page.click("#poem-beside-png").await;
        let png = downloads.file("poem-beside.png").await;
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");

        page.choose("#poem-beside-run", "").await;
        let alone = "!document.querySelector('#poem-beside-sheet')";
        page.wait_for("one poem", PATIENCE, alone).await;
        assert_eq!(page.errors().await, Vec::<String>::new());
    }
}

/// Returns a folder with a run, `run`, that was trained a little on the poems.
pub fn with_run() -> Workplace {
    let place = Workplace::new();
    place.write("poems.txt", poems(800));
    let train = "train --preset ppg_smoke task.source=poems.txt task.length=five model.embedding=16 \
                 model.encoder_hidden=16 model.decoder_hidden=16 training.epochs=0 training.steps=20 \
                 --out run";
    place.run(train).succeeded();
    place
}

/// The poems are not here, but the model's file has its readings.
#[tokio::test]
async fn a_model_of_the_command_line_writes_with_its_readings() {
    let place = with_run();
    let printed = place
        .run("poem --model run --length 5 --json 雲月")
        .succeeded();
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    let page = Playground::open(Options::default(), "").await;
    page.click("#runs summary").await;
    let file = place.path("run/checkpoint.safetensors");
    assert!(fs::metadata(&file).is_ok());
    page.choose_file("#model-file", &file).await;
    page.message_with("writes poems below").await;
    page.choose("#poem-length", "5").await;
    let poem = written(&page, "雲月").await;
    let expected = printed["lines"].as_array().expect("lines").iter();
    let expected: Vec<&str> = expected.filter_map(|it| it["text"].as_str()).collect();
    assert_eq!(poem, expected);
    assert_eq!(keywords(&page).await[..2], ["云", "月"]);
    let labels = "return [...document.querySelectorAll('.character')].every(it => /^., ./.test(it.ariaLabel))";
    assert_eq!(page.evaluate(labels).await, json!(true));
    page.evaluate("document.querySelector('[data-at=\"0-0\"]').focus()")
        .await;
    let reading = "document.querySelector('.poem-detail .pinyin')?.innerText.trim().length > 0";
    page.wait_for("reading", PATIENCE, reading).await;
    let form = "document.querySelector('.poem-figures').innerText.includes('Lines 2 and 4')";
    page.wait_for("form", PATIENCE, form).await;
    // The model has come without its poems, so it cannot be trained.
    page.click("#train").await;
    page.message_with("without the data").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
