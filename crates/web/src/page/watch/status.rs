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

/// Returns the instruments for beginners, which are always shown: values of validations, as the
/// curves draw the values, and the step.
fn first(state: &State) -> Vec<Instrument> {
    let task = &state.applied.task;
    let steps = state.experiment.training.steps;
    let mut unit = format!("of {}", format::count(steps));
    if let Some(left) = left(state) {
        unit += &format!(" · {left}");
    }
    let validation = state.validation.as_ref();
    let mut first = ui_of(task).quality(task, validation);
    first.push(Instrument {
        id: "stat-validation-loss",
        name: "Loss",
        value: validation.map(|it| it.loss),
        show: format::loss,
        unit: "lower is better".to_owned(),
        title: "Loss of validation: how surprised the model is by held-out examples, in nats per token; 0 is perfect.",
    });
    first.push(Instrument {
        id: "stat-step",
        name: "Step",
        value: Some(state.step() as f64),
        show: count,
        unit,
        title: "Steps taken, and the time that the others will take at the present speed",
    });
    first
}

/// Returns the remaining time of a run in training, in words; `None` for any other run.
fn left(state: &State) -> Option<String> {
    let more = state.experiment.training.steps.saturating_sub(state.step());
    let is_training = state.phase == Phase::Active(Activity::Training);
    let each = state.speed.step_milliseconds().filter(|_| is_training)?;
    let seconds = (each * more as f64 / 1000.0).ceil() as u64;
    Some(match seconds {
        0..=90 => format!("{seconds}\u{202f}s left"),
        _ => format!("{}\u{202f}min left", seconds.div_ceil(60)),
    })
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
fn training(state: &State) -> [Instrument; 6] {
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
            "stat-loss",
            "Training loss",
            state.latest.as_ref().map(|it| it.loss),
            format::loss,
            "of the last step",
            ui_of(&state.applied.task).loss_title(),
        ),
        instrument(
            "stat-accuracy",
            "Training accuracy",
            state.latest.as_ref().map(|it| it.accuracy),
            format::percent,
            "of the last step",
            "Of the last step of training: share of target tokens, given the right ones before them",
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
            Some(size) => format!("Fetching {size} MB…"),
            None => "Fetching…".to_owned(),
        },
        (None, _) => String::new(),
    };
    html! {
        <section class="status" aria-label="Progress">
            <div class="activity">
                <p id="status" data-state={state.phase.name()} role="status" translate="no" data-words="">{ state.phase.words(step, state.ready.is_some()) }</p>
                <p id="device-label" translate="no" data-words="">{ device }</p>
            </div>
            <dl class="first">{ for first(state).into_iter().map(Instrument::view) }</dl>
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::page::base::quantity::Quantity;
    use crate::page::watch::curves::last_dot;
    use crate::state::history::History;
    use crate::testing::step_report;

    /// The headline is read beside the curves: both show the same numbers, those of validation.
    #[test]
    fn the_headline_is_where_the_curves_end() {
        let mut state = State::new(&Address::read(""), "page".to_owned());
        let mut history = History::default();
        for step in 1..=60 {
            history.push(&step_report(
                step,
                if step % 2 == 0 { 0.1 } else { 1.2 },
                0.987,
            ));
        }
        let validation = Validation {
            step: 50,
            loss: 0.55,
            accuracy: 0.66,
            exact_match: 0.28,
            ..Validation::default()
        };
        history.validate(&validation);
        state.validation = Some(validation);
        let shown = first(&state);
        let of = |id: &str| shown.iter().find(|it| it.id == id).and_then(|it| it.value);
        let accuracy = last_dot(&history, Quantity::Accuracy);
        assert_eq!(of("stat-validation-accuracy"), accuracy);
        assert_eq!(
            of("stat-validation-loss"),
            last_dot(&history, Quantity::Loss)
        );
        assert_eq!(of("stat-exact"), Some(0.28));
        let training = ["stat-loss", "stat-accuracy"];
        assert!(shown.iter().all(|it| !training.contains(&it.id)));
        let first = [shown[0].name, &shown[0].unit];
        assert_eq!(first, ["Right letters", "on new words"]);
    }
}
