//! Names of the page's controls in texts: `{tab:norms}`, `{site:decoder.0.self}`. The page fills in
//! the title that the control has there, so that no text names a control that is not there.

use std::str::FromStr;

use strata_models::SiteName;
use strum::VariantNames;

use crate::LookKind;
use crate::error::unknown;

/// A control that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Tab of a kind of view.
    Tab(LookKind),
    /// Attention site, in the list of sites.
    Site(SiteName),
}

/// Reads the name of a control; `None` if `name` names none.
///
/// # Errors
/// A sentence, if there is no such control.
pub fn read(name: &str) -> Option<Result<Control, String>> {
    let (kind, name) = name.split_once(':')?;
    Some(match kind {
        "tab" => LookKind::from_str(name).map(Control::Tab).map_err(|_| {
            let known = LookKind::VARIANTS.iter().copied();
            unknown("tab", name, known)
        }),
        "site" => name
            .parse()
            .map(Control::Site)
            .map_err(|error: strata_models::SiteNameError| error.to_string()),
        other => Err(unknown("kind of control", other, ["tab", "site"])),
    })
}
