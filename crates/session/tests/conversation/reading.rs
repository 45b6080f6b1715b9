//! Views of readers while they train.

use strata_models::Site;
use strata_session::protocol::{
    AnswerOutput, AnswerRequest, AnswerView, Command, Event, Output, Request, SiteView, View,
    ViewData,
};
use strata_tasks::TaskConfig;
use strata_training::Experiment;

use super::{Conversation, experiment, ready, translate, views, watch};

fn reader(model: &str) -> Experiment {
    Experiment {
        task: TaskConfig::of_kind("toy_reading").expect("a task of this name"),
        model: serde_json::from_str(model).expect("settings of a model"),
        ..experiment()
    }
}

/// Models without dropout, which would draw from the random generator that other tests share.
const READERS: [&str; 2] = [
    r#"{"architecture": "bidaf", "embedding": 6, "hidden": 4, "characters": "none", "dropout": 0.0,
        "context_to_query": {"kind": "ham_v", "depth": 3}}"#,
    r#"{"architecture": "rnet", "embedding": 6, "hidden": 4, "characters": "none", "layers": 1, "dropout": 0.0,
        "question": {"kind": "ham_v", "depth": 2}, "self_matching": {"kind": "ham_s", "depth": 2}}"#,
];

fn sites(seen: &ViewData) -> &[SiteView] {
    match seen {
        ViewData::Sites(sites) => sites,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reader_shows_where_it_looks_for_an_answer() {
    for model in READERS {
        let mut conversation = Conversation::new();
        let events = conversation.load(reader(model));
        let ready = ready(&events);
        assert_eq!(ready.validation_examples, 500);
        assert!(ready.samples.iter().all(|it| it.ends_with('?')), "{model}");
        assert_eq!(conversation.train(2).len(), 2);

        let events = conversation.say(watch(3, View::default()));
        let update = views(&events)[0];
        assert!(
            update.source.last().is_some_and(|it| it == "?"),
            "{update:?}"
        );
        assert!(
            update.target.join(" ").contains(&update.reference),
            "{update:?}"
        );
        let (question, passage) = (update.source.len(), update.target.len());
        for outline in update.sites.clone() {
            let expected = match outline.site.place {
                Site::ContextToQuery => [1, passage, question],
                Site::QueryToContext => [1, 1, passage],
                Site::Matching => [2, passage, question],
                Site::SelfMatching => [1, passage, passage],
                other => panic!("a reader has no {other:?}"),
            };
            let shape = [outline.heads, outline.rows, outline.columns];
            assert_eq!(shape, expected, "{}", outline.site);
            for level in 1..=outline.levels {
                let view = View::Site {
                    site: Some(outline.site),
                    head: Some(0),
                    level: Some(level),
                };
                let events = conversation.say(watch(3, view));
                let site = &sites(&views(&events)[0].data)[0];
                for row in site.weights.chunks(site.columns) {
                    assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
                }
            }
        }
        let seen = |conversation: &mut Conversation, view| {
            let events = conversation.say(watch(3, view));
            views(&events)[0].data.clone()
        };
        // A reader has no output tokens: the view of probabilities is that of the answer.
        for view in [View::Probabilities, View::Answer] {
            let ViewData::Answer(answer) = seen(&mut conversation, view) else {
                panic!("no answer");
            };
            assert_eq!(answer.passages.len(), 1);
            let tokens = &answer.passages[0].tokens;
            assert_eq!(tokens.len(), passage);
            let starts: f32 = tokens.iter().map(|it| it.start).sum();
            let ends: f32 = tokens.iter().map(|it| it.end).sum();
            assert!((starts - 1.0).abs() < 1e-4 && (ends - 1.0).abs() < 1e-4);
            assert_eq!(answer.answers.len(), 5);
            stand_where_they_say(&answer);
            let right = answer.right.expect("a toy question has an answer");
            let text = &tokens[right.first..=right.last];
            let text: Vec<&str> = text.iter().map(|it| it.text.as_str()).collect();
            assert!(update.reference == text.join(" "), "{update:?}");
        }
        match seen(&mut conversation, View::Shares) {
            ViewData::Shares(shares) => assert!(!shares.is_empty()),
            other => panic!("{other:?}"),
        }
        for view in [View::Overview, View::Norms, View::Network { site: None }] {
            seen(&mut conversation, view);
        }
        let refused = conversation.refusal(translate("who ?"));
        assert!(refused.contains("a reader"), "{refused}");
        conversation.say(Command::Validate);
    }
}

/// Asserts that answers are the text at their places, the best first, each in its sentence.
fn stand_where_they_say(answer: &AnswerView) {
    for found in &answer.answers {
        let tokens = &answer.passages[found.place.passage].tokens;
        let stretch = &tokens[found.place.first..=found.place.last];
        let text: String = stretch
            .iter()
            .flat_map(|it| [it.before.as_str(), it.text.as_str()])
            .collect();
        assert_eq!(text[stretch[0].before.len()..], found.text);
        assert!(found.sentence.contains(&found.text), "{found:?}");
        // Spans that are no answers, such as an end before its start, have a share of the products,
        // too.
        let (start, end) = (stretch[0].start, stretch[stretch.len() - 1].end);
        let product = f64::from(start) * f64::from(end);
        assert!(product < found.probability + 1e-6, "{found:?}");
    }
    let sum: f64 = answer.answers.iter().map(|it| it.probability).sum();
    assert!(sum < 1.0 + 1e-6, "{answer:?}");
    let order = answer.answers.windows(2);
    assert!(
        order
            .clone()
            .all(|it| it[0].probability >= it[1].probability)
    );
}

fn ask(question: &str, passage: &str) -> Command {
    Command::Run(Request::Answer(AnswerRequest {
        question: question.to_owned(),
        passage: passage.to_owned(),
    }))
}

#[test]
fn a_question_of_a_users_own_is_answered_about_a_passage_of_their_own() {
    for model in READERS {
        let mut conversation = Conversation::new();
        let events = conversation.load(reader(model));
        let ready = ready(&events);
        assert_eq!(ready.passages.len(), ready.samples.len());
        conversation.train(2);
        let passage = "  Anna found\n the Zebra in  the hall . Ben lost the red key in the barn";
        let events = conversation.say(ask("Who found the zebra?", passage));
        let [Event::Done(Output::Answer(AnswerOutput { answer, attention }))] = &events[..] else {
            panic!("{events:?}");
        };
        assert_eq!(answer.question, "Who found the zebra?");
        assert_eq!(answer.unknown, ["zebra", "Zebra"]);
        let tokens = &answer.passages[0].tokens;
        let written: String = tokens
            .iter()
            .flat_map(|it| [it.before.as_str(), it.text.as_str()])
            .collect();
        assert_eq!(written, passage);
        let unknown: Vec<&str> = tokens
            .iter()
            .filter(|it| !it.is_known)
            .map(|it| it.text.as_str())
            .collect();
        assert_eq!(unknown, ["Zebra"]);
        stand_where_they_say(answer);
        for found in &answer.answers {
            let last = tokens[..found.place.first]
                .iter()
                .filter(|it| it.text == ".")
                .count();
            let expected = match (last, found.place.first) {
                (0, ..2) => "Anna found",
                (0, _) => "the Zebra in  the hall .",
                _ => "Ben lost the red key in the barn",
            };
            assert!(found.sentence.contains(expected), "{found:?}");
        }
        assert_eq!(attention.source.join(" "), "Who found the zebra ?");
        assert_eq!(attention.target.len(), tokens.len());
        assert!(!attention.sites.is_empty());
        assert_eq!(attention.text, answer.answers[0].text);
    }
}

#[test]
fn what_cannot_be_answered_is_told_and_changes_nothing() {
    let mut conversation = Conversation::new();
    conversation.load(reader(READERS[0]));
    let passage = "anna found the red ball in the hall .";
    for (question, passage, told) in [
        (" \n", passage, "no question"),
        ("who ?", "", "no passage"),
        (&*"who ".repeat(61), passage, "61 tokens"),
        ("who ?", &*"anna ".repeat(5001), "5001 tokens"),
    ] {
        let refused = conversation.refusal(ask(question, passage));
        assert!(refused.contains(told), "{refused}");
    }
    let events = conversation.say(ask("who ?", &"anna ".repeat(5000)));
    assert!(
        matches!(&events[..], [Event::Done(Output::Answer(it))] if it.answer.answers.len() == 5)
    );
    conversation.load(experiment());
    let refused = conversation.refusal(ask("who ?", passage));
    assert!(refused.contains("no reader"), "{refused}");
}
