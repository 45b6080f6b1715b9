//! Trains a Transformer to translate a small German into English, then translates a sentence.
//!
//! ```sh
//! cargo run --release --package strata-examples --bin translate -- "er sieht den mann ."
//! ```

use std::error::Error;

use burn::tensor::Device;
use pollster::block_on;
use strata_text::Uploads;
use strata_training::{Experiment, Trainer};

fn main() -> Result<(), Box<dyn Error>> {
    let sentence = std::env::args().nth(1);
    let sentence = sentence.unwrap_or_else(|| "er sieht den mann .".to_owned());

    // Every field has a default: the toy German task, and a Transformer of width 64.
    let mut experiment = Experiment::default();
    experiment.training.steps = 400;
    // Texts that a page has in memory instead of files; this task reads no files.
    let no_uploads = Uploads::default();
    let mut trainer = Trainer::new(experiment, &no_uploads, &Device::default())?;
    println!("{} parameters", trainer.parameters());

    while !trainer.is_finished() {
        // A step is a future, because a browser must not block; here the program just waits.
        let step = block_on(trainer.step())?;
        if step.step.is_multiple_of(100) {
            println!("step {}: loss {:.3}", step.step, step.loss);
        }
    }

    // Translates the first 100 of the held-out sentences.
    let held_out = block_on(trainer.validate(100, false))?;
    let (tokens, sentences) = (held_out.accuracy, held_out.exact_match);
    println!("held out: {tokens:.3} of the tokens, {sentences:.3} of the sentences correct");

    let translation = block_on(trainer.inference().translate(&sentence))?;
    println!("{sentence} → {}", translation.text);
    Ok(())
}
