//! The page in Firefox, in the words of a user.
//!
//! A failed check ends the test with a sentence and a screenshot of the page.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bidi::Bidi;
use crate::firefox::Firefox;

/// Time limit for anything that a user would wait for, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Time between two checks of the page.
const GLANCE: Duration = Duration::from_millis(100);

/// Width and height of the window in CSS pixels.
const SIZE: (u32, u32) = (1280, 900);

/// The key Control as WebDriver names it.
const CONTROL: &str = "\u{e009}";

/// An open page.
pub struct Page {
    // Dropped in this order: Firefox is asked to close, then waited for.
    bidi: Bidi,
    _firefox: Firefox,
    /// Id of the tab.
    tab: String,
    address: String,
    /// Errors on the console so far.
    errors: Vec<String>,
    began: Instant,
}

/// A heat-map as the page shows it.
#[derive(Debug, Deserialize)]
pub struct HeatMap {
    /// Site of the weights.
    pub site: String,
    /// Weights, row by row.
    pub weights: Vec<Vec<f64>>,
    /// Number of different colours in the picture.
    pub colours: usize,
}

impl Page {
    /// Opens Firefox on the page; `query` is the query of the address, such as `?seed=3`.
    pub fn open(query: &str) -> Self {
        let named = |name: &str| {
            env::var(name).unwrap_or_else(|_| {
                panic!("{name} is missing: run `cargo xtask test --only page,firefox`")
            })
        };
        let (address, program) = (named("STRATA_PAGE"), named("STRATA_FIREFOX"));
        let began = Instant::now();
        let opened = Firefox::start(Path::new(&program), Path::new(env!("CARGO_TARGET_TMPDIR")))
            .and_then(|firefox| {
                let mut bidi = Bidi::connect(firefox.port)?;
                let tab = begin_session(&mut bidi)?;
                Ok((firefox, bidi, tab))
            });
        let (firefox, bidi, tab) =
            opened.unwrap_or_else(|why| panic!("Firefox could not be opened: {why}"));
        let mut page = Self {
            bidi,
            _firefox: firefox,
            tab,
            address,
            errors: Vec::new(),
            began,
        };
        page.goto(query);
        page
    }

    /// Prints an observation, with the time since Firefox was started.
    pub fn say(&self, what: &str) {
        println!("{:6.1} s  {what}", self.began.elapsed().as_secs_f64());
    }

    /// Loads the page anew; `query` is the query of the address.
    pub fn goto(&mut self, query: &str) {
        let address = format!("{}/{query}", self.address);
        let loading = json!({ "context": self.tab, "url": address, "wait": "complete" });
        self.command("browsingContext.navigate", loading);
    }

    /// Reloads the page, as a user does.
    pub fn reload(&mut self) {
        let loading = json!({ "context": self.tab, "wait": "complete" });
        self.command("browsingContext.reload", loading);
    }

    /// Returns the value of a JavaScript expression; an element counts as true.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let value = self.try_evaluate(expression);
        value.unwrap_or_else(|why| self.fail(&format!("`{expression}` cannot be computed: {why}")))
    }

    fn try_evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let plain = format!(
            "(async () => {{
                const value = await ({expression});
                return JSON.stringify(value instanceof Node ? true : value ?? null);
            }})()"
        );
        let result = self.script(&plain)?;
        let text = result["value"].as_str().unwrap_or_default();
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Evaluates an expression; returns its value as WebDriver BiDi describes values.
    fn script(&mut self, expression: &str) -> Result<Value, String> {
        let parameters = json!({
            "expression": expression,
            "target": { "context": self.tab },
            "awaitPromise": true,
        });
        let outcome = self.bidi.command("script.evaluate", parameters)?;
        match outcome["exceptionDetails"]["text"].as_str() {
            Some(exception) => Err(exception.to_owned()),
            None => Ok(outcome["result"].clone()),
        }
    }

    /// Waits until a JavaScript expression is truthy, and returns its value. `what` ends the
    /// sentence "after 180 s there was still no …".
    pub fn wait_for(&mut self, what: &str, expression: &str) -> Value {
        let start = Instant::now();
        loop {
            // Between two pages there is no context in which to evaluate it.
            let value = self.try_evaluate(&format!("({expression}) || null"));
            match value {
                Ok(Value::Null) | Err(_) if start.elapsed() < PATIENCE => thread::sleep(GLANCE),
                Ok(Value::Null) => {
                    let seconds = PATIENCE.as_secs();
                    self.fail(&format!("after {seconds} s there was still no {what}"));
                }
                Ok(value) => return value,
                Err(why) => self.fail(&format!("there was no {what}: {why}")),
            }
        }
    }

    /// Clicks the first element that matches a CSS selector.
    pub fn click(&mut self, selector: &str) {
        let find = format!("document.querySelector({selector:?})");
        // Returns the element's place once it stands still and nothing covers its middle.
        let place = format!(
            "(async element => {{
                if (!element) return null;
                element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                const frame = () => new Promise(done => requestAnimationFrame(done));
                const place = () => Object.values(element.getBoundingClientRect().toJSON()).join();
                const before = place();
                await frame();
                await frame();
                const {{ x, y, width, height }} = element.getBoundingClientRect();
                const top = document.elementFromPoint(x + width / 2, y + height / 2);
                return place() === before && element.contains(top);
            }})({find})"
        );
        let what = format!("{selector} to press that lies still and that nothing covers");
        self.wait_for(&what, &format!("await {place}"));
        let element = self.script(&find);
        let element = element.map(|element| json!({ "sharedId": element["sharedId"] }));
        let Ok(element) = element else {
            self.fail(&format!("{selector} was gone when it was to be pressed"));
        };
        let origin = json!({ "type": "element", "element": element });
        let actions = json!([
            { "type": "pointerMove", "x": 0, "y": 0, "origin": origin },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        self.act(json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Replaces the text in a text box.
    pub fn fill(&mut self, selector: &str, text: &str) {
        self.click(selector);
        self.wait_for(
            &format!("focus on {selector}"),
            &format!("document.activeElement.matches({selector:?})"),
        );
        let key = |kind: &str, value: &str| json!({ "type": kind, "value": value });
        let mut keys = vec![
            key("keyDown", CONTROL),
            key("keyDown", "a"),
            key("keyUp", "a"),
            key("keyUp", CONTROL),
        ];
        for letter in text.chars() {
            keys.push(key("keyDown", &letter.to_string()));
            keys.push(key("keyUp", &letter.to_string()));
        }
        self.act(json!({ "type": "key", "id": "keyboard", "actions": keys }));
        self.wait_for(
            &format!("{text:?} in {selector}"),
            &format!("document.querySelector({selector:?}).value === {text:?}"),
        );
    }

    /// Chooses an option of a select. An open select is no part of the page, so WebDriver's pointer
    /// cannot reach its options.
    pub fn choose(&mut self, selector: &str, value: &str) {
        let chosen = format!(
            "(list => {{
                list.value = {value:?};
                const chosen = list.value;
                for (const kind of ['input', 'change']) list.dispatchEvent(new Event(kind, {{ bubbles: true }}));
                // The page may show the earlier choice until it has what the new one asks for.
                return chosen;
            }})(document.querySelector({selector:?}))"
        );
        if self.evaluate(&chosen) != value {
            self.fail(&format!("{selector} has no choice {value}"));
        }
    }

    /// Returns the text of the first element that matches a CSS selector.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.evaluate(&format!("document.querySelector({selector:?})?.innerText"));
        match text.as_str() {
            Some(text) => text.trim().to_owned(),
            None => self.fail(&format!("there is no {selector}")),
        }
    }

    /// Returns the unrounded value of an instrument.
    pub fn instrument(&mut self, name: &str) -> f64 {
        let value = format!("document.querySelector('#stat-{name}')?.dataset.value");
        let value = self.evaluate(&value);
        match value.as_str().and_then(|it| it.parse().ok()) {
            Some(value) => value,
            None => self.fail(&format!("the instrument {name} shows nothing")),
        }
    }

    /// Returns the number of steps taken.
    pub fn step(&mut self) -> u64 {
        self.instrument("step") as u64
    }

    /// Waits for a phase of the run: `paused`, `training`, ….
    pub fn wait_for_phase(&mut self, phase: &str) {
        let there = format!("document.querySelector('#status')?.dataset.state === '{phase}'");
        self.wait_for(&format!("run that is {phase}"), &there);
    }

    /// Waits until at least this number of steps is taken.
    pub fn wait_for_step(&mut self, step: u64) {
        let taken = format!("document.querySelector('#stat-step')?.dataset.value >= {step}");
        self.wait_for(&format!("step {step}"), &taken);
    }

    /// Returns the heat-map with this id, once it is painted.
    pub fn heat_map(&mut self, id: &str) -> HeatMap {
        let map = format!(
            "(map => {{
                if (!map) return null;
                const canvas = map.querySelector('canvas');
                const {{ data }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                const colours = new Set(new Uint32Array(data.buffer)).size;
                const {{ site, weights }} = map.dataset;
                return {{ site, weights: JSON.parse(weights), colours }};
            }})(document.querySelector('#{id}[data-weights]'))"
        );
        let map = self.wait_for(&format!("picture in #{id}"), &map);
        serde_json::from_value(map)
            .unwrap_or_else(|why| self.fail(&format!("#{id} is no heat-map: {why}")))
    }

    /// Fails with a sentence unless `holds` is true.
    #[track_caller]
    pub fn check(&mut self, holds: bool, sentence: &str) {
        if !holds {
            self.fail(sentence);
        }
    }

    /// Returns the errors on the console since the page was opened.
    pub fn errors(&mut self) -> &[String] {
        // Messages that were logged before this answer arrive before it.
        drop(self.bidi.command("session.status", json!({})));
        self.errors
            .extend(self.bidi.take_events().iter().filter_map(error_in));
        &self.errors
    }

    /// Writes a screenshot into the folder that `STRATA_SCREENSHOTS` names, if it is set.
    pub fn screenshot(&mut self, name: &str) {
        if let Some(folder) = env::var_os("STRATA_SCREENSHOTS") {
            let path = Path::new(&folder).join(format!("firefox-{name}.png"));
            if let Err(why) = self.picture(&path) {
                self.fail(&why);
            }
        }
    }

    /// Ends the test with a sentence, the page's messages and console, and a screenshot.
    #[track_caller]
    pub fn fail(&mut self, sentence: &str) -> ! {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("firefox-failure.png");
        let picture = match self.picture(&path) {
            Ok(()) => format!("The picture is {}.", path.display()),
            Err(why) => format!("There is no picture: {why}."),
        };
        let says = match self.try_evaluate("document.body.innerText") {
            Ok(says) => format!("The page says {says}"),
            Err(why) => format!("What the page says is not known: {why}"),
        };
        let console = match self.errors() {
            [] => "The console has no errors.".to_owned(),
            errors => format!("The console has these errors:\n{}", errors.join("\n")),
        };
        let seconds = self.began.elapsed().as_secs();
        panic!("after {seconds} s in Firefox: {sentence}\n{picture}\n{console}\n{says}");
    }

    fn picture(&mut self, path: &Path) -> Result<(), String> {
        let window = json!({ "context": self.tab });
        let picture = self
            .bidi
            .command("browsingContext.captureScreenshot", window)?;
        let picture = picture["data"].as_str().unwrap_or_default();
        let picture = STANDARD.decode(picture).map_err(|it| it.to_string())?;
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(path, picture))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }

    fn act(&mut self, source: Value) {
        let actions = json!({ "context": self.tab, "actions": [source] });
        self.command("input.performActions", actions);
    }

    fn command(&mut self, method: &str, parameters: Value) -> Value {
        let result = self.bidi.command(method, parameters);
        result.unwrap_or_else(|why| self.fail(&why))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // If Firefox does not answer, its process is ended later.
        drop(self.bidi.command("browser.close", json!({})));
    }
}

/// Begins a session, subscribes to the console's messages, and returns the id of the tab.
fn begin_session(bidi: &mut Bidi) -> Result<String, String> {
    bidi.command("session.new", json!({ "capabilities": {} }))?;
    bidi.command("session.subscribe", json!({ "events": ["log.entryAdded"] }))?;
    let tree = bidi.command("browsingContext.getTree", json!({}))?;
    let tab = tree["contexts"][0]["context"].as_str();
    let tab = tab.ok_or("it has no tab")?.to_owned();
    let (width, height) = SIZE;
    let viewport = json!({ "context": tab, "viewport": { "width": width, "height": height } });
    bidi.command("browsingContext.setViewport", viewport)?;
    Ok(tab)
}

/// Returns the text of an event that is an error of the console, or an uncaught exception.
fn error_in(event: &Value) -> Option<String> {
    let entry = &event["params"];
    if event["method"] != "log.entryAdded" || entry["level"] != "error" {
        return None;
    }
    let text = entry["text"].as_str().unwrap_or_default();
    let frame = &entry["stackTrace"]["callFrames"][0];
    Some(
        match (frame["url"].as_str(), frame["lineNumber"].as_u64()) {
            // Lines are counted from 0.
            (Some(file), Some(line)) => format!("{text} ({file}, line {})", line + 1),
            _ => text.to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_exceptions_are_told_and_other_messages_are_not() {
        let event = |kind: &str, level: &str| {
            let frame = json!({ "url": "a.js", "lineNumber": 6 });
            let entry = json!({ "type": kind, "level": level, "text": "Oh!",
                                "stackTrace": { "callFrames": [frame] } });
            json!({ "type": "event", "method": "log.entryAdded", "params": entry })
        };
        for kind in ["console", "javascript"] {
            let told = error_in(&event(kind, "error"));
            assert_eq!(told.as_deref(), Some("Oh! (a.js, line 7)"));
        }
        assert_eq!(error_in(&event("console", "warn")), None);
        assert_eq!(error_in(&json!({ "method": "browsingContext.load" })), None);
    }
}
