#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value, json};
use strata_tasks::identity;
use strata_text::Uploads;

use super::*;
use crate::checkpoint::serialize;
use crate::{Average, Experiment};

/// Pairs `from` to `to` of an endless corpus.
fn pairs(from: usize, to: usize) -> String {
    let words = ["rot", "blau", "hund", "katze", "haus", "baum", "ich"];
    let pair = |number: usize| {
        let word = |place: u32| words[number / 7_usize.pow(place) % 7];
        let source = [0, 1, 2, 3].map(word).join(" ");
        format!("{source}\t{} {}\n", word(1), word(0))
    };
    (from..to).map(pair).collect()
}

fn uploads(from: usize, to: usize) -> Uploads {
    Uploads::default().with([("corpus.tsv".to_owned(), pairs(from, to).into())])
}

fn experiment(seed: u64, held_out: usize) -> Experiment {
    serde_json::from_value(json!({
        "seed": seed,
        "task": {
            "kind": "files", "source": "corpus.tsv", "minimum_count": 1, "held_out": held_out,
        },
        "model": {"architecture": "transformer", "width": 8, "heads": 2, "layers": 1},
        "training": {"steps": 4, "batch_size": 8},
    }))
    .unwrap()
}

fn begun(experiment: Experiment, uploads: &Uploads) -> Trainer {
    Trainer::new(experiment, uploads, &Device::flex()).unwrap()
}

fn file(mut trainer: Trainer) -> Vec<u8> {
    block_on(trainer.step()).unwrap();
    block_on(trainer.checkpoint()).unwrap()
}

/// Rewrites a checkpoint as an older program would have: without a split, and without learned
/// sentences.
fn of_format_2(bytes: &[u8]) -> Vec<u8> {
    let checkpoint = Checkpoint::open(bytes).unwrap();
    let mut contents = serde_json::to_value(&checkpoint.contents).unwrap();
    contents["format"] = 2.into();
    let task = &mut contents["experiment"]["task"];
    task.as_object_mut().unwrap().remove("split").unwrap();
    assert!(!contents.to_string().contains("split"));
    let tensors = checkpoint.tensors.iter();
    let others = tensors.filter(|(name, _)| ![OWN, BEFORE].contains(name));
    let entry = HashMap::from([("strata".to_owned(), contents.to_string())]);
    safetensors::serialize(others, Some(entry)).unwrap()
}

fn held_out(trainer: &Trainer) -> Vec<String> {
    let held_out = trainer.held_out();
    (0..held_out.len()).map(|at| held_out.source(at)).collect()
}

/// For each source of a corpus, whether a checkpoint records it as learned.
fn learned(bytes: &[u8], text: &str) -> Vec<bool> {
    let set = Checkpoint::open(bytes).unwrap().learned().unwrap().unwrap();
    let sources = text.lines().filter_map(|line| line.split('\t').next());
    let identities: Vec<u64> = sources.map(identity).collect();
    set.holds(&identities)
}

#[test]
fn a_checkpoint_says_what_was_learned_and_not_what_was_held_out() {
    let corpus = uploads(0, 300);
    let trainer = begun(experiment(1, 50), &corpus);
    let kept = held_out(&trainer);
    let bytes = file(trainer);
    let text = pairs(0, 300);
    for (line, is_learned) in text.lines().zip(learned(&bytes, &text)) {
        let source = line.split('\t').next().unwrap();
        assert_eq!(is_learned, !kept.iter().any(|it| it == source), "{line}");
    }
    assert!(learned(&bytes, &pairs(300, 600)).iter().all(|it| !it));
    // The same holds after the file was made smaller, resumed, or averaged.
    let checkpoint = Checkpoint::open(&bytes).unwrap();
    let restored = Trainer::restore(&bytes, &corpus, &Device::flex()).unwrap();
    assert_eq!(held_out(&restored), kept);
    let mut average = Average::new(&checkpoint).unwrap();
    average.add(&checkpoint).unwrap();
    let others = [
        checkpoint.without_optimizer(),
        block_on(restored.checkpoint()).unwrap(),
        average.file(),
    ];
    for other in others {
        assert_eq!(learned(&other, &text), learned(&bytes, &text));
    }
}

#[test]
fn a_run_that_begins_with_a_model_measures_nothing_that_it_has_learned() {
    let first = begun(experiment(1, 50), &uploads(0, 300));
    let held_out_before = held_out(&first);
    let before = file(first);
    for (seed, wanted, end) in [(2, 50, 300), (1, 80, 300), (1, 50, 500), (3, 200, 500)] {
        let corpus = uploads(0, end);
        let mut run = begun(experiment(seed, wanted), &corpus);
        let all = held_out(&run);
        let found = block_on(run.start_from(&before)).unwrap().held_out;
        let kept = held_out(&run);
        assert_eq!(
            (found.all, found.learned),
            (all.len(), all.len() - kept.len())
        );
        assert!(!found.is_unknown);
        let is_new = |it: &String| held_out_before.contains(it) || !pairs(0, 300).contains(it);
        assert_eq!(kept, all.into_iter().filter(is_new).collect::<Vec<_>>());
        assert_eq!(run.dropped().validation.learned, found.learned);
        // Unless more of the old corpus is used, no example is lost.
        assert_eq!(found.learned == 0, wanted == 50, "{wanted} of {end}");
        // The same holds after the run resumes, and for runs that begin with it.
        let after = file(run);
        let restored = Trainer::restore(&after, &corpus, &Device::flex()).unwrap();
        assert_eq!(held_out(&restored), kept);
        let mut third = begun(experiment(1, 200), &uploads(0, 500));
        block_on(third.start_from(&after)).unwrap();
        let both = [
            learned(&before, &pairs(0, 500)),
            learned(&after, &pairs(0, 500)),
        ];
        let [before, after] = both;
        assert!(
            before
                .iter()
                .zip(&after)
                .all(|(before, after)| !before | after)
        );
        let sources = held_out(&third);
        let texts = pairs(0, 500);
        let sources_of_all: Vec<&str> = texts
            .lines()
            .map(|it| it.split('\t').next().unwrap())
            .collect();
        for source in sources {
            let at = sources_of_all.iter().position(|it| *it == source).unwrap();
            assert!(!after[at], "{source}");
        }
    }
}

#[test]
fn where_all_was_learned_it_is_kept_and_told() {
    let everything = file(begun(experiment(1, 1), &uploads(0, 300)));
    let mut other = experiment(1, 40);
    other.task = serde_json::from_value(json!({
        "kind": "files", "source": "corpus.tsv", "validation_source": "dev.tsv", "minimum_count": 1,
    }))
    .unwrap();
    let held = begun(experiment(1, 1), &uploads(0, 300));
    let only = held_out(&held);
    let dev: String = pairs(0, 60)
        .lines()
        .filter(|line| !only.iter().any(|it| line.starts_with(it)))
        .map(|line| format!("{line}\n"))
        .collect();
    let texts = [
        ("corpus.tsv".to_owned(), pairs(300, 500).into()),
        ("dev.tsv".to_owned(), dev.into()),
    ];
    let mut run = begun(other, &Uploads::default().with(texts));
    let all = held_out(&run);
    assert_eq!(run.remembered(), None);
    let found = block_on(run.start_from(&everything)).unwrap().held_out;
    assert!(found.is_kept && found.learned == found.all);
    assert_eq!(held_out(&run), all);
    assert_eq!(run.dropped().validation.learned, 0);
    let told = run.remembered().unwrap();
    assert!(
        told.contains("has learned") && told.contains("task.split"),
        "{told}"
    );
}

/// A run of an older program resumes with the sentences that its seed drew, and records what it
/// learns from then on, but not with what it began.
#[test]
fn a_checkpoint_of_before_goes_on_as_it_did() {
    let corpus = uploads(0, 300);
    let mut of_seed = experiment(5, 50);
    if let TaskConfig::Files(task) = &mut of_seed.task {
        task.split = 0;
    }
    let trainer = begun(of_seed.clone(), &corpus);
    let kept = held_out(&trainer);
    assert_ne!(kept, held_out(&begun(experiment(5, 50), &corpus)));
    let present = file(trainer);
    let old = of_format_2(&present);
    let opened = Checkpoint::open(&old).unwrap();
    assert_eq!(opened.experiment(), &of_seed);
    assert_eq!(opened.learned().unwrap(), None);
    let mut runs =
        [&present, &old].map(|bytes| Trainer::restore(bytes, &corpus, &Device::flex()).unwrap());
    let mut losses = Vec::new();
    for run in &mut runs {
        assert_eq!(held_out(run), kept);
        losses.push(block_on(run.step()).unwrap().loss);
    }
    assert_eq!(losses[0], losses[1]);
    let [_, old_run] = runs;
    let later = block_on(old_run.checkpoint()).unwrap();
    let later = Checkpoint::open(&later).unwrap();
    assert_eq!(
        later.learned_by_itself().unwrap(),
        Checkpoint::open(&present)
            .unwrap()
            .learned_by_itself()
            .unwrap()
    );
    assert_eq!(later.learned().unwrap(), None);
    // A run that begins with this one reports that what was learned is unknown.
    let mut next = begun(experiment(1, 50), &corpus);
    assert!(block_on(next.start_from(&old)).unwrap().held_out.is_unknown);
    let bytes = file(next);
    assert_eq!(Checkpoint::open(&bytes).unwrap().learned().unwrap(), None);
}

#[test]
fn a_set_that_is_damaged_is_refused() {
    let bytes = file(begun(experiment(1, 50), &uploads(0, 300)));
    let checkpoint = Checkpoint::open(&bytes).unwrap();
    let mut tensors: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, tensor) in checkpoint.tensors.iter() {
        tensors.push((name.to_owned(), tensor.data().to_vec()));
    }
    let (_, set) = tensors.iter_mut().find(|(name, _)| name == OWN).unwrap();
    set.truncate(set.len() / 2);
    let shapes = |name: &str| {
        let tensor = checkpoint.tensors.tensor(name).unwrap();
        (tensor.dtype(), tensor.shape().to_vec())
    };
    let views = tensors.iter().map(|(name, bytes)| {
        let (kind, shape) = shapes(name);
        let shape = if name == OWN {
            vec![bytes.len()]
        } else {
            shape
        };
        (
            name,
            safetensors::tensor::TensorView::new(kind, shape, bytes).unwrap(),
        )
    });
    let damaged = serialize(&checkpoint.contents, views);
    let error = Checkpoint::open(&damaged).unwrap().learned().unwrap_err();
    assert!(error.to_string().contains("learned.own"), "{error}");
    let value: Value = serde_json::to_value(&checkpoint.contents).unwrap();
    assert_eq!(value["format"], 3);
}
