//! An experiment as a command: `strata train --preset copy model.width=64`.

use strata_training::Experiment;

use crate::diff::differences;
use crate::presets::Preset;
use crate::value;

/// Returns the command that trains an experiment, quoted for a shell.
pub fn command(experiment: &Experiment) -> String {
    let quoted: Vec<String> = arguments(experiment)
        .iter()
        .map(|argument| quoted(argument))
        .collect();
    format!("strata {}", quoted.join(" "))
}

/// Returns the arguments of the command that trains an experiment, unquoted.
pub fn arguments(experiment: &Experiment) -> Vec<String> {
    let preset = Preset::nearest(experiment);
    let begun = ["train", "--preset", preset.name()].map(str::to_owned);
    let settings = differences(&preset.experiment(), experiment).into_iter();
    let settings =
        settings.map(|setting| format!("{}={}", setting.dotted(), value::write(setting.value())));
    begun.into_iter().chain(settings).collect()
}

/// Quotes an argument for a POSIX shell, if it has letters that a shell would interpret.
pub fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,+@%".contains(letter);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}
