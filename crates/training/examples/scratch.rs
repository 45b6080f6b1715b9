use std::time::Instant;
use strata_training::*;
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let json = std::fs::read_to_string(&arguments[1]).unwrap();
    let experiment: Experiment = serde_json::from_str(&json).unwrap();
    let every = experiment.training.validate_every;
    let device = burn::tensor::Device::flex();
    let start = Instant::now();
    let mut trainer = match Trainer::new(experiment, &device) {
        Ok(t) => t,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    println!(
        "parameters {} setup {:?}",
        trainer.parameters(),
        start.elapsed()
    );
    let start = Instant::now();
    while !trainer.is_finished() {
        let report = pollster::block_on(trainer.step()).unwrap();
        if trainer.step_count() % every == 0 {
            let elapsed = start.elapsed().as_secs_f64();
            let v = pollster::block_on(trainer.validate(200)).unwrap();
            println!(
                "{} {:.1}s {:.1}ms/step | {:?} | val loss {:.4} acc {:.4} exact {:.3}",
                trainer.step_count(),
                elapsed,
                1000. * elapsed / trainer.step_count() as f64,
                report,
                v.loss,
                v.accuracy,
                v.exact_match
            );
        }
    }
}
