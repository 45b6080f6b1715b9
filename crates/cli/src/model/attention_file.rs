//! The file that `translate --attention` and `answer --attention` write: all weights of every
//! sentence or question as JSON, or heat maps as SVG.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pollster::block_on;
use serde_json::{Value, json};
use strata_session::attention_file::{FORMAT, VERSION};
use strata_session::protocol::{SiteView, TranslationView};
use strata_session::{
    SiteDetails, details_of_answer, details_of_translation, view_of_answer, view_of_translation,
};
use strata_tasks::Question;
use strata_training::{Answered, Encoded, Inference, Translation};

use crate::base::error::Error;
use crate::base::output_file;
use crate::model::heat_map::{self, LEVELS_DRAWN};

/// Output for attention weights.
pub enum AttentionFile {
    /// An attention file (`docs/attention-files.md`) with a line per sentence.
    Json {
        path: PathBuf,
        file: BufWriter<File>,
        sentences: usize,
    },
    /// One SVG file per sentence: for the second line `flow-2.svg` beside `flow.svg`.
    Svg { path: PathBuf },
}

impl AttentionFile {
    /// Creates the output in the format of the path's extension.
    ///
    /// # Errors
    /// If the extension is neither `.json` nor `.svg`, or the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        match path.extension().and_then(|it| it.to_str()) {
            Some("json") => {
                output_file::check(&path, "attention", "--attention")?;
                let file = File::create(&path).map_err(|it| unwritten(&path, it))?;
                Ok(Self::Json {
                    path,
                    file: BufWriter::new(file),
                    sentences: 0,
                })
            }
            Some("svg") => {
                output_file::check(&path, "attention", "--attention")?;
                check_numbered(&path)?;
                Ok(Self::Svg { path })
            }
            _ => Err(Error::Search(format!(
                "{}: attention is written as .svg (a picture) or .json (all numbers); end the \
                 name so",
                path.display()
            ))),
        }
    }

    /// Adds the sentence of a line; `line` counts from 1.
    ///
    /// # Errors
    /// If the device fails, or the file cannot be written.
    pub fn add(
        &mut self,
        line: usize,
        inference: &Inference,
        source: &Encoded,
        translation: &Translation,
    ) -> Result<(), Error> {
        self.write(
            line,
            |levels| {
                let source = source.clone();
                block_on(view_of_translation(inference, source, translation, levels))
            },
            || block_on(details_of_translation(inference, source, translation)),
            |view, details| object(line, view, details, translation),
        )
    }

    /// Adds the question of a line; `line` counts from 1.
    ///
    /// # Errors
    /// If the device fails, or the file cannot be written.
    pub fn add_answer(
        &mut self,
        line: usize,
        inference: &Inference,
        question: &Question,
        answered: &Answered,
    ) -> Result<(), Error> {
        self.write(
            line,
            |levels| block_on(view_of_answer(inference, question, answered, levels)),
            || block_on(details_of_answer(inference, question, answered)),
            |view, details| answer_object(line, view, details, answered),
        )
    }

    /// Writes the entry of a line: as JSON an object with all levels of all views, as SVG a picture
    /// of the first view.
    fn write<E>(
        &mut self,
        line: usize,
        view: impl Fn(usize) -> Result<TranslationView, E>,
        details: impl FnOnce() -> Result<Vec<SiteDetails>, E>,
        object: impl FnOnce(&TranslationView, &[SiteDetails]) -> Value,
    ) -> Result<(), Error>
    where
        Error: From<E>,
    {
        match self {
            Self::Json {
                path,
                file,
                sentences,
            } => {
                let before = if *sentences == 0 { &begin() } else { ",\n" };
                *sentences += 1;
                let object = object(&view(usize::MAX)?, &details()?);
                write!(file, "{before}{object}").map_err(|it| unwritten(path, it))
            }
            Self::Svg { path } => {
                let path = numbered(path, line);
                let svg = heat_map::svg(&view(LEVELS_DRAWN)?, &details()?);
                std::fs::write(&path, svg).map_err(|it| unwritten(&path, it))
            }
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        if let Self::Json {
            path,
            mut file,
            sentences,
        } = self
        {
            let begin = if sentences == 0 { &begin() } else { "" };
            let written = write!(file, "{begin}\n]}}\n").and_then(|()| file.flush());
            return written.map_err(|it| unwritten(&path, it));
        }
        Ok(())
    }
}

/// Returns the beginning of an attention file, up to the first sentence.
fn begin() -> String {
    format!("{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"sentences\": [\n")
}

/// Returns the path of a line's picture: `flow.svg`, `flow-2.svg`, …
fn numbered(path: &Path, line: usize) -> PathBuf {
    if line == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{line}.svg"))
}

/// Refuses to overwrite `flow-2.svg` and so on, which the user has not named, unless they are
/// pictures of an earlier command.
fn check_numbered(path: &Path) -> Result<(), Error> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let is_numbered = |name: &str| {
        let rest = name.strip_prefix(&*stem)?.strip_prefix('-')?;
        let number: usize = rest.strip_suffix(".svg")?.parse().ok()?;
        (number > 1).then_some(())
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_meant = entry.file_name().to_str().and_then(is_numbered).is_some();
        let is_ours = || {
            let text = std::fs::read(entry.path()).unwrap_or_default();
            heat_map::is_one(&text)
        };
        if is_meant && !is_ours() {
            return Err(Error::Exists {
                path: folder.join(entry.file_name()),
            });
        }
    }
    Ok(())
}

fn object(
    line: usize,
    picture: &TranslationView,
    details: &[SiteDetails],
    translation: &Translation,
) -> Value {
    json!({
        "line": line,
        "source": picture.source,
        "target": picture.target,
        "text": picture.text,
        "score": translation.score,
        "log_probabilities": translation.log_probabilities,
        "sites": sites(picture, details),
    })
}

/// Returns an object with a question, the passage of its best answer, and the attention weights.
fn answer_object(
    line: usize,
    view: &TranslationView,
    details: &[SiteDetails],
    answered: &Answered,
) -> Value {
    let best = answered.answers.first();
    let passage = best.and_then(|it| answered.probabilities.get(it.span.passage));
    let column = |at: usize| -> Vec<f32> {
        passage.map_or(Vec::new(), |it| it.iter().map(|both| both[at]).collect())
    };
    json!({
        "line": line,
        "question": view.source,
        "passage": view.target,
        "text": view.text,
        "probability": best.map(|it| it.probability),
        "start": column(0),
        "end": column(1),
        "sites": sites(view, details),
    })
}

/// Returns all weights of every site, with the details of the site's mechanism.
fn sites(picture: &TranslationView, details: &[SiteDetails]) -> Vec<Value> {
    let site = |(site, details): (&SiteView, &SiteDetails)| {
        let (rows, columns) = heat_map::labels(picture, site);
        let size = (site.rows * site.columns).max(1);
        let matrices = site.weights.chunks(size).map(|matrix| {
            let rows = matrix.chunks(site.columns.max(1));
            rows.map(<[f32]>::to_vec).collect::<Vec<_>>()
        });
        let matrices: Vec<Vec<Vec<f32>>> = matrices.collect();
        let levels = site
            .level_numbers
            .iter()
            .zip(matrices.chunks(site.heads.max(1)));
        let levels: Vec<Value> = levels
            .map(|(level, heads)| json!({ "level": level, "heads": heads }))
            .collect();
        let mut object =
            json!({ "site": site.site, "rows": rows, "columns": columns, "levels": levels });
        if !site.positions.is_empty() {
            // For each head, the position that each row predicts.
            let heads: Vec<&[f32]> = site.positions.chunks(site.rows.max(1)).collect();
            object["positions"] = json!(heads);
        }
        if let (Some(object), Value::Object(details)) = (object.as_object_mut(), json!(details)) {
            object.extend(details);
        }
        object
    };
    picture.sites.iter().zip(details).map(site).collect()
}

fn unwritten(path: &Path, reason: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        what: "attention",
        reason,
        advice: "name another file, or make room".to_owned(),
    }
}
