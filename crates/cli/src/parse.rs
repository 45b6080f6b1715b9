//! Parses the command line, with help as wide as the terminal and suggestions for unknown options.

use std::env;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind as Wrong};
use clap::{CommandFactory, FromArgMatches};
use strata_settings::aliases;
use strata_settings::description::{every_variant, groups};

use crate::args::Arguments;
use crate::base::error::Error;
use crate::base::home;
use crate::base::output::{self, failed};
use crate::display::format::bounded;

/// Most bytes of clap's error that are printed unchanged.
const LONGEST_ERROR: usize = 4000;
/// Answer to `strata train --tui`, an option of earlier versions.
const NO_TUI: &str = "`--tui` is no longer an option: `strata train` shows a progress bar in a terminal, and \
                      TensorBoard draws the curves of a run (`tensorboard --logdir runs`)";

/// Parses the arguments of this process.
///
/// # Errors
/// The exit code, if help was asked for or the command line is wrong; the text is printed already.
pub fn arguments() -> Result<Arguments, ExitCode> {
    let mut command = Arguments::command().term_width(output::columns());
    let read = command.try_get_matches_from_mut(home::arguments(env::args_os()));
    let read = read.and_then(|it| {
        Arguments::from_arg_matches(&it).map_err(|error| error.format(&mut command))
    });
    read.map_err(|mut error| {
        match error.kind() {
            Wrong::UnknownArgument => advise(&mut error),
            Wrong::InvalidValue => tell_absent(&mut error, ContextKind::InvalidValue),
            Wrong::InvalidSubcommand => tell_absent(&mut error, ContextKind::InvalidSubcommand),
            _ => {}
        }
        tell(&error)
    })
}

fn tell(error: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1));
    let text = error.render().to_string();
    if error.use_stderr() && text.len() > LONGEST_ERROR {
        // The error repeats a value of any length that the user typed, so it is shortened.
        bounded(&text).lines().for_each(output::tell);
        return code;
    }
    let written = error.print().and_then(|()| io::stdout().flush());
    match written {
        Err(reason) if !error.use_stderr() && reason.kind() != ErrorKind::BrokenPipe => {
            failed(Error::unprinted(reason))
        }
        // The reader has closed its pipe, or the error cannot be printed.
        _ => code,
    }
}

/// Suggests what to use in place of a value or command that this program does not have.
fn tell_absent(error: &mut clap::Error, typed: ContextKind) {
    if let Some(ContextValue::String(name)) = error.get(typed)
        && let Some(there_is) = aliases::absent(name)
    {
        let advice = vec![StyledStr::from(format!("`{name}`: {there_is}"))];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
    }
}

/// Adds a suggestion for an option of another program, or for a setting that was written like an
/// option.
fn advise(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let typed = typed.split('=').next().unwrap_or_default();
    let name = typed.trim_start_matches('-').replace('-', "_");
    let keys = ours(&name);
    let advice = match aliases::find(typed) {
        _ if typed == "--tui" => NO_TUI.to_owned(),
        _ if !keys.is_empty() => as_setting(&keys),
        Some(alias) if alias.keys.is_empty() => format!("`{typed}`: {}", alias.words()),
        Some(alias) => {
            let keys: Vec<String> = alias.keys.iter().map(|&key| key.to_owned()).collect();
            as_setting(&keys)
        }
        None => return,
    };
    // Replaces clap's own hints, which are wrong for settings.
    error.remove(ContextKind::SuggestedArg);
    let advice = vec![StyledStr::from(advice)];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
}

fn as_setting(keys: &[String]) -> String {
    let written: Vec<String> = keys.iter().map(|key| format!("`{key}=…`")).collect();
    format!("settings have no dashes: {}", written.join(" or "))
}

/// Returns the keys of settings with this name; the name may include groups.
fn ours(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for group in every_variant().iter().flat_map(groups) {
        for setting in group.settings.iter().chain(&group.tag) {
            // Settings of mechanisms are the same at every site, so only their full key counts.
            let is_meant = setting.key == name || (setting.name() == name && group.site.is_none());
            if is_meant && !found.contains(&setting.key) {
                found.push(setting.key.clone());
            }
        }
    }
    found
}
