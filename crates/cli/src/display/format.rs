//! Formats numbers, times and commands for users.

use std::path::Path;

pub use strata_describe::shortened;
pub use strata_settings::command_line::quoted;

/// Writes a message as one line, without control characters: names and texts in it may contain line
/// ends and escape sequences.
pub fn in_one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for character in message.chars() {
        if character.is_control() {
            line.extend(character.escape_default())
        } else {
            line.push(character)
        }
    }
    line
}

/// Number of characters from which a quotation or word in a message is shortened; paths may be
/// long.
const LONG: usize = 300;
/// Most bytes of a whole message, and of its end, which tells the user what to do.
const LONGEST_MESSAGE: usize = 1500;
const END: usize = 400;
/// Most bytes of a command that is told whole.
const LONGEST_COMMAND: usize = 16_000;

/// Shortens a message: first quotations (between back-ticks or quotation marks) and words that are
/// longer than any name; then, if it is still too long, its middle.
pub fn bounded(message: &str) -> String {
    if message.len() <= LONG {
        return message.to_owned();
    }
    let mut rest = message;
    let mut told = String::with_capacity(message.len().min(2 * LONGEST_MESSAGE));
    // Length of the commands, which do not count.
    let mut whole = 0;
    while let Some(next) = rest.chars().next() {
        let is_mark = matches!(next, '`' | '"');
        let quoted = rest[next.len_utf8()..].find(next).filter(|_| is_mark);
        let part = match quoted {
            Some(end) => &rest[..end + 2 * next.len_utf8()],
            None if next.is_whitespace() || is_mark => &rest[..next.len_utf8()],
            None => {
                let end = |it: char| it.is_whitespace() || matches!(it, '`' | '"');
                &rest[..rest.find(end).unwrap_or(rest.len())]
            }
        };
        rest = &rest[part.len()..];
        if is_command(part) {
            // A command that is cut cannot be given.
            whole += part.len();
            told += part;
            continue;
        }
        match part.char_indices().nth(LONG) {
            Some(_) if is_mark => told += &format!("{}{next}", shortened(part)),
            Some(_) => told += &shortened(part),
            None => told += part,
        }
    }
    if told.len() <= LONGEST_MESSAGE + whole {
        return told;
    }
    let begin = told.floor_char_boundary(LONGEST_MESSAGE - END);
    let end = told.ceil_char_boundary(told.len() - END);
    format!(
        "{}… ({} characters) …{}",
        &told[..begin],
        grouped(told[begin..end].chars().count() as u64),
        &told[end..]
    )
}

/// True for a command of this program between back-ticks, unless no user can have typed it.
fn is_command(quotation: &str) -> bool {
    let command = quotation.strip_prefix('`');
    let command = command.filter(|it| it.len() <= LONGEST_COMMAND);
    command.is_some_and(|it| it.starts_with(&format!("{} ", program())))
}

/// Writes a number with separated thousands: `12,345`.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

/// Writes a number with its noun: `1 line`, `12,345 lines`.
pub fn counted(number: u64, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(number))
}

/// Writes a share in percent: `93.2 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Writes three decimals, `1.234`, or an exponent for huge values, as of a diverged model,
/// `1.234e56`.
pub fn decimal(number: f64) -> String {
    if number < 1e6 {
        format!("{number:.3}")
    } else {
        format!("{number:.3e}")
    }
}

/// Writes three significant digits: `0.00157`, and `1.57e-7` below 1e-6.
pub fn significant(number: f64) -> String {
    if number == 0.0 || !(1e-6..1e6).contains(&number.abs()) {
        return format!("{number:.2e}").replace("0.00e0", "0");
    }
    let before_point = number.abs().log10().floor() as i32;
    let digits = usize::try_from(2 - before_point).unwrap_or(0);
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Writes a duration: `4.2 s`, `12 min 03 s` or `3 h 20 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// Writes an amount of memory: `312 MiB` or `1.4 GiB`.
pub fn memory(bytes: u64) -> String {
    let mebibytes = bytes as f64 / 1024.0 / 1024.0;
    if mebibytes < 1024.0 {
        format!("{mebibytes:.0} MiB")
    } else {
        format!("{:.1} GiB", mebibytes / 1024.0)
    }
}

/// Writes the size of a file in decimal units, as download programs do: `641 kB` or `2.1 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Returns the command by which this program was started, quoted for a shell.
pub fn program() -> String {
    quoted(
        &std::env::args()
            .next()
            .unwrap_or_else(|| "strata".to_owned()),
    )
}

/// Returns a command of this program as a user types it: these words after the program's name.
pub fn typed(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|it| quoted(it)).collect();
    format!("{} {}", program(), words.join(" "))
}

/// Like [`typed`], for a file that others read: with `strata` instead of the program's path on this
/// machine.
pub fn recorded(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|it| quoted(it)).collect();
    format!("strata {}", words.join(" "))
}

/// Writes a path, quoted for a shell.
pub fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_repeats_does_nothing_to_the_terminal() {
        let line = in_one_line("a\nb\u{1b}[2J\u{9b}c\0: wörter");
        assert_eq!(line, "a\\nb\\u{1b}[2J\\u{9b}c\\u{0}: wörter");
    }

    #[test]
    fn a_message_is_a_sentence_whatever_it_quotes() {
        let long = "x".repeat(1_000_000);
        let objects = r#"{"id": "q1", "text": "a b"}, "#.repeat(30_000);
        for quoted in [
            &*long,
            &*objects,
            &*"日 ".repeat(100_000),
            &*"é`".repeat(9999),
        ] {
            for message in [
                format!("file.json: invalid type: `{quoted}`, expected a map; convert it"),
                format!("file.json: invalid type: string {quoted:?}, expected a map; convert it"),
                format!("file.json: {quoted} is no number; convert it"),
            ] {
                let told = bounded(&message);
                assert!(told.len() < LONGEST_MESSAGE + 50, "{told}");
                assert!(told.starts_with("file.json: "), "{told}");
                assert!(told.ends_with("; convert it"), "{told}");
            }
        }
        for whole in ["", "a", &*"a word of the message ".repeat(60)] {
            assert_eq!(bounded(whole), whole);
        }
        // A command that goes on is told whole.
        let words = ["train".to_owned(), "task.source=a.txt ".repeat(200)];
        let message = format!("the run ended; go on with `{}`", typed(&words));
        assert_eq!(bounded(&message), message);
    }

    #[test]
    fn thousands_are_set_apart() {
        let numbers = [0, 999, 1000, 12_345, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn large_numbers_have_an_exponent() {
        assert_eq!(decimal(1.23456), "1.235");
        assert_eq!(decimal(1.23456e56), "1.235e56");
        assert_eq!(decimal(f64::NAN), "NaN");
    }

    #[test]
    fn small_numbers_keep_three_digits() {
        let numbers = [0.0, 0.003, 0.001_574_1, 1e-5, 1.234e-7, 12.0, 1234.0].map(significant);
        let expected = ["0", "0.003", "0.00157", "0.00001", "1.23e-7", "12", "1234"];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        let times = [0.04, 9.44, 59.4, 59.6, 723.0, 12_001.0].map(duration);
        let expected = [
            "0.0 s",
            "9.4 s",
            "59 s",
            "1 min 00 s",
            "12 min 03 s",
            "3 h 20 min",
        ];
        assert_eq!(times, expected);
    }

    #[test]
    fn sizes_have_the_unit_that_fits() {
        let sizes = [0, 999, 1441, 637_044, 2_951_390, 3_000_000_000].map(size);
        let expected = ["0 bytes", "999 bytes", "1 kB", "637 kB", "3.0 MB", "3.0 GB"];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        assert_eq!(quoted("runs/a-1/x.y"), "runs/a-1/x.y");
        assert_eq!(quoted("der mann"), "'der mann'");
        assert_eq!(quoted("it's $1"), r"'it'\''s $1'");
        assert_eq!(quoted(""), "''");
    }
}
