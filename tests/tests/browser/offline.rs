//! After the first visit the page works without a network.

use crate::playground::{PATIENCE, Playground};
use serde_json::json;
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use strata_tests::browser::Options;
use url::Url;

/// The page's server as seen from another port, until it is cut off.
struct Line {
    address: String,
    cut: Arc<AtomicBool>,
}

impl Line {
    fn to(page: &Url) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("the port is bound");
        let cut = Arc::new(AtomicBool::new(false));
        let server = page.socket_addrs(|| None).expect("the page has an address")[0];
        let is_cut = Arc::clone(&cut);
        thread::spawn(move || {
            for browser in listener.incoming().flatten() {
                if is_cut.load(Ordering::SeqCst) {
                    drop(browser.shutdown(Shutdown::Both));
                } else if let Ok(server) = TcpStream::connect(server) {
                    thread::spawn(move || join(browser, server));
                }
            }
        });
        Self {
            address: format!("http://{address}/"),
            cut,
        }
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }
}

/// Hands on what either says; the server closes each connection after its answer.
fn join(mut browser: TcpStream, mut server: TcpStream) -> io::Result<()> {
    let (mut asks, mut hears) = (browser.try_clone()?, server.try_clone()?);
    thread::spawn(move || io::copy(&mut asks, &mut hears));
    io::copy(&mut server, &mut browser)?;
    browser.flush()?;
    browser.shutdown(Shutdown::Both)
}

#[tokio::test]
async fn a_page_that_was_visited_once_trains_without_its_server() {
    let page = Playground::open(Options::default(), "").await;
    let address = page.client().current_url().await.expect("an address");
    let line = Line::to(&address);
    let visit = page.client().goto(&line.address).await;
    visit.expect("the page loads over the other port");
    page.wait_for_phase("paused").await;
    page.evaluate(
        "navigator.serviceWorker.ready.then(it => {
             const wait = () => it.active?.state === 'activated' ? window.kept = true : setTimeout(wait, 100);
             wait();
         })",
    )
    .await;
    page.wait_for("kept page", Duration::from_secs(120), "window.kept")
        .await;

    line.cut();
    let reached = "return fetch('./nowhere').then(() => true, () => false)";
    assert_eq!(page.evaluate(reached).await, json!(false));
    for query in ["", "?preset=reverse"] {
        let again = page
            .client()
            .goto(&format!("{}{query}", line.address))
            .await;
        again.expect("the page loads without a server");
        page.wait_for_phase("paused").await;
        page.losses(2).await;
    }
    assert_eq!(page.messages().await, Vec::<String>::new());

    // What was never used is not there, which is told; the CPU goes on.
    page.evaluate("Object.defineProperty(navigator, 'gpu', { value: {} })")
        .await;
    page.choose("#device", "webgpu").await;
    page.message_with("WebGPU worker could not be loaded").await;
    page.wait_for(
        "run on the CPU",
        PATIENCE,
        "document.querySelector('#device').value === 'cpu'",
    )
    .await;
    page.wait_for_phase("paused").await;
    page.losses(1).await;
}

#[tokio::test]
async fn the_page_can_be_installed() {
    let page = Playground::open(Options::default(), "").await;
    let manifest = page.devtools("Page.getAppManifest", json!({})).await;
    assert_eq!(manifest["errors"], json!([]));
    let text = manifest["data"].as_str().unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(text).expect("the manifest is JSON");
    assert_eq!(manifest["display"], "standalone");
    for icon in manifest["icons"].as_array().expect("icons") {
        let script = format!("return fetch({}).then(it => it.status)", icon["src"]);
        assert_eq!(page.evaluate(&script).await, 200, "{icon}");
    }
}
