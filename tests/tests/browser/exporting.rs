//! Pictures and figures of the page, saved as files.

use crate::playground::{PATIENCE, Playground};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use strata_tests::browser::Options;

/// A folder for the files that the browser saves.
pub struct Downloads(PathBuf);

impl Downloads {
    /// Creates an empty folder, into which this page saves its files.
    pub async fn of(page: &Playground) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("strata-downloads-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("a folder for downloads");
        let parameters = json!({ "behavior": "allow", "downloadPath": folder });
        page.devtools("Page.setDownloadBehavior", parameters).await;
        Self(folder)
    }

    /// Returns the path of the file of this name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the file of this name once it is complete: until then the browser keeps an empty
    /// file in its place.
    pub async fn file(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        let start = Instant::now();
        loop {
            let bytes = fs::read(&path).unwrap_or_default();
            if !bytes.is_empty() {
                return bytes;
            }
            assert!(start.elapsed() < PATIENCE, "{} never came", path.display());
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Downloads {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

async fn save(page: &Playground, menu: &str, ending: &str) {
    page.click(&format!("#{menu}-export summary")).await;
    page.click(&format!("#{menu}-{ending}")).await;
}

fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("a text")
}

#[tokio::test]
async fn metrics_and_pictures_are_saved_as_files() {
    let page = Playground::open(Options::default(), "").await;
    let downloads = Downloads::of(&page).await;
    page.losses(4).await;
    page.heat_map("attention").await;

    save(&page, "curves", "csv").await;
    let csv = as_text(downloads.file("metrics.csv").await);
    let steps: Vec<&str> = csv
        .lines()
        .filter(|line| line.starts_with("training,"))
        .collect();
    assert_eq!(steps.len(), 4, "{csv}");
    save(&page, "curves", "json").await;
    let metrics: Value =
        serde_json::from_slice(&downloads.file("metrics.json").await).expect("JSON");
    assert_eq!(metrics["training"][3]["step"], 4);
    assert_eq!(metrics["experiment"]["seed"], 1);
    save(&page, "curves", "svg").await;
    let svg = as_text(downloads.file("metrics.svg").await);
    assert!(svg.starts_with("<svg") && svg.contains("Loss, nats per token"));
    save(&page, "curves", "png").await;
    assert_eq!(
        downloads.file("metrics.png").await[..8],
        *b"\x89PNG\r\n\x1a\n"
    );

    page.open_tab("site").await;
    save(&page, "seeing", "json").await;
    let attention: Value =
        serde_json::from_slice(&downloads.file("site.json").await).expect("JSON");
    let site = &attention["sentences"][0]["sites"][0];
    let (rows, columns) = (&site["rows"], &site["columns"]);
    let row = site["levels"][0]["heads"][0][0].as_array().expect("a row");
    assert_eq!(Some(row.len()), columns.as_array().map(Vec::len));
    let sum: f64 = row.iter().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    save(&page, "seeing", "svg").await;
    let svg = as_text(downloads.file("site.svg").await);
    let cells = rows.as_array().map_or(0, Vec::len) * row.len();
    assert!(svg.matches("<rect").count() > cells);
    // The last row is labelled with the end of the sentence, which must stay text.
    assert!(svg.contains("&lt;/s&gt;") && !svg.contains("</s>"));
    save(&page, "seeing", "png").await;
    assert_eq!(downloads.file("site.png").await[..8], *b"\x89PNG\r\n\x1a\n");

    // The numbers are an attention file, which opens beside the run.
    let ours = page.heat_map("attention").await;
    page.choose_file("#model-file", &downloads.path("site.json"))
        .await;
    let title = "document.querySelector('#file-title')?.innerText";
    page.wait_for("view of the file", PATIENCE, title).await;
    let theirs = page.heat_map("attention").await;
    assert_eq!((ours.site, ours.weights), (theirs.site, theirs.weights));
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_saved_picture_says_what_it_shows_of_which_run() {
    let page = Playground::open(Options::default(), "?preset=german-english-levels").await;
    let downloads = Downloads::of(&page).await;
    page.losses(2).await;
    page.open_tab("site").await;
    save(&page, "seeing", "svg").await;
    let svg = words(downloads.file("site.svg").await);
    for told in [
        "level 4 of 4",
        "mean of 4 heads",
        "after 2 steps of",
        "Held-out example 1 of",
    ] {
        assert!(svg.contains(told), "{told}: {svg}");
    }
    page.choose("#attention-head", "1").await;
    let chosen = "document.querySelector('#attention-head').value === '1'";
    page.wait_for("a head", PATIENCE, chosen).await;
    page.open_tab("overview").await;
    save(&page, "seeing", "svg").await;
    let svg = words(downloads.file("overview.svg").await);
    for told in [
        "head 1",
        "head 4",
        "level 1",
        "level 4",
        "its own largest weight",
    ] {
        assert!(svg.contains(told), "{told}: {svg}");
    }
    save(&page, "curves", "svg").await;
    let svg = words(downloads.file("metrics.svg").await);
    assert!(
        svg.contains("training") && svg.contains("after 2 steps"),
        "{svg}"
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Returns the words in a picture, in order, without the markup. A sentence may be broken into
/// lines.
fn words(svg: Vec<u8>) -> String {
    let svg = as_text(svg);
    let texts = svg.split('<').filter_map(|it| it.split_once('>'));
    let texts: Vec<&str> = texts.map(|(_, text)| text.trim()).collect();
    let texts = texts.into_iter().filter(|it| !it.is_empty());
    texts.collect::<Vec<_>>().join(" ")
}
