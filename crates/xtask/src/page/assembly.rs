//! Assembly of the page's folder: the files that the links of `index.html` name.

use super::links::{self, Link};
use super::program::{Built, Program};
use crate::publish;
use crate::tools::Toolbox;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the page during assembly.
pub struct Assembly<'a> {
    pub top: &'a Path,
    pub folder: PathBuf,
    pub tools: Toolbox,
}

impl Assembly<'_> {
    /// Empties the folder and writes everything but the workers: copies of files, and the program of
    /// the page. Returns the text of the page, and the workers that the page names.
    pub fn begin(&self) -> Result<(String, Vec<Program>)> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)
                .with_context(|| format!("{} cannot be removed", self.folder.display()))?;
        }
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("{} cannot be made", self.folder.display()))?;
        let source = self.top.join("index.html");
        let source =
            String::from_utf8(publish::read(&source)?).context("index.html is not UTF-8")?;
        let mut workers = Vec::new();
        let page = links::replace(&source, |link| match link.need("rel")? {
            "css" => {
                let name = self.copy_named_by_content(link.need("href")?)?;
                Ok(format!("<link rel=\"stylesheet\" href=\"./{name}\">"))
            }
            "icon" => {
                let name = self.copy_named_by_content(link.need("href")?)?;
                let kind = link.need("type")?;
                Ok(format!(
                    "<link rel=\"icon\" href=\"./{name}\" type=\"{kind}\">"
                ))
            }
            "copy-file" => self.copy(link).map(|()| String::new()),
            "copy-dir" => self.copy_folder(link).map(|()| String::new()),
            "rust" => {
                let program = Program::of(link)?;
                if program.worker {
                    workers.push(program);
                    return Ok(String::new());
                }
                self.write_main(&program, link.need("initializer")?)
            }
            other => bail!(
                "index.html has a link for trunk with rel=\"{other}\", which is not known here"
            ),
        })?;
        Ok((page, workers))
    }

    /// Writes the program of the page, and returns the HTML elements that start the program.
    fn write_main(&self, program: &Program, progress: &str) -> Result<String> {
        let built = program.build(self.top, &self.tools, &program.name)?;
        let print = publish::fingerprint(&[built.script.as_bytes(), &built.wasm].concat());
        let name = format!("{}-{print:08x}", program.name);
        let script = built.script.replace(
            &format!("{}_bg.wasm", program.name),
            &format!("{name}_bg.wasm"),
        );
        self.write(&format!("{name}_bg.wasm"), &built.wasm)?;
        self.write(&format!("{name}.js"), script.as_bytes())?;
        let progress = self.copy_named_by_content(progress)?;
        let start = include_str!("start.js")
            .replace("PROGRAM", &name)
            .replace("progress.mjs", &progress)
            .replace("LENGTH", &built.wasm.len().to_string());
        let file = format!("start-{:08x}.js", publish::fingerprint(start.as_bytes()));
        self.write(&file, start.as_bytes())?;
        let preload = |name: &str| format!("<link rel=\"modulepreload\" href=\"./{name}\">");
        Ok([
            format!("<script type=\"module\" src=\"./{file}\"></script>"),
            preload(&format!("{name}.js")),
            preload(&progress),
            format!(
                "<link rel=\"preload\" href=\"./{name}_bg.wasm\" as=\"fetch\" \
                 type=\"application/wasm\" crossorigin=\"anonymous\">"
            ),
        ]
        .join("\n    "))
    }

    /// Writes a worker; the file that starts the worker comes last, when all other files exist.
    pub fn write_worker(&self, program: &Program) -> Result<()> {
        let name = &program.name;
        let Built { script, wasm } = program.build(self.top, &self.tools, name)?;
        self.write(&format!("{name}_bg.wasm"), &wasm)?;
        self.write(&format!("{name}.js"), script.as_bytes())?;
        self.write_loader(
            program,
            &format!("import start from \"./{name}.js\";\nawait start();\n"),
        )
    }

    /// Lets another worker stand in for a worker that is still to be built.
    pub fn stand_in(&self, program: &Program, other: &Program) -> Result<()> {
        self.write_loader(
            program,
            &format!("import \"./{}_loader.js\";\n", other.name),
        )
    }

    fn write_loader(&self, program: &Program, start: &str) -> Result<()> {
        let name = format!("{}_loader.js", program.name);
        // The worker with threads has a start file of its own, which starts another worker where
        // threads are missing.
        if self.top.join("www").join(&name).exists() {
            return Ok(());
        }
        self.write(&name, start.as_bytes())
    }

    /// Writes a file atomically; a request meanwhile gets the previous file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (file, part) = (
            self.folder.join(name),
            self.folder.join(format!(".{name}.part")),
        );
        fs::write(&part, bytes)
            .and_then(|()| fs::rename(&part, &file))
            .with_context(|| format!("{} cannot be written", file.display()))
    }

    /// Copies a file under a name with the fingerprint of its contents, so that caches cannot mix
    /// up versions. Returns the name.
    fn copy_named_by_content(&self, path: &str) -> Result<String> {
        let bytes = publish::read(&self.top.join(path))?;
        let name = file_name(path)?;
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let name = format!("{stem}-{:08x}.{extension}", publish::fingerprint(&bytes));
        self.write(&name, &bytes)?;
        Ok(name)
    }

    fn copy(&self, link: &Link) -> Result<()> {
        let path = link.need("href")?;
        let target = self.place(link)?.join(file_name(path)?);
        copy(&self.top.join(path), &target)
    }

    fn copy_folder(&self, link: &Link) -> Result<()> {
        let source = self.top.join(link.need("href")?);
        let target = match link.get("target-path") {
            Some(_) => self.place(link)?,
            None => self.folder.join(file_name(link.need("href")?)?),
        };
        for file in publish::files_in(&source)? {
            let inside = file.strip_prefix(&source)?;
            let target = target.join(inside);
            if let Some(parent) = target.parent() {
                make(parent)?;
            }
            copy(&file, &target)?;
        }
        Ok(())
    }

    /// Returns the folder into which a link's files are copied, creating it if necessary.
    fn place(&self, link: &Link) -> Result<PathBuf> {
        let place = self
            .folder
            .join(link.get("target-path").unwrap_or_default());
        make(&place)?;
        Ok(place)
    }
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)
        .map(drop)
        .with_context(|| format!("{} cannot be copied to {}", from.display(), to.display()))
}

fn file_name(path: &str) -> Result<&str> {
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    name.with_context(|| format!("`{path}` in index.html names no file"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Assembles a page of files only, without programs.
    fn page(links: &str) -> (tempfile::TempDir, Result<(String, Vec<Program>)>) {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("www/more/in")).unwrap();
        fs::write(top.path().join("www/a.css"), "p {}").unwrap();
        fs::write(top.path().join("www/more/in/b.json"), "{}").unwrap();
        fs::write(top.path().join("index.html"), format!("<p>{links}")).unwrap();
        let folder = top.path().join("dist");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("old"), "").unwrap();
        let assembly = Assembly {
            top: top.path(),
            folder,
            tools: Toolbox::none(),
        };
        let begun = assembly.begin();
        (top, begun)
    }

    #[test]
    fn files_are_where_the_links_want_them_and_nothing_is_left_of_an_old_build() {
        let (top, begun) = page(
            "<link data-trunk rel=\"css\" href=\"www/a.css\">\
             <link data-trunk rel=\"copy-file\" href=\"www/a.css\" data-target-path=\"x/y\">\
             <link data-trunk rel=\"copy-dir\" href=\"www/more\">\
             <link data-trunk rel=\"rust\" data-type=\"worker\" data-bin=\"w\" href=\"w/Cargo.toml\">",
        );
        let (text, workers) = begun.unwrap();
        let print = publish::fingerprint(b"p {}");
        let link = format!("<p><link rel=\"stylesheet\" href=\"./a-{print:08x}.css\">");
        assert_eq!(text, link);
        assert_eq!(workers.len(), 1);
        let dist = top.path().join("dist");
        let files = publish::files_in(&dist).unwrap();
        let names: Vec<_> = files
            .iter()
            .map(|file| {
                file.strip_prefix(&dist)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(
            names,
            [
                format!("a-{print:08x}.css"),
                "more/in/b.json".to_owned(),
                "x/y/a.css".to_owned()
            ]
        );
    }

    #[test]
    fn a_link_that_is_not_known_or_names_no_file_is_told() {
        for (link, reason) in [
            (
                "<link data-trunk rel=\"sass\" href=\"www/a.css\">",
                "rel=\"sass\"",
            ),
            ("<link data-trunk rel=\"css\" href=\"www/b.css\">", "b.css"),
        ] {
            let error = format!("{:#}", page(link).1.err().unwrap());
            assert!(error.contains(reason), "{error}");
        }
    }
}
