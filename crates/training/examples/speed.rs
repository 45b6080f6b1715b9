//! Temporary.
use burn::tensor::Device;
use pollster::block_on;
use std::time::Instant;
use strata_training::{Experiment, Trainer};
fn main() {
    let json = std::env::args().nth(1).unwrap_or("{}".into());
    let experiment: Experiment = serde_json::from_str(&json).expect("json");
    let began = Instant::now();
    let mut trainer = Trainer::new(experiment.clone(), &Device::default()).expect("new");
    println!(
        "new {:?} parameters {} examples {}",
        began.elapsed(),
        trainer.parameters(),
        trainer.training().len()
    );
    let began = Instant::now();
    let mut tokens = 0;
    let mut last = Instant::now();
    while !trainer.is_finished() {
        let report = block_on(trainer.step()).expect("step");
        tokens += report.tokens;
        if report.step % 100 == 0 {
            println!(
                "{} loss {:.3} acc {:.3} norm {:.2} {:.1} ms/step {:.0} tok/s",
                report.step,
                report.loss,
                report.accuracy,
                report.gradient_norm,
                last.elapsed().as_secs_f64() * 10.0,
                tokens as f64 / began.elapsed().as_secs_f64()
            );
            last = Instant::now();
        }
        if report.step % 500 == 0 {
            let t = Instant::now();
            println!(
                "{:?} {:?}",
                block_on(trainer.validate(usize::MAX)).expect("v"),
                t.elapsed()
            );
        }
    }
    let t = Instant::now();
    println!(
        "{:?} {:?}",
        block_on(trainer.validate(usize::MAX)).expect("v"),
        t.elapsed()
    );
    let t = Instant::now();
    let file = block_on(trainer.checkpoint()).expect("c");
    println!("checkpoint {} bytes {:?}", file.len(), t.elapsed());
    let t = Instant::now();
    Trainer::restore(&file, &Device::default()).expect("r");
    println!("restore {:?}", t.elapsed());
    for e in trainer.validation().iter().take(5) {
        let text = trainer.tokenizer().source_text(&e.source);
        println!(
            "{text} -> {}",
            block_on(trainer.inference().translate(&text))
                .expect("t")
                .text
        );
    }
}
