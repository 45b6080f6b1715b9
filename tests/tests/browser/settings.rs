//! The settings, and the experiment in the address.

use crate::playground::{PATIENCE, Playground};
use strata_tests::browser::Options;

/// Sets a field as a user does who types a text and leaves the field.
pub async fn fill(page: &Playground, selector: &str, text: &str) {
    let script = format!(
        "const field = document.querySelector('{selector}');
         field.value = '{text}';
         field.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    );
    page.evaluate(&script).await;
}

/// Waits until the settings are those of the present run.
pub async fn present(page: &Playground) {
    let applied = "document.querySelector('#settings-note').innerText.includes('present run')";
    page.wait_for("settings that are applied", PATIENCE, applied)
        .await;
    page.wait_for_phase("paused").await;
}

#[tokio::test]
async fn a_wrong_value_says_why_and_changes_nothing() {
    let page = Playground::open(Options::default(), "").await;
    page.unfold(".settings").await;
    fill(&page, "#model-width", "0").await;
    let told = "document.querySelector('#model-width-wrong')?.innerText";
    let told = page.wait_for("a reason", PATIENCE, told).await;
    assert_eq!(told, "Width must be a whole number, 1 to 65536.");
    let field = "document.querySelector('#model-width').getAttribute('aria-describedby')";
    let described = page.evaluate(&format!("return {field}")).await;
    assert_eq!(described, "model-width-wrong model-width-help");
    let off = "return document.querySelector('#apply').getAttribute('aria-disabled')";
    assert_eq!(page.evaluate(off).await, "true");
    page.click("#discard").await;
    present(&page).await;
    assert_eq!(page.chosen("#model-width").await, "32");
    // Numbers as most countries write them; and numbers that only some would read so.
    fill(&page, "#training-optimizer-learning-rate", "0,002").await;
    fill(&page, "#training-steps", "10,000").await;
    let told = "document.querySelector('#training-steps-wrong')?.innerText";
    let told = page.wait_for("a reason", PATIENCE, told).await;
    let expected = "“10,000” can be read as 10000 or as 10: write one of them.";
    assert_eq!(told, expected);
    let rate = "return document.querySelector('#training-optimizer-learning-rate').value";
    assert_eq!(page.evaluate(rate).await, "0.002");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_panel_counts_parameters_as_the_model_does_and_shows_formulas() {
    let page = Playground::open(Options::default(), "").await;
    page.unfold(".settings").await;
    let counted = "return document.querySelector('#draft-parameters').dataset.value";
    let before = page.evaluate(counted).await;
    let built = page.instrument("parameters").await;
    assert_eq!(before, format!("{built}"));
    fill(&page, "#model-width", "64").await;
    page.choose("#model-cross-kind", "multilevel").await;
    let was = "document.querySelector('#model-width-was')?.innerText.includes('from 32')";
    page.wait_for("what the preset has", PATIENCE, was).await;
    let described =
        "return document.querySelector('#model-width').getAttribute('aria-describedby')";
    assert_eq!(
        page.evaluate(described).await,
        "model-width-was model-width-help"
    );
    let other = format!("document.querySelector('#draft-parameters').dataset.value != {built}");
    page.wait_for("another count", PATIENCE, &other).await;
    let expected = page.evaluate(counted).await;
    let formulas = "return document.querySelectorAll('.settings math msub, .settings math msup').length > 3 \
                    && document.querySelector('.settings math').namespaceURI.endsWith('MathML')";
    assert_eq!(page.evaluate(formulas).await, true);
    page.screenshot("settings").await;
    page.click("#apply").await;
    present(&page).await;
    let count = format!("document.querySelector('#stat-parameters').dataset.value == {expected}");
    page.wait_for("the model that was counted", PATIENCE, &count)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_setting_is_found_by_any_of_its_names_and_says_what_it_does() {
    let page = Playground::open(Options::default(), "").await;
    page.unfold(".settings").await;
    let found = async |text: &str| {
        let script = format!(
            "const field = document.querySelector('#find-setting');
             field.value = '{text}';
             field.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));
             await new Promise(done => setTimeout(done, 300));
             const shown = [...document.querySelectorAll('.settings section .field > :is(input, select)')];
             return shown.filter(it => it.checkVisibility()).map(it => it.id).join(' ')"
        );
        page.evaluate(&script).await
    };
    assert_eq!(found("lr").await, "training-optimizer-learning-rate");
    assert_eq!(found("head count").await, "model-heads");
    assert_eq!(found("beam").await, "");
    let told = page.text(".settings .nothing").await;
    let expected = "Not available for the current choices; it belongs to: Pyramid.";
    assert_eq!(told, expected);
    assert_ne!(found("").await, "");
    // The description of a setting stands beside the form while the setting has the focus.
    let help = "document.querySelector('#model-heads-help').checkVisibility()";
    let hidden = format!("return {help}");
    assert_eq!(page.evaluate(&hidden).await, false);
    page.evaluate("document.querySelector('#model-heads').focus()")
        .await;
    page.wait_for("words of a setting", PATIENCE, help).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_address_follows_the_experiment_and_a_reload_keeps_it() {
    let page = Playground::open(Options::default(), "?utm_source=7").await;
    page.unfold(".settings").await;
    page.choose("#task-kind", "reverse").await;
    fill(&page, "#experiment-seed", "77").await;
    page.click("#apply").await;
    present(&page).await;
    let followed = "location.search.includes('seed=77') && location.search.includes('utm_source=7') \
                    && location.search";
    let query = page.wait_for("the address", PATIENCE, followed).await;
    page.goto(query.as_str().expect("an address is a text"))
        .await;
    page.wait_for_phase("paused").await;
    assert_eq!(page.chosen("#task-kind").await, "reverse");
    let seed = "document.querySelector('#seed').textContent === '77'";
    page.wait_for("the seed", PATIENCE, seed).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_the_clipboard_refuses_can_be_copied_by_hand() {
    let page = Playground::open(Options::default(), "?seed=5").await;
    let refuse = "navigator.clipboard.writeText = () => Promise.reject(new Error('no'))";
    page.evaluate(refuse).await;
    page.click("#copy-command").await;
    let shown = "document.querySelector('#copy-by-hand')?.value";
    let line = page.wait_for("a field to copy from", PATIENCE, shown).await;
    assert_eq!(line, "strata train --preset copy seed=5");
    let allow = "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }";
    page.evaluate(allow).await;
    page.click("#copy-link").await;
    let copied = "window.copied";
    let link = page.wait_for("a link", PATIENCE, copied).await;
    let link = link.as_str().expect("a link is a text");
    assert!(
        link.starts_with("http://") && link.ends_with("?v=1&preset=copy&seed=5"),
        "{link}"
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// A field that loses the focus to a press on Apply shows what has changed: the form must not move
/// under that press.
#[tokio::test]
async fn apply_stays_where_it_is_under_the_first_press() {
    for size in [(1440, 900), (900, 900)] {
        let options = Options {
            size,
            ..Options::default()
        };
        let page = Playground::open(options, "").await;
        page.unfold(".settings").await;
        let top = "return document.querySelector('#apply').getBoundingClientRect().top + scrollY";
        for (field, value) in [("#training-clip-norm", "5"), ("#training-batch-size", "8")] {
            page.find(field).await.click().await.expect("a field");
            let before = page.evaluate(top).await.as_f64().expect("a place");
            fill(&page, field, value).await;
            let was = format!("document.querySelector('{field}-was')");
            page.wait_for("what it was", PATIENCE, &was).await;
            let after = page.evaluate(top).await.as_f64().expect("a place");
            assert!(
                (after - before).abs() < 2.0,
                "{size:?}: {before}, then {after}"
            );
        }
        page.click("#apply").await;
        present(&page).await;
        assert_eq!(page.chosen("#training-batch-size").await, "8");
        assert_eq!(page.errors().await, Vec::<String>::new());
    }
}
