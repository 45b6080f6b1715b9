//! The page's address as an experiment, from `?` on: `?v=1&preset=copy&model.width=32&seed=3`.
//!
//! An address names a preset and the settings that differ from the preset. Every value is checked.
//! A value that cannot be used is left out and reported in a sentence; all other values are kept.

use strata_tasks::TaskConfig;
use strata_training::Experiment;

use crate::diff::{differences, with};
use crate::overrides::Override;
use crate::presets::{Preset, Sample};
use crate::suggestion::nearest;
use crate::value;

/// The only version of addresses.
const VERSION: &str = "1";
/// Groups of settings, and the setting `seed` outside of groups.
const SETTINGS: [&str; 4] = ["seed", "task", "model", "training"];
/// Largest number of settings read from an address; an address with more was not written by Strata.
const MAX_SETTINGS: usize = 100;
/// Largest number of characters of an address that a complaint quotes.
const MAX_QUOTED: usize = 40;
/// Largest number of unknown names that a complaint lists.
const MAX_LISTED: usize = 3;
/// Names of parameters that other parts of the page read and check.
pub const PARTS: [&str; 17] = [
    "embed", "bench", "lesson", "lessons", "step", "fresh", "lang", "notify", "show", "skip",
    "hide", "seeds", "summary", "print", "view", "example", "text",
];
/// Names of parameters that other sites add to links.
const ADDED: [&str; 6] = ["fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "ref"];

/// Device that the worker computes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The CPU, available everywhere.
    #[default]
    Cpu,
    /// The GPU, in browsers that have WebGPU.
    WebGpu,
}

impl Device {
    /// CPU and WebGPU.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::WebGpu];

    /// Name of the device in the page's address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::WebGpu => "webgpu",
        }
    }

    /// Title for users.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::WebGpu => "WebGPU",
        }
    }

    /// Finds the device of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|device| device.name() == name)
    }
}

/// Contents of the page's address: an experiment, a device, and other parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// Preset that the address names, or the default preset.
    pub preset: Preset,
    /// The preset with the settings of the address.
    pub experiment: Experiment,
    /// Device that the address names, or the CPU.
    pub device: Device,
    /// True if the address names an experiment or seems meant to; false for a bare address.
    pub names_experiment: bool,
    /// A sentence for each value that cannot be used.
    pub complaints: Vec<String>,
    /// Names and values of the parameters that other parts of the page read.
    pub others: Vec<(String, String)>,
}

impl Address {
    /// Reads an address, whole or from `?` on. Values that are missing or cannot be used are those
    /// of the preset.
    pub fn read(address: &str) -> Self {
        let query = address.split_once('?').map_or_else(
            // An address without a question mark asks for nothing.
            || if address.contains("://") { "" } else { address },
            |(_, query)| query,
        );
        let query = unescaped(query.split('#').next().unwrap_or_default());
        let mut read = Self {
            preset: Preset::DEFAULT,
            experiment: Preset::DEFAULT.experiment(),
            device: Device::default(),
            names_experiment: false,
            complaints: Vec::new(),
            others: Vec::new(),
        };
        let (mut settings, mut version) = (Vec::new(), None);
        let mut unknown: Vec<String> = Vec::new();
        let mut values: Vec<(String, String)> = Vec::new();
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            let first = key.split('.').next().unwrap_or_default();
            let is_setting = SETTINGS.contains(&first) || key.contains('.');
            read.names_experiment |= is_setting || ["v", "preset"].contains(&&*key);
            if is_setting || ["v", "preset", "device"].contains(&&*key) {
                read.warn_of_duplicate(&mut values, &key, &value);
            }
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
                _ if is_setting => match Override::new(&key, value::read(&value)) {
                    Some(setting) => settings.push(setting),
                    None => read.complaints.push(format!(
                        "The page's address has a setting without a name: “{}”.",
                        short(&key)
                    )),
                },
                _ => {
                    let known = SETTINGS.into_iter().chain(["preset", "device"]);
                    let meant = nearest(&key, known).filter(|_| !is_quiet(&key));
                    if let Some(meant) = meant {
                        read.names_experiment |= meant != "device";
                        let key = short(&key);
                        read.complaints.push(format!(
                            "The page's address has “{key}”, which means nothing; did you mean “{meant}”?"
                        ));
                    } else {
                        if unknown.len() < MAX_SETTINGS
                            && is_unknown(&key)
                            && !unknown.contains(&short(&key))
                        {
                            unknown.push(short(&key));
                        }
                        read.others.push((key.into_owned(), value.into_owned()));
                    }
                }
            }
        }
        read.complaints.extend(unknown_names(&unknown));
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

    /// Writes experiment and device as an address, beginning with `?`, and appends `others`. The
    /// address always names the experiment, because a bare address means the user's last run.
    pub fn write(experiment: &Experiment, device: Device, others: &[(String, String)]) -> String {
        let preset = Preset::nearest(experiment);
        let settings = differences(&preset.experiment(), experiment);
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("v", VERSION);
        query.append_pair("preset", preset.name());
        for setting in &settings {
            query.append_pair(&setting.dotted(), &value::write(setting.value()));
        }
        if device != Device::default() {
            query.append_pair("device", device.name());
        }
        query.extend_pairs(others);
        format!("?{}", query.finish())
    }

    /// Replaces a task that reads files, which no address brings along, by the preset's task, and
    /// adds a complaint that asks for the files. The other settings are kept if they suit that
    /// task.
    pub fn without_files(&mut self) {
        let files = files(&self.experiment.task);
        if files.is_empty() || Sample::of(&self.experiment.task).is_some() {
            return;
        }
        let own = Experiment {
            task: self.preset.experiment().task,
            ..self.experiment.clone()
        };
        self.experiment = match own.check() {
            Ok(()) => own,
            Err(_) => self.preset.experiment(),
        };
        self.complaints.push(format!(
            "This link is to an experiment on {}, which no link brings along: give {} under “Your \
             own data”. Until then it is on {}.",
            quoted(&files),
            if files.len() == 1 { "it" } else { "them" },
            self.preset.title()
        ));
    }

    /// Applies as many of the settings as make a valid experiment, and complains of each setting that
    /// is left out.
    fn set(&mut self, mut settings: Vec<Override>) {
        if settings.len() > MAX_SETTINGS {
            self.complaints.push(format!(
                "The page's address has {} settings, but there are fewer than {MAX_SETTINGS}; only the \
                 first {MAX_SETTINGS} are read.",
                settings.len()
            ));
            settings.truncate(MAX_SETTINGS);
        }
        let base = self.preset.experiment();
        loop {
            let (culprit, reason) = match with(&base, settings.clone()) {
                Err(error) => {
                    let key = &error.key;
                    let culprit = settings.iter().position(|setting| setting.concerns(key));
                    (culprit, error.to_string())
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

    /// Complains if the address sets a name twice, to different values; the last value counts.
    fn warn_of_duplicate(&mut self, values: &mut Vec<(String, String)>, key: &str, value: &str) {
        let Some((_, previous)) = values.iter_mut().find(|(name, _)| name == key) else {
            if values.len() < MAX_SETTINGS {
                values.push((key.to_owned(), value.to_owned()));
            }
            return;
        };
        if previous != value {
            value.clone_into(previous);
            self.complaints
                .retain(|complaint| !complaint.starts_with(&twice(key)));
            self.complaints.push(format!(
                "{}; the last one counts, “{}”.",
                twice(key),
                short(value)
            ));
        }
    }

    fn complain(&mut self, key: &str, value: &str, known: &[&str]) {
        let (value, known) = (short(value), known.join(", "));
        self.complaints.push(format!(
            "The page's address asks for the {key} “{value}”, which does not exist; there are {known}."
        ));
    }
}

/// Names of the files that a task reads.
pub fn files(task: &TaskConfig) -> Vec<String> {
    let paths = task.paths().into_iter();
    paths.map(|path| short(&path.to_string_lossy())).collect()
}

/// Joins names in quotes, with "and" between the last two.
pub fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn twice(key: &str) -> String {
    format!("The page's address has “{}” more than once", short(key))
}

/// Replaces `&amp;` by `&` in an address that was copied from the source of a page.
pub fn unescaped(query: &str) -> String {
    query.replace("&amp;", "&")
}

/// True for a parameter that other sites add to links; such parameters are not reported.
pub fn is_added(key: &str) -> bool {
    ADDED.contains(&key) || key.starts_with("utm_")
}

fn is_quiet(key: &str) -> bool {
    PARTS.contains(&key) || is_added(key)
}

/// True if nothing reads a parameter of this name, so that the user should be told.
fn is_unknown(key: &str) -> bool {
    key.chars().any(char::is_alphanumeric) && !is_quiet(key)
}

/// Returns a complaint about parameters with unknown names; `None` without unknown names.
fn unknown_names(unknown: &[String]) -> Option<String> {
    let listed = &unknown[..unknown.len().min(MAX_LISTED)];
    let more = match unknown.len() - listed.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let mean = if unknown.len() == 1 { "means" } else { "mean" };
    (!unknown.is_empty()).then(|| {
        format!(
            "The page's address has {}{more}, which {mean} nothing here; a setting is written as \
             “model.width=64”.",
            quoted(listed)
        )
    })
}

/// Finds a setting without which the error `reason` disappears; settings that the reason names are
/// tried first.
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
        with(base, others).is_ok_and(|experiment| match experiment.check() {
            Ok(()) => true,
            Err(error) => error.to_string() != reason,
        })
    };
    let (named, unnamed): (Vec<usize>, Vec<usize>) =
        (0..settings.len()).partition(|&at| is_named(&settings[at]));
    named.into_iter().chain(unnamed).find(mends)
}

/// Shortens a text of an address for a sentence, to 40 characters.
pub fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Shortens the reason of a complaint, to 320 characters.
fn short_lines(reason: &str) -> String {
    match reason.char_indices().nth(8 * MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.trim_end_matches('.').to_owned(),
    }
}
