//! Settings that change at named steps of a run.

use burn::tensor::Device;
use pollster::block_on;
use serde_json::json;
use strata_attention::{MechanismConfig, MultilevelConfig};
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_text::Uploads;
use strata_training::{Curriculum, Experiment, Trainer};

use super::{experiment, losses, trainer, transformer};

const CURRICULUM: &str = "0: task.maximum_length=3 model.encoder_self.levels=1; \
                          4: task.maximum_length=5; 7: model.encoder_self.levels=3";

fn staged(curriculum: &str) -> Experiment {
    let mut model = transformer();
    if let ModelConfig::Transformer(config) = &mut model {
        config.encoder_self = MechanismConfig::Multilevel(MultilevelConfig {
            levels: 2,
            ..MultilevelConfig::default()
        });
    }
    let mut experiment = experiment(model, 12);
    experiment.training.curriculum = curriculum.parse().expect("a curriculum");
    experiment
}

/// Returns the longest source of the task, and the levels of the encoder.
fn length_and_levels(experiment: &Experiment) -> (usize, usize) {
    let TaskConfig::Copy(task) = &experiment.task else {
        panic!("{:?}", experiment.task)
    };
    let ModelConfig::Transformer(config) = &experiment.model else {
        panic!("{:?}", experiment.model)
    };
    let MechanismConfig::Multilevel(mechanism) = config.encoder_self else {
        panic!("{:?}", config.encoder_self)
    };
    (task.maximum_length, mechanism.levels)
}

#[test]
fn settings_change_before_the_step_of_a_stage() {
    let mut trainer = trainer(&staged(CURRICULUM));
    let mut seen = Vec::new();
    for _ in 0..9 {
        losses(&mut trainer, 1);
        let longest = trainer.training().iter().map(|it| it.source.len()).max();
        let (length, levels) = length_and_levels(trainer.experiment());
        assert_eq!(longest, Some(length));
        seen.push((length, levels));
    }
    let expected = [[(3, 1); 4].as_slice(), &[(5, 1); 3], &[(5, 3); 2]].concat();
    assert_eq!(seen, expected);
    trainer.reset().expect("the data can be drawn again");
    assert_eq!(length_and_levels(trainer.experiment()), (3, 1));
}

#[test]
fn stages_repeat_and_go_through_all_examples() {
    let curriculum = "0: model.encoder_self.levels=1 task.examples=64; 1: model.encoder_self.levels=3; 2: repeat";
    let mut trainer = trainer(&staged(curriculum));
    let mut seen = Vec::new();
    for _ in 0..5 {
        losses(&mut trainer, 1);
        seen.push(length_and_levels(trainer.experiment()).1);
    }
    assert_eq!(seen, [1, 3, 1, 3, 1]);
    // Two batches of 32 are an epoch.
    assert_eq!(trainer.position().epoch, 2);
}

#[test]
fn a_run_is_resumed_to_the_bit_at_every_step_of_a_curriculum() {
    let whole = losses(&mut trainer(&staged(CURRICULUM)), 12);
    for interrupted in [3, 4, 5, 7, 8] {
        let mut first = trainer(&staged(CURRICULUM));
        let mut found = losses(&mut first, interrupted);
        let file = block_on(first.checkpoint()).expect("the CPU does not fail");
        let second = Trainer::restore(&file, &Uploads::default(), &Device::default());
        found.extend(losses(&mut second.expect("a whole file"), 12 - interrupted));
        assert_eq!(found, whole, "interrupted after {interrupted}");
    }
}

#[test]
fn a_run_in_a_later_stage_goes_on_as_the_experiment_that_began_it() {
    let begun = staged(CURRICULUM);
    let mut trainer = trainer(&begun);
    losses(&mut trainer, 8);
    assert_ne!(trainer.experiment().model, begun.model);
    let mut asked = begun.clone();
    trainer
        .experiment()
        .can_go_on_as(&asked)
        .expect("the same run");
    // Begins alike, and changes at another step.
    asked.training.curriculum = CURRICULUM
        .replace("7:", "8:")
        .parse()
        .expect("a curriculum");
    let error = trainer.experiment().can_go_on_as(&asked);
    let error = error.expect_err("another run").to_string();
    assert!(error.contains("curriculum"), "{error}");
}

#[test]
fn a_curriculum_that_makes_no_sense_is_refused_before_the_first_step() {
    let refused = |curriculum: &str| {
        let trainer = Trainer::new(staged(curriculum), &Uploads::default(), &Device::default());
        trainer.err().expect("refused").to_string()
    };
    for (curriculum, part) in [
        ("5: task.maximum_length=4", "must begin at 0"),
        (
            "0: task.maximum_length=4; 9: task.minimum_length=2",
            "which the stage of step 0 must set too",
        ),
        (
            "0: task.maximum_length=4; 9: task.maximum_length=5; 9: task.maximum_length=6",
            "sort the stages",
        ),
        ("0: model.width=64", "`model.width` cannot change"),
        ("0: task.kind=reverse", "`task.kind` cannot change"),
        (
            "0: task.lengths=4",
            "`task.lengths` does not take the value 4",
        ),
        ("0: task.maximum_length=many", "does not take the value"),
        (
            "0: task.maximum_length=4; 9: task.maximum_length=1",
            "maximum_length",
        ),
        ("0: task.symbols=6; 9: task.symbols=5", "other tokens"),
        (
            "0: model.encoder_self.levels=1; 9: model.encoder_self.levels=0",
            "levels",
        ),
    ] {
        let error = refused(curriculum);
        assert!(error.contains(part), "{curriculum}: {error}");
    }
    for malformed in [
        "task.maximum_length=4",
        "0:",
        "x: task.symbols=3",
        "0: task.symbols",
    ] {
        let error = malformed
            .parse::<Curriculum>()
            .expect_err("malformed")
            .to_string();
        assert!(error.contains("100: task.hops=4"), "{error}");
    }
}

#[test]
fn tables_and_text_are_one_curriculum() {
    let text = "0: task.hops=2 model.encoder_self.levels=1; 100: task.hops=2..5";
    let read: Curriculum = text.parse().expect("a curriculum");
    assert_eq!(read.to_string(), text);
    let tables = json!([
        { "from": 0, "task.hops": 2, "model.encoder_self.levels": 1 },
        { "from": 100, "task": { "hops": "2..5" } },
    ]);
    let tables: Curriculum = serde_json::from_value(tables).expect("a curriculum");
    // Keys of a table have no order.
    let sorted = |curriculum: &Curriculum| {
        let stages = curriculum.stages().iter().cloned();
        let sort = |mut stage: strata_training::Stage| {
            stage
                .settings
                .sort_by(|(one, _), (other, _)| one.cmp(other));
            stage
        };
        stages.map(sort).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&tables), sorted(&read));
    assert_eq!(serde_json::to_value(&read).expect("text"), json!(text));
    assert_eq!("".parse::<Curriculum>(), Ok(Curriculum::default()));
    let text = "0: task.hops=2; 10: task.hops=3; 20: repeat";
    let repeated: Curriculum = text.parse().expect("a curriculum");
    assert_eq!(repeated.to_string(), text);
    let tables = json!([
        { "from": 0, "task.hops": 2 }, { "from": 10, "task.hops": 3 }, { "from": 20, "repeat": true },
    ]);
    let tables: Curriculum = serde_json::from_value(tables).expect("a curriculum");
    assert_eq!(tables, repeated);
}
