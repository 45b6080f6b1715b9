//! An experiment as a command: `strata train --preset copy model.width=64`.

use strata_training::Experiment;

use crate::diff::differences;
use crate::presets::Preset;
use crate::value;

/// The command that trains this experiment, for a shell to read.
pub fn command(experiment: &Experiment) -> String {
    let quoted: Vec<String> = arguments(experiment).iter().map(|it| quoted(it)).collect();
    format!("strata {}", quoted.join(" "))
}

/// Its arguments, unquoted.
pub fn arguments(experiment: &Experiment) -> Vec<String> {
    let preset = Preset::nearest(experiment);
    let begun = ["train", "--preset", preset.name()].map(str::to_owned);
    let settings = differences(&preset.experiment(), experiment).into_iter();
    let settings = settings.map(|it| format!("{}={}", it.dotted(), value::write(it.value())));
    begun.into_iter().chain(settings).collect()
}

/// An argument as a POSIX shell takes it, as it is where nothing in it means anything.
pub fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,+@%".contains(letter);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}
