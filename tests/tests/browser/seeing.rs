//! Views of a run while it trains.

use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use strata_tests::browser::Options;

#[tokio::test]
async fn a_thumbnail_opens_and_arrow_keys_speak_its_cells() {
    let page = Playground::open(Options::default(), "").await;
    page.open_tab("overview").await;
    let thumbnails = page
        .evaluate("return document.querySelectorAll('.thumbnail').length")
        .await;
    assert_eq!(thumbnails, 6, "three sites with two heads each");
    page.screenshot("thumbnails").await;
    page.click(".thumbnail[aria-label^='Encoder 1, self, head 2']")
        .await;
    let opened = "document.querySelector('#attention[data-site=\"encoder.0.self\"]') && \
                  document.querySelector('#attention-head').value === '1'";
    page.wait_for("the head in full", PATIENCE, opened).await;

    let place_of_page = page
        .evaluate("document.querySelector('#attention .plot').focus(); return window.scrollY")
        .await;
    let spoken = "document.querySelector('#attention .below [aria-live]').textContent";
    page.press(char::from(Key::Home)).await;
    page.press(char::from(Key::PageUp)).await;
    let first = format!("/attends to .*\\d\\.\\d\\d/.test({spoken}) && {spoken}");
    page.wait_for("spoken cell", PATIENCE, &first).await;
    assert_eq!(
        page.evaluate("return document.querySelector('#attention .below [aria-live]').ariaLive")
            .await,
        "polite"
    );
    let place = "(it => it && [it.style.getPropertyValue('--row'), it.style.getPropertyValue('--column')].join())\
                 (document.querySelector('#attention .cell'))";
    page.wait_for("first cell", PATIENCE, &format!("{place} === '0,0'"))
        .await;
    // A key that leads to no other cell must not scroll the page.
    page.press(char::from(Key::Home)).await;
    page.press(char::from(Key::Right)).await;
    page.wait_for("next cell", PATIENCE, &format!("{place} === '0,1'"))
        .await;
    page.press(char::from(Key::Down)).await;
    page.wait_for("cell below", PATIENCE, &format!("{place} === '1,1'"))
        .await;
    assert_eq!(page.evaluate("return window.scrollY").await, place_of_page);

    page.click("#attention-lines").await;
    let lines = "document.querySelectorAll('.lines .drawing path').length > 10";
    page.wait_for("lines", PATIENCE, lines).await;
    page.screenshot("lines").await;
    page.evaluate("document.querySelector('.lines .handle').focus()")
        .await;
    let fewer = "/attend/.test(document.querySelector('.lines .read-out').innerText)";
    page.wait_for("a token's own lines", PATIENCE, fewer).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_slider_goes_through_the_levels() {
    let page = Playground::open(Options::default(), "?preset=german-english-levels").await;
    page.open_tab("site").await;
    let last = "document.querySelector('#attention-level')?.max === '4' && \
                document.querySelector('#attention-level').value === '4'";
    page.wait_for("four levels", PATIENCE, last).await;
    let before = page.heat_map("attention").await;
    page.evaluate("document.querySelector('#attention-level').focus()")
        .await;
    page.press(char::from(Key::Home)).await;
    let changed = format!(
        "document.querySelector('#attention-level').value === '1' && \
         document.querySelector('#attention').dataset.weights !== JSON.stringify({:?})",
        before.weights
    );
    page.wait_for("level 1", PATIENCE, &changed).await;
    page.click("#attention-play").await;
    let moved = "document.querySelector('#attention-level').value !== '1'";
    page.wait_for("level that plays", PATIENCE, moved).await;
    page.click("#attention-play").await;
    page.screenshot("levels").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Opens a page whose encoder has this mechanism for self-attention.
async fn with_encoder(mechanism: &str) -> Playground {
    let page = Playground::open(Options::default(), "").await;
    page.click(".settings summary").await;
    page.choose("#model-encoder-self-kind", mechanism).await;
    page.click("#apply").await;
    let applied = "document.querySelector('#settings-note').innerText.includes('present run')";
    page.wait_for("the new settings", PATIENCE, applied).await;
    page.wait_for_phase("paused").await;
    page
}

#[tokio::test]
async fn shares_of_levels_are_bars_over_the_steps() {
    let page = with_encoder("ham_v").await;
    page.open_tab("shares").await;
    let bars = |count: &str| {
        format!(
            "document.querySelector('.shares')?.dataset.moments >= {count} && \
                 document.querySelectorAll('.shares .keys li').length === 5"
        )
    };
    page.wait_for("the shares of five levels", PATIENCE, &bars("1"))
        .await;
    // A view may be left out if the next step is asked for before the view is read.
    for moments in ["2", "3"] {
        page.losses(1).await;
        page.wait_for("bars of another step", PATIENCE, &bars(moments))
            .await;
    }
    page.screenshot("shares").await;
    // A model without levels has no such tab, so the whole model is shown instead.
    page.choose("#preset", "reverse").await;
    let gone = "!document.querySelector('#tab-shares') && \
                document.querySelector('#seeing[data-view=\"network\"][data-step]')";
    page.wait_for("a model without shares", PATIENCE, gone)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_pyramid_is_a_tree() {
    let page = with_encoder("pyramid").await;
    page.open_tab("descent").await;
    let tree = "document.querySelector('.descent')?.dataset.levels >= 2 && \
                document.querySelectorAll('.descent circle').length > 4";
    page.wait_for("tree", PATIENCE, tree).await;
    page.choose("#descent-row", "1").await;
    let other = "document.querySelector('.descent')?.dataset.row === '1'";
    page.wait_for("other token", PATIENCE, other).await;
    page.screenshot("descent").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_was_seen_can_be_wound_back_and_plays_up_to_now() {
    let page = Playground::open(Options::default(), "").await;
    // A view comes by the clock, not by the step: a fast machine takes many steps between two.
    page.click("#train").await;
    let moments = "document.querySelector('.timeline')?.dataset.moments > 2";
    page.wait_for("views to wind back to", PATIENCE, moments)
        .await;
    page.click("#pause").await;
    page.wait_for_phase("paused").await;
    let shown = "return Number(document.querySelector('#seeing').dataset.step)";
    let last = page.evaluate(shown).await.as_u64().expect("a step");
    page.evaluate(
        "const slider = document.querySelector('#moment'); slider.value = '0';
         slider.dispatchEvent(new Event('input', { bubbles: true }))",
    )
    .await;
    let back =
        "document.querySelector('.timeline output').innerText.startsWith('as it was at step')";
    page.wait_for("an earlier view", PATIENCE, back).await;
    let earlier = page.evaluate(shown).await.as_u64();
    assert!(earlier.is_some_and(|earlier| earlier < last), "{earlier:?}");
    page.screenshot("wound-back").await;
    page.click("#play-past").await;
    let now = format!(
        "document.querySelector('.timeline output').innerText === 'now' \
         && Number(document.querySelector('#seeing').dataset.step) >= {last}"
    );
    page.wait_for("what is seen now", PATIENCE, &now).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_sources_of_a_token_are_told_and_another_can_be_chosen() {
    let page = Playground::open(Options::default(), "?v=1&preset=german-english-transformer").await;
    page.open_tab("rollout").await;
    let told = "/^Sources of .*: \\d.*from the source/.test(document.querySelector('#rollout-words')?.innerText)";
    page.wait_for("sources in words", PATIENCE, told).await;
    page.choose("#rollout-row", "2").await;
    let other = "document.querySelector('.rollout')?.dataset.row === '2'";
    page.wait_for("sources of the third token", PATIENCE, other)
        .await;
    page.screenshot("rollout").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_press_on_a_weight_shows_how_it_comes_about() {
    let page = Playground::open(Options::default(), "?v=1&preset=german-english-transformer").await;
    page.open_tab("site").await;
    page.heat_map("attention").await;
    page.choose("#attention-head", "1").await;
    page.evaluate("document.querySelector('#attention .plot').focus()")
        .await;
    page.press(char::from(Key::Home)).await;
    page.press(' ').await;
    let opened = "document.querySelector('.cell-view')?.dataset.column === '0'";
    page.wait_for("inside of the cell", PATIENCE, opened).await;
    assert_eq!(
        page.evaluate("return document.querySelector('#cell-head').value")
            .await,
        "1"
    );
    // The softmax in the table equals the weight in the sentence.
    let same = "(said => [...document.querySelectorAll('#cell-softmax tr.here td')].at(-1)?.innerText === said)\
                (document.querySelector('#cell-weight b').innerText)";
    page.wait_for("softmax equal to the weight", PATIENCE, same)
        .await;
    page.screenshot("cell").await;
    page.choose("#cell-column", "2").await;
    let other = "document.querySelector('.cell-view')?.dataset.column === '2'";
    page.wait_for("another column", PATIENCE, other).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn probabilities_and_norms_follow_the_steps_and_nothing_is_read_while_paused() {
    let page = Playground::open(Options::default(), "").await;
    page.open_tab("probabilities").await;
    let chips = "(all => all.length > 1 && all.every(it => it.dataset.probability >= 0 && it.dataset.probability <= 1))\
                 ([...document.querySelectorAll('.chip')])";
    page.wait_for("probabilities", PATIENCE, chips).await;
    page.screenshot("probabilities").await;

    page.open_tab("norms").await;
    page.losses(1).await;
    let gradients = "/\\d/.test(document.querySelector('.norms .gradient')?.innerText)";
    page.wait_for("norms of gradients", PATIENCE, gradients)
        .await;
    page.screenshot("norms").await;

    page.click("#watching").await;
    page.losses(2).await;
    assert_eq!(
        page.evaluate("return document.querySelector('#seeing').dataset.step")
            .await,
        "1"
    );
    page.click("#watching").await;
    let again = "document.querySelector('#seeing').dataset.step === '3'";
    page.wait_for("what is seen now", PATIENCE, again).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn levels_of_a_head_stand_in_one_row_and_nothing_is_cut_off() {
    let laptop = Options {
        size: (1366, 768),
        ..Options::default()
    };
    let page = Playground::open(laptop, "?preset=german-english-levels").await;
    page.losses(2).await;
    page.open_tab("overview").await;
    let drawn = "document.querySelectorAll('.overview section:first-of-type canvas').length === 16";
    page.wait_for("heads and levels", PATIENCE, drawn).await;
    let rows =
        "const tops = [...document.querySelectorAll('.overview section:first-of-type canvas')]
            .map(it => Math.round(it.getBoundingClientRect().top));
        return [...new Set(tops)].map(top => tops.filter(it => it === top).length).join()";
    assert_eq!(page.evaluate(rows).await, "4,4,4,4");
    let cut = "return [...document.querySelectorAll('.stage *')].filter(it => it.clientHeight > 200
            && it.scrollHeight > it.clientHeight + 20 && getComputedStyle(it).overflowY !== 'visible')
        .map(it => it.id || it.className)";
    let nothing = serde_json::json!([]);
    assert_eq!(page.evaluate(cut).await, nothing);
    page.screenshot("heads-and-levels").await;
    page.open_tab("norms").await;
    assert_eq!(page.evaluate(cut).await, nothing);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_map_beside_the_drawing_has_the_scale_of_its_stamp() {
    let page = Playground::open(Options::default(), "").await;
    page.losses(1).await;
    // A model that has learned nothing attends evenly, so the scale ends well before 1.
    let top =
        "Number(document.querySelector('#seeing[data-view=\"network\"] .legend .top')?.innerText)";
    let less = format!("{top} > 0 && {top} < 1");
    page.wait_for("end of the scale", PATIENCE, &less).await;
    page.open_tab("site").await;
    let whole =
        "document.querySelector('#seeing[data-view=\"site\"] .legend .top')?.innerText === '1'";
    page.wait_for("whole scale", PATIENCE, whole).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn statistics_of_the_weights_are_drawn_and_a_jump_winds_the_view_back() {
    let page = Playground::open(
        Options::default(),
        "?preset=arrows&training.validate_every=25",
    )
    .await;
    assert_eq!(
        page.evaluate("return document.querySelector('#telemetry')")
            .await,
        serde_json::Value::Null
    );
    page.open_tab("site").await;
    page.train_for(200).await;
    page.wait_for(
        "statistics",
        PATIENCE,
        "document.querySelector('#telemetry')",
    )
    .await;
    page.click("#telemetry summary").await;
    page.choose("#telemetry-measure", "peak").await;
    // A model that learns to follow arrows puts ever more weight on one place.
    let jump = "document.querySelector('#telemetry .jumps button')";
    page.wait_for("jump of the largest weight", PATIENCE, jump)
        .await;
    page.screenshot("telemetry").await;
    let at = page
        .evaluate("return +document.querySelector('#telemetry .jumps li').dataset.step")
        .await;
    let at = at.as_u64().expect("a step");
    assert!(at > 0 && at % 25 == 0, "{at}");
    page.click("#telemetry .jumps button").await;
    let wound =
        "document.querySelector('.timeline output').innerText.startsWith('as it was at step')";
    page.wait_for("view of the jump", PATIENCE, wound).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
