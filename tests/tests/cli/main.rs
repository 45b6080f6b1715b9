//! The program `strata`, run as a user does: whole commands, their files and their errors.

#![allow(clippy::unwrap_used)]

mod ablating;
mod answering;
mod attention;
mod bad_input;
mod bench;
mod commands;
mod comparing;
mod corpora;
mod diversity;
mod exporting;
mod exporting_poems;
mod fetching;
mod going_on;
mod inspecting;
mod interruptions;
mod language;
mod learned;
mod length;
mod levels;
mod memory;
mod odd_files;
mod outputs;
mod poems;
mod questions;
mod reading;
mod receipts;
mod reproducing;
mod run_folders;
mod score;
mod scores;
mod searching;
mod segmenting;
mod streaming;
mod sweeping;
mod tagging;
mod telemetry;
mod terminal;
mod translating;
mod typed;

/// Settings of a task and a model so small that a step takes milliseconds.
const TINY: &str = "task.kind=copy task.symbols=6 task.minimum_length=2 task.maximum_length=4 \
                    task.examples=200 task.held_out=20 model.width=16 model.heads=2 \
                    model.layers=1 model.feed_forward=32 training.batch_size=8";

/// Returns a `train` on the tiny task, with `more` arguments.
fn train(more: &str) -> String {
    format!("train {TINY} {more}")
}
