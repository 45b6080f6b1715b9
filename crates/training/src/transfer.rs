//! Begins a run with the parameters of another one (fine-tuning): tables of tokens are matched by
//! token, all other parameters are taken as they are.

use std::collections::BTreeMap;

use strata_models::ModelConfig;
use strata_tasks::Vocabulary;

use crate::difference::first_difference;
use crate::parameters::{parameters, replace};
use crate::{Checkpoint, CheckpointError, Trainer, TrainingError};

/// Tokens of a new run that the model knew before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transferred {
    /// Number of known tokens of the source vocabulary, and of all.
    pub source: [usize; 2],
    /// Number of known tokens of the target vocabulary, and of all.
    pub target: [usize; 2],
}

/// A side of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Source,
    Target,
}

/// A parameter with a row or a column for each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Table {
    side: Side,
    /// True if tokens are columns.
    by_column: bool,
}

impl Table {
    /// The table of this name; `None` for any other parameter.
    fn named(name: &str) -> Option<Self> {
        let (side, by_column) = match name {
            "source_embedding" => (Side::Source, false),
            "target_embedding" | "embedding" | "output_bias" => (Side::Target, false),
            // The output layer, as its head is `concat` or `mlp`.
            "decoder.head.bias" | "decoder.head.1.bias" => (Side::Target, false),
            "output" | "decoder.head.weight" | "decoder.head.1.weight" => (Side::Target, true),
            _ => return None,
        };
        Some(Self { side, by_column })
    }
}

impl Trainer {
    /// Puts the parameters of a checkpoint in the place of the initial ones. Rows of tokens that it
    /// does not know stay as they were drawn. The run begins at its first step all the same.
    ///
    /// # Errors
    /// If the file is no whole checkpoint, or of a model with other settings, or the device fails.
    pub async fn start_from(&mut self, bytes: &[u8]) -> Result<Transferred, CheckpointError> {
        let checkpoint = Checkpoint::open(bytes)?;
        checkpoint.check_numbers()?;
        has_same_model(&checkpoint.experiment().model, &self.experiment.model)?;
        let before = checkpoint.tokenizer()?;
        let present = self.tokenizer();
        let source = known(&before.source, &present.source);
        let target = known(&before.target, &present.target);
        let shapes: BTreeMap<String, Vec<usize>> = checkpoint.parameters().into_iter().collect();
        let mut drawn = BTreeMap::new();
        for parameter in parameters(&self.model) {
            if Table::named(&parameter.name).is_some() {
                let data = parameter.values.into_data_async().await;
                let data = data.map_err(TrainingError::from)?;
                drawn.insert(parameter.name, data.iter::<f32>().collect::<Vec<f32>>());
            }
        }
        let values = |name: &str, shape: &[usize]| {
            let (Some(table), Some(mut values)) = (Table::named(name), drawn.remove(name)) else {
                return checkpoint.parameter(name, shape);
            };
            let before = shapes.get(name).map_or(shape, Vec::as_slice);
            let stored = checkpoint.parameter(name, before)?;
            let known = match table.side {
                Side::Source => &source,
                Side::Target => &target,
            };
            take(&mut values, shape, &stored, before, known, table.by_column);
            Ok(values)
        };
        self.model = replace(self.model.clone(), values)?;
        let counted = |known: &[Option<usize>]| [known.iter().flatten().count(), known.len()];
        Ok(Transferred {
            source: counted(&source),
            target: counted(&target),
        })
    }
}

/// Refuses a model with other settings than dropout and the training of embeddings.
fn has_same_model(found: &ModelConfig, asked: &ModelConfig) -> Result<(), CheckpointError> {
    let mut found = found.clone();
    *found.dropout_mut() = asked.dropout();
    found.set_train_embeddings(asked.train_embeddings());
    let json = |model: &ModelConfig| serde_json::to_value(model).expect("settings are plain data");
    match first_difference("model", &json(&found), &json(asked)) {
        None => Ok(()),
        Some((key, found, expected)) => Err(CheckpointError::OtherExperiment {
            key,
            found,
            expected,
        }),
    }
}

/// Place of each token of the present vocabulary in the one before.
fn known(before: &Vocabulary, present: &Vocabulary) -> Vec<Option<usize>> {
    let places: BTreeMap<&str, usize> = (0..)
        .zip(before.tokens())
        .map(|(place, token)| (token.as_str(), place))
        .collect();
    let place = |token: &String| places.get(token.as_str()).copied();
    present.tokens().iter().map(place).collect()
}

/// Copies rows or columns of known tokens.
fn take(
    values: &mut [f32],
    shape: &[usize],
    stored: &[f32],
    before: &[usize],
    known: &[Option<usize>],
    by_column: bool,
) {
    let width = |shape: &[usize]| shape.get(1).copied().unwrap_or(1);
    let (new, old) = (width(shape), width(before));
    for (at, place) in known.iter().enumerate() {
        let Some(place) = *place else { continue };
        match by_column {
            true => {
                let rows = values.chunks_mut(new).zip(stored.chunks(old));
                rows.for_each(|(row, stored)| row[at] = stored[place]);
            }
            false => values[at * new..(at + 1) * new]
                .copy_from_slice(&stored[place * old..(place + 1) * old]),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::Device;
    use pollster::block_on;
    use serde_json::json;
    use strata_tasks::Uploads;

    use super::*;
    use crate::Experiment;

    fn trainer(symbols: usize, model: serde_json::Value, seed: u64) -> Trainer {
        let experiment: Experiment = serde_json::from_value(json!({
            "seed": seed,
            "task": {
                "kind": "copy", "symbols": symbols, "minimum_length": 2, "maximum_length": 5,
                "examples": 60, "held_out": 5,
            },
            "model": model,
            "training": {"steps": 4, "batch_size": 8},
        }))
        .unwrap();
        Trainer::new(experiment, &Uploads::default(), &Device::flex()).unwrap()
    }

    fn trained(symbols: usize, model: &serde_json::Value) -> Vec<u8> {
        let mut trainer = trainer(symbols, model.clone(), 1);
        while !trainer.is_finished() {
            block_on(trainer.step()).unwrap();
        }
        block_on(trainer.checkpoint()).unwrap()
    }

    /// Values of all parameters, by name.
    fn values(trainer: &Trainer) -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
        let values = parameters(&trainer.model).into_iter().map(|it| {
            let data = it.values.into_data();
            (it.name, (it.shape, data.iter::<f32>().collect()))
        });
        values.collect()
    }

    fn models() -> [serde_json::Value; 3] {
        [
            json!({"architecture": "transformer", "width": 8, "heads": 2, "layers": 1}),
            json!({
                "architecture": "seq2seq", "embedding": 6, "encoder_hidden": 8, "decoder_hidden": 8,
                "head": "concat",
            }),
            json!({
                "architecture": "seq2seq", "embedding": 6, "encoder_hidden": 8, "decoder_hidden": 8,
                "head": "mlp",
            }),
        ]
    }

    #[test]
    fn the_same_data_have_the_same_parameters() {
        for model in models() {
            let bytes = trained(5, &model);
            let mut run = trainer(5, model, 2);
            let transferred = block_on(run.start_from(&bytes)).unwrap();
            assert_eq!(transferred.source, transferred.target);
            assert_eq!(transferred.source[0], transferred.source[1]);
            assert_eq!(run.step_count(), 0);
            let restored = Trainer::restore(&bytes, &Uploads::default(), &Device::flex()).unwrap();
            assert_eq!(values(&run), values(&restored));
        }
    }

    #[test]
    fn rows_and_columns_go_with_their_tokens() {
        for model in models() {
            let bytes = trained(5, &model);
            let before = Trainer::restore(&bytes, &Uploads::default(), &Device::flex()).unwrap();
            let fresh = trainer(8, model.clone(), 2);
            let mut run = trainer(8, model, 2);
            let transferred = block_on(run.start_from(&bytes)).unwrap();
            assert_eq!(transferred.target, [4 + 5, 4 + 8]);
            let known = known(&before.tokenizer().target, &run.tokenizer().target);
            let (before, fresh, now) = (values(&before), values(&fresh), values(&run));
            let mut tables = 0;
            for (name, (shape, now)) in &now {
                let Some(table) = Table::named(name) else {
                    assert_eq!(*now, before[name].1, "{name}");
                    continue;
                };
                tables += 1;
                let width = shape.get(1).copied().unwrap_or(1);
                for (at, number) in now.iter().enumerate() {
                    let (row, column) = (at / width, at % width);
                    let token = if table.by_column { column } else { row };
                    let expected = match known[token] {
                        None => fresh[name].1[at],
                        Some(place) if table.by_column => {
                            before[name].1[row * before[name].0[1] + place]
                        }
                        Some(place) => before[name].1[place * width + column],
                    };
                    assert_eq!(*number, expected, "{name} {at}");
                }
            }
            assert_eq!(tables, 4, "embeddings, output and its bias");
        }
    }

    #[test]
    fn another_model_is_refused() {
        let [model, ..] = models();
        let bytes = trained(5, &model);
        let mut wider = model;
        wider["width"] = json!(16);
        let mut run = trainer(5, wider, 1);
        let refusal = block_on(run.start_from(&bytes)).unwrap_err().to_string();
        assert!(refusal.contains("model.width"), "{refusal}");
    }
}
