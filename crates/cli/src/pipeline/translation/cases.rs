//! Translates sentences of the command line beside the measured sentences: `strata eval --case`.

use serde_json::{Value as Json, json};
use strata_training::{Encoded, Inference, Translation};

use crate::base::error::Error;
use crate::display::format::shortened;
use crate::pipeline::evaluation::EvalRequest;
use crate::pipeline::generation::decoding::translate_all;

/// A sentence and the translations of the sentence.
pub struct Case {
    source: String,
    /// Words of the sentence that the model does not know.
    unknown: Vec<String>,
    /// Translations that the search returned, the best first.
    translations: Vec<Translation>,
}

/// Translates each sentence of `--case`, read as `strata translate` reads a sentence.
///
/// # Errors
/// If a sentence is empty or too long, or the device fails.
pub fn translate(inference: &Inference, request: &EvalRequest<'_>) -> Result<Vec<Case>, Error> {
    let texts = &request.arguments.cases;
    let encode = |text: &String| {
        inference
            .tokenizer()
            .encode(text)
            .map_err(|error| Error::Session(format!("`--case {:?}`: {error}", shortened(text))))
    };
    let sources = texts
        .iter()
        .map(encode)
        .collect::<Result<Vec<Encoded>, _>>()?;
    let numbers: Vec<u64> = (0..sources.len() as u64).collect();
    let (search, bounds) = (&request.search, &request.bounds);
    let found = translate_all(inference, &sources, &numbers, search, bounds)?;
    let cases = texts.iter().zip(sources).zip(found);
    let cases = cases.map(|((text, source), translations)| Case {
        source: text.clone(),
        unknown: source.unknown,
        translations,
    });
    Ok(cases.collect())
}

impl Case {
    /// Returns sentence and translations as an object.
    pub fn json(&self) -> Json {
        let translation =
            |it: &Translation| json!({ "text": it.text, "log_probability": it.score });
        let translations: Vec<Json> = self.translations.iter().map(translation).collect();
        json!({
            "source": self.source,
            "unknown_tokens": self.unknown,
            "translations": translations,
        })
    }

    /// Writes the sentence on a line, and on further lines a log-probability and a translation each.
    pub fn lines(&self) -> Vec<String> {
        let unknown = match self.unknown.as_slice() {
            [] => String::new(),
            words => format!(" (unknown to the model: {})", words.join(", ")),
        };
        let mut lines = vec![format!("{}{unknown}", self.source)];
        let translations = self.translations.iter();
        lines.extend(translations.map(|it| format!("  {:.2}  {}", it.score, it.text)));
        lines
    }
}
