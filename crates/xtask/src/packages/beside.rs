//! Packages of the built page that lie beside it, for those who teach: for learning platforms, and for
//! a server of one's own. The page reads the list of them with their sizes, and links them.

use super::{folder, site};
use crate::lessons::scorm;
use crate::publish::{self, BESIDE};
use anyhow::{Context, Result};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Writes the packages of a page into the page's folder. They are in no list of the service worker,
/// which therefore keeps none of them, and none of them holds another.
pub fn write(top: &Path, page: &Path) -> Result<()> {
    let [list, site_name, scorm_names @ ..] = BESIDE;
    for name in BESIDE {
        let old = page.join(name);
        if old.exists() {
            fs::remove_file(&old)
                .with_context(|| format!("{} cannot be removed", old.display()))?;
        }
    }
    let packed = site::pack(top, &folder()?, page)?;
    let target = page.join(site_name);
    fs::copy(&packed, &target)
        .with_context(|| format!("{} cannot be written", target.display()))?;
    scorm::pack(page, page)?;
    let mut packages = Vec::new();
    for name in [site_name].into_iter().chain(scorm_names) {
        let file = page.join(name);
        let bytes = fs::metadata(&file)
            .with_context(|| format!("{} is missing", file.display()))?
            .len();
        packages.push(json!({ "name": name, "bytes": bytes }));
    }
    publish::write(&page.join(list), json!(packages).to_string().as_bytes())
}
