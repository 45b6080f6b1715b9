//! The instruments: quality and progress of the run; a button opens all other measurements.

use crate::link::program_sizes;
use crate::page::base::format;
use crate::state::{Phase, State};
use strata_session::protocol::Activity;
use yew::prelude::*;

impl Phase {
    /// Name of the phase, for scripts and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loading => "loading",
            Self::Moving => "moving",
            Self::Active(Activity::Paused) => "paused",
            Self::Active(Activity::Training) => "training",
            Self::Active(Activity::Finished) => "finished",
            Self::Active(Activity::Diverged) => "diverged",
            Self::Lost => "lost",
        }
    }

    fn words(self, step: u64, has_run: bool) -> &'static str {
        match self {
            Self::Loading if !has_run => "Loading…",
            Self::Loading => "Preparing…",
            Self::Moving => "Moving…",
            Self::Active(Activity::Paused) if step == 0 => "Ready",
            Self::Active(Activity::Paused) => "Paused",
            Self::Active(Activity::Training) => "Training",
            Self::Active(Activity::Finished) => "Finished",
            Self::Active(Activity::Diverged) => "Diverged",
            Self::Lost => "Stopped",
        }
    }
}

/// A number with its name, unit and definition.
struct Instrument {
    id: &'static str,
    name: &'static str,
    /// The number, or `None` before the first measurement.
    value: Option<f64>,
    show: fn(f64) -> String,
    unit: String,
    /// Definition of the number, shown as a tooltip.
    title: &'static str,
}

impl Instrument {
    fn view(self) -> Html {
        let shown = self.value.map_or("–".to_owned(), self.show);
        html! {
            <div class="instrument" title={self.title}>
                <dt>{ self.name }</dt>
                <dd translate="no">
                    <span id={self.id} data-value={self.value.map(|value| value.to_string())}>{ shown }</span>
                    <small>{ self.unit }</small>
                </dd>
            </div>
        }
    }
}

/// Returns the instruments for beginners, which are always shown.
fn first(state: &State) -> [Instrument; 3] {
    let latest = state.latest.as_ref();
    let held_out = state.validation.as_ref();
    let quality = match state.is_reader() {
        true => Instrument {
            id: "stat-exact",
            name: "Exact",
            value: held_out.map(|it| it.exact_match),
            show: format::percent,
            unit: "of new questions".to_owned(),
            title: "Of held-out questions: share whose answer is right to the word",
        },
        false => Instrument {
            id: "stat-validation-accuracy",
            name: "Accuracy",
            value: held_out.map(|it| it.accuracy),
            show: format::percent,
            unit: "on new sentences".to_owned(),
            title: "Of held-out sentences: share of target tokens, given the right ones before them",
        },
    };
    let steps = format!("of {}", format::count(state.experiment.training.steps));
    [
        quality,
        Instrument {
            id: "stat-loss",
            name: "Loss",
            value: latest.map(|it| it.loss),
            show: format::loss,
            unit: "lower is better".to_owned(),
            title: match state.is_reader() {
                true => {
                    "Of the last step, in nats a question, start and end together; 0 is perfect"
                }
                false => "Of the last step, in nats a target token; 0 is perfect",
            },
        },
        Instrument {
            id: "stat-step",
            name: "Step",
            value: Some(state.step() as f64),
            show: count,
            unit: steps,
            title: "Steps taken",
        },
    ]
}

/// Returns all other instruments. Bits per character and BLEU are shown only where they are
/// measured.
fn further(state: &State) -> Vec<Instrument> {
    let instrument = |id, name, value, show, unit: &str, title| Instrument {
        id,
        name,
        value,
        show,
        unit: unit.to_owned(),
        title,
    };
    let (latest, held_out) = (state.latest.as_ref(), state.validation.as_ref());
    let parameters = state.ready.as_ref().map(|ready| ready.parameters as f64);
    let bits = held_out.and_then(|it| it.bits_per_character());
    let bleu = held_out.and_then(|it| it.bleu);
    let measured = [
        bits.map(|bits| {
            instrument(
                "stat-bits",
                "Bits a character",
                Some(bits),
                format::loss,
                match held_out.is_some_and(|it| it.unspelt_tokens() > 0) {
                    true => "held out, unknown words in no bit",
                    false => "held out",
                },
                "Of held-out text: bits by which the model misses each character, on average; what \
                 spells a word that it does not know is in none",
            )
        }),
        bleu.map(|bleu| {
            instrument(
                "stat-bleu",
                "BLEU",
                Some(bleu),
                format::loss,
                "held out, 0 to 100",
                "Of held-out translations against the text of the file",
            )
        }),
    ];
    let held = match state.is_reader() {
        true => [
            instrument(
                "stat-f1",
                "F1",
                held_out.and_then(|it| it.f1()),
                format::percent,
                "held out",
                "Of held-out questions: words that answer and right answer share",
            ),
            instrument(
                "stat-validation-accuracy",
                "Starts and ends",
                held_out.map(|it| it.accuracy),
                format::percent,
                "held out",
                "Of held-out questions: share of starts and ends of the answer that are right",
            ),
        ],
        false => [
            instrument(
                "stat-perplexity",
                "Perplexity",
                held_out.map(|it| it.perplexity),
                format::loss,
                "held out",
                "Of held-out sentences: so many equally probable tokens would be as hard to guess",
            ),
            instrument(
                "stat-exact",
                "Exact",
                held_out.map(|it| it.exact_match),
                format::percent,
                "held out",
                "Share of held-out sentences that the model writes without a fault",
            ),
        ],
    };
    let others = [
        instrument(
            "stat-accuracy",
            "Accuracy",
            latest.map(|it| it.accuracy),
            format::percent,
            "training",
            "Of the last step: share of target tokens, given the right ones before them",
        ),
        instrument(
            "stat-speed",
            "Speed",
            state.speed.tokens_per_second(),
            count,
            "tokens/s",
            "Target tokens, over the last second",
        ),
        instrument(
            "stat-step-time",
            "Step time",
            state.speed.step_milliseconds(),
            format::milliseconds,
            "ms",
            "Over the last second",
        ),
        instrument(
            "stat-elapsed",
            "Trained for",
            Some(state.milliseconds),
            format::duration,
            "min:s",
            "Time spent in steps",
        ),
        instrument(
            "stat-parameters",
            "Parameters",
            parameters,
            count,
            "",
            "Trained numbers of the model",
        ),
    ];
    held.into_iter()
        .chain(others)
        .chain(measured.into_iter().flatten())
        .collect()
}

fn count(value: f64) -> String {
    format::count(value.round() as u64)
}

/// Renders the row of instruments.
pub fn status(state: &State) -> Html {
    let (step, steps) = (state.step(), state.experiment.training.steps);
    let share = (step as f64 / steps.max(1) as f64).min(1.0);
    let device = match (&state.ready, state.phase) {
        (Some(ready), _) => ready.device.clone(),
        (None, Phase::Loading) => match program_sizes::megabytes(state.device) {
            Some(size) => format!("What computes is on its way ({size} MB)."),
            None => "What computes is on its way.".to_owned(),
        },
        (None, _) => String::new(),
    };
    html! {
        <section class="status" aria-label="Progress">
            <div class="activity">
                <p id="status" data-state={state.phase.name()} role="status" translate="no">{ state.phase.words(step, state.ready.is_some()) }</p>
                <p id="device-label" translate="no">{ device }</p>
            </div>
            <dl class="first">{ for first(state).map(Instrument::view) }</dl>
            <details class="further" id="further">
                <summary>{ "All numbers" }</summary>
                <dl>{ for further(state).into_iter().map(Instrument::view) }</dl>
            </details>
            <div class="progress" role="progressbar" aria-label="Steps taken" aria-valuemin="0"
                aria-valuemax={steps.to_string()} aria-valuenow={step.to_string()}>
                <span ~style={format!("transform: scaleX({share:.4})")} />
            </div>
        </section>
    }
}
