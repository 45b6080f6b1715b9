//! The instruments: how far the run is, how good and how fast.

use crate::page::format;
use crate::state::{Phase, State};
use strata_session::protocol::Activity;
use yew::prelude::*;

impl Phase {
    /// Its name for scripts and styles.
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

    fn words(self, step: u64) -> &'static str {
        match self {
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

#[derive(Properties, PartialEq)]
struct InstrumentProperties {
    id: AttrValue,
    name: AttrValue,
    value: AttrValue,
    #[prop_or_default]
    unit: AttrValue,
    #[prop_or_default]
    title: AttrValue,
}

#[component]
fn Instrument(properties: &InstrumentProperties) -> Html {
    html! {
        <div class="instrument" title={properties.title.clone()}>
            <dt>{ &properties.name }</dt>
            <dd><span id={properties.id.clone()}>{ &properties.value }</span>
                <small>{ &properties.unit }</small></dd>
        </div>
    }
}

/// The row of instruments.
pub fn status(state: &State) -> Html {
    let step = state.step();
    let steps = state.experiment.training.steps;
    let or_dash = |value: Option<String>| value.unwrap_or("–".to_owned());
    let latest = state.latest.as_ref();
    let validation = state.validation.as_ref();
    let exact = validation.map(|it| format::percent(it.exact_match));
    let decoded = validation.map(|it| {
        format!(
            "Held-out sentences decoded without a fault, of {}",
            it.decoded
        )
    });
    let speed = state.speed.tokens_per_second();
    let parameters = state
        .ready
        .as_ref()
        .map(|it| format::count(it.parameters as u64));
    let share = if steps > 0 {
        step as f64 / steps as f64
    } else {
        0.0
    };
    html! {
        <section class="status" aria-label="Progress">
            <div class="activity">
                <p id="status" data-state={state.phase.name()} role="status">{ state.phase.words(step) }</p>
                <p id="device-label">{ state.ready.as_ref().map_or("", |ready| ready.device.as_str()) }</p>
            </div>
            <dl>
                <Instrument id="stat-step" name="Step" value={format::count(step)} unit={format!("of {}", format::count(steps))} />
                <Instrument id="stat-loss" name="Loss" value={or_dash(latest.map(|it| format::loss(it.loss)))} unit="nats" title="Of the last step, per target token" />
                <Instrument id="stat-accuracy" name="Accuracy" value={or_dash(latest.map(|it| format::percent(it.accuracy)))} unit="training" title="Of the last step: share of target tokens, the right ones before them given" />
                <Instrument id="stat-validation-accuracy" name="Accuracy" value={or_dash(validation.map(|it| format::percent(it.accuracy)))} unit="held out" title="Of held-out sentences: share of target tokens, the right ones before them given" />
                <Instrument id="stat-exact" name="Exact" value={or_dash(exact)} unit="held out" title={or_dash(decoded)} />
                <Instrument id="stat-speed" name="Speed" value={or_dash(speed.map(|it| format::count(it.round() as u64)))} unit="tokens/s" />
                <Instrument id="stat-step-time" name="Step time" value={or_dash(state.speed.step_milliseconds().map(format::milliseconds))} unit="ms" />
                <Instrument id="stat-elapsed" name="Trained for" value={format::duration(state.milliseconds)} unit="min:s" />
                <Instrument id="stat-parameters" name="Parameters" value={or_dash(parameters)} />
            </dl>
            <div class="progress" role="progressbar" aria-label="Steps taken" aria-valuemin="0"
                aria-valuemax={steps.to_string()} aria-valuenow={step.to_string()}>
                <span style={format!("transform: scaleX({:.4})", share.min(1.0))} />
            </div>
        </section>
    }
}
