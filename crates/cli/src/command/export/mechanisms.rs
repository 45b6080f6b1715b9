//! Pieces of the program that compute attention: mechanisms, scores, and the summaries of pyramids.

use serde::Serialize;
use serde_json::{Value as Json, json};
use strata_attention::{MechanismConfig, Recursion, SummaryKind};
use strata_models::{EncoderCell, ModelConfig, ScoreKind, Site};

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/", $name, ".py"))
    };
}

/// Returns the pieces that define all mechanisms of the model, and the function that builds a
/// mechanism; no piece for a model without attention.
pub fn definitions(model: &ModelConfig) -> Vec<String> {
    let (mechanisms, scores) = of(model);
    if mechanisms.is_empty() {
        return Vec::new();
    }
    let mut parts: Vec<&str> = scores.iter().map(|&kind| built_score(kind).0).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut pieces: Vec<String> = parts.into_iter().map(str::to_owned).collect();
    if !scores.is_empty() {
        pieces.push(score(&scores));
        pieces.push(piece!("weigh").to_owned());
    }
    pieces.extend(summaries(model));
    let mut classes = Vec::new();
    for config in &mechanisms {
        let (class, part) = class(*config);
        classes.push((settings(*config)["kind"].clone(), class));
        if !pieces.iter().any(|it| it == part) {
            pieces.push(part.to_owned());
        }
    }
    let kinds = format!("{{{}}}", named(classes.into_iter()));
    pieces.push(piece!("mechanism").replace("KINDS", &kinds));
    pieces
}

/// Returns the settings of a mechanism that the program reads. The recursion of queries, keys and
/// values is Ham-S.
pub fn settings(config: MechanismConfig) -> Json {
    let mut settings = match config {
        MechanismConfig::Multilevel(config) if config.recursion == Recursion::QueryKeyValue => {
            json!({"kind": "ham_s", "score": config.score, "depth": config.levels, "mix": config.mix})
        }
        config => serde_json::to_value(config).expect("settings are plain data"),
    };
    if let Some(settings) = settings.as_object_mut() {
        // Settings that only decide how the model is trained.
        for idle in ["initial_shares", "recursion", "ponder_cost"] {
            settings.remove(idle);
        }
    }
    settings
}

/// Returns the mechanisms of a model that have a class, one of each kind, and their score functions,
/// each once.
pub fn of(model: &ModelConfig) -> (Vec<MechanismConfig>, Vec<ScoreKind>) {
    let (mut mechanisms, mut scores) = (Vec::new(), Vec::new());
    let kind = |config: &MechanismConfig| settings(*config)["kind"].clone();
    for config in at_sites(model) {
        if !mechanisms.iter().any(|it| kind(it) == kind(&config)) {
            mechanisms.push(config);
        }
        scores.extend(config.score().filter(|score| !scores.contains(score)));
    }
    (mechanisms, scores)
}

/// True if an attention site of the model has a pyramid.
pub fn has_pyramid(model: &ModelConfig) -> bool {
    at_sites(model).any(|it| matches!(it, MechanismConfig::Pyramid(_)))
}

/// Iterates over the mechanisms of all sites with a class of their own; none if the model has no
/// attention, whatever the settings of sites are.
fn at_sites(model: &ModelConfig) -> impl Iterator<Item = MechanismConfig> {
    let attends = match model {
        ModelConfig::Seq2Seq(config) => config.attend,
        ModelConfig::Tagger(config) => config.cell == EncoderCell::None,
        _ => true,
    };
    let mut sites = if attends { model.sites() } else { Vec::new() };
    // A reader computes the levels of these sites itself.
    sites.retain(|site| !matches!(site.site, Site::QueryToContext | Site::Matching));
    sites.into_iter().map(|site| site.mechanism)
}

/// Returns the class of a mechanism, and the piece that defines the class.
pub fn class(config: MechanismConfig) -> (&'static str, &'static str) {
    match config {
        MechanismConfig::Multilevel(config) if config.recursion == Recursion::QueryKeyValue => {
            ("Ham", piece!("ham"))
        }
        MechanismConfig::Multilevel(_) => ("Multilevel", piece!("multilevel")),
        MechanismConfig::HamV(_) | MechanismConfig::HamS(_) => ("Ham", piece!("ham")),
        MechanismConfig::Linear(_) => ("LinearAttention", piece!("linear")),
        MechanismConfig::Vanilla(_) => ("Vanilla", piece!("vanilla")),
        MechanismConfig::Hard(_) => ("Hard", piece!("hard")),
        MechanismConfig::Local(_) => ("Local", piece!("local")),
        MechanismConfig::Pyramid(_) => ("Pyramid", piece!("pyramid")),
    }
}

/// Writes the summaries of all pyramids of the model.
fn summaries(model: &ModelConfig) -> Vec<String> {
    let mut kinds: Vec<SummaryKind> = Vec::new();
    for config in at_sites(model) {
        if let MechanismConfig::Pyramid(config) = config
            && !kinds.contains(&config.summary)
        {
            kinds.push(config.summary);
        }
    }
    if kinds.is_empty() {
        return Vec::new();
    }
    let has_blocks = kinds.iter().any(|&kind| kind != SummaryKind::Act);
    let blocks = has_blocks.then(|| piece!("pyramid_blocks").to_owned());
    let classes = kinds.iter().map(|&kind| summary(kind).1.to_owned());
    let named = named(kinds.iter().map(|&kind| (kind, summary(kind).0)));
    let table = format!("SUMMARY = {{{named}}}\n");
    blocks.into_iter().chain(classes).chain([table]).collect()
}

/// Returns the class of a summary, and the piece that defines the class.
fn summary(kind: SummaryKind) -> (&'static str, &'static str) {
    match kind {
        SummaryKind::Cnn => ("ConvolutionSummary", piece!("pyramid_cnn")),
        SummaryKind::Rnn => ("RecurrentSummary", piece!("pyramid_rnn")),
        SummaryKind::Act => ("AdaptiveSummary", piece!("pyramid_act")),
    }
}

/// Writes classes by the names of their settings, the entries of a `dict`.
fn named<K: Serialize>(classes: impl Iterator<Item = (K, &'static str)>) -> String {
    let entries = classes.map(|(kind, class)| format!("{}: {class}", json!(kind)));
    entries.collect::<Vec<_>>().join(", ")
}

/// Returns the piece that defines a score function, and the expression that builds one for given
/// widths of queries and keys.
pub fn built_score(kind: ScoreKind) -> (&'static str, &'static str) {
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
