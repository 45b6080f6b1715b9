//! Draws inputs and counts what becomes of them.

use std::any::Any;
use std::cell::Cell;
use std::env;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::memory;

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was understood.
    Taken,
    /// It was refused in a sentence.
    Refused,
}

impl Outcome {
    /// The outcome of what may have been refused.
    pub fn of(taken: bool) -> Self {
        match taken {
            true => Self::Taken,
            false => Self::Refused,
        }
    }
}

/// One door at a time: memory is counted for the whole program.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits until no other door is open; the first thing that a test does.
pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The longest sentence that is still one, in bytes: it may repeat a part of the input.
const LONGEST_SENTENCE: usize = 10_000;

/// Draws inputs and hands each to `hold`, which panics where a promise is broken. Both outcomes
/// must occur: inputs of one kind alone would prove little.
///
/// `usual` is how many are drawn in a test; `STRATA_FUZZ_INPUTS` names another number, and
/// `STRATA_FUZZ_SEED` other inputs.
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
        // With the same draws in every run a failure can be had again: there is nothing to keep.
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let (taken, refused) = (Cell::new(0), Cell::new(0));
    let start = Instant::now();
    // A failure is drawn smaller and smaller: only the last of its panics is worth reading.
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

/// Holds what is told to a user against what a sentence is.
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
