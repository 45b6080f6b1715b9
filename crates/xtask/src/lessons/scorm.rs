//! `cargo xtask lessons --scorm`: packages for learning platforms. A package holds the built page,
//! a manifest with a module for each lesson, and a page that reports the lesson's progress to the
//! platform (`scorm.html`).

use crate::page;
use crate::publish::{BESIDE, NO_PACKAGES, files_of_page};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Page that connects the platform with the lesson.
const BRIDGE: &str = include_str!("scorm.html");
/// Name of the file of the connecting page in a package.
const BRIDGE_FILE: &str = "scorm.html";

/// A version of SCORM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V12,
    V2004,
}

impl Version {
    fn name(self) -> &'static str {
        match self {
            Self::V12 => "1.2",
            Self::V2004 => "2004",
        }
    }

    /// Returns the XML namespaces of a manifest, its schema version, and the attribute for the type
    /// of a module.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::V12 => [
                "xmlns=\"http://www.imsproject.org/xsd/imscp_rootv1p1p2\" \
                 xmlns:adlcp=\"http://www.adlnet.org/xsd/adlcp_rootv1p2\"",
                "1.2",
                "adlcp:scormtype",
            ],
            Self::V2004 => [
                "xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" \
                 xmlns:adlcp=\"http://www.adlnet.org/xsd/adlcp_v1p3\"",
                "2004 3rd Edition",
                "adlcp:scormType",
            ],
        }
    }
}

/// A lesson as a module of a package.
#[derive(Debug, PartialEq)]
struct Module {
    name: String,
    title: String,
    steps: Vec<String>,
}

/// Builds the page and writes a package for each version of SCORM into the target folder.
pub fn run(top: &Path, target: &Path) -> Result<()> {
    page::build(top, true)?;
    for file in pack(&page::folder(top), target)? {
        println!("{}", file.display());
    }
    Ok(())
}

/// Writes a package of a built page for each version of SCORM into `target`; returns the paths.
pub fn pack(folder: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let index = folder.join("lessons/index.en.json");
    let index = fs::read_to_string(&index)
        .with_context(|| format!("{} cannot be read", index.display()))?;
    let modules = modules(&serde_json::from_str(&index)?);
    let mut files = Vec::new();
    for version in [Version::V12, Version::V2004] {
        let file = target.join(format!("strata-scorm-{}.zip", version.name()));
        write(&file, folder, version, &modules)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        files.push(file);
    }
    Ok(files)
}

/// Returns the modules for the page's list of lessons.
fn modules(index: &Value) -> Vec<Module> {
    let entries = index.as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    entries
        .map(|entry| Module {
            name: text(&entry["name"]),
            title: letters(&entry["title"]),
            steps: entry["steps"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|step| text(&step["id"]))
                .collect(),
        })
        .collect()
}

/// Returns all letters of a line, without markup.
fn letters(line: &Value) -> String {
    match line {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(letters).collect(),
        Value::Object(parts) => parts.values().map(letters).collect(),
        _ => String::new(),
    }
}

fn write(file: &Path, folder: &Path, version: Version, modules: &[Module]) -> Result<()> {
    let files = files_of_page(folder)?;
    let names = files.iter().map(|it| name(folder, it));
    let names: Vec<String> = names.chain([BESIDE[0].to_owned()]).collect();
    let mut archive = ZipWriter::new(BufWriter::new(File::create(file)?));
    let options = SimpleFileOptions::default();
    archive.start_file("imsmanifest.xml", options)?;
    archive.write_all(manifest(version, modules, &names).as_bytes())?;
    archive.start_file(BRIDGE_FILE, options)?;
    archive.write_all(BRIDGE.as_bytes())?;
    for (path, name) in files.iter().zip(&names) {
        archive.start_file(name.as_str(), options)?;
        archive.write_all(&fs::read(path)?)?;
    }
    archive.start_file(BESIDE[0], options)?;
    archive.write_all(NO_PACKAGES)?;
    archive.finish()?.flush()?;
    Ok(())
}

/// Returns the name of a file in the package.
fn name(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap_or(file);
    path.to_string_lossy().replace('\\', "/")
}

/// Writes the manifest, `imsmanifest.xml`.
fn manifest(version: Version, modules: &[Module], files: &[String]) -> String {
    let [namespaces, schema, kind] = version.words();
    let mut items = String::new();
    let mut resources = String::new();
    for Module { name, title, steps } in modules {
        let (name, title) = (escaped(name), escaped(title));
        let steps = escaped(&steps.join("."));
        let _ = write!(
            items,
            "      <item identifier=\"item-{name}\" identifierref=\"lesson-{name}\">\n        \
             <title>{title}</title>\n      </item>\n"
        );
        let _ = write!(
            resources,
            "    <resource identifier=\"lesson-{name}\" type=\"webcontent\" {kind}=\"sco\" \
             href=\"{BRIDGE_FILE}?lesson={name}&amp;steps={steps}\">\n      \
             <file href=\"{BRIDGE_FILE}\"/>\n      <dependency identifierref=\"page\"/>\n    \
             </resource>\n"
        );
    }
    let _ = writeln!(
        resources,
        "    <resource identifier=\"page\" type=\"webcontent\" {kind}=\"asset\">"
    );
    for file in files {
        let _ = writeln!(resources, "      <file href=\"{}\"/>", escaped(file));
    }
    resources += "    </resource>\n";
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <manifest identifier=\"strata\" version=\"1\" {namespaces}>\n  <metadata>\n    \
         <schema>ADL SCORM</schema>\n    <schemaversion>{schema}</schemaversion>\n  </metadata>\n  \
         <organizations default=\"lessons\">\n    <organization identifier=\"lessons\">\n      \
         <title>Strata: lessons on attention</title>\n{items}    </organization>\n  \
         </organizations>\n  <resources>\n{resources}  </resources>\n</manifest>\n"
    )
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Read;

    fn lessons() -> Vec<Module> {
        let index = r#"[{"name":"levels","title":[{"text":"Why "},{"formula":"A<100"},{"text":" & more"}],
            "steps":[{"id":"alike"},{"id":"own-place"}]}]"#;
        modules(&serde_json::from_str(index).unwrap())
    }

    #[test]
    fn a_manifest_names_each_lesson_with_its_steps() {
        for version in [Version::V12, Version::V2004] {
            let text = manifest(version, &lessons(), &["index.html".to_owned()]);
            let module = "href=\"scorm.html?lesson=levels&amp;steps=alike.own-place\"";
            assert!(text.contains(module), "{text}");
            assert!(
                text.contains("<title>Why A&lt;100 &amp; more</title>"),
                "{text}"
            );
            assert!(text.contains("<file href=\"index.html\"/>"), "{text}");
            assert!(text.contains(&format!("{}=\"sco\"", version.words()[2])));
        }
    }

    #[test]
    fn a_package_holds_page_bridge_and_manifest() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lessons")).unwrap();
        fs::write(folder.path().join("index.html"), "<p>page").unwrap();
        fs::write(folder.path().join("lessons/index.en.json"), "[]").unwrap();
        fs::write(folder.path().join("strata-scorm-1.2.zip"), "an archive").unwrap();
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join("package.zip");
        write(&file, folder.path(), Version::V12, &lessons()).unwrap();
        let mut archive = zip::ZipArchive::new(File::open(file).unwrap()).unwrap();
        let names = archive.file_names();
        let mut names: Vec<String> = names.map(|name| name.unwrap().into_owned()).collect();
        names.sort();
        assert_eq!(
            names,
            [
                "imsmanifest.xml",
                "index.html",
                "lessons/index.en.json",
                "packages.json",
                "scorm.html"
            ]
        );
        let mut page = String::new();
        let mut found = archive.by_name("index.html").unwrap();
        found.read_to_string(&mut page).unwrap();
        assert_eq!(page, "<p>page");
    }
}
