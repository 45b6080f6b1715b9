//! `model.py`: a model in plain PyTorch, put together from the pieces that it needs.

use serde_json::{Map, Value as Json, json};
use strata_attention::{MechanismConfig, Recursion};
use strata_models::ModelConfig;

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../export/", $name, ".py"))
    };
}

/// The program for a model with these vocabularies.
pub fn text(model: &ModelConfig, vocabularies: &Json) -> String {
    let config = config(model, vocabularies);
    let (mechanisms, scores) = attention(model);
    let mut pieces = vec![
        introduction(model),
        piece!("begin").to_owned() + &format!("CONFIG = {}\n", literal(&config, 0)),
    ];
    if !mechanisms.is_empty() {
        let of_score = |kind: &String| match kind.as_str() {
            "additive" => piece!("additive"),
            "bilinear" => piece!("bilinear"),
            _ => piece!("dot"),
        };
        let mut parts: Vec<&str> = scores.iter().map(of_score).collect();
        parts.sort_unstable();
        parts.dedup();
        pieces.extend(parts.into_iter().map(str::to_owned));
        if !scores.is_empty() {
            pieces.push(score(&scores));
        }
        let mut classes = Vec::new();
        for kind in &mechanisms {
            let (class, part) = class(kind);
            classes.push(format!("\"{kind}\": {class}"));
            if !pieces.iter().any(|it| it == part) {
                pieces.push(part.to_owned());
            }
        }
        let kinds = format!("{{{}}}", classes.join(", "));
        pieces.push(piece!("mechanism").replace("KINDS", &kinds));
    }
    if matches!(
        model,
        ModelConfig::Transformer(_) | ModelConfig::TransformerLm(_)
    ) {
        pieces.extend([piece!("multi_head"), piece!("layer")].map(str::to_owned));
    }
    let (architecture, end) = match model {
        ModelConfig::Transformer(_) => (piece!("transformer"), piece!("end_pairs")),
        ModelConfig::Seq2Seq(_) => (piece!("seq2seq"), piece!("end_pairs")),
        ModelConfig::TransformerLm(_) => (piece!("transformer_lm"), piece!("end_text")),
        ModelConfig::RecurrentLm(_) => (piece!("recurrent_lm"), piece!("end_text")),
        ModelConfig::Bidaf(_)
        | ModelConfig::MatchLstm(_)
        | ModelConfig::Rnet(_)
        | ModelConfig::Rnnpg(_) => {
            unreachable!("they are refused")
        }
    };
    let end = [architecture, piece!("end"), piece!("tell"), end].map(str::to_owned);
    pieces.extend(end);
    pieces.push("if __name__ == \"__main__\":\n    main()\n".to_owned());
    // Two empty lines between definitions, one after the introduction.
    let (introduction, rest) = pieces.split_first().expect("there is an introduction");
    let text = format!("{introduction}\n{}", rest.join("\n\n"));
    match text.contains("math.") {
        true => text,
        false => text.replace("import math\n", ""),
    }
}

fn introduction(model: &ModelConfig) -> String {
    let typed = match model.is_language_model() {
        true => "\"TEXT\"",
        false => "\"SOURCE\" \"TARGET\"",
    };
    format!(
        "\"\"\"A model of Strata in plain PyTorch, written by `strata export --to pytorch`.\n\n    \
         pip install torch safetensors\n    python model.py {typed}\n\n`load()` gives the model; \
         its parameters are a `state_dict` in model.safetensors, its tokens stand in\n\
         vocabularies.json. B: batch, T: target, S: source, D: width, H: heads, V: \
         vocabulary.\n\"\"\"\n"
    )
}

/// Settings of the model, with the sizes of its vocabularies.
fn config(model: &ModelConfig, vocabularies: &Json) -> Json {
    let settings = serde_json::to_value(model).expect("settings are plain data");
    let Json::Object(mut config) = settings else {
        return settings;
    };
    // What decides how it is trained, and nothing that is computed with it.
    config.remove("dropout");
    config.remove("initial_bound");
    for site in model.sites() {
        config.insert(site.name.to_owned(), mechanism(site.mechanism));
    }
    for side in ["source", "target"] {
        let size = vocabularies[side].as_array().map_or(0, Vec::len);
        config.insert(format!("{side}_vocabulary"), size.into());
    }
    Json::Object(config)
}

/// Settings of a mechanism; the recursion of queries, keys and values is Ham-S with the last level
/// alone.
fn mechanism(config: MechanismConfig) -> Json {
    match config {
        MechanismConfig::Multilevel(config) if config.recursion == Recursion::QueryKeyValue => {
            json!({"kind": "ham_s", "score": config.score, "depth": config.levels, "mix": "last"})
        }
        config => serde_json::to_value(config).expect("settings are plain data"),
    }
}

/// Kinds of mechanisms of a model, and of their score functions, each once.
fn attention(model: &ModelConfig) -> (Vec<String>, Vec<String>) {
    let (mut kinds, mut scores) = (Vec::new(), Vec::new());
    if matches!(model, ModelConfig::Seq2Seq(config) if !config.attend) {
        return (kinds, scores);
    }
    for site in model.sites() {
        let config = mechanism(site.mechanism);
        for (key, all) in [("kind", &mut kinds), ("score", &mut scores)] {
            if let Some(name) = config[key].as_str()
                && !all.iter().any(|it| it == name)
            {
                all.push(name.to_owned());
            }
        }
    }
    (kinds, scores)
}

/// Class of a mechanism, and the piece that defines it.
fn class(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "multilevel" => ("Multilevel", piece!("multilevel")),
        "ham_v" | "ham_s" => ("Ham", piece!("ham")),
        "linear" => ("LinearAttention", piece!("linear")),
        _ => ("Vanilla", piece!("vanilla")),
    }
}

/// `build_score` for the score functions that there are.
fn score(kinds: &[String]) -> String {
    let has = |name: &str| kinds.iter().any(|it| it == name);
    let mut text = piece!("score").to_owned();
    let branches = [
        ("additive", "AdditiveScore(query_width, key_width)"),
        ("bilinear", "BilinearScore(query_width, key_width)"),
    ];
    for (name, built) in branches {
        if !has(name) {
            let branch = format!("    if kind == \"{name}\":\n        return {built}\n");
            text = text.replace(&branch, "");
        }
    }
    if !has("dot") && !has("scaled_dot") {
        text = text.replace(
            "    return DotScore(kind == \"scaled_dot\")\n",
            "    raise ValueError(kind)\n",
        );
    }
    text
}

/// A value as Python writes it.
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
        // Python reads texts and numbers of JSON.
        other => other.to_string(),
    }
}

fn table(entries: &Map<String, Json>, indent: usize) -> String {
    let written =
        |(key, value): (&String, &Json)| format!("\"{key}\": {}", literal(value, indent + 1));
    let written: Vec<String> = entries.iter().map(written).collect();
    // What stands inside is short.
    if indent > 0 {
        return format!("{{{}}}", written.join(", "));
    }
    let lines: String = written.iter().map(|it| format!("    {it},\n")).collect();
    format!("{{\n{lines}}}")
}
