//! Every mechanism on every device: all workers in a real browser compared with the native CPU, and
//! on WebGPU the number of kernels that a training step launches.

mod cases;
mod outcome;
mod run;
mod worker;

use outcome::{Outcome, outcomes};
use strata_tests::browser::Options;
use tokio::sync::OnceCell;

/// Most kernels that a step with N, d ≤ 5 levels (of a mix ≤ 3) may launch, in multiples of plain
/// attention's.
const MOST_LAUNCHES: u64 = 2;

/// Outcomes on WebGPU, shared by two tests: where the CPU emulates it, a step takes seconds.
static ON_WEBGPU: OnceCell<Vec<Outcome>> = OnceCell::const_new();

async fn on_webgpu() -> &'static [Outcome] {
    let options = Options {
        webgpu: true,
        ..Options::default()
    };
    ON_WEBGPU.get_or_init(|| outcomes("webgpu", options)).await
}

fn assert_none(failures: Vec<String>) {
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// With relaxed SIMD and without.
#[tokio::test]
async fn the_cpu_workers_compute_what_the_native_cpu_does() {
    for worker in ["cpu", "cpu-relaxed"] {
        let outcomes = outcomes(worker, Options::default()).await;
        assert_none(outcomes.iter().filter_map(Outcome::difference).collect());
    }
}

#[tokio::test]
async fn the_webgpu_worker_computes_what_the_native_cpu_does() {
    let outcomes = on_webgpu().await;
    assert_none(outcomes.iter().filter_map(Outcome::difference).collect());
}

#[tokio::test]
async fn on_webgpu_no_mechanism_launches_many_times_the_kernels_of_plain_attention() {
    let excess = |outcome: &Outcome| {
        let (own, plain) = (outcome.calls.dispatches, outcome.plain.dispatches);
        assert!(plain > 0, "{}: no kernel was counted", outcome.name);
        (own > MOST_LAUNCHES * plain).then(|| {
            format!(
                "{}: {own} kernels a step, plain attention {plain}",
                outcome.name
            )
        })
    };
    assert_none(on_webgpu().await.iter().filter_map(excess).collect());
}
