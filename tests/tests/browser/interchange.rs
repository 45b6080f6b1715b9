//! Models that go from the page to the command line and back, and files that are no models.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::playground::{PATIENCE, Playground};
use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value, json};
use strata_tests::browser::Options;
use strata_tests::cli::{Workplace, ended, signal};
use strata_text::Uploads;
use strata_training::{Checkpoint, Trainer};

/// Tolerance between two builds of the same arithmetic for different processors.
const TOLERANCE: f64 = 1e-4;

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs() / expected;
        assert!(difference < TOLERANCE, "{found} for {expected}");
    }
}

fn native_losses(trainer: &mut Trainer, steps: usize) -> Vec<f64> {
    (0..steps)
        .map(|_| {
            block_on(trainer.step())
                .expect("the CPU does not fail")
                .loss
        })
        .collect()
}

/// Returns the path of the page's model, as the browser saves it.
async fn saved(page: &Playground, place: &Workplace) -> PathBuf {
    let folder = place.path("downloads");
    fs::create_dir_all(&folder).expect("a folder for downloads");
    let behaviour = json!({ "behavior": "allow", "downloadPath": folder });
    page.devtools("Browser.setDownloadBehavior", behaviour)
        .await;
    page.click("#runs summary").await;
    page.click("#save-file").await;
    let start = Instant::now();
    loop {
        let files = fs::read_dir(&folder).expect("the folder is there");
        let found = files.filter_map(|file| Some(file.ok()?.path()));
        // The browser reserves the name with an empty file, and replaces it by the complete one.
        let mut whole = found.filter(|it| {
            it.extension().is_some_and(|it| it == "safetensors")
                && fs::metadata(it).is_ok_and(|it| it.len() > 0)
        });
        if let Some(file) = whole.next() {
            return file;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "nothing was downloaded"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn the_command_line_goes_on_with_the_pages_model() {
    let (here, more, all) = (4, 4, 8);
    let page = Playground::open(Options::default(), "").await;
    let in_page = page.losses(here).await;
    let place = Workplace::new();
    let file = saved(&page, &place).await;
    let name = file.file_name().and_then(|it| it.to_str());
    assert_eq!(name, Some("copy-step4.safetensors"));
    let bytes = fs::read(&file).expect("the file is there");

    // The same run without interruption, except for the change of its length.
    let experiment = Checkpoint::open(&bytes)
        .expect("a whole file")
        .experiment()
        .clone();
    let mut changed = experiment.clone();
    changed.training.steps = all;
    let device = Device::default();
    let mut trainer = Trainer::new(experiment, &Uploads::default(), &device).expect("a preset");
    let mut expected = native_losses(&mut trainer, here as usize);
    assert_close(&in_page, &expected);
    let native = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let longer = Checkpoint::open(&native)
        .expect("a whole file")
        .going_on_as(&changed);
    let mut trainer =
        Trainer::restore(&longer, &Uploads::default(), &device).expect("a whole file");
    expected = native_losses(&mut trainer, more);

    let resumed = format!(
        "train --resume {} training.steps={all} --out run",
        file.display()
    );
    place.run(&resumed).succeeded();
    let losses: Vec<f64> = place
        .losses("run/metrics.jsonl")
        .into_iter()
        .map(|(_, loss)| f64::from_bits(loss))
        .collect();
    assert_close(&losses[losses.len() - more..], &expected);
    place
        .run(&format!("inspect {}", file.display()))
        .succeeded();
}

#[tokio::test]
async fn the_page_goes_on_with_the_command_lines_model() {
    let place = Workplace::new();
    let run = place.start(
        "train task.kind=copy task.symbols=8 task.minimum_length=4 task.maximum_length=8 task.examples=2000 \
         model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 \
         training.batch_size=8 training.steps=100000 training.checkpoint_every=10 --out run",
    );
    place.wait_for("run/checkpoint.safetensors");
    signal(&run, "INT");
    assert_eq!(ended(run).code, Some(130));
    let file = place.path("run/checkpoint.safetensors");
    let bytes = fs::read(&file).expect("the file is there");
    let mut trainer =
        Trainer::restore(&bytes, &Uploads::default(), &Device::default()).expect("a whole file");
    let step = trainer.step_count();
    let expected = native_losses(&mut trainer, 4);

    let page = Playground::open(Options::default(), "").await;
    page.choose_file("#model-file", &file).await;
    page.wait_for_exact_step(step).await;
    let named = "document.querySelector('.preset-line')?.innerText.includes('“checkpoint”')";
    page.wait_for("name of the file", PATIENCE, named).await;
    assert_close(&page.losses(4).await, &expected);
    page.wait_until_kept(step + 4).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// A model that learned from files is used without them, and trained on once they are given.
#[tokio::test]
async fn a_model_of_files_opens_without_them_and_asks_for_them_by_name() {
    let place = Workplace::new();
    let lines = |word: &str| {
        (0..40)
            .map(|at| format!("{word} {at} x {at}\n"))
            .collect::<String>()
    };
    fs::create_dir(place.path("data")).expect("a folder for data");
    place.write("data/m.de", lines("eins"));
    place.write("data/m.en", lines("one"));
    let [de, en] = ["data/m.de", "data/m.en"].map(|file| place.path(file));
    let train = format!(
        "train task.kind=files task.source={} task.target={} task.minimum_count=1 model.width=16 model.heads=2 \
         model.layers=1 model.feed_forward=32 training.steps=5 training.batch_size=8 --out run",
        de.display(),
        en.display()
    );
    place.run(&train).succeeded();
    let page = Playground::open(Options::default(), "").await;
    let file = place.path("run/checkpoint.safetensors");
    page.choose_file("#model-file", &file).await;
    page.wait_for_exact_step(5).await;
    let told = page.message_with("give m.de and m.en").await;
    assert!(!told.contains("Own pairs"), "{told}");
    page.click("#train").await;
    page.message_with("without the data").await;
    // The model translates, and shows the typed sentence instead of held-out ones.
    page.type_and_translate("eins 3 x").await;
    page.open_tab("site").await;
    let shown = "document.querySelector('.sentences').innerText.includes('eins 3 x')";
    page.wait_for("typed sentence in the picture", PATIENCE, shown)
        .await;
    // One file after the other, the second one first.
    page.unfold(".data").await;
    page.choose_file("#data-files", &en).await;
    page.message_with("m.de, too").await;
    page.choose_file("#data-files", &de).await;
    page.message_with("can be trained on").await;
    page.wait_for_phase("finished").await;
    assert_eq!(page.step().await, 5);
    let told = page.messages().await.join(" ");
    assert!(!told.contains("give"), "{told}");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn files_that_are_no_models_are_refused_in_a_sentence() {
    let page = Playground::open(Options::default(), "").await;
    let expected = page.amid_a_run().await;
    let place = Workplace::new();
    let header = br#"{"__metadata__":{"strata":"<img src=x onerror=window.broken=1>"}}"#;
    let files: [(&str, Vec<u8>, &str); 4] = [
        (
            "page.html",
            b"<script>window.broken = 1</script>".to_vec(),
            "not a checkpoint",
        ),
        ("empty.safetensors", Vec::new(), "truncated"),
        (
            "huge.safetensors",
            u64::MAX.to_le_bytes().repeat(9),
            "no .safetensors file",
        ),
        (
            "script.safetensors",
            [&(header.len() as u64).to_le_bytes(), &header[..]].concat(),
            "damaged",
        ),
    ];
    for (name, bytes, told) in files {
        place.write(name, bytes);
        page.choose_file("#model-file", &place.path(name)).await;
        // The driver returns text as it is shown, where words may be broken anywhere.
        let message = page.message_with(told).await;
        assert!(message.ends_with('.'), "{message}");
        page.wait_for_exact_step(2).await;
    }
    assert_eq!(page.losses(2).await, expected);
    assert_eq!(page.evaluate("return window.broken").await, Value::Null);
    assert_eq!(page.errors().await, Vec::<String>::new());
}
