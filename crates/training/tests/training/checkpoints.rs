//! Checkpoint files, complete and damaged.

use std::collections::HashMap;

use burn::tensor::Device;
use pollster::block_on;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use strata_models::{ModelConfig, PositionKind};
use strata_tasks::{FilesConfig, TaskConfig};
use strata_text::Uploads;
use strata_training::{
    Average, Checkpoint, CheckpointError, Experiment, Inference, Trainer, TrainingError,
};

use super::{experiment, losses, trainer, transformer};

/// Checkpoint of a run after two steps.
fn file() -> Vec<u8> {
    let mut trainer = trainer(&experiment(transformer(), 100));
    losses(&mut trainer, 2);
    block_on(trainer.checkpoint()).expect("the CPU does not fail")
}

pub type Tensors = Vec<(String, Vec<usize>, Vec<u8>)>;

/// Rewrites a checkpoint after `change` has edited Strata's entry of the header and the tensors.
pub fn rewritten(file: &[u8], change: impl FnOnce(&mut String, &mut Tensors)) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(file).expect("a whole file");
    let mut entry = header.metadata().as_ref().expect("an entry")["strata"].clone();
    let opened = SafeTensors::deserialize(file).expect("a whole file");
    let mut tensors: Tensors = opened
        .tensors()
        .into_iter()
        .map(|(name, tensor)| (name, tensor.shape().to_vec(), tensor.data().to_vec()))
        .collect();
    change(&mut entry, &mut tensors);
    written(&tensors, HashMap::from([("strata".to_owned(), entry)]))
}

fn written(tensors: &Tensors, metadata: HashMap<String, String>) -> Vec<u8> {
    let views = tensors.iter().map(|(name, shape, bytes)| {
        let dtype = match bytes.len() == shape.iter().product::<usize>() {
            true => Dtype::U8,
            false => Dtype::F32,
        };
        let view = TensorView::new(dtype, shape.clone(), bytes).expect("as many as said");
        (name, view)
    });
    safetensors::serialize(views, Some(metadata)).expect("distinct names")
}

/// Returns the error of reading a file to go on, and asserts that reading it to translate gives the
/// same error.
fn refused(bytes: &[u8]) -> CheckpointError {
    let device = Device::default();
    let Err(error) = Trainer::restore(bytes, &Uploads::default(), &device) else {
        panic!("restored")
    };
    let Err(of_inference) = Inference::from_checkpoint(bytes, &device) else {
        panic!("read")
    };
    assert_eq!(error.to_string(), of_inference.to_string());
    error
}

#[test]
fn a_file_is_enough_to_translate_with() {
    let mut trainer = trainer(&experiment(transformer(), 150));
    losses(&mut trainer, 150);
    let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let inference = Inference::from_checkpoint(&file, &Device::default()).expect("a whole file");
    let example = &trainer.validation()[0].source;
    let text = inference.tokenizer().source_text(example);
    let [there, here] = [&trainer.inference(), &inference]
        .map(|model| block_on(model.translate(&text)).expect("a text of the task"));
    assert_eq!(there, here);
    assert_eq!(inference.step(), 150);
    assert_eq!(inference.parameters(), trainer.parameters());
    assert!(block_on(inference.translate("  ")).is_err());
    assert!(block_on(inference.translate(&"a ".repeat(201))).is_err());
    assert!(block_on(inference.translate(&"a ".repeat(200))).is_ok());
}

#[test]
fn learned_positions_end_where_the_table_does() {
    let learning = |longest| {
        let mut experiment = experiment(transformer(), 2);
        if let ModelConfig::Transformer(config) = &mut experiment.model {
            config.positions = PositionKind::Learned;
            config.longest = longest;
        }
        experiment
    };
    let mut trainer = trainer(&learning(8));
    losses(&mut trainer, 2);
    let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let inference = Inference::from_checkpoint(&file, &Device::default()).expect("a whole file");
    let translate = |tokens| block_on(inference.translate(&"a ".repeat(tokens)));
    let longest = translate(8).expect("the table has eight rows");
    // BOS takes one of the eight rows of the target's position table.
    assert!(longest.ids.len() <= 7);
    let logits = inference
        .attend(&[3; 8], &[3; 7])
        .expect("it writes")
        .logits;
    assert_eq!(logits.dims()[1], 8, "as long as the table");
    let error = translate(9).expect_err("one more").to_string();
    assert!(error.contains("9 tokens, but at most 8"), "{error}");

    // Targets of five tokens need six positions: BOS comes first.
    Trainer::new(learning(6), &Uploads::default(), &Device::default()).expect("just enough");
    match Trainer::new(learning(5), &Uploads::default(), &Device::default()).map(drop) {
        Err(TrainingError::TooLong {
            needed: 6,
            longest: 5,
        }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_cut_anywhere_is_truncated() {
    let file = file();
    for length in [0, 7, 8, 100, file.len() / 2, file.len() - 1] {
        match refused(&file[..length]) {
            CheckpointError::Truncated { expected, found } => {
                assert_eq!(found, length as u64);
                assert!(expected > found && expected <= file.len() as u64);
            }
            other => panic!("{length}: {other}"),
        }
    }
    let longer = [&file[..], b"more"].concat();
    assert!(matches!(refused(&longer), CheckpointError::Damaged { .. }));
}

#[test]
fn other_files_are_told_apart() {
    let text = b"Dear reader, this is a letter and no model.".repeat(9);
    assert!(matches!(
        refused(&text),
        CheckpointError::NotSafetensors { .. }
    ));
    let no_header = [&4u64.to_le_bytes()[..], b"nope"].concat();
    assert!(matches!(
        refused(&no_header),
        CheckpointError::NotSafetensors { .. }
    ));
    let tensors = vec![("weight".to_owned(), vec![1], vec![0; 4])];
    let of_another = written(&tensors, HashMap::from([("format".into(), "pt".into())]));
    assert!(matches!(refused(&of_another), CheckpointError::Foreign));
}

#[test]
fn a_newer_format_is_refused_whatever_else_it_holds() {
    let newer = rewritten(&file(), |entry, _| {
        *entry = r#"{"format":1000,"news":[]}"#.into()
    });
    match refused(&newer) {
        CheckpointError::Newer {
            found: 1000,
            supported: 3,
        } => {}
        other => panic!("{other}"),
    }
}

#[test]
fn a_damaged_entry_is_refused() {
    for entry in ["", "{}", r#"{"format":1}"#, "[1]", "{\"format\":-1}"] {
        let damaged = rewritten(&file(), |old, _| *old = entry.into());
        assert!(
            matches!(refused(&damaged), CheckpointError::Damaged { .. }),
            "{entry}"
        );
    }
    // A file whose experiment is invalid.
    let file = rewritten(&file(), |entry, _| {
        *entry = entry.replace("\"heads\":2", "\"heads\":7");
    });
    assert!(matches!(refused(&file), CheckpointError::Experiment(_)));
}

#[test]
fn a_place_beyond_the_data_is_refused() {
    let file = rewritten(&file(), |entry, _| {
        *entry = entry.replace("\"batch\":2}", "\"batch\":9999}");
    });
    let Err(CheckpointError::Experiment(error)) =
        Trainer::restore(&file, &Uploads::default(), &Device::default())
    else {
        panic!("restored")
    };
    assert!(error.to_string().contains("9999"), "{error}");
}

#[test]
fn tensors_must_be_those_of_the_model() {
    let file = file();
    let named = |name: &'static str| move |(found, ..): &(String, _, _)| found.as_str() == name;
    let missing = rewritten(&file, |_, tensors| {
        tensors.retain(|tensor| !named("model.output_bias")(tensor));
    });
    match refused(&missing) {
        CheckpointError::MissingTensor { name, expected } => {
            assert_eq!(
                (name.as_str(), &expected[..]),
                ("model.output_bias", &[10][..])
            );
        }
        other => panic!("{other}"),
    }
    let extra = rewritten(&file, |_, tensors| {
        tensors.push(("model.more".into(), vec![1], vec![0; 4]));
    });
    match refused(&extra) {
        CheckpointError::ExtraTensor { name } => assert_eq!(name, "model.more"),
        other => panic!("{other}"),
    }
    let reshaped = rewritten(&file, |_, tensors| {
        let place = tensors
            .iter()
            .position(named("model.output_bias"))
            .expect("it is there");
        tensors[place].1 = vec![2, 5];
    });
    let error = refused(&reshaped).to_string();
    assert!(error.contains("`model.output_bias`"), "{error}");
    assert!(
        error.contains("[2, 5]") && error.contains("[10]"),
        "{error}"
    );
}

#[test]
fn more_updates_than_steps_are_refused() {
    for times in ["0", "3", "18446744073709551615"] {
        let file = rewritten(&file(), |entry, _| {
            *entry = entry.replace("\"output_bias\":2", &format!("\"output_bias\":{times}"));
        });
        let restored = Trainer::restore(&file, &Uploads::default(), &Device::default());
        assert!(
            matches!(restored, Err(CheckpointError::Damaged { .. })),
            "{times}"
        );
    }
}

/// A checkpoint with a number that is not finite, in a parameter or in the optimiser's state, is
/// refused by every reader.
#[test]
fn numbers_that_are_not_finite_are_refused_by_name() {
    let file = file();
    for (name, number) in [
        ("model.output_bias", f32::NAN),
        ("model.output_bias", f32::INFINITY),
        ("optimizer.output_bias.moment_1", f32::NEG_INFINITY),
        ("optimizer.output_bias.moment_2", f32::NAN),
        ("optimizer.output_bias.moment_2", -1.0),
    ] {
        let broken = rewritten(&file, |_, tensors| {
            let tensor = tensors.iter_mut().find(|(found, ..)| found == name);
            let (.., bytes) = tensor.expect("it is there");
            bytes[4..8].copy_from_slice(&number.to_le_bytes());
        });
        match refused(&broken) {
            CheckpointError::NotFinite { name: found, count } => {
                assert_eq!((found.as_str(), count), (name, 1), "{number}");
            }
            other => panic!("{name}, {number}: {other}"),
        }
        let opened = Checkpoint::open(&broken).expect("a whole file");
        let averaged = Average::new(&opened).map(drop);
        assert!(matches!(averaged, Err(CheckpointError::NotFinite { .. })));
        let mut average = Average::new(&Checkpoint::open(&file).expect("a whole file"))
            .unwrap_or_else(|error| panic!("{error}"));
        let added = average.add(&opened);
        assert!(matches!(added, Err(CheckpointError::NotFinite { .. })));
    }
}

/// Settings cannot hold such numbers: JSON has no NaN or infinity, and a number too large for an
/// f64 is refused.
#[test]
fn settings_that_are_not_finite_are_refused() {
    for number in ["1e999", "-1e999", "null", "NaN", "\"NaN\""] {
        let broken = rewritten(&file(), |entry, _| {
            let changed = entry.replace("\"beta_2\":0.98", &format!("\"beta_2\":{number}"));
            assert_ne!(&changed, entry);
            *entry = changed;
        });
        assert!(
            matches!(refused(&broken), CheckpointError::Damaged { .. }),
            "{number}"
        );
    }
}

/// Translating needs no moments; resuming a run does.
#[test]
fn a_missing_moment_stops_a_resumption() {
    let name = "optimizer.output_bias.moment_2";
    let file = rewritten(&file(), |_, tensors| {
        tensors.retain(|(found, ..)| found != name)
    });
    match Trainer::restore(&file, &Uploads::default(), &Device::default()) {
        Err(CheckpointError::MissingTensor { name: found, .. }) => assert_eq!(found, name),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("restored"),
    }
    Inference::from_checkpoint(&file, &Device::default()).expect("parameters are all there");
}

#[test]
fn another_experiment_is_told_by_its_first_difference() {
    let file = file();
    let checkpoint = Checkpoint::open(&file).expect("a whole file");
    assert_eq!(checkpoint.step(), 2);
    let stored = checkpoint.experiment().clone();
    checkpoint.matches(&stored).expect("it is the same");
    let difference = |change: &dyn Fn(&mut Experiment)| {
        let mut asked = stored.clone();
        change(&mut asked);
        checkpoint
            .matches(&asked)
            .expect_err("they differ")
            .to_string()
    };
    let error = difference(&|asked| asked.training.optimizer.beta_2 = 0.999);
    assert!(
        error.contains("`training.optimizer.beta_2` is 0.98 there, but 0.999 was asked for"),
        "{error}"
    );
    let error = difference(&|asked| asked.seed = 1);
    assert!(error.contains("`seed` is 7 there"), "{error}");
    let error = difference(&|asked| asked.task = TaskConfig::Files(FilesConfig::default()));
    assert!(error.contains("`task."), "{error}");
}

#[test]
fn changed_files_stop_a_resumption() {
    let folder = std::env::temp_dir().join(format!("strata-changed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("pairs.tsv");
    let write = |pairs: &[(&str, &str)]| {
        let lines: String = pairs.iter().map(|(s, t)| format!("{s}\t{t}\n")).collect();
        std::fs::write(&path, lines).expect("a temporary file");
    };
    let pairs = [
        ("a b", "x y"),
        ("b a", "y x"),
        ("a a", "x x"),
        ("b b", "y y"),
    ];
    write(&pairs);
    let mut experiment = experiment(transformer(), 10);
    experiment.task = TaskConfig::Files(FilesConfig {
        source: path.clone(),
        minimum_count: 1,
        held_out: 1,
        ..FilesConfig::default()
    });
    let mut trainer = trainer(&experiment);
    losses(&mut trainer, 1);
    let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let restore = || Trainer::restore(&file, &Uploads::default(), &Device::default());
    assert!(restore().is_ok());

    write(&[
        ("a b", "x z"),
        ("b a", "y x"),
        ("a a", "x x"),
        ("b b", "y y"),
    ]);
    assert!(matches!(
        restore(),
        Err(CheckpointError::DataChanged { .. })
    ));
    // Data with the same words in other sentences.
    write(&[
        ("a b", "y x"),
        ("b a", "y x"),
        ("a a", "x x"),
        ("b b", "y x"),
    ]);
    assert!(matches!(
        restore(),
        Err(CheckpointError::DataChanged { .. })
    ));
    std::fs::remove_file(&path).expect("it is there");
    assert!(matches!(restore(), Err(CheckpointError::Experiment(_))));
    // Translating does not need the data files.
    Inference::from_checkpoint(&file, &Device::default()).expect("a whole file");
    std::fs::remove_dir_all(folder).expect("it is there");
}
