//! The same run on every device: both workers in a real browser against the native CPU.

use std::time::Duration;

use burn::tensor::Device;
use strata_models::{ModelConfig, TransformerConfig};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_tests::browser::{Browser, Options};
use strata_training::{Experiment, Schedule, Trainer, TrainingConfig};

/// Small enough for a graphics card that is emulated on the CPU.
fn experiment() -> Experiment {
    Experiment {
        seed: 7,
        task: TaskConfig::Copy(CopyConfig {
            symbols: 8,
            minimum_length: 3,
            maximum_length: 6,
            examples: 64,
            held_out: 4,
        }),
        model: ModelConfig::Transformer(TransformerConfig {
            width: 16,
            heads: 2,
            layers: 1,
            feed_forward: 32,
            ..TransformerConfig::default()
        }),
        training: TrainingConfig {
            steps: 6,
            batch_size: 8,
            schedule: Schedule::Constant { warmup: 0 },
            label_smoothing: 0.1,
            validate_every: 0,
            ..TrainingConfig::default()
        },
    }
}

fn native_losses() -> Vec<f64> {
    let mut trainer = Trainer::new(experiment(), &Device::flex()).expect("the experiment is sound");
    let steps = 0..trainer.experiment().training.steps;
    steps
        .map(|_| {
            pollster::block_on(trainer.step())
                .expect("the step is taken")
                .loss
        })
        .collect()
}

/// Trains in a worker of the page to the end and gives the loss of every step.
async fn worker_losses(browser: &Browser, worker: &str, limit: Duration) -> Vec<f64> {
    let experiment = serde_json::to_string(&experiment()).expect("an experiment is plain data");
    let script = format!(
        "window.heard = [];
         const worker = new Worker('./worker-{worker}_loader.js', {{ type: 'module' }});
         worker.onerror = error => window.heard.push({{ event: 'lost', reason: error.message }});
         worker.onmessage = ({{ data }}) => {{
             if (data === 'listening') worker.postMessage({{ command: 'load', experiment: {experiment} }});
             else window.heard.push(data);
             if (data.event === 'ready') worker.postMessage({{ command: 'train' }});
         }};"
    );
    browser.evaluate(&script).await;
    let over = "window.heard.some(it => it.activity === 'finished' \
                || ['lost', 'refused', 'diverged'].includes(it.event))";
    browser.wait_for("end of the run", limit, over).await;
    let failed = "return window.heard.filter(it => it.reason).map(it => it.reason)";
    assert_eq!(browser.evaluate(failed).await, serde_json::json!([]));
    let losses = "return window.heard.filter(it => it.event === 'progress') \
                  .flatMap(it => it.steps.map(step => step.loss))";
    serde_json::from_value(browser.evaluate(losses).await).expect("losses are numbers")
}

fn assert_equal(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (step, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(
            difference < 1e-3,
            "step {}: {found}, not {expected}",
            step + 1
        );
    }
    let differences = found
        .iter()
        .zip(expected)
        .map(|(found, expected)| (found - expected).abs());
    println!("largest difference: {:e}", differences.fold(0.0, f64::max));
    let fallen = expected[0] - expected[expected.len() - 1];
    assert!(
        fallen > 0.01,
        "a loss that stays equal would prove nothing: {expected:?}"
    );
}

#[tokio::test]
async fn the_cpu_worker_trains_as_the_native_cpu_does() {
    let browser = Browser::open(Options::default(), "").await;
    let losses = worker_losses(&browser, "cpu", Duration::from_secs(60)).await;
    assert_equal(&losses, &native_losses());
}

#[tokio::test]
async fn the_webgpu_worker_trains_as_the_native_cpu_does() {
    let options = Options {
        webgpu: true,
        ..Options::default()
    };
    let browser = Browser::open(options, "").await;
    let losses = worker_losses(&browser, "webgpu", Duration::from_secs(600)).await;
    assert_equal(&losses, &native_losses());
}
