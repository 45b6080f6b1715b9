//! The page as it ships, in a real browser.

use std::time::Duration;
use strata_tests::browser::{Browser, Options};

#[tokio::test]
async fn the_page_loads_without_a_complaint() {
    let browser = Browser::open(Options::default(), "").await;
    browser
        .wait_for(
            "button to train",
            Duration::from_secs(10),
            "document.querySelector('#train')",
        )
        .await;
    browser.screenshot("first-paint").await;
    let title = browser.client().title().await.expect("a page has a title");
    assert!(title.contains("Strata"), "the title is {title:?}");
    assert_eq!(browser.errors().await, Vec::<String>::new());
}
