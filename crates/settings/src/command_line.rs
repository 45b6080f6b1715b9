//! An experiment as a command: `strata train --preset copy model.width=64`.

use strata_training::Experiment;

use crate::change::differences;
use crate::presets::Preset;
use crate::value;

/// The command that trains this experiment, for a shell to read.
pub fn command(experiment: &Experiment) -> String {
    let quoted: Vec<String> = arguments(experiment).iter().map(|it| quote(it)).collect();
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
fn quote(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,+@%".contains(letter);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::change::{tests::drawn, with};
    use crate::overrides::Override;

    /// What a shell makes of a line: words with single quotes and backslashes.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), None, false);
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_with(String::new);
                }
                '\\' if !quoted => word.get_or_insert_with(String::new).extend(letters.next()),
                ' ' if !quoted => words.extend(word.take()),
                letter => word.get_or_insert_with(String::new).push(letter),
            }
        }
        words.extend(word);
        words
    }

    #[test]
    fn the_command_gives_the_same_experiment() {
        for experiment in drawn(150) {
            let line = command(&experiment);
            let words = words(&line);
            assert_eq!(words[..3], ["strata", "train", "--preset"], "{line}");
            let preset = Preset::named(&words[3]).unwrap();
            let settings = words[4..].iter().map(|it| Override::parse(it).unwrap());
            let back = with(&preset.experiment(), settings).unwrap();
            assert_eq!(back, experiment, "{line}");
        }
    }

    #[test]
    fn it_is_short_and_quoted() {
        let mut experiment = Preset::Copy.experiment();
        assert_eq!(command(&experiment), "strata train --preset copy");
        experiment.seed = 9;
        assert_eq!(command(&experiment), "strata train --preset copy seed=9");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
    }
}
