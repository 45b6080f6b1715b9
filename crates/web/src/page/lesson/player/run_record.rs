//! Record of the present run, from which a receipt is made.

use crate::address::{Address, Device};
use strata_session::protocol::Event;
use strata_session::receipt::{Receipt, digest};
use strata_training::{Experiment, Schedule};

/// Record of the present run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunRecord {
    experiment: Option<Experiment>,
    device: String,
    step: u64,
    training: Vec<(u64, f64)>,
    validations: Vec<(u64, f64, f64)>,
    /// True if the run cannot be repeated from its experiment alone: a setting was changed, or a part
    /// was muted, on the way.
    is_altered: bool,
    /// Step of the last checkpoint, and digest of the parameters.
    saved: Option<(u64, u64)>,
    /// True if the present step of the lesson has trained the run.
    trains: bool,
}

impl RunRecord {
    /// Begins another step of the lesson, in which nothing is trained yet.
    pub fn open_step(&mut self) {
        (self.trains, self.saved) = (false, None);
    }

    /// Takes in an event. `is_begun`: the learner has begun to act, so that training belongs to the
    /// lesson's step.
    pub fn event(&mut self, event: &Event, is_begun: bool) {
        match event {
            Event::Ready(ready) => {
                let goes_on = ready.step > 0 && ready.step == self.step;
                let known = self.experiment.as_ref().filter(|_| goes_on);
                self.is_altered = match known {
                    Some(known) => self.is_altered || !is_longer(known, &ready.experiment),
                    None => {
                        *self = Self {
                            trains: self.trains,
                            ..Self::default()
                        };
                        false
                    }
                };
                self.is_altered |= !ready.muted.is_empty();
                (self.step, self.device) = (ready.step, ready.device.clone());
                self.experiment = Some(ready.experiment.clone());
            }
            Event::Progress { steps } => {
                self.trains |= is_begun && !steps.is_empty();
                self.step = steps.last().map_or(self.step, |it| it.step);
                self.training
                    .extend(steps.iter().map(|it| (it.step, it.loss)));
            }
            Event::Validated(it) => self.validations.push((it.step, it.loss, it.accuracy)),
            Event::Muted { parts, .. } => self.is_altered |= !parts.is_empty(),
            Event::Saved { step, checkpoint } if self.trains => {
                self.saved = digest(checkpoint).map(|digest| (*step, digest));
            }
            _ => {}
        }
    }

    /// True if the present step of the lesson has trained the run.
    pub fn trains(&self) -> bool {
        self.trains
    }

    /// Returns the receipt of the run at its last checkpoint; `None` if the run was not trained in
    /// this step of the lesson, or nobody could repeat it.
    pub fn receipt(&self) -> Option<Receipt> {
        let experiment = self.experiment.as_ref()?;
        let (step, digest) = self.saved?;
        if !self.trains || self.is_altered || !experiment.task.paths().is_empty() {
            return None;
        }
        let address = Address::write(experiment, Device::default(), &[]);
        let (training, validations) = (&self.training, &self.validations);
        let receipt = Receipt::of(address, step, digest, &self.device, training, validations);
        receipt.fault().is_none().then_some(receipt)
    }
}

/// True if a run of `experiment` is the beginning of one of `longer`: they differ in the number of
/// steps at most, and the learning rate does not follow that number.
fn is_longer(experiment: &Experiment, longer: &Experiment) -> bool {
    let mut same = experiment.clone();
    same.training.steps = longer.training.steps;
    let follows = matches!(experiment.training.schedule, Schedule::Cosine { .. });
    same == *longer && (!follows || experiment == longer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;
    use crate::testing::step_report;
    use strata_models::Part;
    use strata_session::protocol::Ready;

    fn ready(experiment: &Experiment, step: u64) -> Event {
        Event::Ready(Ready {
            experiment: experiment.clone(),
            step,
            device: "CPU (flex)".to_owned(),
            ..Ready::default()
        })
    }

    fn trained(steps: std::ops::RangeInclusive<u64>) -> Event {
        let report = |step| step_report(step, 1.0, 0.5);
        Event::Progress {
            steps: steps.map(report).collect(),
        }
    }

    /// A checkpoint file of one parameter.
    fn saved(step: u64) -> Event {
        let header = br#"{"model.a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
        let mut checkpoint = (header.len() as u64).to_le_bytes().to_vec();
        checkpoint.extend(header);
        checkpoint.extend(1.0_f32.to_le_bytes());
        Event::Saved { step, checkpoint }
    }

    fn seen(events: &[Event]) -> Option<Receipt> {
        let mut run = RunRecord::default();
        events.iter().for_each(|it| run.event(it, true));
        run.receipt()
    }

    #[test]
    fn a_run_that_goes_on_for_longer_is_one_run() {
        let mut short = Preset::Copy.experiment();
        short.training.steps = 10;
        short.training.schedule = Schedule::Constant { warmup: 0 };
        let mut longer = short.clone();
        longer.training.steps = 20;
        let receipt = seen(&[
            ready(&short, 0),
            trained(1..=10),
            ready(&longer, 10),
            trained(11..=20),
            saved(20),
        ]);
        let receipt = receipt.unwrap();
        assert_eq!((receipt.step, receipt.training[0].0), (20, 1));
        assert_eq!(Address::read(&receipt.address).experiment, longer);
        // A learning rate that ends with the run is another one in a longer run.
        short.training.schedule = Schedule::Cosine { warmup: 1 };
        longer.training.schedule = short.training.schedule;
        let events = [
            ready(&short, 0),
            trained(1..=10),
            ready(&longer, 10),
            saved(10),
        ];
        assert_eq!(seen(&events), None);
    }

    #[test]
    fn what_nobody_can_repeat_has_no_receipt() {
        let experiment = Preset::Copy.experiment();
        let mut other = experiment.clone();
        other.model = Preset::Reverse.experiment().model;
        other.training.optimizer = Preset::Dates.experiment().training.optimizer;
        let muted = Event::Muted {
            parts: vec![Part::Site {
                site: "decoder.0.cross".parse().unwrap(),
            }],
            validation: None,
        };
        let begin = [ready(&experiment, 0), trained(1..=10)];
        assert!(seen(&[&begin[..], &[saved(10)]].concat()).is_some());
        assert_eq!(seen(&[&begin[..], &[muted, saved(10)]].concat()), None);
        assert_eq!(seen(&[ready(&experiment, 10), saved(10)]), None);
        // Another run begins.
        let again = seen(&[&begin[..], &[ready(&other, 0), trained(1..=3), saved(3)]].concat());
        assert_eq!(again.unwrap().training.len(), 3);
    }
}
