//! After the first visit the page works without a network.

use crate::lessons::wait_for_stage;
use crate::playground::{PATIENCE, Playground};
use serde_json::json;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use strata_tests::browser::Options;
use url::Url;

/// How the proxy passes on the server's answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hands {
    All,
    /// Without the headers for isolation, as a plain file server answers.
    NoIsolation,
    /// Without the program with threads, as in a build that lacks it.
    NoProgramWithThreads,
    /// Served at the top, too, and in another folder as another build.
    Folders,
}

/// Text before the eight letters that identify a build.
const BUILD: &str = "const BUILD = \"";

/// Folder of the page on the server that browsers see; `FORK` is that of another build.
const FOLDER: &str = "/lab/";
const FORK: &str = "/fork/";

/// A proxy for the page's server, on another port and with folders, until it is cut off.
pub struct Line {
    address: String,
    cut: Arc<AtomicBool>,
}

impl Line {
    fn to(page: &Url, hands: Hands) -> Self {
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
                    thread::spawn(move || join(browser, server, hands));
                }
            }
        });
        Self {
            address: format!("http://{address}{FOLDER}"),
            cut,
        }
    }

    /// Returns the address of the page in a folder.
    pub fn folder(&self, name: &str) -> String {
        self.address.replace(FOLDER, &format!("/{name}/"))
    }

    pub fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }
}

/// Passes bytes in both directions; the server closes each connection after its answer.
fn join(browser: TcpStream, mut server: TcpStream, hands: Hands) -> io::Result<()> {
    let (mut asks, mut hears) = (BufReader::new(browser.try_clone()?), browser);
    let mut request = String::new();
    asks.read_line(&mut request)?;
    let missing =
        hands == Hands::NoProgramWithThreads && request.contains("worker-cpu-threads_bg.wasm");
    let folder = [FOLDER, FORK]
        .into_iter()
        .find(|folder| request.contains(folder));
    let top = (hands == Hands::Folders).then_some("/");
    let (Some(folder), false) = (folder.or(top), missing) else {
        return hears.write_all(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
    };
    let is_another_build = folder == FORK && request.contains("service-worker.js");
    server.write_all(request.replacen(folder, "/", 1).as_bytes())?;
    let mut told = server.try_clone()?;
    thread::spawn(move || io::copy(&mut asks, &mut told));
    let mut answer = BufReader::new(server);
    let mut line = String::new();
    while answer.read_line(&mut line)? > 0 && line != "\r\n" {
        if hands != Hands::NoIsolation || !line.starts_with("Cross-Origin-") {
            hears.write_all(line.as_bytes())?;
        }
        line.clear();
    }
    hears.write_all(line.as_bytes())?;
    if is_another_build {
        let mut program = String::new();
        answer.read_to_string(&mut program)?;
        let (before, after) = program.split_once(BUILD).unwrap_or((&program, ""));
        let other = after.get(8..).map_or_else(String::new, |after| {
            format!("{before}{BUILD}another1{after}")
        });
        hears.write_all(other.as_bytes())?;
    }
    io::copy(&mut answer, &mut hears)?;
    hears.flush()?;
    hears.shutdown(Shutdown::Both)
}

/// Opens the page through a proxy.
async fn open_over(hands: Hands) -> (Playground, Line) {
    let page = Playground::open(Options::default(), "").await;
    let address = page.client().current_url().await.expect("an address");
    let line = Line::to(&address, hands);
    let visit = page.client().goto(&line.address).await;
    visit.expect("the page loads over the other port");
    page.wait_for_phase("paused").await;
    (page, line)
}

/// Opens the page at the top of an origin that has other builds in the folders `lab` and `fork`.
pub async fn open_in_folders() -> (Playground, Line) {
    let page = Playground::open(Options::default(), "").await;
    let address = page.client().current_url().await.expect("an address");
    let line = Line::to(&address, Hands::Folders);
    let visit = page.client().goto(&line.address.replace(FOLDER, "/")).await;
    visit.expect("the page loads over the other port");
    page.wait_for_phase("paused").await;
    (page, line)
}

/// Waits until all files that a later visit needs are cached. The page's own service worker caches
/// them: `navigator.serviceWorker.ready` may resolve to that of a folder above.
pub async fn wait_until_kept(page: &Playground) {
    page.evaluate(
        "const folder = new URL('./', location).href;
         const wait = async () => {
             const found = await navigator.serviceWorker.getRegistration();
             const kept = found?.scope === folder && found.active?.state === 'activated';
             kept ? window.kept = true : setTimeout(wait, 100);
         };
         wait()",
    )
    .await;
    page.wait_for("kept page", Duration::from_secs(120), "window.kept")
        .await;
}

#[tokio::test]
async fn a_page_that_was_visited_once_trains_without_its_server() {
    let (page, line) = open_over(Hands::All).await;
    wait_until_kept(&page).await;
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

    // A program that was never used is not cached, which the page reports; the CPU goes on.
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

/// Most file servers send no headers for isolation, and their users cannot change that.
#[tokio::test]
async fn the_second_visit_computes_in_threads_whatever_the_server_says() {
    let (page, line) = open_over(Hands::NoIsolation).await;
    wait_until_kept(&page).await;
    let isolated = "return self.crossOriginIsolated";
    assert_eq!(page.evaluate(isolated).await, json!(false));
    assert_eq!(page.programs().await, ["worker-cpu-relaxed"]);
    for query in ["", "?preset=reverse"] {
        let again = page
            .client()
            .goto(&format!("{}{query}", line.address))
            .await;
        again.expect("the page loads again");
        page.wait_for_phase("paused").await;
        page.losses(2).await;
        assert_eq!(page.evaluate(isolated).await, json!(true));
        assert_eq!(page.programs().await, [page.best_program().await]);
        line.cut();
    }
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn one_thread_computes_where_the_program_for_several_cannot_be_had() {
    let (page, _line) = open_over(Hands::NoProgramWithThreads).await;
    assert_eq!(page.programs().await, [page.best_program().await]);
    page.losses(2).await;
    assert_eq!(page.text("#device-label").await, "CPU (flex)");
    assert_eq!(page.messages().await, Vec::<String>::new());
}

#[tokio::test]
async fn lessons_and_their_summaries_are_there_without_a_server() {
    let (page, line) = open_over(Hands::All).await;
    wait_until_kept(&page).await;
    line.cut();
    let go = async |query: &str| {
        let to = format!("{}{query}", line.address);
        let again = page.client().goto(&to).await;
        again.expect("the page loads without a server");
    };
    go("?lesson=levels&step=forgotten&show=1").await;
    wait_for_stage(&page, "forgotten", "guess").await;
    page.click("#lesson-pass").await;
    wait_for_stage(&page, "forgotten", "act").await;
    page.click("#lesson-show").await;
    wait_for_stage(&page, "forgotten", "done").await;
    go("?lesson=alignment&lang=de").await;
    wait_for_stage(&page, "row", "guess").await;
    go("?lessons").await;
    let listed = "document.querySelectorAll('.lesson-list > li').length >= 10";
    page.wait_for("list", PATIENCE, listed).await;
    go("?summary=levels").await;
    let measured = "document.querySelector('#summary-forgotten .summary-measured')";
    page.wait_for("summary", PATIENCE, measured).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
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
