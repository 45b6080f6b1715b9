//! The package used from a script.

use serde_json::Value;
use strata_tests::browser::{Browser, Options};
use strata_tests::site::{ISOLATED, PLAIN, SHARED, StaticSite};

use crate::nightly::installed::{PATIENCE, opened, unpacked};

/// Runs the body of an async function in the page with the package as `strata`, and returns its value.
async fn does(browser: &Browser, body: &str) -> Value {
    let script = format!(
        "window.done = null;
         (async () => {{
           const strata = await import('./node_modules/strata-attention/index.js');
           {body}
         }})().then((value) => {{ window.done = {{ value }}; }},
           (error) => {{ window.done = {{ value: `failed: ${{error.message}}` }}; }});"
    );
    browser.evaluate(&script).await;
    browser.wait_for("answer", PATIENCE, "window.done").await["value"].take()
}

const WHOLE: &str = "
    const settings = { preset: 'copy', 'training.steps': 40, 'training.validate_every': 20 };
    const run = await strata.train({ ...settings, start: false });
    const kinds = [], losses = [];
    const untrained = await run.validate();
    const before = await run.view({ attention: 'decoder.0.cross' });
    await run.resume();
    for await (const event of run) {
      kinds.push(Object.keys(event)[0]);
      if (event.progress) losses.push(...event.progress.steps.map((it) => it.loss));
    }
    const trained = await run.validate();
    const translated = await run.translate('a b c');
    const site = (await run.view({ attention: 'decoder.0.cross', head: 0 })).data.sites[0];
    const refused = await run.view({ attention: 'decoder.7.cross' }).catch((error) => error.message);
    const overview = await run.view({ view: 'overview' });
    const checkpoint = await run.checkpoint();
    const again = await strata.open(checkpoint);
    const same = (await again.translate('a b c')).text === translated.text;
    const state = { activity: run.activity, step: run.step, steps: run.steps, threads: run.threads,
      device: run.device, notes: run.notes, width: run.ready.experiment.model.width };
    run.stop();
    const stopped = await run.translate('a').catch((error) => error.message);
    again.stop();
    const rowSum = site.weights.slice(0, site.columns).reduce((sum, it) => sum + it, 0);
    return { kinds: [...new Set(kinds)], count: losses.length, fell: trained.loss < untrained.loss,
      changed: JSON.stringify(before.data) !== JSON.stringify(site), rowSum, heads: site.heads, refused,
      thumbnails: overview.data.sites.length, bytes: checkpoint.length, same, state, stopped,
      text: typeof translated.text, step: again.step };";

#[tokio::test]
async fn a_script_trains_translates_looks_and_saves_on_a_plain_server() {
    let folder = unpacked();
    let browser = opened(folder.path(), PLAIN, "vite/index.html", Options::default()).await;
    browser.goto("page.html").await;
    let told = does(&browser, WHOLE).await;
    assert_eq!(told["count"], 40, "{told}");
    for kind in ["ready", "activity", "progress", "validated", "view"] {
        let kinds = told["kinds"].as_array().expect("kinds of events");
        assert!(kinds.contains(&kind.into()), "{kind}: {told}");
    }
    for fact in ["fell", "changed", "same"] {
        assert_eq!(told[fact], true, "{fact}: {told}");
    }
    let sum = told["rowSum"].as_f64().expect("a sum");
    assert!((sum - 1.0).abs() < 1e-3, "{told}");
    assert_eq!(told["heads"], 1, "{told}");
    let refused = told["refused"].as_str().unwrap_or_default();
    assert!(
        refused
            .starts_with("There is no attention site `decoder.7.cross`; there are encoder.0.self"),
        "{told}"
    );
    assert!(told["thumbnails"].as_u64() > Some(1), "{told}");
    assert!(told["bytes"].as_u64() > Some(10_000), "{told}");
    assert_eq!(told["step"], 40, "{told}");
    let state = &told["state"];
    assert_eq!(state["activity"], "finished", "{told}");
    assert_eq!(state["steps"], 40, "{told}");
    assert!(state["width"].as_u64() > Some(0), "{told}");
    // The server sends no headers that isolate, so there is one thread, and it is said why.
    assert_eq!(state["threads"], 1, "{told}");
    let note = state["notes"][0].as_str().unwrap_or_default();
    assert!(note.contains("Cross-Origin-Opener-Policy"), "{told}");
    let stopped = told["stopped"].as_str().unwrap_or_default();
    assert!(stopped.contains("stopped"), "{told}");
}

#[tokio::test]
async fn faults_are_told_in_sentences() {
    let folder = unpacked();
    let browser = opened(folder.path(), PLAIN, "page.html", Options::default()).await;
    for (call, told) in [
        ("strata.train({ preset: 'copi' })", "Did you mean `copy`?"),
        (
            "strata.train('preset=copy&model.widht=64')",
            "There is no setting `model.widht`; did you mean `model.width`?",
        ),
        (
            "strata.train({ preset: 'copy', device: 'tpu' })",
            "there are cpu and webgpu",
        ),
        (
            "strata.train({ preset: 'copy', workers: './nowhere' })",
            "nowhere/worker-cpu",
        ),
        ("strata.open(new Uint8Array([1, 2, 3]))", "checkpoint"),
        ("strata.train(7)", "takes settings"),
    ] {
        let said = does(&browser, &format!("await {call}; return 'no fault';")).await;
        let said = said.as_str().unwrap_or_default();
        assert!(
            said.starts_with("failed: ") && said.contains(told),
            "{call}: {said}"
        );
    }
    let presets = does(
        &browser,
        "return (await strata.presets()).map((it) => it.name);",
    )
    .await;
    assert!(
        presets
            .as_array()
            .is_some_and(|it| it.contains(&"reverse".into())),
        "{presets}"
    );
}

#[tokio::test]
async fn an_isolated_page_has_threads_if_the_package_has_them() {
    let folder = unpacked();
    let modules = folder.path().join("node_modules/strata-attention/workers");
    if !modules.join("worker-cpu-threads_bg.wasm").is_file() {
        println!("Left out: this package is built without the worker with threads.");
        return;
    }
    let browser = opened(folder.path(), ISOLATED, "page.html", Options::default()).await;
    let body = "const run = await strata.train({ preset: 'copy', 'training.steps': 20 });
        for await (const event of run);
        const told = [run.threads, navigator.hardwareConcurrency, run.notes, run.step];
        run.stop();
        return told;";
    let told = does(&browser, body).await;
    assert_eq!(told[3], 20, "{told}");
    let processors = told[1].as_u64().expect("a number of processors").min(8);
    assert_eq!(told[0].as_u64(), Some(processors), "{told}");
}

#[tokio::test]
async fn a_frame_trains_and_so_does_one_in_a_sandbox_if_the_server_lets_it() {
    let folder = unpacked();
    let page = folder.path().join("article.html");
    for (headers, attribute) in [(PLAIN, ""), (SHARED, "sandbox=allow-scripts")] {
        let article = format!("<!doctype html><iframe src=script.html {attribute}></iframe>");
        std::fs::write(&page, article).expect("a page can be written");
        let browser = opened(folder.path(), headers, "article.html", Options::default()).await;
        let entered = browser.client().enter_frame(0).await;
        entered.expect("the article has a frame");
        let log = "document.querySelector('#log')?.textContent.includes('bytes of checkpoint')";
        browser.wait_for("log of the run", PATIENCE, log).await;
    }
}

#[tokio::test]
async fn the_package_may_lie_on_another_server_than_the_page() {
    let folder = unpacked();
    let other = StaticSite::serve(folder.path(), SHARED).address();
    let pages = tempfile::tempdir().expect("a folder can be made");
    let page = std::fs::read_to_string(folder.path().join("script.html")).expect("an example");
    let page = page.replace("./node_modules", &format!("{other}/node_modules"));
    std::fs::write(pages.path().join("index.html"), page).expect("a page can be written");
    let browser = opened(pages.path(), PLAIN, "index.html", Options::default()).await;
    let log = "document.querySelector('#log').textContent.includes('bytes of checkpoint')";
    browser.wait_for("log of the run", PATIENCE, log).await;
}
