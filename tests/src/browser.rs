//! A real browser for the tests: headless Chromium, driven through ChromeDriver.
//!
//! `cargo xtask test` builds and serves the page, and passes its address in `STRATA_PAGE`. A
//! failure in this module fails the test: it panics with a sentence.

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::net::TcpStream;
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit};
use url::{ParseError, Url};

/// Options with which the browser is opened.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Width and height of the window, in CSS pixels.
    pub size: (u32, u32),
    /// True for a touch screen with the pixels of a phone.
    pub phone: bool,
    /// True if the browser prefers dark pages.
    pub dark: bool,
    /// True for WebGPU, which SwiftShader computes on the CPU.
    pub webgpu: bool,
    /// True to record the page's tasks, for [`Browser::longest_task`].
    pub tasks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: (1280, 900),
            phone: false,
            dark: false,
            webgpu: false,
            tasks: false,
        }
    }
}

impl Options {
    /// Returns the options of a phone that is held upright.
    pub fn phone() -> Self {
        Self {
            size: (390, 844),
            phone: true,
            ..Self::default()
        }
    }

    fn capabilities(self) -> Value {
        let (width, height) = self.size;
        let mut arguments = vec![
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--disable-quic".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            // The page speaks the language of the browser.
            "--lang=en-US".to_owned(),
            format!("--window-size={width},{height}"),
        ];
        if self.webgpu {
            arguments.push("--enable-unsafe-webgpu".to_owned());
            arguments.push("--use-webgpu-adapter=swiftshader".to_owned());
        }
        let mut chrome = json!({ "args": arguments });
        if let Ok(program) = env::var("STRATA_BROWSER") {
            chrome["binary"] = program.into();
        }
        if self.phone {
            let metrics =
                json!({ "width": width, "height": height, "pixelRatio": 3, "touch": true });
            chrome["mobileEmulation"] = json!({ "deviceMetrics": metrics });
        }
        let mut logs = json!({ "browser": "ALL" });
        if self.tasks {
            logs["performance"] = "ALL".into();
            chrome["perfLoggingPrefs"] = json!({
                "enableNetwork": false,
                "enablePage": false,
                "traceCategories": "toplevel",
            });
        }
        json!({ "goog:chromeOptions": chrome, "goog:loggingPrefs": logs })
    }
}

/// Permits for browsers: as many run at a time as the machine has cores, but no more than
/// [`MOST_BROWSERS`]. Tests wait most of the time, and no test measures elapsed time.
static PERMITS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    Semaphore::new(cores.min(MOST_BROWSERS))
});

/// Largest number of browsers at a time; each takes up to 1 GB of memory.
const MOST_BROWSERS: usize = 4;

/// An open browser with one window; it closes when it is dropped.
pub struct Browser {
    client: Client,
    page: String,
    // Dropped in this order: the driver has ended before the next browser may start.
    driver: Driver,
    _permit: SemaphorePermit<'static>,
}

/// A script that makes a page believe that it shares its process with others, as on most servers.
pub const NOT_ISOLATED: &str =
    "Object.defineProperty(self, 'crossOriginIsolated', { value: false });";

impl Browser {
    /// Opens a browser on the page; `query` is the query of the address, such as `?seed=3`.
    pub async fn open(options: Options, query: &str) -> Self {
        let page = env::var("STRATA_PAGE").unwrap_or_else(|_| {
            panic!(
                "STRATA_PAGE does not say where the page is served: run `cargo xtask test`, or \
                 `cargo xtask test --only page,test -- --test browser` for these tests alone"
            )
        });
        Self::open_at(options, page, query).await
    }

    /// Opens a browser on a page of another server than the playground's.
    pub async fn open_at(options: Options, page: String, query: &str) -> Self {
        let permit = PERMITS.acquire().await.expect("the semaphore stays open");
        let driver = Driver::start();
        let Value::Object(capabilities) = options.capabilities() else {
            unreachable!("capabilities are an object")
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", driver.port))
            .await
            .unwrap_or_else(|error| panic!("ChromeDriver could not open Chromium: {error}"));
        let browser = Self {
            client,
            page,
            driver,
            _permit: permit,
        };
        if options.dark {
            let scheme = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
            browser
                .devtools("Emulation.setEmulatedMedia", json!({ "features": scheme }))
                .await;
        }
        browser.goto(query).await;
        browser
    }

    /// Returns the memory, in bytes, that the process of page and workers takes: the largest of
    /// this browser's processes that draw pages. `None` if the system has no `/proc`.
    pub fn resident_memory(&self) -> Option<u64> {
        self.memory("VmRSS:")
    }

    /// Returns the peak of [`resident_memory`](Self::resident_memory) so far.
    pub fn peak_memory(&self) -> Option<u64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, field: &str) -> Option<u64> {
        let mut processes = HashMap::new();
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else {
                continue;
            };
            // A process may end while its status is read.
            let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let number = |name: &str| -> Option<u64> {
                let line = status.lines().find_map(|line| line.strip_prefix(name))?;
                line.split_whitespace().next()?.parse().ok()
            };
            let draws = String::from_utf8_lossy(&command).contains("--type=renderer");
            let kibibytes = number(field).filter(|_| draws);
            processes.insert(id, (number("PPid:").unwrap_or(0) as u32, kibibytes));
        }
        let is_ours = |process: u32| {
            let parent = |it: &u32| processes.get(it).map(|(parent, _)| *parent);
            iter::successors(Some(process), parent).any(|it| it == self.driver.process.id())
        };
        let ours = processes.iter().filter(|(id, _)| is_ours(**id));
        let largest = ours.filter_map(|(_, (_, kibibytes))| *kibibytes).max();
        largest.map(|kibibytes| 1024 * kibibytes)
    }

    /// Runs a script before everything else in each page that is loaded from now on.
    pub async fn run_first(&self, script: &str) {
        let parameters = serde_json::json!({ "source": script });
        self.devtools("Page.addScriptToEvaluateOnNewDocument", parameters)
            .await;
    }

    /// Loads the page anew; `query` is the query of the address.
    pub async fn goto(&self, query: &str) {
        let address = format!("{}/{query}", self.page);
        let loaded = self.client.goto(&address).await;
        loaded.unwrap_or_else(|error| panic!("{address} did not load: {error}"));
    }

    /// Returns the driver's client, for actions without a method of their own here.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a script in the page, and returns its value.
    pub async fn evaluate(&self, script: &str) -> Value {
        let value = self.client.execute(script, Vec::new()).await;
        value.unwrap_or_else(|error| panic!("the script `{script}` failed: {error}"))
    }

    /// Waits until a JavaScript expression is truthy, and returns its value. `what` ends the
    /// sentence "after 10 s there was still no …".
    pub async fn wait_for(&self, what: &str, limit: Duration, expression: &str) -> Value {
        let script = format!("const value = ({expression}); return value ? value : null;");
        let start = Instant::now();
        loop {
            let value = self.evaluate(&script).await;
            if !value.is_null() {
                return value;
            }
            if start.elapsed() > limit {
                self.screenshot("failure").await;
                panic!(
                    "after {} s there was still no {what}; the page says {:?} and the console {:?}",
                    limit.as_secs(),
                    self.evaluate("return document.body.innerText").await,
                    self.errors().await,
                );
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Clicks the first element that matches a CSS selector. An element that the page has just
    /// replaced by another is looked for again.
    pub async fn click(&self, selector: &str) {
        let mut attempts = 3;
        loop {
            let element = self.client.find(fantoccini::Locator::Css(selector)).await;
            let element = element.unwrap_or_else(|error| panic!("there is no {selector}: {error}"));
            attempts -= 1;
            match element.click().await {
                Ok(()) => return,
                Err(error) if attempts > 0 && error.is_stale_element_reference() => {}
                Err(error) => panic!("{selector} cannot be clicked: {error}"),
            }
        }
    }

    /// Returns the errors on the page's console since the last call.
    pub async fn errors(&self) -> Vec<String> {
        let entries = self.command("se/log", json!({ "type": "browser" })).await;
        let entries = entries.as_array().cloned().unwrap_or_default();
        let severe = entries
            .into_iter()
            .filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].to_string()).collect()
    }

    /// Returns the processor time of the longest task of the page's thread since the last call, in
    /// a browser that records tasks. Unlike elapsed time, it does not grow with other programs on
    /// the machine.
    pub async fn longest_task(&self) -> Duration {
        let start = Instant::now();
        // If it is asked again too soon, ChromeDriver has no events yet.
        while start.elapsed() < Duration::from_secs(30) {
            let entries = self.command("se/log", json!({ "type": "performance" }));
            if let Some(longest) = longest_task_in(&entries.await) {
                return longest;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("the browser does not record the tasks of the page")
    }

    /// Writes a screenshot into the folder that `STRATA_SCREENSHOTS` names, if it is set.
    pub async fn screenshot(&self, name: &str) {
        let Some(folder) = env::var_os("STRATA_SCREENSHOTS") else {
            return;
        };
        let picture = self
            .client
            .screenshot()
            .await
            .expect("Chromium takes screenshots");
        let path = Path::new(&folder).join(format!("{name}.png"));
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, picture))
            .unwrap_or_else(|error| panic!("{} cannot be written: {error}", path.display()));
    }

    /// Sends a command of the Chrome DevTools protocol.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": method, "params": parameters });
        self.command("goog/cdp/execute", body).await
    }

    async fn command(&self, path: &'static str, body: Value) -> Value {
        let answer = self.client.issue_cmd(ChromeCommand { path, body }).await;
        answer.unwrap_or_else(|error| panic!("ChromeDriver refused {path}: {error}"))
    }
}

/// Returns the longest task of a page's thread among the events of a trace.
fn longest_task_in(entries: &Value) -> Option<Duration> {
    let events = entries.as_array()?.iter().filter_map(|entry| {
        let said: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
        Some(said["message"]["params"].clone())
    });
    let (names, tasks): (Vec<Value>, Vec<Value>) = events
        .filter(|it| it["name"] == "thread_name" || it["tdur"].is_number())
        .partition(|it| it["name"] == "thread_name");
    let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
    let pages: HashSet<_> = names
        .iter()
        .filter(|it| it["args"]["name"] == "CrRendererMain")
        .map(thread)
        .collect();
    let ours = tasks.iter().filter(|it| pages.contains(&thread(it)));
    let longest = ours.filter_map(|it| it["tdur"].as_u64()).max();
    longest.map(Duration::from_micros)
}

/// A command of ChromeDriver beyond the WebDriver standard.
#[derive(Debug)]
struct ChromeCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for ChromeCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.path
        ))
    }

    fn method_and_body(&self, _url: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

/// A running ChromeDriver, which closes its browsers when it is asked to shut down.
struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    fn start() -> Self {
        // ChromeDriver takes a free port of IPv4 or IPv6, and ends with "port not available" if the
        // same port of the other is taken.
        (0..3)
            .find_map(|_| Self::on_free_port())
            .expect("ChromeDriver says which port it took")
    }

    /// Starts ChromeDriver; `None` if ChromeDriver ends without a port.
    fn on_free_port() -> Option<Self> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("ChromeDriver cannot start ({error}): `cargo xtask test` installs it")
            });
        let output = process.stdout.take().expect("its output is piped");
        let port = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                line.strip_prefix("ChromeDriver was started successfully on port ")?
                    .trim_end_matches('.')
                    .parse()
                    .ok()
            });
        let Some(port) = port else {
            drop(process.kill().and_then(|()| process.wait()));
            return None;
        };
        Some(Self { process, port })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // If ChromeDriver were killed at once, its browser would stay.
        let asked = TcpStream::connect(("127.0.0.1", self.port)).and_then(|mut stream| {
            stream.write_all(b"GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        });
        let start = Instant::now();
        while asked.is_ok() && start.elapsed() < Duration::from_secs(5) {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
