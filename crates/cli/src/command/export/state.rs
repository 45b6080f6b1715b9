//! Parameters as a `state_dict`: with PyTorch's names, and matrices `[out, in]`.

use std::collections::BTreeMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use strata_models::ModelConfig;

use super::{architecture, readers};

/// A tensor in PyTorch's layout.
pub struct Tensor {
    pub shape: Vec<usize>,
    /// Values as F32, little-endian.
    bytes: Vec<u8>,
}

impl Tensor {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Returns the parameters of a checkpoint, by PyTorch's names.
pub fn of(checkpoint: &[u8], model: &ModelConfig) -> BTreeMap<String, Tensor> {
    let tensors = SafeTensors::deserialize(checkpoint).expect("the checkpoint was opened");
    let mut state = BTreeMap::new();
    for (name, view) in tensors.iter() {
        if let Some(name) = name.strip_prefix("model.") {
            let (name, layout) = renamed(name, model);
            state.insert(name, layout.of(&view));
        }
    }
    state
}

/// Serialises the parameters as a `.safetensors` file; every name begins with `prefix`.
pub fn serialized(state: &BTreeMap<String, Tensor>, prefix: &str) -> Vec<u8> {
    let views = state.iter().map(|(name, tensor)| {
        let view = TensorView::new(Dtype::F32, tensor.shape.clone(), &tensor.bytes);
        let view = view.expect("a tensor is as large as its shape says");
        (format!("{prefix}{name}"), view)
    });
    // Hugging Face Transformers and other programs need this entry.
    let metadata = [("format".to_owned(), "pt".to_owned())].into();
    safetensors::serialize(views, Some(metadata)).expect("the tensors have distinct names")
}

/// Layout of a tensor in PyTorch, relative to the checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The same layout.
    Same,
    /// `[in, out]` to `[out, in]`, `[places, in, out]` to `[out, in, places]`, and `[in]` to
    /// `[1, in]`.
    Transposed,
    /// `[n]` to `[1, n]`.
    Row,
}

impl Layout {
    fn of(self, view: &TensorView<'_>) -> Tensor {
        let (shape, bytes) = (view.shape().to_vec(), view.data());
        match (self, &shape[..]) {
            (Self::Transposed, &[rows, columns]) => transposed([1, rows, columns], bytes, 2),
            (Self::Transposed, &[places, rows, columns]) => {
                transposed([places, rows, columns], bytes, 3)
            }
            (Self::Row | Self::Transposed, &[length]) => Tensor {
                shape: vec![1, length],
                bytes: bytes.to_vec(),
            },
            _ => Tensor {
                shape,
                bytes: bytes.to_vec(),
            },
        }
    }
}

/// Turns the order of the axes `[places, rows, columns]` around, and keeps the first `axes` axes.
fn transposed([places, rows, columns]: [usize; 3], bytes: &[u8], axes: usize) -> Tensor {
    let (numbers, _) = bytes.as_chunks::<4>();
    let bytes = (0..columns).flat_map(|column| {
        (0..rows).flat_map(move |row| {
            (0..places).flat_map(move |place| numbers[(place * rows + row) * columns + column])
        })
    });
    Tensor {
        shape: [columns, rows, places][..axes].to_vec(),
        bytes: bytes.collect(),
    }
}

/// Returns PyTorch's name of a parameter, and its layout there.
fn renamed(name: &str, model: &ModelConfig) -> (String, Layout) {
    let parts: Vec<&str> = name.split('.').collect();
    if matches!(model, ModelConfig::Rnnpg(_)) {
        return rnnpg(&parts);
    }
    let renamed = if model.is_reader() {
        readers::renamed(&parts)
    } else {
        recurrent(&parts)
    };
    if let Some(renamed) = renamed {
        return renamed;
    }
    let adds_positions = architecture::adds_positions(model);
    match &parts[..] {
        ["output"] => ("output.weight".to_owned(), Layout::Transposed),
        ["output_bias"] => ("output.bias".to_owned(), Layout::Same),
        [table @ ("embedding" | "source_embedding" | "target_embedding")] => {
            let inner = if adds_positions { ".tokens" } else { "" };
            (format!("{table}{inner}.weight"), Layout::Same)
        }
        ["positions"] => ("embedding.positions.weight".to_owned(), Layout::Same),
        [table @ ("source_positions" | "target_positions")] => {
            let side = table.trim_end_matches("_positions");
            (format!("{side}_embedding.positions.weight"), Layout::Same)
        }
        ["bridge", part] => linear("bridges.0.0", part),
        ["cell_bridge", part] => linear("bridges.1.0", part),
        ["bridges_above", layer, state, part] => {
            let state = if *state == "cell" { 1 } else { 0 };
            linear(&format!("bridges.{state}.{}", above(layer)), part)
        }
        ["decoder", "head", part @ ("weight" | "bias")] => linear("head", part),
        ["decoder", "head", "0", part] => linear("head.0", part),
        // Index 1 of the `nn.Sequential` is the tanh.
        ["decoder", "head", _, part] => linear("head.2", part),
        ["decoder", "attention", rest @ ..] => mechanism("attention", rest),
        [.., "norm", part @ ("gamma" | "beta")] | [.., part @ ("gamma" | "beta")] => {
            let name = name
                .replace(".residuals.", ".norms.")
                .replace(".norm.", ".");
            let module = match parts.len() {
                2 => parts[0].to_owned(),
                _ => name
                    .rsplit_once('.')
                    .map_or(name.clone(), |it| it.0.to_owned()),
            };
            let part = if *part == "gamma" { "weight" } else { "bias" };
            (format!("{module}.{part}"), Layout::Same)
        }
        [before @ .., "mechanism", _, _] | [before @ .., "mechanism", _, _, _]
            if !before.is_empty() =>
        {
            let module = format!("{}.mechanism", before.join("."));
            mechanism(&module, &parts[before.len() + 1..])
        }
        [before @ .., "mechanism", "mix"] => {
            mechanism(&format!("{}.mechanism", before.join(".")), &["mix"])
        }
        [before @ .., "feed_forward", layer, part] => {
            // Index 1 of the `nn.Sequential` is the ReLU.
            let place = if *layer == "inner" { 0 } else { 2 };
            linear(&format!("{}.feed_forward.{place}", before.join(".")), part)
        }
        [before @ .., part] => linear(&before.join("."), part),
        [] => (String::new(), Layout::Same),
    }
}

/// Returns name and layout of a parameter of RNNPG, which has no biases.
fn rnnpg(parts: &[&str]) -> (String, Layout) {
    match parts {
        ["sentence", "table"] => ("source_embedding.weight".to_owned(), Layout::Same),
        ["generation", "characters"] => ("target_embedding.weight".to_owned(), Layout::Same),
        [_, part, rest @ ..] if !rest.is_empty() => {
            (format!("{part}.{}", rest.join(".")), Layout::Same)
        }
        parts => linear(parts.last().unwrap_or(&""), "weight"),
    }
}

/// Returns name and layout of the weight or bias of an `nn.Linear`.
pub fn linear(module: &str, part: &str) -> (String, Layout) {
    let layout = if part == "weight" {
        Layout::Transposed
    } else {
        Layout::Same
    };
    (format!("{module}.{part}"), layout)
}

/// Returns name and layout of a mechanism's parameter.
pub fn mechanism(module: &str, rest: &[&str]) -> (String, Layout) {
    match rest {
        ["score", part] => score(&format!("{module}.score"), part),
        // Levels of a pyramid.
        ["scores", level, part] => score(&format!("{module}.scores.{level}"), part),
        ["summaries", level, part @ ("weight" | "bias")] => {
            linear(&format!("{module}.summaries.{level}.layer"), part)
        }
        ["summaries", level, part] => {
            let (name, layout) = of_cell(part);
            (
                format!("{module}.summaries.{level}.layer.{name}_l0"),
                layout,
            )
        }
        ["predictor", "weight"] => (format!("{module}.predictor.weight"), Layout::Transposed),
        ["predictor", "energy"] => (format!("{module}.energy.weight"), Layout::Row),
        ["gate", part] => linear(&format!("{module}.gate"), part),
        rest => (format!("{module}.{}", rest.join(".")), Layout::Same),
    }
}

/// Returns name and layout of a score function's parameter.
pub fn score(module: &str, part: &str) -> (String, Layout) {
    match part {
        "weight" => (format!("{module}.through.weight"), Layout::Transposed),
        "bias" => (format!("{module}.key.bias"), Layout::Same),
        "energy" => (format!("{module}.energy.weight"), Layout::Row),
        part => (format!("{module}.{part}.weight"), Layout::Transposed),
    }
}

/// Returns name and layout of a recurrent layer's parameter; `nn.LSTM` and similar modules number
/// their layers.
fn recurrent(parts: &[&str]) -> Option<(String, Layout)> {
    let (module, layer, direction, part) = match parts {
        ["encoder", "directions", direction, part] => ("encoder", 0, *direction, *part),
        ["encoder_above", layer, "directions", direction, part] => {
            ("encoder", above(layer), *direction, *part)
        }
        ["decoder", "cell", "directions", direction, part] => ("decoder", 0, *direction, *part),
        ["decoder", "above", layer, "directions", direction, part] => {
            ("decoder", above(layer), *direction, *part)
        }
        ["layers", layer, "directions", direction, part] => {
            ("layers", above(layer) - 1, *direction, *part)
        }
        ["recurrent", layer, "directions", direction, part] => {
            ("encoder", above(layer) - 1, *direction, *part)
        }
        _ => return None,
    };
    let (name, layout) = of_cell(part);
    let reverse = if direction == "1" { "_reverse" } else { "" };
    Some((format!("{module}.{name}_l{layer}{reverse}"), layout))
}

/// Returns name and layout of a parameter of a recurrent cell.
pub fn of_cell(part: &str) -> (&'static str, Layout) {
    match part {
        "input" => ("weight_ih", Layout::Transposed),
        "hidden" => ("weight_hh", Layout::Transposed),
        "input_bias" => ("bias_ih", Layout::Same),
        _ => ("bias_hh", Layout::Same),
    }
}

/// Returns the number of a layer among all, given its number among those above the lowest.
fn above(layer: &str) -> usize {
    layer.parse::<usize>().unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use strata_models::RnnpgConfig;

    use super::*;

    fn name_in(model: &ModelConfig, name: &str) -> String {
        renamed(name, model).0
    }

    #[test]
    fn names_are_those_of_pytorchs_modules() {
        let [transformer, seq2seq, text, recurrent, ..] = ModelConfig::all();
        let poet = ModelConfig::Rnnpg(RnnpgConfig::default());
        for (model, ours, theirs) in [
            (
                &transformer,
                "source_embedding",
                "source_embedding.tokens.weight",
            ),
            (
                &transformer,
                "target_positions",
                "target_embedding.positions.weight",
            ),
            (
                &transformer,
                "encoder.0.attention.query.weight",
                "encoder.0.attention.query.weight",
            ),
            (
                &transformer,
                "decoder.1.residuals.2.norm.gamma",
                "decoder.1.norms.2.weight",
            ),
            (&transformer, "encoder_norm.beta", "encoder_norm.bias"),
            (
                &transformer,
                "decoder.0.feed_forward.outer.bias",
                "decoder.0.feed_forward.2.bias",
            ),
            (
                &transformer,
                "decoder.0.cross.mechanism.mix",
                "decoder.0.cross.mechanism.mix",
            ),
            (
                &transformer,
                "encoder.0.attention.mechanism.score.energy",
                "encoder.0.attention.mechanism.score.energy.weight",
            ),
            (
                &transformer,
                "decoder.0.cross.mechanism.predictor.energy",
                "decoder.0.cross.mechanism.energy.weight",
            ),
            (
                &transformer,
                "decoder.0.cross.mechanism.gate.weight",
                "decoder.0.cross.mechanism.gate.weight",
            ),
            (
                &seq2seq,
                "decoder.attention.gate.bias",
                "attention.gate.bias",
            ),
            (
                &transformer,
                "encoder.0.attention.mechanism.scores.1.bias",
                "encoder.0.attention.mechanism.scores.1.key.bias",
            ),
            (
                &seq2seq,
                "decoder.attention.summaries.0.hidden_bias",
                "attention.summaries.0.layer.bias_hh_l0",
            ),
            (&transformer, "output_bias", "output.bias"),
            (&text, "norm.gamma", "norm.weight"),
            (&text, "positions", "embedding.positions.weight"),
            (
                &text,
                "layers.0.attention.output.bias",
                "layers.0.attention.output.bias",
            ),
            (
                &seq2seq,
                "encoder.directions.1.hidden",
                "encoder.weight_hh_l0_reverse",
            ),
            (
                &seq2seq,
                "encoder_above.0.directions.0.input_bias",
                "encoder.bias_ih_l1",
            ),
            (
                &seq2seq,
                "decoder.cell.directions.0.input",
                "decoder.weight_ih_l0",
            ),
            (
                &seq2seq,
                "bridges_above.0.cell.weight",
                "bridges.1.1.weight",
            ),
            (
                &seq2seq,
                "decoder.attention.score.weight",
                "attention.score.through.weight",
            ),
            (&seq2seq, "decoder.head.1.bias", "head.2.bias"),
            (&recurrent, "embedding", "embedding.weight"),
            (
                &recurrent,
                "layers.1.directions.0.hidden_bias",
                "layers.bias_hh_l1",
            ),
            (&poet, "sentence.table", "source_embedding.weight"),
            (&poet, "sentence.convolutions.3", "convolutions.3"),
            (&poet, "context.places.1", "places.1"),
            (&poet, "generation.output", "output.weight"),
        ] {
            assert_eq!(name_in(model, ours), theirs);
        }
    }
    #[test]
    fn axes_are_turned_around() {
        let numbers = |tensor: &Tensor| -> Vec<f32> {
            let (numbers, _) = tensor.bytes.as_chunks::<4>();
            numbers.iter().map(|it| f32::from_le_bytes(*it)).collect()
        };
        let bytes: Vec<u8> = (0..12u8)
            .flat_map(|it| f32::from(it).to_le_bytes())
            .collect();
        // A convolution over 2 places, from 2 features to 3.
        let kernel = transposed([2, 2, 3], &bytes, 3);
        assert_eq!(kernel.shape, [3, 2, 2]);
        let expected = [0.0, 6.0, 3.0, 9.0, 1.0, 7.0, 4.0, 10.0, 2.0, 8.0, 5.0, 11.0];
        assert_eq!(numbers(&kernel), expected);
        let matrix = transposed([1, 4, 3], &bytes, 2);
        assert_eq!(matrix.shape, [3, 4]);
        assert_eq!(numbers(&matrix)[..5], [0.0, 3.0, 6.0, 9.0, 1.0]);
    }
}
