//! Choices of pipeline, encoding and unit of tokens for the user's own data.

use super::format::DataFormat;
use crate::encoding;
use crate::page::form::fields::Select;
use crate::page::pipeline::{self, ui};
use strata_text::TokenUnit;
use yew::prelude::*;

/// Units of tokens, with their names and titles.
const UNITS: [(TokenUnit, &str, &str); 5] = [
    (TokenUnit::Word, "word", "Words, as white space parts them"),
    (
        TokenUnit::Punctuation,
        "punctuation",
        "Words and punctuation marks",
    ),
    (TokenUnit::Character, "character", "Characters"),
    (
        TokenUnit::Bpe,
        "bpe",
        "Pieces of words, by byte-pair encoding",
    ),
    (
        TokenUnit::Unigram,
        "unigram",
        "Pieces of words, by a unigram model",
    ),
];

/// Renders the choices; `change` is called with the format after a choice.
pub fn fields(format: DataFormat, change: &Callback<DataFormat>) -> Html {
    let pipelines = pipeline::ALL.map(|it| (ui(it).name().into(), ui(it).label().into()));
    let set_pipeline = change.reform(move |name: String| {
        let chosen = pipeline::ALL.into_iter().find(|it| ui(*it).name() == name);
        DataFormat {
            pipeline: chosen.unwrap_or(format.pipeline),
            ..format
        }
    });
    let mut encodings: Vec<(AttrValue, AttrValue)> = vec![("".into(), "Found by itself".into())];
    encodings.extend(
        encoding::ALL
            .iter()
            .map(|encoding| (encoding.label.into(), encoding.title.into())),
    );
    let set_encoding = change.reform(move |label: String| DataFormat {
        encoding: encoding::ALL
            .iter()
            .find(|encoding| encoding.label == label)
            .map_or("", |encoding| encoding.label),
        ..format
    });
    html! {
        <div class="fields">
            <Select id="data-form" label="What it is" options={pipelines.to_vec()} value={format.ui().name()} onchange={set_pipeline}
                help="Pairs: two files line by line, or one with two columns and a TAB between them. Questions: JSON of SQuAD, DuReader or MS MARCO." />
            <Select id="data-encoding" label="Encoding" options={encodings} value={format.encoding} onchange={set_encoding}
                help="How letters are written in the file." />
            if format.ui().has_token_unit() {
                { unit(format, change) }
            }
        </div>
    }
}

/// Renders the choice of the unit of tokens.
fn unit(format: DataFormat, change: &Callback<DataFormat>) -> Html {
    let units = UNITS.map(|(_, name, title)| (name.into(), title.into()));
    let chosen = UNITS.iter().find(|(unit, ..)| *unit == format.unit);
    let set_unit = change.reform(move |name: String| {
        let chosen = UNITS.iter().find(|(_, known, _)| *known == name);
        DataFormat {
            unit: chosen.map_or(format.unit, |(unit, ..)| *unit),
            ..format
        }
    });
    html! {
        <Select id="data-level" label="Tokens" options={units.to_vec()}
            value={chosen.map_or("word", |(_, name, _)| *name)} onchange={set_unit}
            help="How the text is cut." />
    }
}
