//! Devices to compute with, and their speed with the present model.

use crate::address::Device;
use crate::by_pointer::ByPointer;
use crate::link::device_report::{self, Fact};
use crate::link::measure;
use crate::page::base::format;
use crate::page::run::intent::Intent;
use crate::sentence::rounded;
use crate::state::Phase;
use std::rc::Rc;
use strata_session::protocol::{Activity, Ready};
use strata_training::Experiment;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DevicesProperties {
    pub device: Device,
    pub phase: Phase,
    pub ready: Option<ByPointer<Ready>>,
    pub experiment: ByPointer<Experiment>,
    pub act: Callback<Intent>,
}

/// Results of looking at the devices so far.
#[derive(Clone, Debug, Default, PartialEq)]
struct Findings {
    is_open: bool,
    /// Report on the GPU, or the reason why the browser offers none.
    card: Option<Result<Vec<Fact>, String>>,
    /// Bytes to download for the WebGPU worker.
    bundle: Option<f64>,
    is_measuring: bool,
    /// Milliseconds per step on each device that was measured, or the reason why measuring failed.
    times: Vec<(Device, Result<f64, String>)>,
}

enum DevicesAction {
    Open(bool),
    Card(Result<Vec<Fact>, String>),
    Bundle(Option<f64>),
    Measuring,
    Time(Device, Result<f64, String>),
    Measured,
}

impl Reducible for Findings {
    type Action = DevicesAction;

    fn reduce(self: Rc<Self>, action: DevicesAction) -> Rc<Self> {
        let mut findings = Rc::unwrap_or_clone(self);
        match action {
            DevicesAction::Open(is_open) => findings.is_open = is_open,
            DevicesAction::Card(card) => findings.card = Some(card),
            DevicesAction::Bundle(bytes) => findings.bundle = bytes,
            DevicesAction::Measuring => {
                findings.times.clear();
                findings.is_measuring = true;
            }
            DevicesAction::Time(device, time) => findings.times.push((device, time)),
            DevicesAction::Measured => findings.is_measuring = false,
        }
        Rc::new(findings)
    }
}

/// The panel of devices, closed at first.
#[component]
pub fn Devices(properties: &DevicesProperties) -> Html {
    let findings = use_reducer_eq(Findings::default);
    let toggle = {
        let findings = findings.clone();
        Callback::from(move |event: Event| {
            let is_open = event
                .target_unchecked_into::<web_sys::HtmlDetailsElement>()
                .open();
            let dispatcher = findings.dispatcher();
            dispatcher.dispatch(DevicesAction::Open(is_open));
            if is_open && findings.card.is_none() {
                spawn_local(async move {
                    dispatcher.dispatch(DevicesAction::Card(device_report::graphics_card().await));
                    let bytes = measure::bundle_size(Device::WebGpu).await;
                    dispatcher.dispatch(DevicesAction::Bundle(bytes));
                });
            }
        })
    };
    html! {
        <details id="devices" class="panel settings devices" ontoggle={toggle}>
            <summary><h2>{ "Devices" }</h2><span>{ "what computes here, and how fast" }</span></summary>
            if findings.is_open {
                <div class="devices-body">
                    <p id="devices-why">{ why(properties, &findings) }</p>
                    <div class="columns">
                        { table("This machine", &device_report::processor(), None) }
                        { match &findings.card {
                            None => table("WebGPU", &[], Some("The browser is being asked.")),
                            Some(Err(reason)) => table("WebGPU", &[], Some(reason)),
                            Some(Ok(facts)) => table("WebGPU", facts, None),
                        } }
                    </div>
                    { comparison(properties, &findings) }
                </div>
            }
        </details>
    }
}

/// Returns a sentence on the device in use and the reason for it.
fn why(properties: &DevicesProperties, findings: &Findings) -> String {
    let label = properties.ready.as_ref().map(|ready| ready.device.as_str());
    let label = label.unwrap_or(properties.device.title());
    let reason = match (properties.device, &findings.card) {
        (Device::WebGpu, _) => "you chose the GPU; if it is lost, the CPU goes on",
        (Device::Cpu, Some(Err(_))) => "there is no GPU that this page can use",
        (Device::Cpu, _) => {
            "it starts at once and is quick with small models; large ones may be faster on WebGPU"
        }
    };
    format!("{label} does the work: {reason}.")
}

fn table(name: &'static str, facts: &[Fact], note: Option<&str>) -> Html {
    html! {
        <section>
            <h3>{ name }</h3>
            if let Some(note) = note {
                <p class="runs-note">{ note }</p>
            }
            <dl class="facts">
                { for facts.iter().map(|(name, value)| html! {
                    <><dt>{ *name }</dt><dd translate="no" data-words="mixed">{ value }</dd></>
                }) }
            </dl>
        </section>
    }
}

/// Returns a comparison of both devices by their measured speeds, or the button that measures them.
fn comparison(properties: &DevicesProperties, findings: &UseReducerHandle<Findings>) -> Html {
    let has_card = matches!(findings.card, Some(Ok(_)));
    let possible = !findings.is_measuring && matches!(properties.phase, Phase::Active(_));
    let measure = {
        let dispatcher = findings.dispatcher();
        let experiment = properties.experiment.clone();
        let act = properties.act.clone();
        let goes_on = properties.phase == Phase::Active(Activity::Training);
        Callback::from(move |_: MouseEvent| {
            if !possible {
                return;
            }
            let (dispatcher, act) = (dispatcher.clone(), act.clone());
            let experiment = (*experiment).clone();
            spawn_local(async move {
                dispatcher.dispatch(DevicesAction::Measuring);
                if goes_on {
                    act.emit(Intent::Pause);
                }
                for device in Device::ALL {
                    if device == Device::Cpu || has_card {
                        let time = measure::step_time(device, experiment.clone()).await;
                        dispatcher.dispatch(DevicesAction::Time(device, time));
                    }
                }
                if goes_on {
                    act.emit(Intent::Train);
                }
                dispatcher.dispatch(DevicesAction::Measured);
            });
        })
    };
    let bundle = findings.bundle.map_or(String::new(), |bytes| {
        format!(
            " WebGPU’s program is fetched for it, once: {}.",
            format::bytes(bytes)
        )
    });
    let note = match (findings.is_measuring, has_card) {
        (true, _) => "Ten steps each; the run waits meanwhile.".to_owned(),
        (false, true) => format!("Ten steps of the present model on each device.{bundle}"),
        (false, false) => "Ten steps of the present model on the CPU.".to_owned(),
    };
    html! {
        <section class="measure" aria-label="Speed of the devices">
            <div class="runs-files">
                <button type="button" id="measure" onclick={measure} aria-disabled={(!possible).to_string()}>
                    { if has_card { "Measure CPU against WebGPU" } else { "Measure the CPU" } }
                </button>
                <p role="status">{ note }</p>
            </div>
            <dl class="facts" id="measured" data-done={(!findings.is_measuring && !findings.times.is_empty()).to_string()}>
                { for findings.times.iter().map(|(device, time)| html! {
                    <><dt>{ device.title() }</dt><dd translate="no" data-words="" data-device={device.name()}>{ shown(time) }</dd></>
                }) }
            </dl>
        </section>
    }
}

fn shown(time: &Result<f64, String>) -> String {
    match time {
        Ok(time) => format!("{}\u{202f}ms a step", format::milliseconds(*time)),
        Err(reason) => rounded(reason),
    }
}
