//! Texts that a user gives, and given beginnings of translations.

use strata_models::{BeamConfig, ModelConfig, Search, TransformerLmConfig};
use strata_session::protocol::{Command, Event, Request, SearchView, TranslateRequest, View};
use strata_tasks::{CorpusReport, FilesConfig, TaskConfig, TextConfig};
use strata_text::UploadedText;
use strata_training::Experiment;

use super::{Conversation, experiment, ready, translation, views, watch};

fn examine(task: &TaskConfig, name: &str, text: &str) -> Command {
    Command::Examine {
        task: Box::new(task.clone()),
        texts: vec![UploadedText {
            name: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }],
    }
}

fn examined(events: &[Event]) -> &CorpusReport {
    match events {
        [Event::Examined(examination)] => examination,
        other => panic!("{other:?}"),
    }
}

fn pairs(name: &str) -> TaskConfig {
    TaskConfig::Files(FilesConfig {
        source: name.into(),
        minimum_count: 1,
        held_out: 4,
        ..FilesConfig::default()
    })
}

#[test]
fn pairs_that_were_given_are_trained_on() {
    let mut conversation = Conversation::new();
    let task = pairs("own pairs.tsv");
    let text: String = (0..40)
        .map(|number| format!("eins {number}\tone {number}\n"))
        .collect();
    let events = conversation.say(examine(&task, "own pairs.tsv", &text));
    assert_eq!(examined(&events).training, 36);
    let experiment = Experiment {
        task: task.clone(),
        ..experiment()
    };
    let events = conversation.load(experiment.clone());
    assert_eq!(ready(&events).training_examples, 36);
    assert_eq!(conversation.train(3).len(), 3);

    // A refused command changes neither the run nor its texts.
    let broken = examine(&task, "own pairs.tsv", "no columns at all\n");
    let reason = conversation.refusal(broken);
    assert!(reason.starts_with("own pairs.tsv, line 1"), "{reason}");
    assert_eq!(conversation.train(2).last().map(|step| step.step), Some(5));
    // A new seed splits the same texts, and a checkpoint continues with them.
    let file = conversation.save();
    let events = conversation.say(Command::NewSeed { seed: 9 });
    assert_eq!(ready(&events).training_examples, 36);
    let events = conversation.say(Command::Restore { checkpoint: file });
    assert_eq!(ready(&events).step, 5);
}

#[test]
fn a_text_belongs_to_one_session_for_as_long_as_it_is_read_or_looked_at() {
    let task = |number| pairs(&format!("pairs {number}.tsv"));
    let text: String = (0..12)
        .map(|line| format!("a {line}\tb {line}\n"))
        .collect();
    let give = |conversation: &mut Conversation, number| {
        let name = format!("pairs {number}.tsv");
        examined(&conversation.say(examine(&task(number), &name, &text)));
    };
    let load = |conversation: &mut Conversation, number| {
        let events = conversation.load(Experiment {
            task: task(number),
            ..experiment()
        });
        matches!(events[0], Event::Ready(_))
    };
    let (mut conversation, mut other) = (Conversation::new(), Conversation::new());
    give(&mut conversation, 0);
    assert!(!load(&mut other, 0));
    assert!(load(&mut conversation, 0));
    give(&mut conversation, 1);
    give(&mut conversation, 2);
    // Only the texts of the run and those examined last are kept.
    assert!(!load(&mut conversation, 1));
    assert!(load(&mut conversation, 0));
    assert!(load(&mut conversation, 2));
}

#[test]
fn a_text_that_was_given_is_written_on() {
    let mut conversation = Conversation::new();
    let task = TaskConfig::Text(TextConfig {
        source: "own text.txt".into(),
        segment_length: 8,
        ..TextConfig::default()
    });
    let text = "to be or not to be , that is the question .\n".repeat(30);
    let events = conversation.say(examine(&task, "own text.txt", &text));
    assert!(examined(&events).held_out > 0);
    let model = ModelConfig::TransformerLm(TransformerLmConfig {
        width: 16,
        heads: 2,
        layers: 1,
        feed_forward: 32,
        ..TransformerLmConfig::default()
    });
    conversation.load(Experiment {
        task,
        model,
        ..experiment()
    });
    assert_eq!(conversation.train(3).len(), 3);
    let search = found(&mut conversation, "to be", &["or"], Search::Greedy);
    assert_eq!(search.translations[0].tokens[..3], ["to", "be", "or"]);
    // Continued text begins with the given words, including unknown ones.
    let search = found(&mut conversation, "to zyx", &["or"], Search::Greedy);
    let written = &search.translations[0];
    assert_eq!(written.tokens[..3], ["to", "zyx", "or"]);
    assert!(written.text.starts_with("to zyx or"), "{}", written.text);
}

fn found(
    conversation: &mut Conversation,
    text: &str,
    prefix: &[&str],
    search: Search,
) -> SearchView {
    let events = conversation.say(Command::Run(Request::Translate(TranslateRequest {
        text: text.to_owned(),
        prefix: prefix.iter().map(|token| (*token).to_owned()).collect(),
        search,
        details: true,
    })));
    translation(&events)
        .search
        .clone()
        .expect("details were asked for")
}

#[test]
fn a_translation_begins_as_it_is_told_to() {
    let mut conversation = Conversation::loaded();
    let free = found(&mut conversation, "a b c", &[], Search::Greedy);
    let first = &free.translations[0];
    // The translation continues from the second best token at the first place.
    let other = first.candidates[0][1].token.clone();
    assert_ne!(other, first.tokens[0]);
    let forced = found(&mut conversation, "a b c", &[&other], Search::Greedy);
    assert_eq!(forced.translations[0].tokens[0], other);
    let known = first.candidates[0][1].log_probability;
    let scored = forced.translations[0].log_probabilities[0];
    assert!((known - scored).abs() < 1e-5, "{known} {scored}");

    let beam = Search::Beam(BeamConfig {
        width: 3,
        results: 3,
        ..BeamConfig::default()
    });
    let search = found(&mut conversation, "a b c", &[&other, "a"], beam);
    assert_eq!(search.translations.len(), 3);
    let begins = |tokens: &[String]| tokens[..2] == [other.clone(), "a".to_owned()];
    assert!(search.translations.iter().all(|it| begins(&it.tokens)));
    // `</s>` can be given like any other token.
    let ended = found(&mut conversation, "a b c", &["a", "</s>"], Search::Greedy);
    assert_eq!(ended.translations[0].tokens, ["a", "</s>"]);
}

/// Each pair has a name of its own, which is not in the vocabulary.
#[test]
fn rare_words_are_shown_as_they_were_given() {
    let mut conversation = Conversation::new();
    let task = TaskConfig::Files(FilesConfig {
        source: "names.tsv".into(),
        held_out: 4,
        ..FilesConfig::default()
    });
    let text: String = (0..40)
        .map(|number| format!("Hallo  Name{number}\tHello  Name{number}\n"))
        .collect();
    conversation.say(examine(&task, "names.tsv", &text));
    let events = conversation.load(Experiment {
        task,
        ..experiment()
    });
    let ready = ready(&events);
    let samples = ready.samples.clone();
    assert_eq!(samples.len(), 4);
    assert!(samples.iter().all(|it| it.starts_with("Hallo  Name")));
    assert_eq!(
        ready.notes[0],
        "Held out: 4 of 40 sentence pairs, the same ones for every seed: `task.held_out` = 4."
    );
    let file = conversation.save();
    for restored in [false, true] {
        if restored {
            let checkpoint = file.clone();
            conversation.say(Command::Restore { checkpoint });
        }
        let events = conversation.say(watch(2, View::Probabilities));
        let update = views(&events)[0];
        let name = samples[2].trim_start_matches("Hallo  ").to_owned();
        assert_eq!(update.source, ["Hallo", &name]);
        assert_eq!(update.target, ["Hello", &name, "</s>"]);
        assert_eq!(update.reference, format!("Hello  {name}"));
        assert_eq!(update.unknown, [name]);
        assert!(!update.is_right);
    }
}

#[test]
fn half_of_the_sentences_are_held_out_at_most_and_that_is_told() {
    let mut conversation = Conversation::new();
    let task = TaskConfig::Files(FilesConfig {
        source: "few.tsv".into(),
        minimum_count: 1,
        maximum_length: 3,
        ..FilesConfig::default()
    });
    let text = "a b c d\tx\n".to_owned()
        + &(0..40)
            .map(|number| format!("{number} a\tx {number}\n"))
            .collect::<String>();
    conversation.say(examine(&task, "few.tsv", &text));
    let events = conversation.load(Experiment {
        task,
        ..experiment()
    });
    assert_eq!(
        ready(&events).notes[..2],
        [
            "Left out: 1 sentence pair longer than `task.maximum_length`.",
            "Held out: 20 of 40 sentence pairs, the same ones for every seed: at most half of the \
             sentences are, though `task.held_out` = 500; lower it to learn from more.",
        ]
    );
}
