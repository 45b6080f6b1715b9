//! Step of training: the same code in the browser and natively.

pub(crate) mod exchange;
pub(crate) mod measure;
pub(crate) mod norms;
pub(crate) mod optimizer;
pub(crate) mod pass;
pub(crate) mod precision;
pub(crate) mod processes;
pub(crate) mod schedule;

use serde::{Deserialize, Serialize};
use strata_attention::Draws;

use crate::data::initial::without_kept_tables;
use crate::pipeline::TrainingBatch;
use crate::step::measure::read;
use crate::step::pass::{StepBatch, pass_all};
use crate::step::precision::LossScale;
use crate::{Trainer, TrainingError};

/// Report of one training step.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Number of the step, counted from 1.
    pub step: u64,
    /// Mean loss over the target tokens without padding, in nats, before the update; for a reader,
    /// over the questions. Without label smoothing, so that it is comparable with the validation's.
    pub loss: f64,
    /// Share of target tokens predicted correctly, teacher-forced, before the update; for a reader,
    /// of starts and ends.
    pub accuracy: f64,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Norm of all gradients together, before clipping.
    pub gradient_norm: f64,
    /// Number of target tokens without padding; for a reader, of words read.
    pub tokens: usize,
    /// Wall-clock time in milliseconds. The caller sets it: a [`Trainer`] has no clock and leaves
    /// 0.
    pub milliseconds: f64,
    /// Number of times that the gradient overflowed in F16 before the step could be taken. Each
    /// overflow halved the loss scale.
    #[serde(default)]
    pub overflows: u32,
}

impl Trainer {
    /// Takes one step of the optimiser on the next `training.accumulate` batches.
    ///
    /// # Errors
    /// If loss or gradient are not finite, or the device fails. The step is then not taken:
    /// parameters, optimiser and place in the data stay as they were.
    pub async fn step(&mut self) -> Result<StepReport, TrainingError> {
        self.begin_stage()?;
        let position = self.batches.position();
        let taken = self.next_step().await;
        if taken.is_err() {
            self.batches = self.batches.clone().at(position)?;
        }
        taken
    }

    async fn next_step(&mut self) -> Result<StepReport, TrainingError> {
        let accumulate = self.experiment.training.accumulate;
        let mut batches = Vec::with_capacity(accumulate);
        for _ in 0..accumulate {
            batches.push(self.batches.next_batch(&self.data)?);
        }
        self.step_on(&batches).await
    }

    /// Takes one step of the optimiser on `batches`, as if they were one batch. This process
    /// computes its share of the batches.
    async fn step_on(&mut self, batches: &[TrainingBatch]) -> Result<StepReport, TrainingError> {
        let training = &self.experiment.training;
        let step = self.step + 1;
        let mut loss_scale = self.loss_scale;
        let mut overflows = 0;
        let predicted = batches.iter().map(TrainingBatch::weight).sum();
        // The loop repeats the pass only in F16, after a gradient overflow.
        let (gradients, sizes, carried, [loss, correct, norm]) = loop {
            let factor = loss_scale.map_or(1.0, LossScale::factor);
            let carried = self.carried.as_ref();
            let mut passed = pass_all(
                &self.model,
                &self.own(batches, step),
                carried,
                predicted,
                training,
                factor,
                &self.device,
            );
            passed.gradients = without_kept_tables(&self.model, &self.experiment, passed.gradients);
            let passed = match self.exchange.size() {
                1 => passed,
                _ => self.sum_over_processes(passed, step).await?,
            };
            // Up to `read` all results stay on the device, so that passes are queued without
            // waiting.
            let plain_device = self.device.clone().inner();
            let sizes = self
                .gradient_sizes
                .of(&self.model, &passed.gradients, factor);
            let gradients = self.optimizer.gather(&self.model, passed.gradients);
            let norm = gradients.norm(&plain_device);

            // Reading is the only GPU–CPU sync point of a step that is not shared among processes.
            let [loss, correct, norm] = read([passed.loss, passed.correct, norm]).await?;
            let diverged = |what| TrainingError::Diverged { step, what };
            if !loss.is_finite() {
                return Err(diverged("loss"));
            }
            if norm.is_finite() {
                break (
                    gradients,
                    sizes,
                    passed.carried,
                    [loss, correct, norm / factor],
                );
            }
            // In F16 the scaled gradient may only have overflowed: repeat the pass with half the
            // loss scale.
            let halved = loss_scale.and_then(LossScale::halved);
            loss_scale = Some(halved.ok_or_else(|| diverged("gradient"))?);
            overflows += 1;
        };

        // From here on nothing can fail: only now are parameters, moments and counters changed.
        let learning_rate = training.learning_rate(step);
        let factor = loss_scale.map_or(1.0, LossScale::factor);
        // One factor clips the gradient and divides it by the loss scale.
        let scale = clip_scale(norm, training.clip_norm) / factor;
        self.gradient_sizes.note(sizes);
        let model = self.model.clone();
        self.model = self
            .optimizer
            .update(model, gradients, scale, learning_rate);
        self.loss_scale = loss_scale.map(LossScale::kept);
        self.step = step;
        // At the end of an epoch the text begins again, and no state is carried over.
        let goes_on = self.batches.position().batch > 0;
        self.carried = carried.filter(|_| goes_on);
        let tokens = batches.iter().map(TrainingBatch::tokens).sum();
        let predictions: usize = batches.iter().map(TrainingBatch::predictions).sum();
        Ok(StepReport {
            step,
            loss,
            accuracy: correct / predictions.max(1) as f64,
            learning_rate,
            gradient_norm: norm,
            tokens,
            milliseconds: 0.0,
            overflows,
        })
    }

    /// Selects the batches of step `step` that this process computes: every W-th, from its rank on.
    fn own<'a>(&self, batches: &'a [TrainingBatch], step: u64) -> Vec<StepBatch<'a>> {
        let (rank, size) = (self.exchange.rank(), self.exchange.size());
        let draws_on_device = self.experiment.model.dropout() > 0.0;
        let own = batches.iter().enumerate().skip(rank).step_by(size);
        own.map(|(place, batch)| {
            // Each batch is seeded, so that a resumed run draws the same numbers as the
            // uninterrupted one, with any number of processes.
            let seed = batch_seed(self.experiment.seed, step, place);
            StepBatch {
                batch,
                draws: Some(Draws::new(seed)),
                seed: draws_on_device.then_some(seed),
            }
        })
        .collect()
    }
}

/// Factor that scales gradients of norm `norm` down to at most `limit` (Pascanu et al. 2013,
/// algorithm 1). A limit of 0 means no clipping.
pub(crate) fn clip_scale(norm: f64, limit: f64) -> f64 {
    if limit > 0.0 && norm > limit {
        limit / norm
    } else {
        1.0
    }
}

/// Seed of each batch of a step. The first batch has the seed of the step.
fn batch_seed(seed: u64, step: u64, place: usize) -> u64 {
    let seed = step_seed(seed, step);
    match place {
        0 => seed,
        _ => step_seed(seed, place as u64),
    }
}

/// Seed of each step of a run, by the finaliser of SplitMix64 (Steele et al. 2014).
fn step_seed(seed: u64, step: u64) -> u64 {
    let mut bits = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::Device;
    use pollster::block_on;
    use strata_attention::{HardConfig, MechanismConfig};
    use strata_models::{ModelConfig, TransformerConfig};
    use strata_tasks::{CopyConfig, TaskConfig};
    use strata_text::Uploads;

    use super::*;
    use crate::Experiment;
    use crate::checkpoint::parameters::{parameters, replace};
    use crate::pipeline::Layout;

    fn trainer() -> Trainer {
        let task = TaskConfig::Copy(CopyConfig {
            symbols: 4,
            minimum_length: 2,
            maximum_length: 4,
            examples: 50,
            held_out: 5,
        });
        let mut experiment = Experiment {
            task,
            ..Experiment::default()
        };
        experiment.training.batch_size = 8;
        Trainer::new(experiment, &Uploads::default(), &Device::default()).unwrap()
    }

    /// All numbers of model and optimiser.
    fn numbers(trainer: &Trainer) -> Vec<Vec<f32>> {
        let parameters = parameters(&trainer.model).into_iter().map(|it| it.values);
        let moments = trainer.optimizer.states().into_values();
        let moments = moments.map(|state| state.momentum.moment_2);
        parameters
            .chain(moments)
            .map(|it| it.into_data().try_to_vec().unwrap())
            .collect()
    }

    /// Checks the form of lines of `metrics.jsonl` and of runs that a browser stores.
    #[test]
    fn a_report_is_kept_in_a_form_that_stays() {
        let report = StepReport {
            step: 7,
            loss: 0.5,
            accuracy: 0.75,
            learning_rate: 1e-3,
            gradient_norm: 2.5,
            tokens: 96,
            milliseconds: 12.5,
            overflows: 0,
        };
        let earlier = r#"{"step":7,"loss":0.5,"accuracy":0.75,"learning_rate":0.001,"gradient_norm":2.5,"tokens":96,"milliseconds":12.5}"#;
        assert_eq!(serde_json::from_str::<StepReport>(earlier).unwrap(), report);
        let kept = format!(r#"{},"overflows":0}}"#, earlier.trim_end_matches('}'));
        assert_eq!(serde_json::to_string(&report).unwrap(), kept);
    }

    #[test]
    fn gradients_are_scaled_down_to_the_limit_and_never_up() {
        assert_eq!(clip_scale(4.0, 1.0), 0.25);
        assert_eq!(clip_scale(0.5, 1.0), 1.0);
        assert_eq!(clip_scale(4.0, 0.0), 1.0);
        assert_eq!(clip_scale(0.0, 1.0), 1.0);
    }

    #[test]
    fn every_step_has_a_seed_of_its_own() {
        let mut seeds: Vec<u64> = (0..50)
            .flat_map(|seed| (1..50).map(move |step| step_seed(seed, step)))
            .collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 50 * 49);
    }

    #[test]
    fn every_batch_has_a_seed_of_its_own_and_the_first_that_of_its_step() {
        let mut seeds: Vec<u64> = (1..50)
            .flat_map(|step| (0..50).map(move |place| batch_seed(3, step, place)))
            .collect();
        assert_eq!(seeds[0], step_seed(3, 1));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 49 * 50);
    }

    #[test]
    fn divergence_names_the_step_and_keeps_the_state() {
        let mut trainer = trainer();
        for _ in 0..3 {
            block_on(trainer.step()).unwrap();
        }
        let good = trainer.model.clone();
        trainer.model = replace(trainer.model, |name, shape| {
            let count = shape.iter().product();
            let value = if name == "output_bias" { f32::NAN } else { 0.1 };
            Ok::<_, ()>(vec![value; count])
        })
        .unwrap();
        let (before, position) = (numbers(&trainer), trainer.position());
        for _ in 0..2 {
            match block_on(trainer.step()) {
                Err(TrainingError::Diverged {
                    step: 4,
                    what: "loss",
                }) => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(trainer.step_count(), 3);
        assert_eq!(trainer.position(), position);
        let bits =
            |all: Vec<Vec<f32>>| -> Vec<u32> { all.concat().iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(numbers(&trainer)), bits(before));

        // After a failed step the state is good enough to continue from.
        trainer.model = good;
        assert_eq!(block_on(trainer.step()).unwrap().step, 4);
    }

    #[test]
    fn clipping_bounds_what_the_optimiser_sees() {
        let mut free = trainer();
        free.experiment.training.clip_norm = 0.0;
        let mut clipped = trainer();
        clipped.experiment.training.clip_norm = 0.01;
        let norm = block_on(free.step()).unwrap().gradient_norm;
        assert_eq!(block_on(clipped.step()).unwrap().gradient_norm, norm);
        let first_moments = |trainer: &Trainer| -> f64 {
            let states = trainer.optimizer.states().into_values();
            let square = |state: burn::optim::AdamWState<1>| {
                state.momentum.moment_1.square().sum().into_scalar::<f64>()
            };
            states.map(square).sum::<f64>().sqrt()
        };
        // The first moment is a tenth of the gradient.
        assert!((first_moments(&free) / (0.1 * norm) - 1.0).abs() < 1e-4);
        assert!((first_moments(&clipped) / (0.1 * 0.01) - 1.0).abs() < 1e-4);
    }

    /// Lengths differ, so that a mean over batches differs from the mean over tokens.
    #[test]
    fn batches_added_up_are_one_large_batch() {
        let (mut whole, mut parts) = (trainer(), trainer());
        for trainer in [&mut whole, &mut parts] {
            trainer.experiment.training.label_smoothing = 0.1;
        }
        let examples = whole.training().to_vec();
        let of =
            |places: &[usize]| TrainingBatch::Sequences(Layout::Pairs.batch(&examples, places));
        let all: Vec<usize> = (0..24).collect();
        for places in all.chunks(12) {
            let one = [of(places)];
            let several = [of(&places[..2]), of(&places[2..7]), of(&places[7..])];
            let one = block_on(whole.step_on(&one)).unwrap();
            let several = block_on(parts.step_on(&several)).unwrap();
            let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * a.abs().max(1e-3);
            assert!(close(one.loss, several.loss), "{one:?} {several:?}");
            assert!(close(one.gradient_norm, several.gradient_norm));
            assert_eq!(
                (one.tokens, one.accuracy),
                (several.tokens, several.accuracy)
            );
        }
        let [whole, parts] = [&whole, &parts].map(|trainer| numbers(trainer).concat());
        for (whole, parts) in whole.iter().zip(&parts) {
            assert!((whole - parts).abs() < 2e-5, "{whole} {parts}");
        }
    }

    #[test]
    fn a_step_takes_as_many_batches_as_it_is_told() {
        let mut trainer = trainer();
        trainer.experiment.training.accumulate = 3;
        block_on(trainer.step()).unwrap();
        assert_eq!(trainer.position().batch, 3);
    }

    /// Gradient checkpointing does the same arithmetic, some of it twice.
    #[test]
    fn checkpointing_changes_no_gradient() {
        let run = |checkpointing| {
            let mut experiment = trainer().experiment.clone();
            experiment.training.checkpointing = checkpointing;
            let mut trainer =
                Trainer::new(experiment, &Uploads::default(), &Device::default()).unwrap();
            let reports: Vec<StepReport> =
                (0..4).map(|_| block_on(trainer.step()).unwrap()).collect();
            (reports, numbers(&trainer))
        };
        assert_eq!(run(true), run(false));
    }

    /// With the best key in place of a drawn one, neither queries nor keys would learn.
    #[test]
    fn hard_attention_draws_in_training() {
        let mut experiment = trainer().experiment.clone();
        experiment.model = ModelConfig::Transformer(TransformerConfig {
            cross: MechanismConfig::Hard(HardConfig::default()),
            ..TransformerConfig::default()
        });
        let mut trainer =
            Trainer::new(experiment, &Uploads::default(), &Device::default()).unwrap();
        block_on(trainer.step()).unwrap();
        let states = trainer.optimizer.states();
        for side in ["query", "key"] {
            let state = &states[&format!("decoder.0.cross.{side}.weight")];
            let moment = state.momentum.moment_2.clone().sum().into_scalar::<f64>();
            assert!(moment > 0.0, "{side}: {moment}");
        }
    }

    #[test]
    fn the_reported_loss_is_without_smoothing() {
        let mut plain = trainer();
        let mut smoothed = trainer();
        smoothed.experiment.training.label_smoothing = 0.3;
        let [plain, smoothed] = [&mut plain, &mut smoothed].map(|it| block_on(it.step()).unwrap());
        assert_eq!(plain.loss, smoothed.loss);
        assert_ne!(plain.gradient_norm, smoothed.gradient_norm);
    }
}
