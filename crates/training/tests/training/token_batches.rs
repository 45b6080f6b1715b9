//! Batches of about the same number of tokens.

use burn::tensor::Device;
use pollster::block_on;
use strata_text::Uploads;
use strata_training::Trainer;

use super::{experiment, losses, trainer, transformer};

#[test]
fn batches_by_tokens_fit_and_go_on_exactly() {
    let mut experiment = experiment(transformer(), 40);
    experiment.training.batch_tokens = 300;
    let mut whole = trainer(&experiment);
    let mut interrupted = trainer(&experiment);
    assert_eq!(losses(&mut whole, 23), losses(&mut interrupted, 23));
    let file = block_on(interrupted.checkpoint()).expect("the CPU does not fail");
    let mut resumed =
        Trainer::restore(&file, &Uploads::default(), &Device::default()).expect("a whole file");
    assert_eq!(resumed.position(), interrupted.position());
    assert_eq!(losses(&mut whole, 16), losses(&mut resumed, 16));
    // Of the tokens of a pair, 3/5 to 6/11 belong to a target of 2 to 5 tokens with EOS; padding is
    // rare.
    let tokens = block_on(whole.step())
        .expect("the run does not diverge")
        .tokens;
    assert!((130..=180).contains(&tokens), "{tokens}");
}
