//! Facts folded from commands and events.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use strata_lessons::{Expression, Facts, Value};
use strata_models::Search;
use strata_session::protocol::{
    Activity, Command, Event, FoundTranslationView, Output, Ready, Request, SearchView, SiteView,
    StepReport, TranslateRequest, TranslationView, Validation,
};
use strata_settings::presets::Preset;
use strata_training::{Experiment, Scores};

fn ready(experiment: Experiment, parameters: usize) -> Event {
    Event::Ready(Ready {
        experiment,
        step: 0,
        parameters,
        source_vocabulary: 24,
        target_vocabulary: 24,
        training_examples: 10,
        validation_examples: 10,
        samples: Vec::new(),
        passages: Vec::new(),
        notes: Vec::new(),
        parts: Vec::new(),
        levels: Vec::new(),
        muted: Vec::new(),
        lacks: None,
        device: "CPU".to_owned(),
    })
}

fn load(facts: &mut Facts, experiment: Experiment, parameters: usize) {
    facts.command(&Command::Load {
        experiment: Box::new(experiment.clone()),
    });
    facts.event(&ready(experiment, parameters));
}

fn train(facts: &mut Facts, steps: std::ops::RangeInclusive<u64>, loss: f64) {
    let metrics = |step| StepReport {
        step,
        loss,
        accuracy: 0.5,
        learning_rate: 0.1,
        gradient_norm: 1.0,
        tokens: 1,
        milliseconds: 1.0,
        overflows: 0,
    };
    facts.event(&Event::Progress {
        steps: steps.map(metrics).collect(),
    });
}

fn validate(facts: &mut Facts, step: u64, accuracy: f64, decoded: usize) {
    facts.event(&Event::Validated(Validation {
        step,
        loss: 1.0,
        perplexity: 1f64.exp(),
        accuracy,
        exact_match: accuracy / 2.0,
        decoded,
        bleu: (decoded > 0).then_some(20.0),
        scores: Scores::Pairs,
    }));
}

fn value(facts: &Facts, expression: &str) -> Option<Value> {
    let expression: Expression = expression.parse().unwrap();
    expression.value(facts)
}

fn number(facts: &Facts, expression: &str) -> Option<f64> {
    value(facts, expression)?.number()
}

#[test]
fn a_run_is_known_at_every_step_that_it_has_taken() {
    let mut facts = Facts::default();
    load(&mut facts, Preset::Copy.experiment(), 100);
    train(&mut facts, 1..=2, 3.0);
    validate(&mut facts, 2, 0.4, 64);
    train(&mut facts, 3..=4, 2.0);
    validate(&mut facts, 4, 0.6, 0);
    assert_eq!(number(&facts, "step"), Some(4.0));
    assert_eq!(number(&facts, "held.accuracy"), Some(0.6));
    assert_eq!(number(&facts, "at(3).held.accuracy"), Some(0.4));
    assert_eq!(number(&facts, "at(2).loss"), Some(3.0));
    assert_eq!(number(&facts, "at(5).loss"), None);
    // The last validation decoded nothing, so the values of the one before count.
    assert_eq!(number(&facts, "held.exact"), Some(0.2));
    assert_eq!(number(&facts, "held.bleu"), Some(20.0));
    assert_eq!(number(&facts, "held.bits"), None);
    assert_eq!(
        value(&facts, "setting(model.architecture)"),
        Some("transformer".into())
    );
    assert_eq!(number(&facts, "setting(model.width)"), Some(32.0));
    assert_eq!(number(&facts, "finished"), None);
    let activity = Activity::Finished;
    facts.event(&Event::Activity { activity });
    assert_eq!(number(&facts, "finished"), Some(1.0));
}

#[test]
fn the_run_before_stays_until_the_next_one_begins() {
    let mut facts = Facts::default();
    load(&mut facts, Preset::Copy.experiment(), 100);
    assert_eq!(number(&facts, "before.parameters"), None);
    load(&mut facts, Preset::Dates.experiment(), 70);
    assert_eq!(number(&facts, "before.parameters - parameters"), Some(30.0));
    // A refused command begins no other run.
    facts.command(&Command::Load {
        experiment: Box::new(Preset::Copy.experiment()),
    });
    facts.event(&Event::Refused {
        reason: "no".to_owned(),
    });
    facts.event(&ready(Preset::Dates.experiment(), 70));
    assert_eq!(number(&facts, "before.parameters - parameters"), Some(30.0));
}

#[test]
fn a_restored_run_has_its_past_and_no_more() {
    let mut facts = Facts::default();
    load(&mut facts, Preset::Copy.experiment(), 100);
    train(&mut facts, 1..=8, 3.0);
    validate(&mut facts, 4, 0.4, 1);
    validate(&mut facts, 8, 0.8, 1);
    let past = facts.run().clone();
    let mut facts = Facts::at_step_of(BTreeMap::from([("other".to_owned(), past.clone())]));
    assert_eq!(number(&facts, "run(other, 4).held.accuracy"), Some(0.4));
    assert_eq!(number(&facts, "run(other).held.accuracy"), Some(0.8));
    assert_eq!(number(&facts, "run(another).held.accuracy"), None);
    facts.command(&Command::Restore {
        checkpoint: Vec::new(),
    });
    let Event::Ready(mut ready) = ready(Preset::Copy.experiment(), 100) else {
        unreachable!("it is made as one");
    };
    ready.step = 5;
    facts.event(&Event::Ready(ready));
    facts.restored(&past);
    assert_eq!(number(&facts, "held.accuracy"), Some(0.4));
    assert_eq!(number(&facts, "step"), Some(5.0));
}

#[test]
fn a_kept_run_is_short_and_has_the_same_validations() {
    let mut facts = Facts::default();
    load(&mut facts, Preset::Copy.experiment(), 100);
    train(&mut facts, 1..=1000, 3.0);
    validate(&mut facts, 500, 0.4, 1);
    let thinned = facts.run().thinned();
    assert!(thinned.training.len() <= 60);
    assert_eq!(thinned.training.last(), Some(&(1000, 3.0, 0.5)));
    // The copy is exact to the digits that curves and texts show.
    let (kept, whole) = (thinned.validations[0], facts.run().validations[0]);
    assert_eq!((kept.step, kept.accuracy), (whole.step, whole.accuracy));
    assert!((kept.perplexity - whole.perplexity).abs() <= 1e-4);
}

/// Creates an answer of three tokens; the rows have the given weights on the first of two columns.
fn answer(words: [&str; 3], weights: [f32; 3], logs: [f32; 3]) -> TranslationView {
    let tokens: Vec<String> = words.map(str::to_owned).to_vec();
    TranslationView {
        step: 0,
        source: vec!["x".to_owned(), "y".to_owned()],
        target: tokens.clone(),
        text: tokens[..2].join(" "),
        unknown: Vec::new(),
        sites: vec![SiteView {
            site: "decoder.cross".parse().unwrap(),
            heads: 1,
            levels: 1,
            level_numbers: vec![1],
            rows: 3,
            columns: 2,
            weights: weights.iter().flat_map(|it| [*it, 1.0 - it]).collect(),
            positions: Vec::new(),
        }],
        search: Some(SearchView {
            translations: vec![FoundTranslationView {
                text: tokens[..2].join(" "),
                tokens,
                log_probabilities: logs.to_vec(),
                score: f64::from(logs.iter().sum::<f32>()),
                normalised: 0.0,
                candidates: Vec::new(),
                path: Vec::new(),
            }],
            tree: Vec::new(),
        }),
    }
}

fn ask(facts: &mut Facts, prefix: &[&str], view: TranslationView) {
    facts.command(&Command::Run(Request::Translate(TranslateRequest {
        text: "x y".to_owned(),
        prefix: prefix.iter().map(|it| (*it).to_owned()).collect(),
        search: Search::Greedy,
        details: true,
    })));
    facts.event(&Event::Done(Output::Translation(view)));
}

#[test]
fn an_answer_is_held_against_the_one_before() {
    let mut facts = Facts::default();
    load(&mut facts, Preset::Copy.experiment(), 100);
    ask(
        &mut facts,
        &[],
        answer(["a", "b", "</s>"], [0.9, 0.2, 0.5], [-0.5, -0.25, 0.0]),
    );
    assert_eq!(number(&facts, "moved(decoder.cross)"), None);
    assert_eq!(value(&facts, "answer.strongest(b)"), Some("y".into()));
    ask(
        &mut facts,
        &["a", "c"],
        answer(["a", "c", "</s>"], [0.8, 0.25, 0.0], [-0.5, -4.0, 0.0]),
    );
    // The third row, below the chosen word, does not count.
    let moved = number(&facts, "moved(decoder.cross)").unwrap();
    assert!((moved - 0.1).abs() < 1e-6, "{moved}");
    assert_eq!(value(&facts, "before.answer.text"), Some("a b".into()));
    assert_eq!(value(&facts, "answer.text"), Some("a c".into()));
    assert_eq!(number(&facts, "asked.prefix"), Some(2.0));
    assert_eq!(number(&facts, "answer.follows"), Some(1.0));
    assert_eq!(number(&facts, "answer.score - answer.sum"), Some(0.0));
    let ratio = number(&facts, "ln(before.answer.p(2) / answer.p(2))").unwrap();
    assert!((ratio - 3.75).abs() < 1e-6, "{ratio}");
    // Answers belong to their run, so a new run has none.
    load(&mut facts, Preset::Dates.experiment(), 70);
    assert_eq!(value(&facts, "answer.text"), None);
}

#[test]
fn what_happens_without_a_session_is_told() {
    let mut facts = Facts::default();
    assert_eq!(number(&facts, "guessed"), Some(0.0));
    assert_eq!(number(&facts, "compared(wide)"), Some(0.0));
    facts.guess(0.5.into());
    facts.compare("wide");
    assert_eq!(number(&facts, "guessed + compared(wide)"), Some(2.0));
    load(&mut facts, Preset::Copy.experiment(), 100);
    train(&mut facts, 1..=7, 3.0);
    facts.notice();
    train(&mut facts, 8..=9, 3.0);
    facts.notice();
    assert_eq!(number(&facts, "noticed"), Some(7.0));
}
