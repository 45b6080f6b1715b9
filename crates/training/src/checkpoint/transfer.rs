//! Begins a run with the parameters of another run (fine-tuning): token tables are matched by
//! token, shares of levels by level, and all other parameters are copied unchanged.

mod levels;

use std::collections::BTreeMap;

use strata_models::{Model, ModelConfig, TokenTable, VocabularySide};
use strata_text::Vocabulary;
use strata_text::special::UNK;

pub use levels::{ADDED_SHARE, ChangedLevels};
use levels::{changed_levels, counts_levels, with_levels};

use crate::checkpoint::difference::first_difference;
use crate::checkpoint::parameters::{parameters, replace};
use crate::{Checkpoint, CheckpointError, HeldOutBefore, Trainer, TrainingError};

/// Numbers of a new run's tokens that the earlier model knew, and levels in which the two differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferred {
    /// Number of known tokens of the source vocabulary, and number of all its tokens.
    pub source: [usize; 2],
    /// Number of known tokens of the target vocabulary, and number of all its tokens.
    pub target: [usize; 2],
    /// True for a side, source or target, of whose text the earlier model knows no token.
    pub is_foreign: [bool; 2],
    /// Held-out examples that the earlier model had learned.
    pub held_out: HeldOutBefore,
    /// Numbers of levels, and of passes through the layers, in which the new run differs.
    pub levels: Vec<ChangedLevels>,
}

/// Present and earlier tokens of one side, source or target.
struct Known {
    /// Index in the earlier vocabulary of each present token.
    places: Vec<Option<usize>>,
    /// Number of tokens of the earlier vocabulary.
    before: usize,
}

impl Known {
    fn of(before: &Vocabulary, present: &Vocabulary) -> Self {
        Self {
            places: known(before, present),
            before: before.len(),
        }
    }

    /// Number of present tokens that the earlier model knows, and of all present tokens.
    fn counts(&self) -> [usize; 2] {
        [self.places.iter().flatten().count(), self.places.len()]
    }
}

/// Returns the tokens of a side.
fn on_side([source, target]: &[Known; 2], side: VocabularySide) -> &Known {
    match side {
        VocabularySide::Source => source,
        VocabularySide::Target => target,
    }
}

impl Trainer {
    /// Replaces the initial parameters by those of a checkpoint. Rows of tokens that the checkpoint
    /// does not know keep their initial values. The two models may have different numbers of levels:
    /// levels that are added begin with a share of at most [`ADDED_SHARE`] together. The run still
    /// begins at its first step. Held-out examples that the model has learned are left out.
    ///
    /// # Errors
    /// If the file is not a complete checkpoint, or of a model that differs in other settings, or
    /// the device fails.
    pub async fn start_from(&mut self, bytes: &[u8]) -> Result<Transferred, CheckpointError> {
        let checkpoint = Checkpoint::open(bytes)?;
        checkpoint.check_numbers()?;
        let levels = has_same_model(&checkpoint.experiment().model, &self.experiment.model)?;
        let before = checkpoint.tokenizer()?;
        let present = self.tokenizer();
        let known = [
            Known::of(&before.source, &present.source),
            Known::of(&before.target, &present.target),
        ];
        let is_foreign = [
            is_foreign(&before.source, &present.source),
            is_foreign(&before.target, &present.target),
        ];
        let shapes: BTreeMap<String, Vec<usize>> = checkpoint.parameters().into_iter().collect();
        let stored = |name: &str, shape: &[usize]| checkpoint.parameter(name, shape);
        self.model = learned_on(self.model.clone(), &known, &levels, &shapes, stored).await?;
        let [source, target] = known.map(|known| known.counts());
        Ok(Transferred {
            source,
            target,
            is_foreign,
            held_out: self.begin_after(&checkpoint)?,
            levels,
        })
    }
}

/// Replaces the parameters of a model by those of an earlier one: in token tables the rows of known
/// tokens, in shares of levels the levels that both models have, elsewhere all numbers. `stored`
/// returns a parameter by its name and its shape in `shapes`.
async fn learned_on(
    model: Model,
    known: &[Known; 2],
    levels: &[ChangedLevels],
    shapes: &BTreeMap<String, Vec<usize>>,
    stored: impl Fn(&str, &[usize]) -> Result<Vec<f32>, CheckpointError>,
) -> Result<Model, CheckpointError> {
    let tables: BTreeMap<&str, &TokenTable> = model
        .token_tables()
        .iter()
        .map(|table| (table.name, table))
        .collect();
    let mut drawn = BTreeMap::new();
    for parameter in parameters(&model) {
        if tables.contains_key(&*parameter.name) {
            let data = parameter.values.into_data_async().await;
            let data = data.map_err(TrainingError::from)?;
            drawn.insert(parameter.name, data.iter::<f32>().collect::<Vec<f32>>());
        }
    }
    replace(model, |name, shape| {
        let (Some(table), Some(mut values)) = (tables.get(name), drawn.remove(name)) else {
            let before = shapes.get(name).map_or(shape, Vec::as_slice);
            if counts_levels(name, before, shape, levels) {
                return Ok(with_levels(name, stored(name, before)?, before, shape));
            }
            return stored(name, shape);
        };
        let Known { places, before } = on_side(known, table.side);
        let mut shape_before = shape.to_vec();
        shape_before[usize::from(table.by_column)] = *before;
        let stored = stored(name, &shape_before)?;
        let shapes = [shape, &shape_before];
        take(&mut values, &stored, shapes, places, table.by_column);
        Ok(values)
    })
}

/// Refuses a model whose settings differ, except in dropout, the training of embeddings and numbers
/// of levels. Returns the numbers of levels that differ.
fn has_same_model(
    found: &ModelConfig,
    asked: &ModelConfig,
) -> Result<Vec<ChangedLevels>, CheckpointError> {
    let mut found = found.clone();
    *found.dropout_mut() = asked.dropout();
    found.set_train_embeddings(asked.train_embeddings());
    let json = |model: &ModelConfig| serde_json::to_value(model).expect("settings are plain data");
    let (mut found, asked_json) = (json(&found), json(asked));
    let levels = changed_levels(asked, &mut found, &asked_json);
    match first_difference("model", &found, &asked_json) {
        None => Ok(levels),
        Some((key, found, expected)) => Err(CheckpointError::OtherModel {
            key,
            found,
            expected,
        }),
    }
}

/// Index of each token of the present vocabulary in the earlier one.
fn known(before: &Vocabulary, present: &Vocabulary) -> Vec<Option<usize>> {
    let places: BTreeMap<&str, usize> = (0..)
        .zip(before.tokens())
        .map(|(place, token)| (token.as_str(), place))
        .collect();
    let place = |token: &String| places.get(token.as_str()).copied();
    present.tokens().iter().map(place).collect()
}

/// True if the earlier vocabulary has none of the present one's tokens that stand for text. Special
/// tokens and marks of a task, such as `<unk>` and `<sep>`, stand in angle brackets and are in both.
fn is_foreign(before: &Vocabulary, present: &Vocabulary) -> bool {
    let is_text = |token: &&String| !(token.starts_with('<') && token.ends_with('>'));
    let mut text = present.tokens().iter().filter(is_text).peekable();
    text.peek().is_some() && text.all(|token| before.id(token) == UNK)
}

/// Copies the rows or columns of known tokens.
fn take(
    values: &mut [f32],
    stored: &[f32],
    shapes: [&[usize]; 2],
    known: &[Option<usize>],
    by_column: bool,
) {
    let [new, old] = shapes.map(|shape| shape.get(1).copied().unwrap_or(1));
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
    use strata_models::Vocabularies;
    use strata_text::Uploads;

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
        values_of(&trainer.model)
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

    /// Numbers of a token in a table, whose tokens are columns or rows.
    fn of_token(values: &[f32], shape: &[usize], by_column: bool, token: usize) -> Vec<f32> {
        let width = shape.get(1).copied().unwrap_or(1);
        match by_column {
            true => values.chunks(width).map(|row| row[token]).collect(),
            false => values[token * width..(token + 1) * width].to_vec(),
        }
    }

    /// All architectures, with each choice that decides which token tables a model has.
    fn architectures() -> Vec<ModelConfig> {
        let choices = |of: &ModelConfig| match of {
            ModelConfig::Transformer(_) | ModelConfig::TransformerLm(_) => {
                vec![json!({"tied": false}), json!({"tied": true})]
            }
            ModelConfig::RecurrentLm(_) => vec![
                json!({"tied": false}),
                json!({"tied": true, "embedding": 8, "hidden": 8}),
            ],
            ModelConfig::Seq2Seq(_) => vec![json!({"head": "concat"}), json!({"head": "mlp"})],
            ModelConfig::Bidaf(_) | ModelConfig::Rnet(_) => vec![
                json!({"characters": "none"}),
                json!({"characters": "cnn"}),
                json!({"characters": "gru"}),
            ],
            ModelConfig::Tagger(_) => vec![json!({}), json!({"cell": "gru"})],
            ModelConfig::MatchLstm(_) | ModelConfig::Rnnpg(_) => vec![json!({})],
        };
        let all = ModelConfig::all().into_iter().flat_map(|config| {
            choices(&config).into_iter().map(move |choice| {
                let mut settings = serde_json::to_value(&config).unwrap();
                for (key, value) in choice.as_object().unwrap() {
                    settings[key] = value.clone();
                }
                serde_json::from_value(settings).unwrap()
            })
        });
        all.collect()
    }

    /// A vocabulary in another script shares the special tokens alone.
    #[test]
    fn text_of_which_no_token_is_known_is_foreign() {
        let poems = vocabulary(&["<5>", "<sep>", "春", "风"]);
        let others = vocabulary(&["<5>", "<sep>", "は", "る"]);
        assert!(is_foreign(&poems, &others) && is_foreign(&others, &poems));
        assert!(!is_foreign(
            &poems,
            &vocabulary(&["<5>", "<sep>", "は", "风"])
        ));
        // Without text there is nothing to know.
        assert!(!is_foreign(&poems, &vocabulary(&[])));
    }

    fn vocabulary(tokens: &[&str]) -> Vocabulary {
        let tokens = strata_text::special::TEXTS.iter().chain(tokens);
        serde_json::from_value(json!(tokens.collect::<Vec<_>>())).unwrap()
    }

    fn values_of(model: &Model) -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
        let values = parameters(model).into_iter().map(|it| {
            let data = it.values.into_data();
            (it.name, (it.shape, data.iter::<f32>().collect()))
        });
        values.collect()
    }

    /// Vocabularies are in another order, with fewer, more or as many tokens. In every table of
    /// every architecture a known token keeps its numbers, and a new one keeps its initial numbers.
    #[test]
    fn every_token_keeps_its_numbers_in_every_architecture() {
        let sides = [
            (vec!["a", "b", "c", "d"], vec!["p", "q", "r"]),
            (vec!["d", "e", "a", "c"], vec!["r", "p", "q"]),
            (vec!["b", "a"], vec!["s", "q", "t", "u", "p"]),
            (vec!["f", "d", "c", "b", "a", "g"], vec!["r"]),
        ];
        let sides = sides.map(|(source, target)| [vocabulary(&source), vocabulary(&target)]);
        let [of_before, others @ ..] = &sides;
        let init = |config: &ModelConfig, [source, target]: &[Vocabulary; 2], seed| {
            let vocabularies = Vocabularies {
                source: source.len(),
                target: target.len(),
            };
            config.init(vocabularies, seed, &Device::flex()).unwrap()
        };
        for config in architectures() {
            let before = values_of(&init(&config, of_before, 1));
            let shapes = before
                .iter()
                .map(|(name, (shape, _))| (name.clone(), shape.clone()));
            let shapes: BTreeMap<String, Vec<usize>> = shapes.collect();
            for present in others {
                let known = [0, 1].map(|at| Known::of(&of_before[at], &present[at]));
                let model = init(&config, present, 2);
                let tables = model.token_tables();
                let drawn = values_of(&model);
                let stored = |name: &str, shape: &[usize]| {
                    assert_eq!(shape, before[name].0, "{name} of {}", config.name());
                    Ok(before[name].1.clone())
                };
                let model = block_on(learned_on(model, &known, &[], &shapes, stored)).unwrap();
                for (name, (shape, now)) in values_of(&model) {
                    let (shape_before, earlier) = &before[&name];
                    let Some(table) = tables.iter().find(|table| table.name == name) else {
                        assert_eq!(&now, earlier, "{name} of {}", config.name());
                        continue;
                    };
                    for (token, place) in on_side(&known, table.side).places.iter().enumerate() {
                        let (from, shape_from, at) = match place {
                            Some(place) => (earlier, shape_before, *place),
                            None => (&drawn[&name].1, &shape, token),
                        };
                        assert_eq!(
                            of_token(&now, &shape, table.by_column, token),
                            of_token(from, shape_from, table.by_column, at),
                            "token {token} of {name} of {}",
                            config.name()
                        );
                    }
                }
            }
        }
    }

    /// A parameter whose size depends on a vocabulary is a token table, and no other parameter is
    /// one.
    #[test]
    fn tables_of_tokens_are_those_whose_size_depends_on_a_vocabulary() {
        for config in architectures() {
            let init = |source, target| {
                let vocabularies = Vocabularies { source, target };
                config.init(vocabularies, 1, &Device::flex()).unwrap()
            };
            let model = init(11, 13);
            let shapes = |model: &Model| -> BTreeMap<String, Vec<usize>> {
                let all = values_of(model).into_iter();
                all.map(|(name, (shape, _))| (name, shape)).collect()
            };
            let (plain, source, target) =
                (shapes(&model), shapes(&init(12, 13)), shapes(&init(11, 14)));
            for (name, shape) in &plain {
                let found = model.token_tables().iter().find(|table| table.name == name);
                let side = match (shape == &source[name], shape == &target[name]) {
                    (true, true) => None,
                    (false, true) => Some((VocabularySide::Source, &source[name], 11)),
                    (true, false) => Some((VocabularySide::Target, &target[name], 13)),
                    (false, false) => panic!("{name} depends on both vocabularies"),
                };
                assert_eq!(
                    found.map(|table| table.side),
                    side.map(|(side, ..)| side),
                    "{name} of {}",
                    config.name()
                );
                if let (Some(table), Some((_, larger, tokens))) = (found, side) {
                    let axis = usize::from(table.by_column);
                    assert_eq!(shape[axis], tokens, "{name}");
                    assert_eq!(larger[axis], tokens + 1, "{name}");
                }
            }
        }
    }

    /// A file may have any shapes, which must not be taken for those of other levels or tokens.
    #[test]
    fn parameters_of_another_shape_are_refused() {
        let settings = with_encoder_self(json!({"kind": "ham_v", "depth": 2}));
        let model: ModelConfig = serde_json::from_value(settings.clone()).unwrap();
        let tokens = vocabulary(&["a", "b"]);
        let init = |model: &ModelConfig| {
            let vocabularies = Vocabularies {
                source: tokens.len(),
                target: tokens.len(),
            };
            model.init(vocabularies, 1, &Device::flex()).unwrap()
        };
        let whole = values_of(&init(&model));
        let changed = [ChangedLevels {
            key: "model.encoder_self.depth".to_owned(),
            before: 2,
            now: 3,
            is_mixed: true,
        }];
        let mut deeper = settings;
        deeper["encoder_self"]["depth"] = json!(3);
        let deeper: ModelConfig = serde_json::from_value(deeper).unwrap();
        for (name, (shape, _)) in &whole {
            let mut shapes: BTreeMap<String, Vec<usize>> = whole
                .iter()
                .map(|(name, (shape, _))| (name.clone(), shape.clone()))
                .collect();
            shapes.insert(name.clone(), [shape.as_slice(), &[1]].concat());
            // As a checkpoint answers: the numbers, if the file has this shape.
            let stored = |asked: &str, shape: &[usize]| {
                if shapes[asked] == shape {
                    Ok(vec![0.0; shape.iter().product()])
                } else {
                    Err(CheckpointError::Foreign)
                }
            };
            let known = [0, 1].map(|_| Known::of(&tokens, &tokens));
            let begun = learned_on(init(&deeper), &known, &changed, &shapes, stored);
            assert!(block_on(begun).is_err(), "{name}");
        }
    }

    #[test]
    fn known_tokens_are_counted() {
        for model in models() {
            let bytes = trained(5, &model);
            let mut run = trainer(8, model, 2);
            let transferred = block_on(run.start_from(&bytes)).unwrap();
            assert_eq!(transferred.target, [4 + 5, 4 + 8]);
        }
    }

    /// Settings of a small Transformer whose encoder has this self-attention.
    fn with_encoder_self(mechanism: serde_json::Value) -> serde_json::Value {
        json!({
            "architecture": "transformer", "width": 8, "heads": 2, "layers": 1,
            "encoder_self": mechanism,
        })
    }

    /// Held-out loss.
    fn loss(trainer: &Trainer) -> f64 {
        block_on(trainer.validate(0, false)).unwrap().loss
    }

    #[test]
    fn one_more_level_with_a_share_hardly_changes_the_loss_and_is_trained() {
        let mechanisms = [
            (json!({"kind": "ham_v", "depth": 2}), "depth"),
            (json!({"kind": "ham_v", "depth": 1, "mix": "head"}), "depth"),
            (json!({"kind": "ham_s", "depth": 2}), "depth"),
            (
                json!({"kind": "multilevel", "levels": 2, "mix": "layer"}),
                "levels",
            ),
            (
                json!({"kind": "multilevel", "levels": 2, "mix": "token"}),
                "levels",
            ),
        ];
        for (mechanism, setting) in mechanisms {
            let bytes = trained(5, &with_encoder_self(mechanism.clone()));
            let before = Trainer::restore(&bytes, &Uploads::default(), &Device::flex()).unwrap();
            let mut deeper = mechanism.clone();
            let levels = mechanism[setting].as_u64().unwrap();
            deeper[setting] = json!(levels + 1);
            let mut run = trainer(5, with_encoder_self(deeper), 1);
            let drawn = loss(&run);
            let transferred = block_on(run.start_from(&bytes)).unwrap();
            let changed = ChangedLevels {
                key: format!("model.encoder_self.{setting}"),
                before: levels as usize,
                now: levels as usize + 1,
                is_mixed: true,
            };
            assert_eq!(transferred.levels, [changed], "{mechanism}");
            let (before, begun) = (loss(&before), loss(&run));
            assert!(
                (before - begun).abs() < 0.05 * (before - drawn).abs(),
                "{mechanism}: {before}, {begun} with one level more, {drawn} at random"
            );
            let shares = |run: &Trainer| {
                let all = values(run).into_iter();
                let mut shares =
                    all.filter(|(name, _)| name.contains(".mix") || name.contains(".gate"));
                shares.next().unwrap().1
            };
            let at_first = shares(&run);
            block_on(run.step()).unwrap();
            let (shape, after) = shares(&run);
            let last = shape.last().unwrap() - 1;
            assert_ne!(at_first.1[last], after[last], "{mechanism}");
        }
    }

    /// Levels without parameters of their own, and passes through the layers, change nothing else.
    #[test]
    fn other_numbers_of_levels_leave_parameters_as_they_are() {
        let of = |levels: usize, loops: usize| {
            let mechanism = json!({"kind": "multilevel", "levels": levels});
            let mut model = with_encoder_self(mechanism);
            model["loops"] = json!(loops);
            model
        };
        let bytes = trained(5, &of(1, 1));
        let mut run = trainer(5, of(11, 3), 2);
        let transferred = block_on(run.start_from(&bytes)).unwrap();
        let changed = transferred.levels.iter();
        let changed: Vec<_> = changed
            .map(|it| (&*it.key, it.before, it.now, it.is_mixed))
            .collect();
        let expected = [
            ("model.encoder_self.levels", 1, 11, false),
            ("model.loops", 1, 3, false),
        ];
        assert_eq!(changed, expected);
        let before = Trainer::restore(&bytes, &Uploads::default(), &Device::flex()).unwrap();
        assert_eq!(values(&run), values(&before));
    }

    /// A pyramid's levels have parameters of their own.
    #[test]
    fn levels_of_a_pyramid_and_another_mechanism_are_refused() {
        let attention = |mechanism: serde_json::Value| {
            json!({
                "architecture": "transformer", "width": 8, "heads": 2, "layers": 1,
                "cross": mechanism,
            })
        };
        let pyramid = |levels: usize| attention(json!({"kind": "pyramid", "levels": levels}));
        let ham = |depth: usize| attention(json!({"kind": "ham_v", "depth": depth}));
        let refusals = [
            (pyramid(2), pyramid(3), "model.cross.levels"),
            (pyramid(2), ham(2), "model.cross"),
            (
                ham(2),
                attention(json!({"kind": "ham_v", "depth": 3, "residual": true})),
                "residual",
            ),
        ];
        for (before, now, key) in refusals {
            let bytes = trained(5, &before);
            let refusal = block_on(trainer(5, now, 1).start_from(&bytes)).unwrap_err();
            assert!(refusal.to_string().contains(key), "{refusal}");
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
