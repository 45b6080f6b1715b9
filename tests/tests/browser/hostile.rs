//! What is broken or meant to break the page.

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
    page.type_and_translate(&format!("a {attack} </p> ${{1}} &lt; \u{202e} 𝔘"))
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
