//! `strata completions` and `strata man`, generated from the definitions of the arguments.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::base::error::Error;
use crate::base::output::{self, print};
use crate::display::format::path;

#[derive(Args, Debug)]
#[command(after_help = INSTALL)]
pub struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Args, Debug)]
pub struct ManArguments {
    /// Write a page for each command into this folder; without it, the first page is printed.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

impl ManArguments {
    /// True if what is printed is all that the command leaves.
    pub fn prints_alone(&self) -> bool {
        self.to.is_none()
    }
}

const INSTALL: &str = "\
Examples:
  strata completions bash > ~/.local/share/bash-completion/completions/strata
  strata completions zsh > ~/.zfunc/_strata
  strata completions fish > ~/.config/fish/completions/strata.fish";

const NAME: &str = "strata";

/// Prints the completion script of `command` for a shell.
pub fn run(arguments: &CompletionsArguments, mut command: Command) -> Result<ExitCode, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, NAME, &mut script);
    output::write(&script);
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual pages of `command`, or writes the pages into a folder.
pub fn manual(arguments: &ManArguments, command: Command) -> Result<ExitCode, Error> {
    match &arguments.to {
        Some(folder) => {
            let written =
                fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
            written.map_err(|reason| Error::Write {
                path: folder.clone(),
                what: "manual",
                reason,
                advice: "name a folder that can be written with `--to`".to_owned(),
            })?;
            print(&format!(
                "The pages are in {}: `man {}` shows the first.",
                path(folder),
                path(&folder.join("strata.1"))
            ));
        }
        None => {
            let mut page = Vec::new();
            Man::new(command)
                .render(&mut page)
                .expect("memory can be written");
            output::write(&page);
        }
    }
    Ok(ExitCode::SUCCESS)
}
