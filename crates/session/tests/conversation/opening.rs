//! Models that are opened without the data on which they were trained.

use strata_models::{ModelConfig, TransformerLmConfig};
use strata_session::protocol::{
    Activity, AnswerRequest, Command, Event, LacksView, Output, Request, View, ViewData,
};
use strata_tasks::{FilesConfig, ReadingConfig, TaskConfig, TextConfig};
use strata_text::{TokenUnit, UploadedText};
use strata_training::Experiment;

use super::{
    Conversation, activity, experiment, losses, ready, translate, translation, views, watch,
};

fn examine(task: TaskConfig, texts: &[(&str, &str)]) -> Command {
    let text = |(name, text): &(&str, &str)| UploadedText {
        name: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    Command::Examine {
        task: Box::new(task),
        texts: texts.iter().map(text).collect(),
    }
}

fn files(source: &str, target: &str) -> TaskConfig {
    TaskConfig::Files(FilesConfig {
        source: source.into(),
        target: Some(target.into()),
        minimum_count: 1,
        held_out: 4,
        ..FilesConfig::default()
    })
}

fn lines(word: &str) -> String {
    (0..40).map(|at| format!("{word} {at} x {at}\n")).collect()
}

/// Returns a run on texts at these paths, after three steps, and its checkpoint.
fn run(experiment: Experiment, texts: &[(&str, &str)]) -> (Conversation, Vec<u8>) {
    let mut conversation = Conversation::new();
    let events = conversation.say(examine(experiment.task.clone(), texts));
    assert!(matches!(events[..], [Event::Examined(_)]), "{events:?}");
    conversation.load(experiment);
    assert_eq!(conversation.train(3).len(), 3);
    let file = conversation.save();
    (conversation, file)
}

fn open(conversation: &mut Conversation, file: &[u8]) -> (Option<LacksView>, Vec<Event>) {
    let events = conversation.say(Command::Open {
        checkpoint: file.to_vec(),
    });
    (ready(&events).lacks.clone(), events)
}

fn on_pairs() -> Experiment {
    Experiment {
        task: files("/data/m.de", "/data/m.en"),
        ..experiment()
    }
}

fn pairs_run() -> (Conversation, Vec<u8>) {
    let (de, en) = (lines("eins"), lines("one"));
    run(on_pairs(), &[("/data/m.de", &de), ("/data/m.en", &en)])
}

#[test]
fn a_model_of_files_is_used_looked_at_and_saved_without_them() {
    let (mut before, file) = pairs_run();
    let mut other = Conversation::new();
    other.say(watch(0, View::default()));
    let (lacks, events) = open(&mut other, &file);
    let lacks = lacks.expect("no files are here");
    assert_eq!(lacks.files, ["m.de", "m.en"]);
    assert!(lacks.reason.contains("give m.de and m.en"), "{lacks:?}");
    assert_eq!(
        (ready(&events).step, ready(&events).validation_examples),
        (3, 0)
    );
    assert_eq!(activity(&events), Some(Activity::Paused));
    // The opened model gives the same translation as the trained one.
    let expected = translation(&before.say(translate("eins 3 x"))).clone();
    other.say(watch(0, View::default()));
    let events = other.say(translate("eins 3 x"));
    let found = translation(&events);
    assert_eq!(
        (&found.text, &found.target),
        (&expected.text, &expected.target)
    );
    // The user's input is watched, in every view.
    let update = views(&events)[0];
    assert_eq!(update.source, found.source);
    assert!(update.reference.is_empty() && !update.is_right);
    for view in [
        View::Network { site: None },
        View::Overview,
        View::Probabilities,
        View::Norms,
        View::Rollout { row: 0 },
    ] {
        let events = other.say(watch(0, view.clone()));
        assert_eq!(views(&events).len(), 1, "{view:?}");
    }
    // A part is muted and unmuted, without a validation.
    let parts = ready(&open(&mut other, &file).1).parts.clone();
    let events = other.say(Command::Mute {
        parts: parts[..1].to_vec(),
    });
    let is_unmeasured = |event: &Event| {
        matches!(
            event,
            Event::Muted {
                validation: None,
                ..
            }
        )
    };
    assert!(is_unmeasured(&events[0]), "{events:?}");
    assert_eq!(other.save(), file);
    // The opened model is not trained, whatever command asks for training.
    let experiment = Box::new(on_pairs());
    for command in [
        Command::Train,
        Command::Step,
        Command::Reset,
        Command::NewSeed { seed: 3 },
        Command::GoOn { experiment },
        Command::Validate,
    ] {
        let reason = other.refusal(command.clone());
        assert!(
            reason.contains("give m.de and m.en"),
            "{command:?}: {reason}"
        );
    }
    // `Restore` needs the data, and is refused.
    let checkpoint = file;
    other.refusal(Command::Restore { checkpoint });
}

#[test]
fn it_goes_on_when_the_files_come_by_their_names() {
    let (mut before, file) = pairs_run();
    let (de, en) = (lines("eins"), lines("one"));
    let given = [("m.en", en.as_str()), ("m.de", de.as_str())];
    // The texts are given before the model is opened, or after.
    for first in [true, false] {
        let mut other = Conversation::new();
        if first {
            other.say(examine(files("m.de", "m.en"), &given));
            assert_eq!(open(&mut other, &file).0, None);
        } else {
            assert!(open(&mut other, &file).0.is_some());
            let events = other.say(examine(files("m.de", "m.en"), &given));
            let ready = ready(&events);
            assert_eq!((ready.step, &ready.lacks), (3, &None));
            assert_eq!(ready.experiment.task, files("m.de", "m.en"));
        }
        let mut same = Conversation::new();
        same.say(examine(
            on_pairs().task,
            &[("/data/m.de", &de), ("/data/m.en", &en)],
        ));
        let checkpoint = file.clone();
        same.say(Command::Restore { checkpoint });
        assert_eq!(losses(&other.train(3)), losses(&same.train(3)), "{first}");
        // Its checkpoint is restored from the present names of the texts.
        let checkpoint = other.save();
        let events = other.say(Command::Restore { checkpoint });
        assert_eq!(ready(&events).step, 6);
    }
    assert_eq!(before.train(1).len(), 1);
}

#[test]
fn other_texts_of_the_same_names_are_noticed() {
    let (_, file) = pairs_run();
    let (de, en) = (lines("zwei"), lines("two"));
    let mut other = Conversation::new();
    open(&mut other, &file);
    let events = other.say(examine(
        files("m.de", "m.en"),
        &[("m.de", &de), ("m.en", &en)],
    ));
    let lacks = ready(&events).lacks.clone().expect("they are others");
    assert!(lacks.reason.contains("differ"), "{lacks:?}");
    assert_eq!(lacks.files, ["m.de", "m.en"]);
    // Unrelated texts change nothing.
    let events = other.say(examine(
        files("x.de", "x.en"),
        &[("x.de", &de), ("x.en", &en)],
    ));
    assert!(matches!(events[..], [Event::Examined(_)]), "{events:?}");
    let reason = other.refusal(Command::Train);
    assert!(reason.contains("give m.de and m.en"), "{reason}");
}

#[test]
fn a_text_is_written_on_and_a_question_answered_without_the_files() {
    let text = "to be or not to be , that is the question .\n".repeat(30);
    let model = ModelConfig::TransformerLm(TransformerLmConfig {
        width: 16,
        heads: 2,
        layers: 1,
        feed_forward: 32,
        ..TransformerLmConfig::default()
    });
    for level in [TokenUnit::Word, TokenUnit::Character] {
        let task = TaskConfig::Text(TextConfig {
            source: "/data/hamlet.txt".into(),
            segment_length: 8,
            level,
            ..TextConfig::default()
        });
        let model = model.clone();
        let on_text = Experiment {
            task,
            model,
            ..experiment()
        };
        let (_, file) = run(on_text, &[("/data/hamlet.txt", &text)]);
        let mut other = Conversation::new();
        assert_eq!(
            open(&mut other, &file).0.expect("no files").files,
            ["hamlet.txt"]
        );
        other.say(watch(0, View::default()));
        let events = other.say(translate("to be"));
        let shown = views(&events)[0];
        assert_eq!(shown.target.join(""), translation(&events).target.join(""));
        assert!(matches!(&shown.data, ViewData::Sites(sites) if !sites.is_empty()));
    }

    let question = |at: usize| {
        format!(
            r#"{{"id": "{at}", "question": "Who is number {at}?", "answers": [{{"text": "Ann", "answer_start": 0}}]}}"#
        )
    };
    let article = |at: usize| {
        let question = question(at);
        format!(r#"{{"paragraphs": [{{"context": "Ann is number {at}.", "qas": [{question}]}}]}}"#)
    };
    let articles: Vec<String> = (0..20).map(article).collect();
    let json = format!(r#"{{"data": [{}]}}"#, articles.join(","));
    let model = r#"{"architecture": "bidaf", "embedding": 6, "hidden": 4, "characters": "none", "dropout": 0.0}"#;
    let reader = Experiment {
        task: TaskConfig::Reading(ReadingConfig {
            source: "/data/squad.json".into(),
            minimum_count: 1,
            ..ReadingConfig::default()
        }),
        model: serde_json::from_str(model).expect("settings of a model"),
        ..experiment()
    };
    let (_, file) = run(reader, &[("/data/squad.json", &json)]);
    let mut other = Conversation::new();
    assert_eq!(
        open(&mut other, &file).0.expect("no files").files,
        ["squad.json"]
    );
    other.say(watch(0, View::Answer));
    let events = other.say(Command::Run(Request::Answer(AnswerRequest {
        question: "Who is number 3?".to_owned(),
        passage: "Ann is number 3. Bob is number 4.".to_owned(),
    })));
    let [Event::Done(Output::Answer(_)), Event::View(shown)] = &events[..] else {
        panic!("{events:?}");
    };
    assert!(matches!(shown.data, ViewData::Answer(_)));
    assert!(
        shown.target.contains(&"Bob".to_owned()),
        "{:?}",
        shown.target
    );
}
