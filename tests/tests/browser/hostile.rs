//! Hostile input for the page: broken text, addresses and messages.

use crate::playground::{PATIENCE, Playground};
use serde_json::Value;
use strata_tests::browser::Options;

#[tokio::test]
async fn a_broken_address_is_told_and_the_default_is_taken() {
    let page = Playground::open(Options::default(), "?preset=nonsense&device=quantum").await;
    for (value, known) in [("nonsense", "reverse"), ("quantum", "webgpu")] {
        let message = page.message_with(value).await;
        assert!(message.contains(known), "no way out in: {message}");
    }
    page.screenshot("broken-address").await;
    assert_eq!(page.chosen("#preset").await, "copy");
    assert_eq!(page.chosen("#device").await, "cpu");
    page.losses(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_that_is_written_becomes_part_of_the_page() {
    let attack = "<img/src=x/onerror=window.broken=1>";
    let query =
        format!("?preset={attack}&device=%22%3E{attack}<script>window.broken=1</script>&&=&%");
    let page = Playground::open(Options::default(), &query).await;
    assert_eq!(page.messages().await.len(), 2);
    // Some drivers cannot type letters beyond the basic plane; addresses below contain them.
    page.type_and_translate(&format!("a {attack} </p> ${{1}} &lt; \u{202e}"))
        .await;
    let told = "document.querySelector('.answer .note').innerText.includes('onerror')";
    page.wait_for("word on what is unknown", PATIENCE, told)
        .await;
    let foreign = "return document.querySelectorAll('#app img, #app script, #messages img, #messages script, body > img').length";
    assert_eq!(page.evaluate(foreign).await, 0);
    assert_eq!(page.evaluate("return window.broken").await, Value::Null);
    page.losses(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Returns addresses that nobody would type, made of pieces that break parsers of addresses.
fn broken_addresses() -> Vec<String> {
    let keys = [
        "preset", "device", "seed", "bench", "embed", "e", "v", "model", "task",
    ];
    let values = [
        "",
        "%",
        "%zz%00%ff",
        "-1e999",
        "18446744073709551616",
        "NaN",
        "<script>window.broken=1</script>",
        "%3Cimg%20src=x:%20onerror=window.broken=1%3E",
        "javascript:window.broken=1",
        "../../../../etc/passwd",
        "{\"a\":[[[[[[[[[[[[[[[[",
        "𝔘\u{202e}\u{0}\u{feff}",
        "__proto__",
        "[object Object]",
    ];
    let deep = format!("?{}=1", "model.".repeat(400));
    let long = format!("?preset={}", "a".repeat(30_000));
    let many = format!("?{}", "device=cpu&".repeat(2_000));
    let mut addresses = vec![
        deep,
        long,
        many,
        "?&=&=&&?#%".to_owned(),
        "?embed".to_owned(),
    ];
    for (index, value) in values.iter().enumerate() {
        let key = |step: usize| keys[(index * step + step) % keys.len()];
        addresses.push(format!("?{}={value}&{}={value}&x", key(1), key(2)));
    }
    addresses
}

/// Sends the worker invalid messages: each is answered in a sentence, and the run goes on as if
/// nothing had been said.
#[tokio::test]
async fn no_message_breaks_the_worker() {
    let page = Playground::open(Options::default(), "").await;
    // Records the page's own worker as it is started.
    page.reopen_after(
        "const Genuine = window.Worker;
         window.Worker = class extends Genuine {
             constructor(...given) { super(...given); window.worker ??= this; }
         };",
    )
    .await;
    let expected = page.amid_a_run().await;
    let told = include_str!("hostile_messages.js");
    let told = page.evaluate(told).await.as_u64().expect("a number");
    let answered = format!("window.heard.filter(it => it === 'refused').length >= {told}");
    let waited = page.wait_for("word on each message", PATIENCE, &answered);
    waited.await;
    let heard = page.evaluate("return [...new Set(window.heard)]").await;
    assert_eq!(heard, serde_json::json!(["refused"]));
    assert_eq!(page.losses(2).await, expected);
    assert_eq!(page.evaluate("return window.broken").await, Value::Null);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn no_address_breaks_the_page() {
    break_addresses(3).await;
}

#[tokio::test]
async fn nightly_no_address_breaks_the_page() {
    break_addresses(1).await;
}

/// Opens every `each`th of the broken addresses.
async fn break_addresses(each: usize) {
    let page = Playground::open(Options::default(), "").await;
    for address in broken_addresses().into_iter().step_by(each) {
        page.goto(&address).await;
        // Whatever part of the page an address asks for, that part is shown.
        let up = "document.querySelector('#bench-result')?.textContent
                  || document.querySelector('#status')?.dataset.state === 'paused'";
        page.wait_for(&format!("page at {address:.60}"), PATIENCE, up)
            .await;
        let broken = page.evaluate("return window.broken").await;
        assert_eq!(broken, Value::Null, "{address:.60}");
        assert_eq!(page.errors().await, Vec::<String>::new(), "{address:.60}");
    }
    page.goto("").await;
    page.wait_for_phase("paused").await;
    page.losses(1).await;
}
