//! `cargo xtask site`: the built page as one file, for a server of one's own or a machine without a
//! network.

use super::{Archive, VERSION, announce, folder, notices, remove};
use crate::publish::{BESIDE, NO_PACKAGES, files_of_page};
use crate::{lessons, page};
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// Text beside the page. A browser does not run the page's programs from files of the disk, so that
/// any server must hand them out.
const README: &str = "\
Strata: watch attention learn, in your browser.

Unpack this archive, and start any static file server in this folder:

    python3 -m http.server --bind 127.0.0.1 8080

Then open http://127.0.0.1:8080. No other file, no account and no network is needed; nothing leaves
your machine. `npx serve`, `caddy file-server --listen :8080` or a folder of a web server do as well.

To offer the page to others, copy this folder onto a web server that speaks HTTPS: the page needs a
secure address, or this machine's own. Training uses several threads from the first visit on if the
server sends these headers (otherwise from the second visit on):

    Cross-Origin-Opener-Policy: same-origin
    Cross-Origin-Embedder-Policy: require-corp

LICENSE is the licence of Strata, LICENCES-OF-DEPENDENCIES.txt has those of what it is built from.
";

/// Arguments of `site`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Leaves recorded models as they are. Otherwise the models with which steps of lessons begin are
    /// written first, so that no step has to train what another step has trained; models that are
    /// missing are trained, which takes minutes.
    #[arg(long)]
    no_models: bool,
}

/// Writes recorded models, builds the page, and writes the archive.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    if !arguments.no_models {
        lessons::write_models(top)?;
    }
    page::build(top, true)?;
    announce(&pack(top, &folder()?, &page::folder(top))?)
}

/// Writes the archive of a built page into `to`, with all licences; returns the path.
pub fn pack(top: &Path, to: &Path, page: &Path) -> Result<PathBuf> {
    let licences = notices::of_wasm(top, &["strata-web", "strata-worker"])?;
    let licence = fs::read_to_string(top.join("LICENSE"))?;
    let texts = [
        ("README.txt", README),
        ("LICENSE", &licence),
        (notices::FILE, &licences),
    ];
    write(to, page, &texts)
}

/// Writes the archive of a page into `to`, with some texts beside the page; returns the path.
fn write(to: &Path, page: &Path, texts: &[(&str, &str)]) -> Result<PathBuf> {
    remove(to, "strata-page-", ".zip")?;
    let (mut archive, path) = Archive::create(to, &format!("strata-page-{VERSION}"))?;
    for file in files_of_page(page)? {
        let name = file.strip_prefix(page).unwrap_or(&file).to_string_lossy();
        archive.add(&name.replace('\\', "/"), &fs::read(&file)?)?;
    }
    archive.add(BESIDE[0], NO_PACKAGES)?;
    for (name, text) in texts {
        archive.add(name, text.as_bytes())?;
    }
    archive.finish()?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;
    use std::fs::File;

    #[test]
    fn an_archive_holds_the_page_in_a_folder_of_its_own() {
        let [page, to] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        fs::create_dir(page.path().join("lessons")).unwrap();
        fs::write(page.path().join("index.html"), "<p>page").unwrap();
        // A package does not hold the packages of the build before.
        fs::write(page.path().join("strata-page.zip"), "an archive").unwrap();
        fs::write(page.path().join("lessons/index.en.json"), "[]").unwrap();
        fs::write(to.path().join("strata-page-0.0.1.zip"), "").unwrap();
        let path = write(to.path(), page.path(), &[("README.txt", README)]).unwrap();
        let archive = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
        let names = archive.file_names();
        let names: BTreeSet<String> = names.map(|name| name.unwrap().into_owned()).collect();
        let wanted = [
            "README.txt",
            "index.html",
            "lessons/index.en.json",
            "packages.json",
        ];
        let wanted = wanted.map(|name| format!("strata-page-{VERSION}/{name}"));
        assert_eq!(names, BTreeSet::from(wanted));
        // The archive of an earlier version is gone.
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 1);
    }
}
