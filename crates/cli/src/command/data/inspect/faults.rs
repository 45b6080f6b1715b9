//! Faults of lines, with the line numbers.

use serde::Serialize;
use strata_text::{hides_in_words, is_blank, special};

/// Most line numbers that are listed for each fault.
const NAMED: usize = 5;

/// A fault of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Bytes that are not valid UTF-8.
    NotUtf8,
    /// U+FFFD, which a failed conversion has left.
    Replacement,
    /// A control character.
    Control,
    /// A character that ends a line in some other programs.
    LineSeparator,
    /// A byte order mark inside the text.
    Mark,
    /// A line that consists of invisible characters.
    Invisible,
    /// An invisible character between visible characters.
    Hidden,
    /// The name of a special token, such as `<unk>`.
    Special,
    /// A carriage return before the line feed.
    Return,
    /// A line without a second column.
    NoTarget,
}

/// All faults, the worst first.
const ALL: [Fault; 10] = [
    Fault::NotUtf8,
    Fault::NoTarget,
    Fault::Replacement,
    Fault::Control,
    Fault::LineSeparator,
    Fault::Mark,
    Fault::Invisible,
    Fault::Hidden,
    Fault::Special,
    Fault::Return,
];

impl Fault {
    /// Describes the fault to users.
    pub fn help(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not UTF-8; convert the file (for example with iconv)",
            Self::Replacement => "U+FFFD, which an earlier conversion left",
            Self::Control => "control characters",
            Self::LineSeparator => "characters at which other programs may end the line",
            Self::Mark => "a byte order mark in the midst",
            Self::Invisible => "nothing but invisible characters, which counts as empty",
            Self::Hidden => {
                "invisible characters, which make words differ that look alike (spaces without \
                 width, soft hyphens, marks of direction)"
            }
            Self::Special => "a special token as a word, which becomes <unk>",
            Self::Return => "ends of lines as on Windows (they are taken off)",
            Self::NoTarget => "no second column",
        }
    }
}

/// Faults that were found, with their line numbers.
#[derive(Default)]
pub struct Faults {
    found: Vec<FaultReport>,
}

/// A fault, and the lines with the fault.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// Description of the fault for users.
    pub fault: &'static str,
    /// Number of lines that have the fault.
    pub count: u64,
    /// Line numbers of the first lines that have the fault.
    pub lines: Vec<u64>,
}

impl Faults {
    /// Adds a line that has a fault.
    pub fn add(&mut self, fault: Fault, line: u64) {
        let name = fault.help();
        let place = match self.found.iter().position(|it| it.fault == name) {
            Some(place) => place,
            None => {
                self.found.push(FaultReport {
                    fault: name,
                    count: 0,
                    lines: Vec::new(),
                });
                self.found.len() - 1
            }
        };
        let report = &mut self.found[place];
        report.count += 1;
        if report.lines.len() < NAMED {
            report.lines.push(line);
        }
    }

    /// Adds all faults of a line's text.
    pub fn look(&mut self, text: &str, line: u64) {
        for fault in [
            Fault::Replacement,
            Fault::Control,
            Fault::LineSeparator,
            Fault::Mark,
        ] {
            if text.contains(|it| of(it) == Some(fault)) {
                self.add(fault, line);
            }
        }
        let is_special = |word: &str| special::TEXTS.contains(&word);
        if is_blank(text) {
            if !text.trim().is_empty() {
                self.add(Fault::Invisible, line);
            }
        } else if text.contains(|it| hides_in_words(it) && of(it).is_none()) {
            self.add(Fault::Hidden, line);
        }
        if text.contains('<') && text.split_whitespace().any(is_special) {
            self.add(Fault::Special, line);
        }
    }

    /// Returns all faults that were found, the worst first.
    pub fn report(&self) -> Vec<FaultReport> {
        let all = ALL.iter().filter_map(|fault| {
            let mut found = self.found.iter();
            found.find(|it| it.fault == fault.help()).cloned()
        });
        all.collect()
    }
}

fn of(character: char) -> Option<Fault> {
    match character {
        '\t' => None,
        '\u{fffd}' => Some(Fault::Replacement),
        '\u{feff}' => Some(Fault::Mark),
        '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(Fault::LineSeparator),
        it if it.is_control() => Some(Fault::Control),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_and_what_is_special_is_told() {
        let mut faults = Faults::default();
        for (line, text) in [
            "\u{200b}",
            "ein\u{ad}mal",
            "می\u{200c}روند",
            "a <s> b",
            " ",
            "a<s>",
        ]
        .iter()
        .enumerate()
        {
            faults.look(text, line as u64);
        }
        let found: Vec<_> = faults.report().into_iter().map(|it| it.lines).collect();
        assert_eq!(found, [[0], [1], [3]]);
    }

    #[test]
    fn faults_are_told_with_their_first_lines() {
        let mut faults = Faults::default();
        for line in 1..=8 {
            faults.look("a\u{0}b\u{1}", line);
        }
        faults.look("a\tb é 春", 9);
        faults.look("a\u{2028}b\u{feff}", 10);
        faults.add(Fault::NotUtf8, 11);
        let found: Vec<_> = faults
            .report()
            .into_iter()
            .map(|it| (it.count, it.lines))
            .collect();
        let expected = [
            (1, vec![11]),
            (8, vec![1, 2, 3, 4, 5]),
            (1, vec![10]),
            (1, vec![10]),
        ];
        assert_eq!(found, expected);
    }
}
