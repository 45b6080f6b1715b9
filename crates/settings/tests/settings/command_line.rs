//! An experiment as a command.

use crate::drawn::drawn;
use strata_settings::command_line::command;
use strata_settings::diff::with;
use strata_settings::overrides::Override;
use strata_settings::presets::Preset;

/// Splits a line into words as a shell does, with single quotes and backslashes.
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
}
