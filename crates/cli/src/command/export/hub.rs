//! A folder that Hugging Face's `transformers` opens: parameters, settings, and the code of model and
//! tokenizer.

use serde_json::{Map, Value as Json, json};
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_text::special::{BOS, EOS, PAD};

use super::architecture::{self, Kind};
use super::{program, readers};
use crate::base::error::Error;

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/", $name, ".py"))
    };
}

/// Prefix of all parameters: `model` is the attribute of the wrapper for `transformers`.
pub const PREFIX: &str = "model.";

/// Returns the files of the folder without parameters and card. `contents` is the description in
/// the checkpoint.
///
/// # Errors
/// If no program is written for the model, or the written tokenizer does not know the task's level
/// of tokens.
pub fn files(
    model: &ModelConfig,
    task: &TaskConfig,
    contents: &Json,
    vocabularies: &Json,
) -> Result<Vec<(&'static str, String)>, Error> {
    let kind = Kind::of(model);
    let (tokenization, settings) = match kind {
        Kind::Spans => {
            let reading = readers::reading(&contents["reading"]);
            check_reading(&reading)?;
            (
                piece!("tokenization_reader"),
                reader_tokenizer(model, reading),
            )
        }
        Kind::Pairs | Kind::Text | Kind::Places | Kind::Lines => {
            let cutting = program::cutting(task, kind);
            check_levels(&cutting)?;
            (
                piece!("tokenization_strata"),
                tokenizer(kind, task, cutting),
            )
        }
    };
    let tokenization = [tokenization, piece!("marks_apart"), piece!("copied")].join("\n\n");
    let text = |value: &Json| format!("{value:#}\n");
    Ok(vec![
        ("config.json", text(&config(model, contents, vocabularies))),
        ("generation_config.json", text(&generation(kind))),
        ("modeling_strata.py", modelling(model)),
        (
            "configuration_strata.py",
            piece!("configuration_strata").to_owned(),
        ),
        ("tokenization_strata.py", tokenization),
        ("tokenizer_config.json", text(&settings)),
        (
            "vocabularies.json",
            format!("{}\n", with_subwords(vocabularies, contents)),
        ),
    ])
}

/// Refuses ways of cutting texts that need programs or files which the folder does not have.
fn check_levels(cutting: &Map<String, Json>) -> Result<(), Error> {
    for side in ["source", "target"] {
        let level = cutting["levels"][side].as_str().unwrap_or_default();
        if matches!(level, "jieba" | "sentencepiece") {
            return Err(Error::Session(format!(
                "the {side} is cut into tokens by {level}, which the tokenizer of `--to hub` does \
                 not do; `--to pytorch` writes a program that reads tokens"
            )));
        }
    }
    Ok(())
}

/// Refuses ways of cutting questions and passages that need programs which the folder does not have.
fn check_reading(reading: &Json) -> Result<(), Error> {
    let level = reading["level"].as_str().unwrap_or_default();
    if matches!(level, "jieba" | "segmented") {
        return Err(Error::Session(format!(
            "questions and passages are cut into tokens at the level `{level}`, which the tokenizer \
             of `--to hub` does not do; `--to pytorch` writes a program that reads tokens"
        )));
    }
    Ok(())
}

fn config(model: &ModelConfig, contents: &Json, vocabularies: &Json) -> Json {
    let kind = Kind::of(model);
    let class = "modeling_strata.StrataModel";
    let side = if kind == Kind::Spans {
        "source"
    } else {
        "target"
    };
    let mut settings = json!({
        "architectures": ["StrataModel"],
        "auto_map": {
            "AutoConfig": "configuration_strata.StrataConfig",
            "AutoModel": class,
            auto_class(kind): class,
        },
        "model_type": "strata",
        "settings": program::config(model, vocabularies),
        "longest_target": contents["longest"][1],
        "longest_answer": contents["reading"]["longest_answer"],
        "vocab_size": vocabularies[side].as_array().map_or(0, Vec::len),
        "is_encoder_decoder": matches!(kind, Kind::Pairs | Kind::Lines),
        "tie_word_embeddings": architecture::tied_to(model).is_some(),
        "dtype": "float32",
    });
    if kind != Kind::Spans {
        settings
            .as_object_mut()
            .map(|it| it.remove("longest_answer"));
    }
    for (name, value) in tokens(kind) {
        settings[name] = value;
    }
    settings
}

/// Returns the class of `transformers` that opens the model, beside `AutoModel`.
pub fn auto_class(kind: Kind) -> &'static str {
    match kind {
        Kind::Pairs | Kind::Lines => "AutoModelForSeq2SeqLM",
        Kind::Text => "AutoModelForCausalLM",
        Kind::Places => "AutoModelForTokenClassification",
        Kind::Spans => "AutoModelForQuestionAnswering",
    }
}

/// Returns the special tokens, by the names of `transformers`.
fn tokens(kind: Kind) -> Vec<(&'static str, Json)> {
    let mut tokens = vec![
        ("pad_token_id", PAD.into()),
        ("bos_token_id", BOS.into()),
        ("eos_token_id", EOS.into()),
    ];
    if matches!(kind, Kind::Pairs | Kind::Lines) {
        tokens.push(("decoder_start_token_id", BOS.into()));
    }
    tokens
}

/// Returns the settings of `generate`: greedy search, or the beam of `strata poem`. The cache is the
/// model's own, not one of `transformers`.
fn generation(kind: Kind) -> Json {
    let beam = if kind == Kind::Lines { 10 } else { 1 };
    let mut settings = json!({"use_cache": false, "do_sample": false, "num_beams": beam});
    for (name, value) in tokens(kind) {
        settings[name] = value;
    }
    settings
}

/// Writes `modeling_strata.py`: the program of the model in the wrapper of `transformers`.
fn modelling(model: &ModelConfig) -> String {
    let (output, wrapper) = match Kind::of(model) {
        Kind::Pairs => ("Seq2SeqLMOutput", piece!("hub_pairs")),
        Kind::Text => ("CausalLMOutput", piece!("hub_text")),
        Kind::Places => ("TokenClassifierOutput", piece!("hub_places")),
        Kind::Spans => ("QuestionAnsweringModelOutput", piece!("hub_spans")),
        Kind::Lines => ("Seq2SeqLMOutput", piece!("hub_lines")),
    };
    let tied = match architecture::tied_to(model) {
        Some(embedding) => json!({"model.output.weight": format!("{PREFIX}{embedding}")}),
        None => json!({}),
    };
    let letters = if model.is_reader() {
        readers::LETTERS
    } else {
        program::LETTERS
    };
    let introduction = format!(
        "\"\"\"A model of Strata for `transformers`, written by `strata export --to hub`.\n\n\
         {letters}\n\"\"\"\n"
    );
    let mut pieces = vec![piece!("hub_begin").replace("OUTPUT", output)];
    pieces.extend(program::definitions(model));
    pieces.push(piece!("hub_model").replace("TIED", &tied.to_string()));
    pieces.push(wrapper.to_owned());
    program::joined(&introduction, &pieces)
}

fn tokenizer(kind: Kind, task: &TaskConfig, cutting: Map<String, Json>) -> Json {
    let kind = match kind {
        Kind::Pairs => "pairs",
        Kind::Text => "text",
        Kind::Places => "places",
        Kind::Spans => "spans",
        Kind::Lines => "lines",
    };
    let mut settings = json!({
        "tokenizer_class": "StrataTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_strata.StrataTokenizer", null]},
        "kind": kind,
        "task": task.name(),
        "padding_side": "right",
    });
    for (name, value) in cutting {
        settings[name] = value;
    }
    settings
}

fn reader_tokenizer(model: &ModelConfig, reading: Json) -> Json {
    json!({
        "tokenizer_class": "StrataTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_strata.StrataTokenizer", null]},
        "reading": reading,
        "reads_characters": model.reads_characters(),
    })
}

/// Returns the vocabularies, with the models that cut words into their pieces.
fn with_subwords(vocabularies: &Json, contents: &Json) -> Json {
    let mut all = vocabularies.clone();
    for name in ["source_subwords", "target_subwords"] {
        if !contents[name].is_null() {
            all[name] = contents[name].clone();
        }
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_tokenizer_that_needs_other_programs_is_refused() {
        let cut_by = |level| {
            let levels = json!({"source": "word", "target": level});
            check_levels(&Map::from_iter([("levels".to_owned(), levels)]))
        };
        for level in ["word", "punctuation", "character", "bpe", "unigram"] {
            assert!(cut_by(level).is_ok(), "{level}");
        }
        for level in ["jieba", "sentencepiece"] {
            let refusal = cut_by(level).unwrap_err().to_string();
            assert!(refusal.contains(level) && refusal.contains("target"));
        }
    }

    /// The name that is tied to the output is that of a parameter of the program.
    #[test]
    fn what_is_tied_has_a_name_in_the_program() {
        let vocabularies = json!({"source": ["a"], "target": ["a"]});
        let mut tied = 0;
        for model in ModelConfig::all() {
            let mut settings = serde_json::to_value(&model).unwrap();
            if settings.get("tied").is_none() {
                continue;
            }
            settings["tied"] = json!(true);
            let model: ModelConfig = serde_json::from_value(settings).unwrap();
            let embedding = architecture::tied_to(&model).unwrap();
            let table = embedding.split('.').next().unwrap();
            let text = modelling(&model);
            assert!(text.contains(&format!("self.{table} = ")), "{embedding}");
            assert!(text.contains(&format!("\"{PREFIX}{embedding}\"")));
            let config = config(&model, &json!({"longest": [3, 4]}), &vocabularies);
            assert_eq!(config["tie_word_embeddings"], true);
            tied += 1;
        }
        assert!(tied >= 4, "{tied}");
    }
}
