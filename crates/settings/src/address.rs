//! An experiment as the page's address, from `?` on: `?v=1&preset=copy&model.width=32&seed=3`.
//!
//! It names a preset and only what differs from it. Every value is checked; one that cannot be
//! used costs itself and a sentence, and nothing else.

use strata_tasks::TaskConfig;
use strata_training::Experiment;

use crate::change::{differences, with};
use crate::overrides::Override;
use crate::presets::Preset;
use crate::suggestion::nearest;
use crate::value;

/// The only version that there is.
const VERSION: &str = "1";
/// Groups of settings, and a setting by itself.
const SETTINGS: [&str; 4] = ["seed", "task", "model", "training"];
/// More settings than there are; an address that has more is no work of ours.
const MOST: usize = 100;
/// Letters of an address that a sentence repeats.
const REPEATED: usize = 40;

/// Where the worker computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// On the processor: everywhere.
    #[default]
    Cpu,
    /// On the graphics card: where the browser has WebGPU.
    WebGpu,
}

impl Device {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::WebGpu];

    /// Its name in the page's address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::WebGpu => "webgpu",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::WebGpu => "WebGPU",
        }
    }

    /// The device of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|device| device.name() == name)
    }
}

/// What to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The preset that it names.
    pub preset: Preset,
    /// That preset with the settings of the address.
    pub experiment: Experiment,
    /// Where it computes.
    pub device: Device,
    /// A sentence for each value that cannot be used.
    pub complaints: Vec<String>,
    /// What else it says, for others to read: names and values.
    pub others: Vec<(String, String)>,
}

impl Address {
    /// Reads the part of the address from `?` on, or a whole address. What is missing or cannot be
    /// used is as in the preset.
    pub fn read(address: &str) -> Self {
        let query = address.split_once('?').map_or_else(
            // An address without a question mark asks for nothing.
            || if address.contains("://") { "" } else { address },
            |(_, query)| query,
        );
        let query = query.split('#').next().unwrap_or_default();
        let mut read = Self {
            preset: Preset::DEFAULT,
            experiment: Preset::DEFAULT.experiment(),
            device: Device::default(),
            complaints: Vec::new(),
            others: Vec::new(),
        };
        let (mut settings, mut version) = (Vec::new(), None);
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            let first = key.split('.').next().unwrap_or_default();
            match &*key {
                "v" => version = Some(value.into_owned()),
                "preset" => match Preset::named(&value) {
                    Some(preset) => read.preset = preset,
                    None => read.complain("preset", &value, &Preset::ALL.map(Preset::name)),
                },
                "device" => match Device::named(&value) {
                    Some(device) => read.device = device,
                    None => read.complain("device", &value, &Device::ALL.map(Device::name)),
                },
                _ if SETTINGS.contains(&first) || key.contains('.') => {
                    match Override::new(&key, value::read(&value)) {
                        Some(setting) => settings.push(setting),
                        None => read.complaints.push(format!(
                            "The page's address has a setting without a name: “{}”.",
                            short(&key)
                        )),
                    }
                }
                _ => {
                    let known = SETTINGS.into_iter().chain(["preset", "device"]);
                    if let Some(meant) = nearest(&key, known) {
                        let key = short(&key);
                        read.complaints.push(format!(
                            "The page's address has “{key}”, which means nothing; did you mean “{meant}”?"
                        ));
                    } else {
                        read.others.push((key.into_owned(), value.into_owned()));
                    }
                }
            }
        }
        read.experiment = read.preset.experiment();
        match version {
            Some(version) if version != VERSION => read.complaints.push(format!(
                "The page's address is of version “{}”, which this page cannot read; it reads \
                 version {VERSION}. The settings in it are left out.",
                short(&version)
            )),
            _ => read.set(settings),
        }
        read
    }

    /// The experiment and device as an address, beginning with `?`; empty where there is nothing
    /// to say. `others` are kept.
    pub fn write(experiment: &Experiment, device: Device, others: &[(String, String)]) -> String {
        let preset = Preset::nearest(experiment);
        let settings = differences(&preset.experiment(), experiment);
        let mut query = form_urlencoded::Serializer::new(String::new());
        if preset != Preset::DEFAULT || !settings.is_empty() {
            query.append_pair("v", VERSION);
            query.append_pair("preset", preset.name());
        }
        for setting in &settings {
            query.append_pair(&setting.dotted(), &value::write(setting.value()));
        }
        if device != Device::default() {
            query.append_pair("device", device.name());
        }
        query.extend_pairs(others);
        match query.finish() {
            query if query.is_empty() => query,
            query => format!("?{query}"),
        }
    }

    /// Gives up an experiment on files, which an address can name but not bring: a page has no
    /// other way to them.
    pub fn without_files(&mut self) {
        let task = &self.experiment.task;
        if matches!(task, TaskConfig::Files(_) | TaskConfig::Text(_)) {
            self.complaints.push(
                "The page's address asks for an experiment on files, which it names but does not \
                 bring; open them here. Until then it is the preset."
                    .to_owned(),
            );
            self.experiment = self.preset.experiment();
        }
    }

    /// Takes as many of the settings as make an experiment, and complains of the others.
    fn set(&mut self, mut settings: Vec<Override>) {
        if settings.len() > MOST {
            self.complaints.push(format!(
                "The page's address has {} settings, but there are fewer than {MOST}; only the \
                 first {MOST} are read.",
                settings.len()
            ));
            settings.truncate(MOST);
        }
        let base = self.preset.experiment();
        loop {
            let (culprit, reason) = match with(&base, settings.clone()) {
                Err(trouble) => {
                    let key = &trouble.key;
                    let culprit = settings.iter().position(|it| it.concerns(key));
                    (culprit, trouble.to_string())
                }
                Ok(experiment) => match experiment.check() {
                    Ok(()) => {
                        self.experiment = experiment;
                        return;
                    }
                    Err(error) => {
                        let reason = error.to_string();
                        (culprit(&base, &settings, &reason), reason)
                    }
                },
            };
            let reason = short_lines(&reason);
            match culprit {
                Some(culprit) => {
                    let left_out = settings.remove(culprit).dotted();
                    self.complaints.push(format!(
                        "The page's address: {reason}. “{}” is left out.",
                        short(&left_out)
                    ));
                }
                None => {
                    self.complaints.push(format!(
                        "The page's address: {reason}. Its settings are left out."
                    ));
                    return;
                }
            }
        }
    }

    fn complain(&mut self, key: &str, value: &str, known: &[&str]) {
        let (value, known) = (short(value), known.join(", "));
        self.complaints.push(format!(
            "The page's address asks for the {key} “{value}”, which does not exist; there are {known}."
        ));
    }
}

/// The setting without which what is wrong is not wrong any more: one that the reason names, if
/// there is one.
fn culprit(base: &Experiment, settings: &[Override], reason: &str) -> Option<usize> {
    let is_named = |setting: &Override| {
        let key = setting.dotted();
        let name = key.rsplit('.').next().unwrap_or_default();
        reason
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .any(|word| word == name)
    };
    let mends = |at: &usize| {
        let mut others = settings.to_vec();
        others.remove(*at);
        with(base, others).is_ok_and(|it| match it.check() {
            Ok(()) => true,
            Err(error) => error.to_string() != reason,
        })
    };
    let (named, unnamed): (Vec<usize>, Vec<usize>) =
        (0..settings.len()).partition(|&at| is_named(&settings[at]));
    named.into_iter().chain(unnamed).find(mends)
}

/// An address can be as long as it likes; a sentence cannot.
fn short(text: &str) -> String {
    match text.char_indices().nth(REPEATED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A reason of at most a few lines.
fn short_lines(reason: &str) -> String {
    match reason.char_indices().nth(8 * REPEATED) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.trim_end_matches('.').to_owned(),
    }
}
