//! The playground in a browser, in the words of a user.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use serde::Deserialize;
use serde_json::Value;
use strata_tests::browser::{Browser, Options};

/// Time limit for anything that a user would wait for, on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An open playground.
pub struct Playground {
    browser: Browser,
}

/// A heat-map as the page shows it.
#[derive(Debug, Deserialize)]
pub struct HeatMap {
    /// Site of the weights.
    pub site: String,
    /// Weights, row by row.
    pub weights: Vec<Vec<f64>>,
}

impl Playground {
    /// Opens the page, and waits until an experiment is prepared.
    pub async fn open(options: Options, query: &str) -> Self {
        let playground = Self {
            browser: Browser::open(options, query).await,
        };
        playground.wait_until_settled().await;
        playground
    }

    /// Wraps an open browser, whatever it shows.
    pub fn around(browser: Browser) -> Self {
        Self { browser }
    }

    /// Loads the page anew; `script` runs before everything else in it.
    pub async fn reopen_after(&self, script: &str) {
        self.run_first(script).await;
        self.goto("").await;
        self.wait_until_settled().await;
    }

    /// Waits until an experiment is prepared, its first view is drawn and the page stands still: the
    /// first view moves all controls below that view, and a press at that moment hits something else.
    async fn wait_until_settled(&self) {
        self.wait_for_phase("paused").await;
        // On a busy machine the first view comes seconds after the experiment. What has no view, as
        // a page without the panel, stands still without it.
        let state = "const view = document.querySelector('#seeing');
                     const comes = document.querySelector('#watching')?.ariaPressed === 'true';
                     const waits = view && comes && view.dataset.step === undefined;
                     return [waits ? true : false, document.documentElement.scrollHeight]";
        let (mut before, mut same) = (Value::Null, 0);
        let start = Instant::now();
        while same < 3 && start.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let now = self.evaluate(state).await;
            let is_still = now == before && now[0] == false;
            same = if is_still { same + 1 } else { 0 };
            before = now;
        }
    }

    /// Presses the summary of a disclosure that is folded, and waits until its content is there.
    pub async fn unfold(&self, selector: &str) {
        self.click(&format!("{selector} > summary")).await;
        let is_open = format!("document.querySelector('{selector}').open");
        self.wait_for(&format!("content of {selector}"), PATIENCE, &is_open)
            .await;
    }

    /// Waits for a phase of the run: `paused`, `training`, ….
    pub async fn wait_for_phase(&self, phase: &str) {
        let expression = format!("document.querySelector('#status')?.dataset.state === '{phase}'");
        let what = format!("run that is {phase}");
        self.wait_for(&what, PATIENCE, &expression).await;
    }

    /// Waits until at least this number of steps is taken.
    pub async fn wait_for_step(&self, step: u64) {
        let expression = format!("document.querySelector('#stat-step')?.dataset.value >= {step}");
        self.wait_for(&format!("step {step}"), PATIENCE, &expression)
            .await;
    }

    /// Waits until exactly this number of steps is taken, and the run is paused.
    pub async fn wait_for_exact_step(&self, step: u64) {
        let expression = format!(
            "document.querySelector('#stat-step')?.dataset.value === '{step}' && \
             document.querySelector('#status').dataset.state === 'paused'"
        );
        self.wait_for(&format!("pause at step {step}"), PATIENCE, &expression)
            .await;
    }

    /// Waits until the present run is kept with at least this number of steps.
    pub async fn wait_until_kept(&self, step: u64) {
        let kept = format!(
            "document.querySelector('#runs-list .run[aria-current]')?.dataset.step >= {step}"
        );
        self.wait_for(&format!("kept step {step}"), PATIENCE, &kept)
            .await;
    }

    /// Reloads the page as a user does, and waits until it has a run.
    pub async fn reload(&self) {
        let reloaded = self.client().refresh().await;
        reloaded.expect("the page loads again");
        self.wait_until_settled().await;
    }

    /// Chooses a file in the file input that matches a CSS selector.
    pub async fn choose_file(&self, selector: &str, file: &Path) {
        let path = file.to_str().expect("a path in letters");
        let chosen = self.find(selector).await.send_keys(path).await;
        chosen.unwrap_or_else(|error| panic!("{path} cannot be chosen: {error}"));
    }

    /// Chooses several files in a field for files.
    pub async fn choose_files(&self, selector: &str, files: &[PathBuf]) {
        let paths: Vec<_> = files.iter().filter_map(|it| it.to_str()).collect();
        let chosen = self.find(selector).await.send_keys(&paths.join("\n")).await;
        chosen.unwrap_or_else(|error| panic!("{paths:?} cannot be chosen: {error}"));
    }

    /// Returns the number of steps taken.
    pub async fn step(&self) -> u64 {
        self.instrument("step").await as u64
    }

    /// Returns the value of an instrument, unrounded.
    pub async fn instrument(&self, name: &str) -> f64 {
        let script = format!("return Number(document.querySelector('#stat-{name}').dataset.value)");
        let value = self.evaluate(&script).await;
        value
            .as_f64()
            .unwrap_or_else(|| panic!("the instrument {name} shows nothing"))
    }

    /// Trains for at least this number of steps, then pauses. Returns the step at which the run has
    /// stopped.
    pub async fn train_for(&self, steps: u64) -> u64 {
        let goal = self.step().await + steps;
        self.click("#train").await;
        self.wait_for_step(goal).await;
        self.click("#pause").await;
        self.wait_for_phase("paused").await;
        self.step().await
    }

    /// Returns the programs of the workers that the page has started.
    pub async fn programs(&self) -> Vec<String> {
        let script = "return performance.getEntriesByType('resource')
            .map(({ name }) => name.match(/([^/]*)_loader\\.js$/)?.[1])
            .filter(name => name !== undefined)";
        serde_json::from_value(self.evaluate(script).await).expect("programs have names")
    }

    /// Returns the program with which an isolated page computes on the CPU.
    pub async fn best_program(&self) -> String {
        let several = self.evaluate("return navigator.hardwareConcurrency > 1");
        match several.await.as_bool() {
            Some(true) => "worker-cpu-threads".to_owned(),
            _ => "worker-cpu-relaxed".to_owned(),
        }
    }

    /// Takes steps one by one, and returns their losses.
    pub async fn losses(&self, steps: u64) -> Vec<f64> {
        let mut losses = Vec::new();
        let before = self.step().await;
        for step in before + 1..=before + steps {
            self.click("#step").await;
            self.wait_for_step(step).await;
            losses.push(self.instrument("loss").await);
        }
        losses
    }

    /// Takes two steps of a fresh run; returns the losses that its next two steps must have,
    /// whatever happens in between.
    pub async fn amid_a_run(&self) -> Vec<f64> {
        let losses = self.losses(4).await;
        self.click("#reset").await;
        self.wait_for_exact_step(0).await;
        self.losses(2).await;
        losses[2..].to_vec()
    }

    /// Returns the text of the first element that matches a CSS selector.
    pub async fn text(&self, selector: &str) -> String {
        let text = self.find(selector).await.text().await;
        text.expect("an element that is there has a text")
    }

    /// Returns the messages that are shown.
    pub async fn messages(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('#messages .message')]\
                      .map(message => message.innerText.trim())";
        serde_json::from_value(self.evaluate(script).await).expect("messages are texts")
    }

    /// Waits for a message that contains a text, and returns the whole message.
    pub async fn message_with(&self, text: &str) -> String {
        let expression = format!(
            "[...document.querySelectorAll('#messages .message')]\
             .map(message => message.innerText.trim()).find(message => message.includes('{text}'))"
        );
        let what = format!("message with “{text}”");
        let message = self.wait_for(&what, PATIENCE, &expression).await;
        message.as_str().expect("messages are texts").to_owned()
    }

    /// Chooses an option of a select.
    pub async fn choose(&self, selector: &str, value: &str) {
        let chosen = self.find(selector).await.select_by_value(value).await;
        chosen.unwrap_or_else(|error| panic!("{selector} has no choice {value}: {error}"));
    }

    /// Returns the chosen option of a select.
    pub async fn chosen(&self, selector: &str) -> String {
        let script = format!("return document.querySelector('{selector}').value");
        self.evaluate(&script)
            .await
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Presses a tab of the inspector; a folded tab is unfolded first.
    pub async fn press_tab(&self, name: &str) {
        let there = format!("document.querySelector('#tab-{name}')");
        self.wait_for(&format!("tab {name}"), PATIENCE, &there)
            .await;
        let unfold = format!(
            "const more = document.querySelector('#tab-{name}').closest('details'); if (more) more.open = true"
        );
        self.evaluate(&unfold).await;
        self.click(&format!("#tab-{name}")).await;
    }

    /// Opens a tab of the inspector, and waits until it shows its view.
    pub async fn open_tab(&self, name: &str) {
        self.press_tab(name).await;
        let shown = format!("document.querySelector('#seeing[data-view=\"{name}\"][data-step]')");
        self.wait_for(&format!("view {name}"), PATIENCE, &shown)
            .await;
    }

    /// Returns the heat-map with this id, once it has a picture.
    pub async fn heat_map(&self, id: &str) -> HeatMap {
        let map = format!("document.querySelector('#{id}[data-weights]')");
        self.wait_for(&format!("picture in #{id}"), PATIENCE, &map)
            .await;
        let script = format!(
            "const {{ site, weights }} = {map}.dataset;
             return {{ site, weights: JSON.parse(weights) }}"
        );
        serde_json::from_value(self.evaluate(&script).await).expect("weights are numbers")
    }

    /// Replaces the text in the box, and asks for its translation.
    pub async fn type_and_translate(&self, text: &str) {
        let input = self.find("#translate-input").await;
        // WebDriver's own command to clear a box sends the page no event.
        let everything = format!("{}a{}", char::from(Key::Control), char::from(Key::Null));
        let typed = async {
            input.send_keys(&everything).await?;
            input
                .send_keys(&char::from(Key::Backspace).to_string())
                .await?;
            input.send_keys(text).await
        };
        typed.await.expect("the box can be typed in");
        self.click("#translate-button").await;
    }

    /// Presses and releases a key.
    pub async fn press(&self, key: char) {
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: key })
            .then(KeyAction::Up { value: key });
        let pressed = self.client().perform_actions(keys).await;
        pressed.unwrap_or_else(|error| panic!("the key {key:?} cannot be pressed: {error}"));
    }

    /// True if the keyboard's focus is on an element that matches a CSS selector.
    pub async fn has_focus(&self, selector: &str) -> bool {
        let script = format!("return document.activeElement.matches('{selector}')");
        self.evaluate(&script).await == true
    }

    /// Returns the first element that matches a CSS selector.
    pub async fn find(&self, selector: &str) -> Element {
        let found = self.client().find(Locator::Css(selector)).await;
        found.unwrap_or_else(|error| panic!("there is no {selector}: {error}"))
    }
}

impl Deref for Playground {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

impl HeatMap {
    /// Returns the share of rows, except the last (`</s>`), whose largest weight is on the
    /// diagonal.
    pub fn diagonal(&self) -> f64 {
        let rows = &self.weights[..self.weights.len() - 1];
        let at_home = |(row, weights): &(usize, &Vec<f64>)| {
            weights.iter().all(|weight| *weight <= weights[*row])
        };
        rows.iter().enumerate().filter(at_home).count() as f64 / rows.len() as f64
    }
}
