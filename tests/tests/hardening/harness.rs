//! Draws inputs, and counts how many are accepted and refused.

use std::any::Any;
use std::cell::Cell;
use std::env;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::memory;

/// Outcome of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The input was accepted.
    Taken,
    /// The input was refused in a sentence.
    Refused,
}

impl Outcome {
    /// Returns the outcome for an input that was `taken` or refused.
    pub fn of(taken: bool) -> Self {
        match taken {
            true => Self::Taken,
            false => Self::Refused,
        }
    }
}

/// Only one test runs at a time, since memory is counted for the whole program.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits until no other test runs; a test calls it first.
pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Most bytes of a sentence: it may repeat a part of the input.
const LONGEST_SENTENCE: usize = 10_000;

/// Draws inputs and passes each to `hold`, which panics if a promise is broken. Both outcomes must
/// occur: inputs of one kind alone would prove little.
///
/// `usual` is the number of inputs in a test; `STRATA_FUZZ_INPUTS` sets another number, and
/// `STRATA_FUZZ_SEED` draws other inputs.
pub fn fuzz<S: Strategy>(
    _alone: &MutexGuard<'static, ()>,
    door: &str,
    usual: u32,
    strategy: S,
    hold: impl Fn(S::Value) -> Outcome,
) {
    let number = |name: &str| -> Option<u32> { env::var(name).ok()?.parse().ok() };
    let cases = number("STRATA_FUZZ_INPUTS").unwrap_or(usual);
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number("STRATA_FUZZ_SEED").unwrap_or(0).to_le_bytes());
    let config = Config {
        cases,
        max_shrink_iters: 300,
        // Every run draws the same inputs, so a failure repeats itself: nothing need be stored.
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let (taken, refused) = (Cell::new(0), Cell::new(0));
    let start = Instant::now();
    // A failing input is made smaller and smaller, and only the last panic is worth reading.
    panic::set_hook(Box::new(|_| {}));
    memory::most_taken();
    let outcome = runner.run(&strategy, |input| {
        let held = catch_unwind(AssertUnwindSafe(|| hold(input)));
        let counted = match held.map_err(|panic| TestCaseError::fail(said(panic)))? {
            Outcome::Taken => &taken,
            Outcome::Refused => &refused,
        };
        counted.set(counted.get() + 1);
        Ok(())
    });
    drop(panic::take_hook());
    if let Err(error) = outcome {
        panic!("{door}: {error}\n{runner}");
    }
    let (taken, refused) = (taken.get(), refused.get());
    println!(
        "{door}: {cases} inputs in {:.1} s, {taken} taken and {refused} refused; at most {:.1} MiB \
         at a time",
        start.elapsed().as_secs_f64(),
        memory::most_taken() as f64 / 1024.0 / 1024.0,
    );
    assert!(
        taken > 0 && refused > 0,
        "{door}: {taken} taken, {refused} refused"
    );
}

/// Fails unless a text for the user is one sentence.
pub fn is_sentence(text: &str) {
    let length = text.len();
    assert!((10..LONGEST_SENTENCE).contains(&length), "{length}: {text}");
}

fn said(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(sentence) => *sentence,
        Err(panic) => panic
            .downcast::<&str>()
            .map_or("a panic without words".into(), |words| (*words).into()),
    }
}
