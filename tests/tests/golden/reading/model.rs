//! Whole readers.

use burn::tensor::Tensor;
use serde_json::{Value, json};
use strata_attention::Site;
use strata_models::reader::{Reader, SpanHead, WordLayerConfig};
use strata_models::{Model, ModelConfig, Recurrent, SpanBatch, Vocabularies};

use super::pointer::{fill_pointer, targets};
use super::words::{fill_words, read_text, tokens, word_config};
use super::{fill_flow, fill_matching, fill_self_matching, levels, matching_hidden};
use crate::attention::configured;
use crate::case::{Case, Outputs, number, text};
use crate::recurrent::cell;

/// Computes a whole reader.
pub fn reader(case: &Case) -> Outputs {
    let (model, words) = built(case);
    let Model::Reader(mut reader) = model else {
        panic!("{}: no reader was built", case.name)
    };
    fill_reader(&mut reader, case);
    let each = case.number("passages");
    let read = |name: &str| {
        let spelling = format!("input.{name}_characters");
        let spelling = words.characters.is_some().then(|| case.ids(&spelling));
        read_text(tokens(case.ids(&format!("input.{name}"))), spelling)
    };
    let batch = SpanBatch {
        passages: read("passage"),
        questions: read("question"),
        each,
        targets: targets(case),
    };
    let output = reader.forward(&batch, &case.device);
    let padding = batch.passages.words.padding();
    let mut outputs = Outputs::default().with("loss", batch.loss(&output, &case.device), None);
    let [start, end] = output.log_probabilities.map(Tensor::exp);
    outputs = outputs.with("start", start, None).with("end", end, None);
    for site in output.attention {
        let weights = site.weights.last();
        let rows = |axis| Some((axis, padding.clone()));
        outputs = match site.site.place {
            Site::ContextToQuery => {
                let weights = weights.squeeze_dim::<3>(1);
                outputs.with("weights.context_to_query", weights, rows(1))
            }
            Site::QueryToContext => {
                let weights = weights.squeeze_dims::<2>(&[1, 2]);
                outputs.with("weights.query_to_context", weights, None)
            }
            Site::Matching => outputs.with("weights.matching", weights, rows(2)),
            Site::SelfMatching => {
                let weights = weights.squeeze_dim::<3>(1);
                outputs.with("weights.self_matching", weights, rows(1))
            }
            other => panic!("a reader has no {other:?}"),
        };
    }
    outputs
}

/// Returns a model of the file's sizes, with its own initial parameters, and its word layer.
fn built(case: &Case) -> (Model, WordLayerConfig) {
    let config = &case.config;
    let embedding = &config["embedding"];
    let words = word_config(
        case,
        text(embedding, "characters"),
        number(embedding, "highway"),
        "embedding.",
    );
    let encoder = &config["encoder"];
    let shared = encoder["shared"].as_bool().unwrap();
    let bidirectional = encoder["bidirectional"].as_bool().unwrap();
    let architecture = case.text("architecture");
    let hidden = match architecture {
        "bidaf" => case.dims("param.modelling.0.forward.w_hh")[0],
        _ => matching_hidden(case, "matching."),
    };
    let mut model = json!({
        "architecture": architecture,
        "embedding": words.embedding,
        "cell": encoder["cell"],
        "hidden": hidden,
        "layers": encoder["layers"],
        "encoder_shared": shared,
        "modelling": config["modelling"]["layers"],
        "dropout": 0.0,
    });
    let mut set = |name: &str, value: Value| model[name] = value;
    let characters = |set: &mut dyn FnMut(&str, Value)| {
        set("characters", embedding["characters"].clone());
        if let Some((layer, _)) = words.characters {
            set("character_embedding", layer.embedding.into());
            set("character_filters", layer.filters.into());
            set("character_kernel", layer.kernel.unwrap_or(1).into());
        }
    };
    let plain = |mechanism| serde_json::to_value(mechanism).unwrap();
    let pointer = &config["pointer"];
    let points = |set: &mut dyn FnMut(&str, Value)| {
        set("pooled", (text(pointer, "initial") == "pooled").into());
        set(
            "both_directions",
            (number(pointer, "directions") == 2).into(),
        );
    };
    match architecture {
        "bidaf" => {
            characters(&mut set);
            set("highway", words.highway.into());
            set("output", config["output"].clone());
            if config["output"] == "pointer" {
                points(&mut set);
            }
            for site in ["context_to_query", "query_to_context"] {
                let flow = &config["flow"];
                set(site, plain(levels(&flow[site], text(flow, "score"))));
            }
        }
        "match_lstm" => {
            points(&mut set);
            set("bidirectional", bidirectional.into());
            for key in ["input", "sharing"] {
                set(key, config["matching"][key].clone());
            }
            set("question", plain(levels(&config["matching"], "additive")));
        }
        "rnet" => {
            characters(&mut set);
            set("question", plain(levels(&config["matching"], "additive")));
            let own = &config["self_matching"];
            let mechanism = match number(own, "depth") {
                1 => configured("vanilla", own).0,
                _ => configured("ham_s", own).0,
            };
            set("self_matching", plain(mechanism));
        }
        other => panic!("unknown architecture {other:?}"),
    }
    let model: ModelConfig = serde_json::from_value(model).unwrap();
    let vocabularies = Vocabularies {
        source: words.vocabulary,
        target: words.characters.map_or(1, |(_, size)| size),
    };
    let built = model.init(vocabularies, 0, &case.device).unwrap();
    (built, words)
}

fn fill_layers(layers: &mut [Recurrent], case: &Case, prefix: &str) {
    for (at, layer) in layers.iter_mut().enumerate() {
        let places = match layer.directions.len() {
            1 => vec![""],
            _ => vec!["forward.", "backward."],
        };
        let cells = places
            .iter()
            .map(|it| cell(case, &format!("{prefix}.{at}.{it}")));
        layer.directions = cells.collect();
    }
}

fn fill_reader(reader: &mut Reader, case: &Case) {
    let encoder = reader.encoder_mut();
    fill_words(&mut encoder.words, case, "embedding.");
    match encoder.question.is_empty() {
        true => fill_layers(&mut encoder.passage, case, "encoder"),
        false => {
            fill_layers(&mut encoder.passage, case, "passage_encoder");
            fill_layers(&mut encoder.question, case, "question_encoder");
        }
    }
    match reader {
        Reader::Bidaf(model) => {
            fill_flow(&mut model.flow, case, "flow.");
            fill_layers(&mut model.modelling, case, "modelling");
            fill_head(&mut model.head, case);
        }
        Reader::MatchLstm(model) => {
            fill_matching(&mut model.matching, case, "matching.");
            fill_layers(&mut model.modelling, case, "modelling");
            fill_head(&mut model.head, case);
        }
        Reader::Rnet(model) => {
            fill_matching(&mut model.matching, case, "matching.");
            fill_self_matching(&mut model.self_matching, case, "self_matching.");
            fill_layers(&mut model.modelling, case, "modelling");
            fill_head(&mut model.head, case);
        }
    }
}

fn fill_head(head: &mut SpanHead, case: &Case) {
    match head {
        SpanHead::Linear(head) => {
            head.start = case.param("output.start.w");
            head.end = case.param("output.end.w");
            let directions = ["forward.", "backward."];
            let cells = directions.map(|it| cell(case, &format!("end_encoder.{it}")));
            head.end_encoder.directions = cells.into();
        }
        SpanHead::Pointer(pointer) => fill_pointer(pointer, case, "pointer."),
    }
}
