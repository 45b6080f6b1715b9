//! The command line, read: help as wide as the terminal, and what was meant by an unknown option.

use std::env;
use std::io::{self, ErrorKind, Write};
use std::ops::RangeInclusive;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind as Wrong};
use clap::{CommandFactory, FromArgMatches};
use strata_settings::description::{every_variant, groups};
use strata_settings::{brought, numeral};

use crate::args::Arguments;
use crate::error::Error;
use crate::{failed, home, output};

/// What was typed.
///
/// # Errors
/// The code to end with, where help was asked for or the command line is wrong; what there is to
/// say is said.
pub fn arguments() -> Result<Arguments, ExitCode> {
    let mut command = Arguments::command().term_width(output::columns());
    let read = command.try_get_matches_from_mut(home::arguments(env::args_os()));
    let read = read.and_then(|it| {
        Arguments::from_arg_matches(&it).map_err(|error| error.format(&mut command))
    });
    read.map_err(|mut error| {
        if error.kind() == Wrong::UnknownArgument {
            advise(&mut error);
        }
        tell(&error)
    })
}

fn tell(error: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1));
    let written = error.print().and_then(|()| io::stdout().flush());
    match written {
        Err(reason) if !error.use_stderr() && reason.kind() != ErrorKind::BrokenPipe => {
            failed(Error::unprinted(reason))
        }
        // Whoever listened has heard enough, or nobody can be told.
        _ => code,
    }
}

/// Adds what an option of another program, or a setting that was written like one, is here.
fn advise(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let typed = typed.split('=').next().unwrap_or_default();
    let name = typed.trim_start_matches('-').replace('-', "_");
    let keys = ours(&name);
    let advice = match brought::meant(typed) {
        _ if !keys.is_empty() => as_setting(&keys),
        Some(brought) if brought.keys.is_empty() => format!("`{typed}`: {}", brought.words()),
        Some(brought) => {
            let keys: Vec<String> = brought.keys.iter().map(|&it| it.to_owned()).collect();
            as_setting(&keys)
        }
        None => return,
    };
    // What is said without this is how to type it as a setting, which it is none of.
    let advice = vec![StyledStr::from(advice)];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
}

/// Reads the value of an option that is a whole number, 0 or above.
///
/// # Errors
/// If it is none; says how to write what may be meant.
pub fn whole<N: TryFrom<u64>>(typed: &str) -> Result<N, String> {
    let number = numeral::whole(typed).and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| {
        let advice = written_otherwise(&numeral::candidates(typed, true));
        format!("it must be a whole number, 0 or above{advice}")
    })
}

/// Returns a reader of the value of an option that is a whole number in a range.
///
/// # Errors
/// The reader's, if it is none or out of the range; says how to write what may be meant.
pub fn whole_in<N: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |typed| {
        let number: Option<u64> = numeral::whole(typed).filter(|number| range.contains(number));
        number
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| {
                let (lowest, highest) = (range.start(), range.end());
                let advice = written_otherwise(&numeral::candidates(typed, true));
                format!("it must be a whole number from {lowest} to {highest}{advice}")
            })
    }
}

/// Reads the value of an option that is any number.
///
/// # Errors
/// If it is none; says how to write what may be meant.
pub fn real(typed: &str) -> Result<f64, String> {
    numeral::real(typed).ok_or_else(|| {
        let advice = written_otherwise(&numeral::candidates(typed, false));
        format!("it must be a number{advice}")
    })
}

fn written_otherwise(candidates: &[String]) -> String {
    match candidates.is_empty() {
        true => String::new(),
        false => format!("; write {}", candidates.join(" or ")),
    }
}

fn as_setting(keys: &[String]) -> String {
    let written: Vec<String> = keys.iter().map(|key| format!("`{key}=…`")).collect();
    format!("settings have no dashes: {}", written.join(" or "))
}

/// Settings that have this name, alone or with its groups before it.
fn ours(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for group in every_variant().iter().flat_map(groups) {
        for setting in group.settings.iter().chain(&group.tag) {
            // At every site of a model there are the same.
            let is_meant = setting.key == name || (setting.name() == name && group.site.is_none());
            if is_meant && !found.contains(&setting.key) {
                found.push(setting.key.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_number_of_a_range_is_read_as_people_write_it_or_refused_with_the_range() {
        let steps = whole_in::<u32>(1..=1_000_000);
        for (typed, number) in [
            ("1e3", 1000),
            ("1_000", 1000),
            ("7.0", 7),
            ("1000000", 1_000_000),
        ] {
            assert_eq!(steps(typed), Ok(number), "{typed}");
        }
        for typed in ["0", "-1", "1000001", "many", ""] {
            let refused = steps(typed).unwrap_err();
            assert!(refused.contains("from 1 to 1000000"), "{typed}: {refused}");
        }
        assert!(steps("1.000").unwrap_err().ends_with("; write 1000 or 1"));
    }
}
