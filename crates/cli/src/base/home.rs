//! Expands `~` in arguments. Shells expand it only at the beginning of a word, and programs that
//! start `strata` do not expand it at all.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use strata_text::expanded;

/// Returns the arguments of the program, with `~/` expanded in the values of options
/// (`--out=~/run`). In settings, such as `task.source=~/de.txt`, it stays, and is expanded when the
/// file is opened.
pub fn arguments(typed: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut after_option = false;
    typed
        .map(|argument| {
            let is_option = argument.as_encoded_bytes().starts_with(b"--");
            let replaced = match (argument.to_str(), after_option) {
                (Some(text), _) if is_option => text.split_once('=').and_then(|(name, value)| {
                    let value = below_home(OsStr::new(value))?;
                    let mut argument = OsString::from(format!("{name}="));
                    argument.push(value);
                    Some(argument)
                }),
                (_, true) => below_home(&argument),
                _ => None,
            };
            after_option = is_option;
            replaced.unwrap_or(argument)
        })
        .collect()
}

fn below_home(value: &OsStr) -> Option<OsString> {
    let begins = value.as_encoded_bytes().starts_with(b"~/");
    begins.then(|| expanded(Path::new(value)).as_os_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn values_of_options_alone_may_be_below_the_home_folder() {
        let home = std::env::home_dir().expect("this test has a home");
        let typed = [
            "strata",
            "--out=~/run",
            "--config",
            "~/c.toml",
            "~/text",
            "task.source=~/de.txt",
            "--steps=3",
            "~",
        ];
        let found = arguments(typed.iter().map(OsString::from));
        let below = |name: &str| home.join(name).into_os_string();
        let mut out = OsString::from("--out=");
        out.push(below("run"));
        let mut expected: Vec<OsString> = typed.iter().map(OsString::from).collect();
        expected[1] = out;
        expected[3] = below("c.toml");
        assert_eq!(found, expected);
    }
}
