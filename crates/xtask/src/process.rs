//! Child processes: their output goes straight to the terminal, and a failure becomes an error
//! message.

use anyhow::{Context, Result, bail};
use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Creates a command of the cargo that runs this program, to be started at the top of the
/// repository.
pub fn cargo(top: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(top);
    command
}

/// Runs a command to its end; fails with a sentence if the command cannot start or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let line = written_out(command);
    println!("$ {line}");
    let status = command
        .status()
        .with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` failed ({status}); what it printed is above");
    }
    Ok(())
}

/// Runs a command to its end, printing its lines as they come; returns the lines and the exit
/// status.
pub fn lines(command: &mut Command) -> Result<(Vec<String>, ExitStatus)> {
    let line = written_out(command);
    println!("$ {line}");
    let not_started = || format!("`{line}` could not be started");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(not_started)?;
    let mut lines = Vec::new();
    if let Some(printed) = child.stdout.take() {
        for printed in BufReader::new(printed).lines().map_while(Result::ok) {
            println!("{printed}");
            lines.push(printed);
        }
    }
    let status = child.wait().with_context(|| format!("`{line}` was lost"))?;
    Ok((lines, status))
}

/// Returns the output of a command, or `None` if the command is missing or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

/// Returns the whole paths of programs with these names on the `PATH`: all with the first name,
/// then all with the next.
pub fn on_path(names: &[&str]) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let programs = names.iter().flat_map(|name| {
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders.iter().map(move |folder| folder.join(&name))
    });
    programs.filter(|program| program.is_file()).collect()
}

/// Returns cargo's target folder, in which cargo built this program.
pub fn target_folder() -> Result<PathBuf> {
    let program = env::current_exe().context("this program's own path is unknown")?;
    let folder = program.ancestors().nth(2);
    Ok(folder
        .context("this program does not lie in cargo's target folder")?
        .to_owned())
}

/// Returns the path of the native program as it ships; the program may not be built yet.
pub fn program() -> Result<PathBuf> {
    let name = format!("strata{}", env::consts::EXE_SUFFIX);
    Ok(target_folder()?.join("release").join(name))
}

/// Formats a duration: `4.2 s`, `3 min 05 s`.
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

fn written_out(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn failure_names_the_command_and_its_end() {
        let error = run(Command::new("cargo").args(["no-such-command", "now"])).unwrap_err();
        let sentence = error.to_string();
        assert!(
            sentence.contains("`cargo no-such-command now` failed"),
            "{sentence}"
        );
        assert!(sentence.contains("101"), "{sentence}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&mut Command::new("strata-no-such-program")).unwrap_err();
        assert!(error.to_string().contains("could not be started"));
        assert_eq!(output(&mut Command::new("strata-no-such-program")), None);
    }

    #[test]
    fn programs_are_found_by_name_in_the_order_of_names() {
        let found = on_path(&["strata-no-such-program", "rustc", "cargo"]);
        let first = |name: &str| {
            let stem = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name);
            found.iter().position(stem)
        };
        assert!(
            first("rustc").is_some() && first("rustc") < first("cargo"),
            "{found:?}"
        );
        assert_eq!(first("strata-no-such-program"), None);
    }

    #[test]
    fn lines_are_kept_of_a_command_that_fails_too() {
        let (printed, status) = lines(Command::new("cargo").arg("--version")).unwrap();
        assert!(printed[0].starts_with("cargo 1."), "{printed:?}");
        assert!(status.success());
        let (printed, status) = lines(Command::new("cargo").args(["no-such-command"])).unwrap();
        assert!(printed.is_empty() && !status.success());
        assert!(lines(&mut Command::new("strata-no-such-program")).is_err());
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(format_duration(Duration::from_millis(4_230)), "4.2 s");
        assert_eq!(format_duration(Duration::from_secs(185)), "3 min 05 s");
    }
}
