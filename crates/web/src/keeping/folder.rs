//! The folder that the page is served from. Other builds may be served from other folders of the
//! same origin (a preview, the fork of a class), so names in the browser's storage contain the
//! folder.

/// Returns `name` with the page's folder behind it. At the top of an origin it is the name alone:
/// older builds stored everything under such names.
pub fn named(name: &str) -> String {
    let location = web_sys::window().map(|window| window.location());
    let path = location.and_then(|location| location.pathname().ok());
    with_folder(name, &path.unwrap_or_default())
}

fn with_folder(name: &str, path: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    match folder {
        "" => name.to_owned(),
        folder => format!("{name} {folder}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_has_names_of_its_own_and_the_top_those_of_before() {
        for (path, name) in [
            ("/", "strata"),
            ("/index.html", "strata"),
            ("", "strata"),
            ("/a/", "strata /a/"),
            ("/a/index.html", "strata /a/"),
            ("/a/b/", "strata /a/b/"),
        ] {
            assert_eq!(with_folder("strata", path), name, "{path}");
        }
    }
}
