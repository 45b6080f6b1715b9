//! Writes poems about texts of the command line beside the measured poems: `strata eval --poems
//! --case`.

use pollster::block_on;
use serde_json::{Value as Json, json};
use strata_models::Search;
use strata_poems::Keyword;
use strata_session::Composer;
use strata_session::protocol::PoemRequest;
use strata_training::{Distinct, Inference, PoemLine};

use super::print::{joined, score};
use crate::base::error::Error;
use crate::display::format::shortened;

/// A text and the poems about the text.
pub struct Case {
    text: String,
    poems: Vec<Written>,
}

/// A poem and its keywords.
struct Written {
    keywords: Vec<Keyword>,
    lines: Vec<PoemLine>,
}

/// Writes poems of these lengths about each of the texts, as `strata poem` writes a poem. A model
/// that reads no keywords writes none.
///
/// # Errors
/// If a text has no Chinese character, or the device fails.
pub fn write(
    composer: &Composer<'_>,
    inference: &Inference,
    texts: &[String],
    lengths: &[usize],
    (search, distinct): (Search, Distinct),
) -> Result<Vec<Case>, Error> {
    let poem = |text: &str, length: usize| -> Result<Option<Written>, Error> {
        let request = PoemRequest {
            text: text.to_owned(),
            length,
            search,
            distinct,
            ..PoemRequest::default()
        };
        let keywords = composer.plan(&request, None)?;
        let prompt = composer.prompt(&request, &keywords)?;
        let poems = block_on(inference.write_poems(&prompt, 1))?;
        let lines = poems.and_then(|poems| poems.into_iter().next());
        Ok(lines.map(|lines| Written { keywords, lines }))
    };
    let lengths = if composer.reads_keywords() {
        lengths
    } else {
        &[]
    };
    let case = |text: &String| {
        let poems = lengths.iter().map(|&length| poem(text, length));
        let poems: Result<Vec<_>, Error> = poems.collect();
        let poems = poems.map_err(|error| match error {
            Error::Poetry(fault) => {
                Error::Poetry(format!("`--case {:?}`: {fault}", shortened(text)))
            }
            error => error,
        });
        Ok(Case {
            text: text.clone(),
            poems: poems?.into_iter().flatten().collect(),
        })
    };
    texts.iter().map(case).collect()
}

impl Case {
    /// Returns text and poems as an object of the form of a translated case.
    pub fn json(&self) -> Json {
        let poem = |poem: &Written| {
            json!({
                "text": joined(&poem.lines),
                "log_probability": score(&poem.lines),
                "keywords": poem.keywords,
            })
        };
        let poems: Vec<Json> = self.poems.iter().map(poem).collect();
        json!({ "source": self.text, "translations": poems })
    }

    /// Writes the text on a line, and on further lines keywords and a poem each.
    pub fn lines(&self) -> Vec<String> {
        let remark = match self.poems.as_slice() {
            [] => ": this model reads no keywords, and writes about no text",
            _ => "",
        };
        let poem = |poem: &Written| {
            let keywords: Vec<String> =
                poem.keywords.iter().map(|it| it.word.to_string()).collect();
            format!(
                "  {:.2}  {} ({})",
                score(&poem.lines),
                joined(&poem.lines),
                keywords.join(", ")
            )
        };
        let first = format!("{}{remark}", self.text);
        std::iter::once(first)
            .chain(self.poems.iter().map(poem))
            .collect()
    }
}
