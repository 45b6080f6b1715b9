//! Runs of a lesson, with their curves.

use serde::{Deserialize, Serialize};
use strata_session::protocol::{Activity, Ready, StepReport, Validation};
use strata_training::{Experiment, Scores};

use crate::{RunMeasure, Value};

/// Most training points of a recorded run.
const POINTS: usize = 60;

/// A run of a lesson: the present run or a recorded one.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Experiment of the run; absent in recorded runs, which are known by their name in the lesson.
    #[serde(skip)]
    pub(super) experiment: Option<Experiment>,
    #[serde(skip)]
    pub(super) activity: Option<Activity>,
    /// Number of steps taken.
    pub step: u64,
    /// Number of trained parameters of the model.
    pub parameters: usize,
    /// Number of tokens in the target vocabulary.
    pub vocabulary: usize,
    /// Training points: step, loss and accuracy.
    pub training: Vec<(u64, f64, f64)>,
    /// Validations, in order of their steps.
    pub validations: Vec<Validation>,
    /// Step whose loss was NaN or infinite, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diverged: Option<u64>,
}

impl Run {
    pub(super) fn is_known(&self) -> bool {
        self.experiment.is_some()
    }

    pub(super) fn ready(&mut self, ready: &Ready) {
        self.experiment = Some(ready.experiment.clone());
        self.step = ready.step;
        self.parameters = ready.parameters;
        self.vocabulary = ready.target_vocabulary;
    }

    pub(super) fn step(&mut self, report: &StepReport) {
        self.step = report.step;
        self.training
            .push((report.step, report.loss, report.accuracy));
    }

    /// Replaces the curves by those of `past`, up to the present step.
    pub(super) fn restored(&mut self, past: &Self) {
        let reached = |step: u64| step <= self.step;
        self.training = past.training.clone();
        self.training.retain(|(step, ..)| reached(*step));
        self.validations = past.validations.clone();
        self.validations.retain(|it| reached(it.step));
    }

    /// Returns a copy small enough to be stored beside a lesson: at most 60 training points, each
    /// the mean of the points that it replaces, with numbers rounded to four digits after the
    /// point.
    pub fn thinned(&self) -> Self {
        let size = self.training.len().div_ceil(POINTS).max(1);
        let mean = |points: &[(u64, f64, f64)]| {
            let sum = |of: fn(&(u64, f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
            let count = points.len() as f64;
            let step = points.last().map_or(0, |last| last.0);
            (
                step,
                rounded(sum(|it| it.1) / count),
                rounded(sum(|it| it.2) / count),
            )
        };
        let validation = |it: &Validation| Validation {
            loss: rounded(it.loss),
            perplexity: rounded(it.perplexity),
            accuracy: rounded(it.accuracy),
            exact_match: rounded(it.exact_match),
            bleu: it.bleu.map(rounded),
            scores: match it.scores {
                Scores::Pairs => Scores::Pairs,
                Scores::Text {
                    bits_per_character,
                    unspelt_tokens,
                } => Scores::Text {
                    bits_per_character: bits_per_character.map(rounded),
                    unspelt_tokens,
                },
                Scores::Answers { f1, free } => Scores::Answers {
                    f1: rounded(f1),
                    free,
                },
            },
            ..*it
        };
        Self {
            training: self.training.chunks(size).map(mean).collect(),
            validations: self.validations.iter().map(validation).collect(),
            ..self.clone()
        }
    }

    /// Returns a measure of the run at `step`, or at the present step if there is none.
    pub(super) fn value(&self, measure: RunMeasure, step: Option<u64>) -> Option<Value> {
        use RunMeasure as M;
        let at = step.unwrap_or(u64::MAX);
        // A run that has not reached the step has no value there.
        if step.is_some_and(|step| step > self.step) {
            return None;
        }
        let validations = || self.validations.iter().rev().filter(|it| it.step <= at);
        let held = || validations().next();
        let trained = || self.training.iter().rev().find(|it| it.0 <= at);
        let number = match measure {
            M::Step => step.unwrap_or(self.step) as f64,
            M::Loss => trained()?.1,
            M::Accuracy => trained()?.2,
            M::HeldLoss => held()?.loss,
            M::HeldAccuracy => held()?.accuracy,
            M::HeldPerplexity => held()?.perplexity,
            M::HeldExact => validations().find(|it| it.decoded > 0)?.exact_match,
            M::HeldBits => held()?.bits_per_character()?,
            M::HeldBleu => validations().find_map(|it| it.bleu)?,
            M::Parameters => self.parameters as f64,
            M::Vocabulary => self.vocabulary as f64,
            M::Diverged => f64::from(u8::from(self.diverged.is_some_and(|it| it <= at))),
            M::Finished => f64::from(u8::from(self.activity? == Activity::Finished)),
        };
        Some(Value::Number(number))
    }
}

/// Rounds a number to four digits after the point.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
