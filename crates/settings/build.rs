//! Turns the table `src/aliases.toml` into Rust, so that the program needs no reader of TOML.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const TABLE: &str = "src/aliases.toml";

fn main() {
    println!("cargo:rerun-if-changed={TABLE}");
    let text = fs::read_to_string(TABLE).expect("the table lies beside the sources");
    let table: toml::Table = text
        .parse()
        .unwrap_or_else(|error| panic!("{TABLE}: {error}"));
    let rust = aliases("KNOWN", &table["known"]) + &aliases("ABSENT", &table["absent"]);
    let folder = env::var("OUT_DIR").expect("cargo sets the folder");
    fs::write(Path::new(&folder).join("aliases.rs"), rust).expect("the folder can be written");
}

/// Writes one list of the table as a constant of type `&[Alias]`.
fn aliases(constant: &str, list: &toml::Value) -> String {
    let mut rust = format!("const {constant}: &[Alias] = &[\n");
    for entry in list.as_array().expect("a list of tables") {
        let entry = entry.as_table().expect("a table");
        for key in entry.keys() {
            let is_known = ["names", "keys", "note"].contains(&key.as_str());
            assert!(is_known, "{TABLE}: there is no key `{key}`");
        }
        let text = |key: &str| {
            entry
                .get(key)
                .map_or("", |text| text.as_str().expect("a text"))
        };
        let keys = entry.get("keys").map_or_else(Vec::new, |keys| {
            let keys = keys.as_array().expect("a list of texts").iter();
            keys.map(|key| key.as_str().expect("a text")).collect()
        });
        let (names, note) = (text("names"), text("note"));
        writeln!(
            rust,
            "Alias {{ names: {names:?}, keys: &{keys:?}, note: {note:?} }},"
        )
        .expect("a String takes every text");
    }
    rust + "];\n"
}
