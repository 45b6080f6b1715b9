//! Pieces of the programs of readers, and the names of a reader's parameters.

use serde_json::{Value as Json, json};
use strata_models::{CharacterKind, ModelConfig, SpanOutputKind};

use super::state::{Layout, linear, mechanism, of_cell, score};

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/reader_", $name, ".py"))
    };
}

/// Letters of the shapes of a reader's program.
pub const LETTERS: &str = "B: batch, K: passages of a question, P: words of a passage, Q: words of a \
                           question, C: characters of\na word, D: width.";

/// Parts of a reader that are chosen by settings.
struct Reader {
    /// First line of the docs.
    summary: &'static str,
    characters: CharacterKind,
    has_highway: bool,
    /// Pieces that match a passage with the question.
    matching: &'static [&'static str],
    /// Lines that build the matching layers.
    built: &'static str,
    /// Expression that calls the matching layers.
    matched: &'static str,
    /// Expression for the width of the matched passage.
    width: &'static str,
    output: SpanOutputKind,
}

impl Reader {
    fn of(model: &ModelConfig) -> Option<Self> {
        Some(match model {
            ModelConfig::Bidaf(config) => Self {
                summary: "A reader by bidirectional attention flow (Seo et al. 2017).",
                characters: config.characters,
                has_highway: config.highway > 0,
                matching: &[piece!("flow")],
                built: "        self.flow = Flow(config, width)\n",
                matched: "self.flow(passage, hidden, asked, asked_hidden)",
                width: "4 * width",
                output: config.output,
            },
            ModelConfig::MatchLstm(_) => Self {
                summary: "A reader by match-LSTM and a pointer (Wang and Jiang 2017).",
                characters: CharacterKind::None,
                has_highway: false,
                matching: &[piece!("matching")],
                built: "        self.matching = Matching(config, width)\n",
                matched: "self.matching(passage, hidden, asked, asked_hidden)",
                width: "2 * config[\"hidden\"]",
                output: SpanOutputKind::Pointer,
            },
            ModelConfig::Rnet(config) => Self {
                summary: "A reader by gated self-matching (Wang et al. 2017).",
                characters: config.characters,
                has_highway: false,
                matching: &[piece!("matching"), piece!("self_matching")],
                built: "        self.matching = Matching(config, width)\n        \
                        self.self_matching = SelfMatching(config, width)\n",
                matched: "self.self_matching(self.matching(passage, hidden, asked, asked_hidden), \
                          hidden)",
                width: "2 * config[\"hidden\"]",
                output: SpanOutputKind::Pointer,
            },
            _ => return None,
        })
    }
}

/// Returns the pieces that define a reader, without the pieces in `defined`, which define the
/// reader's mechanisms; no piece for other models.
pub fn definitions(model: &ModelConfig, defined: &[String]) -> Vec<String> {
    let Some(reader) = Reader::of(model) else {
        return Vec::new();
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut shared = vec![include_str!("../../../export/weigh.py")];
    if reader.output == SpanOutputKind::Pointer {
        shared.push(include_str!("../../../export/additive.py"));
    }
    let is_new = |it: &&str| !defined.iter().any(|known| known == *it);
    pieces.extend(shared.into_iter().filter(is_new).map(str::to_owned));
    pieces.push(piece!("layers").to_owned());
    match reader.characters {
        CharacterKind::None => {}
        CharacterKind::Cnn => pieces.push(piece!("cnn").to_owned()),
        CharacterKind::Gru => pieces.push(piece!("gru").to_owned()),
    }
    if reader.has_highway {
        pieces.push(piece!("highway").to_owned());
    }
    pieces.push(encoder(&reader));
    pieces.push(piece!("mix").to_owned());
    pieces.extend(reader.matching.iter().map(|&it| it.to_owned()));
    let (head, built) = match reader.output {
        SpanOutputKind::Linear => (piece!("linear"), "LinearHead(config, 4 * width)"),
        SpanOutputKind::Pointer => (piece!("pointer"), "Pointer(config, width)"),
    };
    pieces.push(head.to_owned());
    let model = include_str!("../../../export/reader.py")
        .replace("SUMMARY", reader.summary)
        .replace("        MATCHES\n", reader.built)
        .replace("MATCHED", reader.width)
        .replace("HEAD", built)
        .replace("MATCH", reader.matched);
    pieces.push(model);
    pieces
}

/// Returns what the program knows of a reader's tokens, from the entry `reading` of a checkpoint.
pub fn reading(stored: &Json) -> Json {
    let limits = &stored["limits"];
    json!({
        "level": stored["level"],
        "lowercase": stored["lowercase"],
        "question": limits["question"],
        "passage": limits["passage"],
        "passages": limits["passages"],
        "longest_answer": stored["longest_answer"],
    })
}

/// Returns the last pieces of the program, which asks the reader.
pub fn end(model: &ModelConfig) -> Vec<String> {
    let main = include_str!("../../../export/end_spans.py");
    if !model.reads_characters() {
        return vec![main.replace("    SPELLING\n", "")];
    }
    let spelling = include_str!("../../../export/end_spans_characters.py").to_owned();
    let spelt = "    inputs += [spelling(vocabularies, [asked]), spelling(vocabularies, [it for _, _, \
                 it in read])[None]]\n";
    vec![spelling, main.replace("    SPELLING\n", spelt)]
}

/// Writes the encoder of a reader.
fn encoder(reader: &Reader) -> String {
    let reads_characters = reader.characters != CharacterKind::None;
    let if_so = |is_so: bool, lines: &'static str| if is_so { lines } else { "" };
    let spelt = if_so(
        reads_characters,
        "        spelt = self.characters(characters.flatten(0, 1))\n        x = torch.cat([x, \
         spelt.reshape(*x.shape[:2], -1)], dim=2)\n",
    );
    let through = if_so(
        reader.has_highway,
        "        for layer in self.highway:\n            x = layer(x)\n",
    );
    piece!("encoder")
        .replace(
            "        CHARACTERS\n",
            if_so(
                reads_characters,
                "        self.characters = Characters(config)\n        width += \
                 self.characters.width\n",
            ),
        )
        .replace(
            "        HIGHWAY\n",
            if_so(
                reader.has_highway,
                "        self.highway = nn.ModuleList(Highway(width) for _ in \
                 range(config[\"highway\"]))\n",
            ),
        )
        .replace("        READ\n", &format!("{spelt}{through}"))
}

/// Returns the settings of a reader that the program does not read: only the chosen parts are in the
/// program.
pub fn idle_settings(model: &ModelConfig) -> Vec<&'static str> {
    let Some(reader) = Reader::of(model) else {
        return Vec::new();
    };
    let mut idle = vec!["characters", "output"];
    match reader.characters {
        CharacterKind::None => idle.extend([
            "character_embedding",
            "character_filters",
            "character_kernel",
            "target_vocabulary",
        ]),
        CharacterKind::Cnn => {}
        CharacterKind::Gru => idle.push("character_kernel"),
    }
    if !reader.has_highway {
        idle.push("highway");
    }
    if reader.output == SpanOutputKind::Linear {
        idle.extend(["pooled", "both_directions"]);
    }
    idle
}

/// Returns name and layout in PyTorch of a parameter of a reader.
pub fn renamed(parts: &[&str]) -> Option<(String, Layout)> {
    let layer = |module: String, layer: &str, direction: &str, part: &str| {
        let (name, layout) = of_cell(part);
        let reverse = if direction == "1" { "_reverse" } else { "" };
        (format!("{module}.{name}_l{layer}{reverse}"), layout)
    };
    Some(match parts {
        ["encoder", "words", "table"] => ("encoder.words.weight".to_owned(), Layout::Same),
        ["encoder", "words", "characters", "table"] => {
            ("encoder.characters.table.weight".to_owned(), Layout::Same)
        }
        [
            "encoder",
            "words",
            "characters",
            "reader",
            "directions",
            direction,
            part,
        ] => layer("encoder.characters.layer".to_owned(), "0", direction, part),
        ["encoder", "words", "characters", "reader", part] => {
            linear("encoder.characters.layer", part)
        }
        ["encoder", "words", "highway", number, module, part] => {
            linear(&format!("encoder.highway.{number}.{module}"), part)
        }
        ["encoder", side, number, "directions", direction, part] => {
            layer(format!("encoder.{side}"), number, direction, part)
        }
        ["modelling", number, "directions", direction, part] => {
            layer("modelling".to_owned(), number, direction, part)
        }
        ["flow", "context_to_query", rest @ ..] => mechanism("flow.context_to_query", rest),
        ["self_matching", "attention", rest @ ..] => mechanism("self_matching.attention", rest),
        ["matching", "scores", number, part] => score(&format!("matching.scores.{number}"), part),
        ["matching", "cells", number, part] => {
            let (name, layout) = of_cell(part);
            (format!("matching.cells.{number}.{name}"), layout)
        }
        ["head", side @ ("start" | "end")] => (format!("head.{side}.weight"), Layout::Row),
        [
            "head",
            "directions",
            number,
            "cell",
            "directions",
            "0",
            part,
        ] => layer(format!("head.directions.{number}.cell"), "0", "0", part),
        ["head", "directions", number, "score", part] => {
            score(&format!("head.directions.{number}.score"), part)
        }
        ["head", "pool", "energy"] => ("head.pool.energy.weight".to_owned(), Layout::Row),
        [module, inner, "directions", direction, part] => {
            layer(format!("{module}.{inner}"), "0", direction, part)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_readers_are_those_of_the_program() {
        for (ours, theirs) in [
            ("encoder.words.table", "encoder.words.weight"),
            (
                "encoder.words.characters.reader.directions.1.hidden",
                "encoder.characters.layer.weight_hh_l0_reverse",
            ),
            (
                "encoder.words.highway.1.gate.bias",
                "encoder.highway.1.gate.bias",
            ),
            (
                "encoder.question.2.directions.0.input",
                "encoder.question.weight_ih_l2",
            ),
            (
                "flow.context_to_query.score.product",
                "flow.context_to_query.score.product.weight",
            ),
            ("matching.scores.0.word", "matching.scores.0.word.weight"),
            ("matching.scores.1.bias", "matching.scores.1.key.bias"),
            ("matching.cells.1.input_bias", "matching.cells.1.bias_ih"),
            (
                "self_matching.recurrent.directions.1.input",
                "self_matching.recurrent.weight_ih_l0_reverse",
            ),
            ("head.start", "head.start.weight"),
            (
                "head.end_encoder.directions.0.hidden",
                "head.end_encoder.weight_hh_l0",
            ),
            (
                "head.directions.1.cell.directions.0.input",
                "head.directions.1.cell.weight_ih_l0",
            ),
            (
                "head.directions.0.score.energy",
                "head.directions.0.score.energy.weight",
            ),
        ] {
            let parts: Vec<&str> = ours.split('.').collect();
            assert_eq!(renamed(&parts).map(|it| it.0).as_deref(), Some(theirs));
        }
    }
}
