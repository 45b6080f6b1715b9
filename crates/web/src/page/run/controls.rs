//! Experiment, device, and the transport: train, pause, step, reset, new seed.

use crate::address::Device;
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::page::form::fields::Select;
use crate::page::run::intent::Intent;
use crate::presets::Preset;
use crate::state::Phase;
use crate::state::end::End;
use strata_session::protocol::Activity;
use yew::prelude::*;

/// Value of the option that stands for a user's own settings.
const OWN: &str = "own";

#[derive(Properties, PartialEq)]
pub struct ControlsProperties {
    pub preset: Option<Preset>,
    pub device: Device,
    pub phase: Phase,
    /// End of the run, or `None` while it can go on.
    pub end: Option<End>,
    pub seed: u64,
    /// True until a worker has prepared the first run: the engine is still loading.
    pub is_loading: bool,
    /// Reason why the model cannot be trained, if the page lacks its data.
    pub lacks: Option<AttrValue>,
    pub act: Callback<Intent>,
}

/// The bar at the top.
#[component]
pub fn Controls(properties: &ControlsProperties) -> Html {
    let ControlsProperties {
        preset,
        device,
        phase,
        end,
        seed,
        act,
        ..
    } = properties;
    let devices = Device::ALL.map(|device| (device.name().into(), device.title().into()));
    let choose_preset = {
        let act = act.clone();
        Callback::from(move |name: String| {
            if let Some(preset) = Preset::named(&name) {
                act.emit(Intent::Preset(preset));
            }
        })
    };
    let choose_device = {
        let act = act.clone();
        Callback::from(move |name: String| {
            if let Some(device) = Device::named(&name) {
                act.emit(Intent::Device(device));
            }
        })
    };
    let is_training = *phase == Phase::Active(Activity::Training);
    let is_moving = *phase == Phase::Moving;
    let button = |id, words: AttrValue, icon, intent, is_possible| {
        let button = Button {
            id,
            words,
            icon,
            intent,
            is_possible,
        };
        button.view(properties)
    };
    html! {
        <section class="controls" aria-label="Experiment">
            <Select id="preset" label="Experiment" options={presets(*preset)} groups={groups()} value={preset.map_or(OWN, Preset::name)}
                onchange={choose_preset} />
            <Select id="device" label="Device" options={devices.to_vec()} value={device.name()}
                onchange={choose_device} disabled={is_moving} />
            <div class="transport" role="group" aria-label="Training">
                { button("train", train(*end), IconName::Play, Intent::Train, !is_training && !is_moving) }
                { button("pause", "Pause".into(), IconName::Pause, Intent::Pause, is_training) }
                { button("step", "Step".into(), IconName::Step, Intent::Step, end.is_none() && !is_moving) }
                { button("reset", "Reset".into(), IconName::Reset, Intent::Reset, !is_moving) }
                { button("new-seed", "New seed".into(), IconName::Dice, Intent::NewSeed, !is_moving) }
                <p class="seed">{ "Seed " }<span id="seed" translate="no">{ seed }</span></p>
            </div>
        </section>
    }
}

/// Returns the options of the experiment: all presets and, if none is chosen, the user's own
/// settings.
fn presets(chosen: Option<Preset>) -> Vec<(AttrValue, AttrValue)> {
    let own = chosen
        .is_none()
        .then(|| (OWN.into(), "Your own settings".into()));
    Preset::every()
        .map(|preset| (preset.name().into(), preset.title().into()))
        .chain(own)
        .collect()
}

/// Returns the presets in groups by subject.
fn groups() -> Vec<(AttrValue, usize)> {
    let title = |preset: &Preset| match preset {
        Preset::Copy | Preset::Arrows | Preset::Reverse => "Letters and arrows",
        Preset::GermanEnglishGru
        | Preset::GermanEnglishTransformer
        | Preset::GermanEnglishLevels
        | Preset::ChineseEnglish
        | Preset::Dates => "Languages and dates",
        Preset::Sentences
        | Preset::Reading
        | Preset::ReadingLevels
        | Preset::Quatrains
        | Preset::Poems => "Reading, writing and poems",
    };
    let presets: Vec<Preset> = Preset::every().collect();
    let groups = presets.chunk_by(|one, other| title(one) == title(other));
    groups
        .map(|group| (title(&group[0]).into(), group.len()))
        .collect()
}

/// A button of the transport.
struct Button {
    id: &'static str,
    words: AttrValue,
    icon: IconName,
    /// Intent of the user who presses the button.
    intent: Intent,
    /// True if the intent can be followed at present.
    is_possible: bool,
}

impl Button {
    fn view(self, properties: &ControlsProperties) -> Html {
        let Self {
            id,
            words,
            icon,
            intent,
            is_possible,
        } = self;
        let act = properties.act.clone();
        // Not `disabled`: a disabled button would lose the keyboard's focus while it is in use.
        let press = Callback::from(move |_: MouseEvent| {
            if is_possible {
                act.emit(intent.clone());
            }
        });
        // Train can be pressed before the worker has loaded: the worker's handle keeps the command
        // until then.
        let waits = properties.is_loading && properties.phase == Phase::Loading && id == "train";
        // Without the model's data nothing is disabled: a user who presses is told what to give.
        let lacks = properties.lacks.clone().filter(|_| id != "pause");
        let is_off = !is_possible || waits || lacks.is_some();
        let waits = "Not ready yet: pressed now, it trains as soon as it is.";
        let title = lacks.or((is_off && is_possible).then_some(waits.into()));
        html! {
            <button type="button" {id} onclick={press} aria-disabled={is_off.to_string()} {title}
                class={classes!((id == "train").then_some("primary"))}>
                <Icon name={icon} /><span>{ words }</span>
            </button>
        }
    }
}

/// Returns the label of the button that trains: at the end of a run, how the run goes on.
fn train(end: Option<End>) -> AttrValue {
    match end {
        None => "Train".into(),
        Some(End::Steps(more)) => format!("Train {} more", format::count(more)).into(),
        Some(End::Patience) => "Train on".into(),
        Some(End::Diverged(rate)) => format!("Train at rate {rate}").into(),
    }
}
