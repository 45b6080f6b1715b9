//! The page is changed from outside: by a translator, by dropped files, for paper, by forced
//! colours and larger letters, and by files that do not come.

use crate::playground::{PATIENCE, Playground};
use serde_json::{Value, json};
use std::time::Duration;
use strata_tests::browser::Options;

/// A script that acts as the browser's translator: it replaces texts by `<font>` elements.
const TRANSLATE: &str = "
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode);
    for (const text of texts) {
        if (text.parentElement.closest('[translate=no], script, style, option, textarea')) continue;
        const [outer, inner] = [document.createElement('font'), document.createElement('font')];
        outer.append(inner);
        inner.textContent = text.data;
        text.replaceWith(outer);
    }";

#[tokio::test]
async fn a_page_that_is_translated_goes_on() {
    let page = Playground::open(Options::default(), "").await;
    page.evaluate(TRANSLATE).await;
    let step = page.train_for(20).await;
    assert_eq!(page.text("#stat-step").await, step.to_string());
    assert_eq!(page.text("#status").await, "Paused");
    // Twice: texts that the page has changed are translated anew.
    page.evaluate(TRANSLATE).await;
    for tab in ["overview", "norms", "probabilities", "site"] {
        page.press_tab(tab).await;
        let shown = format!(
            "document.querySelector('#seeing').dataset.view === '{tab}' && document.querySelector('#seeing').innerText !== ''"
        );
        page.wait_for(tab, PATIENCE, &shown).await;
        page.evaluate(TRANSLATE).await;
    }
    page.choose("#preset", "reverse").await;
    let line = "document.querySelector('.preset-line').innerText";
    let reverse = format!(
        "{line}.toLowerCase().includes('backwards') || {line}.toLowerCase().includes('reverse')"
    );
    page.wait_for("line of the preset", PATIENCE, &reverse)
        .await;
    page.wait_for_exact_step(0).await;
    // A sentence of the page that contains numbers is no older than the run.
    let footer = "document.querySelector('footer').innerText.includes('examples')";
    page.wait_for("footer", PATIENCE, footer).await;
    page.click("#watching").await;
    page.wait_for(
        "word of the button",
        PATIENCE,
        "document.querySelector('#watching').innerText.trim() === 'View off'",
    )
    .await;
    page.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
        .await;
    page.choose("#data-form", "text").await;
    page.choose("#search-kind", "sampling").await;
    page.train_for(3).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
    assert_eq!(page.messages().await, Vec::<String>::new());
}

/// Drops data on `target`; returns whether the page takes the drop, before and at its end, and
/// whether it shows a hint meanwhile.
async fn drop_on(page: &Playground, target: &str, fill: &str) -> Value {
    let script = format!(
        "const transfer = new DataTransfer(); {fill}
         const send = kind => {{
             const event = new DragEvent(kind, {{ bubbles: true, cancelable: true, dataTransfer: transfer }});
             document.querySelector('{target}').dispatchEvent(event);
             return event.defaultPrevented;
         }};
         const taken = [send('dragover')];
         await new Promise(resolve => setTimeout(resolve, 50));
         taken.push(document.querySelector('.dropping') !== null, send('drop'));
         return taken;"
    );
    let asynchronous = format!("return (async () => {{ {script} }})()");
    page.evaluate(&asynchronous).await
}

#[tokio::test]
async fn what_is_dropped_anywhere_is_taken_by_its_kind() {
    let page = Playground::open(Options::default(), "").await;
    let file = |name: &str, kind: &str| {
        format!(
            "transfer.items.add(new File(['a b\\tc\\nb\\td\\n'], '{name}', {{ type: '{kind}' }}));"
        )
    };
    for (target, name, kind, told) in [
        (".top", "photo.png", "image/png", "photo.png"),
        (
            "#translate-input",
            "a.pdf",
            "application/pdf",
            "neither a text nor a model",
        ),
        ("#train", "broken.safetensors", "", "not a checkpoint"),
    ] {
        let taken = drop_on(&page, target, &file(name, kind)).await;
        assert_eq!(taken, json!([true, true, true]), "{name}");
        page.message_with(told).await;
    }
    // Screen readers say failures at once, and hints when they are idle.
    let spoken = "return ['alert', 'status'].map(role =>
        document.querySelector(`#messages [role=${role}]`).innerText.includes('not a checkpoint'))";
    assert_eq!(page.evaluate(spoken).await, json!([true, false]));
    let address = "transfer.setData('text/uri-list', 'https://example.org/a.txt');";
    drop_on(&page, "body", address).await;
    page.message_with("That is a link").await;
    // A single line of text is meant for a text box, not for the page.
    let words = "transfer.setData('text/plain', 'one word');";
    let left = drop_on(&page, "#translate-input", words).await;
    assert_eq!(left, json!([false, false, false]));

    let pairs = file("pairs.tsv", "text/tab-separated-values");
    assert_eq!(
        drop_on(&page, "body", &pairs).await,
        json!([true, true, true])
    );
    let report =
        "document.querySelector('details.data[open] #data-preview')?.innerText.includes('a b')";
    page.wait_for("report", PATIENCE, report).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn on_paper_there_is_dark_ink_on_white_and_no_control() {
    let options = Options {
        dark: true,
        ..Options::default()
    };
    let page = Playground::open(options, "").await;
    page.train_for(5).await;
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
        .await;
    page.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" }))
        .await;
    let seen = "
        const light = colour => {
            const [red, green, blue] = colour.match(/[\\d.]+/g).map(Number);
            return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
        };
        const inks = ['#status', 'h2', '#stat-step', '.sentences dd', '.curve .name']
            .map(it => light(getComputedStyle(document.querySelector(it)).color));
        const papers = ['body', '.panel'].map(it => light(getComputedStyle(document.querySelector(it)).backgroundColor));
        const controls = [...document.querySelectorAll('button, summary, input[type=range], input[type=checkbox]')]
            .filter(it => it.offsetParent !== null).map(it => it.id || it.className);
        return { ink: Math.max(...inks), paper: Math.min(...papers), controls,
            curve: document.querySelector('.area svg').getBoundingClientRect().height > 40,
            map: document.querySelector('#attention canvas').getBoundingClientRect().height > 40 };";
    let seen = page.evaluate(seen).await;
    assert!(seen["ink"].as_f64() < Some(0.4), "{seen}");
    assert!(seen["paper"].as_f64() > Some(0.99), "{seen}");
    assert_eq!(seen["controls"], json!([]), "{seen}");
    assert_eq!(
        (&seen["curve"], &seen["map"]),
        (&json!(true), &json!(true)),
        "{seen}"
    );
}

#[tokio::test]
async fn forced_colours_leave_curves_states_and_choices_to_be_seen() {
    let page = Playground::open(Options::default(), "").await;
    let forced = json!([{ "name": "forced-colors", "value": "active" }, { "name": "prefers-color-scheme", "value": "dark" }]);
    page.devtools("Emulation.setEmulatedMedia", json!({ "features": forced }))
        .await;
    page.train_for(20).await;
    page.screenshot("forced-colours").await;
    let hidden = "
        const style = (selector, pseudo) => getComputedStyle(document.querySelector(selector), pseudo);
        const canvas = style('.panel').backgroundColor;
        const colours = {
            curve: style('.area .smooth').stroke,
            validation: style('.curve .read-out .validation', '::before').borderTopColor,
            progress: style('.progress span').backgroundColor,
            state: style('#status', '::before').borderTopColor,
            tab: style('.tabs [aria-selected=true]').backgroundColor,
            words: style('#status').color,
        };
        return [matchMedia('(forced-colors: active)').matches,
            Object.entries(colours).filter(([, colour]) => colour === canvas).map(([name]) => name),
            style('#attention .plot').forcedColorAdjust];";
    assert_eq!(page.evaluate(hidden).await, json!([true, [], "none"]));
}

#[tokio::test]
async fn letters_of_twice_the_size_cover_and_cut_nothing() {
    let page = Playground::open(
        Options {
            size: (1440, 900),
            ..Options::default()
        },
        "",
    )
    .await;
    page.evaluate("document.documentElement.style.fontSize = '200%'")
        .await;
    let seen = "
        const boxes = [...document.querySelectorAll('.instrument, .transport > *, .curve figcaption > *, .tabs button, .watch header :is(h2, button, summary)')].filter(it => it.checkVisibility()).map(element => {
            const range = document.createRange();
            range.selectNodeContents(element);
            return [element.innerText, range.getBoundingClientRect()];
        }).filter(([, box]) => box.width > 0);
        const covered = boxes.flatMap(([name, one], at) => boxes.slice(at + 1)
            .filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1)
            .map(([other]) => `${name} / ${other}`));
        const cut = [...document.querySelectorAll('figure *, h2, h3, figcaption, .instrument *, .transport *, .tabs *, label, .sentences dd:not(.written)')]
            .filter(it => it.offsetParent && getComputedStyle(it).overflowX !== 'visible' && it.scrollWidth > it.clientWidth + 2)
            // What is there for screen readers alone is one pixel large.
            .filter(it => getComputedStyle(it).clipPath === 'none')
            .map(it => it.innerText);
        return [covered, cut, document.documentElement.scrollWidth > innerWidth];";
    let seen = page.evaluate(seen).await;
    assert_eq!(seen, json!([[], [], false]));
}

#[tokio::test]
async fn while_it_trains_little_is_spoken_by_itself() {
    // The run must not end meanwhile, however fast the machine: its end would be spoken.
    let page = Playground::open(Options::default(), "?training.steps=1000000").await;
    page.evaluate("document.querySelector('#settings').open = true")
        .await;
    page.click("#train").await;
    page.wait_for_step(5).await;
    // A region that is emptied is not spoken.
    page.evaluate(
        "window.spoken = [];
         const live = '[aria-live]:not([aria-live=off]), [role=status], [role=alert], output:not([aria-live])';
         new MutationObserver(records => {
             for (const { target } of records) {
                 const element = target.nodeType === 1 ? target : target.parentElement;
                 const region = element?.closest(live);
                 const text = region?.textContent.trim();
                 if (text) window.spoken.push(`${region.id || region.className}: ${text}`);
             }
         }).observe(document.body, { subtree: true, childList: true, characterData: true });",
    )
    .await;
    let step = page.step().await;
    page.wait_for_step(step + 100).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let others = "return window.spoken.filter(it => !it.startsWith('found'))";
    assert_eq!(page.evaluate(others).await, json!([]));
    // The line that appears in the map is said, but not with every view.
    let found = page.evaluate("return window.spoken.length").await;
    assert!(found.as_u64() <= Some(3), "{found}");
}

#[tokio::test]
async fn a_part_that_does_not_come_is_told() {
    // A frame: a page that was visited is cached, and comes without a network.
    let page = Playground::open(Options::default(), "?embed=curve,train").await;
    page.devtools("Network.enable", json!({})).await;
    for part in ["*page*.wasm", "*start-*.js"] {
        page.devtools("Network.setBlockedURLs", json!({ "urls": [part] }))
            .await;
        page.goto("?embed=curve,train").await;
        let told = "document.querySelector('#loading')?.innerText.includes('Reload')
                    && !document.querySelector('#reload').hidden";
        page.wait_for("sentence", PATIENCE, told).await;
    }
    page.devtools("Network.setBlockedURLs", json!({ "urls": [] }))
        .await;
    page.click("#reload").await;
    page.wait_for_phase("paused").await;
}
