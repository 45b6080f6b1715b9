//! The word layer.

use burn::nn::Linear;
use burn::tensor::Tensor;
use strata_attention::ParamInit;
use strata_models::Tokens;
use strata_models::reader::{
    CharacterReader, CharactersConfig, ReadText, Spelling, WordLayer, WordLayerConfig,
};

use super::part;
use crate::attention::linear;
use crate::case::{Case, Outputs};
use crate::recurrent::cell;

/// Returns words with their characters, as the file has them.
pub fn read_text(words: Tokens, spelling: Option<(Vec<u32>, Vec<usize>)>) -> ReadText {
    let spelling = spelling.map(|(characters, shape)| {
        let spelt = characters.chunks(shape[2]).map(|word| {
            let end = word.iter().position(|&id| id == 0);
            &word[..end.unwrap_or(word.len())]
        });
        Spelling::of(spelt)
    });
    ReadText { words, spelling }
}

pub fn tokens((ids, shape): (Vec<u32>, Vec<usize>)) -> Tokens {
    let rows: Vec<&[u32]> = ids.chunks(shape[1]).collect();
    Tokens::pad(&rows)
}

/// Returns the configuration of the word layer whose parameters begin with `prefix`.
pub fn word_config(case: &Case, characters: &str, highway: usize, prefix: &str) -> WordLayerConfig {
    let dims = |name: &str| case.dims(&format!("param.{prefix}{name}")).to_vec();
    let words = dims("word.table");
    let layer = |filters, kernel| {
        let table = dims("character.table");
        let config = CharactersConfig {
            embedding: table[1],
            filters,
            kernel,
        };
        Some((config, table[0]))
    };
    WordLayerConfig {
        vocabulary: words[0],
        embedding: words[1],
        characters: match characters {
            "none" => None,
            "cnn" => {
                let filters = dims("character.conv.w");
                layer(filters[2], Some(filters[0]))
            }
            "gru" => layer(dims("character.gru.forward.w_hh")[0], None),
            other => panic!("unknown characters {other:?}"),
        },
        highway,
    }
}

pub fn fill_words(layer: &mut WordLayer, case: &Case, prefix: &str) {
    let name = |name: &str| format!("{prefix}{name}");
    layer.table = case.param(&name("word.table"));
    if let Some(characters) = &mut layer.characters {
        characters.table = case.param(&name("character.table"));
        match &mut characters.reader {
            CharacterReader::Convolution(convolution) => {
                let weight: Tensor<3> = case.float(&format!("param.{}", name("character.conv.w")));
                let [k, width, filters] = weight.dims();
                convolution.weight = part(weight.reshape([k * width, filters]));
                convolution.bias = case.param(&name("character.conv.b"));
            }
            CharacterReader::Gru(gru) => {
                let directions = ["forward.", "backward."];
                let cell = |it| cell(case, &name(&format!("character.gru.{it}")));
                gru.directions = directions.map(cell).into();
            }
        }
    }
    for (at, highway) in layer.highway.iter_mut().enumerate() {
        let map = |which: &str| -> Linear {
            let [w, b] = ["w", "b"].map(|it| name(&format!("highway.{at}.{which}.{it}")));
            linear(case, &w, &b)
        };
        highway.transform = map("transform");
        highway.gate = map("gate");
    }
}

pub fn word_embedding(case: &Case) -> Outputs {
    let config = word_config(case, case.text("characters"), case.number("highway"), "");
    let mut layer = config.init(&mut ParamInit::new(0, &case.device));
    fill_words(&mut layer, case, "");
    let words = case.ids("input.words");
    let text = read_text(tokens(words), Some(case.ids("input.characters")));
    let embedded = layer.forward(&text, true, &case.device);
    Outputs::default().with("embedded", embedded, case.query_rows(1))
}
