//! Models that answer in place: whole runs of taggers.

use std::path::PathBuf;

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{BeamConfig, EncoderCell, ModelConfig, SamplingConfig, Search, TaggerConfig};
use strata_tasks::{CopyConfig, FilesConfig, ReverseConfig, TaskConfig};
use strata_text::Uploads;
use strata_training::{Experiment, Inference, SearchOptions, Trainer, Validation};

use super::{experiment, losses, trainer, transformer};

fn small(cell: EncoderCell) -> ModelConfig {
    ModelConfig::Tagger(TaggerConfig {
        width: 32,
        heads: 2,
        layers: if cell == EncoderCell::None { 2 } else { 1 },
        feed_forward: 64,
        cell,
        ..TaggerConfig::default()
    })
}

fn on(task: TaskConfig, model: ModelConfig, steps: u64) -> Experiment {
    let mut experiment = Experiment {
        task,
        ..experiment(model, steps)
    };
    experiment.training.label_smoothing = 0.0;
    experiment
}

fn copying() -> TaskConfig {
    TaskConfig::Copy(CopyConfig {
        symbols: 6,
        minimum_length: 2,
        maximum_length: 5,
        examples: 1000,
        held_out: 50,
    })
}

/// Reversal of sequences of one length: where a token goes depends on its place alone.
fn reversing(symbols: usize, length: usize) -> TaskConfig {
    TaskConfig::Reverse(ReverseConfig {
        symbols,
        minimum_length: length,
        maximum_length: length,
        examples: 1000,
        held_out: 50,
    })
}

/// Trains to the end, and measures on the held-out sequences.
fn learn(experiment: &Experiment) -> Validation {
    let mut trainer = trainer(experiment);
    while !trainer.is_finished() {
        block_on(trainer.step()).expect("the run does not diverge");
    }
    block_on(trainer.validate(50, true)).expect("the CPU does not fail")
}

/// Asserts that more than 99 % of the held-out tokens are right after training.
fn learns(experiment: &Experiment) {
    let report = learn(experiment);
    assert!(report.accuracy > 0.99, "{experiment:?} {report:?}");
    assert!(report.exact_match > 0.95, "{report:?}");
    assert!(report.bleu.is_some_and(|bleu| bleu > 95.0), "{report:?}");
    assert_eq!(report.decoded, 50);
}

#[test]
fn a_tagger_learns_to_copy_and_to_reverse() {
    learns(&on(copying(), small(EncoderCell::None), 150));
    learns(&on(reversing(6, 4), small(EncoderCell::None), 400));
}

#[test]
fn recurrent_taggers_learn() {
    learns(&on(copying(), small(EncoderCell::Rnn), 150));
    learns(&on(copying(), small(EncoderCell::Gru), 150));
    let wide = ModelConfig::Tagger(TaggerConfig {
        width: 64,
        cell: EncoderCell::Lstm,
        layers: 1,
        ..TaggerConfig::default()
    });
    // The first token follows from the last one, which the backward direction alone has read: a
    // model without that direction would be right in 0.7 of the places.
    let report = learn(&on(reversing(10, 3), wide, 500));
    assert!(report.accuracy > 0.8, "{report:?}");
}

/// A token's neighbours tell what follows from them, and no more: copying is learned, and reversing
/// only where the layers reach across the sequence.
#[test]
fn convolutional_taggers_learn_as_far_as_they_reach() {
    learns(&on(copying(), small(EncoderCell::Convolution), 150));
    let reaching = |kernel_size| {
        let model = TaggerConfig {
            width: 32,
            layers: 2,
            cell: EncoderCell::Convolution,
            kernel_size,
            ..TaggerConfig::default()
        };
        learn(&on(reversing(6, 4), ModelConfig::Tagger(model), 400)).accuracy
    };
    let [near, far] = [reaching(3), reaching(7)];
    assert!(far > 0.9 && near < 0.7, "{near} {far}");
}

/// However the model is asked, its answer is the most probable token of each place.
#[test]
fn every_search_gives_the_best_token_of_each_place() {
    let mut trainer = trainer(&on(copying(), small(EncoderCell::None), 10));
    for _ in 0..10 {
        block_on(trainer.step()).expect("a step");
    }
    let checkpoint = block_on(trainer.checkpoint()).expect("a checkpoint");
    let inference = Inference::from_checkpoint(&checkpoint, &Device::default()).expect("opens");
    let tokenizer = inference.tokenizer();
    // Longer than any example too.
    for text in ["c a b", "a", "b b a c d e f a b c d e f"] {
        let source = tokenizer.encode(text).expect("symbols");
        let beam = Search::Beam(BeamConfig {
            width: 3,
            ..BeamConfig::default()
        });
        let sampling = Search::Sampling(SamplingConfig::default());
        let mut found = [Search::Greedy, Search::OnePass, beam, sampling].map(|search| {
            let options = SearchOptions::default();
            let searched = inference.search(std::slice::from_ref(&source), &search, options);
            let searched = block_on(searched).expect("the CPU does not fail");
            let hypothesis = searched.items[0].hypotheses[0].clone();
            assert_eq!(hypothesis.ids.len(), source.ids.len(), "{search:?}");
            assert!(hypothesis.ended, "{search:?}");
            hypothesis.ids
        });
        let [greedy, one_pass, beam, _] = &mut found;
        assert_eq!(greedy, one_pass);
        assert_eq!(greedy, beam);
        let attended = inference
            .attend(&source.ids, greedy)
            .expect("a model of sequences");
        let predicted: Vec<i64> = attended.predicted().into_data().iter().collect();
        let greedy: Vec<i64> = greedy.iter().map(|&id| i64::from(id)).collect();
        assert_eq!(predicted, greedy);
        // What a user asks of the length, and what a prefix adds to it, changes nothing.
        let target = source.ids[0];
        let options = SearchOptions {
            prefixes: vec![vec![target; source.ids.len() + 2]],
            constraints: strata_models::Constraints {
                minimum_length: 40,
                ..strata_models::Constraints::default()
            },
            ..SearchOptions::default()
        };
        let searched = inference.search(std::slice::from_ref(&source), &Search::Greedy, options);
        let searched = block_on(searched).expect("the CPU does not fail");
        let forced = &searched.items[0].hypotheses[0];
        assert_eq!(forced.ids, vec![target; source.ids.len()]);
        let translated = block_on(inference.translate(text)).expect("a translation");
        assert_eq!(translated.ids.len(), source.ids.len());
        assert!(translated.finished);
    }
}

/// Taggers of any encoder decide together; one that answers in place and one that writes cannot.
#[test]
fn an_ensemble_answers_in_place_or_not_at_all() {
    let inference = |model: ModelConfig| {
        let mut run = trainer(&on(copying(), model, 3));
        losses(&mut run, 3);
        let checkpoint = block_on(run.checkpoint()).expect("a checkpoint");
        Inference::from_checkpoint(&checkpoint, &Device::default()).expect("opens")
    };
    let mut together = inference(small(EncoderCell::None));
    together
        .join(inference(small(EncoderCell::Gru)))
        .expect("both answer in place");
    let found = block_on(together.translate("c a b")).expect("a translation");
    assert_eq!(found.ids.len(), 3);
    for (mut one, other) in [
        (
            inference(transformer()),
            inference(small(EncoderCell::None)),
        ),
        (
            inference(small(EncoderCell::None)),
            inference(transformer()),
        ),
    ] {
        let error = one.join(other).expect_err("one writes").to_string();
        assert!(error.contains("in place"), "{error}");
    }
}

#[test]
fn a_resumed_run_goes_on_to_the_bit() {
    let experiment = on(reversing(6, 4), small(EncoderCell::Gru), 8);
    let mut whole = trainer(&experiment);
    let all = losses(&mut whole, 8);
    let mut first = trainer(&experiment);
    let mut parts = losses(&mut first, 4);
    let checkpoint = block_on(first.checkpoint()).expect("a checkpoint");
    let mut second = Trainer::restore(&checkpoint, &Uploads::default(), &Device::default())
        .expect("the checkpoint is whole");
    parts.extend(losses(&mut second, 4));
    assert_eq!(parts, all);
}

/// Files with the lines `pairs`, in a folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn of(name: &str, pairs: &[String]) -> Self {
        let path = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        std::fs::write(path.join("pairs.tsv"), pairs.join("\n")).expect("a temporary file");
        Self(path)
    }

    fn task(&self) -> TaskConfig {
        TaskConfig::Files(FilesConfig {
            source: self.0.join("pairs.tsv"),
            held_out: 10,
            minimum_count: 1,
            ..FilesConfig::default()
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn refused(experiment: &Experiment) -> String {
    let made = Trainer::new(experiment.clone(), &Uploads::default(), &Device::default());
    match made {
        Ok(_) => panic!("it was not refused: {experiment:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn files_of_equal_lengths_are_learned_and_others_refused_by_their_line() {
    let mut lines: Vec<String> = (0..60)
        .map(|at| format!("w{} w{}\tt{} t{}", at, at % 7, at % 7, at))
        .collect();
    let model = small(EncoderCell::None);
    let equal = Folder::of("tagging-equal", &lines);
    let mut run = trainer(&on(equal.task(), model.clone(), 4));
    losses(&mut run, 4);
    lines[40] = "w40 w5\tt5".to_owned();
    let unequal = Folder::of("tagging-unequal", &lines);
    let error = refused(&on(unequal.task(), model, 4));
    assert!(error.contains("line 41 of "), "{error}");
    assert!(error.contains("2 source and 1 target tokens"), "{error}");

    // Two vocabularies cannot share a matrix, although they are as large.
    let tied = ModelConfig::Tagger(TaggerConfig {
        tied: true,
        ..TaggerConfig::default()
    });
    let error = refused(&on(equal.task(), tied.clone(), 4));
    assert!(error.contains("`model.tied"), "{error}");
    losses(&mut trainer(&on(copying(), tied, 4)), 2);
}

#[test]
fn tasks_of_other_lengths_are_refused_before_any_data() {
    for kind in ["german_english", "chinese_english", "dates", "poems"] {
        let mut task = TaskConfig::of_kind(kind).expect("a task");
        if let TaskConfig::Poems(poems) = &mut task {
            poems.source = "poems".into();
        }
        let experiment = on(task, small(EncoderCell::None), 4);
        let error = experiment.check().expect_err("lengths differ").to_string();
        assert!(error.contains(&format!("task `{kind}`")), "{error}");
        assert!(error.contains("tagger"), "{error}");
        assert!(error.contains("`task.kind=copy`"), "{error}");
    }
}

/// The longest source has as many positions as the table, since no BOS stands before an answer.
#[test]
fn learned_positions_need_no_place_for_bos() {
    let with = |longest| {
        let model = ModelConfig::Tagger(TaggerConfig {
            width: 16,
            heads: 2,
            positions: strata_models::PositionKind::Learned,
            longest,
            ..TaggerConfig::default()
        });
        on(copying(), model, 2)
    };
    losses(&mut trainer(&with(5)), 2);
    let error = refused(&with(4));
    assert!(error.contains("needs 5 positions"), "{error}");
}
