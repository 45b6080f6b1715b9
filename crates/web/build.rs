//! Lists the languages of the page: the files of words in `www/words`.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let folder = Path::new("../../www/words");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut languages = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let code = path.file_stem().and_then(|it| it.to_str());
        let Some(code) = code.filter(|_| path.extension().is_some_and(|it| it == "json")) else {
            continue;
        };
        languages.push((code.to_owned(), own_name(&fs::read_to_string(&path)?, code)));
    }
    languages.sort();
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(
        Path::new(&out).join("languages.rs"),
        format!("&{languages:?}"),
    )
}

/// Returns the name that a language has in itself: the word for `English` in the language's file.
fn own_name(words: &str, code: &str) -> String {
    let found = words
        .lines()
        .find_map(|line| line.trim().strip_prefix("\"English\":"));
    let name = found.map(|it| it.trim().trim_end_matches(',').trim_matches('"'));
    name.unwrap_or(code).to_owned()
}
