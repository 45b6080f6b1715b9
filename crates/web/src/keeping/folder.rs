//! The folder that the page is served from. Other builds may lie in other folders of the same origin
//! (a preview, the fork of a class): what each keeps has names of its own.

/// A name with the page's folder behind it; at the top of an origin the name alone, as all builds
/// wrote it before there were folders in names.
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
