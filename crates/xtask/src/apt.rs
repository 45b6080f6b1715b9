//! Installation of browsers from the system's packages by apt: root only, on Debian and Ubuntu
//! only.

use crate::process;
use anyhow::{Result, bail};
use std::fs;
use std::process::Command;

/// Installs packages: `debian` lists their names on Debian, `ubuntu` on Ubuntu; an empty list means
/// that the system has no suitable package. `what` names the installed program in messages.
pub fn install(what: &str, debian: &[&str], ubuntu: &[&str]) -> Result<()> {
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let packages = if has_id(&system, "ubuntu") {
        ubuntu
    } else if has_id(&system, "debian") {
        debian
    } else {
        bail!("{what} cannot be installed here: this system is neither Debian nor Ubuntu");
    };
    if packages.is_empty() {
        bail!("{what} cannot be installed here: this system has no package for it");
    }
    if process::output(Command::new("id").arg("-u")).is_none_or(|id| id.trim() != "0") {
        bail!("{what} cannot be installed here, for only root may do that");
    }
    println!("Installing {what} (once; about a minute).");
    process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "--quiet", "--yes", "--no-install-recommends"]);
    process::run(
        install
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn has_id(system: &str, id: &str) -> bool {
    system
        .lines()
        .any(|line| line.strip_prefix("ID=") == Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_known_by_its_id_alone() {
        let system = "PRETTY_NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n";
        assert!(has_id(system, "linuxmint"));
        assert!(!has_id(system, "debian"));
    }
}
