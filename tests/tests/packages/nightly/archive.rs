//! The archive that `cargo xtask archive` wrote, unpacked.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::nightly::wheel::{package, python, ran};

#[test]
fn the_archive_has_a_program_that_runs_and_what_belongs_to_it() {
    let archive = package("strata-", ".zip");
    let folder = TempDir::new().expect("a folder for temporary files");
    // Python unpacks without permissions, which its ZipFile leaves out.
    let unpack = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let mut unpacked = Command::new(python());
    ran(unpacked
        .args(["-c", unpack])
        .arg(&archive)
        .arg(folder.path()));
    let name = archive.file_stem().expect("a name");
    let inside = folder.path().join(name);
    let text = |file: &str| {
        let path = inside.join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    assert!(text("completions/strata.bash").contains("complete -F"));
    assert!(text("completions/_strata").starts_with("#compdef strata"));
    assert!(text("man/strata.1").contains(".TH strata 1"));
    assert!(text("man/strata-train.1").contains("json"));
    let licences = text("LICENCES-OF-DEPENDENCIES.txt");
    for part in [
        "- burn ",
        "- clap ",
        "Apache License",
        "Permission is hereby granted",
    ] {
        assert!(licences.contains(part), "no {part}");
    }
    // Packages of the page and of the tests are no part of the program.
    for part in ["- yew ", "- fantoccini "] {
        assert!(!licences.contains(part), "{part}");
    }
    let program = inside.join("strata");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .expect("the file can be changed");
    }
    let said = ran(Command::new(&program).arg("--version"));
    assert_eq!(said.trim(), concat!("strata ", env!("CARGO_PKG_VERSION")));
    // The name by which `cargo binstall` looks for it.
    let name = name.to_string_lossy();
    let begin = concat!("strata-", env!("CARGO_PKG_VERSION"), "-");
    assert!(
        name.starts_with(begin) && name.matches('-').count() >= 4,
        "{name}"
    );
}
