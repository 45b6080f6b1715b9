//! `model.py`: a model in plain PyTorch, put together from the pieces that the model needs.

use serde_json::{Map, Value as Json, json};
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_text::Normalize;

use super::architecture::{self, Kind};
use super::{mechanisms, readers};

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/", $name, ".py"))
    };
}

/// Letters of the program's shapes.
pub const LETTERS: &str = "B: batch, T: target, S: source, D: width, H: heads, V: vocabulary.";

/// Writes the program that computes a model with `vocabularies`. `reading` says how a reader cuts
/// texts.
pub fn text(model: &ModelConfig, vocabularies: &Json, task: &TaskConfig, reading: &Json) -> String {
    let kind = Kind::of(model);
    let config = config(model, vocabularies);
    let cut = match kind {
        Kind::Spans => format!(
            "# What cuts texts into tokens, and the most tokens and passages.\nREADING = {}\n",
            literal(&readers::reading(reading), 1)
        ),
        Kind::Pairs | Kind::Text | Kind::Places | Kind::Lines => tokens(task, kind),
    };
    let settings = format!("CONFIG = {}\n{cut}", literal(&config, 0));
    let mut pieces = vec![piece!("begin").to_owned() + &settings];
    pieces.extend(definitions(model));
    pieces.extend(kind.ends().iter().map(|&it| it.to_owned()));
    if kind == Kind::Spans {
        pieces.extend(readers::end(model));
    }
    pieces.push("if __name__ == \"__main__\":\n    main()\n".to_owned());
    joined(&introduction(model, task), &pieces)
}

/// Joins the pieces of a program, with two empty lines between definitions but one after the
/// introduction.
pub fn joined(introduction: &str, pieces: &[String]) -> String {
    let mut text = format!("{introduction}\n{}", pieces.join("\n\n"));
    for (module, import) in [
        ("math", "import math\n"),
        ("unicodedata", "import unicodedata\n"),
        ("regex", "\nimport regex\n"),
    ] {
        if !text.contains(&format!("{module}.")) {
            let end = if import.starts_with('\n') { "\n" } else { "" };
            text = text.replace(import, end);
        }
    }
    text
}

/// Returns the pieces that define the model: the class `Model` and all classes that `Model` uses.
pub fn definitions(model: &ModelConfig) -> Vec<String> {
    let mut pieces = mechanisms::definitions(model);
    let goes_step_by_step =
        model.relative_positions().is_some() || matches!(model, ModelConfig::Seq2Seq(_));
    // Mechanisms that read their own earlier rows do so in a reader, too.
    if goes_step_by_step || pieces.iter().any(|it| it.contains("grow(")) {
        pieces.insert(0, piece!("past").to_owned());
    }
    if let Some(positions) = model.relative_positions() {
        pieces.extend(architecture::multi_head(
            positions,
            mechanisms::has_pyramid(model),
        ));
        pieces.push(piece!("layer").to_owned());
    }
    if architecture::adds_positions(model) {
        pieces.push(piece!("embedding").to_owned());
    }
    pieces.extend(architecture::model_piece(model).map(str::to_owned));
    let of_reader = readers::definitions(model, &pieces);
    pieces.extend(of_reader);
    pieces
}

fn introduction(model: &ModelConfig, task: &TaskConfig) -> String {
    let arguments = architecture::arguments(model, task);
    let quoted: Vec<String> = arguments.iter().map(|name| format!("\"{name}\"")).collect();
    let typed = quoted.join(" ");
    let (packages, letters) = if model.reads_characters() {
        (" regex", readers::LETTERS)
    } else if model.is_reader() {
        ("", readers::LETTERS)
    } else {
        ("", LETTERS)
    };
    format!(
        "\"\"\"A model of Strata in plain PyTorch, written by `strata export --to pytorch`.\n\n    \
         pip install torch safetensors{packages}\n    python model.py {typed}\n\n`load()` gives the \
         model; its parameters are a `state_dict` in model.safetensors, its tokens stand in\n\
         vocabularies.json. {letters}\n\"\"\"\n"
    )
}

/// Returns how texts are cut into tokens: `levels`, the units of source and target, the changes to
/// the text before, and for lines of poems whether lines are read and written from their end.
pub fn cutting(task: &TaskConfig, kind: Kind) -> Map<String, Json> {
    let form = task.text_form();
    let level = |at: usize| match task {
        _ if kind == Kind::Lines => "character",
        // The texts of these tasks are typed in a form of their own.
        TaskConfig::GermanEnglish(_)
        | TaskConfig::ChineseEnglish(_)
        | TaskConfig::Sentences(_)
        | TaskConfig::Variables(_) => task.name(),
        _ => task.levels()[at].name(),
    };
    let levels = json!({"source": level(0), "target": level(1)});
    let normalize = match form.normalize {
        Normalize::None => Json::Null,
        Normalize::Nfc => "NFC".into(),
        Normalize::Nfkc => "NFKC".into(),
    };
    let mut cutting = Map::from_iter([
        ("levels".to_owned(), levels),
        ("lowercase".to_owned(), form.lowercase.into()),
        ("normalize".to_owned(), normalize),
    ]);
    if kind == Kind::Lines {
        let backwards = matches!(task, TaskConfig::Poems(task) if task.reversed);
        cutting.insert("backwards".to_owned(), backwards.into());
    }
    cutting
}

/// Writes how texts are cut into tokens, as constants of Python.
fn tokens(task: &TaskConfig, kind: Kind) -> String {
    let cutting = cutting(task, kind);
    let lines: String = cutting
        .iter()
        .map(|(name, value)| format!("{} = {}\n", name.to_uppercase(), literal(value, 1)))
        .collect();
    format!("# What cuts texts into tokens.\n{lines}")
}

/// Returns the settings of the model, with the sizes of its vocabularies.
pub fn config(model: &ModelConfig, vocabularies: &Json) -> Json {
    let settings = serde_json::to_value(model).expect("settings are plain data");
    let Json::Object(mut config) = settings else {
        return settings;
    };
    // Settings that only decide how the model is trained are left out.
    config.remove("dropout");
    config.remove("initial_bound");
    config.remove("train_embeddings");
    for site in model.sites() {
        config.insert(site.name.to_owned(), mechanisms::settings(site.mechanism));
    }
    for side in ["source", "target"] {
        let size = vocabularies[side].as_array().map_or(0, Vec::len);
        config.insert(format!("{side}_vocabulary"), size.into());
    }
    for idle in architecture::idle_settings(model) {
        config.remove(idle);
    }
    Json::Object(config)
}

/// Writes a value as Python does.
fn literal(value: &Json, indent: usize) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Object(entries) => table(entries, indent),
        Json::Array(values) => {
            let values: Vec<String> = values.iter().map(|it| literal(it, indent)).collect();
            format!("[{}]", values.join(", "))
        }
        // Strings and numbers of JSON are valid Python.
        other => other.to_string(),
    }
}

fn table(entries: &Map<String, Json>, indent: usize) -> String {
    let written =
        |(key, value): (&String, &Json)| format!("\"{key}\": {}", literal(value, indent + 1));
    let written: Vec<String> = entries.iter().map(written).collect();
    // Values inside of others are short.
    if indent > 0 {
        return format!("{{{}}}", written.join(", "));
    }
    let lines: String = written.iter().map(|it| format!("    {it},\n")).collect();
    format!("{{\n{lines}}}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_attention::{Chain, MechanismConfig, Recursion, RelativePositions};
    use strata_models::ScoreKind;

    use super::*;

    /// Returns all models with one mechanism at all sites, for each score and each choice of how
    /// levels follow each other.
    fn models() -> Vec<ModelConfig> {
        let mut all = Vec::new();
        for config in ModelConfig::all() {
            let settings = serde_json::to_value(&config).unwrap();
            let sites: Vec<&str> = config.sites().iter().map(|site| site.name).collect();
            for mechanism in mechanisms() {
                let mut settings = settings.clone();
                for site in &sites {
                    settings[*site] = serde_json::to_value(mechanism).unwrap();
                }
                for (key, value) in [
                    ("attend", json!(false)),
                    ("input_feeding", json!(true)),
                    ("cell", json!("gru")),
                ] {
                    if settings.get(key).is_some() {
                        let mut settings = settings.clone();
                        settings[key] = value;
                        all.push(serde_json::from_value(settings).unwrap());
                    }
                }
                for (key, value) in [
                    ("characters", json!("cnn")),
                    ("characters", json!("gru")),
                    ("characters", json!("none")),
                    ("highway", json!(0)),
                    ("output", json!("pointer")),
                    ("positions", json!("rotary")),
                    ("positions", json!("alibi")),
                    ("loops", json!(3)),
                ] {
                    if settings.get(key).is_some() {
                        let mut settings = settings.clone();
                        settings[key] = value;
                        let model: ModelConfig = serde_json::from_value(settings).unwrap();
                        all.extend(model.check().is_ok().then_some(model));
                    }
                }
                all.push(serde_json::from_value(settings).unwrap());
            }
        }
        all
    }

    /// Returns all mechanisms, each with every score and with other settings one by one.
    fn mechanisms() -> Vec<MechanismConfig> {
        let mut all = Vec::new();
        for mechanism in MechanismConfig::all() {
            let settings = serde_json::to_value(mechanism).unwrap();
            if mechanism.score().is_none() {
                all.push(mechanism);
            }
            for score in ScoreKind::ALL {
                let mut settings = settings.clone();
                if settings.get("score").is_some() {
                    settings["score"] = json!(score);
                    all.push(serde_json::from_value(settings.clone()).unwrap());
                }
                for (key, value) in [
                    ("chain", json!(Chain::Causal)),
                    ("chain", json!(Chain::PaperLeaky)),
                    ("recursion", json!(Recursion::QueryKeyValue)),
                    ("mix", json!("head")),
                    ("mix", json!("last")),
                    ("mix", json!("layer")),
                    ("residual", json!(true)),
                    ("level_kind", json!("local")),
                    ("level_kind", json!("hard")),
                    ("position", json!("predictive")),
                    ("initial_shares", json!("first")),
                    ("summary", json!("rnn")),
                    ("summary", json!("act")),
                    ("beam", json!("all")),
                    ("shared", json!(true)),
                ] {
                    if settings.get(key).is_some() {
                        let mut settings = settings.clone();
                        settings[key] = value;
                        all.push(serde_json::from_value(settings).unwrap());
                    }
                }
                if mechanism.name() == "multilevel" {
                    let mut settings = settings.clone();
                    settings["mix"] = json!("token");
                    all.push(serde_json::from_value(settings).unwrap());
                }
            }
        }
        all
    }

    /// The program of a model defines each class that the program builds, and reads each setting that
    /// the program contains.
    #[test]
    fn a_program_has_all_that_its_model_needs() {
        let vocabularies = json!({"source": ["a", "b"], "target": ["c"]});
        let mut written = 0;
        for model in models() {
            written += 1;
            let text = text(&model, &vocabularies, &TaskConfig::default(), &Json::Null);
            // Self-attention tells the positions that embeddings do not carry.
            let told = model.relative_positions().unwrap_or_default();
            let is_told = |hook: &str| {
                text.contains(&format!("def {hook}(")) && text.contains(&format!("_hook({hook})"))
            };
            assert_eq!(is_told("turn"), told == RelativePositions::Rotary);
            assert_eq!(is_told("lower"), told == RelativePositions::Alibi);
            // No place for lines is left empty.
            let is_place = |line: &str| {
                let word = line.trim();
                !word.is_empty() && word.chars().all(|it| it.is_ascii_uppercase())
            };
            assert!(!text.lines().any(is_place), "{}", model.name());
            for function in ["grow", "ahead", "weigh", "read_texts"] {
                let is_called = text.contains(&format!("{function}("));
                let is_defined = text.contains(&format!("def {function}("));
                assert_eq!(is_called, is_defined, "{function} of {}", model.name());
            }
            let (mechanisms, scores) = mechanisms::of(&model);
            for score in scores {
                let built = mechanisms::built_score(score).1;
                let class = built.split('(').next().unwrap();
                assert!(
                    text.contains(&format!("class {class}(nn.Module):")),
                    "{class}"
                );
                let branch = format!("if kind == {}:\n        return {built}", json!(score));
                assert!(text.contains(&branch), "{branch}");
            }
            let Json::Object(settings) = config(&model, &vocabularies) else {
                panic!("settings are an object");
            };
            let (_, program) = text.split_once("\n}\n").unwrap();
            let attends = !mechanisms.is_empty();
            for config in mechanisms {
                let (class, _) = mechanisms::class(config);
                assert!(
                    text.contains(&format!("class {class}(nn.Module):")),
                    "{class}"
                );
                let of_mechanism = mechanisms::settings(config);
                for key in of_mechanism.as_object().unwrap().keys() {
                    assert!(
                        program.contains(&format!("config[\"{key}\"]")),
                        "{key} of {class}"
                    );
                }
            }
            for key in settings.keys() {
                let reads = ["config[\"", "config.get(\""];
                let is_read = reads
                    .iter()
                    .any(|it| program.contains(&format!("{it}{key}\"")));
                // Not read: the model's name, sites of a model without attention, and the source
                // side of a language model.
                let is_idle = key == "architecture"
                    || !attends && key == "attention"
                    || model.is_language_model() && key == "source_vocabulary";
                assert!(is_read || is_idle, "{key} of {}", model.name());
            }
        }
        assert!(written > 100, "{written}");
    }
}
