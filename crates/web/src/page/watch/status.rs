//! The instruments: quality and progress of the run; a button opens all other measurements.

use crate::link::program_sizes;
use crate::page::base::format;
use crate::page::base::instrument::Instrument;
use crate::page::pipeline::ui_of;
use crate::state::{Phase, State};
use strata_session::protocol::{Activity, Validation};
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

/// Returns the instruments for beginners, which are always shown.
fn first(state: &State) -> [Instrument; 3] {
    let latest = state.latest.as_ref();
    let ui = ui_of(&state.applied.task);
    let steps = format!("of {}", format::count(state.experiment.training.steps));
    [
        ui.quality(state.validation.as_ref()),
        Instrument {
            id: "stat-loss",
            name: "Loss",
            value: latest.map(|it| it.loss),
            show: format::loss,
            unit: "lower is better".to_owned(),
            title: ui.loss_title(),
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
fn further(state: &State) -> impl Iterator<Item = Instrument> {
    let validation = state.validation.as_ref();
    let held_out = ui_of(&state.applied.task).held_out(validation);
    held_out
        .into_iter()
        .chain(training(state))
        .chain(validation.and_then(bits))
        .chain(validation.and_then(bleu))
}

/// Returns the instruments of training and of the model's size.
fn training(state: &State) -> [Instrument; 5] {
    let instrument = |id, name, value, show, unit: &str, title| Instrument {
        id,
        name,
        value,
        show,
        unit: unit.to_owned(),
        title,
    };
    [
        instrument(
            "stat-accuracy",
            "Accuracy",
            state.latest.as_ref().map(|it| it.accuracy),
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
            state.ready.as_ref().map(|ready| ready.parameters as f64),
            count,
            "",
            "Trained numbers of the model",
        ),
    ]
}

fn bits(validation: &Validation) -> Option<Instrument> {
    let unit = if validation.unspelt_tokens() > 0 {
        "held out, unknown words in no bit"
    } else {
        "held out"
    };
    Some(Instrument {
        id: "stat-bits",
        name: "Bits a character",
        value: Some(validation.bits_per_character()?),
        show: format::loss,
        unit: unit.to_owned(),
        title: "Bits per character on held-out text; lower is better. Characters of words that the \
                model does not know count in no bit.",
    })
}

fn bleu(validation: &Validation) -> Option<Instrument> {
    Some(Instrument {
        id: "stat-bleu",
        name: "BLEU",
        value: Some(validation.bleu?),
        show: format::loss,
        unit: "held out, 0 to 100".to_owned(),
        title: "Of held-out translations against the text of the file",
    })
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
            Some(size) => format!("Downloading the engine ({size} MB)…"),
            None => "Downloading the engine…".to_owned(),
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
                <dl>{ for further(state).map(Instrument::view) }</dl>
            </details>
            <div class="progress" role="progressbar" aria-label="Steps taken" aria-valuemin="0"
                aria-valuemax={steps.to_string()} aria-valuenow={step.to_string()}>
                <span ~style={format!("transform: scaleX({share:.4})")} />
            </div>
        </section>
    }
}
