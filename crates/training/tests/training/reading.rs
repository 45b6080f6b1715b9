//! Readers on the generated task.

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{ModelConfig, Part, SiteName};
use strata_tasks::{Passage, TaskConfig};
use strata_text::Uploads;
use strata_training::{Experiment, Inference, Measure, Trainer};

use super::losses;
use super::reproducing::GENERATOR;

/// Experiment of a small reader on generated sentences.
fn experiment(model: &str, steps: u64) -> Experiment {
    let model: ModelConfig = serde_json::from_str(model).expect("settings of a model");
    let mut experiment = Experiment {
        seed: 3,
        task: TaskConfig::of_kind("toy_reading").expect("a task of this name"),
        model,
        ..Experiment::default()
    };
    experiment.training.steps = steps;
    experiment.training.batch_size = 32;
    experiment.training.clip_norm = 5.0;
    experiment.training.measure = Measure::F1;
    experiment.training.optimizer.learning_rate = 5e-3;
    experiment
}

const BIDAF: &str = r#"{"architecture": "bidaf", "embedding": 24, "hidden": 16, "modelling": 1,
    "characters": "none", "highway": 0, "dropout": 0.0}"#;

/// Small readers that together have every part of a reader.
const WHOLE: [&str; 3] = [
    r#"{"architecture": "bidaf", "embedding": 6, "hidden": 4, "character_embedding": 3,
        "character_filters": 4, "character_kernel": 3, "dropout": 0.2,
        "context_to_query": {"kind": "ham_v", "depth": 3},
        "query_to_context": {"kind": "ham_v", "depth": 2}}"#,
    r#"{"architecture": "match_lstm", "embedding": 6, "hidden": 4, "bidirectional": true,
        "input": "difference", "sharing": "none", "modelling": 1, "pooled": true,
        "both_directions": true, "dropout": 0.2, "question": {"kind": "ham_v", "depth": 2}}"#,
    r#"{"architecture": "rnet", "embedding": 6, "hidden": 4, "layers": 1, "dropout": 0.2,
        "character_embedding": 3, "character_filters": 2, "question": {"kind": "ham_v"},
        "self_matching": {"kind": "ham_s", "depth": 2}}"#,
];

fn trainer(experiment: &Experiment) -> Trainer {
    Trainer::new(experiment.clone(), &Uploads::default(), &Device::default())
        .expect("the experiment is a good one")
}

#[test]
fn bidaf_learns_to_answer_unseen_questions() {
    let mut trainer = trainer(&experiment(BIDAF, 400));
    while !trainer.is_finished() {
        block_on(trainer.step()).expect("the run does not diverge");
    }
    let report = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
    println!("{report:?}");
    assert!(report.exact_match >= 0.95, "{report:?}");
    assert!(
        report.f1().is_some_and(|f1| f1 >= report.exact_match),
        "{report:?}"
    );
    assert_eq!(report.decoded, trainer.validation_examples());

    // Question and passage typed by a user.
    let file = block_on(trainer.checkpoint()).expect("a checkpoint");
    let inference = Inference::from_checkpoint(&file, &Device::default()).expect("whole");
    let question = trainer.held_out().questions()[0].clone();
    let passage = question.passages[0].paragraph.text().to_owned();
    let asked = question.question.text().to_owned();
    let tokenizer = inference.tokenizer().reading().expect("it is a reader");
    let typed = tokenizer.question("", &asked, &[&passage]);
    let found = block_on(inference.answer(&[&typed], 3)).expect("the CPU does not fail");
    let answers = &found[0].answers;
    assert_eq!(answers.len(), 3);
    assert!(answers.is_sorted_by(|a, b| a.probability >= b.probability));
    for answer in answers {
        let characters = passage.chars().skip(answer.place.start);
        let stretch: String = characters.take(answer.place.len()).collect();
        assert_eq!(stretch, answer.text);
    }
    // The probabilities of all stretches sum to 1, also if windows of a long text overlap.
    let mut long = passage.clone();
    while tokenizer.text(&long).len() <= tokenizer.limits.passage {
        long = format!("{long} {passage}");
    }
    for (text, windows) in [(&passage, 1), (&long, 2)] {
        let typed = tokenizer.question("", &asked, &[text]);
        assert!(typed.passages.len() >= windows);
        let all = block_on(inference.answer(&[&typed], 100_000)).expect("the CPU does not fail");
        let sum: f64 = all[0].answers.iter().map(|it| it.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
    // With the passage given twice, each copy has the answer with half of its probability.
    let mut twice = typed.clone();
    let again = Passage {
        document: 1,
        ..typed.passages[0].clone()
    };
    twice.passages.push(again);
    let halves = block_on(inference.answer(&[&twice], 2)).expect("the CPU does not fail");
    for answer in &halves[0].answers {
        assert_eq!(answer.text, found[0].answers[0].text);
        let half = found[0].answers[0].probability / 2.0;
        assert!((answer.probability - half).abs() < 1e-4, "{answer:?}");
    }
}

#[test]
fn a_reader_goes_on_with_the_same_losses() {
    let _alone = GENERATOR.lock();
    for model in WHOLE {
        let experiment = experiment(model, 6);
        let mut whole = trainer(&experiment);
        let expected = losses(&mut whole, 4);
        let mut first = trainer(&experiment);
        losses(&mut first, 2);
        let file = block_on(first.checkpoint()).expect("a checkpoint");
        let restored = Trainer::restore(&file, &Uploads::default(), &Device::default());
        let mut restored = restored.unwrap_or_else(|error| panic!("{model}: {error}"));
        assert_eq!(losses(&mut restored, 2), expected[2..], "{model}");
        assert_eq!(restored.tokenizer(), whole.tokenizer());
        let [one, other] = [&restored, &whole].map(|trainer| block_on(trainer.checkpoint()).ok());
        assert!(one == other && one.is_some(), "{model}");
    }
}

/// A mix of depth 1 has one level, whose share is 1.
#[test]
fn a_depth_of_1_is_the_plain_model() {
    for (plain, deep) in [
        (
            r#"{"architecture": "bidaf", "embedding": 6, "hidden": 4, "dropout": 0.0, "characters": "none"}"#,
            r#"{"architecture": "bidaf", "embedding": 6, "hidden": 4, "dropout": 0.0, "characters": "none",
                "context_to_query": {"kind": "ham_v", "depth": 1},
                "query_to_context": {"kind": "ham_v", "depth": 1}}"#,
        ),
        (
            r#"{"architecture": "match_lstm", "embedding": 6, "hidden": 4}"#,
            r#"{"architecture": "match_lstm", "embedding": 6, "hidden": 4,
                "question": {"kind": "ham_v", "depth": 1}}"#,
        ),
        (
            r#"{"architecture": "rnet", "embedding": 6, "hidden": 4, "dropout": 0.0, "characters": "none"}"#,
            r#"{"architecture": "rnet", "embedding": 6, "hidden": 4, "dropout": 0.0, "characters": "none",
                "question": {"kind": "ham_v", "depth": 1},
                "self_matching": {"kind": "ham_s", "depth": 1}}"#,
        ),
    ] {
        let [plain, deep] = [plain, deep].map(|model| {
            let mut trainer = trainer(&experiment(model, 9));
            losses(&mut trainer, 3)
        });
        let loss = |of: &(u64, u64, u64)| f64::from_bits(of.1);
        for (plain, deep) in plain.iter().zip(&deep) {
            assert!(
                (loss(plain) - loss(deep)).abs() < 1e-5,
                "{plain:?} {deep:?}"
            );
        }
    }
}

/// A muted part changes the answers; unmuting restores them.
#[test]
fn sites_and_levels_of_a_reader_are_muted_and_put_back() {
    for model in WHOLE {
        let mut trainer = trainer(&experiment(model, 9));
        let whole = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
        let parts = trainer.parts();
        assert!(
            parts.iter().any(|part| matches!(part, Part::Level { .. })),
            "{model}"
        );
        for part in parts {
            trainer.mute(&[part]).expect("the model has this part");
            let muted = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
            assert_ne!(
                muted.loss.to_bits(),
                whole.loss.to_bits(),
                "{part} of {model}"
            );
        }
        trainer.mute(&[]).expect("nothing is muted");
        let back = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
        assert_eq!(back, whole);
    }
}

#[test]
fn a_reader_translates_nothing() {
    let trainer = trainer(&experiment(BIDAF, 9));
    let refused = block_on(trainer.inference().translate("who ?"));
    let refused = refused
        .expect_err("a reader does not translate")
        .to_string();
    assert!(refused.contains("strata answer"), "{refused}");
    let site: SiteName = "reader.context_to_query".parse().expect("a name");
    assert!(trainer.inference().shares(site).is_none());
}
