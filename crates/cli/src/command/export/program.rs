//! `model.py`: a model in plain PyTorch, put together from the pieces that the model needs.

use serde_json::{Map, Value as Json, json};
use strata_attention::{MechanismConfig, Recursion};
use strata_models::{ModelConfig, ScoreKind};
use strata_tasks::TaskConfig;
use strata_text::Normalize;

use super::architecture::{self, Kind};
use super::mechanisms;
use crate::base::error::Error;

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/", $name, ".py"))
    };
}

/// Writes the program that computes a model with `vocabularies`.
///
/// # Errors
/// If no program is written for the architecture, or for the mechanism of a site.
pub fn text(model: &ModelConfig, vocabularies: &Json, task: &TaskConfig) -> Result<String, Error> {
    let kind = kind(model)?;
    let config = config(model, vocabularies);
    let settings = format!("CONFIG = {}\n{}", literal(&config, 0), tokens(task, kind));
    let mut pieces = vec![piece!("begin").to_owned() + &settings];
    pieces.extend(definitions(model)?);
    pieces.extend(kind.ends().iter().map(|&it| it.to_owned()));
    pieces.push("if __name__ == \"__main__\":\n    main()\n".to_owned());
    Ok(joined(&introduction(model, task), &pieces))
}

/// Joins the pieces of a program, with two empty lines between definitions but one after the
/// introduction.
pub fn joined(introduction: &str, pieces: &[String]) -> String {
    let text = format!("{introduction}\n{}", pieces.join("\n\n"));
    if text.contains("math.") {
        text
    } else {
        text.replace("import math\n", "")
    }
}

/// Returns what a model reads and writes.
///
/// # Errors
/// If no program is written for the architecture.
pub fn kind(model: &ModelConfig) -> Result<Kind, Error> {
    Kind::of(model).ok_or_else(|| {
        Error::Session(format!(
            "the architecture {} is not written for PyTorch; `docs/checkpoints.md` tells what every \
             tensor of the checkpoint is",
            model.name()
        ))
    })
}

/// Returns the pieces that define the model: the class `Model` and all classes that `Model` uses.
///
/// # Errors
/// If no program is written for the architecture, or for the mechanism of a site.
pub fn definitions(model: &ModelConfig) -> Result<Vec<String>, Error> {
    kind(model)?;
    mechanisms::check(model)?;
    let (mechanisms, scores) = attention(model);
    let mut pieces = Vec::new();
    if model.relative_positions().is_some() || matches!(model, ModelConfig::Seq2Seq(_)) {
        pieces.push(piece!("past").to_owned());
    }
    if !mechanisms.is_empty() {
        let mut parts: Vec<&str> = scores.iter().map(|&kind| built_score(kind).0).collect();
        parts.sort_unstable();
        parts.dedup();
        pieces.extend(parts.into_iter().map(str::to_owned));
        if !scores.is_empty() {
            pieces.push(score(&scores));
        }
        let mut classes = Vec::new();
        for config in &mechanisms {
            let Some((class, part)) = class(*config) else {
                continue;
            };
            classes.push(format!("{}: {class}", mechanism(*config)["kind"]));
            if !pieces.iter().any(|it| it == part) {
                pieces.push(part.to_owned());
            }
        }
        let kinds = format!("{{{}}}", classes.join(", "));
        pieces.push(piece!("mechanism").replace("KINDS", &kinds));
    }
    if let Some(positions) = model.relative_positions() {
        pieces.extend(architecture::multi_head(positions));
        pieces.push(piece!("layer").to_owned());
    }
    pieces.extend(architecture::model_piece(model).map(str::to_owned));
    Ok(pieces)
}

fn introduction(model: &ModelConfig, task: &TaskConfig) -> String {
    let arguments = architecture::arguments(model, task);
    let quoted: Vec<String> = arguments.iter().map(|name| format!("\"{name}\"")).collect();
    let typed = quoted.join(" ");
    format!(
        "\"\"\"A model of Strata in plain PyTorch, written by `strata export --to pytorch`.\n\n    \
         pip install torch safetensors\n    python model.py {typed}\n\n`load()` gives the model; \
         its parameters are a `state_dict` in model.safetensors, its tokens stand in\n\
         vocabularies.json. B: batch, T: target, S: source, D: width, H: heads, V: \
         vocabulary.\n\"\"\"\n"
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
        config.insert(site.name.to_owned(), mechanism(site.mechanism));
    }
    for idle in architecture::idle_settings(model) {
        config.remove(*idle);
    }
    for side in ["source", "target"] {
        let size = vocabularies[side].as_array().map_or(0, Vec::len);
        config.insert(format!("{side}_vocabulary"), size.into());
    }
    Json::Object(config)
}

/// Returns the settings of a mechanism that the program reads. The recursion of queries, keys and
/// values is Ham-S.
fn mechanism(config: MechanismConfig) -> Json {
    let mut settings = match config {
        MechanismConfig::Multilevel(config) if config.recursion == Recursion::QueryKeyValue => {
            json!({"kind": "ham_s", "score": config.score, "depth": config.levels, "mix": config.mix})
        }
        config => serde_json::to_value(config).expect("settings are plain data"),
    };
    if let Some(settings) = settings.as_object_mut() {
        settings.remove("initial_shares");
        settings.remove("recursion");
    }
    settings
}

/// Returns the mechanisms of a model, one of each kind, and their score functions, each once.
fn attention(model: &ModelConfig) -> (Vec<MechanismConfig>, Vec<ScoreKind>) {
    let (mut mechanisms, mut scores) = (Vec::new(), Vec::new());
    if !mechanisms::attends(model) {
        return (mechanisms, scores);
    }
    let kind = |config: &MechanismConfig| mechanism(*config)["kind"].clone();
    for site in model.sites() {
        let config = site.mechanism;
        if !mechanisms.iter().any(|it| kind(it) == kind(&config)) {
            mechanisms.push(config);
        }
        scores.extend(config.score().filter(|score| !scores.contains(score)));
    }
    (mechanisms, scores)
}

/// Returns the class of a mechanism, and the piece that defines the class; `None` for a mechanism for
/// which no program is written.
pub fn class(config: MechanismConfig) -> Option<(&'static str, &'static str)> {
    Some(match config {
        MechanismConfig::Multilevel(config) if config.recursion == Recursion::QueryKeyValue => {
            ("Ham", piece!("ham"))
        }
        MechanismConfig::Multilevel(_) => ("Multilevel", piece!("multilevel")),
        MechanismConfig::HamV(_) | MechanismConfig::HamS(_) => ("Ham", piece!("ham")),
        MechanismConfig::Linear(_) => ("LinearAttention", piece!("linear")),
        MechanismConfig::Vanilla(_) => ("Vanilla", piece!("vanilla")),
        MechanismConfig::Hard(_) => ("Hard", piece!("hard")),
        MechanismConfig::Local(_) => ("Local", piece!("local")),
        MechanismConfig::Pyramid(_) => return None,
    })
}

/// Returns the piece that defines a score function, and the expression that builds one for given
/// widths of queries and keys.
fn built_score(kind: ScoreKind) -> (&'static str, &'static str) {
    match kind {
        ScoreKind::Dot => (piece!("dot"), "DotScore(False)"),
        ScoreKind::ScaledDot => (piece!("dot"), "DotScore(True)"),
        ScoreKind::Bilinear => (piece!("bilinear"), "BilinearScore(query_width, key_width)"),
        ScoreKind::Additive => (piece!("additive"), "AdditiveScore(query_width, key_width)"),
        ScoreKind::Trilinear => (piece!("trilinear"), "TrilinearScore(query_width)"),
    }
}

/// Writes `build_score` for these score functions.
fn score(kinds: &[ScoreKind]) -> String {
    let branch = |kind: &ScoreKind| {
        let name = json!(kind);
        let (_, built) = built_score(*kind);
        format!("    if kind == {name}:\n        return {built}\n")
    };
    let branches: String = kinds.iter().map(branch).collect();
    piece!("score").replace("    BRANCHES\n", &branches)
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
    use strata_attention::{Chain, RelativePositions};
    use strata_tasks::Pipeline;

    use super::*;
    use crate::pipeline;

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
                    ("position", json!("predictive")),
                    ("initial_shares", json!("first")),
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

    /// Whatever the pipeline, an architecture or mechanism without program is refused with a sentence.
    #[test]
    fn what_has_no_program_is_refused() {
        let vocabularies = json!({"source": ["a", "b"], "target": ["c"]});
        let mut refused = Vec::new();
        for model in ModelConfig::all() {
            if let Err(refusal) = text(&model, &vocabularies, &TaskConfig::default()) {
                let refusal = refusal.to_string();
                assert!(refusal.contains("is not written for PyTorch"), "{refusal}");
                refused.push(model.name());
            }
        }
        assert_eq!(refused, ["bidaf", "match_lstm", "rnet"]);
    }

    /// Either a model is refused with a sentence, or its program defines each class that it builds
    /// and reads each setting that it contains.
    #[test]
    fn a_program_has_all_that_its_model_needs() {
        let vocabularies = json!({"source": ["a", "b"], "target": ["c"]});
        let mut written = 0;
        for model in models() {
            let kind = if model.is_reader() {
                Pipeline::QuestionAnswering
            } else {
                Pipeline::Poetry
            };
            let checked = pipeline::of(kind).check_export(&model);
            if let Err(refusal) = checked.and_then(|()| mechanisms::check(&model)) {
                let refusal = refusal.to_string();
                assert!(refusal.contains("written for PyTorch"), "{refusal}");
                continue;
            }
            written += 1;
            let text = text(&model, &vocabularies, &TaskConfig::default()).unwrap();
            // Self-attention tells the positions that embeddings do not carry.
            let told = model.relative_positions().unwrap_or_default();
            let is_told = |hook: &str| {
                text.contains(&format!("def {hook}(")) && text.contains(&format!("_hook({hook})"))
            };
            assert_eq!(is_told("turn"), told == RelativePositions::Rotary);
            assert_eq!(is_told("lower"), told == RelativePositions::Alibi);
            assert!(!text.contains("POSITIONS"));
            let (mechanisms, scores) = attention(&model);
            for score in scores {
                let built = built_score(score).1;
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
                let (class, _) = class(config).unwrap();
                assert!(
                    text.contains(&format!("class {class}(nn.Module):")),
                    "{class}"
                );
                let of_mechanism = mechanism(config);
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
